"""Two runs held against each other."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.board import put_up_brief
from gm.api.editing.memory import MemoryCorrection, correct_memory
from gm.api.history.compare.comparison import describe_comparison
from gm.base.errors import NoWorldError, UsageError
from gm.files.layout import Layout, find_world
from gm.layers.diary import DIARY
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.calendar import SceneRef
from gm.model.node import node_from_record, render_node
from tests.api.repositories import commit_all, git, make_repository
from tests.stories.playing import edit, play, set_sections


def nowhere() -> Layout:
    return find_world(Path("/nonexistent"), named=True)


def compare(a: Layout, b: Layout) -> dict[str, Any]:
    document: dict[str, Any] = as_json(describe_comparison(str(a.root), str(b.root), nowhere))
    return document


@pytest.fixture(scope="session")
def _two_days(tmp_path_factory: pytest.TempPathFactory, _fresh: Path) -> Path:
    folder = tmp_path_factory.mktemp("two-days") / "dinner"
    shutil.copytree(_fresh / "dinner", folder)
    play(Layout(folder), days=2)
    return folder


@pytest.fixture
def pair(tmp_path: Path, _two_days: Path) -> tuple[Layout, Layout]:
    """A dinner after two days, and a copy of it."""
    found = [Layout(Path(shutil.copytree(_two_days, tmp_path / name))) for name in ("a", "b")]
    return found[0], found[1]


def test_two_copies_tell_the_same(pair: tuple[Layout, Layout]) -> None:
    document = compare(*pair)
    assert document["parting"] is None
    assert document["given"] == {"settings": {}, "files": []}
    assert document["days"] == [1, 2]
    assert not document["scenes"]["differ"]
    assert all(not item["only_a"] and not item["only_b"] and item["same"] for item in document["memories"].values())
    assert document["costs"]["a"] == document["costs"]["b"]
    assert document["costs"]["a"]["calls"] > 0
    json.dumps(document)


def test_another_seed_parts_where_another_scene_or_answer_comes(tmp_path: Path, dinner: Layout) -> None:
    other = Layout(Path(shutil.copytree(dinner.root, tmp_path / "other")))
    set_sections(other.settings, "seed: 5")
    play(dinner)
    play(other)
    document = compare(dinner, other)
    assert document["given"]["settings"] == {"seed": [1, 5]}
    parting = document["parting"]
    assert parting["what"] in ("chosen", "reply")
    assert parting["place"] == document["scenes"]["differ"][0]["place"]
    assert parting["keys"]
    assert parting["a"] != parting["b"]


def test_a_brief_moves_the_parting_to_the_day_after_it(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    put_up_brief(b, "The oven has died. Plan for cold dishes.")
    for layout in pair:
        play(layout)
    document = compare(a, b)
    assert document["parting"]["place"].startswith("day-003/")
    assert [post["content"] for post in document["board"]["only_b"]] == ["The oven has died. Plan for cold dishes."]
    assert document["board"]["only_a"] == []


def test_an_edit_by_hand_is_told_from_an_answer(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    identifier = json.loads(b.stream("alex").read_text(encoding="utf-8").splitlines()[3])["id"]
    correct_memory(b, identifier, MemoryCorrection(description="I never said that."))
    document = compare(a, b)
    parting = document["parting"]
    assert parting["what"] == "edit"
    (memory,) = parting["memories"]
    assert (memory["agent"], memory["b"]["id"]) == ("alex", identifier)
    assert memory["changes"]["description"][1] == "I never said that."
    assert parting["a"] == parting["b"]
    assert [node["description"] for node in document["memories"]["alex"]["only_b"]] == ["I never said that."]
    assert len(document["memories"]["alex"]["only_a"]) == 1


def rewrite_log(layout: Layout, day: int, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    lines = [change(json.loads(line)) for line in layout.day_log(day).read_text(encoding="utf-8").splitlines()]
    layout.day_log(day).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_a_logbook_that_was_written_before_there_were_turns_tells_the_same(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    for day in (1, 2):
        rewrite_log(a, day, lambda line: {key: value for key, value in line.items() if key != "turns"})
    assert not compare(a, b)["scenes"]["differ"]


def test_the_addressee_of_a_line_is_part_of_an_answer(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    rewrite_log(b, 2, lambda line: line | {"turns": [{**turn, "lines": []} for turn in line.get("turns", ())]})
    parting = compare(a, b)["parting"]
    assert (parting["what"], parting["keys"]) == ("reply", ["turns"])


def test_memories_are_matched_by_what_they_say_and_not_by_their_ids(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    lines = b.stream("casey").read_text(encoding="utf-8").splitlines()
    renumbered = []
    for number, line in enumerate(lines, 500):
        record = json.loads(line)
        renumbered.append(json.dumps({**record, "id": f"casey-{number}"}, ensure_ascii=False))
    b.stream("casey").write_text("\n".join(renumbered) + "\n", encoding="utf-8")
    document = compare(a, b)
    assert document["parting"] is None
    assert document["memories"]["casey"] == {"same": len(lines), "only_a": [], "only_b": []}


def test_the_same_memory_twice_is_one_more(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    first = node_from_record(json.loads(b.stream("casey").read_text(encoding="utf-8").splitlines()[0]))
    again = json.loads(render_node(first)) | {"id": "casey-900", "created": "day-002/scene-01"}
    with open(b.stream("casey"), "a", encoding="utf-8") as file:
        file.write(json.dumps(again, ensure_ascii=False) + "\n")
    document = compare(a, b)
    assert [node["id"] for node in document["memories"]["casey"]["only_b"]] == ["casey-900"]


def test_a_run_that_goes_on_ends_nowhere_else(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    play(b)
    parting = compare(a, b)["parting"]
    assert (parting["place"], parting["what"]) == ("day-003/scene-01", "end")
    assert parting["a"] is None
    assert parting["b"]["type"] == "ARRIVAL"


def test_a_day_with_fewer_scenes_is_another_choice(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    lines = b.day_log(1).read_text(encoding="utf-8").splitlines()
    scenes = [line for line in lines if json.loads(line)["type"] != "SUMMARY"]
    b.day_log(1).write_text("\n".join(scenes[:-1]) + "\n", encoding="utf-8")
    parting = compare(a, b)["parting"]
    assert (parting["place"], parting["what"]) == (str(SceneRef(1, len(scenes))), "chosen")


def test_the_curves_have_a_value_for_each_day(pair: tuple[Layout, Layout]) -> None:
    document = compare(*pair)
    alex = document["agents"]["alex"]
    stream = [json.loads(line) for line in pair[0].stream("alex").read_text(encoding="utf-8").splitlines()]
    first = [node["importance"] for node in stream if node["created"].startswith("day-001/")]
    assert alex["importance"]["a"][0] == round(sum(first) / len(first), 2)
    assert alex["memories"]["a"][0] == len(first)
    assert alex["mood"]["a"][-1] == json.loads(pair[0].agent("alex").read_text(encoding="utf-8"))["mood"]
    assert all(alex["mood"]["a"])  # of the first day by the answers
    assert alex["trust"] == {}


def test_trust_is_followed_back_through_its_history(pair: tuple[Layout, Layout]) -> None:
    a, _ = pair
    a.layer_folder(RELATIONSHIPS).mkdir()
    a.layer(RELATIONSHIPS, "alex").write_text('{"casey": {"trust_level": 0.4}, "jordan": {"trust_level": 0.1}}')
    line = {"at": "day-002/scene-02", "with": "casey", "old": {"trust_level": -0.2}, "new": {"trust_level": 0.4}}
    a.layer(RELATIONSHIPS, "alex", HISTORY).write_text(json.dumps(line) + "\n", encoding="utf-8")
    trust = compare(*pair)["agents"]["alex"]["trust"]
    assert trust == {
        "casey": {"a": [-0.2, 0.4], "b": [None, None]},
        "jordan": {"a": [0.1, 0.1], "b": [None, None]},
    }


def test_a_diary_knows_the_mood_better_than_an_answer(pair: tuple[Layout, Layout]) -> None:
    a, _ = pair
    a.layer_folder(DIARY).mkdir()
    a.layer(DIARY, "alex").write_text('{"day": "day-001", "mood": "wistful", "text": "So."}\n', encoding="utf-8")
    mood = compare(*pair)["agents"]["alex"]["mood"]
    assert mood["a"][0] == "wistful" != mood["b"][0]


def test_pieces_that_differ_are_named(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    first, second, *_ = sorted(path for path in a.gallery.rglob("*.md"))
    (b.root / first.relative_to(a.root)).unlink()
    with open(b.root / second.relative_to(a.root), "a", encoding="utf-8") as file:
        file.write("More.\n")
    works = compare(a, b)["artifacts"]
    assert works["only_a"] == [a.shown(first)]
    assert works["differ"] == [a.shown(second)]
    assert works["only_b"] == []


def test_a_line_that_cannot_be_read_is_named_and_the_rest_compared(pair: tuple[Layout, Layout]) -> None:
    a, b = pair
    with open(b.stream("alex"), "a", encoding="utf-8") as file:
        file.write("{broken\n")
    document = compare(a, b)
    (problem,) = document["unreadable"]
    assert (problem["side"], problem["path"]) == ("b", "state/memories/alex.jsonl")
    assert problem["line"] > 1
    assert document["parting"] is None


def test_branches_and_days_of_one_repository_are_compared(dinner: Layout) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "day 0")
    play(dinner)
    commit_all(dinner.root, "day 1")
    git(dinner.root, "checkout", "-q", "-b", "other", "HEAD~1")
    git(dinner.root, "clean", "-fdxq")
    edit(dinner.world, {"studio_status": "Everybody is late."})
    set_sections(dinner.settings, "seed: 7")
    play(dinner)
    commit_all(dinner.root, "another day 1")
    document = as_json(describe_comparison("main", "other", lambda: dinner))
    assert document["a"]["kind"] == document["b"]["kind"] == "commit"
    assert document["given"]["settings"] == {"seed": [1, 7]}
    assert document["parting"]["place"].startswith("day-001/")
    assert document["costs"] == {"a": None, "b": None}
    folder = as_json(describe_comparison("other", str(dinner.root), lambda: dinner))
    assert folder["parting"] is None
    assert folder["costs"]["b"]["calls"] > 0
    play(dinner)
    days = as_json(describe_comparison("day-001", "day-002", lambda: dinner))
    assert days["parting"]["what"] == "end"
    assert days["days"] == [1, 2]


def test_what_is_neither_a_world_nor_a_commit_is_said(dinner: Layout) -> None:
    with pytest.raises(NoWorldError, match="nonsense is not a world, and"):
        as_json(describe_comparison("nonsense", str(dinner.root), nowhere))
    make_repository(dinner.root)
    commit_all(dinner.root, "day 0")
    with pytest.raises(UsageError, match="there is no commit 'nonsense'"):
        as_json(describe_comparison("nonsense", "HEAD", lambda: dinner))
