"""Pairs, verdicts and what they were made with as lines, and the reply of a judge."""

import json

import pytest

from gm.ask.reply.parse import parse_reply
from gm.model.judgement import Judgement
from gm.model.record import RecordError
from gm.model.verdict import CHOICES, COMPARISON, PAIR, SIDES, TURNED, VERDICT, Pair, PairComparison, PairSides, Verdict

ONE = Pair(key="day-001/1", item="day-001", first="a", second="b", first_text="Eins.", second_text="Zwei.")
SAID = Verdict(pair="day-001/1", judge="anna", swapped=True, choice="tie")
WHOSE = PairSides(pair="day-001/1", first="a", second="b")
HOW = PairComparison(what="day", worlds=("a=../a", "b=../b"), most=3, seed=2, language="de", question="Was?")


def test_each_is_written_and_read_back() -> None:
    assert PAIR.read(json.loads(PAIR.render(ONE))) == ONE
    assert SIDES.read(json.loads(SIDES.render(WHOSE))) == WHOSE
    assert VERDICT.read(json.loads(VERDICT.render(SAID))) == SAID
    assert COMPARISON.read(COMPARISON.write(HOW)) == HOW
    assert VERDICT.render(SAID) == '{"pair": "day-001/1", "judge": "anna", "swapped": true, "choice": "tie"}'


def test_a_choice_that_is_none_is_named() -> None:
    with pytest.raises(RecordError, match=r'choice is "both", expected one of first, second, tie'):
        VERDICT.read({"pair": "x", "judge": "y", "choice": "both"})
    with pytest.raises(RecordError, match="first_text is"):
        PAIR.read({**PAIR.write(ONE), "first_text": " "})


def test_a_choice_is_turned_once_and_back() -> None:
    assert [TURNED[TURNED[choice]] for choice in CHOICES] == [*CHOICES]


@pytest.mark.parametrize(("better", "read"), [("first", "first"), (" Second ", "second"), ("TIE", "tie")])
def test_a_judge_may_write_a_verdict_in_capitals(better: str, read: str) -> None:
    parsed = parse_reply(json.dumps({"reason": "So.", "better": better}), Judgement)
    assert parsed.reply is not None
    assert parsed.reply.better == read


@pytest.mark.parametrize(
    "reply", ['{"better": "first"}', '{"reason": "So.", "better": 1}', '{"reason": "", "better": "tie"}']
)
def test_a_reply_without_reason_or_verdict_is_a_problem(reply: str) -> None:
    assert parse_reply(reply, Judgement).problems
