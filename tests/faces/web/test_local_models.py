"""The choice of a model on pages: what servers of this machine say is installed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import cast

import pytest

from gm.files.layout import Layout
from gm.llm.local import local_providers
from gm.llm.providers import Provider, providers
from tests.faces.web.conftest import Browse
from tests.llm.chat_api import ChatApi, serving_chat

PAGES = ("/play.html", "/ask/alex.html")
NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> dict[str, Provider]:
    """The declared providers; none answers on this machine."""
    found = cast("dict[str, Provider]", providers())
    for one in local_providers({}):
        monkeypatch.setitem(found, one.name, replace(one, base=NOWHERE))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_installed_models_are_offered_under_their_server(
    page: str, dinner: Layout, browse: Browse, declared: dict[str, Provider]
) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [{"id": "qwen3:8b"}, {"id": '"><script>x</script>'}]}}
    with serving_chat(api):
        declared["ollama"] = replace(declared["ollama"], base=api.url)
        text = browse(dinner).get(page).text
    address = api.url.removesuffix("/v1")
    assert f'<optgroup label="ollama at {address}">' in text
    assert '<option value="ollama:qwen3:8b">ollama:qwen3:8b</option>' in text
    assert "<script>x" not in text
    assert "No model server answers" not in text
    assert api.looked_up == ["/v1/models"]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("declared")
def test_without_a_server_the_page_says_how_to_get_one(page: str, dinner: Layout, browse: Browse) -> None:
    client = browse(dinner)
    text = client.get(page).text
    assert "No model server answers on this machine now." in text
    assert "<code>ollama pull qwen3</code>" in text
    assert "<optgroup" not in text
    found = re.search(r'href="([^"]*help/how-to/local-model\.html)"', text)
    assert found is not None
    assert client.get(f"/{found[1].replace('../', '')}").status_code == 200


def test_a_server_without_a_model_is_told_apart(dinner: Layout, browse: Browse, declared: dict[str, Provider]) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": []}}
    with serving_chat(api):
        declared["ollama"] = replace(declared["ollama"], base=api.url)
        text = browse(dinner).get("/play.html").text
    assert f"ollama answers at {api.url.removesuffix('/v1')}, but has no model yet." in text


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.usefixtures("declared")
def test_a_malformed_address_of_a_server_leaves_the_rehearsal(
    page: str, dinner: Layout, browse: Browse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_HOST", "box:port")
    assert '<option value="rehearsal"' in browse(dinner).get(page).text


@pytest.mark.usefixtures("declared")
def test_a_german_world_says_it_in_german(studio: Layout, browse: Browse) -> None:
    text = browse(studio).get("/play.html").text
    assert "Auf diesem Rechner antwortet gerade kein Modellserver." in text
    assert "No model server" not in text


def test_pages_that_start_nothing_ask_no_server(dinner: Layout, browse: Browse, declared: dict[str, Provider]) -> None:
    api = ChatApi()
    with serving_chat(api):
        declared["ollama"] = replace(declared["ollama"], base=api.url)
        client = browse(dinner, read_only=True)
        assert [client.get(page).status_code for page in PAGES] == [200, 200]
    assert api.looked_up == []


def test_what_was_chosen_stays_chosen_once(dinner: Layout, browse: Browse, declared: dict[str, Provider]) -> None:
    api = ChatApi()
    api.known = {"/v1/models": {"data": [{"id": "qwen3:8b"}]}}
    with serving_chat(api):
        declared["ollama"] = replace(declared["ollama"], base=api.url)
        client = browse(dinner)
        token = re.search(r'name="token" value="([^"]+)"', client.get("/play.html").text)
        assert token is not None
        sent = {"token": token[1], "step": "start", "model": "ollama:qwen3:8b", "much": "days", "days": "0"}
        text = client.post("/play.html", data=sent).text
    assert text.count('<option value="ollama:qwen3:8b" selected>') == 1
    assert text.count('value="ollama:qwen3:8b"') == 1
