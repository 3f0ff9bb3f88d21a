"""Replies reach into the archive: what they cite, and what they give away; how much of a long talk a prompt shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from gm.api.playing.context import render_request
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts
from gm.files.questions.traces import NoTraces
from gm.llm.base import LAST_WORD
from gm.model.calendar import SceneRef
from gm.model.layer_replies import MemoryAnswer
from gm.model.link import LinkRequest
from gm.model.node import render_node
from gm.model.scene import Scene
from gm.model.scene_reply import NewMemory, SceneReply
from gm.model.world import World
from gm.play.archived import reach_archived
from gm.play.interview import Interviewer, Progress, Replied
from gm.play.player import Player
from gm.play.question import SentQuestion
from gm.play.stage import Stage
from gm.play.turn_contexts import MOST_LINES
from tests.build import agent, node, reply, words, world

OLD = node(1, description="Der Turm stand gerade.")


def reached(layout: Layout, answered: SceneReply) -> World:
    """Return the world that a fold gets to see."""
    before = replace(
        world(agent("vera", stream=[node(2)]), agent("emre")),
        links=(LinkRequest("emre", "vera"), LinkRequest("x", "y")),
    )
    layout.archived("vera").parent.mkdir(parents=True, exist_ok=True)
    layout.archived("vera").write_text(render_node(OLD) + "\n", encoding="utf-8")
    return reach_archived(layout, before, [answered]).add_to(before)


def test_who_gives_memories_away_reaches_its_whole_archive(dinner: Layout) -> None:
    found = reached(dinner, reply(memory_answers=[MemoryAnswer(to="emre", share=True)]))
    assert found.archives == {"vera": (OLD,)}


def test_who_refuses_or_only_cites_needs_no_archive(dinner: Layout) -> None:
    assert reached(dinner, reply(memory_answers=[MemoryAnswer(to="emre", share=False)])).archives == {}
    cites = NewMemory(description="Er steht schief.", importance=3, type="reflection", evidence=["vera-001"])
    found = reached(dinner, reply(memories=[cites]))
    assert (found.archives, found.archived) == ({}, {"vera-001": 0})


class Script:
    """Answers with given replies in turn, and keeps the prompts by the label of their question."""

    def __init__(self, *replies: SceneReply) -> None:
        self._left = list(replies)
        self.prompts: dict[str, str] = {}

    def ask(self, questions: Sequence[SentQuestion], _progress: Progress | None = None) -> list[Replied]:
        self.prompts |= {question.request.label: render_request(question.request) for question in questions}
        return [Replied(self._left.pop(0), "test") for _ in questions]


@pytest.mark.parametrize("left_out", [0, 1, 2])
def test_a_prompt_shows_the_last_lines_of_a_talk_and_says_how_many_are_left_out(left_out: int) -> None:
    prompts = Prompts(Path("no-prompts-here"), shipped_prompts(), "de")
    types = prompts.scene_types()
    there = replace(world(agent("emre"), agent("vera"), day=1), scene_types=types)
    kind = replace(types["ENCOUNTER"], rounds=(1, 1))
    scene = Scene(SceneRef(1, 2), kind, "noon", "", ("emre", "vera"), "a test", "")
    said = [f"Zeile {number}." for number in range(MOST_LINES + left_out)]
    script = Script(reply(*said), reply(), *[reply()] * 2)
    stage = Stage(Assembler(prompts), lambda _scene: NoTraces(), 1)
    asked = list[Sequence[str]]()
    player = Player(
        *(Layout(Path("no-world-here")), stage, cast("Interviewer", script), words, lambda _path: False),
        asking=lambda _world, names: asked.append(names),
    )
    player.turns(there, scene, None)
    assert asked == [("emre",), ("vera",), ("emre",)]
    in_turn, last_word = script.prompts["vera"], script.prompts[f"emre{LAST_WORD}"]
    for prompt in (in_turn, last_word):
        assert re.findall(r"Zeile \d+\.", prompt) == said[left_out:]
        count = re.search(r"hier ausgelassen: (eine|\d+) Zeile", prompt)
        assert (count.group(1) if count else "") == {0: "", 1: "eine"}.get(left_out, str(left_out))
