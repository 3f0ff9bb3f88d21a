"""The evening: who writes a diary, and their day as they recall it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gm.base.casefold import shorten
from gm.layers.diary import DIARY, DiaryEntry
from gm.model.calendar import SceneRef, is_time_of_day
from gm.model.mind import MindChange
from gm.model.replies import DiaryReply
from gm.model.scene import LogEntry, Scene, SceneType
from gm.model.world import Change, World
from gm.scene.ledger import clean_tags

EVENING = SceneType("DIARY", "diary.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and template."""
PURPOSE = "diary"
MOST_LINES = 4
LINE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Part:
    """A scene as one participant recalls it.

    Attributes:
        time: Time of day; empty for an unknown word.
        lines: The last lines: speaker and shortened text.
    """

    time: str
    place: str
    others: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]


def writers(world: World) -> tuple[str, ...]:
    """Return those who took part in a scene of the open day and have no entry yet."""
    if DIARY.name not in world.layers:
        return ()
    day = world.clock.day
    there = {name for entry in world.scenes_of(day) for name in entry.participants}
    return tuple(
        name
        for name, agent in world.agents.items()
        if name in there and not any(entry.day == day for entry in agent.mind[DIARY])
    )


def evening_scene(world: World, name: str) -> Scene:
    """Return the scene in which a character writes: after the last scene, at its position."""
    place = world.agents[name].state.position
    return Scene(SceneRef(world.clock.day), EVENING, "evening", place, (name,), why="", premise="")


def parts_of_day(world: World, name: str) -> tuple[Part, ...]:
    """Return the scenes of the day that a character took part in, in order.

    Arrivals and reflections are left out: the character's memories contain them.
    """
    return tuple(
        _part(entry, name)
        for entry in world.scenes_of(world.clock.day)
        if name in entry.participants and not _is_private(world, entry)
    )


def _is_private(world: World, entry: LogEntry) -> bool:
    kind = world.scene_types.get(entry.type)
    return kind is not None and (kind.plan or kind.reply == "reflection")


def _part(entry: LogEntry, name: str) -> Part:
    lines = [(agent, shorten(text, LINE_CHARACTERS)) for agent, text in entry.dialogue if agent and text]
    others = tuple(other for other in entry.participants if other != name)
    time = entry.time_of_day if is_time_of_day(entry.time_of_day) else ""
    return Part(time, entry.place, others, tuple(lines[-MOST_LINES:]))


def add_diaries(world: World, change: Change, replies: Mapping[str, DiaryReply], date: str) -> Change:
    """Add diary entries to the change that closes the day; an entry that the user wrote meanwhile stays.

    Args:
        world: The world as it is in the files now.
        date: The date in the real calendar; empty = none.
    """
    minds = dict(change.minds)
    for name in writers(world):
        if name in replies:
            entry = DiaryEntry(
                day=world.clock.day,
                text=replies[name].text,
                mood=" ".join(replies[name].mood.split()),
                location=world.agents[name].state.position,
                date=date,
                tags=clean_tags(replies[name].tags, name),
            )
            minds[name] = minds.get(name, MindChange()).with_change(DIARY, entry)
    return replace(change, minds=minds)
