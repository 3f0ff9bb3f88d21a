"""The subject of a text, and the characters it suits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache

from gm.base.casefold import casefold, plain_spellings, search_key
from gm.base.languages import all_languages, language_of
from gm.memory.recall.words import stop_words
from gm.model.derived import derived
from gm.model.scene import WORK
from gm.model.world import Agent, World
from gm.scene.grounding.attendance import attending, in_house, talk_place

_WORD = re.compile(r"\w[\w'-]+")
_RUN = re.compile(r"\w+")
_SHORT = 5
"""Letters from which a word counts as a content word."""
SAME_MATTER_WORDS = 2
"""Content words that two texts about the same matter share at least."""
MOST_CHARACTERS = 90
Names = tuple[str, ...]
"""A character's id, call name, and the spellings without accents that are no other's."""


def mentioned(text: str, cast: Iterable[Agent]) -> tuple[str, ...]:
    """Return the ids of agents named in a text by id or call name, in order of occurrence."""
    return _find_names(casefold(text), _names_of(cast))


def _find_names(folded: str, cast: Iterable[Names]) -> tuple[str, ...]:
    found = []
    for names in cast:
        for name in names:
            match = as_word(name).search(folded)
            if match:
                found.append((match.start(), match.end(), names[0]))
                break
    return tuple(one for start, end, one in sorted(found) if not _stands_in_another(start, end, found))


def _stands_in_another(start: int, end: int, found: Iterable[tuple[int, int, str]]) -> bool:
    return any(first <= start and end <= last and last - first > end - start for first, last, _ in found)


def _names_of(cast: Iterable[Agent]) -> tuple[Names, ...]:
    written = [(agent.id, agent.call_name) for agent in cast]
    of = Counter(name for names in written for name in {*map(casefold, names), *plain_spellings(names[1])})
    plain = [sorted(plain_spellings(names[1]) - {*map(casefold, names)}) for names in written]
    return tuple(
        (*names, *(name for name in others if of[name] == 1)) for names, others in zip(written, plain, strict=True)
    )


class NameIndex:
    """A cast's names by first word, so that a text is compared with few."""

    def __init__(self, cast: Iterable[Names]) -> None:
        self._by_word: dict[str, list[Names]] = {}
        for names in cast:
            for word in set(map(_first_word, names)):
                self._by_word.setdefault(word, []).append(names)

    def mentioned(self, text: str) -> tuple[str, ...]:
        folded = casefold(text)
        # a name without any word may stand anywhere
        words = ("", *dict.fromkeys(_RUN.findall(folded)))
        return _find_names(folded, dict.fromkeys(names for word in words for names in self._by_word.get(word, ())))


def _first_word(name: str) -> str:
    return next(iter(_RUN.findall(casefold(name))), "")


def mentioned_in(world: World, text: str) -> tuple[str, ...]:
    """Return the ids of all characters named in a text."""
    return _mentioned(_index(world), text)


@derived
def _index(world: World) -> NameIndex:
    return _make_index(_names_of(world.agents.values()))


@lru_cache(maxsize=8)
def _make_index(cast: tuple[Names, ...]) -> NameIndex:
    return NameIndex(cast)


@lru_cache(maxsize=8192)
def _mentioned(index: NameIndex, text: str) -> tuple[str, ...]:
    return index.mentioned(text)


@lru_cache(maxsize=1024)
def as_word(name: str) -> re.Pattern[str]:
    """Return a pattern for whole words in a case-folded text."""
    return re.compile(rf"(?<!\w){re.escape(casefold(name))}(?!\w)")


def has_name(folded: str, name: str) -> bool:
    """Return whether a case-folded text has a name's words, whole and in this order."""
    return casefold(name) in folded and as_word(name).search(folded) is not None


@lru_cache(maxsize=4096)
def content_words(text: str) -> frozenset[str]:
    """Return the words longer than four letters, cut to seven instead of stemmed."""
    return frozenset(word[:7] for word in _WORD.findall(casefold(text)) if len(word) >= _SHORT)


def topic_words(world: World, text: str) -> frozenset[str]:
    """Return the content words without names of characters."""
    return content_words(text) - _words_of_names(world)


@derived
def _words_of_names(world: World) -> frozenset[str]:
    return content_words(" ".join(f"{agent.id} {agent.name}" for agent in world.agents.values()))


@derived
def matter_words(world: World, text: str) -> frozenset[str]:
    """Return the content words without names and stop words."""
    return topic_words(world, text) - _stop_words_of(world.settings.language)


