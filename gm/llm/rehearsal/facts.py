"""The content of a question as values, for the rehearsal.

``plain`` omits what no world asks for, so that a question's identity does not depend on layers that are off.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import DaySettings
from gm.llm.rehearsal.cued import CuedMind, CuedScene, pick_keys
from gm.model.calendar import weekday
from gm.model.consulted import Consulted
from gm.model.derived import derived
from gm.model.front import UNTIL_NOW, Front
from gm.model.importance_source import REPLY
from gm.model.logged import LogEntry
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.stream import since
from gm.model.thread import Thread
from gm.model.world import Agent, World
from gm.scene.dialogue.turns import Spoken
from gm.scene.evening.off_scene import DIARY_PURPOSE, parts_of_day
from gm.scene.grounding.attendance import attending
from gm.scene.grounding.circle import SMALL_CAST, circle_of
from gm.scene.planning.marks import is_struck
from gm.scene.threads.awareness import open_threads_of

_LEAD = re.compile(r"\A\w+(?: \w+)?: ")
RECENT_ARTIFACTS = 6
LOOKED_THROUGH = 60  # newest memories that are searched for artifacts
MOST_THREADS = 12
SAID_DAYS = 30  # days over which a character does not say a thing twice
INTERVIEW, TRAP, LOOK = "interview", "trap", "look"
"""Values of ``Cue.kind`` in interviews."""


Logbook = Callable[[range], Sequence[LogEntry]]
"""Returns the logbook lines of some days."""
_REMEMBERED = ("id", "type", "depth", "description", "importance", "tags")


def no_logbook(_days: range) -> Sequence[LogEntry]:
    """Return nothing, where only the days that a world holds count."""
    return ()


@dataclass(frozen=True, slots=True)
class RecentWork:
    """Recent work of another character; ``maker`` is its id."""

    title: str
    maker: str
    path: str


@dataclass(frozen=True)
class Cue:
    """The content of a question to one character.

    Attributes:
        memories: Those that the prompt shows, or that the question is about.
        kind: scene, reflection, questions, summary or diary; of an interview interview, trap where the character
            cannot know the answer, or look where it looks at its answer again.
        questions: The number wanted.
        logbook: Returns the lines of days that the world no longer holds.
        first: Of a second look, what was answered before, and what that rests on.
    """

    world: World
    agent: Agent
    scene: Scene
    context: TurnContext
    memories: tuple[Node, ...]
    seed: int
    kind: str
    looked_up: tuple[Consulted, ...] | None = None
    questions: int | None = None
    asked: tuple[tuple[str, ...], ...] | None = None
    logbook: Logbook = no_logbook
    first: tuple[str, tuple[str, ...]] = ("", ())

    @cached_property
    def here(self) -> CuedScene:
        """What the question's scene and day are to the character."""
        return CuedScene(self.world, self.scene, self.id)

    @cached_property
    def mind(self) -> CuedMind:
        """The layers of the character's mind."""
        return CuedMind(self.world, self.agent, self.scene, self.context.own)

    @property
    def id(self) -> str:
        return self.agent.id

    @property
    def name(self) -> str:
        return self.agent.call_name

    @property
    def language(self) -> str:
        return self.world.settings.language

    @property
    def task(self) -> str:
        return self.agent.state.current_task.strip()

    @cached_property
    def plan(self) -> tuple[str, ...]:
        """What is still open today, without prefixes (``OFFEN: …``)."""
        items = self.agent.state.today_plan
        return tuple(_LEAD.sub("", item) for item in items if item and not is_struck(item))

    @property
    def persona(self) -> Front:
        return self.agent.front_values

    @cached_property
    def topics(self) -> dict[str, str]:
        return {topic.tag: topic.words for topic in self.persona.topics}

    @cached_property
    def index(self) -> int:
        """Place of the character in the alphabetical cast, from 0."""
        return list(self.world.agents).index(self.id)

    @cached_property
    def people(self) -> tuple[Agent, ...]:
        return tuple([other for other in self.world.agents.values() if other.id != self.id])

    @cached_property
    def reachable(self) -> tuple[Agent, ...]:
        """Those of ``people`` who are not away today."""
        here = attending(self.world)
        return tuple([other for other in self.people if other.id in here])

    @cached_property
    def names(self) -> Mapping[str, str]:
        names = {**_call_names(self.world)}
        names.pop(self.id, None)
        return names

    @property
    def dice(self) -> str:
        """Seed of the dice; another take of a scene adds its note."""
        return f"{self.seed}{self.scene.note.strip()}"

    @property
    def turn(self) -> int:
        return self.context.turn

    @cached_property
    def dialogue(self) -> tuple[Spoken, ...]:
        return tuple([line for line in self.context.dialogue if line.aloud])

    @cached_property
    def threads(self) -> Sequence[Thread]:
        """The most urgent first."""
        found = open_threads_of(self.world, self.id, self.scene.cast)
        return [thread for thread in found if thread.is_open][:MOST_THREADS]

    @cached_property
    def brief(self) -> str:
        return next((post.content for post in reversed(self.world.posts) if post.waits), "")

    @cached_property
    def artifacts(self) -> tuple[RecentWork, ...]:
        """Newest last."""
        found: list[RecentWork] = []
        for node in reversed(self.agent.stream[-LOOKED_THROUGH:]):
            path = node.piece
            if node.type != "observation" or path is None:
                continue
            maker = next(filter(None, (self.world.find_agent(tag) for tag in node.tags)), None)
            title = node.title or path.rsplit("/", 1)[-1]
            if maker and title.strip():
                found.append(RecentWork(title, maker, path))
        return tuple(found[:RECENT_ARTIFACTS][::-1])

    @property
    def replan(self) -> list[dict[str, str]]:
        """Events since the last plan: kind and text."""
        return [{"kind": reason.part, **reason.values} for reason in self.context.replan]

    @property
    def kept(self) -> list[str]:
        """Memories of the character's earlier replies in the scene."""
        return [memory.description for reply in self.context.own for memory in reply.memories]

    @cached_property
    def said(self) -> str:
        """What the character said, did, thought and understood in ``SAID_DAYS`` days, casefolded, by line."""
        day = self.here.day
        found = [*_told_lately(self.world, self.id, day, self.logbook), *_understood_since(self.agent, day - SAID_DAYS)]
        found += [node.description for node in self.memories if node.depth]
        for reply in self.context.own:
            found += [reply.action, reply.thoughts, *(line.text for line in reply.dialogue)]
        return "\n".join(found).casefold()

    @cached_property
    def met(self) -> list[tuple[str, ...]] | None:
        """For a diary: the partners of each of today's conversations."""
        if self.kind != DIARY_PURPOSE:
            return None
        return [part.others for part in parts_of_day(self.world, self.id) if part.others and part.lines]

    @property
    def plans(self) -> bool:
        return self.world.settings.plans.enabled

    @property
    def reflects(self) -> bool:
        return self.world.settings.reflection.enabled

    def as_data(self) -> dict[str, Any]:
        """Return JSON data. Recorded answers are found by its keys."""
        settings, state, context = self.world.settings, self.agent.state, self.context
        weekdays = [weekday(day, settings.calendar.weekdays) for day in (self.here.day, *self.here.ahead)]
        opened_on = [item.since.day for item in self.threads]
        threads = [pick_keys(item, ("id", "kind", "by", "to", "text", "due")) for item in self.threads]
        names = {**self.names, self.id: self.name}
        keys = ("kind", "seed", "language", "turn", "brief", "replan", "kept")
        own = {"index": self.index, "count": len(self.world.agents), "persona": _front(self.agent)}
        own |= {
            "part": self.here.part,
            **pick_keys(state, ("mood", "position", "current_task", "today_plan")),
        }
        importance_from = settings.importance.from_
        # who matters to a character of a large cast says enough: the prompt is part of the identity too
        everybody, is_small = _everybody(self.world), len(self.world.agents) <= SMALL_CAST
        near = () if is_small else circle_of(self.world, self.id)
        return {
            **pick_keys(self, keys),
            "agent": {**pick_keys(self.agent, ("id", "name", "call_name")), **own},
            "others": [everybody[other.id] for other in self.here.others if is_small or other.id in near],
            "people": [everybody[name] for name in (everybody if is_small else near) if name != self.id],
            "places": list(settings.places),
            "scene": {**self.here.as_data(), "weekday": weekdays[0]},
            "turns": self.here.turns,
            "last_turn": context.last_turn,
            **{key: True for key in ("last_word", "memories_later") if getattr(context, key)},
            "closing": context.closing,
            "dialogue": [
                {"agent": line.agent, "name": names.get(line.agent, line.agent), "text": line.text, "to": line.to}
                for line in self.dialogue
            ],
            "wants_plan": self.here.wants_plan,
            **({"times": list(settings.day.times)} if settings.day.times != DaySettings().times else {}),
            "threads": [
                {**thread, "mine": thread["by"] == self.id, "since": day}
                for thread, day in zip(threads, opened_on, strict=True)
            ],
            "ahead": [{"day": day, "weekday": name} for day, name in zip(self.here.ahead, weekdays[1:], strict=True)],
            "artifacts": [pick_keys(made, ("title", "maker", "path")) for made in self.artifacts],
            "memories": [dict(zip(_REMEMBERED, found, strict=True)) for found in map(_remembered, self.memories)],
            "insights": settings.reflection.insights,
            **({} if importance_from == REPLY else {"importance_from": importance_from}),
            **({"said": hashlib.sha256(self.said.encode()).hexdigest()[:12]} if self.said else {}),
            **{key: value for key, value in self._plain_wanted().items() if value is not None},
        }

    def _plain_wanted(self) -> dict[str, Any]:
        looked_up = self.looked_up and [pick_keys(item, ("tool", "arguments", "text")) for item in self.looked_up]
        met = None if self.met is None else [{"others": others} for others in self.met]
        own = {"questions": self.questions, "asked": self.asked, "looked_up": looked_up, "met": met}
        return {**self.mind.as_data(), **own}


