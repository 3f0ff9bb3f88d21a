"""A character: persona, agent state, memory stream and mind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gm.base.casefold import casefold, plain_spellings
from gm.base.errors import UsageError, say
from gm.model.callname import call_name_of
from gm.model.derived import DerivedValues
from gm.model.front import NO_FRONT, Front
from gm.model.ids import highest_number
from gm.model.mind import NO_MIND, Mind
from gm.model.node import Node
from gm.model.persona import Persona
from gm.model.state import AgentState

__all__ = ["Agent", "AgentState", "Names", "Persona", "find_agent", "known_agent", "known_agents", "unknown_agent"]


@dataclass(frozen=True, slots=True)
class Agent:
    """A character of the cast.

    Attributes:
        id: File stem, the only name used in files.
        name: The display name; ``call_name`` is its first word that is not a title.
        stream: Without ``beside``, in file order; a long one may be decoded lazily.
        archived_number: Highest id number among archived nodes and omitted lines; 0 without any.
        beside: Memories of the same file that were not lived through (``is_beside``).
        archived_sources: Ids of memories of others of which the archive holds copies.
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
    name: str = field(init=False, repr=False, compare=False)
    call_name: str = field(init=False, repr=False, compare=False)
    known: DerivedValues = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.state.name or self.id)
        object.__setattr__(self, "call_name", call_name_of(self.name) or self.id)

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
    def told(self) -> Front:
        """The front matter of the persona; without a persona, one without values."""
        return self.persona.told if self.persona else NO_FRONT

    @property
    def home(self) -> str:
        return self.told.home or self.state.position


class Names:
    """The names of a cast, to look up many."""

    def __init__(self, agents: Mapping[str, Agent]) -> None:
        self._ids: dict[str, str] = {}
        for identifier in agents:
            self._ids.setdefault(casefold(identifier), identifier)
        self._called = Counter(casefold(agent.call_name) for agent in agents.values())
        self._named = Counter(casefold(agent.name) for agent in agents.values())
        self._by_call_name = {casefold(agent.call_name): key for key, agent in agents.items()}
        self._by_name = {casefold(agent.name): key for key, agent in agents.items()}
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
