"""Replies reach into the archive: what they cite, and what they give away."""

from __future__ import annotations

from dataclasses import replace

from gm.files.layout import Layout
from gm.model.link import LinkRequest
from gm.model.node import render_node
from gm.model.replies import MemoryAnswer, NewMemory, SceneReply
from gm.model.world import Change, World
from gm.play.play import reaching
from tests.build import agent, node, reply, world

OLD = node(1, description="Der Turm stand gerade.")


def reached(layout: Layout, answered: SceneReply) -> World:
    """Give the world that a fold gets to see."""
    seen: list[World] = []

    def folding(world: World) -> Change:
        seen.append(world)
        return Change(1)

    before = replace(
        world(agent("vera", stream=[node(2)]), agent("emre")),
        links=(LinkRequest("emre", "vera"), LinkRequest("x", "y")),
    )
    layout.archived("vera").parent.mkdir(parents=True, exist_ok=True)
    layout.archived("vera").write_text(render_node(OLD) + "\n", encoding="utf-8")
    reaching(layout, before, folding, [answered])(before)
    (found,) = seen
    return found


def test_who_gives_memories_away_reaches_its_whole_archive(dinner: Layout) -> None:
    found = reached(dinner, reply(memory_answers=[MemoryAnswer(to="emre", share=True)]))
    assert found.archives == {"vera": (OLD,)}


def test_who_refuses_or_only_cites_needs_no_archive_of_anybody(dinner: Layout) -> None:
    assert reached(dinner, reply(memory_answers=[MemoryAnswer(to="emre", share=False)])).archives == {}
    cites = NewMemory(description="Er steht schief.", importance=3, type="reflection", evidence=["vera-001"])
    found = reached(dinner, reply(memories=[cites]))
    assert (found.archives, found.archived) == ({}, {"vera-001": 0})
