"""Blind comparisons: pairs of texts, and what judges said about them."""

from __future__ import annotations

from dataclasses import dataclass

from gm.base.config import kinds
from gm.model.record import Key, Record

FIRST, SECOND, TIE = CHOICES = ("first", "second", "tie")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts to be compared; ``PAIR`` describes the attributes."""

    key: str
    item: str
    first: str
    second: str
    first_text: str
    second_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one judge said about one pair in one order; ``VERDICT`` describes the attributes."""

    pair: str
    judge: str
    swapped: bool = False
    choice: str
    reason: str = ""


PAIR = Record(
    Pair,
    "pair of texts",
    Key("key", kinds.words, "its name, such as day-002/1"),
    Key("item", kinds.words, "what is compared: a day, a scene, a question of an interview; resampled as a whole"),
    Key("first", kinds.words, "the condition of the first text; judges do not see it"),
    Key("second", kinds.words, "the condition of the second text"),
    Key("first_text", kinds.words, "the first text, its form taken off"),
    Key("second_text", kinds.words, "the second text"),
)
"""A line of ``pairs.jsonl``."""
VERDICT = Record(
    Verdict,
    "verdict",
    Key("pair", kinds.words, "the key of the pair"),
    Key("judge", kinds.words, "who judged: a model, or the name of a person"),
    Key("swapped", kinds.flag, "whether the second text was shown first", default=False),
    Key("choice", kinds.one_of(*CHOICES), "which text is better, as stored in the pair, not as it was shown"),
    Key("reason", kinds.text, "why, in a sentence", default="", brief=True),
)
"""A line of ``verdicts.jsonl``."""
