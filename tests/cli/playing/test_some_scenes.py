"""``gm advance-day --scenes``: the day is left open once some scenes have landed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from tests.cli.running import Run
from tests.stories.playing import play, records, tree


def command(layout: Layout, *more: str) -> list[str]:
    return ["advance-day", "-w", str(layout.root), "--model", "rehearsal", *more]


def test_scene_by_scene_is_the_same_day(run: Run, dinner: Layout, tmp_path: Path) -> None:
    counts: list[int] = []
    while not counts or is_open(dinner):
        run(*command(dinner, "--scenes", "1"))
        counts.append(len(scenes(dinner)))
    assert counts[:3] == [1, 2, 3]
    whole = create_world(tmp_path / "whole", "dinner")
    play(whole)
    assert tree(dinner.root) == tree(whole.root)


def is_open(layout: Layout) -> bool:
    return bool(json.loads(layout.world.read_text(encoding="utf-8"))["day_open"])


def scenes(layout: Layout) -> list[object]:
    return [record for record in records(layout.day_log(1)) if "scene" in record and record["type"] != "REFLECTION"]


def test_several_scenes_are_counted_and_the_way_on_is_said(run: Run, studio: Layout) -> None:
    assert "stays open" in run(*command(studio, "--scenes", "2")).err
    assert len(scenes(studio)) == 2
    status = run("status", "-w", studio.root).out
    assert "the day is open: gm advance-day goes on with it" in status
    assert "interrupted" not in status


@pytest.mark.parametrize("other", ["--dry-run", "--interactive"])
def test_scenes_are_not_counted_where_they_would_not_stop(other: str, run: Run, studio: Layout) -> None:
    found = run(*command(studio, "--scenes", "1", other))
    assert found.code == 2
    assert f"--scenes does not go with {other}" in found.err
