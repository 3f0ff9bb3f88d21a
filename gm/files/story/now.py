"""Read the files of the present state; their size does not grow with history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from gm.base.config import FORMAT, Settings, parse_settings
from gm.base.errors import CORRECT_HINT, DISTRIBUTION, NewerWorldError, Problem, Severity, refuse_errors, say
from gm.base.frontmatter import split_front_matter, yaml_place
from gm.files.formats.document import Document, find_duplicate_keys, read_document
from gm.files.formats.look import cached_by_look
from gm.files.formats.text import is_there, read_readable, read_text, report_conflict, report_empty_file
from gm.files.formats.yamlfile import read_front_matter, read_yaml
from gm.files.layout import Layout
from gm.model.calendar import render_day, weekday
from gm.model.clock import BOARD, CLOCK, Clock, Post
from gm.model.front import NO_FRONT, Front
from gm.model.ids import name_from_id
from gm.model.persona import Persona
from gm.model.record import Record
from gm.model.state import AGENT_STATE, AgentState

if TYPE_CHECKING:
    from gm.model.world import Agent


def report_late_clock(layout: Layout, day: int) -> Problem:
    """Return the problem for a clock behind the logbook, in which the next day would be played once more."""
    shown, latest = layout.shown(layout.world), layout.logged_days()[-1]
    message: str = say("day is {day}, and the logbook goes on to day {last}", day, latest)
    hint = f"correct it, or go back: gm rewind {render_day(day)}"
    if not is_there(layout.world):
        message = say("the file is missing, and the logbook goes on to day {last}", latest)
        hint = f'restore it (git checkout -- {shown}, or a backup), or write {{"day": {latest}}}'
    return Problem(shown, 0, 0, "error", "clock-behind", message, hint)


def report_lost_settings(layout: Layout, settings: Settings, clock: Clock) -> Iterator[Problem]:
    """Yield the problem for an absent ``gm.yaml`` if gm played the clock's day with other weekdays than the default."""
    if is_other_weekday(settings, clock) and _is_recorded(layout, clock.day) and not is_there(layout.settings):
        name, default = clock.day_of_week, weekday(clock.day, settings.calendar.weekdays)
        message = f"the file is missing, and day {clock.day} was {name!r} by it, and by the defaults {default!r}"
        hint = f"restore it (git checkout -- gm.yaml), or write a new one; the default is language: {settings.language}"
        yield Problem("gm.yaml", 0, 0, "error", "settings-missing", message, hint)


def is_other_weekday(settings: Settings, clock: Clock) -> bool:
    """Return whether the clock names a weekday that the settings do not give its day."""
    return clock.day_of_week not in ("", weekday(clock.day, settings.calendar.weekdays))


def report_lost_logbooks(layout: Layout) -> Iterator[Problem]:
    """Yield a problem for each day without a logbook, after the first that has one or if gm recorded it."""
    days = layout.logged_days()
    for day in sorted({*range(1, days[-1])}.difference(days)) if days else ():
        if day > days[0] or _is_recorded(layout, day):
            shown = layout.shown(layout.day_log(day))
            message = f"day {day} has no logbook, and day {days[-1]} has one: its scenes are in no book and no page"
            hint = f"restore it (git checkout -- {shown}, or a backup); an empty file ends this warning"
            yield Problem(shown, 0, 0, "warning", "logbook-missing", message, hint)


def _is_recorded(layout: Layout, day: int) -> bool:
    return is_there(layout.changes / f"{render_day(day)}.jsonl")


def first_clock(settings: Settings) -> dict[str, Any]:
    """Return the ``world.json`` of day 0."""
    return {
        "day": 0,
        "day_of_week": "",
        "time_of_day": "evening",
        "scenes_today": 0,
        "scenes_total": 0,
        "scheduled_events": [dict(event) for event in settings.start.events],
        "active_briefs": [" ".join(settings.start.brief.split())] if settings.start.brief else [],
        "artifacts_today": [],
        "studio_status": settings.start.status,
        "day_open": False,
    }


def first_bulletin(settings: Settings) -> dict[str, Any]:
    """Return the ``bulletin.json`` of day 0, with the first brief."""
    brief = " ".join(settings.start.brief.split())
    posts = [{"from": settings.outside, "day": 0, "scene": 0, "type": "brief", "content": brief}]
    return {"posts": posts if brief else [], "team_decisions": []}


