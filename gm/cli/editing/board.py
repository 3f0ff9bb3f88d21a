"""The board and the calendar: ``gm brief``, ``gm post``, ``gm feedback``, ``gm event`` and ``gm meeting``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gm.base.errors import UsageError
from gm.base.texts import clip_line
from gm.cli import complete, options
from gm.cli.commands import Output, examples, join_words, read_world, world_command
from gm.cli.playing.scene import play_now
from gm.cli.terminal import out, safe
from gm.files.layout import Layout
from gm.model.scene import MEETING

if TYPE_CHECKING:
    from gm.api.editing.board import BoardReport, Briefs, PostOnBoard
    from gm.api.editing.calendar import Calendar, PlannedEvent

SHOWN_CHARACTERS = 100
_day_option = click.option(
    "--day", type=click.IntRange(min=0), metavar="N", help="Story day; default: the open day, else the next one."
)
_time_option = click.option(
    "--time",
    default="",
    help="morning, noon, afternoon (the default) or evening; any other word makes it a deadline, which is only shown.",
)


@world_command(epilog=examples('gm brief "A day without new towers."', "gm brief --done 1"))
@click.argument("text", nargs=-1)
@options.author
@click.option("--done", metavar="N|BEGINNING", help="End an active brief; its post stays on the board.")
@click.option("--list", "listed", is_flag=True, help="Show active briefs.")
def brief(layout: Layout, text: tuple[str, ...], author: str | None, done: str | None, listed: bool) -> Output:
    """Put up a brief that every character will have read, or list active briefs with --list.

    It stays on the board and is active until it is done. By the next scene every character has read it and remembers
    it; until then, gm post --withdraw takes it back, after the posts above it. TEXT - is read from standard input.
    """
    from gm.api.editing.board import describe_briefs, end_brief, put_up_brief

    _require_one("gm brief", text, done is not None, listed)
    if listed:
        return Output(_show_briefs, describe_briefs(read_world(layout)))
    if done is not None:
        return Output(
            lambda found: out(safe(f"done: {clip_line(found.done or '', SHOWN_CHARACTERS)}")), *end_brief(layout, done)
        )
    return Output(_show_news, *put_up_brief(layout, join_words(text), author))


@world_command()
@click.argument("text", nargs=-1)
@options.author
@click.option("--type", "kind", default="note", show_default=True, help="Type of the post; a note needs no reaction.")
@click.option("--withdraw", is_flag=True, help="Take back the last post: a note, or an unread brief or feedback.")
@click.option("--list", "listed", is_flag=True, help="Show the board.")
def post(layout: Layout, text: tuple[str, ...], author: str | None, kind: str, withdraw: bool, listed: bool) -> Output:
    """Put a post on the board, or show it with --list.

    Every character can read it; none remembers it as an event. TEXT - is read from standard input.
    """
    from gm.api.editing.board import describe_board, put_up_post, withdraw_post

    _require_one("gm post", text, withdraw, listed)
    if withdraw:
        return Output(_show_withdrawn, *withdraw_post(layout))
    if listed:
        return Output(_show_board, describe_board(read_world(layout)))
    return Output(_show_posted, *put_up_post(layout, join_words(text), author, kind))


@world_command()
@click.argument("piece", type=complete.WORK, metavar="gallery/…")
@click.argument("text", nargs=-1, required=True)
@options.author
def feedback(layout: Layout, piece: str, text: tuple[str, ...], author: str | None) -> Output:
    """Give feedback on a piece of work in the gallery.

    It is posted on the board; by the next scene every character remembers it, its maker most of all. It stays open
    until a scene takes it up. TEXT - is read from standard input.
    """
    from gm.api.editing.board import put_up_feedback

    return Output(_show_news, *put_up_feedback(layout, piece, join_words(text), author))


def _require_one(usage: str, *given: object) -> None:
    if sum(map(bool, given)) != 1:
        what = "one thing at a time" if any(given) else "there is no text"
        raise UsageError(what, f"write: {usage} TEXT, or {usage} --list; see --help")


def _show_posted(posted: PostOnBoard) -> None:
    about = f" on {posted.artifact}" if posted.artifact else ""
    out(
        safe(f"{posted.post}, {posted.type}{about} from {posted.author}: {clip_line(posted.content, SHOWN_CHARACTERS)}")
    )


def _show_withdrawn(posted: PostOnBoard) -> None:
    _show_posted(posted)
    out("It is taken back.")


def _show_news(posted: PostOnBoard) -> None:
    _show_posted(posted)
    out("Every character will have read it by the next scene.")


def _show_briefs(found: Briefs) -> None:
    for item in found.active_briefs:
        out(safe(f"{item.number}. {' '.join(item.text.split())}"))
    if not found.active_briefs:
        out("There is no active brief.")


def _show_board(found: BoardReport) -> None:
    for item in found.posts:
        about = f" on {item.artifact}" if item.artifact else ""
        state = ", ".join(word for word, holds in (("holds", item.active), ("taken up", item.taken_up)) if holds)
        head = f"{item.post}  day {item.day}, {item.type or 'post'}{about} from {item.author or 'nobody'}"
        out(safe(head + (f" ({state})" if state else "")))
        for line in item.content.splitlines():
            out(safe(f"  {line}".rstrip()))
    for decision in found.team_decisions:
        out(safe(f"decided: {' '.join(str(decision).split())}"))
    if not found.posts and not found.team_decisions:
        out("The board is empty.")


@world_command(epilog=examples('gm event "The heating is repaired" --weekday Wednesday --time noon --with A,B'))
@click.argument("text", nargs=-1)
@_day_option
@click.option("--in", "in_days", type=click.IntRange(min=0), metavar="N", help="N days after the current one.")
@click.option("--weekday", metavar="NAME", default="", help="The next such weekday.")
@_time_option
@options.place
@click.option("--type", default="", type=complete.SCENE_TYPE, help="Type of the scene: event (the default), meeting, …")
@options.names("--with", "cast", of=complete.AGENTS, help="Participants; default: all characters.")
@click.option("--lead", metavar="A", default="", type=complete.AGENT, help="Who opens the scene.")
@click.option("--remove", metavar="N|BEGINNING", help="Remove an event from the calendar.")
@click.option("--list", "listed", is_flag=True, help="Show the calendar from today.")
def event(layout: Layout, text: tuple[str, ...], remove: str | None, listed: bool, **planned: Any) -> Output:
    """Add an event to the calendar, or list events.

    At one of the four times of day it is played as a scene, one of the type event by at least two; anything else is a
    deadline. Every character reads of it beforehand, not only those of --with: of a scene from two days before, of a
    deadline from six.
    """
    from gm.api.editing.calendar import EventOptions, describe_events, remove_event, schedule_event

    _require_one("gm event", text, remove is not None, listed)
    if sum(planned[key] not in (None, "") for key in ("day", "in_days", "weekday")) > 1:
        raise UsageError("more than one day is given", "give only one of --day, --in and --weekday")
    if listed:
        return Output(_show_calendar, describe_events(read_world(layout)))
    if remove is not None:
        return Output(lambda found: out(safe("removed: " + _event_line(found.removed))), *remove_event(layout, remove))
    return Output(_show_event, *schedule_event(layout, EventOptions(join_words(text), **planned)))


@world_command()
@click.option("--topic", required=True, help="Topic of the scene.")
@options.names("--with", "cast", of=complete.AGENTS, help="Participants; the first one opens. Default: all characters.")
@_day_option
@_time_option
@options.place
@click.option("--now", is_flag=True, help="Play it now, in the open day or a newly opened one.")
@options.model_and_seed
def meeting(
    layout: Layout,
    topic: str,
    cast: tuple[str, ...],
    day: int | None,
    time: str,
    place: str,
    now: bool,
    model: str | None,
    seed: int | None,
    as_json: bool,
) -> Output:
    """Call a meeting, for later or for now.

    It is added to the calendar and played on its day; with --now it is played at once, as by gm scene meeting.
    """
    if not now:
        if model is not None or seed is not None:
            raise UsageError(
                "--model and --seed only apply when the meeting is played", "--model and --seed go with --now"
            )
        from gm.api.editing.calendar import EventOptions, schedule_event

        lead = cast[0] if cast else ""
        planned = EventOptions(topic, day, None, "", time, place, MEETING, cast, lead)
        return Output(_show_event, *schedule_event(layout, planned, "gm meeting"))
    if day is not None or time:
        raise UsageError("--now plays at once", "leave --day and --time out")
    from gm.play.edits import require_text
    from gm.scene.directing.choosing import SceneRequest

    request = SceneRequest("meeting", cast, require_text(topic), place)
    return play_now(layout, "gm meeting", request, model, seed, as_json)


def _show_calendar(found: Calendar) -> None:
    for item in found.events:
        out(safe(f"{item.number}. {_event_line(item)}"))
    for weekly in found.weekly:
        when = ", ".join(str(weekly[key]) for key in ("weekday", "time") if weekly.get(key))
        out(safe(f"every {when}: {weekly.get('event', '')} (gm.yaml)"))
    if not found.events and not found.weekly:
        out("The calendar is empty.")


def _show_event(item: PlannedEvent) -> None:
    out(safe(_event_line(item)))


def _event_line(item: PlannedEvent) -> str:
    event = item.event
    when = ", ".join(filter(None, (f"day {event.day}", item.weekday, event.time, event.place)))
    kind = f" [{event.type}]" if event.type else ""
    people = f" with {', '.join(event.cast)}" if event.cast else ""
    lead = f", {event.lead} opens it" if event.lead else ""
    shown = "" if item.played else " (a deadline: shown to all characters, not played as a scene)"
    return f"{when}: {event.event}{kind}{people}{lead}{shown}"
