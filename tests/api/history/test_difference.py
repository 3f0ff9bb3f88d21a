"""What has changed between two states of a world, and who changed it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.memory import MemoryCorrection, NewMemory, add_memory, correct_memory
from gm.api.history.diff.difference import describe_difference
from gm.api.history.diff.parts import find_moved
from gm.api.history.diff.story import describe_story
from gm.api.history.rewind.apply_rewind import go_back
from gm.api.history.rewind.moments import find_moment
from gm.base.errors import GmError, UsageError
from gm.cli.history.diff import shorten_both
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.soul import SOUL
from gm.model.calendar import SceneRef
from gm.model.node import node_from_record, render_node
from tests.api.repositories import commit_all, git, make_repository
from tests.build import node
from tests.cli.running import runner
from tests.stories.playing import copied, play


@pytest.fixture(scope="module")
def _kept(_one_day: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(_one_day, tmp_path_factory.mktemp("kept") / "studio")
    make_repository(layout.root)
    commit_all(layout.root, "day 1")
    return layout


@pytest.fixture
def kept(_kept: Layout, tmp_path: Path) -> Layout:
    """A world after its first day, committed."""
    return copied(_kept, tmp_path / "played")


def difference(layout: Layout, *names: str) -> Any:
    return as_json(describe_difference(layout, *names))


def story(layout: Layout, **wish: Any) -> Any:
    return as_json(describe_story(layout, **wish)[0])


def lines(layout: Layout, name: str = "vera") -> list[str]:
    return layout.stream(name).read_text(encoding="utf-8").splitlines()


def write(layout: Layout, rows: list[str], name: str = "vera") -> None:
    layout.stream(name).write_text("".join(row + "\n" for row in rows), encoding="utf-8")


def test_nothing_has_changed_right_after_a_commit(kept: Layout) -> None:
    document = difference(kept)
    assert document["agents"] == {}
    assert not any(document["counts"].values())


def test_a_played_day_is_told_as_what_the_day_wrote(kept: Layout) -> None:
    play(kept)
    document = difference(kept)
    written = sum(len(lines(kept, name)) for name in kept.agent_names())
    before = sum(git(kept.root, "show", f"HEAD:state/memories/{name}.jsonl").count("\n") for name in kept.agent_names())
    assert document["counts"]["new"] == written - before > 0
    assert document["counts"]["by_hand"] == 0
    assert document["counts"]["scenes"] == len(kept.day_log(2).read_text(encoding="utf-8").splitlines()) - 1
    changed = [values for agent in document["agents"].values() for values in agent["state"].values()]
    assert changed
    assert all(before != after for before, after in changed)
    assert (document["from"]["day"], document["to"]["day"]) == (1, 2)


def test_what_a_person_did_is_told_apart(kept: Layout) -> None:
    rows = lines(kept)
    first, second, third, fourth = (node_from_record(json.loads(row)) for row in rows[:4])
    correct_memory(kept, second.id, MemoryCorrection(importance=1 if second.importance != 1 else 2, add=("neu",)))
    rows = lines(kept)
    added, _ = add_memory(kept, "emre", NewMemory("Von Hand.", 3))
    write(kept, [rows[1], rows[3], *rows[4:], rows[2]])
    vera = difference(kept)["agents"]["vera"]
    assert [(item["id"], item["by"], sorted(item["changes"])) for item in vera["edited"]] == [
        (second.id, "hand", ["importance", "tags"])
    ]
    assert [item["id"] for item in vera["deleted"]] == [first.id]
    assert [item["id"] for item in vera["moved"]] == [third.id]
    (new,) = difference(kept)["agents"]["emre"]["new"]
    assert (new["id"], new["by"]) == (added.id, "hand")
    assert fourth.id not in str(vera)


def test_an_edited_line_of_the_logbook_is_told_value_by_value(kept: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    *scenes, last = map(json.loads, kept.day_log(1).read_text(encoding="utf-8").splitlines())
    edited = (*scenes[:-1], {**scenes[-1], "topic": "Wind."}, {**last, "chapter": "In the beginning."})
    kept.day_log(1).write_text("".join(json.dumps(row) + "\n" for row in edited), encoding="utf-8")
    document = difference(kept)
    assert [item["changes"] for item in document["scenes"]] == [
        {"topic": [scenes[-1].get("topic"), "Wind."]},
        {"chapter": [None, "In the beginning."]},
    ]
    assert (document["log_lines_changed"], document["counts"]["scenes"]) == (2, 0)
    told = runner(capsys)("diff", "-w", kept.root).out
    assert "    chapter: – → In the beginning." in told
    assert last["summary"] not in told
    assert told.splitlines()[-1] == "other changes only"


def test_what_went_to_the_archive_is_neither_new_nor_deleted(kept: Layout) -> None:
    rows = lines(kept)
    kept.archive.mkdir()
    kept.archived("vera").write_text(rows[0] + "\n", encoding="utf-8")
    write(kept, rows[1:])
    vera = difference(kept)["agents"]["vera"]
    assert [item["id"] for item in vera["archived"]] == [json.loads(rows[0])["id"]]
    assert (vera["deleted"], vera["new"], vera["edited"]) == ([], [], [])


def test_days_are_found_in_the_history_of_the_logbook(kept: Layout) -> None:
    for day in (2, 3):
        play(kept)
        commit_all(kept.root, f"day {day}")
    correct_memory(kept, "vera-001", MemoryCorrection(importance=2))
    commit_all(kept.root, "a correction")
    document = difference(kept, "day-002", "day-003")
    assert document["from"]["commit"] == git(kept.root, "rev-parse", "HEAD~2").strip()
    assert document["to"]["commit"] == git(kept.root, "rev-parse", "HEAD~1").strip()
    assert {item["day"] for item in document["scenes"]} == {3}
    assert document["counts"]["edited"] == 0


def test_days_are_found_in_the_streams_where_there_is_no_repository(played: Layout) -> None:
    play(played, days=2)
    document = difference(played, "day-001", "day-002")
    assert difference(played, "1", "2")["agents"] == document["agents"]
    assert document["partial"]
    assert {node["created"][:7] for agent in document["agents"].values() for node in agent["new"]} == {"day-002"}
    assert {item["day"] for item in document["scenes"]} == {2}
    with pytest.raises(UsageError, match="has not been played"):
        difference(played, "day-009")
    with pytest.raises(GmError, match="not in a git repository"):
        difference(played)


def test_a_commit_of_two_days_still_gives_the_first_one(kept: Layout) -> None:
    play(kept, days=2)
    commit_all(kept.root, "two days at once")
    correct_memory(kept, "vera-001", MemoryCorrection(importance=2))
    document = difference(kept, "day-002", "day-003")
    assert document["counts"]["edited"] == 0
    assert {node["created"][:7] for agent in document["agents"].values() for node in agent["new"]} == {"day-003"}


def test_souls_relationships_board_and_threads_are_told_value_by_value(kept: Layout) -> None:
    for folder in ("souls", "relationships"):
        (kept.state / folder).mkdir()
    (kept.state / "souls/vera.yaml").write_text("values: [Ehrlichkeit]\n", encoding="utf-8")
    (kept.state / "relationships/vera.json").write_text('{"emre": {"trust": 3}}', encoding="utf-8")
    commit_all(kept.root, "more")
    (kept.state / "souls/vera.yaml").write_text("values: [Ehrlichkeit, Mut]\n", encoding="utf-8")
    (kept.state / "relationships/vera.json").write_text('{"emre": {"trust": 4}}', encoding="utf-8")
    board = json.loads(kept.bulletin.read_text(encoding="utf-8"))
    board["posts"].append({"from": "CD", "type": "note", "content": "Hallo", "day": 1, "scene": 0})
    kept.bulletin.write_text(json.dumps(board), encoding="utf-8")
    opened = '{"id": "thread-901", "at": "day-001/scene-01", "event": "open", "by": "vera", "kind": "promise"'
    with open(kept.threads, "a", encoding="utf-8") as file:
        file.write(opened + ', "to": [], "due": null, "text": "Ich komme."}\n')
    document = difference(kept)
    assert document["agents"]["vera"]["soul"] == {"values": [["Ehrlichkeit"], ["Ehrlichkeit", "Mut"]]}
    assert document["agents"]["vera"]["relationships"] == {"emre": [{"trust": 3}, {"trust": 4}]}
    assert [post["content"] for post in document["board"]["added"]] == ["Hallo"]
    assert [thread["id"] for thread in document["threads"]["opened"]] == ["thread-901"]


def test_a_relationship_is_told_in_words_value_by_value(kept: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    (kept.state / "relationships").mkdir()
    path = kept.state / "relationships/vera.json"
    path.write_text('{"emre": {"trust_level": 0.3, "emotional_tone": "warm"}}', encoding="utf-8")
    commit_all(kept.root, "more")
    met = '"leo": {"relationship_type": "Freund", "trust_level": 0.0, "rationale": ""}'
    path.write_text(f'{{"emre": {{"trust_level": 0.5, "emotional_tone": "warm"}}, {met}}}', encoding="utf-8")
    shown = runner(capsys)("diff", "-w", kept.root).out
    told = [line.strip() for line in shown.splitlines() if "relationship ·" in line]
    assert told == [
        *("relationship · emre · trust level: 0.3 → 0.5", "relationship · leo · relationship type: – → Freund"),
    ]


def test_what_a_rewind_took_back_did_not_go_by_hand(kept: Layout) -> None:
    play(kept)
    commit_all(kept.root, "day 2")
    moment = find_moment(kept, SceneRef(1))
    go_back(kept, moment, None)
    document = difference(kept)
    assert document["counts"]["deleted"] > 0
    assert document["counts"]["by_hand"] == 0
    assert not any(agent["by_hand"] for agent in document["agents"].values())


def test_personas_and_souls_that_a_person_wrote_are_told_with_their_lines(
    kept: Layout, capsys: pytest.CaptureFixture[str]
) -> None:
    persona = kept.persona("vera")
    persona.write_text(persona.read_text(encoding="utf-8") + "\nYou hate tins now.\n", encoding="utf-8")
    kept.persona("dee").write_text("You are Dee.\n", encoding="utf-8")
    kept.layer(SOUL, "leo").parent.mkdir(exist_ok=True)
    kept.layer(SOUL, "leo").write_text("fears: [the tins]\n", encoding="utf-8")
    agents = difference(kept)["agents"]
    assert {name: (agent["is_new"], agent["by_hand"]) for name, agent in agents.items()} == {
        "dee": (True, ["persona"]),
        "leo": (False, ["soul"]),
        "vera": (False, ["persona"]),
    }
    assert agents["vera"]["persona_lines"] == {"old": [], "new": ["You hate tins now."]}
    told = runner(capsys)("diff", "-w", kept.root).out
    assert "vera\n  persona changed  by hand\n    + You hate tins now.\n" in told
    assert "dee\n  new character\n" in told
    assert "soul · fears  by hand: " in told
    assert "dee\n  persona" not in told


def test_an_appointment_is_told_with_its_day_time_and_place(kept: Layout) -> None:
    event: dict[str, object] = {"id": "thread-901", "at": "day-001", "event": "open", "by": "vera", "to": ["leo"]}
    event |= {
        "kind": "appointment",
        "due": 3,
        "time": "15:00",
        "place": "flur",
        "replaces": "thread-900",
        "text": "Karten legen",
    }
    with open(kept.threads, "a", encoding="utf-8") as file:
        file.write(json.dumps(event) + "\n")
    (told,) = difference(kept)["threads"]["opened"]
    assert {key: told[key] for key in ("due", "time", "place", "replaces")} == {
        key: event[key] for key in ("due", "time", "place", "replaces")
    }


def test_what_cannot_be_read_in_one_state_is_named(kept: Layout) -> None:
    kept.agent("vera").write_text("{", encoding="utf-8")
    kept.stream("emre").write_bytes(b"\xff\xfe")
    write(kept, [*lines(kept), "{broken"])
    unreadable = difference(kept)["unreadable"]
    assert {(item["state"], item["path"]) for item in unreadable} == {
        ("to", "state/agents/vera.json"),
        ("to", "state/memories/emre.jsonl"),
        ("to", "state/memories/vera.jsonl"),
    }


def test_a_world_in_a_subfolder_with_umlauts_is_compared(played: Layout, tmp_path: Path) -> None:
    top = tmp_path / "mein täglicher Ordner"
    top.mkdir()
    world = Layout(played.root.rename(top / "welt für alle"))
    make_repository(top)
    commit_all(top, "day 1")
    correct_memory(world, "vera-001", MemoryCorrection(importance=2))
    assert difference(world)["counts"]["edited"] == 1
    assert difference(world, "HEAD", "HEAD")["counts"]["edited"] == 0


def test_a_name_that_is_no_commit_is_refused_and_never_an_option(kept: Layout) -> None:
    for name in ("nirgends", "--output=x", "-p"):
        with pytest.raises(UsageError):
            difference(kept, name)
    assert not (kept.root / "x").exists()


def test_a_repository_without_commits_says_so(played: Layout) -> None:
    make_repository(played.root)
    with pytest.raises(GmError, match="no commit yet"):
        difference(played)


def test_moved_memories_are_the_fewest_that_explain_the_order() -> None:
    dice = random.Random(7)
    keys = [f"vera-{number:03d}" for number in range(30)]
    assert find_moved(keys, keys) == []
    for _ in range(50):
        new = list(keys)
        item = new.pop(dice.randrange(30))
        new.insert(dice.randrange(30), item)
        assert len(find_moved(keys, new)) <= 1
        left = [key for key in keys if key not in find_moved(keys, new)]
        assert [key for key in new if key in left] == left


def test_people_read_it_in_eighty_columns(kept: Layout, capsys: pytest.CaptureFixture[str]) -> None:
    run = runner(capsys)
    play(kept)
    hostile = replace(node(901, created="day-002/scene-01"), description="\x1b[31m" + "wort " * 60)
    write(kept, [*lines(kept), render_node(hostile)])
    for arguments in (("diff",), ("diff", "--stat"), ("log",), ("log", "vera", "-n", 0), ("log", "--day", 2)):
        outcome = run(*arguments, "-w", kept.root)
        assert outcome.code == 0, outcome.err
        assert "\x1b" not in outcome.out
        assert max(map(len, outcome.out.splitlines())) <= 80
    assert run("diff", "-w", kept.root, "--json").document["counts"]["new"] > 0


def test_the_story_is_told_the_newest_day_first(kept: Layout) -> None:
    play(kept, days=2)
    world = load_world(kept).world
    days = story(kept)["days"]
    assert [item["day"] for item in days] == [3, 2, 1]
    assert [item["day"] for item in story(kept, most=1)["days"]] == [3]
    (day,) = story(kept, agent="Vera", day=2)["days"]
    assert all("vera" in scene["participants"] for scene in day["scenes"])
    own = [*day["own"], *day["reflections"]]
    assert sorted(item["id"] for item in own) == [item.id for item in world.agents["vera"].stream if item.when.day == 2]
    with pytest.raises(UsageError, match="nobody here"):
        story(kept, agent="niemand")
    with pytest.raises(UsageError, match="no trace"):
        story(kept, day=77)


def test_two_long_texts_are_shown_where_they_part() -> None:
    alike = "Ein langer Anfang, der in beiden steht, " * 4
    before, after = shorten_both(f"{alike}und dann Rot.", f"{alike}und dann Blau.")
    assert before.startswith("… ")
    assert before.endswith("und dann Rot.")
    assert after.endswith("und dann Blau.")
    assert shorten_both("", "kurz") == ("“”", "kurz")
