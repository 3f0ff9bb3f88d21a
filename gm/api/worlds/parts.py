"""Make further parts of a world: places, scene types, guests; switch a layer of the minds on or off."""

from __future__ import annotations

from dataclasses import dataclass

from gm.api.editing.desk import editing, required_line
from gm.api.editing.textfiles import change_settings
from gm.api.worlds.new import Named, check_new_character, lay_persona, render_persona, safe_line
from gm.base.config.kinds import SWITCHES
from gm.base.errors import PromptError, UsageError, refuse_errors, say
from gm.base.frontmatter import FENCE, split_front_matter
from gm.files.commits.steps import Create
from gm.files.editable import SCENES, TEMPLATE
from gm.files.formats.text import read_text
from gm.files.formats.yamledit import set_yaml
from gm.files.layout import Layout
from gm.files.story.now import load_cast, load_now, load_settings, need_settings
from gm.llm.base import MAILBOX
from gm.model.world import World
from gm.play.prompts import open_prompts
from gm.scene.grounding.attendance import coming_day
from gm.scene.pieces.names import slug


def add_place(layout: Layout, name: str, text: str) -> str:
    """Add a place to ``gm.yaml``, and return its id.

    Raises:
        UsageError: There is no name, or a place with it exists.
    """
    settings = need_settings(layout)
    place = slug(required_line(name, "a place"), f"place-{len(settings.places) + 1}")
    if place in settings.places:
        raise UsageError(say("there is a place {name} already", place), "give this one another name")
    change_settings(layout, "add a place", ("places", place), required_line(text, "what the place is like"))
    return place


def scene_type_patterns(layout: Layout) -> tuple[str, ...]:
    """Return the names of the scene types, packaged and own, that a new one can begin as.

    Empty without prompts in the world's language.
    """
    try:
        names = open_prompts(layout, load_settings(layout)[0]).names()
    except PromptError:
        return ()
    return tuple(name.removeprefix(f"{SCENES}/").removesuffix(TEMPLATE) for name in names if name.startswith(SCENES))


def add_scene_type(layout: Layout, name: str, pattern: str) -> str:
    """Make a scene type in the world's language from the template of another one, and return its path.

    Raises:
        UsageError: A type of this name exists, or the pattern does not.
    """
    known = scene_type_patterns(layout)
    if pattern not in known:
        raise UsageError(f"there is no scene type {pattern!r}", "known: " + ", ".join(known))
    settings = need_settings(layout)
    stem = slug(required_line(name, "a scene type"), "")
    if not stem or stem in known:
        raise UsageError(
            say("{name} is the name of a scene type already, or has no letters", repr(name)), "choose another name"
        )
    source = open_prompts(layout, settings).find(f"{SCENES}/{pattern}{TEMPLATE}")
    assert source is not None
    text, problems = read_text(source, source.name)
    refuse_errors(problems, f"the scene type {pattern} cannot be read", "correct it, or choose another one")
    path = layout.shown(layout.prompts / settings.language / SCENES / f"{stem}{TEMPLATE}")
    with editing(layout, "add a scene type") as desk:
        desk.commit([Create(path, _with_type(text.body, stem.upper()))], recorded=False)
    return path


def switch_part(layout: Layout, name: str, value: str) -> None:
    """Switch a part of the minds on or off in ``gm.yaml``; every other byte stays.

    Args:
        name: One of ``Settings.switches``.
        value: One of ``SWITCHES``.

    Raises:
        UsageError: There is no such switch or value.
    """
    settings = need_settings(layout)
    if name not in settings.switches or value not in SWITCHES:
        raise UsageError(f"{name!r} cannot be switched {value!r}", "switches: " + ", ".join(settings.switches))
    is_section = not isinstance(getattr(settings, name), str)
    change_settings(layout, "switch a layer", (name, "enabled") if is_section else (name,), value)


def _with_type(text: str, name: str) -> str:
    head, body, _ = split_front_matter(text)
    return f"{FENCE}\n{set_yaml(head or '', ('type',), name)}{FENCE}\n{body if head is not None else text}"


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
        raise UsageError("a guest needs a name and a sentence that introduces it")
    first = guest_day(layout)
    day = first if guest.day is None else guest.day
    if day < first:
        raise UsageError(say("day {day} is over", day), say("a guest can come on day {day} or later", first))
    name, place = check_new_character(layout, called, guest.place)
    front = {"name": called.name, "home": place, "model": MAILBOX, "visits": [day]}
    lay_persona(layout, name, render_persona(front, called.text))
    return name
