"""The soul of one character: what it is through and through."""

from __future__ import annotations

from dataclasses import dataclass

from gm.errors import Problem
from gm.layers.soul import SOUL, soul_words
from gm.model.layers import is_on
from gm.store.commits.snapshot import snapshot
from gm.store.layers.minds import has_layer, load_layer
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
        present = has_layer(layout, SOUL, agent)
        soul, problems = load_layer(layout, SOUL, agent)
    return SoulView(
        agent=agent,
        is_on=is_on(settings.soul, present),
        path=layout.shown(layout.layer(SOUL, agent)),
        kinds=tuple((kind, tuple(texts)) for kind, texts in soul_words(soul).items()),
        problems=() if settings.soul == "off" else tuple(problems),
    )
