"""Where the files of a world are, in new worlds and in older ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.base.errors import NoWorldError
from gm.files.layout import Layout, find_world, is_world


def test_an_old_logbook_beside_the_state_is_found_and_continued(tmp_path: Path) -> None:
    (tmp_path / "state/agents").mkdir(parents=True)
    (tmp_path / "logbook").mkdir()
    (tmp_path / "logbook/day-004.jsonl").write_text("{}\n", encoding="utf-8")
    layout = Layout(tmp_path)
    assert layout.day_log(5) == tmp_path / "logbook/day-005.jsonl"
    assert layout.logged_days() == (4,)


def test_a_logbook_inside_the_state_comes_first(tmp_path: Path) -> None:
    (tmp_path / "logbook").mkdir()
    (tmp_path / "state/logbook").mkdir(parents=True)
    assert Layout(tmp_path).day_log(1) == tmp_path / "state/logbook/day-001.jsonl"


def test_no_folder_at_the_top_lies_in_another_whether_the_logbook_is_old_or_new(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    new = [path.name for path in layout.top_folders]
    assert new == ["state", "gallery", "prompts", "library", "scripts"]
    (tmp_path / "logbook").mkdir()
    assert [path.name for path in layout.top_folders] == [*new, "logbook"]


def test_a_new_world_keeps_its_logbook_inside_the_state(tmp_path: Path) -> None:
    assert Layout(tmp_path).day_log(12) == tmp_path / "state/logbook/day-012.jsonl"


@pytest.mark.parametrize("folder", ["state/agents", "state/personas", "state/memories"])
def test_a_folder_without_settings_is_a_world_all_the_same(tmp_path: Path, folder: str) -> None:
    assert not is_world(tmp_path)
    (tmp_path / folder).mkdir(parents=True)
    assert is_world(tmp_path)


def test_the_nearest_world_above_is_found_but_not_when_a_folder_was_named(studio: Layout) -> None:
    inside = studio.root / "state/agents"
    assert find_world(inside).root == studio.root
    with pytest.raises(NoWorldError, match="is not a world"):
        find_world(inside, named=True)


def test_agents_are_known_by_their_files_hidden_ones_and_other_endings_left_out(tmp_path: Path) -> None:
    for path in ("agents/vera.json", "personas/emre.md", "memories/nami.jsonl", "agents/.leo.json", "agents/tobi.bak"):
        (tmp_path / "state" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "state" / path).touch()
    assert Layout(tmp_path).agent_names() == ("emre", "nami", "vera")


def test_days_beyond_999_are_sorted_by_number(tmp_path: Path) -> None:
    (tmp_path / "state/logbook").mkdir(parents=True)
    for day in (1000, 2, 999):
        Layout(tmp_path).day_log(day).touch()
    assert Layout(tmp_path).logged_days() == (2, 999, 1000)


@pytest.mark.parametrize("name", ["day-²", "day-7", "day-0002", "day-" + "9" * 200, "day-x", "day-"])
def test_a_file_beside_the_logbooks_is_no_day(tmp_path: Path, name: str) -> None:
    layout = Layout(tmp_path)
    layout.logbook.mkdir(parents=True)
    for stem in ("day-001", name):
        (layout.logbook / f"{stem}.jsonl").write_bytes(b"")
    assert layout.logged_days() == (1,)


@pytest.mark.parametrize("root", ["absolute", "relative"])
def test_names_of_files_in_a_folder_outside_are_no_characters(
    root: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (world := tmp_path / "world").mkdir()
    (world / "state/agents").mkdir(parents=True)
    (world / "state/kept").mkdir()
    for folder, name in ((tmp_path, "letter.md"), (world / "state/kept", "vera.md")):
        (folder / name).write_bytes(b"")
    monkeypatch.chdir(world)
    layout = Layout(world) if root == "absolute" else find_world(Path())
    layout.personas.symlink_to(tmp_path)
    assert layout.agent_names() == ()
    layout.personas.unlink()
    layout.personas.symlink_to("kept")
    assert layout.agent_names() == ("vera",)


def test_above_several_worlds_these_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b c", "a", "d", "e", "f", "g"):
        (tmp_path / name / "state/agents").mkdir(parents=True)
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to("a")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoWorldError, match="no world in") as caught:
        find_world(Path())
    assert caught.value.hint == "worlds lie in it: a, b c, d, e, f, …; name one: -w a"
    for folder in (tmp_path / "a", tmp_path / "g"):
        (folder / "state/agents").rmdir()
    with pytest.raises(NoWorldError) as caught:
        find_world(Path())
    assert caught.value.hint == "worlds lie in it: b c, d, e, f; name one: -w 'b c'"
    with pytest.raises(NoWorldError) as caught:
        find_world(Path("../") / tmp_path.name, named=True)
    assert caught.value.hint.endswith(f"../{tmp_path.name}/f; name one of them")
    with pytest.raises(NoWorldError) as caught:
        find_world(tmp_path / "empty", named=True)
    assert "make one with: gm init DIR or gm new DIR" in caught.value.hint
