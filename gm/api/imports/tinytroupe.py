"""Read agents of TinyTroupe: ``*.agent.json``, and the ``*.fragment.json`` that lie beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath, PurePosixPath

from gm.api.imports.account import Account
from gm.api.imports.arrival import Arrival, Format, Person, Source, Wish
from gm.api.imports.fields import MOST_ITEMS, items_of, name_of, need_object, object_of
from gm.api.imports.jsontext import read_json
from gm.api.imports.keeping import keep_copy
from gm.api.imports.prose import import_words
from gm.api.imports.tinytroupe_memory import read_memory
from gm.api.imports.tinytroupe_persona import read_persona
from gm.base.errors import UsageError

AGENT, FRAGMENT = "TinyPerson", "Fragment"
"""Values of ``type``."""
AGENT_FILE, FRAGMENT_FILE = ".agent.json", ".fragment.json"
STATE: Mapping[str, str] = {
    "mental_faculties": "programs of TinyTroupe; here all characters can do the same",
    "mental_state": "moods and goals of its last step; here the play makes them",
    "current_episode_event_count": "a counter of TinyTroupe",
}
"""Keys beside ``persona`` that are left aside, and why."""


@dataclass(frozen=True, slots=True)
class _Document:
    """An agent or a fragment, and where it was found."""

    place: str
    data: Mapping[str, object]

    @property
    def persona(self) -> Mapping[str, object]:
        return need_object(self.data.get("persona"), f"{self.place}: persona")


def fits(source: Source) -> bool:
    """Return whether a source holds agents or fragments."""
    if any(path.name.endswith((AGENT_FILE, FRAGMENT_FILE)) for path in source.files):
        return True
    documents = items_of(source.data) or [source.data]
    return any(object_of(one).get("type") in (AGENT, FRAGMENT) for one in documents)


def join_fragments(sources: Sequence[Source]) -> list[Source]:
    """Return sources in which files of fragments lie beside the only file of an agent, as if in one folder."""
    fragments = [one for one in sources if object_of(one.data).get("type") == FRAGMENT and not one.files]
    agents = [one for one in sources if object_of(one.data).get("type") == AGENT and not one.files]
    if not fragments or len(agents) != 1:
        return list(sources)
    files = {PurePosixPath(f"{PurePath(agents[0].name).stem}{AGENT_FILE}"): agents[0].raw}
    for number, one in enumerate(fragments, 1):
        files[PurePosixPath(f"{number}-{PurePath(one.name).stem}{FRAGMENT_FILE}")] = one.raw
    joined = Source(agents[0].name, agents[0].data, agents[0].raw, files=files)
    return [joined if one is agents[0] else one for one in sources if one not in fragments]


def read(source: Source, wish: Wish) -> Arrival:
    """Read agents with their memories; a fragment in the same folder is merged into its only agent.

    Raises:
        UsageError: There is a fragment without an agent, or an agent without persona or name.
    """
    documents = _documents(source)
    agents = [one for one in documents if one.data.get("type") != FRAGMENT]
    fragments = [one for one in documents if one.data.get("type") == FRAGMENT]
    if not agents:
        raise UsageError(
            f"{source.name}: found a fragment, expected an agent with it",
            f"name both, or put *{AGENT_FILE} and *{FRAGMENT_FILE} into one folder and name that",
        )
    account = Account()
    if fragments and len(agents) > 1:
        account.leave("fragments", f"nothing says which of the {len(agents)} agents they belong to")
        fragments = []
    alone = len(agents) == 1
    people = tuple(_person(one, fragments, wish.name if alone else "", wish, account) for one in agents)
    return Arrival(FORMAT.name, people, kept=_kept(source), mapped=account.mapped, left=account.left)


FORMAT = Format("TinyTroupe agent", fits, read)


def _documents(source: Source) -> list[_Document]:
    if source.files:
        found = [(f"{source.name}/{path}", read_json(raw, f"{source.name}/{path}")) for path, raw in _files(source)]
    elif several := items_of(source.data):
        found = [(f"{source.name}: agent {number}", one) for number, one in enumerate(several, 1)]
    else:
        found = [(source.name, source.data)]
    return [_Document(place, need_object(one, place)) for place, one in found]


def _files(source: Source) -> list[tuple[str, bytes]]:
    wanted = ((str(path), raw) for path, raw in source.files.items() if path.name.endswith((AGENT_FILE, FRAGMENT_FILE)))
    return sorted(wanted)


def _kept(source: Source) -> dict[str, bytes]:
    if not source.files:
        return {AGENT_FILE: source.raw}
    kept: dict[str, bytes] = {}
    for path, raw in _files(source):
        ending = AGENT_FILE if path.endswith(AGENT_FILE) else FRAGMENT_FILE
        keep_copy(kept, path.rpartition("/")[2].removesuffix(ending), ending, raw)
    return kept


def _person(agent: _Document, fragments: list[_Document], name: str, wish: Wish, account: Account) -> Person:
    persona = agent.persona
    for fragment in fragments:
        persona = _merged(persona, fragment.persona)
        account.took(f"the fragment {fragment.place}", "merged into the persona")
    called = name or name_of(persona.get("name"))
    if not called:
        raise UsageError(f"{agent.place}: persona.name: found no name, expected a text", "say it with --name")
    words = import_words(wish.language)
    person = read_persona(called, persona, words, account)
    for key, why in STATE.items():
        if agent.data.get(key):
            account.leave(key, why)
    return Person(
        called, person.front, person.prose, read_memory(agent.data, words, account), person.relationships, person.soul
    )


def _merged(agent: Mapping[str, object], fragment: Mapping[str, object]) -> Mapping[str, object]:
    """Join lists and objects; of single values the agent's own stays."""
    merged = dict(agent)
    for key, value in fragment.items():
        mine = merged.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            merged[key] = _merged(object_of(mine), object_of(value))
        elif isinstance(mine, list) and isinstance(value, list):
            known = mine[:MOST_ITEMS]
            merged[key] = [*known, *(item for item in value[:MOST_ITEMS] if item not in known)]
        elif mine is None:
            merged[key] = value
    return merged
