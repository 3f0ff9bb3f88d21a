"""``gm event`` and ``gm meeting``: what is in the calendar."""

from __future__ import annotations

from typing import Any

import click

from gm.cli import complete
from gm.cli.options import examples, json_option, model_options, read_world, split_names, text_of, world_option
from gm.cli.terminal import out, out_json, safe, say
from gm.errors import UsageError
from gm.store.layout import Layout

TIME_HELP = "morning, noon, afternoon (the default) or evening; another word makes it a deadline, which is only shown."


@click.command(epilog=examples('gm event "The heating is repaired" --weekday Wednesday --time noon --with A,B'))
@click.argument("text", nargs=-1)
@world_option
@click.option(
    "--day",
    type=click.IntRange(min=0),
    metavar="N",
    help="Story day. Default: the open or the coming one.",
)
@click.option("--in", "in_days", type=click.IntRange(min=0), metavar="N", help="So many days after the current one.")
@click.option("--weekday", metavar="NAME", help="The next day of this name.")
@click.option("--time", default="", help=TIME_HELP)
@click.option("--location", "place", default="", help="Where it happens.", shell_complete=complete.places)
@click.option(
    "--type",
    "kind",
    default="",
    help="Which scene is played: event (the default), meeting, …",
    shell_complete=complete.scene_types,
)
@click.option(
    "--with",
    "cast",
    metavar="A,B",
    multiple=True,
    help="Who takes part. Default: all.",
    shell_complete=complete.agent_lists,
)
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
    from gm.tools.events import EventWish, describe_events, remove_event, schedule_event

    if bool(text) + (remove is not None) + listed != 1:
        raise UsageError(
            "one thing at a time" if text or remove or listed else "there is no text",
            "write: gm event TEXT, or see --help",
        )
    _require_one_day(day, in_days, weekday)
    if listed:
        document = describe_events(read_world(layout))
        _show(document, as_json, [], _calendar(document))
    elif remove is not None:
        document, notes = remove_event(layout, remove)
        _show(document, as_json, notes, ["removed: " + _line(document["removed"])])
    else:
        wish = EventWish(text_of(text), day, in_days, weekday or "", time, place, kind, split_names(cast), lead)
        document, notes = schedule_event(layout, wish)
        _show(document, as_json, notes, [_line(document)])


@click.command()
@world_option
@click.option("--topic", required=True, help="What it is about.")
@click.option(
    "--with",
    "cast",
    metavar="A,B",
    multiple=True,
    help="Who takes part, the first one opens. Default: all.",
    shell_complete=complete.agent_lists,
)
@click.option(
    "--day",
    type=click.IntRange(min=0),
    metavar="N",
    help="Story day. Default: the open or the coming one.",
)
@click.option("--time", default="", help=TIME_HELP)
@click.option("--location", "place", default="", help="Where it happens.", shell_complete=complete.places)
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
        from gm.tools.events import EventWish, schedule_event

        lead = names[0] if names else ""
        wish = EventWish(topic, day, None, "", time, place, "MEETING", names, lead)
        document, notes = schedule_event(layout, wish, "gm meeting")
        _show(document, as_json, notes, [_line(document)])
        return
    if day is not None or time:
        raise UsageError("--now is at once", "leave --day and --time out")
    _play_now(layout, topic, names, place, model, seed, as_json)


def _play_now(
    layout: Layout, topic: str, cast: tuple[str, ...], place: str, model: str | None, seed: int | None, as_json: bool
) -> None:
    from gm.cli.show import DayView
    from gm.day.edits import clean_text
    from gm.day.run import game_master
    from gm.scene.requested_scene import SceneWish
    from gm.tools.mind.minds import SceneMinds
    from gm.tools.models import choose_for

    view = DayView(quiet=as_json)
    wish = SceneWish("meeting", cast, clean_text(topic), place)
    choice = choose_for(layout, model, view.notice)
    view.chosen(choice)
    with view, game_master(layout, choice, view, command="gm meeting", seed=seed, minds=SceneMinds) as master:
        change = master.play_wish(wish)
    if as_json:
        out_json(change.log)


def _require_one_day(day: int | None, in_days: int | None, weekday: str | None) -> None:
    if sum(item is not None for item in (day, in_days, weekday)) > 1:
        raise UsageError("the day is said more than once", "say one of --day, --in and --weekday")


def _show(document: dict[str, Any], as_json: bool, notes: list[str], lines: list[str]) -> None:
    for note in notes:
        say(safe(note))
    if as_json:
        out_json(document)
        return
    for line in lines:
        out(safe(line))


def _calendar(document: dict[str, Any]) -> list[str]:
    lines = [f"{item['number']}. {_line(item)}" for item in document["events"]]
    for item in document["weekly"]:
        when = ", ".join(str(item[key]) for key in ("weekday", "time") if item.get(key))
        lines.append(f"every {when}: {item.get('event', '')} (gm.yaml)")
    return lines or ["Nothing is in the calendar."]


def _line(item: dict[str, Any]) -> str:
    when = ", ".join(filter(None, (f"day {item['day']}", item["weekday"], item["time"], item.get("place", ""))))
    kind = f" [{item['type']}]" if item.get("type") else ""
    people = f" with {', '.join(item['with'])}" if item.get("with") else ""
    lead = f", {item['lead']} opens it" if item.get("lead") else ""
    shown = "" if item["played"] else " (a deadline: everybody sees it coming, it is no scene)"
    return f"{when}: {item['event']}{kind}{people}{lead}{shown}"
