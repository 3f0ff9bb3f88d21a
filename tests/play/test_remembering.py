"""What the settings leave of a memory: characters without plans, and characters without memories."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from gm.api.playing.context import render_request
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Answer, Request
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.turn_contexts import as_remembered
from tests.stories.playing import play, set_sections

NO_PLANS = "plans: {enabled: false}"
NO_MEMORIES = "retrieval: {enabled: false}\nplans: {enabled: false}\nreflection: {enabled: false}\ndiary: 'off'"
PLANNING = re.compile(
    r"`plan`|\| plan\b|plan_status|talk_to|\byour plan|planned to do|decide what you want"
    r"|\b[Dd]ein(?:em)? Plan|zuletzt vorgenommen|nimm dir etwas vor"
)


class Noting(Rehearsal):
    """A rehearsal that keeps what it was sent."""

    def __init__(self) -> None:
        self.sent: list[Request] = []

    def ask(self, request: Request) -> Answer:
        self.sent.append(request)
        return super().ask(request)


def letters(layout: Layout, days: int = 1) -> list[Request]:
    backend = Noting()
    play(layout, days=days, backend=backend)
    return backend.sent


@pytest.mark.parametrize(("name", "prompts"), [("dinner", "full"), ("dinner", "short"), ("studio", "full")])
def test_a_letter_without_plans_asks_for_none_and_shows_none(
    name: str, prompts: str, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(name)
    set_sections(layout.settings, f"{NO_PLANS}\nprompts: {prompts}\ndiary: 'on'")
    for letter in letters(layout):
        found = PLANNING.findall(render_request(letter))
        assert not found, f"{letter.label}: {found}"
        assert not {"plan", "plan_status"} & letter.schema.get("properties", {}).keys()
        assert not {"Plan", "ItemReport"} & letter.schema.get("$defs", {}).keys()
        assert "PlanningReply" not in letter.reply
        assert '"plan"' not in json.dumps(letter.schema)
    world = load_world(layout).world
    assert not [node.id for agent in world.agents.values() for node in agent.stream if node.type == "plan"]
    assert not [agent.id for agent in world.agents.values() if agent.state.today_plan]
    reasons = [str(entry.record.get("why", "")) for entry in world.log]
    assert not [text for text in reasons if "planned" in text]


def test_plans_of_earlier_days_are_put_away_when_they_are_switched_off(dinner: Layout) -> None:
    play(dinner)
    assert any(agent.state.today_plan for agent in load_world(dinner).world.agents.values())
    set_sections(dinner.settings, NO_PLANS)
    sent = "".join(map(render_request, letters(dinner)))
    assert "My plan for day" not in sent
    world = load_world(dinner).world
    assert not [agent.id for agent in world.agents.values() if agent.state.today_plan]
    kept = [node for agent in world.agents.values() for node in agent.stream if node.type == "plan"]
    assert kept, "what was remembered stays in the file"
    assert {node.when.day for node in kept} == {1}


def test_a_plan_that_was_not_asked_for_is_left_out(dinner: Layout) -> None:
    class Planning(Rehearsal):
        def ask(self, request: Request) -> Answer:
            answer = super().ask(request)
            if request.purpose != "scene":
                return answer
            reply = json.loads(answer.text)
            plan = {"work": ["a cake"], "talk_to": [], "library": None, "alone": False}
            return replace(answer, text=json.dumps({**reply, "plan": plan, "plan_status": []}))

    set_sections(dinner.settings, NO_PLANS)
    play(dinner, backend=Planning())
    assert not any(agent.state.today_plan for agent in load_world(dinner).world.agents.values())


def test_a_letter_without_memories_holds_none(dinner: Layout) -> None:
    play(dinner)
    lived = [node for agent in load_world(dinner).world.agents.values() for node in agent.stream]
    assert lived
    set_sections(dinner.settings, f"{NO_MEMORIES}\nrag: {{enabled: true}}")
    for letter in letters(dinner):
        text = render_request(letter)
        assert not re.findall(r"\b(?:alex|casey|jordan)-\d{3}\b|\bthread-\d{3}\b", without_form(text)), letter.label
        assert not [node.id for node in lived if node.description in text]


def without_form(text: str) -> str:
    return re.sub(r'"id": "thread-007"', "", text)


def test_a_world_with_both_is_the_world_itself(dinner: Layout) -> None:
    world = load_world(dinner).world
    assert as_remembered(world) is world
