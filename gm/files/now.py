"""The files that say how things are now: settings, clock, bulletin board, characters. None of them grows with history.

Every problem is collected, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from gm.base.config import Settings, parse_settings
from gm.base.errors import Problem, Severity
from gm.base.texts import text_at
from gm.files.first import first_bulletin, first_clock
from gm.files.forms.faults import twice_problems
from gm.files.forms.jsonfile import Document, read_document
from gm.files.forms.places import json_place, yaml_place
from gm.files.forms.text import BOM, emptied, is_there
from gm.files.forms.yamlfile import read_front_matter, read_yaml
from gm.files.layout import Layout
from gm.model.clock import BOARD, CLOCK, Clock, Post
from gm.model.record import Record
from gm.model.state import AGENT_STATE, AgentState, Persona

T = TypeVar("T")


def load_settings(layout: Layout) -> tuple[Settings, list[Problem]]:
    """Read ``gm.yaml``; an absent file means all defaults."""
    shown = layout.shown(layout.settings)
    data, text, problems = read_yaml(layout.settings, shown)
    settings, wrong = parse_settings(data)
    for item in wrong:
        line, column = yaml_place(text, item.keys, key=item.code == "setting-unknown")
        severity: Severity = "error" if item.is_error else "warning"
        problems.append(Problem(shown, line, column, severity, item.code, item.message, item.hint))
    if settings.lenses:
        # few worlds have any
        from gm.files.layers.lenses import settings_lens_problems

        problems += settings_lens_problems(text, shown, list(settings.lenses))
    return settings, problems


def read_clock(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read the document ``state/world.json``; while nothing has been played, an absent one is that of day 0."""
    document, problems = _read(layout, layout.world)
    if document.exists or layout.logged_days():
        return document, problems
    return replace(document, data=first_clock(load_settings(layout)[0])), problems


def read_board(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read the document ``state/bulletin.json``; while nothing has been played, an absent one is that of day 0."""
    document, problems = _read(layout, layout.bulletin)
    if document.exists or layout.logged_days() or load_clock(layout)[0].day:
        return document, problems
    return replace(document, data=first_bulletin(load_settings(layout)[0])), problems


def load_clock(layout: Layout) -> tuple[Clock, list[Problem]]:
    """Read ``state/world.json``; absent = day 0."""
    return _read_as(CLOCK, *read_clock(layout), layout.shown(layout.world))


def load_bulletin(layout: Layout) -> tuple[tuple[Post, ...], tuple[str, ...], list[Problem]]:
    """Read ``state/bulletin.json``: its posts and the decisions of the team."""
    board, problems = _read_as(BOARD, *read_board(layout), layout.shown(layout.bulletin))
    return board.posts, board.decisions, problems


def load_state(layout: Layout, name: str, persona: Persona | None) -> tuple[AgentState, list[Problem]]:
    """Read an agent file; name and position come from the persona where it has none, the mood if there is no file."""
    state, problems = load_written_state(layout, name)
    front = persona.front if persona else {}
    return replace(
        state,
        name=state.name or text_at(front, "name") or name,
        position=state.position or text_at(front, "home"),
        mood=state.mood if layout.agent(name).exists() else first_mood(front),
    ), problems


def first_mood(front: Mapping[str, Any]) -> str:
    """Return the mood in which a character begins: the first of a persona's ``moods``; empty where it has none."""
    moods = front.get("moods")
    return str(moods[0]) if isinstance(moods, list) and moods else ""


def load_written_state(layout: Layout, name: str) -> tuple[AgentState, list[Problem]]:
    """Read an agent file as it is: without name or position where it has none."""
    path = layout.agent(name)
    return _read_as(AGENT_STATE, *_read(layout, path), layout.shown(path))


def load_persona(layout: Layout, name: str) -> tuple[Persona | None, list[Problem]]:
    """Read a persona; None when there is none."""
    path = layout.persona(name)
    if not is_there(path):
        return None, []
    front, prose, problems = read_front_matter(path, layout.shown(path))
    if not (front or prose.strip() or problems):
        problems.append(emptied(layout.shown(path)))
    if "lenses" in front:
        from gm.files.layers.lenses import persona_lens_problems

        problems += persona_lens_problems(path, layout.shown(path), front["lenses"])
    return Persona(front, prose.strip()), problems


def _read(layout: Layout, path: Path) -> tuple[Document, list[Problem]]:
    """Read a JSON document; a key that stands in it twice cannot be read unambiguously."""
    shown = layout.shown(path)
    document, problems = read_document(path, shown)
    if document.data:
        problems += twice_problems(document.text.removeprefix(BOM), shown)
    return document, problems


def _read_as(record: Record[T], document: Document, problems: list[Problem], shown: str) -> tuple[T, list[Problem]]:
    """Read a document as a record: a value of another kind is a problem, and the default is used."""
    value, errors = record.read_all(document.data)
    body = document.text.removeprefix(BOM)
    for error in errors:
        place = json_place(body, error.place)
        problems.append(Problem(shown, *place, "error", error.code, error.message, error.hint))
    return value, problems
