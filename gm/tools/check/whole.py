"""Check a whole world: every file, every rule, every prompt; and correct what is safe to correct."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from gm.errors import Problem
from gm.store.check.fix import Correction, corrections
from gm.store.check.kinds import check_kinds
from gm.store.check.whole import Findings, check_files
from gm.store.commits.snapshot import snapshot
from gm.store.commits.writer import writing
from gm.store.forms.text import unreadable
from gm.store.layout import Layout
from gm.tools.check.prompts import check_prompts
from gm.tools.check.scripts import check_scripts
from gm.tools.gift import check_gifts

SHOWN = ("severity", "code", "path", "line", "column", "message", "hint")


def check_world(layout: Layout) -> Findings:
    """Read every file of a world and hold it against every rule."""
    kinds = list(check_kinds(layout))
    try:
        types, problems = check_prompts(layout)
        found = check_files(layout, types)
        more = (*problems, *check_scripts(layout), *check_gifts(layout), *kinds)
        return replace(found, problems=tuple(sorted({*found.problems, *more})))
    except OSError as error:
        # a folder of the world refuses to be listed: what lies in it cannot be said
        path = layout.shown(Path(os.fsdecode(error.filename or layout.root)))
        return Findings(0, 0, 0, tuple(sorted({*kinds, unreadable(error, path)})))


def describe_report(report: Findings) -> dict[str, Any]:
    """Put what was found into the form of ``gm check --json``."""
    count = Counter(problem.severity for problem in report.problems)
    return {
        "ok": not count["error"],
        "counts": {
            "agents": report.agents,
            "memories": report.memories,
            "scenes": report.scenes,
            "errors": count["error"],
            "warnings": count["warning"],
            "infos": count["info"],
        },
        "problems": [_describe(problem) for problem in report.problems],
    }


def _describe(problem: Problem) -> dict[str, Any]:
    values = asdict(problem)
    return {key: values[key] for key in SHOWN}


def find_corrections(layout: Layout) -> list[Correction]:
    """Work out what can be corrected. Nothing is written."""
    with snapshot(layout):
        return corrections(layout)


def write_corrections(layout: Layout, found: Sequence[Correction]) -> list[str]:
    """Write corrections, all or none; a file that was edited since they were worked out is left alone.

    Returns:
        Notes about what an earlier command had left unfinished, and about files that were left alone.
    """
    with writing(layout, "gm check --fix") as writer:
        overruled = writer.commit([correction.step for correction in found])
        return [*writer.recovered, *(f"{item.path} was edited meanwhile and stays as it is" for item in overruled)]
