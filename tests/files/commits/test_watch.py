"""Changes of files are noticed: while a world is played, and while pages of it are open."""

import os
import shutil
from pathlib import Path

import pytest

from gm.api.editing.board import put_up_brief
from gm.files.commits.watch import ChangedFiles, Watch
from gm.files.layout import Layout
from gm.model.world import LOG_DAYS


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A world with the largest number of logbooks that are looked at."""
    layout = Layout(tmp_path)
    layout.day_log(1).parent.mkdir(parents=True)
    for day in range(1, LOG_DAYS + 1):
        layout.day_log(day).write_text("{}\n")
    return layout


@pytest.fixture
def watch(layout: Layout) -> Watch:
    """Knows the world as it is, and the logbook of a new day that was written since."""
    watch = Watch(layout)
    watch.remember()
    fresh = layout.day_log(LOG_DAYS + 1)
    fresh.write_text("{}\n")
    watch.remember([fresh])
    return watch


def test_a_logbook_that_is_too_old_to_be_looked_at_is_no_edit(watch: Watch) -> None:
    assert not watch.edited()


def test_an_edited_logbook_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.day_log(2).write_text('{"scene": 1}\n')
    assert watch.edited()


def test_a_logbook_that_is_gone_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.day_log(5).unlink()
    assert watch.edited()


def test_a_new_file_that_is_not_ours_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.settings.write_text("seed: 2\n")
    assert watch.edited()


def test_the_last_logbooks_are_those_of_the_last_days_and_not_of_the_last_names(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.day_log(1).parent.mkdir(parents=True)
    for day in range(985, 1003):
        layout.day_log(day).write_text("{}\n")
    watch = Watch(layout)
    watch.remember()
    layout.day_log(986).write_text('{"scene": 1}\n')
    assert not watch.edited(), "nobody reads it any more"
    layout.day_log(1002).write_text('{"scene": 1}\n')
    assert watch.edited()


@pytest.mark.parametrize("name", ["world.j2", "scenes/work.j2", "en/world.j2", "en/scenes/work.j2"])
def test_an_edited_prompt_is_an_edit_in_whichever_folder_it_lies(layout: Layout, name: str) -> None:
    prompt = layout.prompts / name
    prompt.parent.mkdir(parents=True)
    prompt.write_text("one")
    watch = Watch(layout)
    watch.remember()
    prompt.write_text("two words")
    assert watch.edited()


def test_what_comes_goes_and_changes_is_named_once(studio: Layout) -> None:
    files = ChangedFiles(studio)
    assert files.changes() == []
    put_up_brief(studio, "Baut!")
    (studio.gallery / "maps").mkdir(parents=True)
    (studio.gallery / "maps" / "a.md").write_text("x")
    assert files.changes() == ["gallery/maps/a.md", "state/bulletin.json", "state/world.json"]
    assert files.changes() == []
    shutil.rmtree(studio.gallery)
    studio.settings.write_text("language: en\n")
    assert files.changes() == ["gallery/maps/a.md", "gm.yaml"]


def test_what_says_nothing_is_not_looked_at(studio: Layout) -> None:
    for day in ("day-009", "day-010"):
        (studio.traces / day / "scene-01").mkdir(parents=True)
    files = ChangedFiles(studio)
    (studio.traces / "day-009" / "scene-01" / "vera-answer-1.json").write_text("{}")
    studio.derived.mkdir(exist_ok=True)
    (studio.derived / "note").write_text("x")
    (studio.memories / ".x.gm-new").write_text("x")
    assert files.changes() == []


def test_answers_of_the_last_day_and_outside_of_scenes_are_noticed(studio: Layout) -> None:
    (studio.traces / "day-010" / "scene-01").mkdir(parents=True)
    files = ChangedFiles(studio)
    (studio.traces / "day-010" / "scene-01" / "vera-answer-1.json").write_text("{}")
    studio.asks.mkdir(parents=True)
    (studio.asks / "one.json").write_text("{}")
    assert files.changes() == ["state/.gm/asks/one.json", "state/traces/day-010/scene-01/vera-answer-1.json"]


def test_what_changed_after_a_time_is_named_later(studio: Layout) -> None:
    past, now = 10**18, 2 * 10**18
    for folder, _, names in os.walk(studio.root):
        for name in (".", *names):
            os.utime(os.path.join(folder, name), ns=(past, past))
    os.utime(studio.bulletin, ns=(now, now))
    os.utime(studio.memories, ns=(now, now))
    assert ChangedFiles(studio).changed_since(now) == ["state/bulletin.json", "state/memories/"]
    assert ChangedFiles(studio).changed_since(now + 1) == []
