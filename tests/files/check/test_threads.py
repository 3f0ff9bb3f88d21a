"""``state/threads.jsonl``: every line that cannot be read is named at its value, and what makes no sense as well."""

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world, find_corrections
from gm.cli import gm
from gm.cli.boundary import guarded
from gm.files.load import load_world
from tests.files.check.test_rules import found_in, make_world

PATH = "state/threads.jsonl"


def opened(number: int = 1, **values: Any) -> dict[str, Any]:
    return {
        "id": f"thread-{number:03d}",
        "at": "day-001/scene-01",
        "event": "open",
        "by": "mina",
        "kind": "promise",
        "to": [],
        "due": None,
        "text": "Ich flicke das Segel.",
    } | values


def closed(number: int = 1, **values: Any) -> dict[str, Any]:
    return {
        "id": f"thread-{number:03d}",
        "at": "day-001/scene-01",
        "event": "close",
        "by": "mina",
        "outcome": "kept",
        "text": "Geflickt.",
    } | values


def appointed(number: int = 1, **values: Any) -> dict[str, Any]:
    more = {"kind": "appointment", "to": ["mina"], "due": 1, "time": "15:00", "place": "werft"}
    return opened(number, **(more | values))


def written(*records: dict[str, Any] | str) -> dict[str, str]:
    lines = (item if isinstance(item, str) else json.dumps(item, ensure_ascii=False) for item in records)
    return {PATH: "".join(f"{line}\n" for line in lines)}


def test_a_file_without_a_fault_and_one_that_is_empty_have_no_problem(tmp_path: Path) -> None:
    carry = {"id": "thread-001", "at": "day-001", "event": "carry", "by": "gm", "text": "überfällig"}
    fine = written(opened(), opened(5), carry, closed(5, by="creative-director"))
    assert found_in(make_world(tmp_path / "a", **fine)) == []
    agreed = written(appointed(), closed(outcome="replaced"), appointed(2, replaces="thread-001", time=""))
    assert found_in(make_world(tmp_path / "c", **agreed)) == []
    promised = written(opened(due=1, time="15:00", place="werft"))
    assert found_in(make_world(tmp_path / "e", **promised)) == [], "a promise for a day has its scene"
    assert found_in(make_world(tmp_path / "b", **{PATH: ""})) == []
    news = written(appointed(), closed(by="mina"), closed(by="creative-director", outcome="broken"))
    assert found_in(make_world(tmp_path / "d", **news)) == [], "closed once more for one who did not know of it"


@pytest.mark.parametrize(
    ("files", "severity", "code", "line", "what"),
    [
        (written(opened(id="thread-1")), "error", "thread-id", 1, '"thread-1"'),
        (written(opened(at="Montag")), "error", "thread-at", 1, '"Montag"'),
        (written(opened(event="begin")), "error", "thread-event", 1, '"begin"'),
        (written(opened(due="3")), "error", "thread-due", 1, '"3"'),
        (
            written({key: value for key, value in opened().items() if key != "text"}),
            "error",
            "thread-text",
            1,
            '{"id": ',
        ),
        (written(opened(), opened()), "error", "thread-id", 2, '"thread-001"'),
        (written(opened(), "{"), "error", "json-syntax", 2, ""),
        (written(closed()), "warning", "thread-unopened", 1, '"thread-001"'),
        (written(opened(), closed(), closed(outcome="broken")), "warning", "thread-closed", 3, '"close"'),
        (written(opened(by="jo")), "warning", "thread-agent", 1, '"jo"'),
        (written(opened(to=["mina", "jo"])), "warning", "thread-agent", 1, '"jo"]'),
        (written(opened(at="day-002/scene-01")), "warning", "thread-future", 1, '"day-002/scene-01"'),
        (written(opened(), opened(2, at="day-000/scene-01")), "warning", "thread-order", 2, '"day-000/scene-01"'),
        (written(opened(due=0)), "warning", "thread-due", 1, "0, "),
        (written(appointed(due=None)), "warning", "thread-due", 1, "null"),
        (written(appointed(to=[])), "warning", "thread-to", 1, "[]"),
        (written(appointed(time="3 Uhr")), "error", "thread-time", 1, '"3 Uhr"'),
        (written(appointed(place="Mond")), "warning", "thread-place", 1, '"Mond"'),
        (written(opened(time="noon")), "info", "thread-time", 1, '"noon"'),
        (written(opened(kind="question", due=1, place="werft")), "info", "thread-place", 1, '"werft"'),
        (written(opened(due=1, place="Mond")), "warning", "thread-place", 1, '"Mond"'),
        (written(appointed(replaces="thread-009")), "warning", "thread-replaces", 1, '"thread-009"'),
        (written(opened(mood="froh")), "info", "thread-extra", 1, '"froh"'),
        (written(opened(), ""), "warning", "blank-line", 2, ""),
    ],
)
def test_each_fault_is_named_at_its_place(
    tmp_path: Path, files: dict[str, str], severity: str, code: str, line: int, what: str
) -> None:
    layout = make_world(tmp_path, **files)
    (problem,) = check_world(layout).problems
    assert (problem.severity, problem.code, problem.path, problem.line) == (severity, code, PATH, line)
    assert files[PATH].split("\n")[line - 1][problem.column - 1 :].startswith(what)
    assert problem.hint or severity == "info"


def test_loading_and_checking_name_the_same_errors(tmp_path: Path) -> None:
    layout = make_world(tmp_path, **written(opened(), opened(), opened(2, kind="vow"), "[]", opened(3)))
    errors = [problem for problem in check_world(layout).problems if problem.severity == "error"]
    loaded = load_world(layout)
    assert sorted(loaded.problems) == errors
    assert [thread.number for thread in loaded.world.threads] == [1, 3]


def test_a_line_about_a_thread_whose_own_line_is_broken_is_not_blamed(tmp_path: Path) -> None:
    layout = make_world(tmp_path, **written(opened(kind="vow"), closed()))
    assert [code for _, code, _ in found_in(layout)] == ["thread-kind"]


def test_a_thread_may_be_taken_out_with_all_its_lines(tmp_path: Path) -> None:
    layout = make_world(tmp_path, **written(opened(1), opened(3), closed(3)))
    assert found_in(layout) == []


def test_nothing_of_it_is_corrected_and_a_day_does_not_begin_over_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = make_world(tmp_path, **written(opened(), opened()))
    assert find_corrections(layout) == []
    assert guarded(gm, ["advance-day", "-w", str(layout.root)]) == 1
    assert f"{PATH}:2:8" in capsys.readouterr().err
