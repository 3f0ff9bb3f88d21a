"""Blind comparisons: pairs of texts, and what judges said about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from gm.base.config import kinds
from gm.model.record import Key, Record

Better = Literal["first", "second", "tie"]
CHOICES: tuple[Better, ...] = get_args(Better)
FIRST, SECOND, TIE = CHOICES
Compared = Literal["day", "scene", "interview"]
COMPARED: tuple[Compared, ...] = get_args(Compared)
DAY, SCENE, INTERVIEW = COMPARED
TURNED: Mapping[Better, Better] = {FIRST: SECOND, SECOND: FIRST, TIE: TIE}
"""Maps a choice made with the texts swapped to the order of the pair, and back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts to be compared; ``PAIR`` describes the attributes."""

    key: str
    item: str
    first: str = ""
    second: str = ""
    first_text: str
    second_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSides:
    """The conditions of a pair; ``SIDES`` describes the attributes."""

    pair: str
    first: str
    second: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one judge said about one pair in one order; ``VERDICT`` describes the attributes."""

    pair: str
    judge: str
    swapped: bool = False
    choice: Better
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairComparison:
    """How the pairs of a folder were made; ``COMPARISON`` describes the attributes."""

    what: Compared
    worlds: tuple[str, ...]
    most: int = 0
    seed: int = 0
    language: str
    question: str
    made_with: tuple[str, ...] = ()
    identical: int = 0


PAIR = Record(
    Pair,
    "pair of texts",
    Key("key", kinds.words, "its name, such as day-002/1"),
    Key("item", kinds.words, "what is compared: a day, scene or question, as run-2/day-001; resampled as a whole"),
    Key("first", kinds.words, "the condition of the first text, in folders without key.json", default="", brief=True),
    Key("second", kinds.words, "the condition of the second text, likewise", default="", brief=True),
    Key("first_text", kinds.words, "the first text, its form taken off"),
    Key("second_text", kinds.words, "the second text"),
)
"""A line of ``pairs.jsonl``. The conditions stand in ``key.json``; in older folders, here."""
SIDES = Record(
    PairSides,
    "conditions of a pair",
    Key("pair", kinds.words, "the key of the pair"),
    Key("first", kinds.words, "the condition of the first text; judges do not see it"),
    Key("second", kinds.words, "the condition of the second text"),
)
"""An item of ``key.json``."""
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
COMPARISON = Record(
    PairComparison,
    "comparison",
    Key("what", kinds.one_of(*COMPARED), "what is compared"),
    Key("worlds", kinds.texts, "conditions and their worlds, as NAME=WORLD"),
    Key("most", kinds.whole(0), "pairs, at most; 0 = all", default=0),
    Key("seed", kinds.whole(0), "draws the pairs, and which text of each is first", default=0),
    Key("language", kinds.words, "the language of the texts, in which judges are asked"),
    Key("question", kinds.words, "what judges are asked"),
    Key("made_with", kinds.texts, "the models that wrote the texts; empty = not known", default=()),
    Key("identical", kinds.whole(0), "pairs left out, as their texts are the same", default=0, brief=True),
)
"""``comparison.json``: the arguments that the pairs were made with."""
