"""Write what came from other tools into a world: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gm.api.editing import editing, left_alone
from gm.api.imports.arrival import Arrival, Source
from gm.api.imports.plan import BY_HAND, Plan
from gm.api.imports.texts import clean_text
from gm.base.errors import refuse_errors
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import Step, paths_of
from gm.files.layout import Layout
from gm.files.load import load_cast
from gm.files.now import load_settings


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a source: where it went, or why it was left aside."""

    part: str
    said: str


@dataclass(frozen=True, slots=True)
class Landed:
    """What one source has brought, or would bring.

    Attributes:
        people: Ids of new characters, and of those who were given something.
        files: Paths inside the world.
        scenario: A premise that the source suggests; it is written nowhere.
    """

    source: str
    format: str
    people: tuple[str, ...]
    files: tuple[str, ...]
    scenario: str
    mapped: tuple[Part, ...]
    left: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import has written, or would write.

    Attributes:
        others: Files of seed memories in which others come to know those who are new.
    """

    written: bool
    sources: tuple[Landed, ...]
    others: tuple[str, ...] = ()


def land(layout: Layout, arrivals: Sequence[tuple[Source, Arrival]], *, write: bool) -> tuple[Imported, list[str]]:
    """Write arrivals into a world in one commit; return what was written, and notes.

    Args:
        write: If False, only return what would be written.

    Raises:
        UsageError: A character of the same name exists, or one who is to be given something does not.
        BrokenWorldError: Files that are needed cannot be read.
    """
    if not write:
        with snapshot(layout):
            return _planned(layout, arrivals)[0], []
    with editing(layout, "gm import") as desk:
        imported, steps = _planned(layout, arrivals)
        # as a persona that was written by hand, what was imported is no part of the story that can be taken back
        desk.commit(steps, left_alone, recorded=False)
    return replace(imported, written=True), desk.notes


def _planned(layout: Layout, arrivals: Sequence[tuple[Source, Arrival]]) -> tuple[Imported, list[Step]]:
    settings, problems = load_settings(layout)
    cast, found = load_cast(layout)
    refuse_errors([*problems, *found], "files that this needs cannot be read as they are", BY_HAND)
    plan = Plan(layout, settings, cast)
    for source, arrival in arrivals:  # first, so that all of them can be named by each other
        plan.welcome(source, arrival)
    landed = tuple(_landed(plan, source, arrival) for source, arrival in arrivals)
    shared = plan.finish()
    told = {path for one in landed for path in one.files}
    others = tuple(sorted({path for step in shared for path in paths_of(step)} - told))
    return Imported(False, landed, others), [*shared, *plan.steps]


def _landed(plan: Plan, source: Source, arrival: Arrival) -> Landed:
    people, files, left = plan.add(source, arrival)
    return Landed(
        source.name,
        arrival.format,
        people,
        files,
        clean_text(arrival.scenario),
        tuple(Part(*pair) for pair in arrival.mapped),
        tuple(Part(*pair) for pair in (*arrival.left, *(("", problem) for problem in source.problems), *left)),
    )
