"""The Creative Director's hand: what ``gm brief``, ``post``, ``event``, ``meeting`` and ``feedback`` write and list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from gm.day.hand import (
    brief_steps,
    clean_text,
    done_steps,
    event_steps,
    feedback_steps,
    first_day,
    next_weekday,
    post_steps,
    removal_steps,
    usual_author,
)
from gm.day.prompts import open_prompts
from gm.errors import BrokenWorldError, Problem, UsageError, errors_in
from gm.model.calendar import is_time_of_day, weekday
from gm.model.fold import fold
from gm.model.scene import SceneType
from gm.model.world import NOTE, Post, ScheduledEvent, World
from gm.scene.board import answered
from gm.scene.names import shorten
from gm.scene.schedule import event_record
from gm.store.gallery import find_artifact
from gm.store.layout import Layout
from gm.store.load import load_settings, load_world
from gm.store.steps import Step
from gm.store.writer import Writer, writing
from gm.tools.cast import known_agent

USUAL_TIME = "afternoon"
SHOWN = 60

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class EventWish:
    """An event as somebody asks for it. Empty means: as usual.

    Attributes:
        text: What is going to happen.
        day: Story day.
        in_days: Days from the current one.
        weekday: Name of a weekday.
        time: One of the four times of day, or another word for what is only shown (a deadline).
        place: Id of a place.
        type: Name of a scene type.
        cast: Who takes part.
        lead: Who opens it.
    """

    text: str
    day: int | None = None
    in_days: int | None = None
    weekday: str = ""
    time: str = ""
    place: str = ""
    type: str = ""
    cast: tuple[str, ...] = ()
    lead: str = ""


@dataclass(slots=True)
class _Desk:
    """A world that is being written to, and what is to be said about it."""

    layout: Layout
    world: World
    writer: Writer
    notes: list[str] = field(default_factory=list)

    def commit(self, steps: Sequence[Step]) -> None:
        """Bring steps into the files; together or not at all."""
        self.notes += map(str, self.writer.commit(steps))


@contextmanager
def _desk(layout: Layout, command: str, *, board: bool = False) -> Iterator[_Desk]:
    """Hold the lock and read the world. Only what is going to be written has to be readable.

    Raises:
        BrokenWorldError: Settings, the clock, or the board if it is needed, cannot be read.
    """
    with writing(layout, command) as writer:
        settings, problems = load_settings(layout)
        _refuse_broken(layout, problems, layout.settings)
        loaded = load_world(layout, open_prompts(layout, settings.language).scene_types())
        _refuse_broken(layout, loaded.problems, layout.world, *((layout.bulletin,) if board else ()))
        yield _Desk(layout, loaded.world, writer, list(writer.recovered))


def _refuse_broken(layout: Layout, problems: Iterable[Problem], *paths: Path) -> None:
    needed = {layout.shown(path) for path in paths}
    broken = [problem for problem in errors_in(problems) if problem.path in needed]
    if broken:
        names = " and ".join(sorted({problem.path for problem in broken}))
        raise BrokenWorldError(f"{names} cannot be read", "correct by hand; nothing was written", broken)


# -- briefs and posts ----------------------------------------------------------------------------------


def put_up_brief(layout: Layout, text: str, author: str | None = None) -> tuple[dict[str, Any], list[str]]:
    """Put up a brief: on the board, and among those that hold.

    Args:
        layout: The world.
        text: What it says.
        author: Who signs it; None = as usual.

    Returns:
        The document of ``gm brief --json``, and notes.

    Raises:
        UsageError: There is nothing to put up.
        BrokenWorldError: A file that is needed cannot be read; nothing was written.
    """
    with _desk(layout, "gm brief", board=True) as desk:
        author = chosen_author(desk.world, author)
        desk.commit(brief_steps(layout, desk.world, text, author))
    return _new_post(layout), desk.notes


def end_brief(layout: Layout, which: str) -> tuple[dict[str, Any], list[str]]:
    """Take a brief out of those that hold.

    Args:
        layout: The world.
        which: Its number in the list, or how it begins.
    """
    with _desk(layout, "gm brief") as desk:
        briefs = desk.world.clock.active_briefs
        number = _choose(which, list(enumerate(briefs, 1)), lambda brief: brief, "brief")
        desk.commit(done_steps(layout, desk.world, briefs[number - 1]))
    return {"done": briefs[number - 1], **describe_briefs(load_world(layout).world)}, desk.notes


def put_up_post(
    layout: Layout, text: str, author: str | None = None, kind: str = NOTE
) -> tuple[dict[str, Any], list[str]]:
    """Put something on the board. As ``put_up_brief``."""
    with _desk(layout, "gm post", board=True) as desk:
        desk.commit(post_steps(layout, desk.world, text, chosen_author(desk.world, author), kind))
    return _new_post(layout), desk.notes


def put_up_feedback(
    layout: Layout, piece: str, text: str, author: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Put up feedback on a piece of work. As ``put_up_brief``.

    Args:
        layout: The world.
        piece: Its path, from the world's folder, from the gallery or from here.
        text: What is said.
        author: Who says it; None = as usual.
    """
    with _desk(layout, "gm feedback", board=True) as desk:
        path = find_artifact(layout, piece)
        desk.commit(feedback_steps(layout, desk.world, text, chosen_author(desk.world, author), path))
    return _new_post(layout), desk.notes