@dataclass(frozen=True, slots=True)
class RatingFacts:
    """A question for the importance of memories.

    Attributes:
        together: Whether one answer rates all.
    """

    kind: str
    language: str
    signals: Mapping[str, tuple[str, ...]]
    texts: tuple[str, ...]
    together: bool

    def as_data(self) -> dict[str, Any]:
        return pick_keys(self, ("kind", "language", "signals", "texts", "together"))


@dataclass(frozen=True, slots=True)
class DirectorFacts:
    """A question to the Director; ``place`` is the coming scene."""

    kind: str
    seed: int
    language: str
    place: str
    options: tuple[Scene, ...]

    def as_data(self) -> dict[str, Any]:
        options = [{"type": item.type.name, **pick_keys(item, ("cast", "why", "premise"))} for item in self.options]
        return {**pick_keys(self, ("kind", "seed", "language", "place")), "options": options}


@dataclass(frozen=True, slots=True)
class NarratorFacts:
    """A question to the narrator.

    Attributes:
        met: The names and the place of each talk of the day.
        said: For a chapter, speaker and text of the lines of each talk; None for a retelling.
    """

    kind: str
    language: str
    place: str
    met: tuple[tuple[tuple[str, ...], str], ...]
    said: tuple[tuple[tuple[str, str], ...], ...] | None = None

    def as_data(self) -> dict[str, Any]:
        return pick_keys(self, ("kind", "language", "place", "met", *(() if self.said is None else ("said",))))


