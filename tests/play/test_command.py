"""What can be written between two scenes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.base.errors import UsageError
from gm.play.command import BY_KEY, BY_NAME, CHOICES, Command, parse_command, split_addressees, split_time


def test_every_choice_has_a_name_and_a_key_of_its_own() -> None:
    assert len(BY_NAME) == len(BY_KEY) == len(CHOICES)
    assert all(len(choice.key) == 1 for choice in CHOICES)


def test_a_command_is_a_name_and_the_rest_of_the_line() -> None:
    assert parse_command("  brief  Mehr Asche, weniger Text. \n") == Command("brief", "Mehr Asche, weniger Text.")
    assert parse_command("continue") == Command("continue")


def test_a_key_stands_for_its_command_as_the_list_of_commands_shows_it() -> None:
    assert parse_command("?") == Command("help")
    assert parse_command("b  More ash.") == Command("brief", "More ash.")
    assert all(parse_command(choice.key) == Command(choice.name) for choice in CHOICES if not choice.wants)


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("contine", "no command 'contine'"),
        ("Brief Text", "no command 'Brief'"),
        ("brief", "brief lacks its text"),
        ("continue now", "continue takes no text"),
        ("replay", "needs a note"),
        ("replay   ", "needs a note"),
        ("post \udcff", "not UTF-8"),
    ],
)
def test_a_line_that_is_no_command_is_named(line: str, match: str) -> None:
    with pytest.raises(UsageError, match=match) as caught:
        parse_command(line)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "names", "rest"),
    [
        ("vera,tobi Der Turm", ("vera", "tobi"), "Der Turm"),
        ("vera , tobi,emre", ("vera", "tobi", "emre"), ""),
        ("Vera: Was nun?", ("Vera",), "Was nun?"),
    ],
)
def test_names_come_first_with_commas_between_them(text: str, names: tuple[str, ...], rest: str) -> None:
    assert split_addressees(text) == (names, rest)


def test_a_text_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="no name"):
        split_addressees(", ,")


def test_an_event_has_a_time_and_a_text() -> None:
    assert split_time("noon  Feueralarm im Hof") == ("noon", "Feueralarm im Hof")
    for text in ("mittags Feueralarm", "noon", "noon  "):
        with pytest.raises(UsageError, match="a time and a text"):
            split_time(text)


@given(st.text())
def test_any_line_is_a_command_or_a_mistake_that_is_explained(line: str) -> None:
    try:
        command = parse_command(line)
    except UsageError as error:
        assert error.hint
    else:
        assert bool(command.text) == bool(BY_NAME[command.name].wants)
