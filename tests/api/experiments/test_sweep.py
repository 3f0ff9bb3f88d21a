"""Sweeps: worlds made from one, played to their last day, and put together in a table."""

from __future__ import annotations

import csv
import json
import multiprocessing
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest

from gm.api.experiments.interview.asking import InterviewOptions, interview_characters
from gm.api.experiments.sweep import run as sweep_run
from gm.api.experiments.sweep.play import DONE, FAILED, WAITING, Job, RunOutcome, spent_before_today
from gm.api.experiments.sweep.run import Expectation, SweepCallbacks, SweepResult, play_sweep, read_sweep
from gm.api.experiments.sweep.workers import play_in_processes
from gm.api.experiments.sweep.worlds import make_worlds
from gm.api.history.compare.comparison import describe_comparison
from gm.api.reports.cost import describe_cost
from gm.base.errors import BackendError, BrokenWorldError, GmError, LockedError
from gm.files.commits.lock import locked
from gm.files.experiments.sweeps.folder import SweepFolder
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.files.story.now import load_settings
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from tests.api.experiments import inline
from tests.stories.playing import edit, play, tree


@pytest.fixture(autouse=True)
def _inline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sweep_run.BACKENDS, "inline", inline.play_inline)


def write(folder: Path, text: str) -> Path:
    """Write a sweep; new worlds have short days unless it says how long these are."""
    path = folder / "s.yaml"
    short = "template:" in text and "day.scenes" not in text
    path.write_text(f"{text}all: {{day.scenes: [1, 2]}}\n" if short else text, encoding="utf-8")
    return path


def go(path: Path, **more: Any) -> SweepResult:
    return play_sweep(read_sweep(path), path.parent / "out", backend="inline", workers=1, **more)


