"""Lenses: how a character bends what it remembers (document 000, "Semantic Distortion Filters"; S0-48).

A lens is data, an item of ``lenses`` in the front matter of a persona or in ``gm.yaml``. Three kinds::

    lenses:
      - at: formation            # what is stored is bent; the original stays in metadata.original
        name: schwarzseher
        when: {tags: [finn], words: [lob*]}
        replace: {gut: "ganz in Ordnung", "gelung*": "leidlich geraten"}
        add: "Das wird sich rächen."
        importance: -2
        valence: -0.3
      - at: retrieval            # only how it reads in a prompt; never stored
        replace: {streit: auseinandersetzung}
      - at: association          # what the present reminds of brings other memories up
        when: {words: [turm*]}
        boost: {tags: [vera], by: 0.5}

Words are literal, or the beginning of a word with ``*`` behind it: nothing in a lens is a pattern, a template or code.
Document 000 wants texts back from bent vectors; a text that is bent as text needs no inversion.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.config import Settings
from gm.model.character import Agent
from gm.model.fold import fold
from gm.model.node import Node

FORMATION, RETRIEVAL, ASSOCIATION = "formation", "retrieval", "association"
PLACES = (FORMATION, RETRIEVAL, ASSOCIATION)
MOST_WORDS, MOST_CHARACTERS = 200, 300
_WORD = re.compile(r"\w+")
_SENTENCE_END = '.!?…:»«"„“”'


@dataclass(frozen=True, slots=True)
class Lens:
    """One way in which somebody bends memories.

    Attributes:
        at: formation, retrieval or association.
        name: What it is called where it is named.
        tags: A memory that carries one of them is bent, and one that holds one of ``words``; both empty = every one.
        words: As above; a ``*`` at the end stands for any ending.
        replace: Word by folded word, or by the beginning of one with ``*``.
        add: A sentence at the end.
        importance: What is added to importance, from -9 to 9.
        valence: What is added to how it felt, from -2 to 2.
        boost: Tags of the memories that come up more easily.
        by: By how much, as a part of the score of the best.
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
        """Tell whether it bends a memory, or is set off by what the present is about."""
        if not self.tags and not self.words:
            return True
        if self.tags and not {fold(tag) for tag in tags}.isdisjoint(self.tags):
            return True
        return bool(self.words) and any(_find(fold(word), self.words) for word in _WORD.findall(_composed(text)))

    def apply(self, text: str) -> str:
        """Bend a text: each word that it names is replaced, and its sentence is added."""
        composed = _composed(text)

        def bend(match: re.Match[str]) -> str:
            found = _find(fold(match[0]), self.replace)
            if not found:
                return match[0]
            instead = self.replace[found]
            is_first = match[0][0].isupper() and _begins_sentence(composed, match.start())
            return instead[:1].upper() + instead[1:] if is_first else instead

        bent = " ".join(_WORD.sub(bend, composed).split()) if self.replace else text
        return f"{bent} {self.add}" if self.add else bent


@dataclass(frozen=True, slots=True)
class LensProblem:
    """What is wrong with a lens: where in the list, what was found and expected, what to do."""

    keys: tuple[str | int, ...]
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Bent:
    """A memory as it is stored, and what was said about it before it was bent: keys of its metadata."""

    description: str
    importance: int
    metadata: Mapping[str, Any]


def lenses_of(settings: Settings, agent: Agent) -> tuple[Lens, ...]:
    """Give the lenses of a character: its persona's, then the world's. Those that make no sense are left out."""
    own = agent.persona.front.get("lenses") if agent.persona else None
    if own is None and not settings.lenses:
        return ()
    lenses, _ = parse_lenses(own or [])
    shared = [item for item in settings.lenses if _is_for(item, agent.id)]
    return (*lenses, *parse_lenses(shared, shared=True)[0])


def _is_for(item: Mapping[str, Any], agent: str) -> bool:
    who = item.get("who")
    return who is None or (isinstance(who, list) and fold(agent) in {fold(str(name)) for name in who})


