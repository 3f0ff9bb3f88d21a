"""The memory stream of generative agents (``associative_memory/nodes.json``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gm.api.imports.account import Account
from gm.api.imports.arrival import Memory
from gm.api.imports.exchanges import Line, render_exchange
from gm.api.imports.fields import MOST_ITEMS, counted, items_of, line_of, name_of, object_of, whole_of
from gm.api.imports.keeping import sentence_of
from gm.api.words.speech import Words
from gm.base.texts import is_digits

TYPES: Mapping[str, str] = {"event": "observation", "thought": "reflection", "chat": "conversation"}
PREFIX = "node_"
NOTHING = ("idle", "blank")
"""Objects of nodes that say that nothing happened: most nodes of a stream."""
MOST_TAGS, MOST_WORDS = 6, 20
EMPTY_WORDS = {"be", "is", "are", "have", "has", "do", "idle", "used", "plan"}
"""Key words that every second node has."""


def speakers_in(nodes: object) -> set[str]:
    """Return the names of those who speak in the chats of a stream."""
    chats = (node for _, node in _in_order(nodes) if node.get("type") == "chat")
    return {line.who for node in chats for line in _lines(node) if line.who}


def read_nodes(nodes: object, owner: str, others: set[str], words: Words, account: Account) -> list[Memory]:
    """Return memories, oldest first; ``evidence`` are places among them.

    Args:
        owner: Name of whose stream it is.
        others: Names of all others.
    """
    found: list[Memory] = []
    places: dict[str, int] = {}
    nothing = unreadable = 0
    for name, node in _in_order(nodes):
        kind, text = node.get("type"), sentence_of(node.get("description"))
        if not isinstance(kind, str) or kind not in TYPES or not text:
            unreadable += 1
            continue
        if line_of(node.get("object")) in NOTHING:
            nothing += 1
            continue
        places[name] = len(found)
        found.append(_memory(node, TYPES[kind], text, owner, others, places, words))
    if found:
        account.took(
            "associative_memory", "memories from before the story, with their importance and what they rest on"
        )
    if nothing:
        account.leave("associative_memory", f"{counted(nothing, 'node')} in which nothing happens (“… is idle”)")
    if unreadable:
        account.leave(
            "associative_memory", f"{counted(unreadable, 'node')} without a description, or of an unknown type"
        )
    return found


def _in_order(nodes: object) -> list[tuple[str, Mapping[str, object]]]:
    """Return nodes with their ids, oldest first; the file has the newest first."""
    named = [(name, object_of(node)) for name, node in object_of(nodes).items()]
    named.reverse()
    return sorted(named, key=lambda pair: _number(pair[0]))


def _number(name: str) -> int:
    digits = name.removeprefix(PREFIX)
    return int(digits) if is_digits(digits) else 0


def _memory(
    node: Mapping[str, object],
    kind: str,
    text: str,
    owner: str,
    others: set[str],
    places: Mapping[str, int],
    words: Words,
) -> Memory:
    lines = list(_lines(node)) if kind == "conversation" else []
    named = [line_of(node.get(key)) for key in ("subject", "object")] + [line.who for line in lines]
    about = tuple(sorted({name for name in named if name in others}))
    filling = node.get("filling")
    cited = [filling] if isinstance(filling, str) else items_of(filling)
    evidence = tuple(places[name] for name in cited[:MOST_ITEMS] if isinstance(name, str) and name in places)
    return Memory(
        render_exchange(lines, words, text) if lines else text,
        kind,
        whole_of(node.get("poignancy"), 1, 10),
        tuple(_tags(node.get("keywords"), owner)),
        about,
        evidence=evidence if kind == "reflection" else (),
    )


def _lines(node: Mapping[str, object]) -> Iterator[Line]:
    """Yield the lines of a chat: pairs of a name and what is said."""
    for pair in map(items_of, items_of(node.get("filling"))):
        if len(pair) == 2 and (said := sentence_of(pair[1])):
            yield Line(name_of(pair[0]), said)


def _tags(keywords: object, owner: str) -> Iterator[str]:
    plain = (line_of(word).lower().rpartition(":")[2] for word in items_of(keywords)[:MOST_WORDS])
    useful = [word for word in dict.fromkeys(plain) if word not in EMPTY_WORDS and word != owner.lower()]
    yield from filter(None, useful[:MOST_TAGS])
