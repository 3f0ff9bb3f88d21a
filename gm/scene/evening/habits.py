"""What a character lately repeats, for its prompt."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gm.base.casefold import casefold
from gm.base.languages import language_of
from gm.layers.diary import DIARY
from gm.memory.lens import lenses_of, read_through
from gm.model.derived import derived
from gm.model.node import Node
from gm.model.scene import ARRIVAL, REFLECTION
from gm.model.stream import since
from gm.model.turns import PlayedTurn
from gm.model.world import Agent, Sentences, World
from gm.scene.grounding.mentions import clip_words, content_words
from gm.scene.planning.schedule import dice

HABIT_DAYS, MOTIF_DAYS, WEIGHT_DAYS = 5, 3, 10
"""Days, today included, from which lines and actions, motifs, and importance are read."""
MOST_SHOWN, MOST_MOTIFS = 3, 4
"""Habits of a kind, and motifs, that a prompt shows at most."""
LAST_LINES, FEWEST_LINES = 12, 6
"""Spoken lines among which those with a number are counted; with fewer there is no habit yet."""
OPENING_WORDS, ENDING_WORDS = 3, 7
"""Words of a line that are its opening, and words of a text that are its ending."""
LAST_OPENINGS, FEWEST_OPENINGS, LATEST_OPENINGS = 12, 3, 4
"""Lines and actions among which openings are counted, how many make a habit, and how many without end it."""
FEWEST_PEOPLE, FEWEST_DAYS = 3, 2
"""Characters in whose memories a motif stands, and days on which it does."""
FEWEST_WEIGHTS = 10
"""New memories from which their importance is told as a habit."""
BANDS = ((1, 2), (3, 4), (5, 6), (7, 8), (9, 10))
"""The steps of the scale of importance."""
LAST_ANGLES = 2
"""Reflections whose angles are not taken again."""
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][»«“”’\"'])\s+")
_INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_][\w'-]{4,}")
"""Words that do not begin a sentence."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Recent habits of a character in scenes; empty where there is none.

    Attributes:
        openings: First words of at least three of the last lines and actions, and of one of the latest; the most
            frequent first.
        numbers: How many of its last spoken lines hold a number, of how many; zeros below a third.
        motifs: Words of its memories that stand in new memories of several characters.
    """

    arrivals: tuple[str, ...] = ()
    openings: tuple[str, ...] = ()
    numbers: tuple[int, int] = (0, 0)
    motifs: tuple[str, ...] = ()


def habits_of(world: World, agent: Agent, words: Sentences) -> Habits:
    """Return a character's habits; ``number_words`` count as numbers."""
    recent = [entry for entry in world.log if entry.day > world.clock.day - HABIT_DAYS]
    own = [(entry.type, turn) for entry in recent for turn in entry.turns if turn.agent == agent.id]
    lines = [text for _, turn in own for text in _texts(turn)]
    texts = (text for _, turn in own for text in (turn.action.removeprefix(f"{agent.call_name} "), *_texts(turn)))
    return Habits(
        arrivals=_last(clip_words(turn.action) for kind, turn in own if kind == ARRIVAL and turn.action),
        openings=_openings(texts),
        numbers=_numbers(lines, words("number_words").split()),
        motifs=_motifs(world, agent),
    )


def insight_endings(world: World, agent: Agent) -> tuple[str, ...]:
    """Return how a character's last insights ended, the last first."""
    lenses = lenses_of(world.settings, agent)
    return _last(ending_of(read_through(node, lenses)[0]) for node in agent.stream if node.type == "reflection")


def diary_endings(agent: Agent) -> tuple[str, ...]:
    """Return how its last diary entries ended, the last first."""
    return _last(ending_of(entry.text) for entry in agent.mind[DIARY])


def importance_counts(world: World, agent: Agent) -> tuple[tuple[int, int, int], ...]:
    """Return each of ``BANDS`` with the number of new memories in it; empty if few."""
    fresh = since(agent.stream, world.clock.day - WEIGHT_DAYS + 1)
    given = [node.importance for node in fresh if _is_own(node)]
    if len(given) < FEWEST_WEIGHTS:
        return ()
    return tuple((low, high, sum(low <= importance <= high for importance in given)) for low, high in BANDS)


def angle_of(world: World, agent: str, seed: int, words: Sentences) -> str:
    """Return today's angle for insights: one of ``reflect_angles``, if possible not one of the last two."""
    angles = [angle.strip() for angle in words("reflect_angles").split("|")]
    looked_back = [entry for entry in world.log if entry.type == REFLECTION and agent in entry.participants]
    last = [entry.angle for entry in looked_back[-LAST_ANGLES:]]
    fresh = [angle for angle in angles if angle not in last]
    return dice(seed, "angle", world.clock.day, agent).choice(fresh or angles)


