"""The evening of a day: who writes a diary, and what each of them has had of the day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from gm.layers.diary import DIARY, DiaryEntry
from gm.model.calendar import SceneRef, is_time_of_day
from gm.model.fold import shorten
from gm.model.mind import MindChange
from gm.model.replies import DiaryReply
from gm.model.scene import LogEntry, Scene, SceneType
from gm.model.world import Change, World
from gm.scene.ledger import clean_tags

EVENING = SceneType("DIARY", "diary.j2", play="solo", cast=(1, 1))
"""No scene of the day: it has no number, no line in the logbook, and no template that a Director could choose."""
PURPOSE = "diary"
MOST_LINES = 4
LINE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Part:
    """One scene of a day as one of those in it recalls it.

    Attributes:
        time: Time of day; empty for a word that is none.
        place: Where.
        others: Ids of the others who took part.
        lines: The end of what was said: who, and the words, shortened.
    """

    time: str
    place: str
    others: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]


def writers(world: World) -> tuple[str, ...]:
    """Name those who have an entry to write on the open day: they took part in a scene, and have written none yet."""
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
    """Make the moment in which somebody writes: after the last scene, where they are."""
    place = world.agents[name].state.position
    return Scene(SceneRef(world.clock.day), EVENING, "evening", place, (name,), why="", premise="")


def parts_of_day(world: World, name: str) -> tuple[Part, ...]:
    """Tell what a day was to somebody: the scenes that they took part in together with others, in order.

    The morning, in which each one plans for themselves, and reflections are among their memories; of what was said the
    last lines are told, as the logbook has them: all of it was said before those who took part.
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
    said = entry.record.get("dialogue")
    lines = [
        (str(item["agent"]), shorten(item["text"], LINE_CHARACTERS))
        for item in (said if isinstance(said, list) else ())
        if isinstance(item, dict) and isinstance(item.get("agent"), str) and isinstance(item.get("text"), str)
    ]
    others = tuple(other for other in entry.participants if other != name)
    time = entry.time_of_day if is_time_of_day(entry.time_of_day) else ""
    return Part(time, entry.place, others, tuple(lines[-MOST_LINES:]))


def add_diaries(world: World, change: Change, replies: Mapping[str, DiaryReply], date: str) -> Change:
    """Add what was written to the change that closes the day.

    Somebody who has an entry of this day by now, from a person's hand, keeps that one.

    Args:
        world: The world as it is in the files now.
        change: What closes the day.
        replies: What each one wrote.
        date: The day in the real calendar; empty = none.
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
