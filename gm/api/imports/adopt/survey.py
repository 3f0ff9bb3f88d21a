"""Survey a foreign world: its title, week, places, length of a day, and descriptions of characters elsewhere."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gm.base.casefold import casefold, search_key
from gm.base.errors import Problem
from gm.base.languages import in_any_language, language_of, languages
from gm.base.untyped import text_at
from gm.files.formats.document import read_document
from gm.files.formats.yamlfile import read_front_matter
from gm.files.layout import Layout
from gm.files.load import Loaded
from gm.files.story.logbook import DayLog, read_log
from gm.model.world import Agent, World
from gm.scene.pieces.names import slug

TITLE_KEYS = ("title", "world_title", "world_name", "name", "project", "studio")
LARGEST_DAY = 8
_WORD = re.compile(r"[^\W\d_]+")
FEWEST_FUNCTION_WORDS = 20
CLEAR_RATIO = 3
FOLDERS = frozenset(("agents", "roster", "personas", "characters", "cast", "team", "people", "figuren", "subagents"))
NOT_SEARCHED = frozenset(("state", "gallery", "prompts", "node_modules", "venv", "__pycache__"))
SEARCHED_DOT_FOLDERS = frozenset((".claude", ".codex", ".cursor", ".gemini", ".github", ".opencode"))
DEEPEST_FOLDER = 3


@dataclass(frozen=True, slots=True)
class Survey:
    """What was found in a world.

    Attributes:
        days: Weekday names by story day.
        places: Most frequent first, with sources.
        odd_places: Those that are not a single place.
    """

    loaded: Loaded
    language: Guess
    title: tuple[str, str]
    days: Mapping[int, str]
    places: Mapping[str, str] = field(default_factory=dict)
    odd_places: Mapping[str, str] = field(default_factory=dict)
    scenes: tuple[int, ...] = ()

    @property
    def world(self) -> World:
        """The world as far as it can be read."""
        return self.loaded.world


def survey_world(layout: Layout, loaded: Loaded) -> Survey:
    """Read what a ``gm.yaml`` depends on, without writing."""
    logs = [read_log(layout, day) for day in layout.logged_days()]
    places, odd = _count_places(loaded.world, logs)
    return Survey(
        loaded=loaded,
        language=guess_language(_all_texts(loaded.world, logs)),
        title=_read_title(layout),
        days=_weekdays(loaded.world, logs),
        places=places,
        odd_places=odd,
        scenes=tuple(len(log.scenes) for log in logs),
    )


def _all_texts(world: World, logs: Sequence[DayLog]) -> list[str]:
    texts = [node.description for agent in world.agents.values() for node in agent.stream]
    texts += [agent.state.current_task for agent in world.agents.values()]
    texts += [entry.summary for log in logs for entry in log.entries]
    return [*texts, world.clock.studio_status, *world.clock.active_briefs, *(post.content for post in world.posts)]


def _read_title(layout: Layout) -> tuple[str, str]:
    shown = layout.shown(layout.world)
    data = read_document(layout.world, shown)[0].data
    for key in TITLE_KEYS:
        if isinstance(data.get(key), str) and data[key].strip():
            return data[key].strip(), f"{shown}: {key}"
    return layout.root.name, "the name of the folder"


def _weekdays(world: World, logs: Sequence[DayLog]) -> dict[int, str]:
    days = {entry.day: name for log in logs for entry in log.entries if (name := entry.weekday.strip())}
    if world.clock.day and world.clock.day_of_week.strip():
        days[world.clock.day] = world.clock.day_of_week.strip()
    return days


def _count_places(world: World, logs: Sequence[DayLog]) -> tuple[dict[str, str], dict[str, str]]:
    known: dict[str, str] = {}
    spelled: dict[str, str] = {}
    counts: Counter[str] = Counter()

    def note(place: object, source: str) -> None:
        for part in place.split("+") if isinstance(place, str) else ():
            if part.strip():
                name = spelled.setdefault(casefold(part), part.strip())
                counts[name] += 1
                known.setdefault(name, source)

    for agent in world.agents.values():
        note(agent.state.position, f"{agent.id} is there")
    here = set(known)
    for log in logs:
        for entry in log.entries:
            note(entry.place, f"in the logbook of day {log.day}")
    for event in world.clock.scheduled_events:
        note(event.place, "named by a scheduled event")
    ordered = sorted(known, key=lambda name: (-counts[name], name))
    odd = {name: known[name] for name in ordered if name not in here and _is_odd(name)}
    return {name: known[name] for name in ordered if name not in odd}, odd


def _is_odd(name: str) -> bool:
    odd = in_any_language(lambda one: one.no_place)
    return not odd.isdisjoint(casefold(name).replace("-", " ").replace("_", " ").split())


@dataclass(frozen=True, slots=True)
class Guess:
    """A guessed language, or None if that is unclear."""

    language: str | None
    counts: dict[str, int]


def guess_language(texts: Iterable[str]) -> Guess:
    """Guess the language by function words, clearly more of them than of any other language."""
    words = Counter(word for text in texts for word in _WORD.findall(text.casefold()))
    counts = {code: sum(words[word] for word in language_of(code).small_words) for code in languages()}
    best, second = sorted(counts, key=lambda language: -counts[language])[:2]
    is_clear = counts[best] >= FEWEST_FUNCTION_WORDS and counts[best] >= CLEAR_RATIO * counts[second]
    return Guess(best if is_clear else None, counts)


@dataclass(frozen=True, slots=True)
class PersonaSource:
    """A file that may describe a character.

    Attributes:
        front: Front matter; empty if absent or unreadable.
    """

    path: str
    front: Mapping[str, Any]
    prose: str
    problems: tuple[Problem, ...] = ()

    @property
    def stem(self) -> str:
        """The file name without ending."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".md")


