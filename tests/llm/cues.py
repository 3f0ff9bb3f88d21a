"""Cues of hand-made questions: a dict says what matters to a test, everything else is as in a quiet scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import CalendarSettings, Settings
from gm.layers.soul import SOUL, Soul, SoulEntry
from gm.llm.rehearsal.facts import Cue
from gm.model.calendar import SceneRef
from gm.model.clock import Clock, Post
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.scene import Reason, Scene, SceneType
from gm.model.state import AgentState
from gm.model.thread import Thread
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Spoken

Facts = Mapping[str, Any]


def cue_of(facts: Facts) -> Cue:
    """Make a cue of what a dict says, in the keys of ``Cue.as_data``."""
    told = {"id": "kim", "name": "Kim", **facts.get("agent", {})}
    others = [*facts.get("people", ()), *facts.get("others", ())]
    agents = {item["id"]: _agent(item, facts) for item in (*others, told)}
    scene = _scene(told["id"], facts)
    world = World(
        Settings(
            language=facts.get("language", "en"),
            places=dict.fromkeys(facts.get("places", ()), ""),
            calendar=CalendarSettings(weekdays=tuple(facts.get("weekdays", ()))),
        ),
        Clock(day=scene.ref.day, day_open=True),
        posts=(Post(0, "CD", "brief", facts["brief"]),) if facts.get("brief") else (),
        agents=dict(sorted(agents.items())),
        log=tuple(line if isinstance(line, LogEntry) else LogEntry(line["day"], line) for line in facts.get("log", ())),
        threads=tuple(_thread(item) for item in facts.get("threads", ())),
    )
    moment = TurnContext(
        dialogue=tuple(Spoken(line["agent"], line["text"], line["to"]) for line in facts.get("dialogue", ())),
        turn=facts.get("turn", 1),
        last_turn=facts.get("last_turn", True),
        replan=tuple(Reason("event", 0, values=item) for item in facts.get("replan", ())),
    )
    memories = tuple(_node(item) for item in facts.get("memories", ()))
    return Cue(world, agents[told["id"]], scene, moment, memories, facts.get("seed", 1), facts.get("kind", "scene"))


def _agent(item: Facts, facts: Facts) -> Agent:
    state = AgentState(
        item["name"], current_task=item.get("current_task", ""), today_plan=tuple(item.get("today_plan", ()))
    )
    made = [
        {"id": f"{item['id']}-{number}", "type": "observation", "depth": 0, "description": "", "importance": 5,
         "tags": (piece["maker"],), "metadata": {"artifact_path": piece["path"], "title": piece["title"]}}
        for number, piece in enumerate(facts.get("artifacts", ()), 1)
    ]  # fmt: skip
    agent = Agent(item["id"], state, Persona(item.get("persona", {})), tuple(map(_node, made)))
    soul = Soul(tuple(SoulEntry("beliefs", text) for text in facts.get("soul", ())))
    return replace(agent, mind=agent.mind.with_value(SOUL, soul)) if "soul" in facts else agent


def _scene(who: str, facts: Facts) -> Scene:
    told: dict[str, Any] = {"day": 1, "scene": 1, "type": "", "starter": who, **facts.get("scene", {})}
    others = tuple(item["id"] for item in facts.get("others", ()))
    cast = (who, *others) if told["starter"] == who else (*others, who)
    most = max(1, facts.get("turns", 1) // len(cast))
    rounds = (most if told.get("play") == "sequential" else 1, most)
    play, plan = told.get("play", "parallel"), facts.get("wants_plan", False)
    kind = SceneType(told["type"], "", play=play, plan=plan, rounds=rounds)
    where = (told.get("time_of_day", ""), told.get("place", ""))
    return Scene(SceneRef(told["day"], told["scene"]), kind, *where, cast, "", "", topic=told.get("topic", ""))


def _thread(item: Facts) -> Thread:
    opened = f"day-{item['since']:03}"
    return Thread(item["id"], item["kind"], item["by"], tuple(item["to"]), item["text"], opened, item.get("due"))


def _node(item: Facts) -> Node:
    return Node(created="day-001", **{**item, "tags": tuple(item["tags"])})