T = TypeVar("T")
_LANGUAGE = re.compile(r"^language:.*$", re.MULTILINE)


def load_settings(layout: Layout) -> tuple[Settings, list[Problem]]:
    """Read ``gm.yaml``; an absent file means all defaults, as an empty one does in a world without a played day.

    Raises:
        NewerWorldError: The world has a newer format.
    """
    shown = layout.shown(layout.settings)
    data, text, problems = read_yaml(layout.settings, shown)
    if [item.code for item in problems] == ["file-empty"] and not layout.logged_days():
        problems = []
    if problems and (stated := _LANGUAGE.search(text)):
        from gm.files.formats.yamlmap import read_mapping  # needed only here

        with suppress(ValueError):
            data = read_mapping(stated[0])  # the pages that show the problem keep their language
    settings, wrong = parse_settings(data)
    if settings.publish.private:
        from gm.layers.privacy import check_private  # most worlds need none of it

        settings, more = check_private(settings, partial(find_character, layout))
        wrong += more
    if settings.format > FORMAT:
        raise _newer_error(settings.format, shown, *yaml_place(text, ("format",)))
    for item in wrong:
        line, column = yaml_place(text, item.keys, key=item.code == "setting-unknown")
        severity: Severity = "error" if item.is_error else "warning"
        problems.append(Problem(shown, line, column, severity, item.code, item.message, item.hint))
    if settings.lenses:
        problems += _lens_problems(text, shown, list(settings.lenses), shared=True)
    return settings, problems


def need_settings(layout: Layout) -> Settings:
    """Return the settings.

    Raises:
        BrokenWorldError: ``gm.yaml`` cannot be read.
    """
    settings, problems = load_settings(layout)
    refuse_errors(problems, say("{path} cannot be read", layout.shown(layout.settings)), CORRECT_HINT)
    return settings


def _newer_error(number: int, shown: str, line: int, column: int) -> NewerWorldError:
    message = f"found format {number}, expected at most {FORMAT}"
    return NewerWorldError(
        f"this world has format {number}, and this version of gm reads worlds up to format {FORMAT}",
        f"install version 0.{number} or newer: pip install --upgrade '{DISTRIBUTION}>=0.{number}'",
        [Problem(shown, line, column, "error", "format-newer", message)],
    )


