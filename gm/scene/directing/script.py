"""A day by a script: fixed and free scenes in order.

Progress is read from the logbook, so an interrupted day continues where it stopped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gm.base.config import TIMES_OF_DAY
from gm.model.calendar import is_time_of_day, time_rank
from gm.model.scene import ARRIVAL, REFLECTION, WORK, LogEntry, Scene
from gm.model.world import Sentences, World
from gm.scene.candidates import calendar
from gm.scene.directing.director import RulesDirector, consider
from gm.scene.directing.scenes import arrival_scene, next_ref, reflection_scene, scene_of, time_of
from gm.scene.grounding.attendance import attending
from gm.scene.planning.events import events_on, is_played
from gm.scene.planning.schedule import played_today, times_of

SCRIPT, ASKED = "script", "asked"
MORNING, EVENING = 0, len(TIMES_OF_DAY) - 1


@dataclass(frozen=True, slots=True)
class ScriptedScene:
    """A scene of a script. Empty means: as usual.

    Attributes:
        cast: Ids, the first one starts; empty = all.
        time: One of the four times of day.
    """

    line: int
    type: str
    cast: tuple[str, ...] = ()
    place: str = ""
    time: str = ""
    topic: str = ""
    premise: str = ""
    premises: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    intent: str = ""
    answers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Free:
    """A scene that the rules choose; ``rest``: all that still fit."""

    line: int
    rest: bool = False


Slot = ScriptedScene | Free


@dataclass(frozen=True, slots=True)
class Script:
    """A day in a script.

    Attributes:
        slots: ``rest`` is the last one.
        arrival: Whether all arrive first, where no ARRIVAL is written.
        reflections: Whether due ones follow at the end.
    """

    slots: tuple[Slot, ...]
    arrival: bool = True
    reflections: bool = True
    shown: str = ""

    @property
    def writes_arrival(self) -> bool:
        return any(isinstance(slot, ScriptedScene) and slot.type == ARRIVAL for slot in self.slots)


@dataclass(frozen=True, slots=True)
class ScriptedNext:
    """What comes next by a script.

    Attributes:
        scene: None at the end.
        left_out: Lines of free scenes without candidates.
    """

    scene: Scene | None
    left_out: tuple[int, ...] = ()


def next_scripted(world: World, script: Script, rules: RulesDirector) -> ScriptedNext:
    """Return the next scene of a script; ``rules`` choose the free scenes."""
    words = rules.words
    entries = world.scenes_of(world.clock.day)
    arrives = script.arrival and not script.writes_arrival and ARRIVAL in world.scene_types
    if arrives and not any(ARRIVAL in entry.type for entry in entries):
        return ScriptedNext(arrival_scene(world, words))
    left_out: list[int] = []
    for place in range(find_next_slot(script, entries), len(script.slots)):
        slot = script.slots[place]
        if isinstance(slot, ScriptedScene):
            return ScriptedNext(_written_scene(world, slot, _time_at(world, script, place), words), tuple(left_out))
        scene = _rest(world, script, rules) if slot.rest else _choose_scene(world, script, place, rules)
        if scene is not None:
            return ScriptedNext(scene, tuple(left_out))
        if not slot.rest:
            left_out.append(slot.line)
    return ScriptedNext(None, tuple(left_out))


def find_next_slot(script: Script, entries: Iterable[LogEntry]) -> int:
    """Return the place of a script's next slot.

    Requested scenes, and an arrival and reflections outside the script, do not count. A written scene skips free ones
    before it.
    """
    place = 0
    slots = script.slots
    for entry in entries:
        if not _counts(script, entry):
            continue
        if entry.director == SCRIPT:
            written = (at for at in range(place, len(slots)) if isinstance(slots[at], ScriptedScene))
            place = next(written, place - 1) + 1
        elif place < len(slots):
            slot = slots[place]
            place += not (isinstance(slot, Free) and slot.rest)
    return place


def missed_events(world: World) -> tuple[str, ...]:
    """Return today's unplayed calendar events."""
    day = world.clock.day
    taken = {key for entry in world.scenes_of(day) for key in entry.answers}
    return tuple(event.event for key, event in events_on(world, day) if is_played(event) and key not in taken)


def _counts(script: Script, entry: LogEntry) -> bool:
    if entry.director == ASKED:
        return False
    if REFLECTION in entry.type:
        return entry.director == SCRIPT
    return script.writes_arrival if ARRIVAL in entry.type else True


def _written_scene(world: World, slot: ScriptedScene, time: str, words: Sentences) -> Scene:
    usual = _make_usual_scene(world, slot, time, words)
    return replace(
        usual,
        cast=slot.cast or usual.cast,
        place=slot.place or usual.place,
        why=slot.why or words("why_script"),
        premise=slot.premise or usual.premise,
        topic=slot.topic or usual.topic,
        intent=slot.intent,
        answers=slot.answers or usual.answers,
        premises=dict(slot.premises),
        director=SCRIPT,
        tags=slot.tags,
    )


def _make_usual_scene(world: World, slot: ScriptedScene, time: str, words: Sentences) -> Scene:
    cast = slot.cast or attending(world)
    kind = world.scene_types[slot.type]
    if kind.name == ARRIVAL:
        return replace(arrival_scene(world, words), time_of_day=time)
    if kind.is_reflection:
        return replace(reflection_scene(world, cast[0], words), type=kind, time_of_day=time)
    due = [item for item in calendar.propose(world, TIMES_OF_DAY[EVENING]) if item.type == kind.name]
    if due and not (slot.topic or slot.premise or slot.answers):
        # a scene without any text of its own is the event in the calendar
        return scene_of(world, due[0], slot.time or _later(time, time_of(world, due[0])), words)
    first = world.agents[cast[0]]
    names = [world.agents[name].call_name for name in cast]
    works = kind.name == WORK
    return Scene(
        ref=next_ref(world),
        type=kind,
        time_of_day=time,
        place=(first.home if works else "") or first.state.position,
        cast=cast,
        why="",
        premise=words("premise_work", one=names[0]) if works else words("premise_asked", names=names),
    )


def _choose_scene(world: World, script: Script, place: int, rules: RulesDirector) -> Scene | None:
    time = _time_at(world, script, place)
    found = consider(world, rules.seed, time, scenes_left=len(script.slots) - place, focus=rules.focus)
    return scene_of(world, found[0], time, rules.words) if found else None


def _rest(world: World, script: Script, rules: RulesDirector) -> Scene | None:
    if not script.arrival:
        world = replace(world, scene_types={name: kind for name, kind in world.scene_types.items() if name != ARRIVAL})
    scene = next(iter(rules.next_step(world).scenes), None)
    if scene is None or scene.type.is_reflection:
        return None
    return replace(scene, time_of_day=_later(scene.time_of_day, _latest(world)))


def _time_at(world: World, script: Script, place: int) -> str:
    slot = script.slots[place]
    if isinstance(slot, ScriptedScene) and slot.time:
        return slot.time
    arrives = script.arrival and not script.writes_arrival
    usual = times_of(len(script.slots) + arrives, (), world.settings.day.times)[place + arrives]
    after = (item.time for item in script.slots[place:] if isinstance(item, ScriptedScene) and item.time)
    soonest = next(after, TIMES_OF_DAY[EVENING])
    return _later(min(usual, soonest, key=time_rank), _latest(world))


def _latest(world: World) -> str:
    times = [entry.time_of_day for entry in played_today(world)]
    return max(filter(is_time_of_day, times), key=time_rank, default=TIMES_OF_DAY[MORNING])


def _later(one: str, other: str) -> str:
    return max(one, other, key=time_rank)
