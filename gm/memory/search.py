"""Find memories by their words, without an index."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gm.base.casefold import casefold_tag, search_key
from gm.model.node import Node


def find_text(nodes: Iterable[Node], text: str) -> Iterator[Node]:
    """Yield the nodes with all words of a text in description and tags; an empty text is in every node.

    Case, Unicode form and the spelling of umlauts make no difference; a part of a word is enough.
    """
    words = search_key(text).split()
    for node in nodes:
        inside = search_key(" ".join((node.description, *node.tags)))
        if all(word in inside for word in words):
            yield node


def carries(node: Node, tags: Iterable[str]) -> bool:
    """Return whether a node carries one of the tags."""
    own = {casefold_tag(tag) for tag in node.tags}
    return any(casefold_tag(tag) in own for tag in tags)