Rehearsed = Cue | RatingFacts | DirectorFacts | NarratorFacts
"""What the rehearsal can answer from: ``Request.facts`` as it reads them."""

_remembered = attrgetter(*_REMEMBERED)


def _front(agent: Agent) -> Mapping[str, Any]:
    # Without the marks of the prose: recorded answers are found by the rest.
    return {key: value for key, value in agent.persona.front.items() if key != UNTIL_NOW} if agent.persona else {}


@derived
def _told_lately(world: World, name: str, day: int, logbook: Logbook) -> Sequence[str]:
    return [text for entry in _log_lately(world, day, logbook) for text in entry.texts_by_agent.get(name, ())]


@derived
def _log_lately(world: World, day: int, logbook: Logbook) -> Sequence[LogEntry]:
    first = min((entry.day for entry in world.log), default=day)
    return (*logbook(range(day - SAID_DAYS, first)), *world.log)


@derived
def _understood_since(agent: Agent, day: int) -> Sequence[str]:
    return [node.description for node in since(agent.stream, day) if node.depth]


@derived
def _call_names(world: World) -> Mapping[str, str]:
    return {name: agent.call_name for name, agent in world.agents.items()}


@derived
def _everybody(world: World) -> Mapping[str, dict[str, Any]]:
    return {
        name: {**pick_keys(agent, ("id", "name", "call_name")), "role": agent.front_values.role}
        for name, agent in world.agents.items()
    }