def ending_of(text: str) -> str:
    """Return the last words of a text's last sentence."""
    words = sentences_of(text)[-1].split()
    return " ".join((*(["…"] if len(words) > ENDING_WORDS else []), *words[-ENDING_WORDS:]))


def sentences_of(text: str) -> list[str]:
    """Return a text's sentences; one without any is one."""
    return _SENTENCE.split(text.strip())


def has_number(line: str, number_words: Iterable[str]) -> bool:
    """Return whether a line holds a digit or a number word (lower case)."""
    return any(map(str.isdigit, line)) or not {*re.findall(r"\w+", casefold(line))}.isdisjoint(number_words)


def _last(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(list(texts)[: -MOST_SHOWN - 1 : -1]))


def _texts(turn: PlayedTurn) -> list[str]:
    return [line.text for line in turn.lines]


def _openings(texts: Iterable[str]) -> tuple[str, ...]:
    split = (re.findall(r"[\w'’-]+", text) for text in texts)
    begun = [" ".join(words[:OPENING_WORDS]) for words in split if len(words) > OPENING_WORDS][-LAST_OPENINGS:]
    counted = Counter(map(casefold, begun))
    latest = {*map(casefold, begun[-LATEST_OPENINGS:])}
    shown = {casefold(text): text for text in reversed(begun)}
    found = [shown[key] for key, count in counted.most_common() if count >= FEWEST_OPENINGS and key in latest]
    return tuple(found[:MOST_SHOWN])


def _numbers(lines: Sequence[str], number_words: Sequence[str]) -> tuple[int, int]:
    last = lines[-LAST_LINES:]
    count = sum(has_number(line, number_words) for line in last)
    return (count, len(last)) if len(last) >= FEWEST_LINES and 3 * count >= len(last) else (0, 0)


def _motifs(world: World, agent: Agent) -> tuple[str, ...]:
    language, found = language_of(world.settings.language), _in_memories(world)
    names = _names(world)
    lenses = lenses_of(world.settings, agent)
    own: dict[str, str] = {}
    for node in _lived_since(agent, world.clock.day - MOTIF_DAYS + 1):
        own |= _things(read_through(node, lenses)[0], language.capital_nouns)
    shared = [key for key in own if key in found and not names & {*_strip_inflection(own[key])}]
    return tuple(own[key] for key in sorted(shared, key=lambda key: (-len(found[key]), key))[:MOST_MOTIFS])


@derived
def _in_memories(world: World) -> Mapping[str, set[tuple[str, int]]]:
    language, known = language_of(world.settings.language), _collect_words(world)
    found: dict[str, set[tuple[str, int]]] = {}
    for one in world.agents.values():
        for node in _lived_since(one, world.clock.day - MOTIF_DAYS + 1):
            for key in _things(node.description, language.capital_nouns).keys() - known:
                found.setdefault(key, set()).add((one.id, node.when.day))
    return {
        key: where
        for key, where in found.items()
        if len({name for name, _ in where}) >= FEWEST_PEOPLE and len({day for _, day in where}) >= FEWEST_DAYS
    }


@derived
def _lived_since(agent: Agent, day: int) -> Sequence[Node]:
    return [node for node in since(agent.stream, day) if node.type not in ("plan", "artifact") and _is_own(node)]


def _is_own(node: Node) -> bool:
    return not node.importance_by


@lru_cache(maxsize=4096)
def _things(text: str, in_capitals: bool) -> Mapping[str, str]:
    words = (word for word in _INSIDE.findall(text) if word[0].isupper() == in_capitals)
    return {key: word for word in words for key in content_words(word)}


@derived
def _names(world: World) -> frozenset[str]:
    named = (f"{one.id} {one.name}" for one in world.agents.values())
    return frozenset(part for name in named for part in re.findall(r"\w+", casefold(name)))


def _strip_inflection(word: str) -> tuple[str, ...]:
    bare = casefold(word).rstrip("'’")
    return bare, bare.removesuffix("s").rstrip("'’")


@derived
def _collect_words(world: World) -> frozenset[str]:
    settings, agents = world.settings, world.agents.values()
    texts = (
        settings.world.premise,
        *settings.world.rules,
        *settings.places,
        *settings.places.values(),
        *(post.content for post in world.posts),
        *(f"{one.id} {one.name}" for one in agents),
        *(settings.calendar.weekdays or ()),
        *language_of(settings.language).stop_words,
        *language_of(settings.language).everyday,
    )
    return content_words(" ".join(texts)) | _find_shared(tuple(one.persona.prose for one in agents if one.persona))


@lru_cache(maxsize=8)
def _find_shared(texts: tuple[str, ...]) -> frozenset[str]:
    counted = Counter(word for text in texts for word in content_words(text))
    return frozenset(word for word, count in counted.items() if count > 1)
