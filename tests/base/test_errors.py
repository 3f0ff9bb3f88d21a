"""Sentences that keep what they are made of."""

import copy
import pickle
from collections.abc import Callable

import pytest

from gm.base.errors import GmError, Sentence, say


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
