"""The soul of one character: what it is through and through."""

from __future__ import annotations

from dataclasses import dataclass

from gm.errors import Problem
from gm.model.layers import is_on
from gm.store.commits.snapshot import snapshot
from gm.store.layers.soul import load_soul
from gm.store.layout import Layout
from gm.store.now import load_settings


@dataclass(frozen=True, slots=True)
class SoulView:
    """A soul.

    Attributes:
        agent: Whose it is.
        is_on: Whether characters of this world have souls, or this one has a file.
        path: The file inside the world.
        kinds: The lists of the file by name, as ``beliefs``, with their sentences, in the order of the file.
        problems: What could not be read for this.
    """

    agent: str
    is_on: bool
    path: str
    kinds: tuple[tuple[str, tuple[str, ...]], ...]
    problems: tuple[Problem, ...] = ()


def view_soul(layout: Layout, agent: str) -> SoulView:
    """Show the soul of a character, list by list."""
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame tells what is wrong with them
        soul, problems = load_soul(layout, agent)
    kinds: dict[str, list[str]] = {}
    for entry in soul.entries:
        kinds.setdefault(entry.kind, []).append(entry.text)
    return SoulView(
        agent=agent,
        is_on=is_on(settings.soul, soul.present),
        path=layout.shown(layout.soul(agent)),
        kinds=tuple((kind, tuple(texts)) for kind, texts in kinds.items()),
        problems=() if settings.soul == "off" else tuple(problems),
    )
