"""Run Thursday twice: a second world from a moment on, played differently, and brought back by a plain merge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.views.history import view_history
from gm.files.layout import Layout
from tests.api.history.rewinding import Camera, photographed, played
from tests.api.repositories import git
from tests.cli.running import Outcome, Run
from tests.stories.playing import copied, tree


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Camera:
    return photographed(tmp_path_factory.mktemp("committed") / "Welt für zwei", 3, commit="day")


@pytest.fixture
def world(committed: Camera, tmp_path: Path) -> Layout:
    return copied(committed.layout, tmp_path / "Welt für zwei")


def branch(run: Run, layout: Layout, *arguments: object) -> Outcome:
    return run("branch", "-w", layout.root, *arguments)


@pytest.mark.matrix
@pytest.mark.parametrize(("moment", "changed"), [("day-002", False), ("day-002/scene-03", True), ("day-000", False)])
def test_a_branch_is_the_world_of_that_moment_in_a_folder_beside_and_nothing_changes_here(
    moment: str, changed: bool, committed: Camera, world: Layout, run: Run
) -> None:
    before = tree(world.root)
    outcome = branch(run, world, "was/wenn", "--from", moment, "--json")
    assert outcome.code == 0, outcome.err
    there = Layout(Path(outcome.document["world"]))
    assert there.root == world.root.with_name("Welt für zwei-was-wenn")
    assert {path: data for path, data in played(there.root).items() if path != ".git"} == committed.seen[moment]
    assert bool(outcome.document["changed"]) is changed
    assert git(there.root, "symbolic-ref", "--short", "HEAD") == "was/wenn\n"
    assert run("check", "-w", there.root).code == 0
    assert tree(world.root) == before
    assert git(world.root, "status", "--porcelain") == ""


def test_a_branch_counts_no_answers_that_the_other_world_paid_for_later(world: Layout, run: Run) -> None:
    def calls(layout: Layout) -> dict[str, int]:
        return {day: found["calls"] for day, found in run("cost", "-w", layout.root, "--json").document["days"].items()}

    there = Layout(Path(branch(run, world, "b", "--from", "day-002", "--json").document["world"]))
    paid = calls(world)
    assert list(paid) == ["day-001", "day-002", "day-003"]
    assert calls(there) == {"day-001": paid["day-001"], "day-002": paid["day-002"]}
    compared = run("compare", world.root, there.root, "--json").document["costs"]
    assert compared["b"]["calls"] == compared["a"]["calls"] - paid["day-003"]
    assert run("advance-day", "-w", there.root, "--model", "rehearsal", "--seed", "8").code == 0
    asked = calls(there)["day-003"]
    again = Layout(Path(branch(run, there, "c", "--from", "day-002", "--json").document["world"]))
    assert asked > 0
    assert "day-003" not in calls(again)
    assert run("check", "-w", there.root).code == 0


@pytest.mark.slow
def test_it_replays_what_was_played_or_goes_its_own_way_and_is_merged(
    committed: Camera, world: Layout, run: Run
) -> None:
    assert run("git-setup", "-w", world.root).code == 0
    there = Layout(Path(branch(run, world, "anders", "--from", "day-002/scene-03", "--json").document["world"]))
    assert run("advance-day", "-w", there.root, "--model", "replay", "--commit").code == 0
    assert {path: data for path, data in played(there.root).items() if path != ".git"} == committed.seen["day-002"]
    assert run("advance-day", "-w", there.root, "--model", "rehearsal", "--seed", "8", "--commit").code == 0
    listed = branch(run, world, "--json").document["branches"]
    assert [(item["branch"], item["at"], item["here"]) for item in listed] == [
        ("main", "day-003", True),
        ("anders", "day-003", False),
    ]
    git(world.root, "merge", "-q", "-m", "both endings", "anders")
    outcome = run("check", "-w", world.root, "--json")
    assert outcome.document["counts"]["errors"] == 0
    ids = [json.loads(line)["id"] for line in world.stream("alex").read_text(encoding="utf-8").splitlines()]
    assert len(ids) == len(set(ids))
    ours = committed.seen["day-003"]["state/memories/alex.jsonl"]
    assert world.stream("alex").read_bytes().startswith(ours)
    assert len(ids) > ours.count(b"\n")
    _leads_back_by_commits_alone(world, run)


def _leads_back_by_commits_alone(world: Layout, run: Run) -> None:
    assert view_history(world).ways == {f"day-{day:03d}" for day in range(4)}
    outcome = run("rewind", "-w", world.root, "day-003/scene-01", "--yes")
    assert (outcome.code, outcome.err.endswith("go back to day-002 or day-003\n")) == (1, True)
    said = run("rewind", "-w", world.root, "day-002", "--dry-run").out
    assert "  merged by git since day-003: state/world.json (goes too; commit " in said
    assert "by hand" not in said
    assert run("advance-day", "-w", world.root, "--model", "rehearsal").code == 0
    ways = view_history(world).ways - {f"day-{day:03d}" for day in range(5)}
    assert {way.partition("/")[0] for way in ways} == {"day-004"}, "scenes that were played since the merge"
    world.agent("alex").write_bytes(world.agent("alex").read_bytes() + b"\n")
    edits = run("rewind", "-w", world.root, "day-002", "--dry-run", "--json").document["edits"]
    assert {item["path"] for item in edits if not item["merged"]} == {"state/agents/alex.json"}


@pytest.mark.parametrize("name", ["a..b", "-x", "mit leer", "main", "HEAD", "x.lock"])
def test_names_that_git_refuses_are_refused(name: str, world: Layout, run: Run) -> None:
    outcome = branch(run, world, "--from", "day-001", "--", name)
    assert outcome.code == 1
    assert "branch" in outcome.err
    assert git(world.root, "worktree", "list").count("\n") == 1


def test_a_folder_that_is_taken_is_left_alone(world: Layout, tmp_path: Path, run: Run) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine", encoding="utf-8")
    outcome = branch(run, world, "x", "--dir", tmp_path / "taken")
    assert outcome.code == 1
    assert "already exists" in outcome.err
    assert git(world.root, "branch", "--list", "x") == ""


def test_going_back_works_in_a_work_tree_too(committed: Camera, world: Layout, run: Run) -> None:
    there = Layout(Path(branch(run, world, "zweite", "--from", "day-003", "--json").document["world"]))
    for moment in ("day-003/scene-02", "day-001"):
        assert run("rewind", "-w", there.root, moment, "--yes").code == 0
        now = {path: data for path, data in played(there.root).items() if path != ".git"}
        assert now == committed.seen[moment]


def test_a_copy_lies_beside_the_world_however_its_folder_is_written(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = photographed(tmp_path / "world", 1)
    (tmp_path / "door").symlink_to(camera.layout.root)
    monkeypatch.chdir(camera.layout.root)
    for inner in ("inner", "../door/inner", "../world/inner"):
        outcome = branch(run, camera.layout, "x", "--from", "day-001", "--dir", inner)
        assert (outcome.code, f"{inner} lies in the world itself" in outcome.err) == (1, True)
    outcome = branch(run, camera.layout, "x", "--from", "day-001", "--dir", "../other")
    assert outcome.code == 0, outcome.err
    assert played(tmp_path / "other") == camera.seen["day-001"]


def test_without_git_it_is_a_copy_and_says_so(tmp_path: Path, run: Run) -> None:
    camera = photographed(tmp_path / "world", 2)
    assert branch(run, camera.layout, "x").code == 2
    outcome = branch(run, camera.layout, "x", "--from", "day-001/scene-02", "--dir", tmp_path / "die andere")
    assert outcome.code == 0, outcome.err
    assert "plain copy" in outcome.out
    there = Layout(tmp_path / "die andere")
    assert played(there.root) == camera.seen["day-001/scene-02"]
    assert run("advance-day", "-w", there.root, "--model", "replay").code == 0
    assert played(there.root) == camera.seen["day-001"]
    assert branch(run, camera.layout, "--json").document == {"branches": []}
