"""Kept interviews: ``state/.gm/interviews/<moment>/<agent>.jsonl``, a line an answer."""

from __future__ import annotations

from gm.base.errors import Problem
from gm.files.forms.jsonl import scan_lines
from gm.files.forms.text import read_text
from gm.files.layout import Layout
from gm.files.reading.records import read_records
from gm.model.interview import ANSWERED, Answered

INTERVIEWS = "interviews"


def read_interviews(layout: Layout) -> tuple[tuple[Answered, ...], list[Problem]]:
    """Read all kept answers by moment and character; unreadable lines are left out and reported."""
    answers: list[Answered] = []
    problems: list[Problem] = []
    for path in sorted((layout.derived / INTERVIEWS).glob("*/*.jsonl")):
        shown = layout.shown(path)
        text, found = read_text(path, shown)
        scan = scan_lines(text.body, shown)
        read, wrong = read_records(scan, shown, ANSWERED)
        answers += [answer for _, answer in read]
        problems += [*found, *scan.problems, *wrong]
    return tuple(answers), problems