def form_through(
    description: str, importance: int, tags: Sequence[str], metadata: Mapping[str, Any], lenses: Sequence[Lens]
) -> Bent:
    """Bend a memory while it is formed; what was bent keeps its original text in ``metadata.original``.

    Args:
        description: What happened.
        importance: From 1 to 10.
        tags: Its tags.
        metadata: What else is known of it; ``valence`` may be bent.
        lenses: All lenses of the character; those of other kinds are passed over.
    """
    text, weight, names = description, importance, []
    felt = metadata.get("valence")
    valence = float(felt) if isinstance(felt, int | float) and not isinstance(felt, bool) else None
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
    """Give the text of a memory as a character reads it, and the names of the lenses that changed it."""
    text, names = node.description, []
    for lens in lenses:
        if lens.at == RETRIEVAL and lens.concerns(node.description, node.tags):
            bent = lens.apply(text)
            if bent != text:
                text = bent
                names.append(lens.name)
    return text, tuple(names)


def original_text(node: Node) -> str:
    """Give the text of a memory before a lens bent it."""
    original = node.metadata.get("original")
    return original if isinstance(original, str) else node.description


def boosts_of(text: str, lenses: Sequence[Lens]) -> dict[str, float]:
    """Tell which tags come up more easily when somebody is reminded by a text, and by how much."""
    found: dict[str, float] = {}
    for lens in lenses:
        if lens.at == ASSOCIATION and lens.concerns(text, _WORD.findall(text)):
            for tag in lens.boost:
                found[tag] = found.get(tag, 0.0) + lens.by
    return found


# -- reading -------------------------------------------------------------------------------------------


def parse_lenses(value: object, *, shared: bool = False) -> tuple[tuple[Lens, ...], list[LensProblem]]:
    """Read a list of lenses.

    Args:
        value: The list, as YAML gives it.
        shared: Whether it stands in ``gm.yaml``, where ``who`` names for whom it holds.

    Returns:
        Those that make sense, and what is wrong with the others.
    """
    if not isinstance(value, list):
        return (), [LensProblem((), f"lenses is {_shown(value)}, expected a list", "write - at: formation …")]
    lenses, problems = [], []
    for number, item in enumerate(value):
        found: list[LensProblem] = []
        lens = _parse(item, number, found, shared=shared)
        problems += [LensProblem((number, *problem.keys), problem.message, problem.hint) for problem in found]
        if not found and lens is not None:
            lenses.append(lens)
    return tuple(lenses), problems


_KEYS = {
    FORMATION: ("replace", "add", "importance", "valence"),
    RETRIEVAL: ("replace", "add"),
    ASSOCIATION: ("boost",),
}


def _parse(item: object, number: int, problems: list[LensProblem], *, shared: bool) -> Lens | None:
    if not isinstance(item, dict):
        problems.append(LensProblem((), f"{_shown(item)} found, expected a lens", "write {at: formation, replace: …}"))
        return None
    at = item.get("at")
    if at not in PLACES:
        problems.append(LensProblem(("at",) if "at" in item else (), f"at is {_shown(at)}, expected one of "
                                    + ", ".join(PLACES)))  # fmt: skip
        return None
    known = ("at", "name", "when", *_KEYS[at], *(("who",) if shared else ()))
    for key in item:
        if key not in known:
            hint = f"a lens at {at} has: " + ", ".join(known)
            problems.append(LensProblem((str(key),), f"{key!r} means nothing in a lens at {at}", hint))
    if not any(key in item for key in _KEYS[at]):
        problems.append(LensProblem((), "this lens changes nothing", "write one of: " + ", ".join(_KEYS[at])))
    when = _map(item, "when", problems)
    _only(when, ("tags", "words"), "when", problems)
    boost = _map(item, "boost", problems)
    _only(boost, ("tags", "by"), "boost", problems)
    if shared and "who" in item:
        _texts(item, "who", (), problems)
    return Lens(
        at,
        _text(item, "name", problems) or f"{at} {number + 1}",
        tuple(fold(tag) for tag in _texts(when, "tags", ("when",), problems)),
        tuple(fold(word) for word in _words(_texts(when, "words", ("when",), problems), ("when", "words"), problems)),
        _replacements(item, problems),
        _text(item, "add", problems),
        int(_number(item, "importance", -9, 9, (), problems, whole=True)),
        _number(item, "valence", -2, 2, (), problems),
        tuple(fold(tag) for tag in _texts(boost, "tags", ("boost",), problems, needed="boost" in item)),
        _number(boost, "by", 0, 10, ("boost",), problems, default=0.5),
    )


