"""Find descriptions of characters outside ``state/``: agent definitions, rosters, character sheets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.casefold import casefold, search_key
from gm.base.errors import Problem
from gm.base.texts import text_at
from gm.files.forms.yamlfile import read_front_matter
from gm.files.layout import Layout
from gm.model.character import Agent
from gm.scene.names import slug

FOLDERS = frozenset(("agents", "roster", "personas", "characters", "cast", "team", "people", "figuren", "subagents"))
NOT_SEARCHED = frozenset(("state", "gallery", "prompts", "node_modules", "venv", "__pycache__"))
SEARCHED_DOT_FOLDERS = frozenset((".claude", ".codex", ".cursor", ".gemini", ".github", ".opencode"))
DEEPEST = 3


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may describe a character.

    Attributes:
        path: Inside the world.
        front: Front matter; empty if absent or unreadable.
        prose: The text below.
    """

    path: str
    front: Mapping[str, Any]
    prose: str
    problems: tuple[Problem, ...] = ()

    @property
    def stem(self) -> str:
        """The file name without suffix."""
        return self.path.rsplit("/", 1)[-1].removesuffix(".md")


@dataclass(frozen=True, slots=True)
class Match:
    """The source of an agent, the reason, and other possible sources."""

    source: Source
    why: str
    others: tuple[str, ...] = ()


def find_sources(layout: Layout) -> list[Source]:
    """Read Markdown files in ``FOLDERS``, at most ``DEEPEST`` levels deep."""
    sources = []
    for path in sorted(_files(layout.root)):
        shown = layout.shown(path)
        front, prose, problems = read_front_matter(path, shown)
        sources.append(Source(shown, front, prose, tuple(problems)))
    return sources


def match_sources(agents: Sequence[Agent], sources: Sequence[Source]) -> dict[str, Match]:
    """Assign each agent the source with the best matching name, each source once."""
    ranked = sorted(
        (
            (*rank, source.path, agent.id, why, source)
            for agent in agents
            for source in sources
            for rank, why in _likeness(agent, source)
        ),
        key=lambda item: item[:3],
    )
    chosen: dict[str, tuple[Source, str]] = {}
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


def _likeness(agent: Agent, source: Source) -> Iterator[tuple[tuple[int], str]]:
    """Yield rank and reason of the surest match of names."""
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
    for rank, (agrees, why) in enumerate(ways):
        if agrees:
            yield (rank,), why
            return


def _files(root: Path) -> Iterator[Path]:
    for folder, inner, files in os.walk(root):
        here = Path(folder)
        depth = len(here.relative_to(root).parts)
        inner[:] = sorted(name for name in inner if depth < DEEPEST and _is_searched(name))
        if depth and here.name.lower() in FOLDERS:
            yield from (here / name for name in files if name.endswith(".md") and not name.startswith("."))


def _is_searched(name: str) -> bool:
    return name in SEARCHED_DOT_FOLDERS or (not name.startswith(".") and name.lower() not in NOT_SEARCHED)
