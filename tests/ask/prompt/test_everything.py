"""The whole prompt of a first morning with everything on, for one who is told who they are and one who asks for it.

After a wanted change: ``GM_UPDATE_SNAPSHOTS=1 python -m pytest tests/ask/prompt/test_everything.py``; read the diff.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gm.files.layout import Layout
from tests.cli.running import Run
from tests.everything import everything_on

SNAPSHOTS = Path(__file__).parent / "snapshots"


@pytest.mark.parametrize(
    ("template", "who"), [("studio", "vera"), ("studio", "tobi"), ("dinner", "alex"), ("dinner", "casey")]
)
def test_a_morning_with_everything_on_reads_as_reviewed(
    template: str, who: str, studio: Layout, dinner: Layout, run: Run
) -> None:
    layout = everything_on(studio if template == "studio" else dinner)
    outcome = run("context", who, "--prompt", "-w", layout.root)
    assert outcome.code == 0, outcome.err
    path = SNAPSHOTS / f"everything-{template}-{who}.md"
    if os.environ.get("GM_UPDATE_SNAPSHOTS"):
        path.write_text(outcome.out, encoding="utf-8")
    assert outcome.out == path.read_text(encoding="utf-8")
