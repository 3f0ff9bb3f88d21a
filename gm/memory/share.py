"""Private memories, and copies of memories for another character (document 003, "Neural Link").

A copy is a line in the receiver's stream. Its ``metadata.details`` is the original's metadata: as keys of the copy they
would say that the receiver had been there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from gm.base.casefold import casefold
from gm.base.config.pages import PRIVATE_TAGS
from gm.memory.search import carries, find_text
from gm.model.ids import highest_number, parse_node_id, render_node_id
from gm.model.link import sources_of
from gm.model.node import COPIED, Node
from gm.model.world import Agent

PRIVATE = "private"
"""The name in ``publish.private`` that keeps them back."""
MEMORIES = "memories"
"""The name in ``publish.private`` that keeps back all memories."""
QUOTED = 40
"""Characters of a memory that are compared, since quotations in lines are shortened."""


def is_private(tags: Iterable[str]) -> bool:
    """Return whether a tag is a private one."""
    return any(casefold(tag) in PRIVATE_TAGS for tag in tags)


class _Memory(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def tags(self) -> tuple[str, ...]: ...


def find_private(grounds: Iterable[tuple[str, Iterable[str], Iterable[str]]]) -> frozenset[str]:
    """Return the folded ids of private memories, and of all that rests on one, directly or not.

    Args:
        grounds: The id and tags of each memory, and the ids that it rests on.
    """
    resting: dict[str, list[str]] = {}
    wanted: list[str] = []
    for identifier, tags, cited in grounds:
        wanted += [casefold(identifier)] if is_private(tags) else []
        for one in cited:
            resting.setdefault(casefold(one), []).append(casefold(identifier))
    found: set[str] = set()
    while wanted:
        if (one := wanted.pop()) not in found:
            found.add(one)
            wanted += resting.get(one, ())
    return frozenset(found)


def grounds_of(node: Node) -> tuple[str, Iterable[str], Iterable[str]]:
    """Return a memory's id, its tags and what it rests on: its evidence, and what it is a copy of."""
    return node.id, node.tags, (*node.evidence, *sources_of(node.metadata))


def is_secret(memory: _Memory, hidden: Collection[str]) -> bool:
    """Return whether a memory is kept back as private: by its tags, or as ``hidden`` has its folded id."""
    return PRIVATE in hidden and (is_private(memory.tags) or casefold(memory.id) in hidden)


def is_withheld(memory: _Memory, hidden: Collection[str]) -> bool:
    """Return whether ``hidden`` withholds a memory."""
    return MEMORIES in hidden or is_secret(memory, hidden)


def withheld_nodes(nodes: Iterable[Node], hidden: Collection[str]) -> tuple[Node, ...]:
    """Return the memories that ``hidden`` withholds."""
    return tuple(node for node in nodes if is_withheld(node, hidden))


def open_nodes(nodes: Iterable[Node], hidden: Collection[str] = (PRIVATE,)) -> tuple[Node, ...]:
    """Return memories that are not kept back as private."""
    return tuple(node for node in nodes if not is_secret(node, hidden))


def quotes(text: str, secrets: Iterable[Node]) -> bool:
    """Return whether a text quotes a memory's beginning."""
    plain = " ".join(text.split())
    return any(start in plain for node in secrets if (start := " ".join(node.description.split())[:QUOTED].rstrip()))


def bank_of(agent: Agent, archived: Iterable[Node]) -> tuple[Node, ...]:
    """Return a character's memories by number: each after its evidence."""
    nodes = (*archived, *agent.summaries, *agent.stream, *agent.beside)
    return tuple(sorted(nodes, key=lambda node: highest_number(agent.id, (node.id,))))


def select_about(bank: Sequence[Node], about: Sequence[str], ids: Iterable[str] = ()) -> tuple[Node, ...]:
    """Return what is given away, in the bank's order. What is or rests on a private one is given only by ``ids``.

    Args:
        about: Tags or words; one is enough, but all words of an item must occur. Empty = everything.
    """
    wanted = {casefold(identifier) for identifier in ids}
    secret = () if wanted else find_private(map(grounds_of, bank))
    nodes = [node for node in bank if (casefold(node.id) in wanted if wanted else casefold(node.id) not in secret)]
    if not about:
        return tuple(nodes)
    found = {id(node) for topic in about for node in find_text(nodes, topic)}
    return tuple(node for node in nodes if id(node) in found or carries(node, about))


def copy_nodes(
    receiver: str, held: Iterable[Node], known: Iterable[str], given: Sequence[Node], created: str, number: int
) -> tuple[Node, ...]:
    """Return copies for another character, without what it already has or lived itself.

    Evidence names the receiver's copy where there is one.

    Args:
        held: What the receiver has, with earlier copies.
        known: Further ids that it has copies of.
        given: In the order of the giver's bank.
    """
    there = {casefold(source): "" for source in known}
    same: dict[tuple[str, str], str] = {}
    for node in held:
        there |= {casefold(source): node.id for source in sources_of(node.metadata)}
        same[node.created, node.description] = node.id
    copies: list[Node] = []
    for node in given:
        first = _origin(node)
        parsed = parse_node_id(first)
        if parsed and casefold(parsed[0]) == casefold(receiver):
            there[casefold(node.id)] = first  # its own memory comes back
            continue
        if casefold(first) in there:
            there.setdefault(casefold(node.id), there[casefold(first)])
            continue
        if casefold(node.id) in there:
            continue
        if (node.created, node.description) in same:
            there[casefold(node.id)] = same[node.created, node.description]  # both were told the same in the same scene
            continue
        copy = _copy(node, first, render_node_id(receiver, number + len(copies)), created)
        evidence = tuple(there.get(casefold(cited)) or cited for cited in node.evidence)
        copies.append(replace(copy, evidence=tuple(dict.fromkeys(evidence))))
        there[casefold(node.id)] = there[casefold(first)] = copy.id
    return tuple(copies)


def _copy(node: Node, first: str, identifier: str, created: str) -> Node:
    was_copy = first != node.id
    details = node.metadata.get("details", {}) if was_copy else dict(node.metadata)
    lived = node.metadata.get("lived", node.created) if was_copy else node.created
    metadata = {
        "kind": COPIED,
        "copied_from": node.id,
        **({"origin": first} if was_copy else {}),
        "lived": lived,
        **({"details": details} if details else {}),
    }
    return replace(node, id=identifier, created=created, metadata=metadata)


def _origin(node: Node) -> str:
    *_, first = (node.id, *sources_of(node.metadata))
    return first


def owner_of_copy(node: Node) -> str:
    """Return who lived through a copied memory; empty when it is not a copy."""
    parsed = parse_node_id(_origin(node)) if node.copied_from else None
    return parsed[0] if parsed else ""
