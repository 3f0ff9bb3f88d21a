"""The table in which all benchmarks end, and how they are called."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.__main__ import NAMES, ORDER, main
from bench.table import Row, render_table
from gm.files.layout import Layout

SLOW = Row("a page", "12.0 ms", "bare Python 4.0 ms", 3.0, 2.0, why="it parses 7,000 lines, which takes 9.1 ms alone")
QUICK = Row("a commit", "1.5 ms", "fdatasync 1.0 ms", 1.5, 2.0)


def test_each_row_says_whether_its_aim_is_met() -> None:
    head, slow, quick = render_table([SLOW, QUICK]).split("\n\n")[0].splitlines()

    assert head.split() == ["what", "figure", "against", "ratio", "aim"]
    assert slow.endswith("3.00   ≤ 2  missed")
    assert quick.endswith("1.50   ≤ 2  met")


def test_a_row_that_misses_its_aim_says_why_below_the_table() -> None:
    _, *reasons = render_table([SLOW, QUICK]).split("\n\n")

    assert reasons == ["missed: a page: it parses 7,000 lines, which takes 9.1 ms alone"]


def test_a_lower_bound_is_met_from_above() -> None:
    kept = Row("share", "95 %", "all", 0.95, 0.9, at_least=True)

    assert kept.is_met
    assert "≥ 0.9  met" in render_table([kept])


def test_benchmarks_run_in_the_order_of_the_table() -> None:
    assert tuple(NAMES[: len(ORDER)]) == ORDER


def test_an_unknown_benchmark_is_answered_with_all_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["comit"]) == 2

    told = capsys.readouterr().out
    assert all(f"\n  {name} " in told for name in NAMES)


def test_habits_are_printed_for_the_worlds_that_are_named(
    tmp_path: Path, dinner: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["habits", str(dinner.root)]) == 0
    assert "arrivals with a gesture of two sentences or more" in capsys.readouterr().out
    assert main(["habits", "act", str(dinner.root)]) == 2, "only one benchmark takes worlds"
    with pytest.raises(SystemExit, match="is not a world"):
        main(["habits", str(tmp_path / "nothing")])
