"""Days in which memories are asked for and given, goals are pursued, and every word is kept: rehearsed worlds."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.accumulators import describe_accumulators
from gm.api.editing.share import ShareFilter, copy_memories
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.layers.goals import GOALS
from gm.llm.base import Request
from tests.cli.running import Run
from tests.llm.postman import Postman
from tests.stories.leaks import Shown, find_leaks, prompts_of
from tests.stories.playing import Counting, Scripted, objections, play, records, set_sections, tree

ON = "share: {enabled: true}\nmemory_kinds: on\ngoals: on\ncapture: {dialogue: heard}"
OFF = "share: {}\nmemory_kinds: off\ngoals: off\ncapture: {}"
DAYS = 4
EARLY = 2


def kinds(layout: Layout) -> Mapping[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for name in layout.agent_names():
        for record in records(layout.stream(name)):
            found.setdefault(str(record["metadata"].get("kind")), []).append({"owner": name, **record})
    return found


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = create_world(tmp_path_factory.mktemp("lived") / "studio", "studio")
    set_sections(layout.settings, ON)
    play(layout, days=EARLY)
    shutil.copytree(layout.root, layout.root.with_name("early"))
    play(layout, days=DAYS - EARLY)
    return layout


@pytest.fixture
def copied(lived: Layout, tmp_path: Path) -> Layout:
    return Layout(shutil.copytree(lived.root, tmp_path / "copied"))


def test_everything_that_is_on_is_made_use_of(lived: Layout) -> None:
    assert {"copied", "link", "dialogue", "goal_progress", "emotional", "procedural"} <= kinds(lived).keys()
    assert any(agent.mind[GOALS] for agent in load_world(lived).world.agents.values())


def test_there_is_nothing_to_object_to_and_every_sum_is_right(lived: Layout) -> None:
    assert objections(lived) == []
    found = as_json(describe_accumulators(load_world(lived).world, recompute=True))["agents"]
    assert {name: item["difference"] for name, item in found.items() if item["difference"]} == {}


def test_no_character_keeps_a_word_of_a_scene_in_which_it_was_not(lived: Layout) -> None:
    casts = {
        f"day-{day:03d}/scene-{entry['scene']:02d}": entry["participants"]
        for day in lived.logged_days()
        for entry in records(lived.day_log(day))
        if "scene" in entry
    }
    kept = kinds(lived)["dialogue"]
    assert len(kept) > 100
    assert all(record["owner"] in casts[record["created"]] for record in kept)


def test_no_prompt_says_what_was_neither_lived_nor_shared(lived: Layout) -> None:
    assert find_leaks(lived, prompts_of(lived, lived.logged_days())) == []


@pytest.mark.matrix
@pytest.mark.parametrize(("days", "name"), [(EARLY, "early"), (DAYS, "studio")])
def test_the_same_world_and_seed_give_the_same_bytes(lived: Layout, tmp_path: Path, days: int, name: str) -> None:
    twin = create_world(tmp_path / "twin", "studio")
    set_sections(twin.settings, ON)
    for _ in range(days):
        play(twin)
        shutil.rmtree(twin.derived)
    assert tree(twin.root) == tree(lived.root.with_name(name))


@pytest.mark.soak
def test_a_day_that_breaks_off_goes_on_without_asking_any_twice(copied: Layout, tmp_path: Path) -> None:
    whole = Layout(shutil.copytree(copied.root, tmp_path / "whole"))
    counting = Counting()
    play(whole, backend=counting)
    total = len(counting.asked)
    for answered in range(1, total, 14):
        layout = Layout(shutil.copytree(copied.root, tmp_path / f"after-{answered}"))
        first, second = Counting(limit=answered), Counting()
        with pytest.raises(BackendError):
            play(layout, backend=first)
        play(layout, backend=second)
        assert len(first.asked) + len(second.asked) == total
        assert tree(layout.root) == tree(whole.root)


def test_switched_off_again_the_world_goes_on_and_nothing_of_it_is_asked(copied: Layout) -> None:
    set_sections(copied.settings, OFF)
    before = {kind: len(items) for kind, items in kinds(copied).items()}
    counting = Counting()
    play(copied, backend=counting)
    asked = {key for request in counting.asked for key in request.schema["properties"]}
    assert asked.isdisjoint({"memory_requests", "memory_answers", "goal_reports"})
    assert not any("goal_reports" in str(request.system) for request in counting.asked)
    after = {kind: len(items) for kind, items in kinds(copied).items()}
    for kind in ("copied", "dialogue", "goal_progress", "emotional", "procedural", "semantic"):
        assert after.get(kind) == before.get(kind)
    assert objections(copied) == []


def test_what_was_shared_may_be_known_and_what_was_not_is_found(played: Layout) -> None:
    bank = records(played.stream("tobi"))
    shared, kept_back = bank[0], bank[3]
    copy_memories(played, "tobi", "vera", ShareFilter(ids=(shared["id"],)))
    play(played)
    prompts = [prompt for prompt in prompts_of(played, [2]) if prompt.who == "vera"]
    line = "- `vera-{:03d}` Tag 1, Szene 6 · übernommen von Tobi (Vorsatz, Tag 1) · 5: {}"
    number = next(
        int(record["id"][5:]) for record in records(played.stream("vera")) if "copied_from" in record["metadata"]
    )

    def leaks(text: str) -> set[str]:
        planted = Shown("vera", prompts[-1].place, (*prompts[-1].blocks, text))
        return {leak.what for leak in find_leaks(played, [planted])}

    assert leaks(line.format(number, shared["description"])) == set()
    assert leaks(line.format(number, kept_back["description"])) == {"memory"}


def test_what_was_taken_over_comes_to_mind_where_a_scene_calls_it_up(played: Layout) -> None:
    copy_memories(played, "tobi", "vera", ShareFilter())
    counting = Counting()
    play(played, backend=counting)
    heading = "## Was dir dazu aus fremden Erinnerungen einfällt"
    shown = [request for request in counting.asked if heading in request.messages[0][1]]
    assert {request.who for request in shown} == {"vera"}
    assert all("übernommen von Tobi" in request.messages[0][1] for request in shown)
    # none of it stands among what she lived through
    assert not any("übernommen von" in block.text for request in counting.asked for block in request.system)


def ask_and_give(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
    """Emre asks Vera on the first morning, and Vera agrees as soon as she is shown it."""
    if "insights" in reply:
        return reply
    reply = {**reply, "memory_requests": [], "memory_answers": []}
    if request.who == "emre" and request.place == "day-001/scene-01":
        reply["memory_requests"] = [{"to": "vera", "about": []}]
    if "## Jemand will deine Erinnerungen" in request.messages[0][1]:
        assert request.who == "vera"
        reply["memory_answers"] = [{"to": "Emre", "share": True}]
    return reply


def test_a_request_of_the_morning_is_answered_in_the_next_scene_of_the_character_asked(studio: Layout) -> None:
    set_sections(studio.settings, "share: {enabled: true}")
    play(studio, backend=Scripted(ask_and_give))
    entries = records(studio.day_log(1))
    given = next(entry for entry in entries if "memories_shared" in entry)
    first = next(entry for entry in entries[1:] if "vera" in entry["participants"])
    assert given["scene"] == first["scene"]
    assert load_world(studio).world.links == ()
    copies = [record for record in records(studio.stream("emre")) if "copied_from" in record["metadata"]]
    assert copies
    assert {record["created"] for record in copies} == {f"day-001/scene-{given['scene']:02d}"}
    assert given["memories_shared"] == [{"from": "vera", "to": "emre", "about": [], "count": len(copies)}]


def test_such_a_day_can_be_played_by_answering_letters(dinner: Layout, run: Run) -> None:
    set_sections(dinner.settings, f"{ON}\nday: {{scenes: [1, 2]}}")
    postman = Postman(dinner.root)
    for _ in range(60):
        outcome = run("advance-day", "-w", dinner.root, "--model", "mailbox")
        if outcome.code == 0:
            break
        assert outcome.code == 75, outcome.err
        assert any("memory_requests" in letter.prompt for letter in postman.letters())
        postman.answer_all()
    assert records(dinner.day_log(1))[-1]["type"] == "SUMMARY"
    assert objections(dinner) == []


def test_context_and_memory_tell_what_is_seen_through_a_lens(played: Layout, run: Run) -> None:
    node = next(record for record in records(played.stream("vera")) if record["type"] != "plan")
    set_sections(played.settings, "lenses:\n- {at: retrieval, name: mild, add: 'Wenn es denn sein muss.', who: [vera]}")
    document = run("context", "vera", "--json", "-w", played.root).document
    seen = document["lenses"][node["id"]]
    assert seen == {
        "formation": [],
        "retrieval": ["mild"],
        "reads": f"{node['description']} Wenn es denn sein muss.",
    }
    assert seen["reads"] in run("context", "vera", "--prompt", "-w", played.root).out
    assert f"seen through mild: {seen['reads']}" in run("context", "vera", "-w", played.root).out
    assert run("memory", "show", node["id"], "--json", "-w", played.root).document["seen_as"]["lens"] == ["mild"]
    assert "lenses" not in run("context", "emre", "--json", "-w", played.root).document
    assert next(record for record in records(played.stream("vera")) if record["id"] == node["id"]) == node


def test_a_day_seen_through_lenses_leaks_nothing_and_keeps_every_original(studio: Layout) -> None:
    set_sections(
        studio.settings,
        "lenses:\n"
        "- {at: formation, name: grau, add: 'Das wird nichts.', importance: -1, who: [leo]}\n"
        "- {at: retrieval, name: laut, replace: {ich: ICH}, who: [leo]}",
    )
    play(studio, days=2)
    bent = [record for record in records(studio.stream("leo")) if "original" in record["metadata"]]
    assert bent
    assert all(record["description"] == f"{record['metadata']['original']} Das wird nichts." for record in bent)
    assert find_leaks(studio, prompts_of(studio, [1, 2])) == []
    assert objections(studio) == []


def test_an_association_calls_up_what_has_nothing_to_do_with_the_question(played: Layout, run: Run) -> None:
    tagged = {record["id"] for record in records(played.stream("vera")) if "plan" in record["tags"]}
    before = run("recall", "vera", "Knochen", "-k", 3, "--json", "-w", played.root).document["memories"]
    lens = "lenses:\n- {at: association, when: {words: ['knoch*']}, boost: {tags: [plan], by: 2}, who: [vera]}"
    set_sections(played.settings, lens)
    after = run("recall", "vera", "Knochen", "-k", 3, "--explain", "--json", "-w", played.root).document["memories"]
    assert before[0]["id"] not in tagged
    assert after[0]["id"] in tagged
    assert after[0]["parts"]["association"] == 2
    other = run("recall", "vera", "Kaffee", "-k", 3, "--explain", "--json", "-w", played.root).document["memories"]
    assert not any("association" in memory["parts"] for memory in other)
