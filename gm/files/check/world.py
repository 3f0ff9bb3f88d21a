"""Rules for the clock, the bulletin board, and the calendar, places and first events of ``gm.yaml``."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.casefold import is_named
from gm.base.config.kinds import is_number
from gm.base.errors import Problem, say
from gm.base.untyped import items_of, objects_in, text_at, texts_in
from gm.files.check.agents import number_forms
from gm.files.check.artifacts import judge_again
from gm.files.check.files import Files
from gm.files.check.text import figure, unknown_place
from gm.files.commits.changes import find_written
from gm.files.formats.places import yaml_place
from gm.files.formats.text import is_there, read_text
from gm.files.story.now import load_cast, report_late_clock, report_lost_logbooks, report_no_language
from gm.layers import LAYERS
from gm.model.calendar import is_known_weekday, is_time_of_day, same_weekday, weekday
from gm.model.thread import is_impossible_clock

_CLOCK = "the clock goes from 00:00 to 23:59"
Named = tuple[tuple[str | int, ...], object]
"""Keys below ``calendar``, and the value found there."""


def check_world_numbers(files: Files) -> Iterator[Problem]:
    """Whole numbers may be written ``5.00``."""
    yield from number_forms(files.world, ("day", "scenes_today", "scenes_total"))


def check_clock(files: Files) -> Iterator[Problem]:
    """The clock has a known time of day, and the weekday of the calendar."""
    doc = files.world
    time = doc.data.get("time_of_day")
    if isinstance(time, str) and time and not is_time_of_day(time):
        yield doc.at(("time_of_day",), "info", "clock-time", f"time of day {time!r} is outside the list")
    name, day = doc.data.get("day_of_week"), files.day
    expected = weekday(day, files.settings.calendar.weekdays) if day and files.is_set else ""
    if isinstance(name, str) and name and expected and name != expected:
        message = f"day_of_week is {name!r}, but day {day} is {expected!r} in the calendar of gm.yaml"
        yield doc.at(("day_of_week",), "info", "clock-weekday", message, "set calendar.weekdays in gm.yaml")


def check_counts(files: Files) -> Iterator[Problem]:
    """The counters of the clock match the logbooks."""
    doc, day = files.world, files.day
    if not doc.data or day is None or any(log.problems for log in files.logs):
        return
    latest = max((log.day for log in files.logs if log.scenes), default=0)
    if latest and latest > day:
        yield report_late_clock(files.layout, day)
    today = sum(len(log.scenes) for log in files.logs if log.day == day)
    total = sum(len(log.scenes) for log in files.logs)
    for key, logged, holder in (
        ("scenes_today", today, f"the logbook of day {day} holds"),
        ("scenes_total", total, "the logbooks hold"),
    ):
        value = doc.data.get(key)
        if is_number(value) and value != logged:
            hint = "correct it, or look for a lost logbook line in git"
            yield doc.at((key,), "warning", "scene-count", f"{key} is {figure(value)}, {holder} {logged}", hint)


def check_logbooks(files: Files) -> Iterator[Problem]:
    """Each day has a logbook."""
    yield from report_lost_logbooks(files.layout)


def check_language(files: Files) -> Iterator[Problem]:
    """A world with characters says its language."""
    yield from report_no_language(files.layout)


def check_lost(files: Files) -> Iterator[Problem]:
    """The board (also with an active brief), threads and layers of the cast are there if gm has written them."""
    layout = files.layout
    minds = (layout.layer(layer, name) for layer in LAYERS for name in files.names)
    absent = [path for path in (layout.bulletin, layout.threads, *minds) if files.history and not is_there(path)]
    lost = find_written(layout, map(layout.shown, absent)) if absent else []
    if layout.bulletin in absent and files.logs and texts_in(files.world.data.get("active_briefs")):
        lost = sorted({layout.shown(layout.bulletin), *lost})  # that of a new world is in no record of a day
    for shown in lost:
        message, empty = "gm has written this file, and it is missing", "{}" if shown.endswith(".json") else "nothing"
        hint = f"restore it (git checkout -- {shown}, or a backup); a file with {empty} in it ends this warning"
        yield Problem(shown, 0, 0, "warning", "file-deleted", message, hint)


def check_scheduled_events(files: Files) -> Iterator[Problem]:
    """A scheduled event has a day and a text; with another time than those of a day, it is a deadline."""
    items = files.world.data.get("scheduled_events")
    for index, item in enumerate(items_of(items)):
        keys = ("scheduled_events", index)
        if not isinstance(item, dict) or type(item.get("day")) is not int or not isinstance(item.get("event"), str):
            message = "a scheduled event needs day (a whole number) and event (a text)"
            yield files.world.at(keys, "warning", "event-form", message, "it is not read")
            continue
        time = item.get("time")
        if isinstance(time, str) and is_impossible_clock(time):
            yield files.world.at((*keys, "time"), "warning", "event-time", f"{time!r} is not a time", _CLOCK)
        elif isinstance(time, str) and time and not is_time_of_day(time):
            message = f"time {time!r} is not one of morning, noon, afternoon, evening: no scene, but a deadline"
            yield files.world.at((*keys, "time"), "info", "event-time", message, "nothing to do if that is meant")


def check_texts(files: Files) -> Iterator[Problem]:
    """Briefs are texts that hang on the board; artifacts name files."""
    briefs = files.world.data.get("active_briefs")
    posts = [post.get("content") for post in objects_in(files.bulletin.data.get("posts"))]
    for index, item in enumerate(items_of(briefs)):
        if not isinstance(item, str):
            message = say("{key} holds {value}, expected {part}", "active_briefs", f"{item!r:.40}", "a text")
            yield files.world.at(("active_briefs", index), "warning", "brief-form", message, "it is not read")
        elif files.bulletin.data and item not in posts:
            hint = "every character still reads it; to end it: gm brief --done"
            yield files.world.at(("active_briefs", index), "warning", "brief-bare", "no post has this text", hint)
    artifacts = files.world.data.get("artifacts_today")
    for index, item in enumerate(items_of(artifacts)):
        for found in judge_again(item, files):
            keys = ("artifacts_today", index, *found.keys)
            yield files.world.at(keys, found.severity, found.code, found.message, found.hint)


def check_posts(files: Files) -> Iterator[Problem]:
    """A post has a content, and a decision its text; others are ignored."""
    doc = files.bulletin
    for section, key in (("posts", "content"), ("team_decisions", "decision")):
        items = doc.data.get(section)
        for index, item in enumerate(items_of(items)):
            if not isinstance(item, dict) or not isinstance(item.get(key), str):
                message = f"{section} holds an entry without {key!r} (a text)"
                yield doc.at((section, index), "warning", "post-form", message, "it is not read")


def check_weekdays(files: Files) -> Iterator[Problem]:
    """Weekdays in the calendar are among ``calendar.weekdays``."""
    calendar = files.settings.calendar
    named: list[Named] = [
        (("weekly", number, "weekday"), item.get("weekday")) for number, item in enumerate(calendar.weekly)
    ]
    named += [(("off", number), item) for number, item in enumerate(calendar.off)]
    named += [(("away", number, "weekday"), item.get("weekday")) for number, item in enumerate(calendar.away)]
    for keys, name in named:
        if isinstance(name, str) and not any(same_weekday(name, known) for known in calendar.weekdays):
            unknown = "is not a day of calendar.weekdays" if is_known_weekday(name) else "is not a weekday"
            hint = "known: " + ", ".join(calendar.weekdays)
            yield _setting(files, ("calendar", *keys), "weekday-unknown", f"{name!r} {unknown}; it never comes", hint)


def check_weekly_times(files: Files) -> Iterator[Problem]:
    """Weekly events have a time that exists."""
    for number, item in enumerate(files.settings.calendar.weekly):
        if is_impossible_clock(time := str(item.get("time", ""))):
            keys = ("calendar", "weekly", number, "time")
            yield _setting(files, keys, "event-time", f"{time!r} is not a time", _CLOCK)


def check_people(files: Files) -> Iterator[Problem]:
    """Characters named in the calendar exist."""
    known = {*files.names, *_all_names(files)}
    calendar = files.settings.calendar
    named: list[Named] = [(("away", number, "who"), item.get("who")) for number, item in enumerate(calendar.away)]
    for number, item in enumerate(calendar.weekly):
        cast = item.get("with")
        for place, who in enumerate(items_of(cast)):
            named.append((("weekly", number, "with", place), who))
        named += [(("weekly", number, "lead"), item["lead"])] if "lead" in item else []
    for keys, name in named:
        if isinstance(name, str) and not is_named(name, known):
            hint = "the cast: " + ", ".join(files.names)
            yield _setting(files, ("calendar", *keys), "agent-unknown", f"{name!r} is not an agent of this world", hint)


def check_lunch(files: Files) -> Iterator[Problem]:
    """The place for lunch exists."""
    place, places = files.settings.day.lunch, files.settings.places
    if place and places and place not in places:
        yield _setting(files, ("day", "lunch"), *unknown_place("lunch", place, places)[1:])


def check_event_places(files: Files) -> Iterator[Problem]:
    """Events take place in one of the places, if there are any."""
    places = files.settings.places
    if not places:
        return
    for number, item in enumerate(files.settings.calendar.weekly):
        if (place := text_at(item, "place")) and place not in places:
            keys = ("calendar", "weekly", number, "place")
            yield _setting(files, keys, *unknown_place("place", place, places)[1:])
    for index, item in enumerate(items_of(files.world.data.get("scheduled_events"))):
        if isinstance(item, dict) and (place := text_at(item, "place")) and place not in places:
            yield files.world.at(("scheduled_events", index, "place"), *unknown_place("place", place, places))


def check_start(files: Files) -> Iterator[Problem]:
    """Events at the start have a day and a text; afterwards the clock has them."""
    if files.layout.world.exists() or files.logs:
        return
    for number, item in enumerate(files.settings.start.events):
        if not isinstance(item.get("day"), int) or not isinstance(item.get("event"), str):
            message = "an event of start needs day (a whole number) and event (a text)"
            yield _setting(files, ("start", "events", number), "event-form", message, "it is not read")


def _all_names(files: Files) -> Iterator[str]:
    for agent in load_cast(files.layout)[0].values():
        yield from (agent.name, agent.call_name)


def _setting(files: Files, keys: tuple[str | int, ...], code: str, message: str, hint: str) -> Problem:
    layout = files.layout
    text, _ = read_text(layout.settings, layout.shown(layout.settings))
    line, column = yaml_place(text.body, keys)
    return Problem(layout.shown(layout.settings), line, column, "warning", code, message, hint)


RULES = (
    check_world_numbers,
    check_clock,
    check_counts,
    check_logbooks,
    check_lost,
    check_language,
    check_scheduled_events,
    check_texts,
    check_posts,
    check_weekdays,
    check_weekly_times,
    check_people,
    check_lunch,
    check_event_places,
    check_start,
)
