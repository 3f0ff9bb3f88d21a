"""Memories of TinyTroupe agents: what they did and perceived, as sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gm.api.imports.account import Account
from gm.api.imports.arrival import Memory
from gm.api.imports.fields import counted, items_of, name_of, object_of
from gm.api.imports.keeping import gather_memories, sentence_of, sentences_of
from gm.api.words.speech import Words

STORES: Mapping[str, tuple[str, ...]] = {
    "episodic_memory": ("memory", "episodic_buffer"),
    "semantic_memory": ("memories",),
}
"""Keys of an agent that hold memories, and the lists in them."""
TYPES: Mapping[str, str] = {"reflection": "reflection", "feedback": ""}
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
class _Told:
    text: str
    type: str
    about: tuple[str, ...] = ()


def read_memory(agent: Mapping[str, object], words: Words, account: Account) -> tuple[Memory, ...]:
    """Return the memories of an agent, oldest first."""
    told: list[Memory] = []
    for store, lists in STORES.items():
        found = [list(_memories(item, words)) for item in _items(agent.get(store), lists)]
        if any(found):
            account.took(store, "memories from before the story")
        if none := found.count([]):
            account.leave(store, f"{counted(none, 'entry', 'entries')} of the simulator's own, or without a text")
        told += [memory for memories in found for memory in memories]
    return gather_memories(told, account)


def _items(store: object, lists: tuple[str, ...]) -> Iterator[object]:
    yield from items_of(store)
    for name in lists:
        yield from items_of(object_of(store).get(name))


def _memories(item: object, words: Words) -> Iterator[Memory]:
    record = object_of(item) or {"content": item}
    kind = record.get("type")
    usual = TYPES.get(kind, "observation") if isinstance(kind, str) else "observation"
    if not usual or record.get("role") == "system":
        return
    for one in _told(record.get("content"), usual, words):
        if one.text:
            yield Memory(one.text, one.type, about=one.about)


def _told(content: object, usual: str, words: Words) -> Iterator[_Told]:
    if not isinstance(content, dict):
        plain = _PREFACE.sub("", content) if isinstance(content, str) else content
        yield from (_Told(piece, usual) for piece in sentences_of(plain))
        return
    parts = object_of(content)
    for event in (parts.get("action"), *items_of(parts.get("stimuli")), parts):
        yield from _event(object_of(event), usual, words)


def _event(event: Mapping[str, object], usual: str, words: Words) -> Iterator[_Told]:
    text = sentence_of(event.get("content"))
    if not text:
        return
    kind = event.get("type") if isinstance(event.get("type"), str) else ""
    other = name_of(event.get("target") or event.get("source"))
    about = (other,) if other else ()
    alone, together = SAID.get(str(kind), ("", ""))
    if alone:
        text = words(together if other else alone, who=other, text=text)
    yield _Told(text, "conversation" if kind in SPOKEN else usual, about)