def describe_briefs(world: World) -> dict[str, Any]:
    """Describe the briefs that hold, in the form of ``gm brief --list --json``."""
    return {"active_briefs": [{"number": n, "text": text} for n, text in enumerate(world.clock.active_briefs, 1)]}


def describe_board(world: World) -> dict[str, Any]:
    """Describe the board in the form of ``gm post --list --json``: posts, oldest first, and what was decided."""
    taken = answered(world)
    posts = [
        {**_described(post), "active": post.content in world.clock.active_briefs, "taken_up": post.key in taken}
        for post in world.posts
    ]
    return {"posts": posts, "team_decisions": list(world.decisions)}


def _described(post: Post) -> dict[str, Any]:
    described = {
        "post": post.key,
        "from": post.author,
        "day": post.day,
        "scene": post.scene,
        "type": post.type,
        "content": post.content,
    }
    return {**described, "artifact": post.artifact} if post.artifact else described


def _new_post(layout: Layout) -> dict[str, Any]:
    return _described(load_world(layout).world.posts[-1])


def chosen_author(world: World, name: str | None) -> str:
    """Tell who speaks: who was named, else who usually does."""
    return usual_author(world) if name is None else " ".join(clean_text(name).split())


# -- the calendar --------------------------------------------------------------------------------------


def schedule_event(layout: Layout, wish: EventWish, command: str = "gm event") -> tuple[dict[str, Any], list[str]]:
    """Put an event into the calendar.

    Returns:
        The document of ``gm event --json``, and notes.

    Raises:
        UsageError: The event makes no sense; says what would work.
        BrokenWorldError: A file that is needed cannot be read; nothing was written.
    """
    with _desk(layout, command) as desk:
        event = plan_event(desk.world, wish)
        desk.commit(event_steps(layout, desk.world, event))
    return _described_event(desk.world, event), desk.notes


def remove_event(layout: Layout, which: str) -> tuple[dict[str, Any], list[str]]:
    """Take an event out of the calendar.

    Args:
        layout: The world.
        which: Its number in the list, or how it begins.
    """
    with _desk(layout, "gm event") as desk:
        events = desk.world.clock.scheduled_events
        ahead = [(n, event) for n, event in enumerate(events, 1) if event.day >= first_day(desk.world)]
        number = _choose(which, ahead, lambda event: event.event, "event")
        desk.commit(removal_steps(layout, desk.world, events[number - 1]))
    return {"removed": _described_event(desk.world, events[number - 1])}, desk.notes


