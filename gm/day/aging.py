"""Growing old: self-care and retention, by hand and at the end of a day (S3-05…13, S1-16, S1-17)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.config import RetentionSettings
from gm.day.care import Cared, Carer, last_ref
from gm.day.liveworld import LiveWorld
from gm.day.report import Report
from gm.memory.retain import Pruned, select_pruned
from gm.model.world import Change, World
from gm.scene.lookups import CARE_WANTED
from gm.store.mailbox import sweep_mailbox


@dataclass(frozen=True, slots=True)
class Aging:
    """Brings what is old to the archive.

    Attributes:
        live: The world.
        carer: Asks what remains of old memories.
        report: Told what happens.
        end_day: Lets the open day have no more scenes.
    """

    live: LiveWorld
    carer: Carer
    report: Report
    end_day: Callable[[], None]

    def care(self, names: Sequence[str], *, now: bool = False) -> list[Cared]:
        """Let characters put their old memories together where that is due, until nothing is.

        Args:
            names: Ids of characters.
            now: Begin with the oldest memories of each of them, due or not; without, of those who have asked for it.
        """
        cared: list[Cared] = []
        pressed = tuple(names) if now else self._asking(names)
        while plans := {
            name: batches
            for name, batches in self.carer.plan(self.live.world, names, pressed).items()
            # what did not get better by it is left for another day
            if not any(item.agent == name and item.cause == batches[0].cause for item in cared)
        }:
            at = last_ref(self.live.world)
            for name, folding in self.carer.ask(self.live.world, plans).items():
                change = self.live.land(partial(_granted, folding=folding, name=name))
                self._archived(name, change)
                cared.append(Cared(name, plans[name][0].cause, change))
                self.report.cared(self.live.world, name, change)
            sweep_mailbox(self.live.layout, at)
            pressed = ()
        return cared

    def _asking(self, names: Sequence[str]) -> tuple[str, ...]:
        """Name those who have asked for self-care and have not had it yet (S3-06)."""
        return tuple(name for name in names if self.live.world.agents[name].state.care_wanted)

    def prune(self, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
        """Bring memories of a character to the archive, by a policy and without a summary.

        Returns:
            What went, in the order of the stream.
        """
        self.live.refresh()
        choose = partial(_choose_pruned, name=name, retention=retention)
        pruned = choose(self.live.world)
        if pruned:
            change = self.live.land(lambda world: Change(world.clock.day, to_archive={name: _ids_of(choose(world))}))
            self._archived(name, change)
        return pruned

    def close_day(self) -> None:
        """Do at the end of a day what keeps streams from growing without end, where the world wants it."""
        names, retention = tuple(self.live.world.agents), self.live.world.settings.retention
        world = self.live.world
        cares = world.settings.selfcare.enabled and self.carer.plan(world, names, self._asking(names))
        # what is remembered has a part in which scenes come next: there are no more today, whoever is interrupted
        if cares:
            self.end_day()
            self.care(names)
        for name in names:
            if _choose_pruned(self.live.world, name, retention):
                self.end_day()
                self.prune(name, retention)

    def _archived(self, name: str, change: Change) -> None:
        for warning in change.warnings:
            self.report.notice(warning)
        self.live.assembler.lines.forget(change.to_archive.get(name, ()))


def _granted(world: World, folding: Callable[[World], Change], name: str) -> Change:
    """Fold self-care, and take back the character's wish for it, if there was one."""
    change = folding(world)
    if not world.agents[name].state.care_wanted:
        return change
    return replace(change, agents={**change.agents, name: {**change.agents.get(name, {}), CARE_WANTED: False}})


def _choose_pruned(world: World, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
    return select_pruned(world.agents[name], world.settings, retention, world.clock.day)


def _ids_of(pruned: Sequence[Pruned]) -> frozenset[str]:
    return frozenset(item.node.id for item in pruned)