@dataclass(frozen=True, slots=True)
class Match:
    """The source of an agent, the reason, and other possible sources."""

    source: PersonaSource
    why: str
    others: tuple[str, ...] = ()


def find_sources(layout: Layout) -> list[PersonaSource]:
    """Read Markdown files in ``FOLDERS``, at most ``DEEPEST_FOLDER`` levels deep."""
    sources = []
    for path in sorted(_find_files(layout.root)):
        shown = layout.shown(path)
        front, prose, problems = read_front_matter(path, shown)
        sources.append(PersonaSource(shown, front, prose, tuple(problems)))
    return sources


def match_sources(agents: Sequence[Agent], sources: Sequence[PersonaSource]) -> dict[str, Match]:
    """Assign each agent the source with the best matching name, each source once."""
    ranked = sorted(
        (
            (likeness[0], source.path, agent.id, likeness[1], source)
            for agent in agents
            for source in sources
            if (likeness := _likeness(agent, source))
        ),
        key=lambda item: item[:3],
    )
    chosen: dict[str, tuple[PersonaSource, str]] = {}
    others: dict[str, list[str]] = {}
    taken: set[str] = set()
    for _, path, agent, why, source in ranked:
        if agent in chosen and path != chosen[agent][0].path and path not in taken:
            if path not in others.setdefault(agent, []):
                others[agent].append(path)
        elif agent not in chosen and path not in taken:
            chosen[agent] = (source, why)
            taken.add(path)
    return {
        agent: Match(source, why, tuple(path for path in others.get(agent, ()) if path not in taken))
        for agent, (source, why) in chosen.items()
    }


def _likeness(agent: Agent, source: PersonaSource) -> tuple[int, str] | None:
    """Return the rank of the surest sign that a source is an agent's, and the sign; None = there is none."""
    name = text_at(source.front, "name")
    words = slug(name, "").split("-") if name else []
    stem = slug(source.stem, "").split("-")
    known = slug(agent.id, "")
    ways = (
        (
            any(casefold(text_at(source.front, key)) == casefold(agent.id) for key in ("id", "agent", "sprite")),
            "its id",
        ),
        (casefold(source.stem) == casefold(agent.id), "its file name"),
        (bool(name) and search_key(name) in (search_key(agent.name), search_key(agent.id)), "its name"),
        (bool(words) and "-".join(words) == slug(agent.name, ""), "its name"),
        ("-".join(stem) == slug(agent.name, ""), "its file name"),
        (stem[0] == known, "the beginning of its file name"),
        (bool(words) and words[0] == known, "the beginning of its name"),
        (known in words, "a part of its name"),
        (known in stem, "a part of its file name"),
    )
    return next(((rank, why) for rank, (agrees, why) in enumerate(ways) if agrees), None)


def _find_files(root: Path) -> Iterator[Path]:
    for folder, inner, files in os.walk(root):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        inner[:] = sorted(name for name in inner if depth < DEEPEST_FOLDER and _is_searched(name))
        if depth and here.name.lower() in FOLDERS:
            yield from (here / name for name in files if name.endswith(".md") and not name.startswith("."))


def _is_searched(name: str) -> bool:
    return name in SEARCHED_DOT_FOLDERS or (not name.startswith(".") and name.lower() not in NOT_SEARCHED)
