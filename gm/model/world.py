"""The world as one value, its characters, and the protocol of sentences in its language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from gm.base.casefold import casefold, plain_spellings
from gm.base.config import Settings
from gm.base.errors import UsageError, say
from gm.model.callname import call_name_of, call_names, without_nickname
from gm.model.clock import Clock, ClockChange, Post
from gm.model.derived import DerivedValues, derived
from gm.model.front import NO_FRONT, Front
from gm.model.ids import highest_number
from gm.model.link import LinkRequest
from gm.model.logged import LogEntry
from gm.model.mind import AUTO, NO_MIND, ON, SHARE, Mind, MindChange, is_on
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.scene import SceneType
from gm.model.state import AgentState, AgentStateChange
from gm.model.thread import Thread, ThreadEvent


@dataclass(frozen=True, slots=True)
class Agent:
    """A character of the cast.

    Attributes:
        id: File stem, the only name used in files.
        name: The display name.
        call_name: By what others call it; empty = what the persona says, else the short name.
        stream: Without ``beside``, in file order; a long one may be decoded lazily.
        archived_number: Highest id number among archived nodes and omitted lines; 0 without any.
        beside: Memories of the same file that were not lived through (``is_beside``).
        archived_sources: Ids of other characters' memories that are copied in the archive.
        known: What ``derived`` functions have found.
    """

    id: str
    state: AgentState
    persona: Persona | None = None
    stream: Sequence[Node] = ()
    archived_number: int = 0
    summaries: tuple[Node, ...] = ()
    mind: Mind = NO_MIND
    beside: Sequence[Node] = ()
    archived_sources: frozenset[str] = frozenset()
    call_name: str = field(default="", repr=False, compare=False)
    name: str = field(init=False, repr=False, compare=False)
    known: DerivedValues = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.state.name or self.id)
        called = self.call_name or self.front_values.called or call_name_of(self.name) or self.id
        object.__setattr__(self, "call_name", called)

    @property
    def next_number(self) -> int:
        """One above the highest number in use, in the archive, and of what was deleted, so never reused."""
        present = highest_number(self.id, [node.id for node in (*self.stream, *self.beside, *self.summaries)])
        return max(present, self.archived_number, self.state.deleted_until) + 1

    @property
    def everything(self) -> Sequence[Node]:
        """The stream and ``beside`` together, by id number."""
        if not self.beside:
            return self.stream
        return tuple(sorted((*self.stream, *self.beside), key=lambda node: highest_number(self.id, (node.id,))))

    @property
    def front_values(self) -> Front:
        """The front matter of the persona; without a persona, one without values."""
        return self.persona.front_values if self.persona else NO_FRONT

    @property
    def home(self) -> str:
        """Id of the place where it lives, else where its state places it; may be empty."""
        return self.front_values.home or self.state.position


def with_call_names(agents: Mapping[str, Agent]) -> dict[str, Agent]:
    """Return a cast in which those who share a short name are called by their full names."""
    own = {name: agent.front_values.called for name, agent in agents.items()}
    called = call_names({name: agent.name for name, agent in agents.items()}, own)
    return {
        name: agent if agent.call_name == called[name] else replace(agent, call_name=called[name])
        for name, agent in agents.items()
    }


class Names:
    """The names of a cast, to look up many."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self._ids: dict[str, str] = {}
        for identifier in agents:
            self._ids.setdefault(casefold(identifier), identifier)
        self._called = Counter(casefold(agent.call_name) for agent in agents.values())
        self._named = Counter(casefold(name) for agent in agents.values() for name in _other_names(agent))
        self._by_call_name = {casefold(agent.call_name): key for key, agent in agents.items()}
        self._by_name = {casefold(name): key for key, agent in agents.items() for name in _other_names(agent)}
        self._agents = agents
        self._plain: dict[str, set[str]] | None = None

    def find(self, name: str) -> str | None:
        """Return the id that a name means, apart from case: an id, else a call name or a full name that is unique.

        Where none is written so, accents do not count.
        """
        wanted = casefold(name)
        if wanted in self._ids:
            return self._ids[wanted]
        if self._called[wanted] == 1:
            return self._by_call_name[wanted]
        if self._named[wanted] == 1:
            return self._by_name[wanted]
        found = set[str]().union(*(self._written_plainly().get(one, ()) for one in plain_spellings(name)))
        return found.pop() if len(found) == 1 else None

    def _written_plainly(self) -> Mapping[str, set[str]]:
        if self._plain is None:
            self._plain = {}
            for identifier, agent in self._agents.items():
                for name in (identifier, agent.call_name, agent.name):
                    for plain in plain_spellings(name):
                        self._plain.setdefault(plain, set()).add(identifier)
        return self._plain


