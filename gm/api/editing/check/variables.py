"""The variables of each prompt, found by rendering a sample scene."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from gm.ask.prompt import off_scene
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.minds import render_discovery
from gm.ask.prompt.render import Prompts
from gm.ask.prompt.retelling import render_narrator, render_retelling
from gm.ask.prompt.turn_context import Gathered, PieceAtHand, SelfQuestion, TurnContext
from gm.base.config import parse_settings
from gm.layers import LAYERS
from gm.memory.care import Batch
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.clock import Clock, Post
from gm.model.consulted import Consulted
from gm.model.draft import CharacterDraft, PlaceDraft, WorldDraft
from gm.model.interview import InterviewAnswer, Quote
from gm.model.link import LinkRequest
from gm.model.logged import LogEntry
from gm.model.mind import Mind
from gm.model.node import Node
from gm.model.passage import Passage
from gm.model.persona import Persona
from gm.model.reply_faults import Fault
from gm.model.reply_texts import NO_TEXTS
from gm.model.scene import ARRIVAL, ASKED, MEETING, SUMMARY, Candidate, Reason, Scene, SceneType
from gm.model.scene_reply import NewMemory, Opened, SceneReply
from gm.model.state import AgentState
from gm.model.thread import Thread, ThreadKind
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Spoken
from gm.scene.directing.choosing import OfferedScene
from gm.scene.evening.asked import exchange_about
from gm.scene.folding.conversation import EarlierTalk

NODE = Node("mina-001", "day-001/scene-01", "reflection", 1, "Text.", 5, ("tag",), ("mina-001",))
SAID = {"agent": "otto", "text": "Text."}
"""Sample line of dialogue."""
THREADS: tuple[ThreadKind, ...] = ("promise", "appointment", "silence")
ACTION = {"agent": "mina", "text": "Mina opens the old window."}
TALK = Node("mina-002", "day-001/scene-01", "conversation", 0, "Text.", 5, metadata={"exchange": [SAID]})

WORLD_DRAFT = WorldDraft(
    title="Title",
    premise="Text.",
    rules=["Text."],
    brief="Text.",
    places=[PlaceDraft(name="room", text="A room.")],
    characters=[CharacterDraft(name="Mina", line="Text.")],
)


class Recorder(Prompts):
    """Records variables instead of rendering."""

    def __init__(self) -> None:
        self.given: dict[str, dict[str, Any]] = {}
        self.reply_texts = NO_TEXTS

    def find(self, name: str) -> Path | None:
        return None

    def render(self, name: str, /, **variables: Any) -> str:
        self.given[name] = variables
        return "-"

    def render_text(self, where: str, text: str, /, **variables: Any) -> str:
        return self.render(where, **variables)

    def render_each(self, name: str, variable: str, values: Iterable[Any]) -> list[str]:
        return [self.render(name, **{variable: value}) for value in values]

    def says(self, key: str) -> bool:
        return True

    def words(self, key: str, /, **values: Any) -> str:
        return key


def sample_variables() -> dict[str, dict[str, Any]]:
    """Return sample variables by prompt; ``scene`` stands for all scene types."""
    recorder = Recorder()
    world, scene = sample_world(), sample_scene()
    _ask_character(recorder, world, scene)
    _ask_about_evening(recorder, world)
    _ask_director(recorder, world, scene)
    _ask_narrator(recorder, world)
    return recorder.given


def sample_world() -> World:
    """Return a world of two with one of everything that prompts show."""
    settings, _ = parse_settings(
        {"places": {"room": "A room."}, "calendar": {"weekdays": ["Monday"]}, "share": {"enabled": True}}
    )
    return World(
        settings,
        Clock(day=1),
        (Post(0, "otto", "brief", "Text.", 1, 1),),
        {name: _sample_agent(name) for name in ("mina", "otto")},
        log=(LogEntry(1, {"type": ARRIVAL, "participants": ["mina", "otto"], "actions": [ACTION, ACTION]}),),
        decisions=("Text.",),
        threads=tuple(
            Thread(f"thread-{number:03d}", kind, "otto", ("mina",), "Text.", "day-001/scene-01", due=1)
            for number, kind in enumerate(THREADS, start=1)
        ),
        links=(LinkRequest("otto", "mina", ("tag",), "day-001"), LinkRequest("mina", "otto", ("tag",), "day-001")),
    )


def _sample_agent(name: str) -> Agent:
    mind = Mind({layer.name: layer.sample for layer in LAYERS})
    state = AgentState(name, "room", "task", ("plan",), "calm")
    persona = Persona({"name": "Mina Holt", "home": "room"}, "Prose.")
    return Agent(name, state, persona, (NODE,), summaries=(NODE,), mind=mind)


def sample_scene() -> Scene:
    """Return a scene of both, with a passage of the library."""
    kind = SceneType("SCENE", "scene", plan=True)
    scene = Scene(SceneRef(1, 1), kind, "morning", "room", ("mina", "otto"), "why", "premise", "topic", "intent")
    return replace(scene, passages=(Passage("library/text.md", 1, 2, "Title", "Text.", "Author"),))


def _sample_moment() -> TurnContext:
    own = SceneReply(
        mood="calm",
        thoughts="Text.",
        memories=[NewMemory(type="observation", description="Text.")],
        opens=[Opened(kind="promise", text="Text.")],
    )
    return TurnContext(
        dialogue=(Spoken("otto", "Text.", "mina"),),
        earlier=EarlierTalk(1, (Spoken("otto", "Text."),)),
        own=(own,),
        pieces=(PieceAtHand("Title", "otto", "Text.", readers=("otto", "mina")),),
        replan=(Reason("brief", 1.0, "why_brief"),),
        material=(NODE,),
        recalled=(NODE,),
        in_mind=(NODE,),
        gathered=(Gathered("goal", (NODE,), ("Text.",)),),
        asked=(SelfQuestion("Text?", (NODE,)),),
        taken_over=(NODE,),
    )


def _ask_character(recorder: Recorder, world: World, scene: Scene) -> None:
    assembler, mina = Assembler(recorder), world.agents["mina"]
    assembler.system(world, mina, Selection("recent", (NODE,), (NODE,)))
    assembler.question(world, mina, scene, _sample_moment())
    assembler.cue(world, mina, scene, "Text.", ("Text.",))
    for template in ("ask.j2", "interview.j2"):
        kind = SceneType(ASKED, template)
        asked = Scene(SceneRef(1, 1), kind, "morning", "room", ("mina",), "why", "premise", "topic", about=("otto",))
        assembler.question(world, mina, asked, TurnContext(spoken=(exchange_about(TALK, "Text."),)))
    said = InterviewAnswer(
        agent="mina",
        at="day-001",
        key="memory-1",
        kind="memory",
        question="Text?",
        answer="Text.",
        cited=(NODE.id,),
        quotes=(Quote("plan", "plan"),),
    )
    off_scene.render_look(assembler, world, mina, said, ("board",))
    off_scene.render_care(assembler, world, mina, Batch("memories", (NODE,)), 2000)
    render_discovery(
        assembler.prompts,
        world,
        ("query_self",),
        (Consulted("query_self", {}, '{"memories": [{"content": "Text."}]}'),),
    )
    off_scene.render_draft(recorder, "Text.", WORLD_DRAFT, WORLD_DRAFT.characters[0])
    off_scene.render_judging(recorder, "Text?", "Text.", "Text.")
    off_scene.render_rater(recorder)
    off_scene.render_rating(recorder, world, scene, {"mina": [("observation", "Text.")]}, many=True)
    assembler.repair((Fault("missing", place="mood"), "Text."), "scene")


def _ask_about_evening(recorder: Recorder, world: World) -> None:
    evening = LogEntry(1, {"type": MEETING, "participants": ["mina", "otto"], "dialogue": [SAID]})
    off_scene.render_evening(recorder, replace(world, log=(evening,)), world.agents["mina"], ())


def _ask_director(recorder: Recorder, world: World, scene: Scene) -> None:
    decision = off_scene.Decision(recorder)
    decision.system(world)
    candidate = Candidate("SCENE", scene.cast, "room", (Reason("plan", 1.0, "why_plan"),), ("premise_chance", {}))
    played = LogEntry(1, {"type": "SCENE", "participants": ["mina"], "summary": "Text."})
    options = [OfferedScene(candidate, replace(scene, premises={"otto": "Text."}))]
    decision.question(replace(world, log=(played,)), scene, options, left=2)


def _ask_narrator(recorder: Recorder, world: World) -> None:
    for template in ("narrator.j2", "chapter.j2"):
        render_narrator(recorder, world, template)
    turn = {"agent": "otto", "action": "Text.", "lines": [{"to": "mina", "text": "Text."}]}
    played = LogEntry(
        2,
        {
            "type": "SCENE",
            "participants": ["mina", "otto"],
            "artifacts": ["text.md"],
            "location": "room",
            "turns": [turn],
        },
    )
    closed = (LogEntry(1, {"type": SUMMARY, "retold": "Text.", "chapter": "Text."}), played)
    render_retelling(recorder, replace(world, clock=Clock(day=2), log=closed), 2000, lambda _path: "Text.")