def plan_event(world: World, wish: EventWish) -> ScheduledEvent:
    """Turn a wish into an event of this world.

    Raises:
        UsageError: A day, type, place or person does not exist, or they do not go together.
    """
    kind = _scene_type(world, wish.type)
    cast = tuple(dict.fromkeys(known_agent(world.agents, name) for name in wish.cast))
    lead = known_agent(world.agents, wish.lead) if wish.lead else ""
    if lead and cast and lead not in cast:
        raise UsageError(f"{lead} opens it and does not take part", "name them in --with too")
    places = world.settings.places
    if wish.place and places and wish.place not in places:
        raise UsageError(f"there is no place {wish.place!r}", "the places: " + ", ".join(places))
    time = wish.time.strip() or USUAL_TIME
    if is_time_of_day(time):
        _require_fit(kind or world.scene_types.get("EVENT"), cast or tuple(world.agents), is_all=not cast)
    return ScheduledEvent(
        day=_day(world, wish),
        event=" ".join(clean_text(wish.text).split()),
        time=time,
        type=kind.name if kind else "",
        place=wish.place,
        cast=cast,
        lead=lead,
    )


def describe_events(world: World) -> dict[str, Any]:
    """Describe the calendar from today on, in the form of ``gm event --list --json``.

    A dated event has its number in ``world.json``; a weekly one stands in ``gm.yaml`` and has none.
    """
    first = first_day(world)
    dated = [
        {"number": number, **_described_event(world, event)}
        for number, event in enumerate(world.clock.scheduled_events, 1)
        if event.day >= first
    ]
    return {
        "first_day": first,
        "events": sorted(dated, key=lambda item: item["day"]),
        "weekly": [dict(item) for item in world.settings.calendar.weekly],
    }


def _described_event(world: World, event: ScheduledEvent) -> dict[str, Any]:
    name = weekday(event.day, world.settings.calendar.weekdays)
    return {**event_record(event), "weekday": name, "played": is_time_of_day(event.time)}


def _day(world: World, wish: EventWish) -> int:
    if wish.day is not None:
        return wish.day
    if wish.in_days is not None:
        return world.clock.day + wish.in_days
    return next_weekday(world, wish.weekday) if wish.weekday else first_day(world)


def _scene_type(world: World, name: str) -> SceneType | None:
    if not name:
        return None
    kind = world.scene_types.get(name.upper())
    known = {key: item for key, item in world.scene_types.items() if item.reply == "scene" and not item.plan}
    if kind is None or kind.name not in known:
        what = f"there is no scene type {name!r}" if kind is None else f"{kind.name} cannot be put into the calendar"
        raise UsageError(what, "known: " + ", ".join(sorted(key.lower() for key in known)))
    return kind


def _require_fit(kind: SceneType | None, cast: Sequence[str], *, is_all: bool) -> None:
    """Stop when so many cannot play a scene of a type; of all, as many take part as there is room for."""
    fewest, most = kind.cast if kind else (1, len(cast))
    if kind and (len(cast) < fewest or (len(cast) > most and not is_all)):
        span = str(fewest) if fewest == most else f"{fewest} to {most}" if most < 99 else f"at least {fewest}"
        raise UsageError(f"{kind.name} is played by {span}, {len(cast)} given", "see --with, and gm event --type")


def _choose(which: str, items: Sequence[tuple[int, Item]], text_of: Callable[[Item], str], what: str) -> int:
    """Find what somebody means by a number of a list, or by how it begins; returns its number."""
    numbered = [number for number, _ in items if which.strip() == str(number)]
    found = numbered or [
        number for number, item in items if which.strip() and fold(text_of(item)).startswith(fold(which))
    ]
    if len(found) == 1:
        return found[0]
    listed = "; ".join(f"{number}: {shorten(text_of(item), SHOWN)}" for number, item in items)
    if not found:
        raise UsageError(f"there is no {what} {which!r}", f"there are: {listed}" if items else "there is none at all")
    raise UsageError(f"{len(found)} {what}s begin with {which!r}", f"say its number: {listed}")
