"""Rules for the calendar, the places and the first events of ``gm.yaml``."""

from __future__ import annotations

from collections.abc import Iterator

from gm.base.casefold import casefold, is_named
from gm.base.errors import Problem
from gm.files.check.files import Files
from gm.files.forms.places import yaml_place
from gm.files.forms.text import read_text
from gm.model.calendar import is_known_weekday, same_weekday

Named = tuple[tuple[str | int, ...], object]
"""Keys below ``calendar``, and the value found there."""


def weekdays(files: Files) -> Iterator[Problem]:
    """Weekdays in the calendar are among ``calendar.weekdays``."""
    calendar = files.settings.calendar
    named: list[Named] = [
        (("weekly", number, "weekday"), item.get("weekday")) for number, item in enumerate(calendar.weekly)
    ]
    named += [(("off", number), item) for number, item in enumerate(calendar.off)]
    named += [(("away", number, "weekday"), item.get("weekday")) for number, item in enumerate(calendar.away)]
    for keys, name in named:
        if isinstance(name, str) and not any(same_weekday(name, known) for known in calendar.weekdays):
            unknown = "is no day of calendar.weekdays" if is_known_weekday(name) else "is no weekday"
            hint = "known: " + ", ".join(calendar.weekdays)
            yield _at(files, ("calendar", *keys), "weekday-unknown", f"{name!r} {unknown}; it never comes", hint)


def people(files: Files) -> Iterator[Problem]:
    """Characters named in the calendar exist."""
    known = {*files.names, *_called(files)}
    calendar = files.settings.calendar
    named: list[Named] = [(("away", number, "who"), item.get("who")) for number, item in enumerate(calendar.away)]
    for number, item in enumerate(calendar.weekly):
        cast = item.get("with")
        for place, who in enumerate(cast if isinstance(cast, list) else ()):
            named.append((("weekly", number, "with", place), who))
        named += [(("weekly", number, "lead"), item["lead"])] if "lead" in item else []
    for keys, name in named:
        if isinstance(name, str) and not is_named(name, known):
            hint = "the cast: " + ", ".join(files.names)
            yield _at(files, ("calendar", *keys), "agent-unknown", f"{name!r} is no agent of this world", hint)


def lunch(files: Files) -> Iterator[Problem]:
    """The place for lunch exists."""
    place, places = files.settings.day.lunch, files.settings.places
    if place and places and place not in places:
        hint = "known: " + ", ".join(places)
        yield _at(files, ("day", "lunch"), "place-unknown", f"lunch {place!r} is no place of gm.yaml", hint)


def start(files: Files) -> Iterator[Problem]:
    """Events at the start have a day and a text; afterwards the clock has them."""
    if files.layout.world.exists() or files.logs:
        return
    for number, item in enumerate(files.settings.start.events):
        if not isinstance(item.get("day"), int) or not isinstance(item.get("event"), str):
            message = "an event of start needs day (a whole number) and event (a text)"
            yield _at(files, ("start", "events", number), "event-form", message, "it is not read as it stands")


def _called(files: Files) -> Iterator[str]:
    for doc in files.agents.values():
        name = doc.data.get("name")
        if isinstance(name, str) and name.split():
            yield from (casefold(name), name.split()[0])


def _at(files: Files, keys: tuple[str | int, ...], code: str, message: str, hint: str) -> Problem:
    layout = files.layout
    text, _ = read_text(layout.settings, layout.shown(layout.settings))
    line, column = yaml_place(text.body, keys)
    return Problem(layout.shown(layout.settings), line, column, "warning", code, message, hint)


RULES = (weekdays, people, lunch, start)
