"""Experiments: conditions compared over made-up and played runs, and what the report says of them."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any

import pyarrow.parquet
import pytest

from gm.api.experiments.evaluate.measure import Case, Evaluation, Figure, Measured
from gm.api.experiments.sweep import run as sweep_run
from gm.api.experiments.sweep.compare import Experiment, compare_conditions, compare_runs
from gm.api.experiments.sweep.effects import ComparedFigure, Effect
from gm.api.experiments.sweep.play import DONE
from gm.api.experiments.sweep.report import figure_text, write_sweep_report
from gm.api.experiments.sweep.results import RunResult
from gm.api.experiments.sweep.run import SweepResult, play_sweep, read_recipe, read_sweep, recipes
from gm.base.errors import BrokenWorldError, GmError, UsageError
from gm.files.experiments.sweeps.folder import Condition, SweepFolder
from tests.api.experiments import inline

NO_EVIDENCE = Evaluation(
    world="w",
    first=1,
    last=1,
    measures=(Measured(name="made", definition="Made up.", source="this test", missing="nothing was made"),),
)
SPREAD = (0.0, 2.0, -1.0, 1.0, -2.0, 0.5, -0.5, 1.5)
TRIAL = """
template: dinner
days: 1
all: {day.scenes: [2, 2]}
seeds: 1..2
measures: [promises, plans]
conditions:
  full: {}
  no-plans: {plans.enabled: false}
