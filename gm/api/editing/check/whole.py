"""Check a whole world, and apply safe corrections."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypedDict

from gm.api.answers.document import part, written_as
from gm.api.editing.check.prompts import check_prompts
from gm.api.editing.desk import editing
from gm.api.editing.gift import check_gifts
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.scenetypes import parse_scene_type
from gm.base.casefold import search_key
from gm.base.config import Settings
from gm.base.errors import Problem, PromptError, Severity
from gm.files.check.fix import CorrectedFile, corrections
from gm.files.check.kinds import check_kinds
from gm.files.check.whole import Findings, check_files
from gm.files.commits.snapshot import snapshot
from gm.files.experiments.scripttext import EVERY_DAY, ScriptNames, load_script, script_files
from gm.files.formats.text import unreadable
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.story.now import load_cast, load_now
from gm.model.calendar import parse_ref
from gm.model.scene import SceneType
from gm.scene.directing.script import SCRIPT


class ProblemShown(TypedDict):
    """A problem."""

    severity: Annotated[Severity, "error is ambiguous, warning off the schema, info legitimate variety"]
    code: str
    path: Annotated[str, "inside the world, with forward slashes"]
    line: Annotated[int, "from 1; 0 = the whole file"]
    column: Annotated[int, "from 1, in characters; 0 = the whole line"]
    message: str
    hint: Annotated[str, "what to do; may be empty"]


def check_world(layout: Layout, *, history: bool = True) -> Findings:
    """Check all files of a world against all rules.

    Args:
        history: As for ``check_files``.
    """
    kinds = list(check_kinds(layout))
    try:
        types, problems = check_prompts(layout)
        found = check_files(layout, types, history=history)
        more = (*problems, *check_scripts(layout), *check_gifts(layout), *kinds)
        return replace(found, problems=tuple(sorted({*found.problems, *more})))
    except OSError as error:
        # a folder of the world cannot be listed, so its content is unknown
        path = layout.shown(Path(os.fsdecode(error.filename or layout.root)))
        return Findings(0, 0, 0, tuple(sorted({*kinds, unreadable(error, path)})))


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of items read, and of problems by severity."""

    agents: int
    memories: int
    scenes: int
    errors: int
    warnings: int
    infos: int


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of a check; ``ok`` = no errors."""

    ok: bool
    counts: Counts
    problems: tuple[Problem, ...] = part(by=written_as(ProblemShown))


def describe_report(report: Findings, more: Iterable[Problem] = ()) -> CheckReport:
    """Return the report of findings, and of ``more``."""
    problems = (*more, *report.problems)
    count = Counter(problem.severity for problem in problems)
    counts = Counts(report.agents, report.memories, report.scenes, count["error"], count["warning"], count["info"])
    return CheckReport(not count["error"], counts, problems)


def find_corrections(layout: Layout) -> list[CorrectedFile]:
    """Return the possible corrections, without writing."""
    with snapshot(layout):
        return corrections(layout)


def write_corrections(layout: Layout, found: Sequence[CorrectedFile]) -> list[str]:
    """Write corrections, all or none, except to files edited meanwhile; returns notes."""
    with editing(layout, "gm check --fix") as desk:
        desk.commit([correction.step for correction in found])
        return desk.notes


def check_scripts(layout: Layout) -> list[Problem]:
    """Return the problems of all scripts of a world."""
    paths = script_files(layout)
    if not paths:
        return []
    settings, clock, _ = load_now(layout)
    types = _scene_types(layout, settings.language)
    if not types:
        return []  # the prompts cannot be read, which is reported elsewhere
    agents, _ = load_cast(layout)
    # by the day of a script all characters may have memories
    known = ScriptNames(types, agents, frozenset(settings.places), frozenset(agents))
    found = [problem for path in paths for problem in load_script(path, layout.shown(path), known)[1]]
    for path in paths:
        if not _has_day(path.stem, settings):
            found.append(_report_unnamed_script(layout.shown(path)))
        elif settings.director != SCRIPT and not _is_over(path.stem, clock.coming):
            found.append(_report_unplayed_script(layout.shown(path), settings.director))
    return found


def _is_over(stem: str, coming: int) -> bool:
    day = parse_ref(stem)
    return day is not None and day.day < coming


def _report_unplayed_script(shown: str, director: str) -> Problem:
    message = f"the script is not played: director is {director} in gm.yaml"
    return Problem(
        shown, 0, 0, "warning", "script-unplayed", message, "set director: script there, or play with --director script"
    )


def _has_day(stem: str, settings: Settings) -> bool:
    day = parse_ref(stem)
    named = (EVERY_DAY, *settings.calendar.weekdays)
    return (day is not None and not day.scene) or search_key(stem) in map(search_key, named)


def _report_unnamed_script(shown: str) -> Problem:
    message = "no day has this name: the script is played with --script only"
    return Problem(shown, 0, 0, "info", "script-name", message, "days are day-003, a weekday, every-day")


def _scene_types(layout: Layout, language: str) -> dict[str, SceneType]:
    types = {}
    try:
        prompts = Prompts(layout.prompts, shipped_prompts(), language)
    except PromptError:
        return {}
    for name in prompts.names():
        path = prompts.find(name)
        if name.startswith("scenes/") and path is not None:
            try:
                kind = parse_scene_type(path, name)
            except PromptError:
                continue
            types[kind.name] = kind
    return types
