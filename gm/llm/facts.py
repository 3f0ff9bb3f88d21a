"""The content of a question as values, for the rehearsal.

``plain`` omits what no world asks for, so that a question's identity does not depend on layers that are off.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from gm.ask.prompt.people import part_of
from gm.ask.prompt.turn_context import TurnContext
from gm.base.config import DaySettings
from gm.layers.goals import GOALS, Goal
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.layers.soul import SOUL
from gm.layers.working import WORKING, PageLine, page_lines, page_now, shown_prefixes
from gm.model.calendar import weekday
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.front import UNTIL_NOW, Front
from gm.model.link import LinkRequest
from gm.model.node import Node
from gm.model.scene import LogEntry, Scene
from gm.model.stream import since
from gm.model.thread import Thread
from gm.model.weighing import REPLY
from gm.model.world import World, derived
from gm.scene.attendance import next_day
from gm.scene.awareness import open_threads_of
from gm.scene.circle import SMALL_CAST, circle_of
from gm.scene.exchange import wanted_of
from gm.scene.off_scene import DIARY_PURPOSE, parts_of_day
from gm.scene.plans import is_struck
from gm.scene.weaving import Spoken

_LEAD = re.compile(r"\A\w+(?: \w+)?: ")
RECENT_ARTIFACTS = 6
LOOKED_THROUGH = 60  # newest memories that are searched for artifacts
MOST_THREADS = 12
DAYS_AHEAD = 3
SAID_DAYS = 30  # days over which a character does not say a thing twice
GAME = "DND"
INTERVIEW, TRAP = "interview", "trap"
"""Values of ``Cue.kind`` in interviews."""
TOPIC_KINDS = {"bulletin": "brief", "event": "event", "gallery": "artifact"}


Logbook = Callable[[range], Sequence[LogEntry]]
"""Returns the logbook lines of some days."""


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
    """The content of a question to one character; layers switched off are None.

    Attributes:
        memories: Those that the prompt shows, or that the question is about.
        kind: scene, reflection, questions, summary or diary; of an interview interview, or trap where the character
            cannot know the answer.
        questions: The number wanted.
        logbook: Returns the lines of days that the world no longer holds.
    """

    world: World
    agent: Agent
    scene: Scene
    moment: TurnContext
    memories: tuple[Node, ...]
    seed: int
    kind: str
    looked_up: tuple[Consulted, ...] | None = None
    questions: int | None = None
    asked: tuple[tuple[str, ...], ...] | None = None
    logbook: Logbook = no_logbook

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
        return self.agent.told

    @cached_property
    def topics(self) -> dict[str, str]:
        return {topic.tag: topic.words for topic in self.persona.topics}

    @cached_property
    def index(self) -> int:
        """Place of the character in the alphabetical cast, from 0."""
        return list(self.world.agents).index(self.id)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """Participants' characters in a game, by id; may be empty texts."""
        told = {name: agent for name in self.scene.cast if (agent := self.world.agents[name]).told.roles}
        return dict.fromkeys(self.scene.cast, "") | {name: part_of(agent, self.scene) for name, agent in told.items()}

    @cached_property
    def others(self) -> tuple[Agent, ...]:
        return tuple([self.world.agents[name] for name in self.scene.cast if name != self.id])

    @cached_property
    def people(self) -> tuple[Agent, ...]:
        return tuple([other for other in self.world.agents.values() if other.id != self.id])

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
    def type(self) -> str:
        return self.scene.type.name

    @property
    def day(self) -> int:
        return self.scene.ref.day

    @property
    def weekday(self) -> str:
        return self.weekday_of(self.day)

    def weekday_of(self, day: int) -> str:
        return weekday(day, self.world.settings.calendar.weekdays)

    @property
    def ahead(self) -> Sequence[int]:
        return range(self.day + 1, self.day + 1 + DAYS_AHEAD)

    @cached_property
    def next_day(self) -> int:
        return next_day(self.world, self.day)

    @property
    def starts(self) -> bool:
        return self.scene.cast[0] == self.id

    @property
    def leader(self) -> str:
        return self.scene.cast[0] if self.scene.type.chair else ""

    @property
    def intent(self) -> str:
        """The scene's intent, if this character starts it; else empty."""
        return self.scene.intent if self.starts else ""

    @property
    def topic_kind(self) -> str:
        """brief, event, artifact; empty = any other."""
        return TOPIC_KINDS.get(self.scene.answers[0].partition("/")[0], "") if self.scene.answers else ""

    @property
    def is_game(self) -> bool:
        return self.type == GAME or any(self.parts.values())

    @property
    def turn(self) -> int:
        return self.moment.turn

    @property
    def turns(self) -> int:
        """Approximate number of turns of the whole scene."""
        kind = self.scene.type
        return len(self.scene.cast) * kind.rounds[1] if kind.play == "sequential" else 1

    @cached_property
    def dialogue(self) -> tuple[Spoken, ...]:
        return tuple([line for line in self.moment.dialogue if line.aloud])

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
            path = node.metadata.get("artifact_path")
            if node.type != "observation" or not isinstance(path, str):
                continue
            maker = next(filter(None, (self.world.find_agent(tag) for tag in node.tags)), None)
            title = str(node.metadata.get("title") or path.rsplit("/", 1)[-1])
            if maker and title.strip():
                found.append(RecentWork(title, maker, path))
        return tuple(found[:RECENT_ARTIFACTS][::-1])

    @property
    def replan(self) -> list[dict[str, str]]:
        """Events since the last plan: kind and text."""
        return [{"kind": reason.part, **reason.values} for reason in self.moment.replan]

    @property
    def kept(self) -> list[str]:
        """Memories of the character's earlier replies in the scene."""
        return [memory.description for reply in self.moment.own for memory in reply.memories]

    @cached_property
    def said(self) -> str:
        """What the character said, did, thought and understood in ``SAID_DAYS`` days, casefolded, by line."""
        log = self.world.log
        first = min((entry.day for entry in log), default=self.day)
        earlier = self.logbook(range(self.day - SAID_DAYS, first))
        found = [text for entry in (*earlier, *log) for text in entry.told.get(self.id, ())]
        lately = since(self.agent.stream, self.day - SAID_DAYS)
        found += [node.description for node in (*lately, *self.memories) if node.depth]
        for reply in self.moment.own:
            found += [reply.action, reply.thoughts, *(line.text for line in reply.dialogue)]
        return "\n".join(found).casefold()

    @cached_property
    def soul(self) -> list[str] | None:
        return [entry.text for entry in self.agent.mind[SOUL].entries] if self.has(SOUL.name) else None

    @cached_property
    def page(self) -> tuple[PageLine, ...] | None:
        if not self.has(WORKING.name):
            return None
        written = [reply.working for reply in self.moment.own]
        return page_lines(page_now(self.agent.mind[WORKING], written, self.world.settings.working.lines))

    @property
    def lesson(self) -> str:
        return next(iter(shown_prefixes(self.world.settings.working.migrate_prefixes, self.language)), "")

    @cached_property
    def regards(self) -> Mapping[str, Relationship] | None:
        if not self.has(RELATIONSHIPS.name):
            return None
        known = self.agent.mind[RELATIONSHIPS]
        return {name: known[name] for name in self.scene.cast if name in known}

    @cached_property
    def wanted(self) -> Sequence[LinkRequest] | None:
        return wanted_of(self.world, self.id, self.moment.own) if self.has("share") else None

    @property
    def links(self) -> list[str]:
        return [item.giver for item in self.world.links if item.asker == self.id]

    @cached_property
    def goals(self) -> list[Goal] | None:
        return [goal for goal in self.agent.mind[GOALS] if goal.is_open] if self.has(GOALS.name) else None

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

    @property
    def wants_plan(self) -> bool:
        return self.scene.type.plan and self.plans

    def has(self, layer: str) -> bool:
        return layer in self.world.layers

    def plain(self) -> dict[str, Any]:
        """Return JSON data. Recorded answers are found by its keys."""
        settings, state, moment = self.world.settings, self.agent.state, self.moment
        weekdays = [weekday(day, settings.calendar.weekdays) for day in (self.day, *self.ahead)]
        opened_on = [item.since.day for item in self.threads]
        threads = [_keys(item, ("id", "kind", "by", "to", "text", "due")) for item in self.threads]
        names = {**self.names, self.id: self.name}
        told = ("kind", "seed", "language", "turn", "turns", "brief", "replan", "kept")
        own = {"index": self.index, "count": len(self.world.agents), "persona": _front(self.agent)}
        own |= {"part": self.parts[self.id], **_keys(state, ("mood", "position", "current_task", "today_plan"))}
        importance_from = settings.importance.from_
        # who matters to a character of a large cast says enough: the prompt is part of the identity too
        everybody, is_small = _everybody(self.world), len(self.world.agents) <= SMALL_CAST
        near = () if is_small else circle_of(self.world, self.id)
        return {
            **_keys(self, told),
            "agent": {**_keys(self.agent, ("id", "name", "call_name")), **own},
            "others": [everybody[other.id] for other in self.others if is_small or other.id in near],
            "people": [everybody[name] for name in (everybody if is_small else near) if name != self.id],
            "places": list(settings.places),
            "scene": {**self._plain_scene(), "weekday": weekdays[0]},
            "last_turn": moment.last_turn,
            **{key: True for key in ("last_word", "memories_later") if getattr(moment, key)},
            "closing": moment.closing,
            "dialogue": [
                {"agent": line.agent, "name": names.get(line.agent, line.agent), "text": line.text, "to": line.to}
                for line in self.dialogue
            ],
            "wants_plan": self.wants_plan,
            **({"times": list(settings.day.times)} if settings.day.times != DaySettings().times else {}),
            "threads": [
                {**thread, "mine": thread["by"] == self.id, "since": day}
                for thread, day in zip(threads, opened_on, strict=True)
            ],
            "ahead": [{"day": day, "weekday": name} for day, name in zip(self.ahead, weekdays[1:], strict=True)],
            "artifacts": [_keys(made, ("title", "maker", "path")) for made in self.artifacts],
            "memories": [dict(zip(_REMEMBERED, found, strict=True)) for found in map(_remembered, self.memories)],
            "insights": settings.reflection.insights,
            **({} if importance_from == REPLY else {"importance_from": importance_from}),
            **({"said": hashlib.sha256(self.said.encode()).hexdigest()[:12]} if self.said else {}),
            **{key: value for key, value in self._plain_layers().items() if value is not None},
        }

    def _plain_scene(self) -> dict[str, Any]:
        scene = self.scene
        return {
            **_keys(scene, ("time_of_day", "place", "topic", "premise")),
            **_keys(self, ("day", "type", "topic_kind", "intent", "leader", "is_game")),
            "ref": str(scene.ref),
            "scene": scene.ref.scene,
            "play": scene.type.play,
            "place_text": self.world.settings.places.get(scene.place, ""),
            "starter": scene.cast[0],
            "passages": [{"place": passage.place, "title": passage.title} for passage in scene.passages],
            **({"note": scene.note} if scene.note else {}),
        }

    def _plain_layers(self) -> dict[str, Any]:
        page, regards, wanted, goals, looked_up = self.page, self.regards, self.wanted, self.goals, self.looked_up
        exchange: dict[str, Any] = {key: True for key in ("decisions", "kinds") if self.has(key)}
        if wanted is not None:
            asks = [{"id": item.asker, "about": item.about} for item in wanted]
            exchange["share"] = {"wanted": asks, "asked": self.links}
        if goals is not None:
            exchange["goals"] = [_keys(goal, ("id", "text", "steps")) for goal in goals]
        lines = {"room": self.world.settings.working.lines, "lesson": self.lesson}
        return {
            **_keys(self, ("soul", "questions", "asked")),
            "page": None if page is None else {"lines": [_keys(line, ("key", "text")) for line in page], **lines},
            "regards": regards and _regards(regards),
            "exchange": exchange or None,
            "looked_up": looked_up and [_keys(item, ("tool", "arguments", "text")) for item in looked_up],
            "met": self.met and [{"others": others} for others in self.met],
        }


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

    def plain(self) -> dict[str, Any]:
        return _keys(self, ("kind", "language", "signals", "texts", "together"))