def table(path: Path) -> list[dict[str, str]]:
    with open(path.parent / "out/table.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_each_run_is_a_world_of_its_own_that_can_be_played_on(tmp_path: Path) -> None:
    (tmp_path / "short").mkdir()
    (tmp_path / "short/hint.j2").write_text("x", encoding="utf-8")
    path = write(
        tmp_path,
        "template: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n"
        "runs: [{weights.promise: 7, retrieval.strategy: scored, prompts: short}]\n",
    )
    played = go(path)
    assert played.count(DONE) == 3
    first, second, third = (Layout(tmp_path / "out/runs" / row["run"]) for row in played.rows)
    assert [load_settings(layout)[0].seed for layout in (first, second)] == [1, 2]
    settings = load_settings(third)[0]
    assert (settings.weights.promise, settings.retrieval.strategy) == (7, "scored")
    assert (third.prompts / "hint.j2").read_text(encoding="utf-8") == "x"
    assert not (first.prompts / "hint.j2").exists()
    assert [result.day for result in play(first)] == [2]


def test_a_script_without_a_guard_plays_its_sweep_once(tmp_path: Path) -> None:
    write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n")
    script = tmp_path / "script.py"
    script.write_text("import gm\nprint(gm.play_sweep(gm.read_sweep('s.yaml'), 'out').count('done'))\n")
    done = subprocess.run([sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def test_prompts_are_the_setting_where_no_folder_is_called_so(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {prompts: [full, short]}\n")
    runs = read_sweep(path).runs
    assert [(run.prompts, run.settings["prompts"]) for run in runs] == [(None, "full"), (None, "short")]
    assert [run.name for run in runs] == ["prompts=full", "prompts=short"]


def test_a_run_is_the_same_world_that_advance_day_makes(tmp_path: Path, dinner: Layout) -> None:
    path = write(tmp_path, "world: dinner\ndays: 2\nmatrix: {seed: [1]}\n")
    go(path)
    play(dinner, days=2)
    assert tree(tmp_path / "out/runs/seed=1") == tree(dinner.root)


def test_the_base_is_not_touched_and_its_past_is_not_counted(tmp_path: Path, dinner: Layout) -> None:
    play(dinner)
    before = tree(dinner.root)
    played = go(write(tmp_path, "world: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n"))
    assert tree(dinner.root) == before
    world = load_world(Layout(tmp_path / "out/runs/seed=1")).world
    assert world.clock.day == 2
    row = played.rows[0]
    assert row["days"] == 1
    fresh = sum(node.when.day == 2 for agent in world.agents.values() for node in agent.stream)
    assert 0 < row["memories"] == fresh


@pytest.mark.parametrize("there", [True, False])
def test_a_setting_of_day_0_is_refused_where_it_would_change_nothing(
    tmp_path: Path, dinner: Layout, there: bool
) -> None:
    if not there:
        dinner.world.unlink()
        dinner.bulletin.unlink()
    path = write(tmp_path, "world: dinner\ndays: 1\nconditions: {a: {}, b: {start.brief: The well is sold.}}\n")
    if there:
        with pytest.raises(GmError, match=r"start\.brief is used once") as raised:
            go(path)
        assert "briefs:" in raised.value.hint
        assert not (tmp_path / "out/runs").exists()
    else:
        go(path)
        boards = [Layout(tmp_path / f"out/runs/condition={name}").bulletin.read_text("utf-8") for name in "ab"]
        assert ["The well is sold." in board for board in boards] == [False, True]


def test_the_table_tells_what_the_worlds_say(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 2\nmatrix: {seed: [1, 2], day.scenes: [[3, 3]]}\n")
    played = go(path)
    rows = table(path)
    assert all(row["run"].startswith(f"seed={row['seed']},day.scenes=3-3~") for row in rows)
    world = load_world(Layout(tmp_path / "out/runs" / rows[0]["run"])).world
    nodes = [node for agent in world.agents.values() for node in agent.stream]
    assert int(rows[0]["memories"]) == len(nodes)
    assert float(rows[0]["mean_importance"]) == round(sum(node.importance for node in nodes) / len(nodes), 4)
    assert int(rows[0]["scenes"]) == world.clock.scenes_total
    assert int(rows[0]["reflections"]) == sum(node.depth > 0 for node in nodes)
    assert int(rows[0]["threads_opened"]) == len(world.threads)
    assert int(rows[0]["calls"]) == len(list(Layout(tmp_path / "out/runs" / rows[0]["run"]).traces.rglob("*.json")))
    assert rows[0]["day.scenes"] == "[3, 3]"
    assert rows[0]["usd"] == "0.0"
    parquet = pyarrow.parquet.read_table(tmp_path / "out/table.parquet").to_pylist()
    assert [row["memories"] for row in parquet] == [row["memories"] for row in played.rows]
    assert "seconds" not in rows[0]
    assert (tmp_path / "out/times.csv").read_text(encoding="utf-8").startswith("run,seconds\n")


def test_questions_out_of_scene_do_not_change_what_a_sweep_says(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n")
    rows = go(path).rows
    layout = Layout(tmp_path / "out/runs/seed=1")
    before = (path.parent / "out/table.csv").read_bytes()
    costs = describe_comparison(str(layout.root), str(layout.root), lambda: layout).costs
    who = layout.agent_names()[0]
    asked = interview_characters(
        layout, Choice(Rehearsal(), "a test"), InterviewOptions((who,), ("memory",)), lambda _line: None
    )
    assert asked.answers
    assert go(path).rows == rows
    assert (path.parent / "out/table.csv").read_bytes() == before
    assert describe_comparison(str(layout.root), str(layout.root), lambda: layout).costs == costs
    spent = describe_cost(TraceReader(layout.traces, layout.asks), load_settings(layout)[0])
    purposes = {name: own.calls for name, own in spent.models["rehearsal"].purposes.items()}
    assert purposes["ask"] == 2 * len(asked.answers), "each is looked at again"
    assert sum(purposes.values()) - purposes["ask"] == rows[0]["calls"]


def test_a_brief_is_put_up_before_its_day_and_once(tmp_path: Path) -> None:
    path = write(
        tmp_path, "template: dinner\ndays: 2\nbriefs: {cold: {2: The oven is dead.}}\nruns: [{briefs: cold}]\n"
    )
    sweep = read_sweep(path)
    go(path)
    layout = SweepFolder(tmp_path / "out").world(sweep.runs[0].name)
    posts = [post for post in load_world(layout).world.posts if post.content == "The oven is dead."]
    assert [(post.type, post.day) for post in posts] == [("brief", 1)]


def test_a_brief_that_hangs_there_already_is_not_put_up_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(
        tmp_path, "template: dinner\ndays: 1\nbriefs: {cold: {1: The oven is dead.}}\nruns: [{briefs: cold}]\n"
    )

    def refuse(self: Rehearsal, request: Request) -> Answer:
        raise BackendError("the line is dead")

    with monkeypatch.context() as patch:
        patch.setattr(Rehearsal, "ask", refuse)
        assert go(path).count(FAILED) == 1
    edit(tmp_path / "out/runs/briefs=cold/state/world.json", {"day": 0, "day_open": False})  # as if killed before
    assert go(path).count(DONE) == 1
    posts = load_world(Layout(tmp_path / "out/runs/briefs=cold")).world.posts
    assert [post.content for post in posts].count("The oven is dead.") == 1


def test_what_stops_one_run_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {model: [rehearsal, replay, mailbox]}\n")
    played = go(path)
    assert [row["status"] for row in played.rows] == [DONE, FAILED, WAITING]
    assert played.rows[1]["error"]
    assert str(tmp_path) not in (tmp_path / "out/table.csv").read_text(encoding="utf-8")


def test_a_bug_in_one_run_is_reported_with_its_traceback(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(self: Rehearsal, request: Request) -> Answer:
        raise ZeroDivisionError("oops")

    monkeypatch.setattr(Rehearsal, "ask", break_down)
    played = go(write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n"))
    outcome = played.outcomes["seed=1"]
    assert outcome.status == FAILED
    assert "a bug in gm: ZeroDivisionError: oops" in outcome.error
    assert "break_down" in outcome.trace


@pytest.mark.slow
def test_a_process_that_is_killed_is_a_run_that_failed(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n")
    folder = SweepFolder(tmp_path / "out")
    make_worlds(folder, read_sweep(path))
    heard: list[RunOutcome] = []
    killed = threading.Event()

    def kill_first() -> None:
        while not killed.is_set():
            for process in multiprocessing.active_children():
                if process.name == "gm sweep seed=1":
                    process.kill()
                    killed.set()

    killer = threading.Thread(target=kill_first)
    killer.start()
    play_in_processes([Job(str(folder.root), f"seed={seed}", 1) for seed in (1, 2)], 1, heard.append)
    killer.join()
    assert [(outcome.name, outcome.status) for outcome in heard] == [("seed=1", FAILED), ("seed=2", DONE)]
    assert heard[0].error == "its process ended with SIGKILL"
    assert go(path).count(DONE) == 2


def test_what_is_done_is_not_played_again_and_what_failed_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "template: dinner\ndays: 2\nmatrix: {seed: [1, 2]}\n")
    asked: list[str] = []
    real = Rehearsal.ask

    def ask(self: Rehearsal, request: Request) -> Answer:
        if len(asked) == limit:
            raise BackendError("the line is dead")
        asked.append(request.place)
        return real(self, request)

    monkeypatch.setattr(Rehearsal, "ask", ask)
    limit = -1
    whole = play_sweep(read_sweep(path), tmp_path / "whole", backend="inline", workers=1)
    calls = len(asked)
    asked.clear()
    limit = calls * 3 // 4
    assert [outcome.status for outcome in go(path).outcomes.values()] == [DONE, FAILED]
    limit = -1
    again = go(path)
    assert again.count(DONE) == 2
    assert len(asked) == calls  # nothing twice
    assert again.rows == whole.rows
    assert go(path, resume=True).rows == whole.rows
    assert len(asked) == calls


def test_a_sweep_grows_by_new_runs(tmp_path: Path) -> None:
    go(write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n"))
    ended: list[str] = []

    class View(SweepCallbacks):
        def ended(self, outcome: RunOutcome) -> None:
            ended.append(outcome.name)

    go(write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n"), callbacks=View())
    assert ended == ["seed=2"]


def test_fewer_seeds_than_before_leave_no_run_out_of_the_table(tmp_path: Path) -> None:
    text = "template: dinner\ndays: 1\nall: {day.scenes: [1, 1]}\nconditions: {full: {}, b: {weights.promise: 0}}\n"
    path = write(tmp_path, f"{text}measures: [plans]\nseeds: [1, 2, 10]\n")
    before = go(path)
    files = {name: (tmp_path / "out" / name).read_bytes() for name in ("table.csv", "measures.csv", "report.md")}
    write(tmp_path, f"{text}measures: [plans]\nseeds: [1]\n")
    played = go(path)
    assert [row["run"] for row in played.rows] == [row["run"] for row in before.rows]
    assert (played.experiment, played.left_out) == (before.experiment, ())
    assert files == {name: (tmp_path / "out" / name).read_bytes() for name in files}


def test_a_run_that_is_not_comparable_is_not_in_the_table_and_named(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nall: {day.scenes: [1, 1]}\nseeds: [1, 2]\n")
    go(path)
    write(tmp_path, "template: dinner\ndays: 1\nall: {day.scenes: [2, 2]}\nseeds: [3]\n")
    played = go(path)
    assert [row["run"] for row in table(path)] == ["seed=3"]
    assert played.left_out == ("seed=1", "seed=2")
    assert played.record()["left_out"] == ["seed=1", "seed=2"]
    write(tmp_path, "template: dinner\ndays: 1\nall: {day.scenes: [1, 1]}\nseeds: [2]\n")
    clock = tmp_path / "out/runs/seed=1/state/world.json"
    clock.write_text(clock.read_text(encoding="utf-8").replace('"day": 1', '"day": 0'), encoding="utf-8")
    assert go(path).left_out == ("seed=1", "seed=3"), "not finished"


def test_a_run_that_was_begun_otherwise_is_refused(tmp_path: Path) -> None:
    go(write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n"))
    before = tree(tmp_path / "out")
    with pytest.raises(GmError, match="seed=1 was begun with other days"):
        go(write(tmp_path, "template: dinner\ndays: 2\nmatrix: {seed: [1]}\n"))
    after = tree(tmp_path / "out")
    assert {path: after[path] for path in before if "/lock" not in path} == {
        path: before[path] for path in before if "/lock" not in path
    }


def test_a_base_that_has_changed_is_refused_unless_resume_says_so(tmp_path: Path, dinner: Layout) -> None:
    path = write(tmp_path, "world: dinner\ndays: 1\nmatrix: {seed: [1]}\n")
    first = go(path)
    edit(dinner.world, {"studio_status": "another evening"})
    with pytest.raises(GmError, match="the base world has changed"):
        go(path)
    path = write(tmp_path, "world: dinner\ndays: 1\nmatrix: {seed: [1, 2]}\n")
    again = go(path, resume=True)
    assert again.rows[0] == first.rows[0]
    assert load_world(Layout(tmp_path / "out/runs/seed=2")).world.clock.studio_status != "another evening"


def test_resume_insists_on_a_sweep_that_was_begun(tmp_path: Path) -> None:
    with pytest.raises(GmError, match="no sweep was started"):
        go(write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n"), resume=True)


def test_a_base_with_an_open_day_is_refused(tmp_path: Path, dinner: Layout) -> None:
    edit(dinner.world, {"day": 1, "day_open": True})
    with pytest.raises(GmError, match="a day of the base world is open"):
        go(write(tmp_path, "world: dinner\ndays: 1\nmatrix: {seed: [1]}\n"))


def test_a_broken_base_is_refused_before_a_world_is_made(tmp_path: Path, dinner: Layout) -> None:
    dinner.world.write_text("{", encoding="utf-8")
    with pytest.raises(BrokenWorldError) as caught:
        go(write(tmp_path, "world: dinner\ndays: 1\nmatrix: {seed: [1]}\n"))
    assert [problem.path for problem in caught.value.problems] == ["state/world.json"]
    assert not (tmp_path / "out/runs").exists()


def test_a_brief_without_readers_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 2\nbriefs: {late: {3: Too late.}}\nruns: [{briefs: late}]\n")
    with pytest.raises(GmError, match="no one would read the brief of day 3: days 1 to 2 are played"):
        go(path)


def test_two_commands_do_not_play_one_sweep(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n")
    with locked(tmp_path / "out/.sweep/lock", "gm sweep"), pytest.raises(LockedError):
        go(path)


def test_a_paid_model_needs_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {model: [claude-sonnet-4-5]}\n")
    expected: list[Expectation] = []

    class View(SweepCallbacks):
        def expected(self, expectation: Expectation) -> None:
            expected.append(expectation)

    with pytest.raises(GmError, match="no limit is set for its cost"):
        go(path, callbacks=View())
    assert [one.usd is not None and one.usd > 0 for one in expected] == [True], "the forecast comes first"


def test_a_paid_sweep_is_forecast_and_stops_before_it_exceeds_its_part(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")  # no call is ever begun
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1, 2], model: [rehearsal, claude-sonnet-4-5]}\n")
    expected: list[Expectation] = []

    class View(SweepCallbacks):
        def expected(self, expectation: Expectation) -> None:
            expected.append(expectation)

    played = go(path, max_usd=0.0002, callbacks=View())
    assert [row["status"] for row in played.rows] == [DONE, FAILED, DONE, FAILED]
    failed = played.outcomes["seed=1,model=claude-sonnet-4-5"]
    assert "$0.0001" in failed.error
    assert "--max-usd" in failed.hint
    (one,) = expected
    assert one.runs == 2
    assert one.usd is not None
    assert one.usd == 2 * one.forecast.total.usd > 0.0002


def test_what_earlier_days_have_cost_counts(tmp_path: Path) -> None:
    path = write(tmp_path, "template: dinner\ndays: 1\nmatrix: {seed: [1]}\n")
    go(path)
    layout = Layout(tmp_path / "out/runs/seed=1")
    trace = next(layout.traces.rglob("*.json"))
    record = json.loads(trace.read_text(encoding="utf-8"))
    record |= {"backend": "anthropic", "asked": "claude-sonnet-4-5", "model": "claude-sonnet-4-5"}
    record["usage"] = {"input_tokens": 1_000_000, "output_tokens": 0}
    trace.write_text(json.dumps(record), encoding="utf-8")
    assert spent_before_today(layout) == pytest.approx(3.0)
