"""Pages of a person who takes part: the mailbox, a letter, a question out of scene, a guest, files, what can be made.

Live only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from itertools import groupby

from gm.api.editing.textfiles import list_problems, open_text
from gm.api.playing.mailbox import Letter, find_letter, open_letters
from gm.api.reports.models import known_models
from gm.api.views.cast import ShownAgent
from gm.api.worlds.parts import guest_day
from gm.ask.reply.fields import Field, fill_fields
from gm.base.errors import UsageError
from gm.faces.web.new_world_forms import WAYS
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.pages.world import money
from gm.faces.web.site import NoPageError, Site
from gm.files.editable import editable_files
from gm.files.story.now import load_settings
from gm.files.streams.find import FoundMemory
from gm.files.streams.memories import OwnedRow
from gm.llm.local import find_servers, local_providers
from gm.play.slips import PLACES

NAMES = frozenset(("to", "with"))
"""Keys of a reply that name characters."""
TALKS = "plan.talk_to."
PIECE_KIND = "artifact.kind"
MOST_BESIDE = 12
NEW = ("character", "place", "event", "brief", "post", "thread", "scene-type")
"""The forms that make something, in the order of the page."""

Option = tuple[str, str]
"""A value and what is shown for it."""


def show_mailbox(site: Site) -> Shown:
    """Show all letters."""
    return {"title": site.words("letter.mailbox"), "letters": open_letters(site.layout), "since": _format_since}


def letter_of(site: Site, name: str) -> Letter:
    """Return a letter by its name.

    Raises:
        NoPageError: There is none.
    """
    try:
        return find_letter(site.layout, name)
    except UsageError as error:
        raise NoPageError(name) from error


def show_letter_form(site: Site, letter: str) -> Shown:
    """Show a letter with a form for its answer."""
    found = letter_of(site, letter)
    others = [one for one in open_letters(site.layout) if one.name != letter and one.is_open]
    return {
        "title": site.words("letter.title", who=_name_of(site, found.who)),
        "letter": found,
        "others": others,
        "values": fill_fields(found.fields, found.answer),
        "choices": _choices(site, found),
        "since": _format_since,
    }


def show_ask(site: Site, agent: ShownAgent) -> Shown:
    """Show a form for a question out of scene."""
    return {
        "title": site.words("letter.ask", who=agent.name),
        "agent": agent.id,
        "known": known_models(site.layout, site.environment),
        "servers": find_servers(local_providers(site.environment)) if site.editable else (),
        "values": {},
        "answered": None,
        "forecast": None,
        "money": partial(money, site.words),
        "notes": (),
        "remembered": partial(_find_memories, site, agent.id),
        "most": MOST_BESIDE,
    }


def _find_memories(site: Site, agent: str, identifiers: Iterable[str]) -> list[FoundMemory]:
    """Return memories of a character by their ids; those that are gone by now are left out."""
    with site.memories.shared_lock():
        held = site.memories.of(agent)
        rows = [row for identifier in identifiers if (row := held.find(identifier)) is not None]
        nodes = site.memories.nodes(OwnedRow(agent, row) for row in rows)
    return [FoundMemory(agent, node, row.home) for row, node in zip(rows, nodes, strict=True) if node]


def show_visitor(site: Site) -> Shown:
    """Show a form that invites a guest."""
    return {
        "title": site.words("letter.visitor"),
        "first": guest_day(site.layout),
        "places": dict(load_settings(site.layout)[0].places),
        "values": {},
    }


def show_files(site: Site) -> Shown:
    """Show the files that can be edited; with problems if a check is asked for, which takes time, or one was saved."""
    files = editable_files(site.layout)
    return {
        "title": site.words("files.title"),
        "groups": [(kind, list(each)) for kind, each in groupby(files, lambda file: file.kind)],
        "closed": {file.path for file in files if open_text(site.layout, file).problems},
        "found": list_problems(site.layout) if site.query.keys() & {"check", "saved"} else None,
    }


def show_make(site: Site) -> Shown:
    """Show what can be made, and what can be switched on."""
    switches = load_settings(site.layout)[0].switches
    return {"title": site.words("make.title"), "forms": NEW, "ways": [way.name for way in WAYS], "switches": switches}


def _format_since(letter: Letter) -> str:
    return datetime.fromtimestamp(letter.since_ns / 1e9).strftime("%H:%M")


def _name_of(site: Site, who: str) -> str:
    character = site.frame.shown_agent(who)
    return character.name if character else who or site.words("letter.nobody")


def _choices(site: Site, letter: Letter) -> Callable[[Field], list[Option]]:
    """Return a function that returns what can be chosen in a field, empty where a text is written."""
    settings = load_settings(site.layout)[0]
    places = [(place, site.frame.place_name(place)) for place in settings.places]
    kinds = [(kind, kind) for kind in settings.world.kinds]
    there = [(name, _name_of(site, name)) for name in letter.others]
    cast = [(character.id, character.name) for character in site.frame.cast if character.id != letter.who]

    def choices(field: Field) -> list[Option]:
        if field.key in NAMES:
            return [*cast, ("all", site.words("letter.all"))] if field.name.startswith(TALKS) else there
        if field.name == PIECE_KIND:
            return kinds
        return places if field.key in PLACES else []

    return choices


MAILBOX = PageKind("mailbox", "mailbox.html", "mailbox", show_mailbox, ("mailbox",), is_live=True)
LETTER = PageKind("letter", "mailbox/{letter}.html", "mailbox", show_letter_form, ("mailbox",), is_live=True)
ASK = PageKind("ask", "ask/{agent}.html", "agents", show_ask, ("personas",), is_live=True)
VISITOR = PageKind("visitor", "visitor.html", "agents", show_visitor, ("settings", "world"), is_live=True)
FILES = PageKind("files", "files.html", "files", show_files, is_live=True)
MAKE = PageKind("make", "make.html", "make", show_make, is_live=True)
