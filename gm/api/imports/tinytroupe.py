"""Read agents of TinyTroupe: ``*.agent.json``, and ``*.fragment.json`` beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath, PurePosixPath
from typing import Literal

from gm.api.answers.speech import Words
from gm.api.imports import fields
from gm.api.imports.arrival import Account, Arrival, Format, FormatOptions, ImportedPerson, ImportSource, Memory
from gm.api.imports.fields import MOST_LISTED, clean_name, need_object, object_of, read_json
from gm.api.imports.keeping import gather_memories, keep_copies, sentence_of, split_memories
from gm.api.imports.prose import front_matter, import_words, label_key, prose_of, render_block, under_heading
from gm.base.errors import UsageError
from gm.base.texts import clip, counted
from gm.base.untyped import items_of
from gm.model.node import NodeType

AGENT, FRAGMENT = "TinyPerson", "Fragment"
"""Values of ``type``."""
AGENT_FILE, FRAGMENT_FILE = ".agent.json", ".fragment.json"
STATE: Mapping[str, str] = {
    "mental_faculties": "programs of TinyTroupe; here all characters can do the same",
    "mental_state": "moods and goals of its last step; here the play makes them",
    "current_episode_event_count": "a counter of TinyTroupe",
}
"""Keys beside ``persona`` that are left aside, and why."""
STORES: Mapping[str, tuple[str, ...]] = {
    "episodic_memory": ("memory", "episodic_buffer"),
    "semantic_memory": ("memories",),
}
"""Keys of an agent that hold memories, and the lists in them."""
TYPES: Mapping[str, Literal["", NodeType]] = {"reflection": "reflection", "feedback": ""}
"""Types of memories by those of TinyTroupe; every other is an observation, empty = left aside."""
SAID: Mapping[str, tuple[str, str]] = {
    "TALK": ("i_said", "i_said_to"),
    "THINK": ("i_thought", "i_thought"),
    "CONVERSATION": ("heard", "heard_from"),
    "SOCIAL": ("heard", "heard_from"),
    "THOUGHT": ("i_thought", "i_thought"),
}
"""Sentences for kinds of actions and stimuli: without and with another person. Others are told as they are."""
SPOKEN = ("TALK", "CONVERSATION", "SOCIAL")
_PREFACE = re.compile(r"\A# (?:Action|Stimulus|Feedback|Consolidated|Reflection|Information)[^\n]*\n+I have [^\n]*:\s+")
"""What TinyTroupe puts before a memory that it stores for good."""


@dataclass(frozen=True, slots=True)
class _Document:
    place: str
    data: Mapping[str, object]

    @property
    def persona(self) -> Mapping[str, object]:
        return need_object(self.data.get("persona"), f"{self.place}: persona")


@dataclass(frozen=True, slots=True)
class _TypedText:
    text: str
    type: NodeType
    about: tuple[str, ...] = ()


def fits(source: ImportSource) -> bool:
    """Return whether a source holds agents or fragments."""
    if any(path.name.endswith((AGENT_FILE, FRAGMENT_FILE)) for path in source.files):
        return True
    documents = items_of(source.data) or [source.data]
    return any(object_of(one).get("type") in (AGENT, FRAGMENT) for one in documents)


def join_fragments(sources: Sequence[ImportSource]) -> list[ImportSource]:
    """Join fragment files named beside the only agent file, as if in one folder."""
    fragments = [one for one in sources if object_of(one.data).get("type") == FRAGMENT and not one.files]
    agents = [one for one in sources if object_of(one.data).get("type") == AGENT and not one.files]
    if not fragments or len(agents) != 1:
        return list(sources)
    files = {PurePosixPath(f"{PurePath(agents[0].name).stem}{AGENT_FILE}"): agents[0].raw}
    for number, one in enumerate(fragments, 1):
        files[PurePosixPath(f"{number}-{PurePath(one.name).stem}{FRAGMENT_FILE}")] = one.raw
    joined = ImportSource(agents[0].name, agents[0].data, agents[0].raw, files=files)
    return [joined if one is agents[0] else one for one in sources if one not in fragments]


def read(source: ImportSource, options: FormatOptions) -> Arrival:
    """Read agents with their memories; fragments are merged into the only agent of their folder.

    Raises:
        UsageError: A fragment has no agent, or an agent no persona or name.
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
    people = tuple(_make_person(one, fragments, options.name if alone else "", options, account) for one in agents)
    return Arrival(FORMAT.name, people, kept=_keep_files(source), mapped=account.mapped, left=account.left)


FORMAT = Format("TinyTroupe agent", fits, read)


