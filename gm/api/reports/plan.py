"""What the Game Master would play next by its rules, with scores. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from gm.api.answers.document import part
from gm.memory.reflect import select_due
from gm.model.calendar import weekday
from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.scene.directing.day_so_far import look_at_day, needs_company
from gm.scene.directing.director import has_arrived, last_step, survey_next
from gm.scene.directing.scenes import arrival_scene, focus_tags, give_reasons, score_parts
from gm.scene.directing.select import WeighedCandidate
from gm.scene.folding.advance import advance
from gm.scene.grounding.attendance import absences_on, attending
from gm.scene.planning.events import deadlines_ahead, events_on
from gm.scene.planning.schedule import Slot, open_day
from gm.scene.threads.appointments import agreed_on

DAYS_AHEAD = 7

Words = Callable[..., str]


@dataclass(frozen=True, slots=True)
class ScenesOfDay:
    """The numbers of scenes played and planned for the day."""

    played: int
    planned: int


@dataclass(frozen=True, slots=True)
class PlannedScene:
    """A scene that is certain to be played."""

    type: str
    cast: tuple[str, ...]
    location: str
    time_of_day: str
    why: str


@dataclass(frozen=True, slots=True)
class ScorePart:
    """A component of a score; ``why`` may be empty."""

    part: str
    points: float
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanCandidate:
    """A scene that could be played.

    Attributes:
        parts: Components of the score, largest first.
        ruled_out: Why it cannot be played; None = it can.
    """

    score: float
    chosen: bool
    type: str
    cast: tuple[str, ...]
    location: str
    time_of_day: str
    why: str
    parts: tuple[ScorePart, ...]
    takes_up: tuple[str, ...]
    tags: tuple[str, ...] = part(omit=())
    ruled_out: str | None


@dataclass(frozen=True, slots=True)
class EventToday:
    """An event of the day."""

    time: str
    event: str
    played: bool


@dataclass(frozen=True, slots=True)
class Agreed:
    """An appointment of the day."""

    id: str
    time: str
    place: str
    people: tuple[str, ...]
    text: str
    played: bool


@dataclass(frozen=True, slots=True)
class Deadline:
    """An event that is only shown."""

    days_left: int
    day: int
    event: str


@dataclass(frozen=True, slots=True)
class PlayPlan:
    """What could be played next.

    Attributes:
        first: The ARRIVAL of a day that has not begun; None = played.
        time_of_day: Of the next scene; empty = the day is full.
        away: Agent id → off or remote.
        agreed: Open appointments, the earliest first.
        needs_company: Ids of the characters that go without company all day unless the next scene brings them together.
    """

    day: int
    day_of_week: str
    scenes: ScenesOfDay
    first: PlannedScene | None
    time_of_day: str
    candidates: tuple[PlanCandidate, ...]
    last: tuple[PlannedScene, ...]
    reflections_due: tuple[str, ...]
    events: tuple[EventToday, ...]
    deadlines: tuple[Deadline, ...]
    away: Mapping[str, str]
    focus: str
    agreed: tuple[Agreed, ...] = part(omit=())
    needs_company: tuple[str, ...] = part(omit=())


def describe_plan(world: World, words: Words, seed: int, *, focus: str = "", tomorrow: bool = False) -> PlayPlan:
    """Return the candidates for the next scene.

    If no day is open, the coming one is opened in memory only, and the candidates are those after its ARRIVAL.

    Args:
        tomorrow: For the day after, as if an open day were closed now.

    Raises:
        GmError: The calendar leaves no day to play.
    """
    if tomorrow or not world.clock.day_open:
        world = advance(replace(world, clock=replace(world.clock, day_open=False)), open_day(world))
    first = None
    day = world.clock.day
    played = len(world.scenes_of(day))
    if not has_arrived(world):
        first = arrival_scene(world, words)
        world = _bring_cast_home(world, first)
    slot, options = survey_next(world, seed, focus)
    if first:  # not played yet, so that it is no meeting to speak of
        options = [replace(option, candidate=_without_idle_reasons(option.candidate)) for option in options]
    playable = [option for option in options if option.bar is None]
    taken = {answer for entry in world.log for answer in entry.answers}
    return PlayPlan(
        day=day,
        day_of_week=weekday(day, world.settings.calendar.weekdays),
        scenes=ScenesOfDay(played, slot.total if slot else played),
        first=_describe_scene(first) if first else None,
        time_of_day=slot.time if slot else "",
        candidates=tuple(
            _candidate(world, words, option, slot, chosen=playable[:1] == [option]) for option in options if slot
        ),
        last=() if playable else tuple(map(_describe_scene, last_step(world, words).scenes)),
        reflections_due=tuple(select_due((world.agents[name] for name in attending(world)), world.settings.reflection)),
        events=tuple(EventToday(event.time, event.event, key in taken) for key, event in events_on(world, day)),
        deadlines=tuple(Deadline(left, event.day, event.event) for left, event in deadlines_ahead(world, DAYS_AHEAD)),
        away=absences_on(world, day),
        focus=focus,
        agreed=tuple(
            Agreed(one.id, one.time, one.place, one.people, one.text, one.id in taken) for one in agreed_on(world, day)
        ),
        needs_company=needs_company(look_at_day(world, slot, focus)) if slot else (),
    )


def _without_idle_reasons(item: Candidate) -> Candidate:
    return replace(item, reasons=tuple(reason for reason in item.reasons if reason.points))


def _bring_cast_home(world: World, scene: Scene) -> World:
    agents = {
        name: replace(agent, state=replace(agent.state, position=agent.home)) if name in scene.cast else agent
        for name, agent in world.agents.items()
    }
    record = {
        "scene": scene.ref.scene,
        "type": scene.type.name,
        "time_of_day": scene.time_of_day,
        "participants": list(scene.cast),
    }
    clock = replace(world.clock, scenes_today=world.clock.scenes_today + 1)
    return replace(world, agents=agents, clock=clock, log=(*world.log, LogEntry(scene.ref.day, record)))


def _candidate(world: World, words: Words, option: WeighedCandidate, slot: Slot, *, chosen: bool) -> PlanCandidate:
    item = option.candidate
    kind = world.scene_types[item.type]
    phrases = {reason.part: words(reason.phrase, **reason.values) for reason in item.reasons if reason.phrase}
    parts = sorted(score_parts(item).items(), key=lambda pair: -abs(pair[1]))
    return PlanCandidate(
        score=round(item.score, 2),
        chosen=chosen,
        type=item.type,
        cast=tuple(item.cast[: kind.cast[1]]),
        location=item.place,
        time_of_day=slot.time,
        why=give_reasons(item, words),
        parts=tuple(ScorePart(name, points, phrases.get(name, "")) for name, points in parts),
        takes_up=tuple(item.answers),
        tags=tuple(focus_tags(world, kind, (), item.topic, item.cast)),
        ruled_out=words(option.bar.phrase, **option.bar.values) if option.bar else None,
    )


def _describe_scene(scene: Scene) -> PlannedScene:
    return PlannedScene(scene.type.name, tuple(scene.cast), scene.place, scene.time_of_day, scene.why)
