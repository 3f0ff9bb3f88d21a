"""``gm evaluate``: what it prints and writes, and how it ends."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

from gm.base.installed import pip_install
from tests.api.experiments.evaluate.planted import Planted, clean
from tests.cli.running import Run

EVIL = "I bring \x1b[31mthe|kettle\x07 <script>alert(1)</script> [x](http://y)."


@pytest.fixture
def world(tmp_path: Path) -> Planted:
    made = clean(tmp_path / "clean")
    made.thread(id="thread-002", at="day-003/scene-01", event="open", kind="promise", to=("casey",), due=4, text=EVIL)
    return made


def test_a_table_for_all_with_cases_below(run: Run, world: Planted) -> None:
    outcome = run("evaluate", "-w", world.layout.root)

    assert outcome.code == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Dinner for Noor (clean), days 1 to 8"
    assert "  all  kept       50.0 %   9.5 – 90.5 %  2" in lines
    assert "  1 case to look at:" in lines
    assert "alex, day-003/scene-01: forgotten: thread-002, due day 4" in outcome.out
    assert "\x1b" not in outcome.out
    assert "casey  done" not in outcome.out


def test_a_named_measure_says_what_it_measures_and_about_which_character(run: Run, world: Planted) -> None:
    outcome = run("evaluate", "-w", world.layout.root, "--measure", "plans,support", "--days", "2-3")

    lines = outcome.out.splitlines()
    assert lines[0] == "Dinner for Noor (clean), days 2 to 3"
    assert "  Source: the summaries of days as the world keeps them (state/logbook); no" in lines
    assert any(line.startswith("  casey  done") for line in lines)
    assert not any(line == "promises" for line in lines)


def test_a_document_has_every_figure(run: Run, world: Planted) -> None:
    document = run("evaluate", "-w", world.layout.root, "--measure", "promises", "--json").document

    assert list(document) == ["world", "first", "last", "measures", "title"]
    measured = document["measures"][0]
    repeated = ["value", "low", "high", "n", "unit"]
    assert list(measured) == ["name", "definition", "source", "interval", "figures", "cases", "figure", *repeated]
    assert list(measured["figures"][0]) == ["of", "name", "value", "low", "high", "count", "unit"]
    assert list(measured["figures"][0].values())[1:] == [measured["figure"], *(measured[key] for key in repeated)]
    assert {one["of"] for one in measured["figures"]} == {"all", "alex"}
    assert run("evaluate", "-w", world.layout.root, "--days", "3", "--json").document["first"] == 3


def test_another_world_is_measured_beside_it(run: Run, world: Planted, tmp_path: Path) -> None:
    other = clean(tmp_path / "other").layout.root
    asked = ("evaluate", "-w", world.layout.root, "--against", other, "--measure", "promises", "--days", "2-8")
    document = run(*asked, "--json").document
    alone = [run("evaluate", "-w", one, *asked[5:], "--json").document for one in (world.layout.root, other)]
    assert document == {**alone[0], "against": alone[1]}
    assert alone[0]["measures"][0]["value"] != alone[1]["measures"][0]["value"]
    outcome = run(*asked, "--out", tmp_path / "report")
    assert [line for line in outcome.out.splitlines() if ", days" in line] == [
        "Dinner for Noor (clean), days 2 to 8",
        "Dinner for Noor (other), days 2 to 8",
    ]
    text = (tmp_path / "report" / "evaluation.md").read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        "# Dinner for Noor (clean), days 2 to 8",
        "# Dinner for Noor (other), days 2 to 8",
    ]
    refused = run("evaluate", "-w", world.layout.root, "--against", tmp_path / "none")
    assert (refused.code, "is not a world" in refused.err) == (1, True)


def test_no_evidence_is_said(run: Run, dinner: Any) -> None:
    none = run("evaluate", "-w", dinner.root, "--measure", "voice", "--json").document["measures"][0]
    assert [none[key] for key in ("figure", "value", "low", "high", "n", "unit")] == ["", None, None, None, 0, ""]
    outcome = run("evaluate", "-w", dinner.root)
    assert outcome.code == 0
    assert "  no evidence: no promise and no appointment of these days" in outcome.out


def test_a_report_for_people_and_one_for_programs(run: Run, world: Planted, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    folder = tmp_path / "deep" / "report"

    outcome = run("evaluate", "-w", world.layout.root, "--out", folder)

    assert f"written: {folder}/evaluation.parquet" in outcome.out
    text = (folder / "evaluation.md").read_text(encoding="utf-8")
    assert "| all | kept | 50.0 % | 9.5 – 90.5 % | 2 |" in text
    assert "<script>" not in text
    assert "[x](http" not in text
    assert "\x1b" not in text
    table = parquet.read_table(folder / "evaluation.parquet")
    columns = "world first last measure of figure value low high n unit"
    assert table.column_names == columns.split()
    kept = next(row for row in table.to_pylist() if (row["of"], row["figure"]) == ("all", "kept"))
    assert (kept["value"], kept["n"], kept["world"]) == (0.5, 2, "clean")


def test_without_pyarrow_there_is_only_the_text(
    run: Run, world: Planted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.startswith("pyarrow"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    outcome = run("evaluate", "-w", world.layout.root, "--out", tmp_path / "report")
    assert outcome.code == 0
    assert [path.name for path in (tmp_path / "report").iterdir()] == ["evaluation.md"]
    assert f"evaluation.parquet needs {pip_install('data')}" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--measure", "promise"), "there is no measure 'promise'"),
        (("--days", "7-3"), "'7-3' ends before it begins"),
        (("--days", "40"), "no days 40 to 40"),
    ],
)
def test_what_is_not_there_is_named(run: Run, world: Planted, arguments: tuple[str, str], message: str) -> None:
    outcome = run("evaluate", "-w", world.layout.root, *arguments)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_line_that_cannot_be_read_is_named(run: Run, world: Planted) -> None:
    with world.layout.threads.open("a", encoding="utf-8") as file:
        file.write('{"id": "thread-003"}\n')
    outcome = run("evaluate", "-w", world.layout.root)
    assert outcome.code == 0
    assert "state/threads.jsonl:4" in outcome.err


def test_an_answer_that_cannot_be_read_is_named(run: Run, world: Planted) -> None:
    with (world.layout.derived / "interviews" / "day-003" / "alex.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"agent": "alex"}\n')
    assert "state/.gm/interviews/day-003/alex.jsonl:3" in run("evaluate", "-w", world.layout.root).err
