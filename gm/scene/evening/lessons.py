"""Move the lessons of working memory into the memory streams when a day closes."""

from __future__ import annotations

from gm.base.texts import casefold
from gm.layers.working import WORKING, PageLine, clear_page, prefixes_of
from gm.memory.lens import original_text
from gm.model.mind import MindChange
from gm.model.node import LESSON
from gm.model.world import Change, World
from gm.scene.ledger import Ledger, NewNode, after_last_scene

MIGRATED_FROM = "working_memory"


def migrate_pages(world: World) -> Change:
    """Move all pages' lessons into the streams, and clear the pages.

    A lesson becomes an observation of the day's last scene, rated by rule, unless remembered word for word.
    """
    day = world.clock.day
    if WORKING.name not in world.layers:
        return Change(day=day)
    settings = world.settings
    prefixes = prefixes_of(settings.working.migrate_prefixes, settings.language)
    ledger = after_last_scene(world)
    minds = {}
    for name, agent in world.agents.items():
        lessons, change = clear_page(agent.mind[WORKING], prefixes)
        if change is not None:
            minds[name] = MindChange().with_change(WORKING, change)
        for line in lessons:
            _keep(ledger, name, line)
    return Change(
        day=day,
        nodes=ledger.added(),
        agents=ledger.accumulators(),
        minds=minds,
        warnings=tuple(ledger.warnings),
    )


def _keep(ledger: Ledger, name: str, line: PageLine) -> None:
    known = (*ledger.world.agents[name].stream, *ledger.nodes.get(name, ()))
    if any(node.kind == LESSON and casefold(original_text(node)) == casefold(line.text) for node in known):
        return
    metadata = {"kind": LESSON, "migrated_from": MIGRATED_FROM, "key": line.key}
    ledger.add(name, NewNode(line.text, None, tags=(LESSON,), metadata=metadata))
