"""A day that is about one character: as long as it may be, and the same when it is taken up again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gm.files.layout import Layout
from tests.cli.running import Run, runner
from tests.stories.playing import records, tree


def test_a_day_in_focus_that_was_interrupted_ends_as_if_it_had_not_been(
    studio: Layout, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run: Run = runner(capsys)
    other = Layout(tmp_path / "other")
    shutil.copytree(studio.root, other.root)
    command = ("advance-day", "--focus", "vera", "--model", "rehearsal", "--days", 2)
    assert run(*command, "-w", studio.root).code == 0
    budget = "budget: {calls: 25}\n"
    settings = other.settings.read_text(encoding="utf-8")
    other.settings.write_text(settings + budget, encoding="utf-8")
    assert run(*command, "-w", other.root).code == 1, "the budget stops it on the way"
    other.settings.write_text(settings, encoding="utf-8")
    assert run(*command, "-w", other.root).code == 0
    assert tree(other.root, traces=False) == tree(studio.root, traces=False)
    for day in (1, 2):
        small = [
            line["participants"] for line in records(studio.day_log(day)) if line.get("type") in ("WORK", "ENCOUNTER")
        ]
        assert sum("vera" in cast for cast in small) > len(small) / 2


def test_days_off_are_not_counted_among_the_days_of_a_run(studio: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    run: Run = runner(capsys)
    text = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(text.replace("\ncalendar:\n", "\ncalendar:\n  off: [Tuesday, 3]\n"), encoding="utf-8")
    assert run("advance-day", "-w", studio.root, "--model", "rehearsal", "--days", 2).code == 0
    assert studio.logged_days() == (1, 4)
