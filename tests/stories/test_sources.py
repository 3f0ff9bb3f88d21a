"""What is looked up for every scene: who is there, the place, the goal, what weighed most."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest

from gm.api.editing.gift import give_memories
from gm.ask.prompt.context import Assembler
from gm.base.config import Settings
from gm.base.config.memory import SOURCES
from gm.base.tokens import estimate_tokens
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.content import text_of
from gm.model.calendar import SceneRef
from gm.model.scene import Scene
from gm.play.memory_search import open_search
from gm.play.prompts import open_prompts
from gm.play.sources import gather
from gm.play.vector_search import VectorSearch
from tests.cli.running import Run
from tests.stories.playing import Counting, play, set_sections, tree

HEADINGS = {
    "about_present": "## Was du von denen weißt, die hier sind",
    "location": "## Woran dich dieser Ort erinnert",
    "goal": "## Was mit dem zu tun hat, was du vorhast",
    "important_recent": "## Was dich zuletzt am meisten beschäftigt hat",
}
ALL = f"context: {{sources: [{', '.join(SOURCES)}]}}\nretrieval: {{last: 3, all_reflections: false}}\n"


def questions(layout: Layout, day: int) -> list[dict[str, Any]]:
    paths = sorted(layout.traces.glob(f"day-{day:03d}/**/*.json"))
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def asked(trace: dict[str, Any]) -> str:
    return str(trace["request"]["messages"][0]["content"])


def part(text: str, heading: str) -> str:
    return text.partition(heading)[2].partition("\n## ")[0].partition("\n# ")[0].partition("\nDu kannst dir")[0]


def ids(text: str) -> list[str]:
    return re.findall(r"^- `([a-z]+-\d+)`", text, re.M)


def test_nothing_is_looked_up_by_default(played: Layout) -> None:
    play(played)
    assert not any(heading in asked(trace) for trace in questions(played, 2) for heading in HEADINGS.values())


@pytest.mark.parametrize("source", SOURCES)
def test_each_source_by_itself_finds_something_and_no_more_than_it_may(played: Layout, source: str) -> None:
    set_sections(played.settings, f"context: {{sources: [{source}], memories_per_source: 2}}\nretrieval: {{last: 3}}\n")
    play(played)
    found = [part(asked(trace), HEADINGS[source]) for trace in questions(played, 2) if HEADINGS[source] in asked(trace)]
    assert found
    assert all(1 <= len(ids(text)) <= 2 for text in found)
    others = set(HEADINGS.values()) - {HEADINGS[source]}
    assert not any(heading in asked(trace) for trace in questions(played, 2) for heading in others)


def test_nothing_is_shown_twice_in_one_prompt(played: Layout) -> None:
    set_sections(played.settings, ALL + "rag: {limit: 2}\n")
    play(played)
    seen = 0
    for trace in questions(played, 2):
        shown = ids("\n".join((*trace["request"]["system"], asked(trace))))
        assert len(shown) == len(set(shown))
        seen += any(heading in asked(trace) for heading in HEADINGS.values())
    assert seen


def test_what_is_looked_up_stands_in_the_question_only(played: Layout) -> None:
    set_sections(played.settings, ALL)
    play(played)
    for trace in questions(played, 2):
        assert not any(heading in text for text in trace["request"]["system"] for heading in HEADINGS.values())


def test_about_present_is_about_those_who_are_there_and_about_no_others(played: Layout) -> None:
    set_sections(played.settings, "context: {sources: [about_present], memories_per_source: 9}\n")
    prompts = open_prompts(played, Settings())
    world = load_world(played, prompts.scene_types()).world
    vectors = VectorSearch(played, world.settings.index)
    search = open_search(played, Assembler(prompts), lambda _notice: None, vectors)
    kind = world.scene_types["ENCOUNTER"]
    scene = Scene(SceneRef(2, 1), kind, "noon", "", ("vera", "emre"), "a test", "Emre kommt zu Vera.")
    (found,) = gather(search, world, scene, world.agents["vera"], ())
    search.close()
    assert found.nodes
    for node in found.nodes:
        assert "emre" in node.tags or "emre" in str(node.metadata.get("with", ""))
    assert [node.when for node in found.nodes] == sorted(node.when for node in found.nodes)


def test_what_was_given_from_the_start_about_those_present_is_said(played: Layout) -> None:
    give_memories(played)
    set_sections(played.settings, "context: {sources: [about_present]}\nretrieval: {last: 3}\n")
    play(played)
    found = [part(asked(trace), HEADINGS["about_present"]) for trace in questions(played, 2)]
    assert any("Du sagst dazu" in text or "Was man an" in text for text in found)


def test_the_same_day_twice_is_the_same(played: Layout, tmp_path: Any) -> None:
    set_sections(played.settings, ALL)
    twin = Layout(tmp_path / "twin")
    shutil.copytree(played.root, twin.root)
    shutil.rmtree(twin.derived, ignore_errors=True)
    play(played)
    play(twin)
    assert tree(played.root) == tree(twin.root)


def test_gm_context_names_the_sections_of_a_prompt(played: Layout, run: Run) -> None:
    set_sections(played.settings, ALL)
    done = run("context", "vera", "--json", "-w", played.root)
    sections = json.loads(done.out)["sections"]
    assert [item["name"] for item in sections] == [
        "system", "persona", "step", "injected", "dialogue", "memories", "called_up", "pieces",
    ]  # fmt: skip
    assert [item["priority"] for item in sections] == [1, 1, 2, 3, 4, 5, 6, 7]
    assert abs(sum(item["tokens"] for item in sections) - json.loads(done.out)["tokens"]) <= len(sections)
    plain = run("context", "vera", "-w", played.root).out
    assert re.search(r"^  6  called_up +\d+$", plain, re.M)


def test_gm_context_says_what_a_budget_leaves_out(played: Layout, run: Run) -> None:
    set_sections(played.settings, "context: {prompt_tokens: 6300}\n")
    done = run("context", "vera", "--json", "--prompt", "-w", played.root)
    document = json.loads(done.out)
    assert 6300 * 0.95 <= document["tokens"] <= 6300
    assert document["dropped"] > 0
    memories = next(item for item in document["sections"] if item["name"] == "memories")
    assert (memories["kept"], memories["cut"]) == (len(document["memories"]), document["dropped"])
    assert "stehen dir gerade nicht vor Augen" in document["prompt"]
    assert "left out or shortened" in run("context", "vera", "-w", played.root).out


def test_a_day_is_played_within_a_budget_for_the_whole_prompt(played: Layout) -> None:
    set_sections(played.settings, ALL + "rag: {limit: 4}\n")
    text = played.settings.read_text(encoding="utf-8").replace("context: {", "context: {prompt_tokens: 7500, ")
    played.settings.write_text(text, encoding="utf-8")
    backend = Counting()
    play(played, backend=backend)
    sizes = [
        estimate_tokens("\n".join((*(block.text for block in request.system), text_of(request.messages[0][1]))))
        for request in backend.asked
    ]
    assert max(sizes) <= 7500


def test_a_budget_that_is_too_small_stops_the_day_with_what_to_do(played: Layout, run: Run) -> None:
    set_sections(played.settings, "context: {prompt_tokens: 2000}\n")
    done = run("advance-day", "-w", played.root)
    assert done.code == 1
    assert "a prompt may have 2000 tokens, too few for" in done.err
    assert "set context.prompt_tokens to" in done.err
