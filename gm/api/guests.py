"""A guest: a character who is there on one day only, and whom a person plays."""

from __future__ import annotations

from dataclasses import dataclass

from gm.api.new import Named, check_new_character, lay_persona, render_persona, safe_line
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.load import load_cast
from gm.files.now import load_now
from gm.llm.base import MAILBOX
from gm.model.world import World
from gm.scene.attendance import coming_day


@dataclass(frozen=True, slots=True)
class Guest:
    """A guest to be invited.

    Attributes:
        text: Who it is, in a sentence or two, as one would tell it to the guest.
        day: Story day; None = the open day, else the coming one.
    """

    name: str
    text: str
    day: int | None = None
    place: str = ""


def guest_day(layout: Layout) -> int:
    """Return the first day on which a guest can come: the open one, else the next that is played."""
    settings, clock, _ = load_now(layout)
    return coming_day(World(settings, clock, agents=load_cast(layout)[0]))


def invite(layout: Layout, guest: Guest) -> str:
    """Add a guest to the world, and return its id.

    Raises:
        UsageError: The name is taken, the day is over, or the place unknown.
        BrokenWorldError: ``gm.yaml`` cannot be read.
    """
    called = Named(safe_line(guest.name), safe_line(guest.text))
    if not called.name or not called.text:
        raise UsageError("a guest needs a name, and a sentence that says who it is")
    first = guest_day(layout)
    day = first if guest.day is None else guest.day
    if day < first:
        raise UsageError(f"day {day} is over", f"a guest can come on day {first} or later")
    name, place = check_new_character(layout, called, guest.place)
    front = {"name": called.name, "home": place, "model": MAILBOX, "visits": [day]}
    lay_persona(layout, name, render_persona(front, called.text))
    return name