"""


@pytest.fixture(autouse=True)
def _inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sweep_run.BACKENDS, "processes", inline.play_inline)


def ran(condition: str, seed: int, value: float | None, unit: str = "points", name: str = "height") -> RunResult:
    figures = (
        Figure(of="all", name=name, value=value, count=1, unit=unit),
        Figure(of="vera", name=name, value=99.0, count=1, unit=unit),
    )
    measured = Measured(name="made", definition="Made up.", source="this test", figures=figures)
    evaluation = Evaluation(world="w", first=1, last=1, measures=(measured,))
    return RunResult(name=f"{condition},{seed}", condition=condition, pair=str(seed), table={}, evaluation=evaluation)


def arm(condition: str, values: Sequence[float | None], unit: str = "points", first_seed: int = 1) -> list[RunResult]:
    return [ran(condition, seed, value, unit) for seed, value in enumerate(values, first_seed)]


def effect_of(runs: Sequence[RunResult], *conditions: str) -> Effect:
    (figure,) = compare_runs(conditions or ("a", "b"), runs).figures
    return figure.effects[1]


def test_a_difference_that_is_there_is_found_and_an_equal_one_is_not() -> None:
    base = [10 + noise for noise in SPREAD]
    higher = effect_of(
        [*arm("a", base), *arm("b", [value + 3 + noise / 10 for value, noise in zip(base, SPREAD, strict=True)])]
    )
    assert higher.differs
    assert higher.difference == pytest.approx(3.01875)
    assert higher.difference_low is not None
    assert 2.5 < higher.difference_low < 3 < (higher.difference_high or 0) < 3.5
    same = effect_of([*arm("a", base), *arm("b", [10 + noise for noise in reversed(SPREAD)])])
    assert same.difference == pytest.approx(0)
    assert not same.differs
    assert same.size == pytest.approx(0)


def test_the_figures_have_known_values() -> None:
    found = effect_of([*arm("a", [1, 2, 3]), *arm("b", [3, 4, 5], first_seed=11)])
    assert (found.runs, found.mean, found.low, found.high, found.pairs) == (3, 4, None, None, 0), "three are too few"
    assert (found.difference, found.size, found.size_kind) == (2, 2, "d"), "pooled sd is 1"
    five = effect_of([*arm("a", [1, 2, 3, 4, 5]), *arm("b", [7, 7, 7, 7, 7], first_seed=11)])
    assert (five.low, five.high, five.difference_high) == (None, None, 5.6), "all are 7"
    share = effect_of([*arm("a", [0.5, 0.5], "share"), *arm("b", [1.0, 1.0], "share")])
    assert share.size_kind == "h"
    assert share.size == pytest.approx(1.5708, abs=1e-4)


def test_runs_of_one_seed_are_a_pair_and_their_difference_is_surer() -> None:
    values = [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]
    more = [value + 1 + noise for value, noise in zip(values, (0.5, -0.5, 0.25, -0.25, 0.125, -0.125), strict=True)]
    paired = effect_of([*arm("a", values), *arm("b", more)])
    apart = effect_of([*arm("a", values), *arm("b", more, first_seed=50)])
    assert (paired.pairs, apart.pairs) == (6, 0)
    assert (paired.differs, apart.differs) == (True, False)
    assert paired.difference == apart.difference == 1


@pytest.mark.parametrize("unit", ["points", "share"])
def test_the_size_is_of_the_same_runs_as_the_difference(unit: str) -> None:
    pairs = [*arm("a", [0.1, 0.2, 0.3], unit), *arm("b", [0.3, 0.4, 0.5], unit)]
    alone = effect_of(pairs)
    more = effect_of([*pairs, *arm("b", [0.9, 0.0, 0.9], unit, first_seed=50)])
    assert more.runs == 6
    assert (more.difference, more.size) == (alone.difference, alone.size)


@pytest.mark.parametrize("first_seed", [1, 50])
def test_runs_that_agree_have_no_interval_and_are_not_marked(first_seed: int) -> None:
    values = [0.30] * 6 if first_seed > 1 else [seed / 10 for seed in range(6)]
    found = effect_of([*arm("a", values), *arm("b", [value + 0.01 for value in values], first_seed=first_seed)])
    assert found.difference == pytest.approx(0.01)
    assert (found.rests_on, found.difference_low, found.difference_high, found.differs) == (6, None, None, False)


def test_a_difference_that_is_the_same_in_all_pairs_is_told() -> None:
    for values, told in (([1.0] * 6, True), ([1.0] * 5, False), ([1.0] * 5 + [0.5], False), ([0.0] * 6, False)):
        notes = " ".join(compare_runs(("a", "b"), [*arm("a", [0.0] * len(values)), *arm("b", values)]).notes)
        assert ("no interval and no mark: made: height." in notes) == told


@pytest.mark.parametrize(("a", "b"), [([1.0], [2.0]), ([1.0, 2.0], [2.0]), ([1.0], [2.0, 3.0])])
def test_fewer_than_two_runs_give_no_interval_and_no_size(a: list[float], b: list[float]) -> None:
    found = effect_of([*arm("a", a), *arm("b", b)])
    assert (found.difference_low, found.size, found.differs) == (None, None, False)
    assert "fewer than two runs" in found.note


def test_runs_that_agree_exactly_have_no_size_and_few_runs_are_never_marked() -> None:
    found = effect_of([*arm("a", [1.0, 1.0]), *arm("b", [5.0, 5.0])])
    assert (found.difference, found.difference_low, found.size, found.differs) == (4, None, None, False)
    assert "agree exactly" in found.note


def test_six_pairs_with_half_agreeing_are_no_finding() -> None:
    found = effect_of([*arm("a", [4, 1, 1, 0, 0, 0]), *arm("b", [0, 0, 0, 0, 0, 0])])
    assert found.difference == -1
    assert (found.difference_high, found.differs) == (0, False), "paired t-test: p = 0.18"


def test_a_difference_of_some_of_the_runs_says_how_many_pairs_it_rests_on() -> None:
    found = effect_of([*arm("a", [0.5, 0.5, None], "share"), *arm("b", [0.5, 1.0, 0.0], "share")])
    assert (found.pairs, found.note) == (2, "difference and effect of 2 pairs")
    assert effect_of([*arm("a", [1, 2]), *arm("b", [3, 5])]).note == ""


@pytest.mark.parametrize(("last", "same"), [(3.0, True), (3.5, False)])
def test_a_condition_that_changes_nothing_is_told(last: float, same: bool) -> None:
    found = compare_runs(("a", "b"), [*arm("a", [1.0, 2.0, 3.0]), *arm("b", [1.0, 2.0, last])])
    assert ("what b sets has changed nothing that is counted" in " ".join(found.notes)) == same
    assert "changed nothing" not in " ".join(compare_runs(("a", "b"), [*arm("a", [1.0]), *arm("b", [])]).notes)


def test_missing_evidence_is_no_number(tmp_path: Path) -> None:
    found = effect_of([*arm("a", [1.0, 2.0]), *arm("b", [None, 7.0])])
    assert (found.runs, found.mean, found.note.split(";")[0]) == (1, 7, "no evidence in 1 of 2 runs")
    nothing = effect_of([*arm("a", [1.0, 2.0]), *arm("b", [None, None])])
    assert (nothing.runs, nothing.mean, nothing.difference) == (0, None, None)


def test_what_only_some_runs_have_is_not_compared() -> None:
    assert compare_runs(("a", "b"), [ran("a", 1, 1.0), ran("b", 1, 1.0, name="mood: sad")]).figures == ()


def test_a_measure_that_a_condition_has_nothing_for_is_shown_without_evidence() -> None:
    without = [
        RunResult(name=f"b,{seed}", condition="b", pair=str(seed), table={}, evaluation=NO_EVIDENCE) for seed in (1, 2)
    ]
    (figure,) = compare_runs(("a", "b"), [*arm("a", [1.0, 2.0]), *without]).figures
    assert (figure.effects[1].mean, figure.effects[1].note) == (None, "no evidence in 2 of 2 runs")


def test_the_notes_say_what_so_few_runs_cannot_show() -> None:
    two = " ".join(compare_runs(("a", "b"), [*arm("a", [1, 2]), *arm("b", [3, 4])]).notes)
    assert "only 50.0 %" in two
    assert "found in four of five" not in two, "nothing is marked"
    one = " ".join(compare_runs(("a", "b"), [*arm("a", [1]), *arm("b", [3])]).notes)
    assert "fewer than two" in one
    many = compare_runs(("a", "b"), [*arm("a", SPREAD), *arm("b", [5 + x for x in reversed(SPREAD)])])
    assert "1 differences are compared here, and 1 intervals" in " ".join(many.notes)
    assert "With 8 pairs (runs of one seed), a difference has to be 1.1 standard deviations" in " ".join(many.notes)
    assert "unpaired runs a condition" not in " ".join(many.notes)
    apart = compare_runs(("a", "b"), [*arm("a", SPREAD), *arm("b", SPREAD, first_seed=50)])
    assert "With 8 unpaired runs a condition, a difference has to be as large as d = 1.5" in " ".join(apart.notes)
    assert "within pairs" not in " ".join(apart.notes)
    broken = RunResult(name="b,2", condition="b", pair="2", table={}, error="the budget is spent")
    assert "1 of 2 runs do not count: b,2: the budget" in " ".join(
        compare_runs(("a", "b"), [*arm("a", [1]), broken]).notes
    )


def test_a_small_effect_that_pairs_show_does_not_contradict_what_the_note_says_can_be_found() -> None:
    values = [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]
    noise = (9.0, -9.0, 3.0, -3.0, 6.0, -6.0)
    more = [value + 100 + more for value, more in zip(values, noise, strict=True)]
    found = compare_runs(("a", "b"), [*arm("a", values), *arm("b", more)])
    effect = found.figures[0].effects[1]
    assert (effect.is_found, round(effect.size or 0, 1)) == (True, 0.5)
    assert "as large as d" not in " ".join(found.notes)
    assert "With 6 pairs (runs of one seed), a difference has to be 1.4 standard deviations" in " ".join(found.notes)


def test_a_condition_of_few_runs_does_not_speak_for_the_others() -> None:
    noise = SPREAD[:7]
    runs = [*arm("a", noise), *arm("b", [9 - value for value in noise]), *arm("c", noise[:3])]
    found = compare_runs(("a", "b", "c"), runs)
    assert [effect.differs for effect in found.figures[0].effects] == [False, True, False]
    said = " ".join(found.notes)
    assert "marked in no comparison that rests on fewer than 6 runs" in said
    assert "1 differences are compared here, and 1 intervals" in said
    assert "found in four of five" not in said


@pytest.mark.parametrize(
    ("value", "unit", "signed", "text"),
    [
        (None, "share", False, "–"),
        (0.425, "share", False, "42.5 %"),
        (0.1, "share", True, "+10.0 points"),
        (-3.25, "points", True, "-3.25"),
        (1234.56, "count", False, "1,234.6"),
        (2.0, "dollars", False, "$2"),
        (-0.0, "points", True, "0"),
        (-0.0001, "share", True, "0.0 points"),
    ],
)
def test_a_figure_is_read(value: float | None, unit: str, signed: bool, text: str) -> None:
    assert figure_text(value, unit, signed=signed) == text


def test_the_report_escapes_what_people_and_models_write(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>|[x](javascript:1)\n# {{ 7*7 }}\u202e"
    figure = ComparedFigure(
        measure=evil, name=evil, unit=evil, effects=(effect_of([*arm("a", [1, 2]), *arm("b", [3, 4])]),)
    )
    measured = Measured(
        name=evil, definition=evil, source=evil, missing=evil, cases=(Case(agent="a", at="x", text=evil),)
    )
    run = RunResult(name=evil, condition=evil, pair="", table={}, error=evil)
    experiment = Experiment(conditions=(evil,), runs=(run,), figures=(figure,), measures=(measured,), notes=(evil,))
    write_sweep_report(SweepFolder(tmp_path), experiment, (Condition(evil, {"world.name": evil}),))
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 5
    assert "{{ 7*7 }}" in page
    assert "http" not in re.sub(r"http-equiv", "", page), "nothing from elsewhere"
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<script", text)
    assert not re.search(r"(?<!\\)\[x\]", text)
    assert "\u202e" not in page + text
    assert [line for line in text.splitlines() if line.startswith("# ")] == [
        f"# Experiment: {tmp_path.name}".replace("_", "\\_")
    ]


@pytest.mark.parametrize("compared", [False, True])
def test_a_report_of_one_condition_has_no_columns_of_differences_and_says_so(tmp_path: Path, compared: bool) -> None:
    conditions = ("plain", "full") if compared else ("plain",)
    experiment = compare_runs(conditions, [ran(name, seed, 1.0) for name in conditions for seed in (1, 2)])
    write_sweep_report(SweepFolder(tmp_path), experiment, ())
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for report in (text, page):
        assert ("There is one condition, so nothing is compared." in report) != compared
        for word in ("differences are to", "Effect sizes", "difference</th>" if report == page else "| difference |"):
            assert (word in report.replace(" <small>95 %</small>", "")) == compared, word
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {10 if compared else 7}


def test_what_follows_from_the_condition_itself_is_marked_apart_and_said(tmp_path: Path) -> None:
    full = [replace(one, table={"calls": 50.0 + int(one.pair)}) for one in arm("full", SPREAD)]
    off = [
        replace(one, table={"calls": 20.0 + 2 * int(one.pair)}, switched_off=("reflection.enabled",))
        for one in arm("off", [9 + value * 2 for value in SPREAD])
    ]
    runs = [*full, *off]
    experiment = compare_runs(("full", "off"), runs)
    made, calls = (one.effects[1] for one in experiment.figures)
    assert (made.differs, made.by_design, made.is_found) == (True, (), True)
    assert (calls.differs, calls.by_design, calls.is_found) == (True, ("reflection.enabled",), False)
    said = " ".join(experiment.notes)
    assert (
        "So these figures differ whatever the characters do, and are not counted as differences: table: calls." in said
    )
    assert "1 differences are compared here, and 1 intervals" in said
    write_sweep_report(SweepFolder(tmp_path), experiment, ())
    lines = (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()
    assert [line.count("**≠ 0**") for line in lines if line.startswith("|  | off")] == [1, 0]
    assert [line.count("†") for line in lines if line.startswith("|  | off")] == [0, 1]
    assert (tmp_path / "report.html").read_text(encoding="utf-8").count('class="found"') == 1


@pytest.mark.parametrize("both", [True, False])
def test_only_a_switch_that_two_conditions_set_differently_explains_a_difference(both: bool) -> None:
    off = ("plans.enabled",)
    runs = [replace(one, table={"scenes": 3.0}, switched_off=off) for one in arm("b", [1.0, 2.0])]
    runs += [replace(one, table={"scenes": 4.0}, switched_off=off if both else ()) for one in arm("a", [1.0, 2.0])]
    (_, scenes) = compare_runs(("a", "b"), runs).figures
    assert scenes.effects[1].by_design == (() if both else off)


def go(folder: Path, text: str = TRIAL, **more: Any) -> SweepResult:
    path = folder / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return play_sweep(read_sweep(path), folder / "out", backend="processes", workers=1, **more)


def rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_an_experiment_is_played_and_reported_and_the_same_again_only_reports(tmp_path: Path) -> None:
    played, out = go(tmp_path), tmp_path / "out"
    assert played.count(DONE) == 4
    assert [(row["condition"], row["seed"]) for row in rows(out / "table.csv")] == [
        ("full", "1"),
        ("full", "2"),
        ("no-plans", "1"),
        ("no-plans", "2"),
    ]
    experiment = played.experiment
    assert experiment is not None
    assert experiment == compare_conditions(out)
    figures = {(one.measure, one.name): one.effects for one in experiment.figures}
    full, without = figures["plans", "done"]
    assert full.mean is not None
    assert without.mean is None, "no plan, no evidence"
    assert figures["table", "calls"][1].pairs == 2
    assert figures["table", "tokens"][1].by_design == ("plans.enabled",)
    assert figures["plans", "done"][1].by_design == (), "no evidence says enough"
    assert "rehearsal's" in " ".join(experiment.notes)
    compared = {(row["measure"], row["name"], row["condition"]): row for row in rows(out / "comparison.csv")}
    assert compared["table", "calls", "no-plans"]["pairs"] == "2"
    assert float(compared["plans", "done", "full"]["mean"]) == full.mean
    assert compared["plans", "done", "no-plans"]["mean"] == ""
    assert compared["table", "tokens", "no-plans"]["by_design"] == "plans.enabled"
    listed = rows(out / "measures.csv")
    assert {row["condition"] for row in listed} == {"full", "no-plans"}
    assert {"alex", "all"} <= {row["of"] for row in listed}
    assert pyarrow.parquet.read_table(out / "measures.parquet").num_rows == len(listed)
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "no-plans: 2 runs; plans.enabled: false" in report
    json.dumps(played.record())
    (out / "report.html").unlink()
    (out / "runs/condition=full,seed=1/state/.gm/again").write_text("", encoding="utf-8")
    again = go(tmp_path)
    assert again.experiment == experiment
    assert (out / "report.html").is_file()
    assert (out / "report.md").read_text(encoding="utf-8") == report


def test_an_experiment_says_how_far_a_planted_word_went(tmp_path: Path) -> None:
    text = """
        template: dinner
        days: 1
        all: {day.scenes: [2, 2]}
        briefs: {posted: {1: Culpepper has sold the well.}}
        conditions: {nowhere: {}, board: {briefs: posted}}
        measures: [leaks]
        canaries: ["Culpepper=alex"]
    """
    found = go(tmp_path, dedent(text)).experiment
    assert found == compare_conditions(tmp_path / "out")
    assert found is not None
    used, leaked = ([one for one in found.figures if one.name == f"canaries {name}"] for name in ("used", "leaked"))
    assert [each.mean for each in used[0].effects] == [0, 1]
    assert [each.mean for each in leaked[0].effects] == [0, 0]
    with pytest.raises(UsageError, match="nobody here is called 'bob'"):
        go(tmp_path, dedent(text).replace("=alex", "=bob"))


def test_an_experiment_goes_on_where_it_was_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def play_one(jobs: Sequence[Any], workers: int, heard: Any) -> None:
        inline.play_inline(jobs[:1], workers, heard)
        raise KeyboardInterrupt

    monkeypatch.setitem(sweep_run.BACKENDS, "processes", play_one)
    with pytest.raises(KeyboardInterrupt):
        go(tmp_path)
    monkeypatch.setitem(sweep_run.BACKENDS, "processes", inline.play_inline)
    played = go(tmp_path, resume=True)
    assert played.count(DONE) == 4
    assert played.experiment is not None


def test_a_sweep_without_measures_has_no_report(tmp_path: Path) -> None:
    played = go(tmp_path, "template: dinner\ndays: 1\nall: {day.scenes: [1, 1]}\nseeds: [1]\n")
    assert played.experiment is None
    assert "experiment" not in played.record()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        ".sweep",
        "runs",
        "table.csv",
        "table.parquet",
        "times.csv",
    ]
    with pytest.raises(GmError, match="holds no experiment"):
        compare_conditions(tmp_path / "out")


def test_every_recipe_is_sound_and_the_ablation_takes_away_more_and_more(tmp_path: Path) -> None:
    assert list(recipes()) == ["ablation", "last-ten"]
    for name in recipes():
        assert read_recipe(name).measures
    sweep = read_recipe("ablation", {"seeds": [7], "days": 1})
    assert sweep.runs[0].name == "condition=full,seed=7"
    assert sum(len(one.values) for one in sweep.conditions[:3]) == 3
    with pytest.raises(UsageError, match="there are: ablation, last-ten") as raised:
        read_recipe("ablaton")
    assert "ablation" in raised.value.hint
    with pytest.raises(BrokenWorldError):
        read_recipe("ablation", {"days": 0})
