"""What is found once in a world, or in a character, and kept with it."""

from __future__ import annotations

import pickle
from dataclasses import replace

from gm.api.answers.document import as_json
from gm.model.derived import derived
from gm.model.world import Agent
from tests.build import studio

calls: list[tuple[str, int]] = []


@derived
def length(agent: Agent, more: int = 0) -> int:
    calls.append((agent.id, more))
    return len(agent.stream) + more


def test_it_is_found_once_for_each_argument_and_anew_in_a_changed_value() -> None:
    agent = studio().agents["vera"]
    assert [length(agent), length(agent), length(agent, 2), length(agent, more=2)] == [0, 0, 2, 2]
    assert calls == [("vera", 0), ("vera", 2), ("vera", 2)]
    assert length(replace(agent, archived_number=3)) == 0
    assert len(calls) == 4


def test_it_is_no_part_of_the_value() -> None:
    agent = studio().agents["vera"]
    before = as_json(agent)
    length(agent, 7)
    assert as_json(agent) == before
    assert agent == studio().agents["vera"]
    assert pickle.loads(pickle.dumps(agent)) == agent
