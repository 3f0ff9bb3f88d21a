"""A plain ``git merge`` of two branches that were both played, and a ``git diff`` that can be read."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.memory import MemoryCorrection, NewMemory, add_memory, correct_memory
from gm.base.errors import errors_in
from gm.files.check.whole import check_files
from gm.files.layout import Layout
from gm.files.streams.find import list_found
from gm.model.turns import PlayedTurn, Said, lists_of
from tests.api.repositories import commit_all, git, make_repository
from tests.cli.running import Run
from tests.stories.playing import copied, play


@pytest.fixture(scope="module")
def _committed(_fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(Layout(_fresh / "dinner"), tmp_path_factory.mktemp("committed") / "dinner")
    make_repository(layout.root)
    play(layout, seed=1)
    commit_all(layout.root, "day 1")
    return layout


@pytest.fixture
def world(_committed: Layout, tmp_path: Path, run: Run) -> Layout:
    """A dinner in a repository that is set up, after its first day."""
    layout = copied(_committed, tmp_path / "dinner")
    assert run("git-setup", "-w", layout.root).code == 0
    return layout


def meaning(layout: Layout) -> set[tuple[str, tuple[str, ...]]]:
    """What each memory says, and what it rests on; two days may bring two insights of the same words."""
    kept = {item.node.id: item.node for name in layout.agent_names() for item in list_found(layout, name)}
    return {(node.description, tuple(kept[name].description for name in node.evidence)) for node in kept.values()}


def count(layout: Layout) -> Counter[str]:
    return Counter(item.node.description for name in layout.agent_names() for item in list_found(layout, name))


def part(layout: Layout, top: Path, days: tuple[int, int]) -> tuple[Counter[str], Counter[str]]:
    """Play days on two branches with different dice; give what is remembered on each."""
    remembered = []
    for branch, number, seed in (("other", days[1], 7), ("main", days[0], 9)):
        git(top, "checkout", "-q", *(("-b",) if branch == "other" else ()), branch)
        play(layout, days=number, seed=seed)
        commit_all(top, f"{number} days on {branch}")
        remembered.append(count(layout))
    return remembered[1], remembered[0]


def is_whole(layout: Layout, ours: Counter[str], theirs: Counter[str]) -> None:
    assert errors_in(check_files(layout).problems) == []
    assert count(layout) == ours | theirs or set(count(layout)) == set(ours | theirs)
    known = {item.node.id: item.node for name in layout.agent_names() for item in list_found(layout, name)}
    for path in layout.logbook.glob("*.jsonl"):
        for row in path.read_text(encoding="utf-8").splitlines():
            for item in json.loads(row).get("memories", ()):
                assert known[item["id"]].created.startswith(path.stem)
    for path in layout.gallery.rglob("*.md"):
        name = path.read_text(encoding="utf-8").split("\nnode: ")[1].split("\n")[0]
        assert known[name].metadata["artifact_path"] == layout.shown(path)


@pytest.mark.slow
@pytest.mark.matrix
@pytest.mark.parametrize("days", [(1, 1), (1, 2), (2, 1)])
def test_branches_that_were_both_played_are_merged_by_git_alone_and_again_when_both_have_gone_on(
    world: Layout, days: tuple[int, int]
) -> None:
    ours, theirs = part(world, world.root, days)
    before = meaning(world)
    git(world.root, "merge", "--no-edit", "other")
    assert git(world.root, "status", "--porcelain") == ""
    assert len(git(world.root, "log", "-1", "--format=%P").split()) == 2
    assert git(world.root, "log", "-1", "--format=%s") == "Merge branch 'other'\n"
    is_whole(world, ours, theirs)
    assert before <= meaning(world)
    assert json.loads(world.world.read_text(encoding="utf-8"))["day"] == 1 + max(days)
    play(world, seed=3)
    assert errors_in(check_files(world).problems) == []
    commit_all(world.root, "one more on main")
    ours = count(world)
    git(world.root, "checkout", "-q", "other")
    play(world, seed=4)
    commit_all(world.root, "one more on other")
    theirs, before = count(world), meaning(world)
    git(world.root, "checkout", "-q", "main")
    git(world.root, "merge", "--no-edit", "other")
    is_whole(world, ours, theirs)
    assert before <= meaning(world)


@pytest.mark.slow
def test_a_world_in_a_subfolder_without_attributes_of_its_own_is_merged(
    dinner: Layout, run: Run, tmp_path: Path
) -> None:
    top = tmp_path / "mein schöner Ordner"
    top.mkdir()
    layout = Layout(dinner.root.rename(top / "welt für alle"))
    (layout.root / ".gitattributes").unlink()
    make_repository(top)
    play(layout, seed=1)
    commit_all(top, "day 1")
    assert run("git-setup", "-w", layout.root, "--json").document["attributes"] == "made"
    assert not run("git-setup", "-w", layout.root, "--json").document["changed"]
    ours, theirs = part(layout, top, (1, 1))
    git(top, "merge", "--no-edit", "other")
    is_whole(layout, ours, theirs)


def test_the_same_memory_edited_differently_is_a_conflict_and_the_rest_is_merged(world: Layout) -> None:
    git(world.root, "checkout", "-q", "-b", "other")
    correct_memory(world, "alex-002", MemoryCorrection(importance=2))
    add_memory(world, "alex", NewMemory("Theirs.", 3))
    shutil.copy(world.stream("alex"), world.root / "theirs")
    git(world.root, "add", "state")
    git(world.root, "commit", "-qm", "theirs")
    git(world.root, "checkout", "-q", "main")
    correct_memory(world, "alex-002", MemoryCorrection(importance=3))
    added, _ = add_memory(world, "alex", NewMemory("Ours.", 3))
    add_memory(world, "casey", NewMemory("Rests on it.", 3, evidence=(added.id,)))
    git(world.root, "add", "state")
    git(world.root, "commit", "-qm", "ours")
    said = git(world.root, "merge", "--no-edit", "other", fine=(1,))
    assert "CONFLICT" in said
    text = world.stream("alex").read_text(encoding="utf-8")
    assert text.count("<<<<<<<") == 1
    rows = [row for row in text.splitlines() if row.startswith("{")]
    ours = next(row for row in rows if '"alex-002"' in row)
    assert json.loads(ours)["importance"] == 3
    theirs = next(row for row in reversed(rows) if '"alex-002"' in row)
    kept = [row for row in rows if row != theirs]
    world.stream("alex").write_text("".join(f"{row}\n" for row in kept), encoding="utf-8")
    git(world.root, "add", "state")
    git(world.root, "commit", "-q", "--no-edit")
    assert errors_in(check_files(world).problems) == []
    assert {"Ours.", "Theirs."} <= set(count(world))


@pytest.mark.slow
def test_a_merge_that_was_resolved_by_hand_gets_its_names_with_the_commit(world: Layout) -> None:
    ours, theirs = part(world, world.root, (1, 1))
    git(world.root, "merge", "--no-commit", "other")
    git(world.root, "commit", "-q", "--no-edit")
    is_whole(world, ours, theirs)


def test_setting_up_twice_changes_nothing_and_undo_takes_everything_out(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    before = git(dinner.root, "config", "--local", "--list")
    hooks = sorted(path.name for path in (dinner.root / ".git/hooks").glob("*"))
    first = run("git-setup", "-w", dinner.root, "--json").document
    assert (first["changed"], first["hooks"]) == (True, {"post-merge": "made", "pre-commit": "made"})
    after = git(dinner.root, "config", "--local", "--list")
    second = run("git-setup", "-w", dinner.root, "--json").document
    assert (second["changed"], second["hooks"]) == (False, {"post-merge": "there", "pre-commit": "there"})
    assert git(dinner.root, "config", "--local", "--list") == after
    assert run("git-setup", "-w", dinner.root, "--undo", "--json").document["changed"]
    assert git(dinner.root, "config", "--local", "--list") == before
    assert sorted(path.name for path in (dinner.root / ".git/hooks").glob("*")) == hooks
    assert not run("git-setup", "-w", dinner.root, "--undo", "--json").document["changed"]


def test_a_hook_of_another_program_stays_as_it_is(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    hook = dinner.root / ".git/hooks/post-merge"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho mine\n", encoding="utf-8")
    outcome = run("git-setup", "-w", dinner.root)
    assert "git-settle" in outcome.err
    run("git-setup", "-w", dinner.root, "--undo")
    assert hook.read_text(encoding="utf-8") == "#!/bin/sh\necho mine\n"


def test_without_a_repository_it_says_what_to_do(dinner: Layout, run: Run) -> None:
    outcome = run("git-setup", "-w", dinner.root)
    assert outcome.code == 1
    assert "git init" in outcome.err


def test_git_diff_shows_memories_as_lines_and_names_agent_and_day(world: Layout) -> None:
    first = next(list_found(world, "alex")).node
    correct_memory(world, first.id, MemoryCorrection(importance=10 if first.importance != 10 else 9))
    text = git(world.root, "diff", "state/memories/alex.jsonl")
    assert f"-    importance {first.importance}\n+    importance " in text
    assert '{"id"' not in text
    add_memory(world, "alex", NewMemory("Something \x1b[31m new.", 4))
    text = git(world.root, "diff", "-U0", "state/memories/alex.jsonl")
    last = list(list_found(world, "alex"))[-1].node
    headers = [row for row in text.splitlines() if row.startswith("@@")]
    assert any("day-001/scene-" in row and "alex-" in row for row in headers)
    assert f"+{last.created} {last.id}: observation" in text
    assert "\x1b" not in text


def test_the_conversion_keeps_what_it_cannot_read(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "x.jsonl"
    broken: list[Any] = [
        "{broken",
        "[1]",
        '{"id": "vera-001", "day": 3, "content": "Alt.", "importance": 4, "eigen": 1}',
    ]
    file.write_bytes("\n".join(broken).encode() + b"\n\xff\n")
    text = run("git-textconv", file).out
    assert text.startswith("{broken\n\n[1]\n\nday 3 vera-001:")
    assert "    eigen: 1\n" in text
    assert "    Alt.\n" in text


def converted(tmp_path: Path, run: Run, **keys: object) -> list[str]:
    file = tmp_path / "day-001.jsonl"
    file.write_text(json.dumps({"scene": 1, "type": "WORK", "participants": ["vera", "emre"], **keys}) + "\n")
    return [row.strip() for row in run("git-textconv", file).out.splitlines()[1:] if row]


def test_a_scene_is_converted_turn_by_turn_and_nothing_of_it_stands_there_twice(tmp_path: Path, run: Run) -> None:
    turns = [
        PlayedTurn("vera", "Sie liest.", (Said("Tief?", "emre"),), "Nie.", "gallery/a.md", 1),
        PlayedTurn("emre", "", (Said("Ja."),), round=1),
        PlayedTurn("vera", "", (Said("Gut."),), round=2),
    ]
    whole = [
        *("at the same time:", "vera: (Sie liest.)", "vera to emre: Tief?", "vera thinks: Nie."),
        *("vera finishes: gallery/a.md", "emre: Ja.", "afterwards:", "vera: Gut."),
    ]
    keys = {"turns": [turn.record() for turn in turns], **lists_of(turns)}
    assert converted(tmp_path, run, **keys) == whole
    changed = converted(tmp_path, run, **{**keys, "thoughts": [{"agent": "vera", "text": "Doch."}]})
    assert changed == [*whole, 'thoughts: [{"agent": "vera", "text": "Doch."}]'], "an edit by hand is seen"
    assert any("mood" in row for row in converted(tmp_path, run, turns=[{"agent": "vera", "mood": "müde"}]))


def test_a_scene_of_an_older_logbook_is_converted_in_the_same_way(tmp_path: Path, run: Run) -> None:
    turns = [
        PlayedTurn("vera", "Sie liest.", (Said("Tief?"),), "Nie."),
        PlayedTurn("emre", "Er nickt.", (Said("Ja."),)),
    ]
    rows = ["vera: (Sie liest.)", "vera: Tief?", "vera thinks: Nie.", "emre: (Er nickt.)", "emre: Ja."]
    assert converted(tmp_path, run, **lists_of(turns)) == rows
    assert converted(tmp_path, run, **lists_of(turns), turns="none") == [*rows, "turns: none"]


def test_commands_that_git_calls_are_not_listed_for_people(run: Run) -> None:
    listed = run("help", "--all").out
    assert "git-setup" in listed
    assert "git-textconv" not in listed
    assert run("git-merge", "--help").code == 0


def test_a_clone_that_does_not_know_how_to_merge_is_told_the_way(world: Layout, tmp_path: Path, run: Run) -> None:
    assert run("git-setup", "-w", world.root, "--undo").code == 0
    assert "merge" not in run("status", "-w", world.root).out, "nothing is pulled here"
    sides = [Layout(tmp_path / name) for name in ("ours", "theirs")]
    for layout, seed in zip(sides, (7, 9), strict=True):
        git(tmp_path, "clone", "-q", str(world.root), layout.root.name)
        git(layout.root, "config", "user.name", "Test")
        git(layout.root, "config", "user.email", "test@example.org")
        play(layout, seed=seed)
        commit_all(layout.root, "day 2")
    ours, theirs = sides
    once = "this clone does not know how gm merges days that were played apart: once in each clone: gm git-setup"
    assert once in run("status", "-w", ours.root).out
    git(ours.root, "pull", "-q", "--no-rebase", "--no-edit", str(theirs.root), fine=(1,))
    way = "do not merge by hand: git merge --abort; gm git-setup; git pull --no-rebase"
    for outcome in (run("check", "-w", ours.root), run("advance-day", "-w", ours.root), run("status", "-w", ours.root)):
        text = outcome.out + outcome.err
        assert text.count(way) == 1
        assert text.count("state/memories/alex.jsonl:") == 1
        assert "delete the lines" not in text, "no other advice"
    git(ours.root, "merge", "--abort")
    assert "git pull --no-rebase" in run("git-setup", "-w", ours.root).out
    git(ours.root, "pull", "-q", "--no-rebase", "--no-edit", str(theirs.root))
    outcome = run("check", "-w", ours.root, "--json").document
    assert outcome["counts"]["errors"] == 0
    assert "merge-driver" not in {item["code"] for item in outcome["problems"]}
