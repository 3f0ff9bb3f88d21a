"""Steps for the user's edits: briefs, posts, feedback, events. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gm.base.casefold import casefold
from gm.base.errors import UsageError, say
from gm.base.untyped import items_of
from gm.files.commits.steps import SetValues, Step
from gm.files.formats.document import Document
from gm.files.layout import Layout
from gm.files.save import clock_step, values_step
from gm.files.story.now import read_board, read_clock
from gm.model.calendar import same_weekday, weekday
from gm.model.clock import NOTE, SCHEDULED_EVENT, Post, ScheduledEvent
from gm.model.world import World
from gm.scene.grounding.attendance import coming_day
from gm.scene.pieces.waiting import BRIEF, FEEDBACK

FIRST_BOARD: Mapping[str, Any] = {"posts": [], "team_decisions": []}


def brief_steps(layout: Layout, world: World, text: str, author: str) -> list[Step]:
    """Put up a brief: a post that all will have read, and an active brief.

    Raises:
        UsageError: The text is empty, or the author is a character.
    """
    refuse_cast(world, author)
    text = require_text(text)
    return [
        *_post(layout, world, text, author, BRIEF),
        _change(layout, world, "active_briefs", lambda old: [*old, text]),
    ]


def plan_end_of_brief(layout: Layout, world: World, brief: str) -> list[Step]:
    """End a brief; its post stays on the board."""

    def without(old: Sequence[Any]) -> list[Any]:
        place = list(old).index(brief)
        return [*old[:place], *old[place + 1 :]]

    return [_change(layout, world, "active_briefs", without)]


def withdrawal_steps(layout: Layout, world: World, post: Post) -> list[Step]:
    """Take the last post off the board; a brief ends, too."""
    posts = _list(read_board(layout)[0], "posts")
    ended = plan_end_of_brief(layout, world, post.content) if post.content in world.clock.active_briefs else []
    return [values_step(layout, layout.bulletin, FIRST_BOARD, {"posts": [*posts[:-1]]}), *ended]


def post_steps(layout: Layout, world: World, text: str, author: str, kind: str = NOTE) -> list[Step]:
    """Put up a post on the board.

    Raises:
        UsageError: The text is empty.
    """
    return _post(layout, world, require_text(text), author, require_text(kind))


def feedback_steps(layout: Layout, world: World, text: str, author: str, artifact: str) -> list[Step]:
    """Put up feedback on a piece of work.

    Raises:
        UsageError: The text is empty, or the author is a character.
    """
    refuse_cast(world, author)
    return _post(layout, world, require_text(text), author, FEEDBACK, {"artifact": artifact})


def event_steps(layout: Layout, world: World, event: ScheduledEvent) -> list[Step]:
    """Schedule an event.

    Raises:
        UsageError: It has no text, its day is over, or it is scheduled already.
    """
    text = " ".join(require_text(event.event).split())
    first = coming_day(world)
    if event.day < first:
        raise UsageError(say("day {day} is over: the next one that can have an event is day {first}", event.day, first))
    same = [other for other in world.clock.scheduled_events if (other.day, other.event) == (event.day, text)]
    if same:
        raise UsageError(
            say("day {day} has this event already: {text}", event.day, repr(text)),
            "say it in other words, or remove the other",
        )
    record = SCHEDULED_EVENT.write(event) | {"event": text}
    return [_change(layout, world, "scheduled_events", lambda old: [*old, record])]


def removal_steps(layout: Layout, world: World, event: ScheduledEvent) -> list[Step]:
    """Remove an event of the calendar."""

    def without(old: Sequence[Any]) -> list[Any]:
        place = next(place for place, item in enumerate(old) if _is_event(item, event))
        return [*old[:place], *old[place + 1 :]]

    return [_change(layout, world, "scheduled_events", without)]


def require_text(text: str) -> str:
    """Strip a text; inner white space stays, line ends included.

    Raises:
        UsageError: It is empty or not Unicode.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UsageError("the text is not UTF-8", "set the terminal, or the file it comes from, to UTF-8") from None
    if not text.strip():
        raise UsageError("there is no text", "write it in quotes, or say - and give it on standard input")
    return text.strip()


def usual_author(world: World) -> str:
    """Return the newest brief's author from outside the cast, else the person outside."""
    briefs = (post.author for post in reversed(world.posts) if casefold(post.type) == BRIEF)
    outside = (author for author in briefs if author and not world.find_agent(author))
    return next(outside, world.settings.outside)


def refuse_cast(world: World, author: str) -> None:
    """Check that an author is not a character.

    Raises:
        UsageError: The author is a character.
    """
    name = world.find_agent(author)
    if name:
        raise UsageError(
            say("{author} is {name}, one of the cast, who speaks in scenes", repr(author), name),
            "say --from with the name of somebody else",
        )


def next_weekday(world: World, name: str) -> int:
    """Return the first such weekday, from the open or coming day on.

    Raises:
        UsageError: The calendar has no such weekday.
    """
    names = world.settings.calendar.weekdays
    first = coming_day(world)
    for day in range(first, first + len(names)):
        if same_weekday(name, weekday(day, names)):
            return day
    known = ", ".join(names) if names else "none; see calendar.weekdays in gm.yaml"
    raise UsageError(say("there is no weekday {name}", repr(name)), say("the days of this world: {known}", known))


def _post(
    layout: Layout, world: World, text: str, author: str, kind: str, more: Mapping[str, Any] | None = None
) -> list[Step]:
    # scene 0: put up between scenes, not said in one
    record = {"from": author, "day": world.clock.day, "scene": 0, "type": kind, "content": text, **(more or {})}
    old = _list(read_board(layout)[0], "posts")
    return [values_step(layout, layout.bulletin, FIRST_BOARD, {"posts": [*old, record]})]


def _change(layout: Layout, world: World, key: str, change: Callable[[Sequence[Any]], list[Any]]) -> SetValues:
    return clock_step(layout, world, {key: change(_list(read_clock(layout)[0], key))})


def _list(document: Document, key: str) -> Sequence[Any]:
    return items_of(document.data.get(key))


def _is_event(item: object, event: ScheduledEvent) -> bool:
    return isinstance(item, dict) and (item.get("day"), item.get("event")) == (event.day, event.event)
