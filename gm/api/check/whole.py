"""Check a whole world, and apply safe corrections."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gm.api.check.prompts import check_prompts
from gm.api.check.scripts import check_scripts
from gm.api.document import part
from gm.api.editing import editing, left_alone
from gm.api.gift import check_gifts
from gm.base.errors import Problem
from gm.files.check.fix import Correction, corrections
from gm.files.check.kinds import check_kinds
from gm.files.check.whole import Findings, check_files
from gm.files.commits.snapshot import snapshot
from gm.files.forms.text import unreadable
from gm.files.layout import Layout

SHOWN = ("severity", "code", "path", "line", "column", "message", "hint")


def _problem_record(problem: Problem) -> dict[str, object]:
    return {key: getattr(problem, key) for key in SHOWN}


def check_world(layout: Layout) -> Findings:
    """Check all files of a world against all rules."""
    kinds = list(check_kinds(layout))
    try:
        types, problems = check_prompts(layout)
        found = check_files(layout, types)
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
class Report:
    """The result of a check; ``ok`` = no errors."""

    ok: bool
    counts: Counts
    problems: tuple[Problem, ...] = part(by=_problem_record)


def describe_report(report: Findings) -> Report:
    """Return the report of findings."""
    count = Counter(problem.severity for problem in report.problems)
    counts = Counts(report.agents, report.memories, report.scenes, count["error"], count["warning"], count["info"])
    return Report(not count["error"], counts, tuple(report.problems))


def find_corrections(layout: Layout) -> list[Correction]:
    """Return the possible corrections, without writing."""
    with snapshot(layout):
        return corrections(layout)


def write_corrections(layout: Layout, found: Sequence[Correction]) -> list[str]:
    """Write corrections, all or none, except to files edited meanwhile; returns notes."""
    with editing(layout, "gm check --fix") as desk:
        desk.commit([correction.step for correction in found], left_alone)
        return desk.notes
