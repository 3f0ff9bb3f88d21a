"""Frames and Parquet files say what the files of a world say, and keep their columns without rows."""

from __future__ import annotations

import builtins
import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gm.api.reports.opened import open_world
from gm.api.reports.tables import (
    TABLES,
    TEXTS,
    _make_frame,
    calls_table,
    lines_table,
    relationships_table,
    threads_table,
    write_csv,
    write_parquet,
)
from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.files.layout import Layout
from gm.layers.relationships import RELATIONSHIPS

pandas = pytest.importorskip("pandas")
parquet = pytest.importorskip("pyarrow.parquet")


@pytest.fixture(scope="module")
def frames(two_days: Layout) -> dict[str, Any]:
    opened = open_world(two_days.root)
    return {name: _make_frame(name, opened) for name in TABLES}


def test_a_table_has_the_declared_columns_and_types(frames: dict[str, Any]) -> None:
    for name, frame in frames.items():
        assert list(frame.columns) == [column.name for column in TABLES[name].columns]
        shown = [str(kind).removesuffix("[pyarrow]").replace("item: ", "") for kind in frame.dtypes]
        assert shown == [column.type for column in TABLES[name].columns]
        assert len(frame) > 0 or name == "relationships", "this dinner keeps none"


def test_rows_are_what_the_world_holds(two_days: Layout, frames: dict[str, Any]) -> None:
    opened = open_world(two_days.root)
    memories = frames["memories"]
    assert memories["id"].to_list() == [node.id for name in opened.agents for node in opened.memories(name)]
    assert set(memories["home"]) <= {"archive", "summaries", "stream"}
    assert memories.explode("evidence")["evidence"].dropna().isin(memories["id"]).all()
    assert frames["scenes"]["scene"].is_unique
    assert frames["scenes"]["day"].max() == 2
    lines, said = frames["lines"], [pair for scene in opened.scenes for pair in scene.dialogue]
    assert sorted(zip(lines["speaker"], lines["text"], strict=True)) == sorted(said)
    assert set(lines["to"]) <= {"", *opened.agents}
    assert lines["to"].ne("").any()
    assert frames["threads"]["id"].to_list() == [thread.id for thread in opened.threads]
    assert (frames["calls"]["usd"] == 0).all()


def test_an_empty_world_gives_empty_tables_of_the_same_columns(
    dinner: Layout, frames: dict[str, Any], tmp_path: Path
) -> None:
    opened = open_world(dinner.root)
    assert {name: len(_make_frame(name, opened)) for name in TABLES} == dict.fromkeys(TABLES, 0)
    for name, frame in frames.items():
        assert frame.dtypes.equals(_make_frame(name, opened).dtypes)
    paths = write_parquet(opened, tmp_path / "new" / "tables")
    assert [path.stem for path in paths] == list(TABLES)
    for path in paths:
        assert parquet.read_schema(path).names == [column.name for column in TABLES[path.stem].columns]


def test_a_parquet_file_is_read_without_gm(two_days: Layout, tmp_path: Path) -> None:
    opened = open_world(two_days.root)
    for path in write_parquet(opened, tmp_path):
        frame, read = _make_frame(path.stem, opened), pandas.read_parquet(path)
        lists = {column.name for column in TABLES[path.stem].columns if column.type == TEXTS}
        for column in frame:
            one, other = (kept[column].map(list) if column in lists else kept[column] for kept in (frame, read))
            assert [None if value is pandas.NA else value for value in one] == [
                None if value is pandas.NA or value != value else value for value in other
            ]
    write_parquet(opened, tmp_path)


def test_a_csv_file_is_read_without_gm_and_its_lists_come_back(
    two_days: Layout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_world(two_days.root)
    with monkeypatch.context() as bare:
        for name in ("pandas", "pyarrow"):
            bare.setitem(sys.modules, name, None)
        paths = write_csv(opened, tmp_path / "new" / "tables")
    assert [path.name for path in paths] == [f"{name}.csv" for name in TABLES]
    for path in paths:
        with path.open(encoding="utf-8", newline="") as file:
            columns, *rows = csv.reader(file)
        table = TABLES[path.stem]
        assert columns == [column.name for column in table.columns]
        for cells, row in zip(rows, table.rows(opened), strict=True):
            for column, cell, value in zip(table.columns, cells, row, strict=True):
                if column.type == TEXTS:
                    assert tuple(cell.split()) == value
                else:
                    assert cell == ("" if value is None else str(value))
    assert any(len(node.evidence) > 1 for agent in opened.agents for node in opened.memories(agent))


def test_hand_made_lines_are_read_as_they_are(dinner: Layout) -> None:
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(
        '{"scene": 1, "type": "WORK", "participants": ["alex", 3], "dialogue": [{"text": "who?"}, "I"]}\n'
        '{"type": "WORK", "participants": "alex", "turns": [{"agent": "alex", "lines": [{"text": "I", "to": "Bo"}]}]}\n'
    )
    opened = open_world(dinner.root)
    lines = lines_table(opened)
    assert lines[["scene", "number", "speaker", "to", "text"]].to_numpy().tolist() == [
        ["day-001/scene-01", 1, "", "", "who?"],
        ["day-001/scene-01", 1, "", "", "I"],
        ["day-001", 0, "alex", "Bo", "I"],
    ]
    assert lines["round"].isna().all()
    write_parquet(opened, dinner.root / "tables")


def test_relationships_are_rows(dinner: Layout) -> None:
    file = dinner.layer(RELATIONSHIPS, "alex")
    file.parent.mkdir()
    said = {"relationship_type": "ally", "trust_level": 0.5, "interaction_count": 2}
    file.write_text(json.dumps({"casey": said, "Noor": {}}))
    rows = relationships_table(open_world(dinner.root)).to_numpy().tolist()
    assert rows == [["alex", "casey", "ally", 0.5, "", "", 2, ""], ["alex", "Noor", "", 0.0, "", "", 0, ""]]


def test_half_a_character_in_a_trace_becomes_a_question_mark(dinner: Layout) -> None:
    folder = dinner.traces / "day-001" / "scene-01"
    folder.mkdir(parents=True)
    (folder / "alex.0123456789ab.json").write_text('{"model": "\\ud83d", "backend": "x", "answer": ""}')
    opened = open_world(dinner.root)
    assert calls_table(opened)[["scene", "who", "model", "usd"]].to_numpy().tolist() == [
        ["day-001/scene-01", "", "?", pandas.NA]
    ]
    write_parquet(opened, dinner.root / "tables")


def test_a_value_that_fits_no_column_is_named(dinner: Layout) -> None:
    turn = {"agent": "alex", "round": 10**30, "lines": [{"text": "I"}]}
    dinner.logbook.mkdir(parents=True, exist_ok=True)
    dinner.day_log(1).write_text(json.dumps({"scene": 1, "type": "WORK", "turns": [turn]}))
    with pytest.raises(GmError, match="table lines, column round: a value does not fit Int64"):
        lines_table(open_world(dinner.root))


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
    assert str(raised.value) == f"tables need pandas and pyarrow: {pip_install('data')}"
