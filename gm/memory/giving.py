"""Bring a file of gifted memories up to date: what changed is rewritten, what a person wrote stays (S0-03).

Every memory that is made carries ``metadata.gift``, a digest of itself. A line without it was written by a person; a
line that its digest does not fit was edited by one. Both are left alone.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gm.memory.chunk import chunk_text
from gm.memory.gifted import LESSON, WEIGHTS, Gift
from gm.model.ids import highest_number, render_node_id
from gm.model.node import Node, node_record

WORLD = "_world"
"""Whose file holds what everybody knows; no agent can be called so."""
CREATED = "day-000/scene-00"
"""Before the first scene."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """What becomes of a file of gifted memories.

    Attributes:
        changed: New memories in the place of lines, by number of the line.
        added: Memories for the end of the file.
        dropped: Numbers of lines whose content no persona or setting has any more.
        edited: Ids of memories that a person has edited; they stay.
        kept: How many lines stay as they are, written by whomever.
    """

    changed: Mapping[int, Node] = field(default_factory=dict)
    added: tuple[Node, ...] = ()
    dropped: tuple[int, ...] = ()
    edited: tuple[str, ...] = ()
    kept: int = 0

    @property
    def is_needed(self) -> bool:
        """Whether anything changes."""
        return bool(self.changed or self.added or self.dropped)


def make_node(identifier: str, gift: Gift) -> Node:
    """Put a gift into the form of a memory, with its digest."""
    finer = {"kind": "lesson", "preseeded": True} if gift.type == LESSON else {"kind": "gifted"}
    node = Node(
        id=identifier,
        created=CREATED,
        type="observation",
        depth=0,
        description=gift.content,
        importance=WEIGHTS[gift.category],
        metadata={
            **finer,
            "type": gift.type,
            "category": gift.category,
            "about": gift.about,
            "canonical": list(gift.canonical),
        },
    )
    return replace(node, metadata={**node.metadata, "gift": digest_of(node)})


def beyond_prompt(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Keep the seed memories that no prompt shows otherwise: lessons, and what a person has written or edited.

    The others repeat the persona, the cast and the world, which stand in each prompt.
    """
    return tuple(
        node for node in nodes if node.metadata.get("type") == LESSON or node.metadata.get("gift") != digest_of(node)
    )


def count_not_given(lessons: Iterable[str], nodes: Iterable[Node]) -> int:
    """Count the lessons that no seed memory holds yet; one that a person has edited still counts as given.

    Args:
        lessons: The setting ``seeds.lessons``.
        nodes: The seed memories of the world.
    """
    given = [node for node in nodes if node.metadata.get("type") == LESSON]
    known = {node.description for node in given}
    edited = len([node for node in given if node.metadata.get("gift") != digest_of(node)])
    missing = len([text for text in lessons if not known.issuperset(chunk_text(text))])
    return max(0, missing - edited)


def digest_of(node: Node) -> str:
    """Tell a memory from any edited form of it, whatever its number is."""
    record = node_record(node)
    del record["id"]
    record["metadata"] = {key: value for key, value in node.metadata.items() if key != "gift"}
    return hashlib.sha256(json.dumps(record, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def renew(owner: str, lines: Sequence[tuple[int, Node]], gifts: Sequence[Gift]) -> Renewal:
    """Hold a file against what it should say.

    Memories of one category and about one person or place follow each other in the order of what they are made from:
    the first line is held against the first gift, and so on.

    Args:
        owner: Whose file it is.
        lines: Its memories with the numbers of their lines.
        gifts: What it should say.
    """
    made: dict[tuple[str, str, str], list[tuple[int, Node]]] = defaultdict(list)
    edited = []
    for number, node in lines:
        if "gift" in node.metadata:
            made[_group(node)].append((number, node))
            if node.metadata["gift"] != digest_of(node):
                edited.append(node.id)
    changed: dict[int, Node] = {}
    added: list[Node] = []
    following = highest_number(owner, (node.id for _, node in lines)) + 1
    for gift in gifts:
        group = made[gift.type, gift.category, gift.about]
        if not group:
            added.append(make_node(render_node_id(owner, following), gift))
            following += 1
            continue
        number, old = group.pop(0)
        new = make_node(old.id, gift)
        if old.id not in edited and new != old:
            changed[number] = new
    left = [item for group in made.values() for item in group]
    dropped = tuple(sorted(number for number, node in left if node.id not in edited))
    return Renewal(changed, tuple(added), dropped, tuple(edited), len(lines) - len(changed) - len(dropped))


def _group(node: Node) -> tuple[str, str, str]:
    kind, category, about = (str(node.metadata.get(key, "")) for key in ("type", "category", "about"))
    return kind, category, about
