"""What each prompt is rendered with, found by assembling the parts of one made-up question."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gm.config import parse_settings
from gm.memory.care import Batch
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.character import Agent, AgentState, Persona
from gm.model.consulted import Consulted
from gm.model.diary import DiaryEntry
from gm.model.goal import Goal
from gm.model.link import LinkRequest
from gm.model.mind import Mind
from gm.model.node import Node
from gm.model.page import Page
from gm.model.passage import Passage
from gm.model.relationship import Relationship
from gm.model.replies import NewMemory, Opened, SceneReply
from gm.model.scene import Candidate, LogEntry, Reason, Scene, SceneType
from gm.model.soul import Soul, SoulEntry
from gm.model.thread import Thread
from gm.model.world import Clock, Post, World
from gm.prompt.care import render_care
from gm.prompt.context import Assembler
from gm.prompt.decision import Decision
from gm.prompt.evening import render_evening
from gm.prompt.moment import Asked, Gathered, Moment, Piece
from gm.prompt.rating import render_rater, render_rating
from gm.prompt.render import Prompts
from gm.scene.choosing import Option
from gm.scene.turns import Spoken


class Recorder(Prompts):
    """Takes note of what is rendered, instead of rendering it."""

    def __init__(self) -> None:
        self.given: dict[str, dict[str, Any]] = {}

    def find(self, name: str) -> Path | None:
        return None

    def render(self, name: str, /, **variables: Any) -> str:
        self.given[name] = variables
        return "-"

    def render_each(self, name: str, variable: str, values: Iterable[Any]) -> list[str]:
        return [self.render(name, **{variable: value}) for value in values]

    def words(self, key: str, /, **values: Any) -> str:
        return key


def sample_variables() -> dict[str, dict[str, Any]]:
    """Give the variables of each prompt with a sample of each value; those of scenes by the name ``scene``."""
    settings, _ = parse_settings(
        {
            "places": {"room": "A room."},
            "calendar": {"weekdays": ["Monday"]},
            "relationships": "on",
            "diary": "on",
            "share": {"enabled": True},
        }
    )
    persona = Persona({"name": "Mina Holt", "home": "room"}, "Prose.")
    node = Node("mina-001", "day-001/scene-01", "reflection", 1, "Text.", 5, ("tag",), ("mina-001",))
    known = dict.fromkeys(("mina", "otto"), Relationship("ally", 0.5, "warm", "Text."))
    soul = Soul((SoulEntry("beliefs", "Text."),), present=True)
    mind = Mind(soul, Page({"known": ["Text."]}, present=True), known, (DiaryEntry(0, "Text.", "calm"),))
    agents = {
        name: Agent(
            name, AgentState(name, "room", "task", ("plan",), "calm"), persona, (node,), summaries=(node,), mind=mind
        )
        for name in ("mina", "otto")
    }
    posts = (Post(0, "otto", "brief", "Text.", 1, 1),)
    threads = (Thread("thread-001", "promise", "otto", ("mina",), "Text.", "day-001/scene-01", due=1),)
    goals = (Goal("goal-01", "Text.", "day-001", "day-001", "Text."),)
    agents = {name: replace(agent, mind=replace(agent.mind, goals=goals)) for name, agent in agents.items()}
    links = (LinkRequest("otto", "mina", ("tag",), "day-001"), LinkRequest("mina", "otto", ("tag",), "day-001"))
    world = World(settings, Clock(day=1), posts, agents, decisions=("Text.",), threads=threads, links=links)
    kind = SceneType("SCENE", "scene", plan=True)
    scene = Scene(SceneRef(1, 1), kind, "morning", "room", ("mina", "otto"), "why", "premise", "topic", "intent")
    own = SceneReply(
        mood="calm",
        thoughts="Text.",
        memories=[NewMemory(type="observation", description="Text.")],
        opens=[Opened(kind="promise", text="Text.")],
    )
    scene = replace(scene, passages=(Passage("library/text.md", 1, 2, "Title", "Text.", "Author"),))
    moment = Moment(
        dialogue=(Spoken("otto", "Text.", "mina"),),
        own=(own,),
        pieces=(Piece("Title", "otto", "Text."),),
        replan=(Reason("brief", 1.0, "why_brief"),),
        material=(node,),
        recalled=(node,),
        in_mind=(node,),
        gathered=(Gathered("goal", (node,), ("Text.",)),),
        asked=(Asked("Text?", (node,)),),
        taken_over=(node,),
    )
    said = {"agent": "otto", "text": "Text."}
    recorder = Recorder()
    assembler = Assembler(recorder)
    assembler.system(world, agents["mina"], Selection("recent", (node,), (node,)))
    assembler.question(world, agents["mina"], scene, moment)
    asked = Scene(SceneRef(1, 1), SceneType("ASK", "ask.j2"), "morning", "room", ("mina",), "why", "premise", "topic")
    assembler.question(world, agents["mina"], asked, Moment())
    render_care(assembler, world, agents["mina"], Batch("memories", (node,)), 2000)
    assembler.discovery(world, ("query_self",), (Consulted("query_self", {}, '{"memories": [{"content": "Text."}]}'),))
    render_rater(recorder)
    render_rating(recorder, world, scene, {"mina": [("observation", "Text.")]}, many=True)
    assembler.repair(("Text.",), "scene")
    evening = LogEntry(1, {"type": "MEETING", "participants": ["mina", "otto"], "dialogue": [said]})
    render_evening(recorder, replace(world, log=(evening,)), agents["mina"], ())
    decision = Decision(recorder)
    decision.system(world)
    candidate = Candidate("SCENE", scene.cast, "room", (Reason("plan", 1.0, "why_plan"),), ("premise_chance", {}))
    played = LogEntry(1, {"type": "SCENE", "participants": ["mina"], "summary": "Text."})
    options = [Option(candidate, replace(scene, premises={"otto": "Text."}))]
    decision.question(replace(world, log=(played,)), scene, options, left=2)
    return recorder.given
