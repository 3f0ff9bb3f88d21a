"""Files that an import makes, as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from dataclasses import replace

import yaml

from gm.api.imports.arrival import ImportedPerson, Lore, Memory
from gm.api.imports.fields import MOST_ITEMS, clean_line, clean_text, clean_value
from gm.base.frontmatter import FENCE
from gm.memory.importance import rate_by_rule
from gm.memory.reflect import depth_of
from gm.memory.seed_memories import CREATED
from gm.model.front import FRONT
from gm.model.ids import highest_number, render_node_id
from gm.model.node import IMPORTED, Node
from gm.scene.ledger import clean_tags

WIDTH = 120
LONGEST_KEY = 200
"""Characters of a tag or a canonical query; longer ones are not words of a talk."""
MOST_QUERIES = 50
"""Canonical queries of one memory."""

Find = Callable[[str], str | None]
"""Returns the id of the character who is called so."""


def persona_front(
    person: ImportedPerson, places: Mapping[str, str], find: Find
) -> tuple[dict[str, object], list[tuple[str, str]]]:
    """Return the front matter of a persona, and what was left aside with reasons."""
    left: list[tuple[str, str]] = []
    front = {"name": clean_line(person.name)} | {
        key: clean_value(value) for key, value in person.front.items() if key != "name" and value
    }
    for key, value in person.front.items():
        if isinstance(value, Sized) and not isinstance(value, str) and len(value) > MOST_ITEMS:
            left.append((key, f"only the first {MOST_ITEMS} of {len(value):,}"))
    for key in ("friends", "quarrels"):
        bonds = front.get(key)
        if isinstance(bonds, Mapping):
            front[key] = {other: text for name, text in bonds.items() if (other := find(name))}
            left += [(f"{key}: {name}", "no character of the world has this name") for name in bonds if not find(name)]
    for problem in list(FRONT.problems(front)):
        key = str(problem.key)
        if key in front:
            del front[key]
            left.append((key, problem.message))
    if "home" in front and front["home"] not in places:
        left.append((f"home: {front.pop('home')}", "there is no such place"))
    return {key: value for key, value in front.items() if value}, left


def lore_text(lore: Lore) -> str:
    """Return a library file."""
    front: dict[str, object] = {"title": clean_line(lore.title)}
    if tags := [tag for tag in map(clean_line, lore.tags) if tag]:
        front["tags"] = tags
    return text_with_front(front, lore.text)


def text_with_front(front: Mapping[str, object], text: str) -> str:
    """Return a Markdown text under its front matter."""
    head = yaml.safe_dump(dict(front), allow_unicode=True, sort_keys=False, width=WIDTH)
    return f"{FENCE}\n{head}{FENCE}\n{clean_text(text)}\n"


def renumber_memories(owner: str, nodes: Iterable[Node], known: Iterable[str]) -> tuple[Node, ...]:
    """Return memories with ids after the known ones."""
    following = highest_number(owner, known) + 1
    return tuple(replace(node, id=render_node_id(owner, following + place)) for place, node in enumerate(nodes))


def memory_nodes(
    owner: str, memories: Sequence[Memory], there: Iterable[Node], known: Iterable[str], language: str, find: Find
) -> tuple[Node, ...]:
    """Return seed memories as nodes. Without a digest they count as handwritten, and gm gift keeps them.

    Args:
        there: What the character has; repeats are dropped, except entries of books.
    """
    following = highest_number(owner, known) + 1
    same = {(node.type, node.description): node for node in there}
    nodes: dict[int, Node] = {}
    added: list[Node] = []
    for place, memory in enumerate(memories):
        text = clean_line(memory.text)
        if not text:
            continue
        kind = memory.type
        if memory.entry is None and (kind, text) in same:  # pieces of an entry may be alike
            nodes[place] = same[kind, text]
            continue
        evidence = [nodes[other] for other in memory.evidence if other in nodes]
        about = [find(name) or name for name in map(clean_line, memory.about)]
        queries = dict.fromkeys(query for query in map(clean_line, memory.queries) if 0 < len(query) <= LONGEST_KEY)
        nodes[place] = Node(
            id=render_node_id(owner, following + len(added)),
            created=CREATED,
            type=kind,
            depth=depth_of(kind, [node.depth for node in evidence]),
            description=text,
            importance=min(10, max(1, memory.importance or rate_by_rule(text, language))),
            tags=_clean_tags(memory, owner, find),
            evidence=tuple(dict.fromkeys(node.id for node in evidence)),
            metadata={
                "kind": IMPORTED,
                **({} if memory.entry is None else {"entry": memory.entry}),
                **({"about": about[0] if len(about) == 1 else about} if about else {}),
                **({"canonical": list(queries)[:MOST_QUERIES]} if queries else {}),
            },
        )
        added.append(nodes[place])
        same[kind, text] = nodes[place]
    return tuple(added)


def _clean_tags(memory: Memory, owner: str, find: Find) -> tuple[str, ...]:
    """Return tags; names become ids, except in entries."""
    tags = [tag for tag in map(clean_line, memory.tags) if len(tag) <= LONGEST_KEY]
    return clean_tags([find(tag) or tag for tag in tags] if memory.entry is None else tags, owner)
