"""Read lenses from the plain data of YAML, with their mistakes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from gm.base.casefold import casefold, composed
from gm.base.config import Settings, kinds
from gm.base.config.kinds import Kind
from gm.base.errors import say_unexpected
from gm.base.texts import shown
from gm.memory.lens import ASSOCIATION, FORMATION, PLACES, RETRIEVAL, WORD, Lens
from gm.model.character import Agent
from gm.model.record import Key, Record, RecordError, nested

MOST_WORDS, MOST_CHARACTERS = 200, 300
CODE = "lens-form"


def _is_word(value: object) -> bool:
    return isinstance(value, str) and WORD.fullmatch(composed(value).removesuffix("*")) is not None


def _is_replacement(pair: tuple[object, object]) -> bool:
    word, instead = pair
    return _is_word(word) and isinstance(instead, str) and len(instead) <= MOST_CHARACTERS


_TEXT = Kind(
    f"a text of at most {MOST_CHARACTERS} characters",
    lambda value: isinstance(value, str) and len(value) <= MOST_CHARACTERS,
    {"type": "string", "maxLength": MOST_CHARACTERS},
    keep=lambda value: " ".join(value.split()),
)
_FOLDED = kinds.list_of(replace(kinds.words, keep=casefold), "a list of texts")
_WORDS = kinds.list_of(
    Kind("a word", _is_word, {"type": "string"}, keep=lambda value: casefold(composed(value))),
    "a list of single words; with * for a beginning: hesitat*",
)
_REPLACEMENTS = Kind(
    f"a mapping of at most {MOST_WORDS} single words to texts",
    lambda value: isinstance(value, dict) and len(value) <= MOST_WORDS and all(map(_is_replacement, value.items())),
    {"type": "object", "additionalProperties": _TEXT.schema, "maxProperties": MOST_WORDS},
    keep=lambda value: {casefold(word): " ".join(instead.split()) for word, instead in value.items()},
    item=Kind("a word and a text", _is_replacement, {}),
)
_WHEN = Record(
    dict[str, tuple[str, ...]],
    "when",
    Key("tags", _FOLDED, "memories that carry one of these tags", default=()),
    Key("words", _WORDS, "memories that hold one of these words", default=()),
    code=CODE,
    closed=True,
)
_BOOST = Record(
    lambda tags, by: {"boost": tags, "by": by},
    "boost",
    Key("tags", replace(_FOLDED, fits=lambda value: bool(value) and _FOLDED.fits(value)), "tags of these memories"),
    Key("by", kinds.between(0, 10), "by how much, as a part of the score of the best", default=0.5),
    code=CODE,
    closed=True,
)


def _lens(when: Mapping[str, object], boost: Mapping[str, object] | None = None, **values: object) -> Lens:
    values.pop("who", None)  # ``lenses_of`` has decided for whom it holds
    return Lens(**values, **when, **(boost or {}))  # type: ignore[arg-type]  # the record has checked the values


_CHANGES = {
    FORMATION: ("replace", "add", "importance", "valence"),
    RETRIEVAL: ("replace", "add"),
    ASSOCIATION: ("boost",),
}
_KEYS = (
    Key("at", kinds.word(*PLACES), "where it bends: what is stored, how it reads in a prompt, what comes to mind"),
    Key("name", _TEXT, "what it is called where it is named", default=""),
    Key("when", nested(_WHEN), "which memories it bends; absent = all", default={}),
    Key(
        "replace",
        _REPLACEMENTS,
        'words, each with what stands instead: {"good": "all right", "succe*": "passable"}',
        default={},
        only=(FORMATION, RETRIEVAL),
    ),
    Key("add", _TEXT, "a sentence at the end", default="", only=(FORMATION, RETRIEVAL)),
    Key("importance", kinds.whole(-9, 9), "what is added to importance", default=0, only=(FORMATION,)),
    Key("valence", kinds.between(-2, 2), "what is added to how it felt", default=0.0, only=(FORMATION,)),
    Key("boost", nested(_BOOST), "memories that come up more easily", default=None, only=(ASSOCIATION,)),
)


LENS = Record(_lens, "a lens", *_KEYS, code=CODE, variant="at", closed=True)
"""An item of ``lenses`` in a persona."""
_WHO = Key("who", _FOLDED, "ids of those for whom it holds; absent = all", default=())
SHARED_LENS = Record(_lens, "a lens", *_KEYS, _WHO, code=CODE, variant="at", closed=True)
"""An item of ``lenses`` in ``gm.yaml``."""


def lenses_of(settings: Settings, agent: Agent) -> tuple[Lens, ...]:
    """Return a character's valid lenses: its persona's, then the world's."""
    own = agent.told.lenses
    if own is None and not settings.lenses:
        return ()
    lenses, _ = parse_lenses(own or [])
    shared = [item for item in settings.lenses if _is_for(item, agent.id)]
    return (*lenses, *parse_lenses(shared, shared=True)[0])


def _is_for(item: Mapping[str, object], agent: str) -> bool:
    who = item.get("who")
    return who is None or (isinstance(who, list) and casefold(agent) in {casefold(str(name)) for name in who})


def parse_lenses(value: object, *, shared: bool = False) -> tuple[tuple[Lens, ...], list[RecordError]]:
    """Return the valid lenses of a YAML list, and the mistakes of the others.

    ``shared`` lists, that of ``gm.yaml``, may say ``who``.
    """
    if not isinstance(value, list):
        message = say_unexpected("lenses", shown(value), "a list")
        return (), [RecordError((), CODE, message, "write - at: formation …")]
    record = SHARED_LENS if shared else LENS
    lenses, problems = [], []
    for number, item in enumerate(value):
        found = [error.inside(number) for error in record.problems(item)]
        if not found and not any(key in item for key in _CHANGES[item["at"]]):
            hint = "write one of: " + ", ".join(_CHANGES[item["at"]])
            found = [RecordError((number,), CODE, "this lens changes nothing", hint)]
        if not found:
            lens = record.read(item)
            lenses.append(replace(lens, name=lens.name or f"{lens.at} {number + 1}"))
        problems += found
    return tuple(lenses), problems
