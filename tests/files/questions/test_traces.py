"""Traces: each question and answer in a file of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.base.errors import GmError
from gm.files.questions.traces import TraceFolder, TraceReader

IDENTITY = "0123456789abcdef" * 4
OTHER = "0123456789ab0000" * 4


def keep(traces: TraceFolder, label: str, record: dict[str, object]) -> None:
    traces.reserve(label, IDENTITY, 100)
    traces.keep(label, IDENTITY, record)


def test_a_kept_answer_is_found_by_its_label_and_identity(tmp_path: Path) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    keep(traces, "vera", {"answer": {"text": "Grüße \u2028 an alle"}})
    found = traces.find("vera", IDENTITY)
    assert found is not None
    assert found["answer"]["text"] == "Grüße \u2028 an alle"
    assert traces.find("emre", IDENTITY) is None
    assert traces.find("vera", OTHER) is None, "the same beginning is not the same identity"
    assert TraceFolder(tmp_path / "traces", "day-001/scene-03").find("vera", IDENTITY) is None


def test_traces_are_ignored_by_git_until_a_person_decides_otherwise(tmp_path: Path) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    keep(traces, "vera", {})
    (tmp_path / "traces/.gitignore").unlink()
    keep(traces, "emre", {})
    assert not (tmp_path / "traces/.gitignore").exists()


def test_rejected_answers_stay_readable_each_under_a_name_of_its_own(tmp_path: Path) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    for text in ("first", "second"):
        keep(traces, "vera", {"answer": text})
        traces.reject("vera", IDENTITY)
        assert traces.find("vera", IDENTITY) is None
    kept = sorted((tmp_path / "traces/day-001/scene-02").glob("vera.*.rejected-*.json"))
    assert [json.loads(path.read_text(encoding="utf-8"))["answer"] for path in kept] == ["first", "second"]


def test_rejecting_what_was_never_kept_does_no_harm(tmp_path: Path) -> None:
    TraceFolder(tmp_path / "traces", "day-001/scene-02").reject("vera", IDENTITY)
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b'{"identity": 1}'])
def test_a_damaged_trace_is_a_question_that_was_never_answered(tmp_path: Path, data: bytes) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    keep(traces, "vera", {})
    (path,) = (tmp_path / "traces/day-001/scene-02").glob("vera.*.json")
    path.write_bytes(data)
    assert traces.find("vera", IDENTITY) is None


def test_a_folder_that_cannot_be_written_is_noticed_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "traces").write_text("a file where a folder must be", encoding="utf-8")
    with pytest.raises(GmError, match="no answer could be kept"):
        TraceFolder(tmp_path / "traces", "day-001/scene-02").reserve("vera", IDENTITY, 10)


def test_an_answer_with_half_a_character_can_be_kept_and_found(tmp_path: Path) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    keep(traces, "vera", {"answer": "\ud83d"})
    found = traces.find("vera", IDENTITY)
    assert found is not None
    assert found["answer"] == "\ud83d"


def test_days_and_scenes_with_traces_are_named_in_order_and_nothing_else_is(tmp_path: Path) -> None:
    for place in ("day-002/scene-10", "day-002/scene-02", "day-001/scene-01", "day-1000/scene-01", "day-002/scene-02b"):
        keep(TraceFolder(tmp_path / "traces", place), "vera", {"answer": {}})
    (tmp_path / "traces/notes").mkdir()
    (tmp_path / "traces/day-002/old").mkdir()
    reader = TraceReader(tmp_path / "traces")
    assert reader.days() == [1, 2, 1000]
    assert [str(ref) for ref in reader.scenes(2)] == ["day-002/scene-02", "day-002/scene-02b", "day-002/scene-10"]
    assert reader.scenes(3) == []
    assert TraceReader(tmp_path / "nowhere").days() == []


def test_all_traces_of_a_day_are_read_rejected_ones_too(tmp_path: Path) -> None:
    traces = TraceFolder(tmp_path / "traces", "day-001/scene-02")
    keep(traces, "vera", {"answer": "first"})
    traces.reject("vera", IDENTITY)
    keep(traces, "vera", {"answer": "second"})
    traces.note("overruled", [{"key": "mood"}])
    (tmp_path / "traces/day-001/scene-02/emre.0.json").write_bytes(b"\xff{")
    keep(TraceFolder(tmp_path / "traces", "day-002/scene-01"), "vera", {"answer": "another day"})
    reader = TraceReader(tmp_path / "traces")
    found = [(str(kept.place), kept.record["answer"], kept.rejected) for kept in reader.of_day(1)]
    assert sorted(found) == [("day-001/scene-02", "first", True), ("day-001/scene-02", "second", False)]
    assert [record["answer"] for record in reader.in_scene("day-001/scene-02")] == ["second"]


def test_the_traces_of_a_day_are_read_one_by_one(tmp_path: Path) -> None:
    for label in ("emre", "vera"):
        keep(TraceFolder(tmp_path / "traces", "day-001/scene-01"), label, {"answer": label})
    kept = TraceReader(tmp_path / "traces").of_day(1)
    assert next(kept).record["answer"] == "emre"
    (last,) = (tmp_path / "traces/day-001/scene-01").glob("vera.*")
    last.unlink()
    last.write_text(json.dumps({"answer": "not read before"}), encoding="utf-8")
    assert next(kept).record["answer"] == "not read before"
