"""The board and the calendar: ``gm brief``, ``gm post``, ``gm feedback``, ``gm event`` and ``gm meeting``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gm.base.errors import UsageError
from gm.cli import complete
from gm.cli.options import (
    author_option,
    cast_option,
    examples,
    json_option,
    model_options,
    place_option,
    read_world,
    split_names,
    text_of,
    world_option,
)
from gm.cli.scene import play_now
from gm.cli.terminal import clip, out, safe, show
from gm.files.layout import Layout

if TYPE_CHECKING:
    from gm.api.board import Board, Briefs, Calendar, PlannedEvent, Posted

SHOWN = 100
_day_option = click.option(
    "--day", type=click.IntRange(min=0), metavar="N", help="Story day. Default: the open or the coming one."
)
_time_option = click.option(
    "--time",
    default="",
    help="morning, noon, afternoon (the default) or evening; another word makes it a deadline, which is only shown.",
)


@click.command(epilog=examples('gm brief "A day without new towers."', "gm brief --done 1"))
@click.argument("text", nargs=-1)
@world_option
@author_option
@click.option("--done", metavar="N|BEGINNING", help="Take a brief out of those that hold; its post stays.")
@click.option("--list", "listed", is_flag=True, help="Show the briefs that hold.")
@json_option
def brief(
    layout: Layout, text: tuple[str, ...], author: str | None, done: str | None, listed: bool, as_json: bool
) -> None:
    """Put up a brief.

    It hangs on the board and holds until it is done. Everybody has read it by the next scene, and remembers it. TEXT -
    is read from standard input.
    """
    from gm.api.board import describe_briefs, end_brief, put_up_brief

    _require_one("gm brief TEXT", text, done is not None, listed)
    if listed:
        show(describe_briefs(read_world(layout)), as_json, _show_briefs)
    elif done is not None:
        briefs, notes = end_brief(layout, done)
        show(briefs, as_json, lambda found: out(safe(f"done: {clip(found.done or '', SHOWN)}")), notes)
    else:
        posted, notes = put_up_brief(layout, text_of(text), author)
        show(posted, as_json, _show_news, notes)


@click.command()
@click.argument("text", nargs=-1)
@world_option
@author_option
@click.option("--type", "kind", default="note", show_default=True, help="What it is; a note need not be taken up.")
@click.option("--list", "listed", is_flag=True, help="Show the board.")
@json_option
def post(layout: Layout, text: tuple[str, ...], author: str | None, kind: str, listed: bool, as_json: bool) -> None:
    """Put something on the board.

    Everybody can read it there; nobody remembers it as an event of its own. TEXT - is read from standard input.
    """
    from gm.api.board import describe_board, put_up_post

    _require_one("gm post TEXT", text, listed)
    if listed:
        show(describe_board(read_world(layout)), as_json, _show_board)
    else:
        posted, notes = put_up_post(layout, text_of(text), author, kind)
        show(posted, as_json, _show_posted, notes)


@click.command()
@click.argument("piece", metavar="gallery/…", shell_complete=complete.works)
@click.argument("text", nargs=-1, required=True)
@world_option
@author_option
@json_option
def feedback(layout: Layout, piece: str, text: tuple[str, ...], author: str | None, as_json: bool) -> None:
    """Say something about a piece of work in the gallery.

    It hangs on the board; everybody remembers it by the next scene, whoever made the piece most of all. It stays open
    until a scene takes it up. TEXT - is read from standard input.
    """
    from gm.api.board import put_up_feedback

    posted, notes = put_up_feedback(layout, piece, text_of(text), author)
    show(posted, as_json, _show_news, notes)


def _require_one(usage: str, *given: object) -> None:
    """Refuse none or more than one of the things that a command does."""
    if sum(map(bool, given)) != 1:
        what = "one thing at a time" if any(given) else "there is no text"
        raise UsageError(what, f"write: {usage}, or see --help")


def _show_posted(posted: Posted) -> None:
    about = f" on {posted.artifact}" if posted.artifact else ""
    out(safe(f"{posted.post}, {posted.type}{about} from {posted.author}: {clip(posted.content, SHOWN)}"))


def _show_news(posted: Posted) -> None:
    _show_posted(posted)
    out("Everybody will have read it by the next scene.")


def _show_briefs(found: Briefs) -> None:
    for item in found.active_briefs:
        out(safe(f"{item.number}. {' '.join(item.text.split())}"))
    if not found.active_briefs:
        out("No brief holds.")


def _show_board(found: Board) -> None:
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


@click.command(epilog=examples('gm event "The heating is repaired" --weekday Wednesday --time noon --with A,B'))
@click.argument("text", nargs=-1)
@world_option
@_day_option
@click.option("--in", "in_days", type=click.IntRange(min=0), metavar="N", help="So many days after the current one.")
@click.option("--weekday", metavar="NAME", help="The next day of this name.")
@_time_option
@place_option
@click.option(
    "--type",
    "kind",
    default="",
    help="Which scene is played: event (the default), meeting, …",
    shell_complete=complete.scene_types,
)
@cast_option("Who takes part. Default: all.")
@click.option("--lead", metavar="A", default="", help="Who opens it.", shell_complete=complete.agents)
@click.option("--remove", metavar="N|BEGINNING", help="Take an event out of the calendar.")
@click.option("--list", "listed", is_flag=True, help="Show the calendar from today on.")
@json_option
def event(
    layout: Layout,
    text: tuple[str, ...],
    day: int | None,
    in_days: int | None,
    weekday: str | None,
    time: str,
    place: str,
    kind: str,
    cast: tuple[str, ...],
    lead: str,
    remove: str | None,
    listed: bool,
    as_json: bool,
) -> None:
    """Put something into the calendar.

    At one of the four times of day it is played as a scene on its day; anything else is a deadline that everybody sees
    coming.
    """
    from gm.api.board import EventWish, describe_events, remove_event, schedule_event

    _require_one("gm event TEXT", text, remove is not None, listed)
    _require_one_day(day, in_days, weekday)
    if listed:
        show(describe_events(read_world(layout)), as_json, _show_calendar)
    elif remove is not None:
        gone, notes = remove_event(layout, remove)
        show(gone, as_json, lambda found: out(safe("removed: " + _event_line(found.removed))), notes)
    else:
        wish = EventWish(text_of(text), day, in_days, weekday or "", time, place, kind, split_names(cast), lead)
        planned, notes = schedule_event(layout, wish)
        show(planned, as_json, _show_event, notes)


@click.command()
@world_option
@click.option("--topic", required=True, help="What it is about.")
@cast_option("Who takes part, the first one opens. Default: all.")
@_day_option
@_time_option
@place_option
@click.option("--now", is_flag=True, help="Play it at once, in the open day or in a newly opened one.")
@model_options
@json_option
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
) -> None:
    """Call a meeting about a topic.

    It stands in the calendar and is played on its day; with --now it is played at once, as gm scene meeting does.
    """
    names = split_names(cast)
    if not now:
        if model is not None or seed is not None:
            raise UsageError("nobody is asked before the meeting is played", "--model and --seed go with --now")
        from gm.api.board import EventWish, schedule_event

        lead = names[0] if names else ""
        wish = EventWish(topic, day, None, "", time, place, "MEETING", names, lead)
        planned, notes = schedule_event(layout, wish, "gm meeting")
        show(planned, as_json, _show_event, notes)
        return
    if day is not None or time:
        raise UsageError("--now is at once", "leave --day and --time out")
    from gm.play.edits import clean_text
    from gm.scene.choosing import SceneWish

    play_now(layout, "gm meeting", SceneWish("meeting", names, clean_text(topic), place), model, seed, as_json)


def _require_one_day(day: int | None, in_days: int | None, weekday: str | None) -> None:
    if sum(item is not None for item in (day, in_days, weekday)) > 1:
        raise UsageError("the day is said more than once", "say one of --day, --in and --weekday")


def _show_calendar(found: Calendar) -> None:
    for item in found.events:
        out(safe(f"{item.number}. {_event_line(item)}"))
    for weekly in found.weekly:
        when = ", ".join(str(weekly[key]) for key in ("weekday", "time") if weekly.get(key))
        out(safe(f"every {when}: {weekly.get('event', '')} (gm.yaml)"))
    if not found.events and not found.weekly:
        out("Nothing is in the calendar.")


def _show_event(item: PlannedEvent) -> None:
    out(safe(_event_line(item)))


def _event_line(item: PlannedEvent) -> str:
    event = item.event
    when = ", ".join(filter(None, (f"day {event.day}", item.weekday, event.time, event.place)))
    kind = f" [{event.type}]" if event.type else ""
    people = f" with {', '.join(event.cast)}" if event.cast else ""
    lead = f", {event.lead} opens it" if event.lead else ""
    shown = "" if item.played else " (a deadline: everybody sees it coming, it is no scene)"
    return f"{when}: {event.event}{kind}{people}{lead}{shown}"
