"""Lenses as people write them: plain data of YAML into lenses, with everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.config import Settings
from gm.memory.lens import ASSOCIATION, FORMATION, PLACES, RETRIEVAL, WORD, Lens, composed
from gm.model.character import Agent
from gm.model.fold import fold

MOST_WORDS, MOST_CHARACTERS = 200, 300


@dataclass(frozen=True, slots=True)
class LensProblem:
    """What is wrong with a lens: where in the list, what was found and expected, what to do."""

    keys: tuple[str | int, ...]
    message: str
    hint: str = ""


def lenses_of(settings: Settings, agent: Agent) -> tuple[Lens, ...]:
    """Return the lenses of a character: its persona's, then the world's. Those that make no sense are left out."""
    own = agent.persona.front.get("lenses") if agent.persona else None
    if own is None and not settings.lenses:
        return ()
    lenses, _ = parse_lenses(own or [])
    shared = [item for item in settings.lenses if _is_for(item, agent.id)]
    return (*lenses, *parse_lenses(shared, shared=True)[0])


def _is_for(item: Mapping[str, object], agent: str) -> bool:
    who = item.get("who")
    return who is None or (isinstance(who, list) and fold(agent) in {fold(str(name)) for name in who})


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
        message = f"at is {_shown(at)}, expected one of {', '.join(PLACES)}"
        problems.append(LensProblem(("at",) if "at" in item else (), message))
        return None
    known = ("at", "name", "when", *_KEYS[at], *(("who",) if shared else ()))
    for key in item:
        if key not in known:
            hint = f"a lens at {at} has: " + ", ".join(known)
            problems.append(LensProblem((str(key),), f"{key!r} means nothing in a lens at {at}", hint))
    if not any(key in item for key in _KEYS[at]):
        problems.append(LensProblem((), "this lens changes nothing", "write one of: " + ", ".join(_KEYS[at])))
    lens = _Reader(item, problems)
    when = lens.inner("when", "tags", "words")
    boost = lens.inner("boost", "tags", "by")
    if shared and "who" in item:
        lens.texts("who")
    return Lens(
        at,
        lens.text("name") or f"{at} {number + 1}",
        tuple(fold(tag) for tag in when.texts("tags")),
        tuple(fold(word) for word in _words(when.texts("words"), ("when", "words"), problems)),
        _replacements(lens.mapping("replace"), problems),
        lens.text("add"),
        int(lens.number("importance", -9, 9, whole=True)),
        lens.number("valence", -2, 2),
        tuple(fold(tag) for tag in boost.texts("tags", needed="boost" in item)),
        boost.number("by", 0, 10, default=0.5),
    )


def _replacements(item: Mapping[object, object], problems: list[LensProblem]) -> dict[str, str]:
    found = {}
    for word, instead in item.items():
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
        if WORD.fullmatch(composed(word).removesuffix("*")):
            good.append(composed(word))
        else:
            hint = "write a single word; with * for its beginning: zöger*"
            problems.append(LensProblem((*keys, *((number,) if place else ())), f"{word!r:.60} is not one word", hint))
    return good


@dataclass(frozen=True, slots=True)
class _Reader:
    """The values of a mapping; each that has another form is noted as a problem, and its default used."""

    item: Mapping[object, object]
    problems: list[LensProblem]
    before: tuple[str, ...] = ()

    def _note(self, keys: tuple[str, ...], message: str, hint: str = "") -> None:
        self.problems.append(LensProblem((*self.before, *keys), message, hint))

    def mapping(self, key: str) -> Mapping[object, object]:
        value = self.item.get(key, {})
        if isinstance(value, dict):
            return value
        self._note((key,), f"{key} is {_shown(value)}, expected a mapping")
        return {}

    def inner(self, key: str, *known: str) -> _Reader:
        reader = _Reader(self.mapping(key), self.problems, (key,))
        for name in reader.item:
            if name not in known:
                reader._note((str(name),), f"{name!r} means nothing in {key}", "there are: " + ", ".join(known))
        return reader

    def texts(self, key: str, *, needed: bool = False) -> list[str]:
        value = self.item.get(key, [])
        is_list = isinstance(value, list) and all(isinstance(one, str) and one.strip() for one in value)
        if isinstance(value, list) and is_list and (value or not needed):
            return value
        self._note((key,) if key in self.item else (), f"{key} is {_shown(value)}, expected a list of texts")
        return []

    def text(self, key: str) -> str:
        value = self.item.get(key, "")
        if isinstance(value, str) and len(value) <= MOST_CHARACTERS:
            return " ".join(value.split())
        self._note((key,), f"{key} is {_shown(value)}, expected a text of at most {MOST_CHARACTERS}")
        return ""

    def number(self, key: str, low: float, high: float, *, default: float = 0.0, whole: bool = False) -> float:
        value = self.item.get(key, default)
        is_kind = not whole or key not in self.item or isinstance(value, int)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high and is_kind:
            return float(value)
        kind = "a whole number" if whole else "a number"
        self._note((key,), f"{key} is {_shown(value)}, expected {kind} from {low} to {high}")
        return default


def _shown(value: object) -> str:
    return f"{value!r:.60}"