def _other_names(agent: Agent) -> set[str]:
    plain = without_nickname(agent.name)
    return {agent.name, plain, call_name_of(agent.name), call_name_of(plain)}


def find_agent(agents: Mapping[str, Agent], name: str) -> str | None:
    """Return the id that a name means: an id, else a call name or a full name that is unique."""
    return name if name in agents else Names(agents).find(name)


def unknown_agent(name: str, cast: Iterable[str]) -> UsageError:
    """Return the error for an unknown name, with the cast and the nearest id."""
    from difflib import get_close_matches

    names = list(cast)
    wanted = casefold(name)
    near = get_close_matches(wanted, names, 1, 0.6) or [one for one in names if wanted in one.split("-")]
    hint = "the cast: " + (", ".join(names) or "nobody")
    return UsageError(
        say("nobody here is called {name}", repr(name)), hint + (f"; did you mean {near[0]}?" if near else "")
    )


def known_agent(agents: Mapping[str, Agent], name: str) -> str:
    """Return the id of a character, given by id, call name or full name.

    Raises:
        UsageError: No such character.
    """
    identifier = find_agent(agents, name)
    if identifier is None:
        raise unknown_agent(name, agents)
    return identifier


def known_agents(agents: Mapping[str, Agent], names: Sequence[str]) -> list[str]:
    """Return the ids of the named characters without duplicates; without names, of all.

    Raises:
        UsageError: A name is unknown.
    """
    return list(dict.fromkeys(known_agent(agents, name) for name in names or agents))


LOG_DAYS = 10
"""Days of the logbook that a world holds."""


class Sentences(Protocol):
    """The Game Master's sentences in the world's language, by key."""

    def __call__(self, key: str, /, **values: object) -> str: ...


@dataclass(frozen=True, slots=True)
class World:
    """A world at one moment.

    Attributes:
        posts: Oldest first.
        agents: The cast by id, sorted.
        log: Logbook lines of the last ``LOG_DAYS`` days, the running one included, oldest first.
        scene_types: From the prompts, by name.
        threads: Open or closed, in the order of opening.
        archived: Depths of archived nodes by id, of those cited just now.
        archives: Archived nodes by agent, of agents between which memories pass just now.
        layers: Those that are on.
        known: What ``derived`` functions have found.
    """

    settings: Settings = field(default_factory=Settings)
    clock: Clock = field(default_factory=Clock)
    posts: tuple[Post, ...] = ()
    agents: Mapping[str, Agent] = field(default_factory=dict)
    log: tuple[LogEntry, ...] = ()
    scene_types: Mapping[str, SceneType] = field(default_factory=dict)
    decisions: tuple[str, ...] = ()
    threads: tuple[Thread, ...] = ()
    has_library: bool = False
    archived: Mapping[str, int] = field(default_factory=dict)
    archives: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    links: tuple[LinkRequest, ...] = ()
    layers: frozenset[str] = field(init=False, repr=False, compare=False)
    known: DerivedValues = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "layers", self._layers_on())

    @property
    def open_day(self) -> int | None:
        """The story day that is being played; None when no day is open."""
        return self.clock.day if self.clock.day_open else None

    def _layers_on(self) -> frozenset[str]:
        # by name: ``gm.layers`` is in a ring above, and declares neither decisions nor kinds nor sharing
        present = {name for agent in self.agents.values() for name in agent.mind}
        present |= {"decisions"} if self.decisions else set()
        switches = {**dict.fromkeys(present, AUTO), **self.settings.switches}
        on = {name for name, switch in switches.items() if is_on(switch, name in present)}
        on |= {"now"} if self.settings.now == AUTO and "diary" in on else set()
        on |= {"kinds"} if self.settings.memory_kinds == ON else set()
        return frozenset(on | ({SHARE} if self.settings.share.enabled else set()))

    def call_name(self, name: str) -> str:
        """Return a character's call name; any other name unchanged."""
        return self.agents[name].call_name if name in self.agents else name

    def place_name(self, place: str) -> str:
        """Return the name that ``place_names`` gives a place; any other id unchanged."""
        return self.settings.place_names.get(place, place)

    def scenes_of(self, day: int) -> tuple[LogEntry, ...]:
        return _scenes_of(self, day)

    def find_agent(self, name: str) -> str | None:
        """Return the id that a name means, as ``find_agent`` does."""
        return name if name in self.agents else _names(self).find(name)


