"""A day is one commit: of the world's own files, in every kind of repository, and never at the cost of the day."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gm.api.history.commits import day_message
from gm.api.history.git import find_repository
from gm.api.history.git_commits import RETURNED, REWOUND, commit_paths, find_rewound
from gm.base.config import parse_settings
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.story.now import load_clock
from gm.model.logged import LogEntry
from tests.api.repositories import commit_all, git, make_repository
from tests.cli.running import Outcome, Run


def advance(run: Run, layout: Layout, *more: str) -> Outcome:
    return run("advance-day", "-w", layout.root, "--model", "rehearsal", "--commit", *more)


def subjects(folder: Path) -> list[str]:
    return git(folder, "log", "--format=%s").splitlines()


def set_git(layout: Layout, **values: str) -> None:
    with open(layout.settings, "a", encoding="utf-8") as file:
        file.write(f"git: {json.dumps(values)}\n")


def test_a_day_is_one_commit_with_a_line_for_oneline_and_its_highlights(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    outcome = advance(run, dinner)
    assert outcome.code == 0, outcome.err
    day, first = subjects(dinner.root)
    scenes = len(dinner.day_log(1).read_text(encoding="utf-8").splitlines()) - 1
    assert day.startswith(f"day 1: {scenes} scenes, ")
    assert first == "new world"
    assert "Highlights:" in git(dinner.root, "log", "-1", "--format=%b")
    assert git(dinner.root, "status", "--porcelain") == ""
    assert max(map(len, git(dinner.root, "log", "-1", "--format=%B").splitlines())) <= 80


def test_blame_leads_from_a_memory_to_its_day(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    assert advance(run, dinner, "--days", "2").code == 0
    of_day = {number: git(dinner.root, "rev-parse", f"HEAD~{2 - number}").strip() for number in (1, 2)}
    rows = dinner.stream("alex").read_text(encoding="utf-8").splitlines()
    blamed = git(dinner.root, "blame", "-s", "-l", "--abbrev=40", "state/memories/alex.jsonl").splitlines()
    for row, blame in zip(rows, blamed, strict=True):
        day = int(json.loads(row)["created"][4:7])
        assert blame.lstrip("^").startswith(of_day[day][:39])


def test_staged_changes_of_others_are_left_alone_and_said(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    (dinner.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    (dinner.root / "loose.txt").write_text("mine\n", encoding="utf-8")
    git(dinner.root, "add", "notes.txt")
    outcome = advance(run, dinner)
    assert "left staged, not committed" in outcome.err
    assert git(dinner.root, "status", "--porcelain").splitlines() == ["A  notes.txt", "?? loose.txt"]
    assert "notes.txt" not in git(dinner.root, "show", "--stat", "HEAD")


def test_edits_from_before_the_day_are_announced(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    persona = dinner.persona("alex")
    persona.write_text(persona.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    with dinner.settings.open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    outcome = advance(run, dinner)
    notes = " ".join(outcome.err.split())
    assert "state/personas/alex.md) and will be in the day's commit" in notes
    assert "1 file changed by hand (gm.yaml): not in this commit" in notes
    assert git(dinner.root, "status", "--porcelain") == " M gm.yaml\n"


@pytest.mark.matrix
@pytest.mark.parametrize("kind", ["subfolder", "worktree", "detached", "fresh"])
def test_it_works_in_every_kind_of_repository(dinner: Layout, run: Run, tmp_path: Path, kind: str) -> None:
    top = tmp_path / "Ordner mit Umläuten, *[x]"
    top.mkdir()
    make_repository(top)
    world = Layout(dinner.root.rename(top / "schöne welt"))
    if kind != "fresh":
        commit_all(top, "new world")
    if kind == "worktree":
        git(top, "worktree", "add", "-q", "-b", "other", str(tmp_path / "neben an"))
        top = tmp_path / "neben an"
        world = Layout(top / "schöne welt")
    if kind == "detached":
        git(top, "checkout", "-q", "--detach")
    outcome = advance(run, world)
    assert outcome.code == 0, outcome.err
    assert subjects(top)[0].startswith("day 1: ")
    changed = git(top, "-c", "core.quotePath=false", "show", "--name-only", "--format=", "HEAD").splitlines()
    assert changed
    assert all(path.startswith("schöne welt/") for path in changed)


def test_a_commit_for_each_scene_on_request(dinner: Layout, run: Run) -> None:
    set_git(dinner, commit="scene", author="Die Spielleitung <gm@example.org>")
    make_repository(dinner.root, identity=False)
    outcome = run("advance-day", "-w", dinner.root, "--model", "rehearsal", "--json")
    assert outcome.code == 0, outcome.err
    scenes = len(dinner.day_log(1).read_text(encoding="utf-8").splitlines()) - 1
    found = subjects(dinner.root)
    assert found[0].startswith("day 1: ")
    assert [text.split(":")[0] for text in reversed(found[1:])] == [
        f"day 1, scene {number}" for number in range(1, scenes + 1)
    ]
    assert set(git(dinner.root, "log", "--format=%an %ae").splitlines()) == {"Die Spielleitung gm@example.org"}
    assert len(outcome.document["commits"]) == scenes + 1


@pytest.mark.parametrize("kind", ["no repository", "no identity", "no git", "merge", "ignored"])
def test_what_stands_in_the_way_is_said_before_anything_is_played(
    dinner: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, kind: str, tmp_path: Path
) -> None:
    if kind != "no repository":
        make_repository(dinner.root, identity=kind != "no identity")
        git(dinner.root, "config", "user.useConfigOnly", "true")
        commit_all(dinner.root, "new world")
    if kind == "no git":
        monkeypatch.setenv("PATH", str(tmp_path))
    if kind == "merge":
        (dinner.root / ".git/MERGE_HEAD").write_text(git(dinner.root, "rev-parse", "HEAD"), encoding="utf-8")
    if kind == "ignored":
        (dinner.root / ".gitignore").write_text("/state\n", encoding="utf-8")
        git(dinner.root, "rm", "-rq", "--cached", "state")
    outcome = advance(run, dinner)
    said = {
        "no repository": "git init",
        "no identity": "git config user.name",
        "no git": "install git",
        "merge": "a merge is under way",
        "ignored": "git ignores state",
    }
    assert outcome.code == 1
    assert said[kind] in outcome.err
    assert load_clock(dinner)[0].day == 0


def test_a_day_that_could_not_be_committed_is_kept(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    hook = dinner.root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'not on a Sunday' >&2\nexit 1\n", encoding="utf-8")
    hook.chmod(0o755)
    outcome = advance(run, dinner)
    assert outcome.code == 1
    assert "day 1 is played and in the files" in outcome.err
    assert "not on a Sunday" in outcome.err
    assert (load_clock(dinner)[0].day, load_clock(dinner)[0].day_open) == (1, False)
    hook.unlink()
    assert advance(run, dinner).code == 0
    assert [text.split(":")[0] for text in subjects(dinner.root)] == ["day 1", "new world"]
    assert advance(run, dinner).code == 0
    assert [text.split(":")[0] for text in subjects(dinner.root)] == ["day 2", "day 1", "new world"]


def test_nothing_is_committed_unasked(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal").code == 0
    set_git(dinner, commit="day")
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal", "--no-commit").code == 0
    assert subjects(dinner.root) == ["new world"]


@pytest.mark.parametrize("author", ["nobody", "A <b", "<a@b>", "A <a@b>\nX: y", 3])
def test_an_author_that_git_could_not_read_is_refused(author: object) -> None:
    settings, problems = parse_settings({"git": {"author": author}})
    assert (settings.git.author, problems[0].code) == ("", "setting-value")


@pytest.mark.parametrize("name", [REWOUND, RETURNED])
def test_a_summary_does_not_pass_for_a_trailer_of_gm(dinner: Layout, name: str) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    repository = find_repository(dinner.root)
    text = f"{'x' * 70} {name}: day-001"
    for summary in (f"{name}: day-001", text):
        dinner.world.write_text(dinner.world.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        assert commit_paths(
            repository, ["state"], day_message(load_world(dinner).world, LogEntry(1, {"summary": summary}))
        )
        assert git(dinner.root, "log", "-1", "--format=%(trailers)").strip() == ""
    assert find_rewound(repository) == []


def test_the_subject_names_those_who_looked_back_as_the_summary_does(dinner: Layout) -> None:
    world = load_world(dinner).world
    assert day_message(world, LogEntry(0, {"reflected": ["casey", "alex", "gone"]})).startswith(
        "day 0: 0 scenes, 0 memories; Casey and Alex reflect\n"
    )
    assert "reflect" not in day_message(world, LogEntry(0, {}))
