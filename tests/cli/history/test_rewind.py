"""Undo Thursday: back to a day or a scene, to the byte, from commits or from the record, and forward again."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from gm.files.layout import Layout
from tests.api.history.rewinding import Camera, photographed, played
from tests.api.repositories import commit_all, git
from tests.cli.running import Outcome, Run
from tests.cli.terminal import Terminal
from tests.files.killing import killed_after
from tests.stories.playing import Tree, copied, edit, tree

TARGETS = 6


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Camera:
    return photographed(tmp_path_factory.mktemp("three") / "world", 3)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory) -> Camera:
    return photographed(tmp_path_factory.mktemp("committed") / "Welt für zwei", 3, commit="day")


@pytest.fixture
def world(three_days: Camera, tmp_path: Path) -> Layout:
    return copied(three_days.layout, tmp_path / "world")


def rewind(run: Run, layout: Layout, *arguments: object) -> Outcome:
    return run("rewind", "-w", layout.root, *arguments)


def whole(root: Path) -> Tree:
    """Return all files, answers and record included; what rewinding keeps for itself aside."""
    found = {**tree(root), **played(root)}
    return {path: data for path, data in found.items() if not path.startswith("state/traces/rewound/")}


def replay_until(run: Run, layout: Layout, day: int) -> None:
    while (clock := json.loads(layout.world.read_bytes()))["day"] < day or clock["day_open"]:
        outcome = run("advance-day", "-w", layout.root, "--model", "replay")
        assert outcome.code == 0, outcome.err


def check(run: Run, layout: Layout) -> None:
    outcome = run("check", "-w", layout.root, "--json")
    assert outcome.document["counts"]["errors"] == 0, outcome.out


@pytest.mark.matrix
@pytest.mark.parametrize("moment", ["day-000", "day-001/scene-02", "day-002", "day-002/scene-04", "day-003/scene-01"])
def test_from_the_record_a_world_is_as_it_was_and_replayed_it_is_as_it_became(
    moment: str, three_days: Camera, world: Layout, run: Run
) -> None:
    outcome = rewind(run, world, moment, "--yes", "--json")
    assert outcome.code == 0, outcome.err
    assert (outcome.document["source"], outcome.document["done"]) == ("record", True)
    assert played(world.root) == three_days.seen[moment]
    check(run, world)
    replay_until(run, world, 3)
    assert whole(world.root) == whole(three_days.layout.root)


def test_the_last_scenes_can_be_taken_back_before_the_day_is_over(three_days: Camera, world: Layout, run: Run) -> None:
    assert rewind(run, world, "day-002/scene-03", "--yes").code == 0
    assert rewind(run, world, "day-002/scene-01", "--yes").code == 0
    assert played(world.root) == three_days.seen["day-002/scene-01"]


def test_what_would_be_lost_is_shown_and_nothing_happens_without_a_word(world: Layout, run: Run) -> None:
    before = tree(world.root)
    outcome = rewind(run, world, "day-002")
    assert outcome.code == 1
    assert "scenes of day 3" in outcome.out
    assert "alex" in outcome.out
    assert "--yes" in outcome.err
    document = rewind(run, world, "day-002", "--dry-run", "--json").document
    ids = [json.loads(line)["id"] for line in world.stream("alex").read_text(encoding="utf-8").splitlines()]
    assert document["memories"]["alex"] == ids[-len(document["memories"]["alex"]) :]
    assert set(document["scenes"]) == {
        f"day-003/scene-{number:02d}" for number in range(1, len(document["scenes"]) + 1)
    }
    assert document["done"] is False
    assert tree(world.root) == before


def test_what_was_taken_back_comes_again_and_goes_again(three_days: Camera, world: Layout, run: Run) -> None:
    assert rewind(run, world, "day-001", "--yes").code == 0
    assert rewind(run, world, "--undo", "--yes").code == 0
    assert whole(world.root) == whole(three_days.layout.root)
    assert rewind(run, world, "--undo", "--yes").code == 0
    assert played(world.root) == three_days.seen["day-001"]


def test_a_world_that_went_on_has_to_go_back_before_another_ending_returns(
    three_days: Camera, world: Layout, run: Run
) -> None:
    assert rewind(run, world, "day-002", "--yes", "--ask-again").code == 0
    assert not (world.traces / "day-003").exists() or not list((world.traces / "day-003").glob("scene-*"))
    assert run("advance-day", "-w", world.root, "--model", "rehearsal", "--seed", "9").code == 0
    for how in ("--yes", "--dry-run"):
        refused = rewind(run, world, "--undo", how)
        assert (refused.code, refused.out) == (1, "")
    assert "gm rewind day-002" in refused.err
    assert rewind(run, world, "day-002", "--yes", "--ask-again").code == 0
    assert rewind(run, world, "1", "--undo", "--yes").code == 0
    assert whole(world.root) == whole(three_days.layout.root)


def test_edits_by_hand_are_named_saved_and_stay_where_they_are_older_than_what_goes(
    three_days: Camera, world: Layout, run: Run
) -> None:
    stream = world.stream("alex")
    lines = stream.read_bytes().split(b"\n")
    lines[0] = lines[0].replace(b'"importance": ', b'"importance":  ')  # an old memory, in another spelling
    lines[-2] = lines[-2].replace(b'"tags": [', b'"tags": ["von-hand", ')  # one of the last day
    stream.write_bytes(b"\n".join(lines))
    edit(world.agent("casey"), {"mood": "by hand"})
    edited = whole(world.root)
    outcome = rewind(run, world, "day-002", "--yes", "--json")
    assert outcome.code == 0, outcome.err
    edits = {item["path"]: item for item in outcome.document["edits"]}
    assert edits["state/memories/alex.jsonl"]["kept"] is True
    assert "von-hand" in edits["state/memories/alex.jsonl"]["lost"][0]
    assert edits["state/agents/casey.json"]["since"].startswith("day-003")
    assert edits["state/agents/casey.json"]["kept"] is False
    now, then = played(world.root), three_days.seen["day-002"]
    assert {path for path in {*now, *then} if now.get(path) != then.get(path)} == {"state/memories/alex.jsonl"}
    assert now["state/memories/alex.jsonl"].split(b"\n")[1:] == then["state/memories/alex.jsonl"].split(b"\n")[1:]
    assert now["state/memories/alex.jsonl"].startswith(lines[0])
    check(run, world)
    assert rewind(run, world, "--undo", "--yes").code == 0
    assert whole(world.root) == edited


@pytest.mark.parametrize("days", ["record", "commits"])
def test_edits_by_hand_before_a_later_day_are_named_too(
    days: str, three_days: Camera, committed: Camera, tmp_path: Path, run: Run
) -> None:
    photo = three_days if days == "record" else committed
    layout = copied(photo.layout, tmp_path / "world")
    stream = layout.stream("alex")
    stream.write_bytes(stream.read_bytes().replace(b'"importance": ', b'"importance":  ', 1))
    assert run("advance-day", "-w", layout.root, "--model", "rehearsal").code == 0
    document = rewind(run, layout, "day-002", "--yes", "--json").document
    kept = days == "record"
    (edit,) = document["edits"]
    assert edit["since"].startswith("day-003")
    assert {**edit, "since": ""} == {
        "path": "state/memories/alex.jsonl",
        "since": "",
        "kept": kept,
        "lost": [],
        "commit": "",
        "merged": False,
    }
    assert (b'"importance":  ' in stream.read_bytes()) is kept


@pytest.mark.parametrize("days", ["record", "commits"])
def test_what_commands_wrote_since_is_named(
    days: str, three_days: Camera, committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied((committed if days == "commits" else three_days).layout, tmp_path / "kopie")
    alex = layout.stream("alex").read_text(encoding="utf-8").splitlines()
    before, last = (json.loads(line) for line in (alex[0], alex[-1]))
    for arguments in (
        ("goals", "add", "casey", "find a better job"),
        ("threads", "open", "casey", "tell no one", "--kind", "silence"),
        ("event", "Fire drill", "--in", "2"),
        ("brief", "Bring salt."),
        ("mind", "soul", "add", "casey", "I hate lasagne."),
        ("memory", "tag", before["id"], "+old"),
        ("memory", "tag", last["id"], "+new"),
    ):
        outcome = run(*arguments, "-w", layout.root)
        assert outcome.code == 0, outcome.err
    written = {
        ("state/goals/casey.jsonl", "find a better job"),
        ("state/threads.jsonl", "tell no one"),
        ("state/world.json", "Fire drill"),
        ("state/bulletin.json", "Bring salt."),
        ("state/souls/casey.yaml", ""),
        ("state/memories/alex.jsonl", before["description"]),
    }
    for moment in ("day-003", "day-001"):
        document = rewind(run, layout, moment, "--dry-run", "--json").document
        gone = written | ({("state/memories/alex.jsonl", last["description"])} if moment == "day-003" else set())
        assert {(item["path"], item["text"]) for item in document["by_hand"]} == gone
    shown = rewind(run, layout, "day-001", "--dry-run").out
    assert "written by your commands: state/goals/casey.jsonl: find a better job" in shown
    assert "state/souls/casey.yaml\n" in shown
    assert rewind(run, layout, "day-001", "--yes").code == 0
    assert rewind(run, layout, "day-001", "--dry-run", "--json").document["by_hand"] == []


def test_what_comes_back_is_named(world: Layout, run: Run) -> None:
    assert run("event", "Fire drill", "--in", "2", "-w", world.root).code == 0
    assert run("advance-day", "--scenes", "1", "--model", "rehearsal", "-w", world.root).code == 0
    kept = json.loads(world.stream("alex").read_text(encoding="utf-8").splitlines()[0])["id"]
    assert run("memory", "delete", kept, "-w", world.root).code == 0
    assert run("event", "--remove", "Fire drill", "-w", world.root).code == 0
    shown = rewind(run, world, "day-004/scene-01", "--dry-run")
    assert f"  comes back: {kept}, Fire drill\n" in shown.out
    assert rewind(run, world, "day-004/scene-01", "--yes", "--json").document["restored"] == [kept, "Fire drill"]
    assert run("memory", "show", kept, "-w", world.root).code == 0


def test_an_answer_of_no_is_said_to_change_nothing(world: Layout) -> None:
    with Terminal("rewind", "day-002", "-w", str(world.root)) as terminal:
        terminal.wait_for("Go back?")
        terminal.type("n")
        terminal.wait_for("Nothing was changed.")


def test_the_seed_memories_of_a_file_are_counted_in_one_line(dinner: Layout, run: Run) -> None:
    assert run("advance-day", "--scenes", "1", "--model", "rehearsal", "-w", dinner.root).code == 0
    assert run("gift", "-w", dinner.root).code == 0
    shown = rewind(run, dinner, "0", "--dry-run").out
    count = len(dinner.gifted("alex").read_bytes().splitlines())
    assert [row.strip() for row in shown.splitlines() if "gifted/alex" in row] == [
        f"written by your commands: state/gifted/alex.jsonl: {count} lines"
    ]


def test_where_hand_edits_stand_in_the_way_it_refuses_and_says_where(world: Layout, run: Run) -> None:
    threads = world.threads
    threads.write_bytes(b"\n".join(line[:-2] + b' "}' for line in threads.read_bytes().split(b"\n") if line))
    before = whole(world.root)
    outcome = rewind(run, world, "day-000", "--yes")
    assert outcome.code == 0, outcome.err  # the file did not exist then: nothing stands in the way
    assert rewind(run, world, "--undo", "--yes").code == 0
    outcome = rewind(run, world, "day-001", "--yes")
    assert outcome.code == 1
    assert "state/threads.jsonl: gm wrote" in outcome.err
    assert whole(world.root) == before


def test_files_that_are_not_those_of_the_record_are_not_guessed_at(world: Layout, run: Run) -> None:
    edit(world.world, {"day": 2, "scenes_total": 5})
    outcome = rewind(run, world, "day-001", "--yes")
    assert outcome.code == 1
    assert "state/world.json" in outcome.err
    assert "the record ends at day 3" in outcome.err


def test_the_record_does_not_lead_over_days_that_git_brought(committed: Camera, tmp_path: Path, run: Run) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    git(layout.root, "checkout", "-q", "HEAD~1", "--", "state", "gallery")  # behind gm's back: day 3 is gone
    layout.day_log(3).unlink()
    assert run("advance-day", "-w", layout.root, "--model", "rehearsal", "--seed", "4").code == 0
    before = whole(layout.root)
    outcome = rewind(run, layout, "day-002/scene-02", "--yes")
    assert outcome.code == 1
    assert "the record breaks off before day-003/scene-01" in outcome.err
    assert whole(layout.root) == before
    assert rewind(run, layout, "day-003/scene-01", "--yes").code == 0
    assert rewind(run, layout, "day-002", "--yes").code == 0
    assert json.loads(layout.world.read_bytes())["day"] == 2


def test_what_was_only_taken_back_in_the_files_can_be_committed_by_the_same_command(
    committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    assert rewind(run, layout, "day-001", "--yes").code == 0
    assert git(layout.root, "status", "--porcelain") != ""
    outcome = rewind(run, layout, "day-001", "--commit", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.document["committed"]
    assert git(layout.root, "status", "--porcelain") == ""
    assert git(layout.root, "log", "-1", "--format=%B").strip() == "back to day-001\n\nGm-Rewind: day-001"


def test_a_day_that_was_played_again_is_the_new_one_also_where_its_rewind_is_no_commit(
    committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    abandoned = git(layout.root, "rev-parse", "HEAD").strip()
    assert rewind(run, layout, "day-002", "--yes").code == 0
    assert run("diff", "day-002", "day-003", "-w", layout.root).code == 2  # day 3 is only in git now
    seeded = ("advance-day", "-w", layout.root, "--model", "rehearsal", "--seed")
    assert run(*seeded, "9", "--commit").code == 0
    present, then = git(layout.root, "rev-parse", "HEAD").strip(), played(layout.root)
    assert layout.day_log(3).read_bytes() != committed.seen["day-003"]["state/logbook/day-003.jsonl"]
    assert run("diff", "day-002", "day-003", "-w", layout.root, "--json").document["to"]["commit"] == present
    assert run(*seeded, "9", "--commit").code == 0
    branched = run("branch", "dritte", "-w", layout.root, "--from", "day-003", "--json").document
    assert branched["commit"] == present
    log = layout.day_log(3).read_bytes()
    layout.day_log(3).write_bytes(log.replace(b'"summary": "', b'"summary": "By hand. '))
    assert rewind(run, layout, "day-003", "--dry-run", "--json").document["commit"] == present  # as gm wrote it
    shutil.rmtree(layout.changes)
    refused = rewind(run, layout, "day-003", "--yes")
    assert refused.code == 1
    assert f"in {present[:8]}, {abandoned[:8]} its logbook is another one" in refused.err.replace("\n", " ")
    layout.day_log(3).write_bytes(log)
    assert rewind(run, layout, "day-003", "--yes").code == 0
    now = played(layout.root)
    assert {path for path in then if now.get(path) != then[path]} <= {
        path for path in then if path.startswith("state/.gm/changes/") or path == "reinforced"
    }


@pytest.mark.parametrize(
    ("moment", "code", "said"),
    [
        ("day-004", 2, "has not been played"),
        ("day-002/scene-40", 2, "has not been played"),
        ("thursday", 2, "write 3, day-003"),
        ("2-3", 2, "write 3, day-003"),
        ("day-2/scene-1", 2, "write 3, day-003"),
    ],
)
def test_moments_that_never_were_are_refused(moment: str, code: int, said: str, world: Layout, run: Run) -> None:
    outcome = rewind(run, world, moment, "--yes")
    assert outcome.code == code
    assert said in outcome.err


@pytest.mark.parametrize("day", ["2", "day-2", "002"])
def test_a_day_may_be_a_number(day: str, world: Layout, run: Run) -> None:
    found = rewind(run, world, day, "--dry-run", "--json").document
    assert found == rewind(run, world, "day-002", "--dry-run", "--json").document
    assert found["to"] == "day-002"


def test_without_git_and_without_a_record_it_says_what_would_have_helped(world: Layout, run: Run) -> None:
    shutil.rmtree(world.changes)
    outcome = rewind(run, world, "day-001", "--yes")
    assert outcome.code == 1
    assert "no git repository" in outcome.err
    assert "advance-day --commit" in outcome.err


def test_with_half_a_record_it_goes_as_far_as_that_leads(three_days: Camera, world: Layout, run: Run) -> None:
    (world.changes / "day-001.jsonl").unlink()
    assert rewind(run, world, "day-001", "--yes").code == 1
    assert rewind(run, world, "day-002/scene-01", "--yes").code == 0
    then = three_days.seen["day-002/scene-01"]
    assert played(world.root) == {path: data for path, data in then.items() if "changes/day-001" not in path}


@pytest.mark.slow
@pytest.mark.parametrize("stride", [149, pytest.param(17, marks=pytest.mark.soak)])
def test_killed_at_any_moment_the_world_is_the_old_one_or_the_new_one(
    three_days: Camera, tmp_path: Path, run: Run, stride: int
) -> None:
    old, new = tree(three_days.layout.root), three_days.seen["day-002/scene-03"]
    outcomes = set()
    for operations in range(0, 2000, stride):
        layout = copied(three_days.layout, tmp_path / f"world-{operations}")
        with killed_after(layout.root, operations) as countdown:
            rewind(run, layout, "day-002/scene-03", "--yes")
        done = len(countdown.seen) <= operations
        assert run("check", "-w", layout.root).code == 0  # reads what a writer would finish
        assert run("memory", "tag", "alex-001", "+seen", "-w", layout.root).code == 0  # finishes it
        assert run("memory", "tag", "alex-001", "-seen", "-w", layout.root).code == 0
        now = {path: data for path, data in tree(layout.root).items() if not path.startswith("state/traces/")}
        is_new = now == {path: data for path, data in new.items() if not path.startswith("state/.gm/")}
        assert is_new or now == {path: data for path, data in old.items() if not path.startswith("state/traces/")}
        assert is_new or not done
        outcomes.add(is_new)
        shutil.rmtree(layout.root)
        if done:
            break
    assert outcomes == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("days", [4, pytest.param(10, marks=pytest.mark.soak)])
def test_with_every_layer_on_random_moments_of_days_come_back_to_the_byte(tmp_path: Path, run: Run, days: int) -> None:
    camera = photographed(tmp_path / "world", days, layers=True, commit="day")
    assert list(camera.layout.archive.glob("*.jsonl")), "nothing was ever archived"
    moments = random.Random(11).sample(sorted(camera.seen), TARGETS)
    for number, moment in enumerate([*moments, f"day-{days - 2:03d}"]):
        layout = copied(camera.layout, tmp_path / f"copy-{number}")
        outcome = rewind(run, layout, moment, "--yes", "--json")
        assert outcome.code == 0, outcome.err
        assert outcome.document["source"] == ("record" if "/" in moment else "commit")
        assert played(layout.root) == camera.seen[moment], moment
        check(run, layout)
    replay_until(run, layout, days)
    assert whole(layout.root) == whole(camera.layout.root)


def test_a_commit_that_holds_the_moment_comes_before_the_record(committed: Camera, tmp_path: Path, run: Run) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    shutil.rmtree(layout.changes)
    outcome = rewind(run, layout, "day-001", "--yes", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.document["source"] == "commit"
    then = {path: data for path, data in committed.seen["day-001"].items() if ".gm/" not in path}
    assert played(layout.root) == then
    assert git(layout.root, "log", "--format=%s").splitlines()[0].startswith("day 3")
    assert "day-002" in "".join(outcome.document["scenes"])


def test_a_commit_for_each_scene_leads_to_each_scene(tmp_path: Path, run: Run) -> None:
    camera = photographed(tmp_path / "world", 2, commit="scene")
    shutil.rmtree(camera.layout.changes)
    for moment in ("day-002/scene-02", "day-001/scene-01"):
        outcome = rewind(run, camera.layout, moment, "--yes", "--json", "--no-commit")
        assert outcome.document["source"] == "commit", outcome.err
        now = played(camera.layout.root)
        assert now == {path: data for path, data in camera.seen[moment].items() if ".gm/" not in path}


def test_going_back_is_one_more_commit_and_the_history_knows_which_day_counts(
    committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    first = git(layout.root, "rev-parse", "HEAD").strip()
    (layout.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    git(layout.root, "add", "notes.txt")
    outcome = rewind(run, layout, "day-002", "--yes", "--commit", "--json")
    assert outcome.code == 0, outcome.err
    assert git(layout.root, "rev-parse", "HEAD").strip() == outcome.document["committed"]
    assert git(layout.root, "rev-parse", "HEAD~1").strip() == first
    assert git(layout.root, "diff", "--stat", "HEAD~2", "HEAD", "--", "state", "gallery") == ""
    assert git(layout.root, "status", "--porcelain") == "A  notes.txt\n"
    assert run("advance-day", "-w", layout.root, "--model", "rehearsal", "--seed", "5", "--commit").code == 0
    again = rewind(run, layout, "day-003", "--dry-run", "--json").document
    assert (again["files"], again["commit"]) == ([], git(layout.root, "rev-parse", "HEAD").strip())
    assert rewind(run, layout, "day-002", "--yes", "--commit").code == 0
    assert rewind(run, layout, "1", "--undo", "--yes", "--commit").code == 0
    assert played(layout.root) == {**committed.seen["day-003"], "notes.txt": b"mine\n"}
    assert git(layout.root, "diff", "--stat", first, "HEAD", "--", "state", "gallery") == ""


def test_what_was_not_committed_is_named_and_comes_again(committed: Camera, tmp_path: Path, run: Run) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    edit(layout.agent("alex"), {"mood": "not committed"})
    layout.persona("dana").write_text("---\nname: Dana\n---\nNew here.\n", encoding="utf-8")
    before = whole(layout.root)
    document = rewind(run, layout, "day-003", "--yes", "--json").document
    assert document["uncommitted"] == ["state/agents/alex.json", "state/personas/dana.md"]
    assert not layout.persona("dana").exists()
    assert played(layout.root) == committed.seen["day-003"]
    assert rewind(run, layout, "--undo", "--yes").code == 0
    assert whole(layout.root) == before


def test_a_detached_head_and_a_subfolder_are_fine(tmp_path: Path, run: Run) -> None:
    camera = photographed(tmp_path / "Bücher und Welten" / "meine Welt", 2)
    top = camera.layout.root.parent
    git(top, "init", "-q", "-b", "main")
    git(top, "config", "user.name", "Tester")
    git(top, "config", "user.email", "tester@example.org")
    (top / "other.txt").write_text("other\n", encoding="utf-8")
    commit_all(top, "two days")
    git(top, "checkout", "-q", "--detach")
    assert rewind(run, camera.layout, "day-001/scene-02", "--yes", "--commit").code == 0
    assert played(camera.layout.root) == camera.seen["day-001/scene-02"]
    assert git(top, "status", "--porcelain") == ""
    assert (top / "other.txt").exists()


def test_settings_that_changed_since_stay_and_are_named(committed: Camera, tmp_path: Path, run: Run) -> None:
    layout = copied(committed.layout, tmp_path / "kopie")
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    outcome = rewind(run, layout, "day-001", "--yes")
    assert outcome.code == 0
    assert "gm.yaml" in outcome.err
    assert layout.settings.read_text(encoding="utf-8").endswith("# mine\n")


def test_what_was_derived_is_gone_and_found_anew(world: Layout, run: Run) -> None:
    assert run("recall", "alex", "plates", "-w", world.root, "--json").code == 0
    assert world.lexical.exists()
    assert rewind(run, world, "day-001", "--yes").code == 0
    assert not world.lexical.exists()
    found = run("recall", "alex", "plates", "-w", world.root, "--json").document["memories"]
    there = world.stream("alex").read_text(encoding="utf-8")
    assert found
    assert all(json.dumps(item["id"]) in there for item in found)


@pytest.mark.parametrize("path", ["state/../../stolen.md", "/tmp/stolen.md", ".git/hooks/post-checkout"])
def test_a_record_that_names_a_path_outside_of_the_world_is_no_way_back(path: str, world: Layout, run: Run) -> None:
    record = world.changes / "day-003.jsonl"
    change = {"path": path, "before": "", "after": "x", "at": 0, "was": "", "now": "x"}
    line = json.dumps({"moment": "", "opens": 0, "files": [change]})
    record.write_bytes(record.read_bytes() + f"{line}\n".encode())
    before, count = whole(world.root), record.read_bytes().count(b"\n")
    outcome = rewind(run, world, "day-002", "--yes")
    assert outcome.code == 1
    assert f"state/.gm/changes/day-003.jsonl:{count}: " in outcome.err.replace("\n", "")
    assert whole(world.root) == before


def test_what_was_kept_is_not_brought_back_to_a_place_outside_of_the_world(world: Layout, run: Run) -> None:
    assert rewind(run, world, "day-002", "--yes").code == 0
    note = world.traces / "rewound" / "001" / "note.json"
    for path in ("../../../../../stolen.md", "/tmp/stolen.md"):
        document = json.loads(note.read_text())
        note.write_text(json.dumps(document | {"files": {path: "x" * 32}, "result": {}}))
        before = whole(world.root)
        assert rewind(run, world, "--undo", "1", "--yes").code == 1
        assert whole(world.root) == before
    assert not (world.root.parent / "stolen.md").exists()


@pytest.mark.parametrize("content", [None, "{“day”: 3}"])
def test_a_clock_that_cannot_be_read_is_named_and_no_day_is_called_unplayed(
    world: Layout, run: Run, content: str | None
) -> None:
    """The way back begins with this file: nothing else says which day it is."""
    world.world.unlink()
    if content is not None:
        world.world.write_text(content, encoding="utf-8")
    outcome = rewind(run, world, "day-002", "--dry-run")
    assert outcome.code == 1
    assert "error: state/world.json cannot be read" in outcome.err
    assert "git checkout -- state/world.json" in outcome.err
    told = run("status", "-w", world.root).out.splitlines()[0]
    assert told.endswith(": the day is not known, state/world.json cannot be read")
    world.world.write_text('{"day": 2}', encoding="utf-8")  # behind the logbook, and readable
    assert "day 3 has not been played: the clock shows day 2" in rewind(run, world, "day-003", "--dry-run").err
    assert ": day 2 is closed" in run("status", "-w", world.root).out.splitlines()[0]


def test_a_scene_that_was_played_elsewhere_is_said_with_the_nearest_ways_back(
    committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied(committed.layout, tmp_path / "world")
    (layout.root / "state/.gm/changes/day-002.jsonl").unlink()
    outcome = rewind(run, layout, "day-002/scene-01", "--dry-run")
    assert outcome.code == 1
    assert "has no scene of day-002; go back to day-001 or day-002" in " ".join(outcome.err.split())


def test_a_persona_that_goes_too_is_named_with_the_commit_that_has_it(
    committed: Camera, tmp_path: Path, run: Run
) -> None:
    layout = copied(committed.layout, tmp_path / "world")
    for name, is_committed in {"alex": True, "casey": False}.items():
        layout.persona(name).write_bytes(layout.persona(name).read_bytes() + b"\nYou hate tins now.\n")
        if is_committed:
            git(layout.root, "commit", "-qam", "edits")
    head = git(layout.root, "rev-parse", "HEAD").strip()
    assert rewind(run, layout, "day-002", "--dry-run").out.splitlines()[-3:] == [
        f"  edited by hand: state/personas/alex.md (goes too; commit {head[:8]} has it)",
        "  edited by hand: state/personas/casey.md (goes too)",
        "  not committed yet: state/personas/casey.md",
    ]
