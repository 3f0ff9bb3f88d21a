"""The metadata of memories: keys and words that gm writes or reads; all others are a person's own."""

from __future__ import annotations

from dataclasses import replace

from gm.base.config import kinds
from gm.base.config.kinds import Kind
from gm.model.record import SKIP, Key, Record

NORMAL = "normal"
TIERS = ("pinned", "critical", "important", NORMAL, "low")
TOOL, BY_RULE, BY_GAME_MASTER = "tool", "heuristic", "gm"
"""A value of ``source``, and two of ``importance_by``."""
FINER_KINDS = ("emotional", "procedural", "semantic")
MADE_KINDS = (
    *("asked", "copied", "dialogue", "gifted", "goal_progress", "imported", "lesson", "plan", "plan-left", "replan"),
    *("summary", "association", "brief", "bystander", "feedback", "heard", "link", "missed", "read", *FINER_KINDS),
)
"""Values of ``kind`` that gm writes."""
ASKED, COPIED, DIALOGUE, GIFTED, GOAL_PROGRESS, IMPORTED, LESSON, PLAN, PLAN_LEFT, REPLAN, SUMMARY_KIND, *_ = MADE_KINDS
PERSON_KEYS = ("about", "with", "partner", "speaker", "maker")
DATE_KEYS = ("session_date", "date", "when", "datetime", "timestamp")


def _or(one: Kind, other: Kind) -> Kind:
    expected = f"{one.expected} or {other.expected}"
    return Kind(expected, lambda value: one.fits(value) or other.fits(value), {"anyOf": [one.schema, other.schema]})


_TEXT = kinds.text
_NUMBER = Kind("a number", kinds.is_number, {"type": "number"})
_LIST = Kind("a list", lambda value: isinstance(value, list), {"type": "array"})
_NAMES, _DATE = _or(_TEXT, _LIST), _or(_TEXT, _NUMBER)
_KEYS = (
    ("kind", _TEXT, f"a finer kind: your own word, or one of gm: {', '.join(MADE_KINDS)}"),
    ("title", _TEXT, "of a piece or summary"),
    ("artifact_path", _TEXT, "the piece that it is about"),
    ("style_tags", _LIST, "of the piece"),
    ("audience", _LIST, "who may know of the piece"),
    ("replaces", _NAMES, "the piece or memories that it stands for"),
    ("with", _NAMES, "partners of a talk; first summary made with it"),
    ("location", _TEXT, "of a talk"),
    ("lines", _or(_NUMBER, _LIST), "of a talk, how many; of the library, first and last"),
    ("exchange", _LIST, "lines of a talk, each with agent and text"),
    ("valence", _NUMBER, "how a talk felt, from -1 to 1"),
    ("facets", kinds.mapping, "from which importance was weighed"),
    ("importance_by", _TEXT, "gm = the Game Master; else importance.missing"),
    ("importance_given", _NUMBER, "before reflection.min_importance"),
    ("questions", _LIST, "that an insight answers"),
    ("from", _TEXT, "beginning of a summary; who asked"),
    ("to", _TEXT, "end of a summary; who was addressed"),
    ("speaker", _TEXT, "of an utterance"),
    ("turn", _NUMBER, "scene of an utterance, of all"),
    ("items", _LIST, "of a plan, with details"),
    ("alone", kinds.flag, "whether a plan wants no company"),
    ("instead", _LIST, "items that a changed plan leaves out"),
    ("post", _TEXT, "of the board"),
    ("thread", _TEXT, "the missed appointment"),
    ("source", _TEXT, "tool = a memory tool; else a text of the library"),
    ("links", _LIST, "ids of two memories"),
    ("origin", _TEXT, "first memory of a chain of copies"),
    ("lived", _TEXT, "when a copied memory was lived"),
    ("details", kinds.mapping, "metadata of the copied memory"),
    ("original", _TEXT, "description before a lens"),
    ("original_importance", _NUMBER, "before a lens"),
    ("original_valence", _NUMBER, "before a lens"),
    ("lens", _LIST, "names of the lenses"),
    ("gift", _TEXT, "digest of a seed memory; one that it does not fit is by hand and stays"),
    ("preseeded", kinds.flag, "of seeds.lessons"),
    ("type", _TEXT, "of a seed memory"),
    ("category", _TEXT, "of a seed memory"),
    ("about", _NAMES, "whom or what it is about"),
    ("canonical", _LIST, "questions or words that find it"),
    ("entry", _NUMBER, "of an imported book"),
    ("migrated_from", _TEXT, "page of a lesson"),
    ("key", _TEXT, "of the lesson"),
    ("goal", _TEXT, "id of the goal"),
    ("event", _TEXT, "of the goal"),
    *((name, _NAMES, "whom recall finds it by") for name in ("partner", "maker")),
    *((name, _DATE, "by which recall finds it") for name in ("session", *DATE_KEYS)),
)
_COPY = replace(_TEXT, expected="the id of a memory")
METADATA: Record[dict[str, object]] = Record(
    dict,
    "metadata",
    *(Key(name, kind, sentence, SKIP) for name, kind, sentence in _KEYS),
    Key("copied_from", _COPY, "write an id like vera-042", SKIP, code="copy-source"),
    Key("tier", kinds.word(*TIERS), "any other word counts as normal", SKIP, code="tier-unknown"),
    code="metadata-type",
)
"""Nothing is read through it: metadata are a plain mapping."""
