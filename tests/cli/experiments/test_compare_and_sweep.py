"""``gm compare`` and ``gm sweep``: what they print, and how they end."""

from __future__ import annotations

import builtins
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from gm.api.experiments.evaluate.measure import Measured
from gm.api.experiments.sweep import run as sweep_run
from gm.api.experiments.sweep.compare import Experiment
from gm.api.experiments.sweep.effects import ComparedFigure, Effect
from gm.api.experiments.sweep.results import RunResult
from gm.api.worlds.create import create_world
from gm.base.installed import pip_install
from gm.cli.experiments.sweep import show_experiment
from gm.cli.history.compare import sparkline
from gm.files.experiments.sweeps.folder import SweepFolder
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from tests.api.experiments import inline
from tests.cli.running import Run
from tests.stories.playing import play, set_sections

FIGURES = """days scenes memories reflections mean_importance artifacts threads_opened threads_closed pairs_met calls
input_tokens cache_read_tokens cache_write_tokens output_tokens usd unpriced_calls world error path seconds hint"""


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    path = tmp_path / "s.yaml"
    path.write_text("template: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n", encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_sweep_in_processes_as_a_document(run: Run, sweep: Path) -> None:
    outcome = run("sweep", sweep, "--jobs", 2, "--json")
    assert outcome.code == 0, outcome.err
    document = outcome.document
    assert list(document) == ["out", "table", "counts", "runs"]
    assert document["counts"] == {"done": 2, "failed": 0, "waiting": 0}
    assert list(document["runs"][0]) == ["run", "status", "seed", *FIGURES.split()]
    assert "[2/2]" in outcome.err
    assert Path(document["runs"][1]["path"]) == sweep.with_suffix(".out") / "runs/seed=2"
    again = run("sweep", sweep, "--resume")
    assert again.code == 0
    assert "2 worlds, 2 of them are played already" in again.err
    assert again.out.splitlines()[1].startswith("seed=1")
    compared = run("compare", *(item["path"] for item in document["runs"]))
    assert compared.code == 0
    assert "seed: 1 | 2" in compared.out
    assert "they part at day-001/" in compared.out


def test_a_sweep_whose_runs_all_failed_says_why_once_and_what_to_do(
    run: Run, sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sweep_run.BACKENDS, "processes", inline.play_inline)
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1:9")
    text = "template: dinner\ndays: 1\nall: {model: 'ollama:qwen3'}\nseeds: 1..3\nmeasures: [plans]\n"
    sweep.write_text(text + "conditions: {full: {}, none: {plans.enabled: false}}\n", encoding="utf-8")
    outcome = run("sweep", sweep)
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    (told,) = (line for line in lines if "cannot be reached" in line)
    assert told.startswith("condition=full,seed=1 and 5 more: the server of ollama at http://127.0.0.1:9")
    assert "is ollama running, and OLLAMA_HOST right?" in lines[lines.index(told) + 1]
    assert "6 of 6 runs failed: mend the cause, and the same command plays them again" in lines
    assert lines[-1] == "No run of the experiment has anything to compare yet."


def test_a_run_that_failed_makes_the_sweep_fail(run: Run, sweep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sweep_run.BACKENDS, "processes", inline.play_inline)
    sweep.write_text("template: dinner\ndays: 1\nmatrix: {model: [replay, rehearsal, mailbox]}\n", encoding="utf-8")
    outcome = run("sweep", sweep)
    assert outcome.code == 1
    assert "model=replay failed: " in outcome.err
    assert "model=rehearsal done" in outcome.err
    sweep.write_text("template: dinner\ndays: 1\nmatrix: {model: [rehearsal, mailbox]}\n", encoding="utf-8")
    assert run("sweep", sweep).code == 75


def test_only_what_a_person_put_up_was_given(run: Run, tmp_path: Path) -> None:
    worlds = [create_world(tmp_path / name, "dinner") for name in ("a", "b")]
    by_hand = {"from": "host", "day": 0, "scene": 0, "type": "note", "content": "The oven has died."}
    told = {"from": "mina", "day": 1, "scene": 2, "type": "note", "content": "A list of guests."}
    board = worlds[1].bulletin
    board.write_text(json.dumps({"posts": [by_hand, told], "team_decisions": []}), encoding="utf-8")
    shown = run("compare", *(world.root for world in worlds)).out
    given, _, rest = shown.partition("the two tell the same")
    assert "B only: The oven has died." in given
    assert "A list of guests" not in given
    assert "hung up by characters\n  B only: A list of guests." in rest


def test_an_event_in_one_calendar_was_given(run: Run, tmp_path: Path) -> None:
    worlds = [create_world(tmp_path / name, "dinner") for name in ("a", "b")]
    assert run("event", "-w", worlds[1].root, "The oven dies", "--day", 2).code == 0
    given, _, _ = run("compare", *(world.root for world in worlds)).out.partition("the two tell the same")
    assert "B only: event of day 2: The oven dies" in given
    document = run("compare", *(world.root for world in worlds), "--json").document["given"]
    assert [event["event"] for event in document["events"]["only_b"]] == ["The oven dies"]
    assert document["events"]["only_a"] == []


def test_the_first_line_that_differs_stands_under_its_scene_and_its_file(run: Run, tmp_path: Path) -> None:
    worlds = [create_world(tmp_path / name, "studio", days=1) for name in ("a", "b")]
    log, persona = worlds[1].day_log(1), worlds[1].persona("vera")
    lines = log.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[1])
    said = record["dialogue"][0]["text"]
    record["dialogue"][0]["text"] = f"{said}\x1b[31m!"
    log.write_text("\n".join([lines[0], json.dumps(record), *lines[2:], ""]), encoding="utf-8")
    persona.write_text(f"{persona.read_text(encoding='utf-8')}More.\n", encoding="utf-8")
    shown = run("compare", *(world.root for world in worlds)).out
    head, _, rest = " ".join(shown.split()).partition("they part at day-001/scene-02")
    assert re.search(r'state/personas/vera\.md line \d+: "" \| "More\."', head)
    line = f'dialogue 1 text: "…{said[-20:]}" | "…{said[-20:]}\\u001b[31m!"'
    assert rest.count(" ".join(line.split())) == 2
    assert "\x1b[31m!" not in shown