def read_agent_memories(agent: Mapping[str, object], words: Words, account: Account) -> tuple[Memory, ...]:
    """Return an agent's memories, oldest first."""
    gathered: list[Memory] = []
    for store, lists in STORES.items():
        found = [list(_read_memories(item, words)) for item in _list_memory_items(agent.get(store), lists)]
        if any(found):
            account.took(store, "memories from before the story")
        if none := found.count([]):
            account.leave(store, f"{counted(none, 'entry')} of the simulator's own, or without a text")
        gathered += [memory for memories in found for memory in memories]
    return gather_memories(gathered, account)


def _documents(source: ImportSource) -> list[_Document]:
    if source.files:
        found = [
            (f"{source.name}/{path}", read_json(raw, f"{source.name}/{path}")) for path, raw in _list_files(source)
        ]
    elif several := items_of(source.data):
        found = [(f"{source.name}: agent {number}", one) for number, one in enumerate(several, 1)]
    else:
        found = [(source.name, source.data)]
    return [_Document(place, need_object(one, place)) for place, one in found]


def _list_files(source: ImportSource) -> list[tuple[str, bytes]]:
    wanted = ((str(path), raw) for path, raw in source.files.items() if path.name.endswith((AGENT_FILE, FRAGMENT_FILE)))
    return sorted(wanted)


def _keep_files(source: ImportSource) -> dict[str, bytes]:
    if not source.files:
        return {AGENT_FILE: source.raw}
    endings = [
        (path, AGENT_FILE if path.endswith(AGENT_FILE) else FRAGMENT_FILE, raw) for path, raw in _list_files(source)
    ]
    return keep_copies((path.rpartition("/")[2].removesuffix(end), end, raw) for path, end, raw in endings)


def _make_person(
    agent: _Document, fragments: list[_Document], name: str, options: FormatOptions, account: Account
) -> ImportedPerson:
    persona = agent.persona
    for fragment in fragments:
        persona = _merge_fragment(persona, fragment.persona)
        account.took(f"the fragment {fragment.place}", "merged into the persona")
    called = name or clean_name(persona.get("name"))
    if not called:
        raise UsageError(f"{agent.place}: persona.name: found no name, expected a text", "give one: --as NAME")
    words = import_words(options.language)
    person = read_persona(called, persona, words, account)
    for key, why in STATE.items():
        if agent.data.get(key):
            account.leave(key, why)
    return replace(person, memories=read_agent_memories(agent.data, words, account))


def _merge_fragment(agent: Mapping[str, object], fragment: Mapping[str, object]) -> Mapping[str, object]:
    """Join lists and objects; the agent's own single values stay."""
    merged = dict(agent)
    for key, value in fragment.items():
        mine = merged.get(key)
        if isinstance(mine, dict) and isinstance(value, dict):
            merged[key] = _merge_fragment(object_of(mine), object_of(value))
        elif isinstance(mine, list) and isinstance(value, list):
            known = mine[:MOST_LISTED]
            merged[key] = [*known, *(item for item in value[:MOST_LISTED] if item not in known)]
        elif mine is None:
            merged[key] = value
    return merged


def _list_memory_items(store: object, lists: tuple[str, ...]) -> Iterator[object]:
    yield from items_of(store)
    for name in lists:
        yield from items_of(object_of(store).get(name))


def _read_memories(item: object, words: Words) -> Iterator[Memory]:
    record = object_of(item) or {"content": item}
    kind = record.get("type")
    usual = TYPES.get(kind, "observation") if isinstance(kind, str) else "observation"
    if not usual or record.get("role") == "system":
        return
    for one in _split_content(record.get("content"), usual, words):
        if one.text:
            yield Memory(one.text, one.type, about=one.about)


def _split_content(content: object, usual: NodeType, words: Words) -> Iterator[_TypedText]:
    if not isinstance(content, dict):
        plain = _PREFACE.sub("", content) if isinstance(content, str) else content
        yield from (_TypedText(piece, usual) for piece in split_memories(plain))
        return
    parts = object_of(content)
    for event in (parts.get("action"), *items_of(parts.get("stimuli")), parts):
        yield from _event(object_of(event), usual, words)


def _event(event: Mapping[str, object], usual: NodeType, words: Words) -> Iterator[_TypedText]:
    text = sentence_of(event.get("content"))
    if not text:
        return
    kind = event.get("type") if isinstance(event.get("type"), str) else ""
    other = clean_name(event.get("target") or event.get("source"))
    about = (other,) if other else ()
    alone, together = SAID.get(str(kind), ("", ""))
    if alone:
        text = words(together if other else alone, who=other, text=text)
    yield _TypedText(text, "conversation" if kind in SPOKEN else usual, about)


ROLE = 80
"""Characters of a role, which all characters see."""
RELATIONSHIP = 800
"""Characters of what a character thinks of another one."""
WHAT, HOW = ("relation", "role", "type"), ("description", "details")
"""Keys of a relationship: what the other one is, and what is said of both."""


