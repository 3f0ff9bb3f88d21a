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


def test_a_day_goes_on_with_the_seed_it_was_begun_with(run: Run, dinner: Layout, tmp_path: Path) -> None:
    seeded = create_world(tmp_path / "seeded", "dinner")
    play(seeded, seed=7)
    assert "was begun" not in run(*command(dinner, "--scenes", "2", "--seed", "7")).err
    planned = run("plan", "-w", dinner.root, "--json").document
    assert planned == run("plan", "-w", dinner.root, "--json", "--seed", "7").document
    assert planned != run("plan", "-w", dinner.root, "--json", "--seed", "1").document
    assert "day 1 was begun with seed 7: this run goes on with it" in run(*command(dinner)).err
    assert tree(dinner.root) == tree(seeded.root)
    assert "was begun" not in run(*command(dinner)).err, "the next day has the seed of gm.yaml"


def test_another_seed_for_an_open_day_is_said(run: Run, dinner: Layout) -> None:
    run(*command(dinner, "--scenes", "1", "--seed", "7"))
    assert "day 1 was begun with seed 7, and goes on with seed 1" in run(*command(dinner, "--seed", "1")).err


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


def test_what_is_doubtful_in_the_settings_is_told_once_before_a_model_is_asked(run: Run, dinner: Layout) -> None:
    text = dinner.settings.read_text(encoding="utf-8")
    assert "warning" not in run("reflect", "alex", "-w", dinner.root, "--model", "rehearsal").err
    dinner.settings.write_text(text.replace("language: en", "langauge: en"), encoding="utf-8")
    for arguments in (command(dinner, "--scenes", "1"), ["reflect", "alex", "-w", str(dinner.root)]):
        said = run(*arguments).err
        assert said.count("no setting is called 'langauge'") == 1
        assert said.count("gm.yaml: warning: no language is said: this world is played in 'de'") == 1
        assert said.index("no language") < said.index("model: ")
        assert "error: gm.yaml:" in said
        assert ":1: a setting is misspelt; did you mean language?" in said
    assert not dinner.logged_days(), "nothing was played in another language"
    assert "[language-missing]" in run("check", "-w", dinner.root).out
    dinner.settings.write_text("# nothing\n", encoding="utf-8")
    assert "language-missing" not in run("check", "-w", dinner.root).out, "no settings at all are told of elsewhere"