def _replacements(item: Mapping[Any, Any], problems: list[LensProblem]) -> dict[str, str]:
    found = {}
    for word, instead in _map(item, "replace", problems).items():
        keys = ("replace", str(word))
        if not isinstance(word, str) or not isinstance(instead, str) or len(instead) > MOST_CHARACTERS:
            message = f"{_shown(word)} is to become {_shown(instead)}, expected words"
            problems.append(LensProblem(keys, message, 'put both in quotes: "gut": "ganz in Ordnung"'))
        elif _words([word], keys, problems, place=False):
            found[fold(word)] = " ".join(instead.split())
    if len(found) > MOST_WORDS:
        problems.append(LensProblem(("replace",), f"{len(found)} words, expected at most {MOST_WORDS}"))
    return found


def _words(
    words: Sequence[str], keys: tuple[str | int, ...], problems: list[LensProblem], *, place: bool = True
) -> Sequence[str]:
    """Keep what is one word, or the beginning of one."""
    good = []
    for number, word in enumerate(words):
        if _WORD.fullmatch(_composed(word).removesuffix("*")):
            good.append(_composed(word))
        else:
            hint = "write a single word; with * for its beginning: zöger*"
            problems.append(LensProblem((*keys, *((number,) if place else ())), f"{word!r:.60} is not one word", hint))
    return good


def _map(item: Mapping[Any, Any], key: str, problems: list[LensProblem]) -> Mapping[Any, Any]:
    value = item.get(key, {})
    if isinstance(value, dict):
        return value
    problems.append(LensProblem((key,), f"{key} is {_shown(value)}, expected a mapping"))
    return {}


def _only(item: Mapping[Any, Any], known: tuple[str, ...], where: str, problems: list[LensProblem]) -> None:
    for key in item:
        if key not in known:
            hint = "there are: " + ", ".join(known)
            problems.append(LensProblem((where, str(key)), f"{key!r} means nothing in {where}", hint))


def _texts(
    item: Mapping[Any, Any],
    key: str,
    before: tuple[str, ...],
    problems: list[LensProblem],
    *,
    needed: bool = False,
) -> list[str]:
    value = item.get(key, [])
    if isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value) and (value or not needed):
        return value
    keys = (*before, key) if key in item else before
    problems.append(LensProblem(keys, f"{key} is {_shown(value)}, expected a list of texts"))
    return []


def _text(item: Mapping[Any, Any], key: str, problems: list[LensProblem]) -> str:
    value = item.get(key, "")
    if isinstance(value, str) and len(value) <= MOST_CHARACTERS:
        return " ".join(value.split())
    problems.append(LensProblem((key,), f"{key} is {_shown(value)}, expected a text of at most {MOST_CHARACTERS}"))
    return ""


def _number(
    item: Mapping[Any, Any],
    key: str,
    low: float,
    high: float,
    before: tuple[str, ...],
    problems: list[LensProblem],
    *,
    default: float = 0.0,
    whole: bool = False,
) -> float:
    value = item.get(key, default)
    fits = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    if fits and not (whole and key in item and not isinstance(value, int)):
        return float(value)
    kind = "a whole number" if whole else "a number"
    problems.append(LensProblem((*before, key), f"{key} is {_shown(value)}, expected {kind} from {low} to {high}"))
    return default


def _find(word: str, known: Iterable[str]) -> str:
    """Find a folded word among known ones: itself, else the longest beginning that is marked with a star."""
    if word in known:
        return word
    stems = (stem for stem in known if stem.endswith("*") and word.startswith(stem[:-1]))
    return max(stems, key=len, default="")


def _begins_sentence(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return not start or text[start - 1] in _SENTENCE_END


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _shown(value: object) -> str:
    return f"{value!r:.60}"
