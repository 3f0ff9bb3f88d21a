"""Sentences that keep what they are made of."""

import copy
import pickle
from collections.abc import Callable

import pytest

from gm.base.errors import BrokenWorldError, GmError, Problem, Sentence, say


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_sentence_is_a_text_that_keeps_its_template_and_values(again: Callable[[GmError], GmError]) -> None:
    error = again(GmError(say("{name} has {part}, {count}", "{part}", say("a {kind}", "key"), 2)))
    assert error.message == str(error) == "{part} has a key, 2"
    assert isinstance(error.message, Sentence)
    assert error.message.sentence == "{name} has {part}, {count}"
    assert error.message.values == {"name": "{part}", "part": "a key", "count": "2"}
    part = error.message.values["part"]
    assert isinstance(part, Sentence)
    assert (part.sentence, part.values) == ("a {kind}", {"kind": "key"})


def test_a_sentence_has_a_value_for_each_name() -> None:
    with pytest.raises(ValueError, match="zip"):
        say("{name} has {part}", "x")


def test_the_text_of_an_error_about_files_holds_the_first_place() -> None:
    places = [Problem(f"state/{name}.json", 3, 1, "error", "x", "day is missing") for name in "abc"]
    assert str(BrokenWorldError("files cannot be read")) == "files cannot be read"
    first = "files cannot be read: state/a.json:3:1: day is missing"
    assert str(BrokenWorldError("files cannot be read", "", places[:1])) == first
    assert str(BrokenWorldError("files cannot be read", "", places)) == f"{first}, and 2 more"