@pytest.mark.parametrize("mean", [None, 0.125])
def test_a_dash_in_the_table_is_explained_where_it_occurs(
    mean: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    means = {"full": 0.5, "none": mean}
    effects = tuple(Effect(condition=name, runs=2, mean=value, low=None, high=None) for name, value in means.items())
    figure = ComparedFigure(measure="promises", name="kept", unit="share", effects=effects)
    show_experiment(Experiment(conditions=("full", "none"), runs=(), figures=(figure,)))
    shown = capsys.readouterr().out
    assert shown.splitlines()[2].split()[2:] == ["50.0", "%", *(["–"] if mean is None else ["12.5", "%"])]
    assert ("– no evidence: no run" in shown) == (mean is None)


def test_a_measure_without_evidence_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    nothing = Measured(name="repetition", definition="", source="", missing="nobody has said anything")
    show_experiment(Experiment(conditions=("full",), runs=(), figures=(), measures=(nothing,)))
    assert "repetition: no evidence: nobody has said anything\n" in capsys.readouterr().out


def test_a_mean_of_fewer_runs_than_the_condition_has_says_of_how_many(capsys: pytest.CaptureFixture[str]) -> None:
    runs = tuple(
        RunResult(name=f"{condition},{seed}", condition=condition, pair=seed, table={})
        for condition in ("full", "none")
        for seed in ("1", "2")
    )
    effects = tuple(
        Effect(condition=condition, runs=count, mean=4.5, low=None, high=None)
        for condition, count in (("full", 2), ("none", 1))
    )
    figure = ComparedFigure(measure="promises", name="kept", unit="points", effects=effects)
    show_experiment(Experiment(conditions=("full", "none"), runs=runs, figures=(figure,)))
    assert capsys.readouterr().out.splitlines()[2].split(":")[1].split() == ["kept", "4.5", "4.5", "(n", "=", "1)"]


def test_mistakes_in_the_file_are_shown_with_their_places(run: Run, sweep: Path) -> None:
    sweep.write_text("template: dinner\ndays: 1\nmatrix:\n  weights.promis: [1]\n", encoding="utf-8")
    outcome = run("sweep", sweep)
    assert outcome.code == 1
    assert f"{sweep}:4:3: error: no setting is called 'promis'" in outcome.err
    assert "did you mean promise?" in outcome.err
    assert not sweep.with_suffix(".out").exists()


def test_ray_that_is_absent_is_said_before_anything_is_made(
    run: Run, sweep: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def refuse(name: str, *more: Any, **named: Any) -> Any:
        if name == "ray":
            raise ImportError("no ray")
        return real(name, *more, **named)

    monkeypatch.delitem(sys.modules, "ray", raising=False)
    monkeypatch.setattr(builtins, "__import__", refuse)
    outcome = run("sweep", sweep, "--backend", "ray")
    assert outcome.code == 1
    assert "Ray is not installed" in outcome.err
    assert pip_install("ray") in outcome.err
    assert not sweep.with_suffix(".out").exists()


def test_a_sweep_goes_into_no_world(run: Run, sweep: Path, dinner: Layout) -> None:
    outcome = run("sweep", sweep, "--out", dinner.root)
    assert outcome.code == 1
    assert "is a world" in outcome.err


def test_compare_as_a_document(run: Run, dinner: Layout, tmp_path: Path) -> None:
    play(dinner)
    outcome = run("compare", dinner.root, dinner.root, "--json")
    assert outcome.code == 0
    assert list(outcome.document) == [
        "a",
        "b",
        "given",
        "parting",
        "memories",
        "days",
        "agents",
        "scenes",
        "artifacts",
        "board",
        "costs",
        "unreadable",
        "lines",
    ]
    assert list(outcome.document["agents"]["alex"]) == ["importance", "memories", "mood", "trust"]
    assert "the two tell the same" in run("compare", dinner.root, dinner.root).out


def test_compare_prints_no_raw_text_of_others(run: Run, dinner: Layout) -> None:
    play(dinner)
    set_sections(dinner.settings, 'world: {title: "a\\e[31mred"}')
    log = [json.loads(line) for line in dinner.day_log(1).read_text(encoding="utf-8").splitlines()]
    log[0]["summary"] = "a\x1b[31mred"
    dinner.day_log(1).write_text("\n".join(map(json.dumps, log)) + "\n", encoding="utf-8")
    fresh = dinner.root.parent / "fresh"
    run("init", fresh, "--template", "dinner")
    outcome = run("compare", dinner.root, fresh)
    assert outcome.code == 0
    assert "\x1b[31m" not in outcome.out
    assert "\\x1b[31mred" in outcome.out


def test_compare_outside_of_a_world_says_what_it_wants(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("compare", "one", "other")
    assert outcome.code == 1
    assert "one is not a world, and no world in" in outcome.err


def test_a_sparkline_has_a_bar_for_each_day() -> None:
    assert sparkline([1, None, 10, 5.5], 1, 10) == "▁·█▅"
    assert sparkline([-1.0, 0.0, 1.0], -1, 1) == "▁▅█"


def test_the_ablation_runs_from_the_command_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sweep_run.BACKENDS, "processes", inline.play_inline)
    listed = run("sweep", "--recipes")
    assert listed.code == 0
    assert listed.out.startswith("ablation: What reflection")
    out = tmp_path / "abl"
    done = run("sweep", "--recipe", "ablation", "--days", 1, "--seeds", "1..1", "--out", out)
    assert done.code == 0, done.err
    assert "plans: done" in done.out
    assert "fewer than two finished runs" in done.out
    none = SweepFolder(out).world("condition=none,seed=1")
    settings = load_settings(none)[0]
    assert [settings.retrieval.enabled, settings.plans.enabled, settings.reflection.enabled] == [False] * 3
    wrong = run("sweep", "--recipe", "nothing")
    assert wrong.code != 0
    assert "there is no recipe 'nothing'" in wrong.err
    assert run("sweep").code == 2


def test_two_versions_of_a_long_memory_show_where_they_part(run: Run, tmp_path: Path) -> None:
    worlds = [create_world(tmp_path / name, "studio", days=1) for name in ("a", "b")]
    for world, end in zip(worlds, ("the yard", "the cellar"), strict=True):
        first, *rest = world.stream("vera").read_text(encoding="utf-8").splitlines()
        record = {**json.loads(first), "description": f"{'Someone knocked, and nobody rose. ' * 6}It came from {end}."}
        world.stream("vera").write_text("\n".join((json.dumps(record), *rest, "")), encoding="utf-8")
    parting, _, days = run("compare", *(world.root for world in worlds)).out.partition("day by day")
    told = parting.partition("they part at")[2]
    assert "It came from the yard." in told
    assert "It came from the cellar." in told
    assert "the same in both; all of them with --json" in days
    assert "importance  " not in days
