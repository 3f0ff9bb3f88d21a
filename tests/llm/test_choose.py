"""Who answers, and why."""

from __future__ import annotations

import pytest

from gm.base.errors import BackendError
from gm.llm.base import Surroundings
from gm.llm.choose import Choice, choose_backend

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
    assert found == ("rehearsal", "rehearsal", "no ANTHROPIC_API_KEY and no ANTHROPIC_BASE_URL is set")


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
    assert "--model" in caught.value.hint


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
    assert "--model rehearsal" in caught.value.hint


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


def test_a_model_that_is_named_on_the_command_line_plays_everything() -> None:
    choice = choose_from_settings("some-model", "--model", KEY)
    assert choice.model_for("reflection", own="mine") == choice.model_for("scene") == ""


def test_a_backend_without_models_is_asked_for_none() -> None:
    choice = choose_from_settings("rehearsal", "gm.yaml", KEY)
    assert choice.model_for("reflection", own="mine") == ""
