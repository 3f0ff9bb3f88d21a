"""Lenses: how a character distorts its memories (document 000, "Semantic Distortion Filters").

A lens bends what is stored (formation), how it reads in a prompt (retrieval), or what the present calls up
(association). Its words are literal, or beginnings with ``*``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gm.base.casefold import casefold, composed
from gm.base.config import Settings, kinds
from gm.base.errors import say_unexpected
from gm.base.texts import quoted
from gm.model.node import Node
from gm.model.record import Key, Record, RecordError, nested
from gm.model.world import Agent

FORMATION, RETRIEVAL, ASSOCIATION = "formation", "retrieval", "association"
PLACES = (FORMATION, RETRIEVAL, ASSOCIATION)
WORD = re.compile(r"\w+")
_SENTENCE_END = '.!?…:»«"„“”'


@dataclass(frozen=True, slots=True)
class Lens:
    """One way of bending memories.

    Attributes:
        tags: A memory with one of them, or one of ``words``, is bent; both empty = all.
        words: A ``*`` at the end stands for any ending.
        replace: Replacements by folded word, or by the beginning of one with ``*``.
        importance: Added, from -9 to 9.
        valence: Added, from -2 to 2.
        by: The boost, as a part of the best score.
    """

    at: str
    name: str = ""
    tags: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    replace: Mapping[str, str] = field(default_factory=dict)
    add: str = ""
    importance: int = 0
    valence: float = 0.0
    boost: tuple[str, ...] = ()
    by: float = 0.5

    def concerns(self, text: str, tags: Iterable[str]) -> bool:
        if not self.tags and not self.words:
            return True
        if self.tags and not {casefold(tag) for tag in tags}.isdisjoint(self.tags):
            return True
        return bool(self.words) and any(_find(casefold(word), self.words) for word in WORD.findall(composed(text)))

    def apply(self, text: str) -> str:
        whole = composed(text)

        def bend(match: re.Match[str]) -> str:
            found = _find(casefold(match[0]), self.replace)
            if not found:
                return match[0]
            instead = self.replace[found]
            is_first = match[0][0].isupper() and _begins_sentence(whole, match.start())
            return instead[:1].upper() + instead[1:] if is_first else instead

        bent = " ".join(WORD.sub(bend, whole).split()) if self.replace else text
        return f"{bent} {self.add}" if self.add else bent


@dataclass(frozen=True, slots=True)
class Bent:
    """A memory as stored; its metadata keeps the original."""

    description: str
    importance: int
    metadata: Mapping[str, object]


def form_through(
    description: str, importance: int, tags: Sequence[str], metadata: Mapping[str, object], lenses: Sequence[Lens]
) -> Bent:
    """Bend a memory while it is formed; its original text stays in ``metadata.original``.

    Args:
        importance: From 1 to 10.
        metadata: Its ``valence`` may be bent.
        lenses: Those of other kinds are ignored.
    """
    text, weight, names = description, importance, []
    felt = metadata.get("valence")
    valence = float(felt) if kinds.is_number(felt) else None
    before = valence
    for lens in lenses:
        if lens.at != FORMATION or not lens.concerns(description, tags):
            continue
        changed = (
            lens.apply(text),
            min(10, max(1, weight + lens.importance)),
            None if valence is None else round(min(1.0, max(-1.0, valence + lens.valence)), 2),
        )
        if changed != (text, weight, valence):
            text, weight, valence = changed
            names.append(lens.name)
    if not names:
        return Bent(description, importance, metadata)
    kept = {
        **metadata,
        **({"valence": valence} if valence is not None else {}),
        "original": description,
        **({"original_importance": importance} if weight != importance else {}),
        **({"original_valence": before} if valence != before else {}),
        "lens": names,
    }
    return Bent(text, weight, kept)


def read_through(node: Node, lenses: Sequence[Lens]) -> tuple[str, tuple[str, ...]]:
    """Return a memory's text for a prompt, and the lenses that changed it."""
    text, names = node.description, []
    for lens in lenses:
        if lens.at == RETRIEVAL and lens.concerns(node.description, node.tags):
            bent = lens.apply(text)
            if bent != text:
                text = bent
                names.append(lens.name)
    return text, tuple(names)


def original_text(node: Node) -> str:
    """Return a memory's text before a lens bent it."""
    return node.original or node.description


def boosts_of(text: str, lenses: Sequence[Lens]) -> dict[str, float]:
    """Return the boosts of tags that a text sets off."""
    found: dict[str, float] = {}
    for lens in lenses:
        if lens.at == ASSOCIATION and lens.concerns(text, WORD.findall(text)):
            for tag in lens.boost:
                found[tag] = found.get(tag, 0.0) + lens.by
    return found


def _find(word: str, known: Iterable[str]) -> str:
    if word in known:
        return word
    stems = (stem for stem in known if stem.endswith("*") and word.startswith(stem[:-1]))
    return max(stems, key=len, default="")


def _begins_sentence(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return not start or text[start - 1] in _SENTENCE_END


MOST_WORDS, MOST_CHARACTERS = 200, 300
CODE = "lens-form"


def _is_word(value: object) -> bool:
    return isinstance(value, str) and WORD.fullmatch(composed(value).removesuffix("*")) is not None


def _is_replacement(pair: tuple[object, object]) -> bool:
    word, instead = pair
    return _is_word(word) and isinstance(instead, str) and len(instead) <= MOST_CHARACTERS


_TEXT = kinds.Kind(
    f"a text of at most {MOST_CHARACTERS} characters",
    lambda value: isinstance(value, str) and len(value) <= MOST_CHARACTERS,
    {"type": "string", "maxLength": MOST_CHARACTERS},
    keep=lambda value: " ".join(value.split()),
)
_FOLDED = kinds.list_of(replace(kinds.words, keep=casefold), "a list of texts")
_WORDS = kinds.list_of(
    kinds.Kind("a word", _is_word, {"type": "string"}, keep=lambda value: casefold(composed(value))),
    "a list of single words; with * for a beginning: hesitat*",
)
_REPLACEMENTS = kinds.Kind(
    f"a mapping of at most {MOST_WORDS} single words to texts",
    lambda value: isinstance(value, dict) and len(value) <= MOST_WORDS and all(map(_is_replacement, value.items())),
    {"type": "object", "additionalProperties": _TEXT.schema, "maxProperties": MOST_WORDS},
    keep=lambda value: {casefold(word): " ".join(instead.split()) for word, instead in value.items()},
    item=kinds.Kind("a word and a text", _is_replacement, {}),
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
    values.pop("who", None)  # ``lenses_of`` has decided who it holds for
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
    own = agent.front_values.lenses
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
        message = say_unexpected("lenses", quoted(value), "a list")
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
