"""Frames and Parquet files say what the files of a world say, and keep their columns without rows."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from gm.api.opened import open_world
from gm.api.tables import TABLES, TEXTS, _frame, calls_table, lines_table, memories_table, threads_table, write_parquet
from gm.base.errors import GmError
from gm.files.layout import Layout

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def frames(fifteen_days: Layout) -> dict[str, Any]:
    opened = open_world(fifteen_days.root)
    return {name: _frame(name, opened) for name in TABLES}


def test_a_table_has_the_declared_columns_and_types(frames: dict[str, Any]) -> None:
    for name, frame in frames.items():
        assert list(frame.columns) == [column.name for column in TABLES[name].columns]
        shown = [str(kind).removesuffix("[pyarrow]").replace("item: ", "") for kind in frame.dtypes]
        assert shown == [column.type for column in TABLES[name].columns]
        assert len(frame) > 0


def test_rows_are_what_the_world_holds(fifteen_days: Layout, frames: dict[str, Any]) -> None:
    opened = open_world(fifteen_days.root)
    memories = frames["memories"]
    assert memories["id"].to_list() == [node.id for name in opened.agents for node in opened.memories(name)]
    assert set(memories["home"]) <= {"archive", "summaries", "stream"}
    assert memories.explode("evidence")["evidence"].dropna().isin(memories["id"]).all()
    assert frames["scenes"]["scene"].is_unique
    assert frames["scenes"]["day"].max() == 15
    lines, said = frames["lines"], [pair for scene in opened.scenes for pair in scene.dialogue]
    assert sorted(zip(lines["speaker"], lines["text"], strict=True)) == sorted(said)
    assert set(lines["to"]) <= {"", *opened.agents}
    assert lines["to"].ne("").any()
    assert frames["threads"]["id"].to_list() == [thread.id for thread in opened.threads]
    assert frames["relationships"]["trust"].between(-1, 1).all()
    assert (frames["calls"]["usd"] == 0).all()


def test_an_empty_world_gives_empty_tables_of_the_same_columns(
    dinner: Layout, frames: dict[str, Any], tmp_path: Path
) -> None:
    opened = open_world(dinner.root)
    assert {name: len(_frame(name, opened)) for name in TABLES} == dict.fromkeys(TABLES, 0)
    for name, frame in frames.items():
        assert frame.dtypes.equals(_frame(name, opened).dtypes)
    paths = write_parquet(opened, tmp_path / "new" / "tables")
    assert [path.stem for path in paths] == list(TABLES)
    for path in paths:
        assert parquet.read_schema(path).names == [column.name for column in TABLES[path.stem].columns]


def test_a_parquet_file_is_read_without_gm(two_days: Layout, tmp_path: Path) -> None:
    opened = open_world(two_days.root)
    for path in write_parquet(opened, tmp_path):
        frame, read = _frame(path.stem, opened), pandas.read_parquet(path)
        lists = {column.name for column in TABLES[path.stem].columns if column.type == TEXTS}
        for column in frame:
            one, other = (kept[column].map(list) if column in lists else kept[column] for kept in (frame, read))
            assert [None if value is pandas.NA else value for value in one] == [
                None if value is pandas.NA or value != value else value for value in other
            ]
    write_parquet(opened, tmp_path)


def test_hand_made_lines_are_read_as_they_are(dinner: Layout) -> None:
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(
        '{"scene": 1, "type": "WORK", "participants": ["alex", 3], "dialogue": [{"text": "who?"}, "\\ud83d"]}\n'
        '{"type": "WORK", "participants": "alex", "turns": [{"agent": "alex", "lines": [{"text": "I", "to": "Bo"}]}]}\n'
    )
    opened = open_world(dinner.root)
    lines = lines_table(opened)
    assert lines[["scene", "number", "speaker", "to", "text"]].to_numpy().tolist() == [
        ["day-001/scene-01", 1, "", "", "who?"],
        ["day-001/scene-01", 1, "", "", "?"],
        ["day-001", 0, "alex", "Bo", "I"],
    ]
    assert lines["round"].isna().all()
    write_parquet(opened, dinner.root / "tables")


def test_a_value_that_fits_no_column_is_named(dinner: Layout) -> None:
    node = '{"id": "alex-001", "created": "day-001", "type": "plan", "depth": %s, "description": "x", "importance": 5}'
    dinner.stream("alex").parent.mkdir(exist_ok=True)
    whole = node[:-1] + ', "tags": [], "evidence": [], "metadata": {}}'
    dinner.stream("alex").write_text(whole % ("9" * 30) + "\n")
    with pytest.raises(GmError, match="table memories, column depth: a value does not fit Int64"):
        memories_table(open_world(dinner.root))


def test_a_folder_that_cannot_be_made_is_said(dinner: Layout) -> None:
    with pytest.raises(GmError, match="cannot write"):
        write_parquet(open_world(dinner.root), dinner.root / "gm.yaml")


def test_without_the_extra_it_is_named(dinner: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = builtins.__import__

    def refuse(name: str, *more: Any, **options: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return whole(name, *more, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(GmError) as raised:
        threads_table(open_world(dinner.root))
    assert raised.value.hint == "pip install 'gm-worlds[data]'"


def test_rejected_answers_and_questions_out_of_scene_are_calls(two_days: Layout) -> None:
    calls = calls_table(open_world(two_days.root))
    assert calls["scene"].nunique() > 10
    assert not calls["rejected"].any()
