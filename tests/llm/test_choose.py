"""Who answers, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.api.playing.mailbox import PLAYED
from gm.base.config import PURPOSES
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.llm.base import Block, Request, Surroundings
from gm.llm.choose import (
    BACKENDS,
    PLAYABLE_PURPOSES,
    Choice,
    choose_backend,
    is_schema_told,
    missing_key,
    resolve_backend,
)
from gm.llm.prices import Prices
from gm.llm.providers import providers
from gm.play import care, directors, narrator, rating
from gm.scene.evening.off_scene import DIARY_PURPOSE
from tests.llm.chat_api import ChatApi, Said, serving_chat

KEY = {"ANTHROPIC_API_KEY": "secret-key"}
TOKEN = {"ANTHROPIC_AUTH_TOKEN": "secret-token"}
SERVER = {"ANTHROPIC_BASE_URL": "http://localhost:11434"}
SETTINGS = Surroundings().settings


def choose(wanted: str, environment: dict[str, str], source: str = "gm.yaml") -> Choice:
    return choose_backend(wanted, source, Surroundings(environment=environment))


def described(choice: Choice) -> tuple[str, str, str]:
    return choice.backend.name, choice.backend.model, choice.why


@pytest.mark.parametrize("environment", [{}, KEY, SERVER], ids=["nothing", "key", "server"])
def test_the_rehearsal_comes_when_it_is_called(environment: dict[str, str]) -> None:
    assert described(choose("rehearsal", environment, "--model")) == ("rehearsal", "rehearsal", "asked for by --model")


@pytest.mark.parametrize("environment", [{}, {"ANTHROPIC_API_KEY": ""}], ids=["absent", "empty"])
def test_without_a_key_auto_is_the_rehearsal_and_says_why(environment: dict[str, str]) -> None:
    found = described(choose("auto", environment))
    assert found == ("rehearsal", "rehearsal", "no ANTHROPIC_API_KEY and no other provider's key is set")


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        (KEY, "ANTHROPIC_API_KEY is set"),
        (TOKEN, "ANTHROPIC_AUTH_TOKEN is set"),
        (KEY | SERVER, "ANTHROPIC_API_KEY is set"),
    ],
    ids=["key", "token", "key and server"],
)
def test_with_a_key_auto_asks_the_model_of_the_settings(environment: dict[str, str], why: str) -> None:
    assert described(choose("auto", environment)) == ("anthropic", SETTINGS.model, why)


def test_a_server_alone_does_not_say_which_model_it_offers() -> None:
    with pytest.raises(BackendError, match="which model") as caught:
        choose("auto", SERVER)
    assert "model: NAME in gm.yaml" in caught.value.hint


@pytest.mark.parametrize(
    ("environment", "found"),
    [(KEY, "ANTHROPIC_API_KEY"), (TOKEN, "ANTHROPIC_AUTH_TOKEN"), (SERVER, "ANTHROPIC_BASE_URL")],
)
def test_a_model_by_name_is_asked(environment: dict[str, str], found: str) -> None:
    choice = choose("some-model", environment, "--model")
    assert described(choice) == ("anthropic", "some-model", f"asked for by --model, {found} is set")


def test_a_model_by_name_without_key_or_server_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(BackendError, match="some-model needs a key or a server") as caught:
        choose("some-model", {})
    assert "gm models" in caught.value.hint
    assert "the model rehearsal" in caught.value.hint
    assert "--model" not in caught.value.hint, "gm sweep and gm judge have no such option"
    assert len(caught.value.hint) < 200


def test_no_reason_shows_a_key() -> None:
    assert all("secret" not in choose("auto", environment).why for environment in (KEY, TOKEN))


MODELS = {"reflection": "deep", "rating": "small"}


def choose_from_settings(wanted: str, source: str, environment: dict[str, str]) -> Choice:
    return choose_backend(wanted, source, Surroundings(environment=environment, models=MODELS))


@pytest.mark.parametrize(("wanted", "source"), [("auto", "gm.yaml"), ("some-model", "gm.yaml")])
def test_purposes_and_characters_have_models_of_their_own(wanted: str, source: str) -> None:
    choice = choose_from_settings(wanted, source, KEY)
    assert choice.model_for("scene") == ""
    assert choice.model_for("reflection") == "deep"
    assert choice.model_for("reflection", own="mine") == "mine"
    assert choice.model_for("scene", own="mine") == "mine"


def test_the_forms_that_a_person_fills_in_are_those_of_the_purposes_that_one_plays() -> None:
    assert {*PLAYED.values()} == PLAYABLE_PURPOSES


def test_every_part_of_a_day_asks_for_a_declared_purpose() -> None:
    asked = {"scene", "reflection", DIARY_PURPOSE, *(one.PURPOSE for one in (care, directors, narrator, rating))}
    assert asked == {*PURPOSES}


@pytest.mark.parametrize("name", BACKENDS)
def test_a_backend_bears_the_name_by_which_it_is_asked_for(name: str, studio: Layout) -> None:
    postbox, recordings = PostFolder(studio), TraceReader(studio.traces)
    backend = choose_backend(name, "--model", Surroundings(postbox=postbox, recordings=recordings)).backend
    assert (backend.name, backend.model) == (name, name)


def test_a_model_that_is_named_on_the_command_line_plays_everything() -> None:
    choice = choose_from_settings("some-model", "--model", KEY)
    assert choice.model_for("reflection", own="mine") == choice.model_for("scene") == ""


def test_a_backend_without_models_is_asked_for_none() -> None:
    choice = choose_from_settings("rehearsal", "gm.yaml", KEY)
    assert choice.model_for("reflection", own="mine") == ""


OPENAI = {"OPENAI_API_KEY": "secret-key"}
OWN = {"OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        (KEY | OWN | OPENAI, ("claude-sonnet-5", "ANTHROPIC_API_KEY is set")),
        (
            OWN | OPENAI | {"GROQ_API_KEY": "g"},
            (
                "openai",
                "the first model of http://127.0.0.1:9, OPENAI_BASE_URL is set; --model openai:NAME names another",
            ),
        ),
        (OPENAI | {"GROQ_API_KEY": "g"}, ("openai:gpt-5.6-luna", "OPENAI_API_KEY is set; --model names another")),
        (
            {"GOOGLE_API_KEY": "g", "GROQ_API_KEY": "g"},
            ("gemini:gemini-3.5-flash-lite", "GOOGLE_API_KEY is set; --model names another"),
        ),
        (
            {"VLLM_API_KEY": "v"},
            (
                "rehearsal",
                "no ANTHROPIC_API_KEY and no other provider's key is set; VLLM_API_KEY is, for --model vllm:NAME",
            ),
        ),
    ],
    ids=["anthropic", "server", "openai", "order", "no default"],
)
def test_auto_takes_what_there_is_in_a_stated_order_and_says_why(
    environment: dict[str, str], expected: tuple[str, str]
) -> None:
    choice = choose("auto", environment)
    assert (choice.shown, choice.why) == expected


def test_a_server_that_was_named_answers_with_the_first_model_that_it_lists() -> None:
    note = Request("a", "scene", (Block("World."),), (("user", "And?"),), {"title": "Note", "type": "object"}, 500)
    with serving_chat(ChatApi(lambda _body: Said("{}"))) as api:
        answer = choose("auto", {"OPENAI_BASE_URL": api.url}).backend.ask(note)
    assert (answer.model, api.requests[0]["model"]) == ("loaded-one", "loaded-one")


def test_every_default_model_has_a_price_and_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "who-plays.md").read_text(encoding="utf-8").splitlines()
    for provider in providers().values():
        if provider.model:
            keys = " or ".join(f"`{key}`" for key in provider.keys)
            assert f"| `{provider.name}` | {keys} | `{provider.model}` |" in page
            assert Prices().for_call(provider.name, provider.model) is not None, provider.name


def test_models_of_other_providers_are_not_asked_at_the_one_that_auto_found() -> None:
    models = {"reflection": "claude-opus-5", "rating": "gpt-5-nano", "diary": "groq:openai/gpt-oss-20b"}
    choice = choose_backend("auto", "gm.yaml", Surroundings(environment=OPENAI, models=models))
    assert choice.why.endswith("; claude-opus-5, groq:openai/gpt-oss-20b: not asked there")
    assert [choice.model_for(purpose) for purpose in models] == ["", "gpt-5-nano", ""]
    assert choice.model_for("scene", own="gemini-3.5-flash") == ""
    assert choice.model_for("scene", own="openai:gpt-5.6-sol") == "openai:gpt-5.6-sol"


@pytest.mark.parametrize(
    ("environment", "resolved", "told"),
    [
        ({}, "rehearsal", False),
        (KEY, SETTINGS.model, False),
        (OPENAI, "openai:gpt-5.6-luna", False),
        ({"DEEPSEEK_API_KEY": "d"}, "deepseek:deepseek-v4-flash", True),
    ],
)
def test_what_auto_stands_for_is_known_without_a_backend(
    environment: dict[str, str], resolved: str, told: bool
) -> None:
    assert resolve_backend("auto", SETTINGS, environment) == resolved
    assert is_schema_told("auto", SETTINGS, environment) is told
    assert missing_key("auto", environment) == ""
    assert resolve_backend("qwen", SETTINGS, environment) == "qwen"