def read_clock(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read ``state/world.json`` as a document; absent = day 0."""
    document, problems = _read_strictly(layout, layout.world)
    if document.exists:
        return document, problems
    if layout.logged_days():
        return document, problems or [report_late_clock(layout, 0)]
    return document._replace(data=first_clock(load_settings(layout)[0])), problems


def read_board(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read ``state/bulletin.json`` as a document; absent = day 0."""
    document, problems = _read_strictly(layout, layout.bulletin)
    if document.exists or layout.logged_days() or load_clock(layout)[0].day:
        return document, problems
    return document._replace(data=first_bulletin(load_settings(layout)[0])), problems


def load_clock(layout: Layout) -> tuple[Clock, list[Problem]]:
    """Read ``state/world.json``; absent = day 0."""
    clock, problems = _read_as(CLOCK, *read_clock(layout), layout.shown(layout.world))
    if not problems and read_readable(layout.day_log(clock.day + 1)).strip():
        problems.append(report_late_clock(layout, clock.day))
    return clock, problems


def load_now(layout: Layout) -> tuple[Settings, Clock, list[Problem]]:
    """Read ``gm.yaml`` and ``state/world.json``."""
    settings, problems = load_settings(layout)
    clock, found = load_clock(layout)
    return settings, clock, [*problems, *found, *report_lost_settings(layout, settings, clock)]


def load_bulletin(layout: Layout) -> tuple[tuple[Post, ...], tuple[str, ...], list[Problem]]:
    """Read the posts and the decisions of ``state/bulletin.json``."""
    board, problems = _read_as(BOARD, *read_board(layout), layout.shown(layout.bulletin))
    return board.posts, board.decisions, problems


def load_state(layout: Layout, name: str, persona: Persona | None) -> tuple[AgentState, list[Problem]]:
    """Read an agent file with the name of the persona, if it has one.

    A missing position comes from the persona too, as does the mood if there is no file.
    """
    state, problems = load_written_state(layout, name)
    front = persona.front_values if persona else NO_FRONT
    return replace(
        state,
        name=front.name.strip() or state.name or (name_from_id(name) if persona else name),
        position=state.position or front.home,
        mood=state.mood if layout.agent(name).exists() else first_mood(front),
    ), problems


def load_whole_state(layout: Layout, name: str) -> tuple[AgentState, list[Problem]]:
    """Read an agent file and the persona; see ``load_state``."""
    persona, found = load_persona(layout, name)
    state, problems = load_state(layout, name, persona)
    return state, found + problems


def first_mood(front: Front) -> str:
    """Return the first of a persona's ``moods``; empty without any."""
    return next(iter(front.moods), "")


def load_written_state(layout: Layout, name: str) -> tuple[AgentState, list[Problem]]:
    """Read an agent file without values of the persona. An unchanged one is read once."""
    state, problems = _read_state(layout, name)
    return state, list(problems)


@cached_by_look(1000, Layout.agent)
def _read_state(layout: Layout, name: str) -> tuple[AgentState, tuple[Problem, ...]]:
    path = layout.agent(name)
    state, problems = _read_as(AGENT_STATE, *_read_strictly(layout, path), layout.shown(path))
    return state, tuple(problems)


def report_no_language(layout: Layout) -> list[Problem]:
    """Return the problem of a ``gm.yaml`` that says no language, in a world with characters."""
    shown = layout.shown(layout.settings)
    data, _, _ = read_yaml(layout.settings, shown)
    if not isinstance(data, dict) or not data or "language" in data or not layout.agent_names():
        return []
    message = say("no language is said: this world is played in {language}", repr(Settings().language))
    hint = f"write language: {Settings().language}, or that of the world (language: en)"
    return [Problem(shown, 0, 0, "warning", "language-missing", message, hint)]


def find_character(layout: Layout, text: str) -> str | None:
    """Return the id of the only character with this id, name or call name, in any case."""
    from gm.model.world import find_agent  # most commands need none of it

    return find_agent(load_cast(layout)[0], text)


def load_cast(layout: Layout) -> tuple[dict[str, Agent], list[Problem]]:
    """Read all characters, without their minds and memories."""
    from gm.model.world import Agent, with_call_names  # most commands need none of it

    cast, problems = {}, []
    for name in layout.agent_names():
        persona, found = load_persona(layout, name)
        problems += found
        state, found = load_state(layout, name, persona)
        problems += found
        cast[name] = Agent(name, state, persona)
    return with_call_names(cast), problems


def load_persona(layout: Layout, name: str) -> tuple[Persona | None, list[Problem]]:
    """Read a persona; None when there is none. An unchanged one is read once."""
    persona, problems = _read_persona(layout, name)
    return persona, list(problems)


@cached_by_look(1000, Layout.persona)
def _read_persona(layout: Layout, name: str) -> tuple[Persona | None, tuple[Problem, ...]]:
    path = layout.persona(name)
    if not is_there(path):
        return None, ()
    front, prose, problems = read_front_matter(path, layout.shown(path))
    if not (front or prose.strip() or problems):
        problems.append(report_empty_file(layout.shown(path)))
    if problems or report_conflict(prose, layout.shown(path)):  # one in the front matter is broken YAML too
        problems = report_conflict(read_text(path, layout.shown(path))[0].body, layout.shown(path)) or problems
    if "lenses" in front:
        head, _, _ = split_front_matter(read_text(path, layout.shown(path))[0].body)
        problems += _lens_problems(head or "", layout.shown(path), front["lenses"], lines_before=1)
    return Persona(front, prose.strip()), tuple(problems)


def _lens_problems(
    text: str, shown: str, value: object, *, shared: bool = False, lines_before: int = 0
) -> Iterator[Problem]:
    from gm.memory.lens import parse_lenses

    for item in parse_lenses(value, shared=shared)[1]:
        line, column = yaml_place(text, ("lenses", *item.place))
        yield Problem(shown, line + lines_before, column, "error", item.code, item.message, item.hint)


def _read_strictly(layout: Layout, path: Path) -> tuple[Document, list[Problem]]:
    shown = layout.shown(path)
    document, problems = read_document(path, shown)
    if document.data:
        problems += find_duplicate_keys(document.body, shown)
    return document, problems


def _read_as(record: Record[T], document: Document, problems: list[Problem], shown: str) -> tuple[T, list[Problem]]:
    value, errors = record.read_all(document.data)
    if errors:
        from gm.files.reading import document_problem  # most files have none

        problems += [document_problem(shown, document.body, error) for error in errors]
    return value, problems
