"""Memories that a scene calls up, and the window by what is on somebody's mind, in days that are played."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gm.store.layout import Layout
from tests.cli.conftest import run as run
from tests.cli.running import Run
from tests.stories.playing import play

HEADING = "## Was dir dazu einfällt"
ON = "\nrag: {limit: 2}\nretrieval: {last: 4, all_reflections: false}\n"


def configure(layout: Layout, text: str) -> None:
    with open(layout.settings, "a", encoding="utf-8") as file:
        file.write(text)


def questions(layout: Layout, day: int) -> list[str]:
    """The questions of a day, with all that was sent."""
    paths = sorted(layout.traces.glob(f"day-{day:03d}/**/*.json"))
    return [path.read_text(encoding="utf-8") for path in paths]


def files(layout: Layout) -> dict[str, bytes]:
    kept = [path for path in layout.root.rglob("*") if path.is_file() and ".gm" not in path.parts]
    return {str(path.relative_to(layout.root)): path.read_bytes() for path in kept}


def test_nothing_comes_to_mind_by_default(played: Layout) -> None:
    play(played)
    assert not any(HEADING in text for text in questions(played, 2))


def test_a_scene_calls_memories_up_in_the_question_only(played: Layout) -> None:
    configure(played, ON)
    play(played)
    with_mind = [json.loads(text) for text in questions(played, 2) if HEADING in text]
    assert with_mind
    for trace in with_mind:
        request = trace["request"]
        assert not any(HEADING in json.dumps(block, ensure_ascii=False) for block in request["system"])


def test_what_comes_to_mind_is_the_same_however_often_and_however_the_index_was_made(
    played: Layout, tmp_path: Path
) -> None:
    configure(played, ON)
    twin = Layout(tmp_path / "twin")
    shutil.copytree(played.root, twin.root)
    shutil.rmtree(twin.derived, ignore_errors=True)
    play(played, days=2)
    play(twin)
    shutil.rmtree(twin.derived)
    play(twin)
    assert files(played) == files(twin)


def test_a_query_template_that_cannot_be_rendered_costs_a_notice_and_no_scene(played: Layout, run: Run) -> None:
    configure(played, '\nrag: {limit: 2, query_template: "{{ scene.topic }} {{ me.nothing }}"}\nretrieval: {last: 4}\n')
    done = run("context", "vera", "--prompt", "-w", played.root)
    assert done.code == 0
    assert HEADING in done.out, "a bad template does not stop a scene: memories are looked for as without it"
    (notice,) = [line for line in done.err.splitlines() if "rag.query_template" in line]
    assert "no attribute 'nothing'" in notice
    assert "gm check" in notice


@pytest.mark.parametrize("strategy", ["scored", "hybrid"])
def test_the_window_by_the_scene_stays_the_same_for_all_of_its_turns(played: Layout, strategy: str) -> None:
    configure(played, f"\nretrieval: {{strategy: {strategy}, last: 6, all_reflections: false}}\n")
    play(played)
    settled: dict[tuple[str, str], list[str]] = {}
    for path in sorted(played.traces.glob("day-002/**/*.json")):
        trace = json.loads(path.read_text(encoding="utf-8"))
        if trace["purpose"] == "scene":
            settled.setdefault((path.parent.name, trace["who"]), []).append(json.dumps(trace["request"]["system"][2]))
    assert any(len(turns) > 1 for turns in settled.values())
    assert all(len(set(turns)) == 1 for turns in settled.values())
    by_agent = {who: {text for (_, other), (text, *_) in settled.items() if other == who} for _, who in settled}
    assert any(len(windows) > 1 for windows in by_agent.values()), "another scene calls for other memories"


def test_context_shows_the_strategy_that_chose_the_window(played: Layout, run: Run) -> None:
    configure(played, "\nretrieval: {strategy: hybrid, last: 3, all_reflections: false}\n")
    done = run("context", "vera", "--json", "-w", played.root)
    assert done.document["strategy"] == "hybrid"
    assert len(done.document["memories"]) == 3