@dataclass(frozen=True, slots=True)
class DirectorFacts:
    """A question to the Director; ``place`` is the coming scene."""

    kind: str
    seed: int
    language: str
    place: str
    options: tuple[Scene, ...]

    def plain(self) -> dict[str, Any]:
        options = [{"type": item.type.name, **_keys(item, ("cast", "why", "premise"))} for item in self.options]
        return {**_keys(self, ("kind", "seed", "language", "place")), "options": options}


Facts = Cue | RatingFacts | DirectorFacts

_REMEMBERED = ("id", "type", "depth", "description", "importance", "tags")
_remembered = attrgetter(*_REMEMBERED)


def _keys(value: object, names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names}


def _front(agent: Agent) -> Mapping[str, Any]:
    # Without the marks of the prose: recorded answers are found by the rest.
    return {key: value for key, value in agent.persona.front.items() if key != UNTIL_NOW} if agent.persona else {}


@derived
def _call_names(world: World) -> Mapping[str, str]:
    return {name: agent.call_name for name, agent in world.agents.items()}


@derived
def _everybody(world: World) -> Mapping[str, dict[str, Any]]:
    return {
        name: {**_keys(agent, ("id", "name", "call_name")), "role": agent.told.role}
        for name, agent in world.agents.items()
    }


def _regards(known: Mapping[str, Relationship]) -> dict[str, dict[str, object]]:
    return {name: {"type": item.relationship_type, "trust": item.trust_level} for name, item in known.items()}
