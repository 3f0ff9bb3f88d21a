"""Adopt a world: create the files it lacks and change none that exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict

from gm.api.answers.document import part, written_as
from gm.api.editing.desk import editing
from gm.api.imports.adopt.drafted import DraftedFile
from gm.api.imports.adopt.personas import draft_persona, place_texts
from gm.api.imports.adopt.settings import render_settings
from gm.api.imports.adopt.survey import Match, Survey, find_sources, match_sources, survey_world
from gm.base.config import parse_settings
from gm.base.errors import Problem, errors_in
from gm.files.commits.steps import Create
from gm.files.formats.yamlfile import load_yaml
from gm.files.layout import Layout
from gm.files.load import load_world


class FileMade(TypedDict):
    """A new file in the JSON of ``gm adopt``."""

    path: str
    source: Annotated[str | None, "the file that describes the character; null = none was found"]
    why: Annotated[str | None, "why that file was taken"]
    fill_in: Annotated[Sequence[str], "what to correct by hand"]


class ProblemPlace(TypedDict):
    """An error in a file that exists."""

    path: str
    line: Annotated[int, "from 1; 0 = the whole file"]
    column: Annotated[int, "from 1, in characters; 0 = the whole line"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file that adopting a folder would make, with its text."""

    path: str
    text: str
    source: str | None = None
    why: str | None = None
    fill_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Adoption:
    """What an adoption creates and found."""

    written: bool = False
    day: int
    day_open: bool = part("open")
    agents: tuple[str, ...]
    made: tuple[NewFile, ...] = part(by=written_as(FileMade))
    kept: tuple[str, ...]
    notes: tuple[str, ...]
    problems: tuple[Problem, ...] = part(by=written_as(ProblemPlace))


def plan_adoption(layout: Layout) -> Adoption:
    """Read a world and plan the files it lacks, without writing."""
    loaded = load_world(layout)
    survey = survey_world(layout, loaded)
    world = loaded.world
    bare = [agent for agent in world.agents.values() if agent.persona is None]
    sources = find_sources(layout)
    matches = match_sources(bare, sources)
    made: list[NewFile] = []
    if not layout.settings.exists():
        made.append(_draft_settings(layout, survey, matches))
    places = world.settings.places if layout.settings.exists() else survey.places
    for agent in bare:
        match = matches.get(agent.id)
        written = draft_persona(agent, match, places)
        path = layout.shown(layout.persona(agent.id))
        source, why = (match.source.path, match.why) if match else (None, None)
        made.append(NewFile(path, written.text, source, why, written.fill_in))
    kept = [path for path in (layout.settings, *(layout.persona(name) for name in world.agents)) if path.exists()]
    return Adoption(
        day=world.clock.day,
        day_open=world.clock.day_open,
        agents=tuple(world.agents),
        made=tuple(made),
        kept=tuple(layout.shown(path) for path in kept),
        notes=tuple(_note_matches(matches)),
        problems=tuple(errors_in(loaded.problems)),
    )


def write_adoption(layout: Layout, adoption: Adoption) -> list[str]:
    """Write the new files and return notes; existing files are left alone."""
    if not adoption.made:
        return []
    with editing(layout, "gm adopt") as desk:
        desk.commit([Create(item.path, item.text) for item in adoption.made], recorded=False)
    return desk.notes


def _draft_settings(layout: Layout, survey: Survey, matches: dict[str, Match]) -> NewFile:
    written: DraftedFile = render_settings(survey, place_texts(matches, survey.places))
    path = layout.shown(layout.settings)
    data, wrong = load_yaml(written.text, path)
    # the written settings must be readable; otherwise it is a bug, to be caught here
    assert not wrong, wrong
    assert not parse_settings(data)[1], parse_settings(data)[1]
    return NewFile(path, written.text, fill_in=written.fill_in)


def _note_matches(matches: dict[str, Match]) -> list[str]:
    notes = []
    for agent, match in matches.items():
        notes += [str(problem) for problem in match.source.problems]
        if match.others:
            notes.append(f"{agent}: {match.source.path} was taken; {', '.join(match.others)} might be meant as well")
    return notes
