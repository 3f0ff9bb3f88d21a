"""Days as they are played: what a day brings, what fifteen bring, and that nothing is lost on the way."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.ask.prompt.context import SETTLED_PART
from gm.base.errors import BackendError
from gm.base.frontmatter import split_front_matter
from gm.files.layout import Layout
from gm.files.load import Loaded, load_world
from gm.files.packaged.shipped import shipped_worlds
from gm.files.uncommitted.beside import SCHEMAS
from gm.model.node import NODE_KEYS, render_node
from gm.model.scene import Scene, SceneType
from gm.model.world import LOG_DAYS, World
from tests.build import node as memory
from tests.stories.playing import Counting, Heard, Scripted, edit, play, records, tree

CAST = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")


def streams(layout: Layout) -> dict[str, list[dict[str, Any]]]:
    return {name: records(layout.stream(name)) for name in layout.agent_names()}


def scenes(layout: Layout, day: int = 1) -> list[dict[str, Any]]:
    return [entry for entry in records(layout.day_log(day)) if entry["type"] != "SUMMARY"]


def test_nothing_is_remembered_again_in_the_same_words_on_the_next_days(dinner: Layout) -> None:
    play(dinner, days=4)
    for lines in streams(dinner).values():
        own = [line["description"] for line in lines if line["metadata"].get("kind") != "bystander"]
        assert sorted({*own}) == sorted(own)


def test_everybody_makes_a_plan_in_the_morning(played: Layout) -> None:
    for name, nodes in streams(played).items():
        assert nodes[0]["type"] == "plan"
        assert nodes[0]["created"] == "day-001/scene-01"
        assert json.loads(played.agent(name).read_text(encoding="utf-8"))["today_plan"]


def test_a_day_has_three_to_eight_scenes_and_each_says_why(played: Layout) -> None:
    found = scenes(played)
    assert 3 <= len([entry for entry in found if entry["type"] != "REFLECTION"]) <= 8
    assert [entry["scene"] for entry in found] == list(range(1, len(found) + 1))
    assert all(entry["why"].strip() for entry in found)
    last = records(played.day_log(1))[-1]
    said = ["type", "summary", "highlights", "open_threads", "finished", "reflected", "carried", "tomorrow"]
    said += ["plans", "memories"]
    assert (last["type"], list(last)) == ("SUMMARY", said)


def test_scenes_lines_have_the_keys_of_the_design(played: Layout) -> None:
    keys = [
        "scene",
        "type",
        "time_of_day",
        "location",
        "participants",
        "why",
        "premise",
        "summary",
        "dialogue",
        "thoughts",
        "artifacts",
        "memories",
        "cd_feedback",
    ]
    for entry in scenes(played):
        assert list(entry)[: len(keys)] == keys


def test_nodes_are_lines_of_exactly_the_form_of_the_design(played: Layout) -> None:
    for name in CAST:
        text = played.stream(name).read_text(encoding="utf-8")
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        for number, line in enumerate(text.rstrip("\n").split("\n"), 1):
            node = json.loads(line)
            assert tuple(node) == NODE_KEYS
            assert line == json.dumps(node, ensure_ascii=False)
            assert node["id"] == f"{name}-{number:03d}"


def test_each_item_of_a_plan_has_come_to_something_when_the_day_is_closed(fifteen_days: Layout) -> None:
    for day in range(1, 16):
        plans = records(fifteen_days.day_log(day))[-1]["plans"]
        assert plans.keys() == set(scenes(fifteen_days, day)[0]["participants"])
        assert {end["status"] for ends in plans.values() for end in ends} <= {"done", "moved", "dropped"}
    for name in CAST:
        plan = json.loads(fifteen_days.agent(name).read_text(encoding="utf-8"))["today_plan"]
        assert all(item.startswith(("DONE: ", "MOVED: ", "DROPPED: ")) for item in plan)


def test_an_artifact_has_a_file_a_node_of_its_maker_and_an_observation_of_all_others_who_may_see_it(
    fifteen_days: Layout,
) -> None:
    found = streams(fifteen_days)
    made = 0
    for day in range(1, 16):
        for entry in scenes(fifteen_days, day):
            ref = f"day-{day:03d}/scene-{entry['scene']:02d}"
            for path in entry["artifacts"]:
                made += 1
                front, body, _ = split_front_matter((fifteen_days.root / path).read_text(encoding="utf-8"))
                head = yaml.safe_load(front or "")
                assert body.strip()
                about = {
                    name: [node for node in nodes if node["metadata"].get("artifact_path") == path]
                    for name, nodes in found.items()
                }
                maker = head["agent"]
                (own,) = about.pop(maker)
                assert (own["type"], own["id"], own["created"]) == ("artifact", head["node"], ref)
                assert head["created"] == ref
                assert head["title"] in own["description"]
                readers = own["metadata"].get("audience", entry["participants"])
                others = {name for name in entry["participants"] if name in readers and name != maker}
                later = {name for name, nodes in about.items() if nodes and name not in others}
                assert all(node["created"] > ref for name in later for node in about[name]), "shown or read afterwards"
                assert others <= {name for name, nodes in about.items() if nodes}
                for name in others:
                    (seen,) = about[name]
                    assert (seen["type"], seen["created"]) == ("observation", ref)
                    assert maker in seen["tags"]
                    assert seen["id"].startswith(f"{name}-")
    assert made >= 15


def test_the_memories_of_the_logbook_are_the_memories_of_the_streams(played: Layout) -> None:
    listed = {item["id"]: item for entry in records(played.day_log(1)) for item in entry["memories"]}
    kept = {node["id"]: node for nodes in streams(played).values() for node in nodes}
    assert listed.keys() == kept.keys()
    assert all(item["importance"] == kept[key]["importance"] for key, item in listed.items())


def test_accumulators_are_the_sum_of_what_was_remembered(played: Layout) -> None:
    for name, nodes in streams(played).items():
        state = json.loads(played.agent(name).read_text(encoding="utf-8"))
        assert state["importance_accumulator"] == sum(node["importance"] for node in nodes)


def test_no_character_remembers_what_was_said_where_it_was_not(played: Layout) -> None:
    found = streams(played)
    for entry in scenes(played):
        ref = f"day-001/scene-{entry['scene']:02d}"
        for name, nodes in found.items():
            here = [node for node in nodes if node["created"] == ref]
            if name not in entry["participants"]:
                assert all(node["metadata"].get("kind") in ("bystander", "plan-left") for node in here)


def test_no_clock_of_the_wall_and_no_path_of_the_machine_is_in_any_file(played: Layout) -> None:
    year = time.strftime("%Y")
    for path, data in tree(played.root).items():
        assert str(played.root).encode() not in data, path
        if not path.startswith(f"{SCHEMAS}/"):  # their examples have dates
            assert f"{year}-".encode() not in data, path


@pytest.mark.parametrize("template", shipped_worlds())
def test_every_template_plays_two_days_without_a_complaint(template: str, tmp_path: Path) -> None:
    layout = create_world(tmp_path / template, template)
    heard = Heard()
    play(layout, days=2, report=heard)
    assert [problem for problem in check_world(layout).problems if problem.severity != "info"] == []
    assert heard.notices == []


def test_after_fifteen_days_every_character_has_insights_and_one_has_deeper_ones(fifteen_days: Layout) -> None:
    deepest = 0
    for name, nodes in streams(fifteen_days).items():
        known = {node["id"]: node for other in streams(fifteen_days).values() for node in other}
        insights = [node for node in nodes if node["type"] == "reflection"]
        assert len(insights) >= 3, name
        for node in insights:
            assert node["evidence"], node["id"]
            assert node["depth"] == 1 + max(known[cited]["depth"] for cited in node["evidence"])
        deepest = max(deepest, *(node["depth"] for node in insights))
    assert deepest >= 2


def test_after_fifteen_days_importance_still_uses_the_middle_of_the_scale(fifteen_days: Layout) -> None:
    ratings = [node["importance"] for nodes in streams(fifteen_days).values() for node in nodes]
    assert 4.5 <= fmean(ratings) <= 6.5
    assert set(range(1, 10)) <= set(ratings)


def test_after_fifteen_days_there_is_nothing_to_object_to(fifteen_days: Layout) -> None:
    problems = check_world(fifteen_days).problems
    assert [str(problem) for problem in problems if problem.severity != "info"] == []


def test_in_fifteen_days_everybody_is_on_stage_every_day(fifteen_days: Layout) -> None:
    for day in range(1, 16):
        entries = scenes(fifteen_days, day)
        assert {name for entry in entries for name in entry["participants"]} == set(CAST)
        assert 3 <= len([entry for entry in entries if entry["type"] != "REFLECTION"]) <= 8
        talks = [entry["type"] for entry in entries if not _is_arranged(entry.get("score", {}))]
        assert not any(talks[at : at + 3] == ["ENCOUNTER"] * 3 for at in range(len(talks)))


def _is_arranged(score: dict[str, float]) -> bool:
    # by an appointment, or by plans: a talk that is no more than wished for weighs at most 9
    return "appointment" in score or score.get("plan", 0) > 9


def test_thursdays_are_for_the_game(fifteen_days: Layout) -> None:
    for day in (4, 9, 14):
        assert [entry["type"] for entry in scenes(fifteen_days, day)].count("DND") == 1


def test_the_same_world_and_seed_give_the_same_bytes(studio: Layout, tmp_path: Path) -> None:
    shutil.copytree(studio.root, tmp_path / "again")
    again = Layout(tmp_path / "again")
    for layout in (studio, again):
        play(layout, days=2)
    assert tree(studio.root) == tree(again.root)


def test_another_seed_gives_another_day(studio: Layout, tmp_path: Path) -> None:
    shutil.copytree(studio.root, tmp_path / "again")
    again = Layout(tmp_path / "again")
    play(studio)
    play(again, seed=2)
    assert tree(studio.root) != tree(again.root)


@pytest.mark.matrix
@pytest.mark.parametrize("stride", [19, 6])
def test_a_day_that_breaks_off_at_any_question_is_finished_without_asking_any_twice(
    played: Layout, tmp_path: Path, stride: int
) -> None:
    whole = tree(played.root)
    total = len(list(played.traces.rglob("*.json")))
    for answered in range(1, total, stride):
        layout = create_world(tmp_path / f"after-{answered}", "studio")
        first = Counting(limit=answered)
        with pytest.raises(BackendError, match="the line is dead"):
            play(layout, backend=first)
        second = Counting()
        play(layout, backend=second)
        assert len(first.asked) + len(second.asked) == total, answered
        assert tree(layout.root) == whole, answered


class PlugError(Exception):
    """The power failed."""


@pytest.mark.matrix
@pytest.mark.parametrize("stride", [4, 1])
def test_a_day_interrupted_after_a_scene_and_resumed_is_the_day_without_interruption(
    played: Layout, tmp_path: Path, stride: int
) -> None:
    whole = tree(played.root)
    total = len(list(played.traces.rglob("*.json")))
    for place in range(1, len(scenes(played)) + 1, stride):
        layout = create_world(tmp_path / f"after-{place}", "studio")

        def stop(world: World, scene: Scene, place: int = place) -> None:
            if scene.ref.scene == place:
                raise PlugError

        first, second = Counting(), Counting()
        with pytest.raises(PlugError):
            play(layout, backend=first, report=Heard(after=stop))
        play(layout, backend=second)
        assert tree(layout.root) == whole, f"after scene {place}"
        assert len(first.asked) + len(second.asked) == total


def test_a_day_stopped_after_every_scene_is_the_day_without_interruption(played: Layout, studio: Layout) -> None:
    def stop(world: World, scene: Scene) -> None:
        raise PlugError

    for _ in scenes(played):
        with pytest.raises(PlugError):
            play(studio, report=Heard(after=stop))
    play(studio)
    assert tree(studio.root) == tree(played.root)


def test_without_its_derived_folder_and_traces_a_world_goes_on_all_the_same(played: Layout, tmp_path: Path) -> None:
    shutil.copytree(played.root, tmp_path / "bare")
    bare = Layout(tmp_path / "bare")
    shutil.rmtree(bare.derived)
    shutil.rmtree(bare.traces)
    play(played)
    play(bare)
    assert tree(bare.root, traces=False) == tree(played.root, traces=False)


def test_edits_between_scenes_survive_and_count(studio: Layout) -> None:
    own = {
        "id": "vera-900",
        "created": "day-001/scene-01",
        "type": "observation",
        "depth": 0,
        "description": "Von Hand: Der Igel heißt Ottilie.",
        "importance": 9,
        "tags": ["igel"],
        "evidence": [],
        "metadata": {},
    }
    done: list[str] = []

    def meddle(world: World, scene: Scene) -> None:
        if not done:
            done.append("once")
            with open(studio.stream("vera"), "a", encoding="utf-8") as file:
                file.write(json.dumps(own, ensure_ascii=False))  # without a final newline
            text = studio.agent("emre").read_text(encoding="utf-8")
            assert '"importance_accumulator": ' in text
            studio.agent("emre").write_text(text.replace("{", '{  "pet" : "Igel",', 1), encoding="utf-8")

    backend = Counting()
    play(studio, backend=backend, report=Heard(after=meddle))
    nodes = records(studio.stream("vera"))
    assert [node for node in nodes if node["id"] == "vera-900"] == [own]
    later = nodes[nodes.index(own) + 1 :]
    assert [node["id"] for node in later] == [f"vera-{900 + step}" for step in range(1, len(later) + 1)]
    assert later
    assert '{  "pet" : "Igel",' in studio.agent("emre").read_text(encoding="utf-8")
    asked = [request for request in backend.asked if request.label.startswith("vera")]
    known = ["".join(block.text for block in request.system[SETTLED_PART:]) for request in asked]
    assert "Ottilie" not in known[0]
    assert "Ottilie" in known[1]


def test_an_edit_while_a_model_is_thinking_survives(studio: Layout) -> None:
    done: list[str] = []

    def meddle(request: Any, reply: dict[str, Any]) -> dict[str, Any]:
        if not done and request.facts.scene.ref.scene == 2:
            done.append("once")
            edit(studio.agent("vera"), {"mood": "von Hand", "pet": "Igel"})
            with open(studio.stream("nami"), "a", encoding="utf-8") as file:
                file.write(render_node(memory(500, agent="nami", description="Von Hand.", importance=3)) + "\n")
        return reply

    play(studio, backend=Scripted(meddle))
    assert done
    assert json.loads(studio.agent("vera").read_text(encoding="utf-8"))["pet"] == "Igel"
    ids = [node["id"] for node in records(studio.stream("nami"))]
    assert ids.count("nami-500") == 1
    assert len(set(ids)) == len(ids)
    assert ids[-1] > "nami-500"


def test_unknown_keys_and_odd_layouts_survive_a_day_to_the_byte(studio: Layout) -> None:
    odd = '\ufeff{"name":"Vera Hollstein" ,\r\n\t"height": 1.70, "importance_accumulator" : 5.00,\r\n'
    odd += '  "seen": {"a":[1,2],  "b":{}},"mood":"müde"}'
    studio.agent("vera").write_bytes(odd.encode())
    play(studio)
    text = studio.agent("vera").read_bytes().decode()
    assert text.startswith('\ufeff{"name":"Vera Hollstein" ,\r\n\t"height": 1.70, "importance_accumulator" : ')
    assert ',\r\n  "seen": {"a":[1,2],  "b":{}},"mood":"' in text
    data = json.loads(text.removeprefix("\ufeff"))
    assert data["importance_accumulator"] == 5 + sum(node["importance"] for node in records(studio.stream("vera")))


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def test_in_git_no_line_of_a_memory_or_a_logbook_is_ever_deleted(studio: Layout) -> None:
    git(studio.root, "init", "-q")
    git(studio.root, "add", "-A")
    git(studio.root, "commit", "-qm", "day 0")
    empty = {path for path, data in tree(studio.root).items() if path.startswith("state/memories/") and not data}
    play(studio, days=2)
    git(studio.root, "add", "-A")
    git(studio.root, "commit", "-qm", "two days")
    play(studio)
    assert not [
        line for line in git(studio.root, "status", "--porcelain").splitlines() if ".gm" in line or "traces" in line
    ]
    git(studio.root, "add", "-A")
    git(studio.root, "commit", "-qm", "a third")
    for line in git(
        studio.root, "log", "--numstat", "--format=", "--", "state/memories", "state/logbook", "gallery"
    ).split("\n"):
        if line:
            added, deleted, path = line.split("\t")
            assert int(added) > 0 or path in empty, path
            assert deleted == "0", path
    assert "state/traces" not in git(studio.root, "ls-files")
    assert "state/.gm" not in git(studio.root, "ls-files")


@pytest.mark.soak
def test_an_unedited_world_is_read_once_however_old_it_gets(dinner: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Layout] = []

    def load(layout: Layout, scene_types: Mapping[str, SceneType]) -> Loaded:
        read.append(layout)
        return load_world(layout, scene_types)

    monkeypatch.setattr("gm.play.prompts.load_world", load)
    play(dinner, days=LOG_DAYS + 2)
    assert read == [dinner]