@derived
def _scenes_of(world: World, day: int) -> tuple[LogEntry, ...]:
    return tuple(entry for entry in world.log if entry.day == day and not entry.is_summary)


@derived
def _names(world: World) -> Names:
    return Names(world.agents)


@dataclass(frozen=True, slots=True)
class Change:
    """All changes of one step. They are written together or not at all.

    Attributes:
        nodes: New memory nodes by agent, like ``summaries``.
        to_archive: Ids of nodes by agent that move from stream and summaries to the archive.
        agents: Changed values of agent files, by agent and key.
        clock: Changed values of ``state/world.json``.
        files: New files below ``gallery/``: path inside the world and text.
        links: All pending requests for memories from now on; None = unchanged.
        posts: New posts on the board; they get their ``index`` when they are put up.
        warnings: What was dropped or repaired, for the report.
        reinforced: Ids of memories that characters wanted to keep.
        recalled: Ids of memories that were retrieved or cited, in worlds where memories fade.
    """

    day: int
    nodes: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    summaries: Mapping[str, tuple[Node, ...]] = field(default_factory=dict)
    to_archive: Mapping[str, frozenset[str]] = field(default_factory=dict)
    agents: Mapping[str, AgentStateChange] = field(default_factory=dict)
    minds: Mapping[str, MindChange] = field(default_factory=dict)
    clock: ClockChange = field(default_factory=ClockChange)
    files: Mapping[str, str] = field(default_factory=dict)
    threads: tuple[ThreadEvent, ...] = ()
    links: tuple[LinkRequest, ...] | None = None
    decisions: tuple[str, ...] = ()
    posts: tuple[Post, ...] = ()
    log: LogEntry | None = None
    warnings: tuple[str, ...] = ()
    reinforced: tuple[str, ...] = ()
    recalled: tuple[str, ...] = ()

    @property
    def line(self) -> LogEntry:
        """The line of the logbook; an empty one where there is none."""
        return self.log or LogEntry(self.day, {})


def merged(changes: Sequence[Change]) -> Change:
    """Return changes of different characters, each made after the one before, as one; its log is that of the last."""
    if len(changes) == 1:
        return changes[0]
    agents: dict[str, AgentStateChange] = {}
    nodes: dict[str, tuple[Node, ...]] = {}
    clock: ClockChange = {}
    for change in changes:
        clock = {**clock, **change.clock}
        for name, values in change.agents.items():
            agents[name] = {**agents.get(name, {}), **values}
        for name, new in change.nodes.items():
            nodes[name] = (*nodes.get(name, ()), *new)
    return replace(
        changes[-1],
        nodes=nodes,
        agents=agents,
        summaries={name: new for change in changes for name, new in change.summaries.items()},
        to_archive={name: gone for change in changes for name, gone in change.to_archive.items()},
        minds={name: mind for change in changes for name, mind in change.minds.items()},
        clock=clock,
        files={path: text for change in changes for path, text in change.files.items()},
        threads=tuple(event for change in changes for event in change.threads),
        links=next((change.links for change in reversed(changes) if change.links is not None), None),
        decisions=tuple(text for change in changes for text in change.decisions),
        posts=tuple(post for change in changes for post in change.posts),
        reinforced=tuple(name for change in changes for name in change.reinforced),
        recalled=tuple(name for change in changes for name in change.recalled),
    )