@cache
def _stop_words_of(language: str) -> frozenset[str]:
    return content_words(" ".join(language_of(language).stop_words))


def touches(text: str, others: Iterable[str]) -> bool:
    """Return whether a text shares a content word with others."""
    words = content_words(text)
    return any(words & content_words(other) for other in others)


def names_piece(text: str, title: str) -> bool:
    """Return whether a text names a title: whole, or by two and at least half of its content words.

    Stop words of any language do not count; weekdays and words for the form of a text (a page, a second version) are
    not enough where it has others.
    """
    name, words = " ".join(title.split()), content_words(title) - _stop_words()
    said = casefold(" ".join(text.split()))
    if name and has_name(said, name):
        return True
    shared = words & content_words(text)
    is_half = len(shared) >= 2 and 2 * len(shared) >= len(words)
    return is_half and (not shared <= _form_words() or words <= _form_words())


def says_little(text: str) -> bool:
    """Return whether a text has only weekdays and words for the form of a text."""
    return content_words(text) <= _form_words()


@lru_cache(maxsize=1)
def _stop_words() -> frozenset[str]:
    return content_words(" ".join(stop_words()))


@lru_cache(maxsize=1)
def _form_words() -> frozenset[str]:
    return content_words(" ".join(word for one in all_languages() for word in (*one.weekdays, *one.forms)))


@derived
def find_mentioned_place(world: World, text: str) -> str:
    """Return the place in a text; empty for none or several."""
    key = search_key(text)
    near = (_places(world).get(word, ()) for word in ("", *dict.fromkeys(_RUN.findall(key))))
    found = [place for places in near for place in places if search_key(place) in key and _as_key(place).search(key)]
    return found[0] if len(found) == 1 else ""


@derived
def _places(world: World) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for place in world.settings.places:
        found.setdefault(next(iter(_RUN.findall(search_key(place))), ""), []).append(place)
    return found


def meeting_place(world: World, text: str, one: Agent, two: Agent, time: str) -> str:
    """Return where two talk about something: as the text says, else as ``talk_place``.

    When only one is in the house, they talk on the phone.
    """
    both_here = {one.id, two.id} <= {*in_house(world)}
    return (find_mentioned_place(world, text) if both_here else "") or talk_place(world, one, two, time)


@lru_cache(maxsize=256)
def _as_key(place: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(search_key(place))}(?!\w)")


def common_words(texts: Iterable[str]) -> frozenset[str]:
    """Return content words of more than half of the texts."""
    return _common_words(tuple(texts))


@lru_cache(maxsize=64)
def _common_words(texts: tuple[str, ...]) -> frozenset[str]:
    words = [content_words(text) for text in texts]
    counts = Counter(word for one in words for word in one)
    return frozenset(word for word, count in counts.items() if count > max(2, len(words) / 2))


@derived
def everyone(world: World) -> tuple[str, ...]:
    """Return all who attend, first the one who has waited longest to open a round."""
    opened = {entry.participants[0]: entry.day for entry in world.log if len(entry.participants) > 2}
    return tuple(sorted(attending(world), key=lambda name: (opened.get(name, 0), name)))


def choose_type(world: World, wanted: Iterable[str], size: int) -> str:
    """Return the first wanted scene type for so many people, else WORK."""
    for name in wanted:
        kind = world.scene_types.get(name)
        if kind and size >= kind.cast[0]:
            return name
    return WORK


def starts_today(world: World, kind: str, agent: str) -> int:
    """Return how many scenes of a type an agent started today."""
    return _starts_today(world)[kind, (agent,)]


@derived
def _starts_today(world: World) -> Counter[tuple[str, tuple[str, ...]]]:
    return Counter((entry.type, entry.participants[:1]) for entry in world.scenes_of(world.clock.day))


def nearest_in_mind(world: World, text: str, names: Iterable[str]) -> list[tuple[int, str]]:
    """Return the number of words shared with each plan, and the id, highest first.

    Words common to most plans do not count.
    """
    words = content_words(text) - common_in_plans(world)
    shared = ((len(words & content_words(" ".join(world.agents[name].state.today_plan))), name) for name in names)
    return sorted(shared, key=lambda item: -item[0])


@derived
def common_in_plans(world: World) -> frozenset[str]:
    """Return content words of more than half of today's plans."""
    return common_words(" ".join(agent.state.today_plan) for agent in world.agents.values())


def clip_words(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return one line, cut at a space to ``most`` characters, ellipsis included; a longer word is cut itself."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rsplit(" ", 1)[0][: most - 2] + " …"
