"""Check a whole world: every file, every rule, every prompt."""

from __future__ import annotations

from collections import Counter
from typing import Any

from gm.errors import GmError
from gm.prompt.render import Prompts
from gm.store.check.whole import Findings, check_files
from gm.store.layout import Layout
from gm.store.load import load_settings
from gm.store.shipped import shipped_prompts
from gm.tools.check_prompts import check_prompts


def check_world(layout: Layout) -> Findings:
    """Read every file of a world and hold it against every rule."""
    types, problems = check_prompts(layout)
    found = check_files(layout, types)
    return Findings(found.agents, found.memories, found.scenes, tuple(sorted({*found.problems, *problems})))


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
        "problems": [
            {
                "severity": problem.severity,
                "code": problem.code,
                "path": problem.path,
                "line": problem.line,
                "column": problem.column,
                "message": problem.message,
                "hint": problem.hint,
            }
            for problem in report.problems
        ],
    }
