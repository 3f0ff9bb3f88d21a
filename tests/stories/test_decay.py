"""Worlds in which memories fade: counters beside the streams, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.playing.mind.minds import TOOLS, answer_call
from gm.base.errors import BackendError
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.files.streams.strength import read_strengths
from gm.llm.base import Answer, Request
from tests.cli.running import Run
from tests.stories.playing import Counting, copied, play, set_sections, tree

SECTIONS = "day: {scenes: [2, 3]}\nrag: {limit: 3}\n"


@pytest.fixture(scope="module")
def _lived(_fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(Layout(_fresh / "dinner"), tmp_path_factory.mktemp("lived") / "dinner")
    set_sections(layout.settings, SECTIONS)
    play(layout)
    return layout


@pytest.fixture
def world(_lived: Layout, tmp_path: Path) -> Layout:
    return copied(_lived, tmp_path / "dinner")


def recall(layout: Layout, agent: str, query: str, notices: list[str]) -> None:
    (tool,) = (tool for tool in TOOLS if tool.name == "query_memory")
    answer_call(layout, agent, tool, {"query": query}, notices.append)


def test_without_the_setting_nothing_is_counted(world: Layout) -> None:
    play(world)
    recall(world, "alex", "the letter", [])
    assert not world.reinforced.exists()


def test_what_scenes_call_up_is_counted_when_they_land_and_a_cut_off_run_counts_it_once(
    world: Layout, tmp_path: Path
) -> None:
    set_sections(world.settings, SECTIONS + "decay: {enabled: true}")
    other = Layout(tmp_path / "other")
    shutil.copytree(world.root, other.root)
    play(other, days=2)
    with pytest.raises(BackendError):
        play(world, backend=Counting(limit=5))
    play(world)
    play(world)
    counted = read_strengths(world)
    assert counted
    assert {day for strength in counted.values() for day in strength.recalled} <= {2, 3}
    assert world.reinforced.read_bytes() == other.reinforced.read_bytes()
    assert tree(world.root) == tree(other.root)


def test_what_a_tool_calls_up_is_counted_also_while_a_day_is_being_played(world: Layout) -> None:
    set_sections(world.settings, SECTIONS + "decay: {enabled: true}")
    notices: list[str] = []
    recall(world, "alex", "the letter", notices)
    before = read_strengths(world)
    assert all(strength.recalled == {1: 1} for strength in before.values())
    assert before
    with locked(world.lock, "gm advance-day"):
        recall(world, "alex", "the letter", notices)
    after = read_strengths(world)
    assert after.keys() == before.keys()
    assert all(strength.recalled == {1: 2} for strength in after.values())


def test_a_day_that_begins_while_a_tool_counts_is_played(world: Layout) -> None:
    set_sections(world.settings, SECTIONS + "decay: {enabled: true}")

    class Asked(Counting):
        """Recalls memories from outside before each answer."""

        def ask(self, request: Request) -> Answer:
            recall(world, "alex", "the letter", [])
            return super().ask(request)

    recall(world, "alex", "the letter", [])
    asked = Asked()
    play(world, backend=asked)
    counted = read_strengths(world).values()
    by_tools = 1 + len(asked.asked)
    assert max(sum(strength.recalled.values()) for strength in counted) >= by_tools
    assert {problem.code for problem in check_world(world).problems} <= {"last-reflection-null"}


def test_recall_explains_what_fading_took(world: Layout, run: Run) -> None:
    plain = run("recall", "alex", "the letter", "-w", world.root, "--json", "--explain").document["memories"]
    assert all("retention" not in memory["parts"] for memory in plain)
    set_sections(world.settings, SECTIONS + "decay: {enabled: true, half_life_days: 0.5}")
    # nothing is lost with the counters
    world.reinforced.unlink(missing_ok=True)
    faded = run("recall", "alex", "the letter", "-w", world.root, "--json", "--explain").document["memories"]
    assert {memory["id"] for memory in faded} == {memory["id"] for memory in plain}
    assert all(0.1 <= memory["parts"]["retention"] <= 1 and memory["parts"]["fading"] <= 0 for memory in faded)
    assert any(memory["parts"]["fading"] < 0 for memory in faded)
    assert "retention" in run("recall", "alex", "the letter", "-w", world.root, "--explain").out


def test_a_memory_that_is_cited_was_needed(world: Layout) -> None:
    set_sections(world.settings, "day: {scenes: [2, 3]}\ndecay: {enabled: true}\nreflection: {threshold: 5}")
    play(world)
    lines = world.stream("alex").read_text(encoding="utf-8").splitlines()
    cited = {item for line in lines if (node := json.loads(line))["created"] >= "day-002" for item in node["evidence"]}
    assert cited & read_strengths(world).keys()
