"""Read and write ``state/diary/``: one entry a day and character, a line each."""

from __future__ import annotations

from gm.errors import Problem
from gm.model.diary import DIARY_ENTRY, DiaryEntry, render_entry
from gm.store.commits.steps import Step
from gm.store.commits.writer import append_step
from gm.store.forms.jsonl import Line, Scan, scan_lines
from gm.store.forms.text import is_there, read_text
from gm.store.layout import Layout
from gm.store.reading.records import read_records


def load_diary(layout: Layout, name: str) -> tuple[tuple[DiaryEntry, ...] | None, list[Problem]]:
    """Read a diary; None without a file. A line that cannot be read is left out and reported."""
    path = layout.diary(name)
    if not is_there(path):
        return None, []
    shown = layout.shown(path)
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    found, more = read_entries(scan, shown)
    return tuple(entry for _, entry in found), [*problems, *scan.problems, *more]


def read_entries(scan: Scan, shown: str) -> tuple[list[tuple[Line, DiaryEntry]], list[Problem]]:
    """Read the lines of a diary as entries; those that cannot be read are left out and reported."""
    return read_records(scan, shown, DIARY_ENTRY)


def diary_steps(layout: Layout, name: str, entry: DiaryEntry | None) -> list[Step]:
    """List the steps that add an entry to a diary; none without an entry."""
    return [] if entry is None else [append_step(layout, layout.diary(name), [render_entry(entry)])]
