"""Scenes that are focused by tags: the letter holds the memories with the tag in place of the recent ones."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.model.node import Node, NodeType, render_node
from gm.scene.directing.choosing import SceneRequest
from tests.cli.running import Run
from tests.stories.playing import Counting, Heard, play, play_with, records, tree

TAG = "bone-towers"
TAGGED = ("casey-002", "casey-004", "casey-007")


@pytest.fixture
def lived(dinner: Layout) -> Layout:
    """Casey remembers ten things, three of them about the bone towers, one of these a reflection; Alex two others."""
    dinner.memories.mkdir(exist_ok=True)
    for name, count in (("casey", 10), ("alex", 2)):
        lines = [line(name, number) for number in range(1, count + 1)]
        dinner.stream(name).write_text("".join(lines), encoding="utf-8")
    return dinner


def line(name: str, number: int) -> str:
    identifier = f"{name}-{number:03d}"
    tags = {"casey-002": ("Bone-Towers",), "casey-004": ("salt", TAG), "casey-007": (TAG,)}.get(identifier, ("bread",))
    depth = 1 if number in (3, 7) else 0
    kind: NodeType = "reflection" if depth else "observation"
    evidence = (f"{name}-001",) if depth else ()
    return render_node(Node(identifier, "day-000/scene-01", kind, depth, f"No. {number}.", 5, tags, evidence)) + "\n"


def configure(layout: Layout, text: str) -> None:
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write(f"\n{text}\n")


def shown(request: Request) -> tuple[str, ...]:
    """Ids of the memories of earlier days whose lines stand in a letter."""
    text = "\n".join((*(block.text for block in request.system), str(request.messages[0][1])))
    return tuple(re.findall(r"^- `([a-z]+-\d+)` Day 0\b", text, re.M))


def requested(layout: Layout, request: SceneRequest) -> tuple[list[Request], Heard]:
    backend, heard = Counting(), Heard()
    play_with(layout, backend, heard, lambda master: master.play_requested(request))
    return [request for request in backend.asked if request.purpose == "scene"], heard


def letters_to(name: str, asked: Sequence[Request]) -> list[tuple[str, ...]]:
    found = [shown(request) for request in asked if request.who == name]
    assert found
    return found


RECENT = tuple(f"casey-{number:03d}" for number in range(1, 11))


def test_a_scene_that_was_asked_for_by_a_tag_shows_exactly_the_memories_with_it(lived: Layout) -> None:
    asked, heard = requested(lived, SceneRequest("work", ("casey",), tags=("Bone Towers",)))
    assert set(letters_to("casey", asked)) == {TAGGED}
    assert heard.notices == []
    assert "## What belongs here, newest last" in asked[0].system[2].text
    assert records(lived.day_log(1))[-1]["tags"] == [TAG]


def test_the_command_takes_tags_and_its_letters_hold_them_alone(lived: Layout, run: Run) -> None:
    done = run("scene", "work", "--with", "casey", "--tags", TAG, "--model", "rehearsal", "-w", lived.root, "--json")
    assert (done.code, done.document["tags"]) == (0, [TAG])
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(lived.traces.rglob("casey*.json"))]
    texts = [json.dumps(trace["request"]["system"], ensure_ascii=False) for trace in traces]
    assert texts
    assert all(tuple(re.findall(r"`(casey-\d+)` Day 0", text)) == TAGGED for text in texts)


def test_a_topic_leads_to_its_memories_under_the_strategy_alone(lived: Layout) -> None:
    request = SceneRequest("work", ("casey",), topic="Bone Towers")
    asked, _ = requested(lived, request)
    assert set(letters_to("casey", asked)) == {RECENT}
    assert "tags" not in records(lived.day_log(1))[-1]
    configure(lived, "retrieval: {strategy: tags}")
    asked, heard = requested(lived, request)
    assert set(letters_to("casey", asked)) == {TAGGED}
    asked, heard = requested(lived, SceneRequest("work", ("casey",), topic="bread and salt"))
    assert set(letters_to("casey", asked)) == {RECENT}
    assert heard.notices == [], "a topic that is no tag is no mistake"


def test_without_a_tagged_memory_the_window_is_recent_and_that_is_said_once(lived: Layout) -> None:
    asked, heard = requested(lived, SceneRequest("encounter", ("casey", "alex"), tags=(TAG,)))
    assert set(letters_to("casey", asked)) == {TAGGED}
    assert set(letters_to("alex", asked)) == {("alex-001", "alex-002")}
    notice = "day-001/scene-01: no memory of alex carries the tag bone-towers: the recent ones stand"
    assert heard.notices == [notice]


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("retrieval: {tags_keep_reflections: true}", ("casey-002", "casey-003", "casey-004", "casey-007")),
        ("retrieval: {strategy: hybrid, last: 2}", TAGGED),
        ("retrieval: {strategy: scored, last: 2}", TAGGED),
    ],
)
def test_tags_that_are_asked_for_hold_under_every_strategy(
    lived: Layout, settings: str, expected: tuple[str, ...]
) -> None:
    configure(lived, settings)
    asked, _ = requested(lived, SceneRequest("work", ("casey",), tags=(TAG,)))
    assert set(letters_to("casey", asked)) == {expected}


def test_a_script_and_a_scene_type_focus_their_scenes(lived: Layout) -> None:
    scenes = lived.root / "prompts" / "scenes"
    scenes.mkdir(parents=True)
    front = "---\nplay: solo\ncast: [1, 1]\ntags: [bread]\n---\n"
    (scenes / "watch.j2").write_text(front + "{{ scene.premise }}\n", encoding="utf-8")
    lived.scripts.mkdir(exist_ok=True)
    script = (
        "arrival: false\nreflections: false\nscenes:\n"
        f"  - {{type: work, with: [casey], tags: [{TAG}]}}\n"
        "  - {type: watch, with: [casey]}\n"
        f"  - {{type: watch, with: [casey], tags: {TAG}}}\n"
        "  - {type: work, with: [casey]}\n"
    )
    (lived.scripts / "every-day.yaml").write_text(script, encoding="utf-8")
    configure(lived, "director: script")
    backend = Counting()
    play(lived, backend=backend)
    letters = {request.place: shown(request) for request in backend.asked if request.purpose == "scene"}
    others = tuple(name for name in RECENT if name not in TAGGED)
    assert list(letters.values()) == [TAGGED, others, TAGGED, RECENT]
    tags = [record.get("tags") for record in records(lived.day_log(1)) if record["type"] != "SUMMARY"]
    assert tags == [[TAG], ["bread"], [TAG], None]


def test_in_a_day_the_director_s_scenes_are_focused_by_their_topics(lived: Layout, run: Run) -> None:
    configure(lived, "retrieval: {strategy: tags}")
    world = json.loads(lived.world.read_text(encoding="utf-8"))
    event = {"day": 1, "event": "Bone Towers", "time": "noon", "with": ["alex", "casey"]}
    lived.world.write_text(json.dumps({**world, "scheduled_events": [event]}), encoding="utf-8")
    plan = run("plan", "-w", lived.root, "--json").document["candidates"]
    backend, heard = Counting(), Heard()
    play(lived, backend=backend, report=heard)
    (about,) = [scene for scene in heard.scenes if scene.topic == "Bone Towers"]
    assert about.tags == (TAG,)
    for request in backend.asked:
        if request.purpose == "scene" and request.who == "casey":
            assert (shown(request) == TAGGED) == (request.place == str(about.ref)), request.place
    assert [item["tags"] for item in plan if "tags" in item] == [[TAG]] * sum(
        "day-001/Bone Towers" in "".join(item["takes_up"]) for item in plan
    )
    assert any("no memory of alex carries the tag" in notice for notice in heard.notices)


def test_context_shows_the_fallback_and_says_so(lived: Layout, run: Run) -> None:
    configure(lived, "retrieval: {tags_keep_reflections: true}")
    found = run("context", "casey", "--tags", TAG, "-w", lived.root, "--json")
    assert found.document["strategy"] == "tags"
    assert found.err == ""
    missed = run("context", "casey", "--tags", "zzz", "-w", lived.root, "--json")
    assert missed.document["strategy"] == "recent"
    assert [node["id"] for node in missed.document["memories"]] == list(RECENT)
    assert "no memory of casey carries the tag zzz: the recent ones stand" in missed.err
    assert missed.err.count("zzz") == 1


def test_a_focused_scene_is_the_same_however_often_it_is_played(lived: Layout, tmp_path: Path) -> None:
    configure(lived, "retrieval: {strategy: tags}")
    twin = Layout(tmp_path / "twin")
    shutil.copytree(lived.root, twin.root)
    request = SceneRequest("encounter", ("casey", "alex"), topic=TAG)
    requested(lived, request)
    requested(twin, request)
    assert tree(lived.root) == tree(twin.root)


def test_the_scene_type_of_the_documentation_is_played_as_it_stands_there(lived: Layout, run: Run) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "direct-a-day.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"<!-- a test plays this scene type -->\n```jinja\n(.*?)```", page, re.S)
    path = lived.prompts / "scenes" / "watch.j2"
    path.parent.mkdir(parents=True)
    path.write_text(example, encoding="utf-8")
    assert [problem for problem in check_world(lived).problems if problem.path.startswith("prompts/")] == []
    asked, heard = requested(lived, SceneRequest("watch", ("casey",)))
    assert [scene.tags for scene in heard.scenes] == [("tower", TAG)]
    assert letters_to("casey", asked) == [TAGGED]
