"""Lessons on the pages of working memory become memories when a day is closed."""

from __future__ import annotations

from gm.base.casefold import casefold
from gm.layers.working import WORKING, PageLine, clear_page, prefixes_of
from gm.memory.lens import original_text
from gm.model.calendar import SceneRef, render_day
from gm.model.mind import MindChange
from gm.model.world import Change, World
from gm.scene.ledger import Ledger

LESSON = "lesson"
MIGRATED_FROM = "working_memory"


def migrate_pages(world: World) -> Change:
    """Move the lessons of all pages into the streams, and clear the pages.

    A lesson is an observation of the day's last scene with ``metadata`` ``kind``, ``migrated_from`` and ``key``, rated
    by rule. A lesson that the character already remembers word for word is only removed from the page.
    """
    day = world.clock.day
    if WORKING.name not in world.layers:
        return Change(day=day)
    settings = world.settings
    prefixes = prefixes_of(settings.working.migrate_prefixes, settings.language)
    ledger = Ledger(world, _last_scene(world, day))
    minds = {}
    for name, agent in world.agents.items():
        lessons, change = clear_page(agent.mind[WORKING], prefixes)
        if change is not None:
            minds[name] = MindChange().with_change(WORKING, change)
        for line in lessons:
            _keep(ledger, name, line)
    return Change(
        day=day,
        nodes={name: tuple(nodes) for name, nodes in ledger.nodes.items()},
        agents={
            name: {"importance_accumulator": world.agents[name].state.importance_accumulator + ledger.gained(name)}
            for name in ledger.nodes
        },
        minds=minds,
        warnings=tuple(ledger.warnings),
    )


def _keep(ledger: Ledger, name: str, line: PageLine) -> None:
    known = (*ledger.world.agents[name].stream, *ledger.nodes.get(name, ()))
    if any(
        node.metadata.get("kind") == LESSON and casefold(original_text(node)) == casefold(line.text) for node in known
    ):
        return
    metadata = {"kind": LESSON, "migrated_from": MIGRATED_FROM, "key": line.key}
    ledger.add(name, "observation", line.text, None, tags=(LESSON,), metadata=metadata)


def _last_scene(world: World, day: int) -> str:
    entries = world.scenes_of(day)
    number = entries[-1].record.get("scene") if entries else None
    return str(SceneRef(day, number)) if isinstance(number, int) else render_day(day)