@dataclass(frozen=True, slots=True)
class PersonaPart:
    """A part of a persona that has a key in front matter.

    Attributes:
        path: Keys from the outside in.
    """

    path: tuple[str, ...]
    key: str
    many: bool = False


PARTS = (
    PersonaPart(("style",), "communication"),
    PersonaPart(("personality", "traits"), "traits", many=True),
    PersonaPart(("skills",), "skills", many=True),
    PersonaPart(("long_term_goals",), "values", many=True),
)
HEADINGS: Mapping[str, str] = {
    "occupation": "work",
    "personality": "personality",
    "preferences": "preferences",
    "behaviors": "habits",
    "health": "health",
    "education": "education",
    "nationality": "origin",
    "residence": "origin",
}
"""The section of the prose for a key; every other key is a fact."""
ORDER = ("work", "personality", "preferences", "habits", "health", "education", "origin", "facts")
NAMED_BY_HEADING = ("occupation", "personality", "preferences", "behaviors", "health", "education", "other_facts")


def read_persona(name: str, persona: Mapping[str, object], words: Words, account: Account) -> ImportedPerson:
    """Return a persona as a person without memories."""
    for path, why in fields.find_long_lists(_walk_values(persona)):
        account.leave(path, why)
    rest = {key: value for key, value in persona.items() if key != "name"}
    front = front_matter(name, _read_front(rest, words), account)
    beliefs = fields.lines_of(rest.pop("beliefs", None))
    if beliefs:
        account.took("beliefs", "the soul")
    relationships = dict(_relationships(rest.pop("relationships", None)))
    if relationships:
        account.took("relationships", "what the character thinks of others")
    prose = prose_of(name, _read_sections(rest, words, account), words, account)
    return ImportedPerson(name, front, prose, (), relationships, {"beliefs": beliefs} if beliefs else {})


def _read_front(rest: dict[str, object], words: Words) -> Iterator[tuple[str, str, object]]:
    yield from fields.take_person(rest, words, "gender")
    path = ("occupation", "title") if isinstance(rest.get("occupation"), dict) else ("occupation",)
    title = fields.line_of(_look_up(rest, path))
    if role := title if len(title) <= ROLE else re.split(r"[,;(]", title)[0].strip()[:ROLE]:
        if role == title:  # of a longer one, the rest is told in the prose
            _take_at(rest, path)
        yield "role", ".".join(path), role
    for part in PARTS:
        value = _take_at(rest, part.path)
        if part.many and (several := fields.lines_of(value)):
            yield part.key, ".".join(part.path), list(several)
        elif not part.many and (text := fields.line_of(value, fields.LONGEST) or " ".join(fields.lines_of(value))):
            yield part.key, ".".join(part.path), text


def _look_up(tree: Mapping[str, object], path: tuple[str, ...]) -> object:
    value: object = tree
    for key in path:
        value = fields.object_of(value).get(key)
    return value


def _take_at(tree: dict[str, object], path: tuple[str, ...]) -> object:
    if len(path) == 1:
        return tree.pop(path[0], None)
    inner = dict(fields.object_of(tree.get(path[0])))
    value = _take_at(inner, path[1:])
    if inner or value is not None:
        tree[path[0]] = inner
    return value


def _relationships(value: object) -> Iterator[tuple[str, str]]:
    named = [{"name": name, "description": said} for name, said in fields.object_of(value).items()]
    for one in map(fields.object_of, (named or items_of(value))[: fields.MOST_LISTED]):
        name = fields.clean_name(one.get("name"))
        what = next(filter(None, (fields.line_of(one.get(key)) for key in WHAT)), "")
        how = next(filter(None, (fields.line_of(one.get(key), RELATIONSHIP) for key in HOW)), "")
        said = clip(": ".join(filter(None, (what if name else "", how))), RELATIONSHIP)
        if (called := name or clip(what, fields.NAME)) and said:
            yield called, said


def _walk_values(tree: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in tree.items():
        yield f"{before}{key}", value
        if not before:
            yield from _walk_values(fields.object_of(value), f"{key}.")


def _read_sections(rest: dict[str, object], words: Words, account: Account) -> Iterator[tuple[str, str]]:
    bodies: dict[str, list[str]] = {heading: [] for heading in ORDER}
    if described := fields.clean_scalar(_take_at(rest, ("occupation", "description"))):
        bodies["work"].append(described)
    for key, value in rest.items():
        heading = HEADINGS.get(key, "facts")
        block = render_block("" if key in NAMED_BY_HEADING else label_key(key, words), value, words)
        if block:
            bodies[heading].append(block)
            account.took(key, under_heading(heading, words))
        elif value not in (None, "", [], {}):
            account.leave(key, "no text in it that can be read")
    for heading, blocks in bodies.items():
        yield words(f"heading.{heading}"), "\n\n".join(blocks)
