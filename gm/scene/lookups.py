"""Memories of texts that were read, and of calls of memory tools."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gm.base.casefold import casefold, shorten
from gm.model.consulted import Consulted
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.ledger import Ledger, NewNode, Words, noticed

READ_IMPORTANCE = 5
GIST_CHARACTERS = 220
MOST_TITLE_TAGS = 4
_LINES = re.compile(r":[0-9]+(-[0-9]+)?\Z")
_TITLE_WORD = re.compile(r"\w{4,}")


def add_read(ledger: Ledger, scene: Scene, words: Words) -> Mapping[str, Mapping[str, str]]:
    """Add an observation for each text that the cast has read.

    Returns:
        For each reader, ids of these observations by the text's path and by the place of each passage.
    """
    cited: dict[str, dict[str, str]] = {}
    for reader in scene.cast if scene.passages else ():
        known = cited.setdefault(reader, {})
        for passage in scene.passages:
            if passage.source not in known:
                known[passage.source] = _add(ledger, reader, passage, words)
            known[passage.place] = known[passage.source]
    return cited


def resolve(item: str, cited: Mapping[str, str]) -> str:
    """Return the memory id for a place in the library; other evidence unchanged."""
    place = item.strip().strip("`")
    return cited.get(place) or cited.get(_LINES.sub("", place)) or item


def _add(ledger: Ledger, reader: str, passage: Passage, words: Words) -> str:
    gist = shorten(_plain(passage.text), GIST_CHARACTERS)
    text = words("read", title=passage.title, author=passage.author, gist=gist)
    tags, lines = ("library", *_title_tags(passage.title)), [passage.first, passage.last]
    node = ledger.add(reader, noticed(text, READ_IMPORTANCE, tags, kind="read", source=passage.source, lines=lines))
    return node.id


def _title_tags(title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(casefold(word) for word in _TITLE_WORD.findall(title)))[:MOST_TITLE_TAGS]


def _plain(text: str) -> str:
    return " ".join(line.strip().lstrip(">*- ") for line in text.splitlines() if not line.lstrip().startswith("#"))


CARE_WANTED = "care_wanted"
"""Key of an agent's file: self-care is requested and outstanding."""


def add_formed(ledger: Ledger, agent: str, consulted: Iterable[Consulted]) -> None:
    """Add the memories that a character has formed with tools; duplicates are kept once."""
    for formed in (formed for item in consulted for formed in item.formed):
        ledger.add_once(
            agent, NewNode(formed.description, formed.importance, formed.type, formed.tags, metadata=formed.metadata)
        )


def reinforced_in(consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Return the ids of memories that characters wanted to keep, with repetitions."""
    return tuple(identifier for item in consulted for identifier in item.reinforced)


def wants_care(consulted: Iterable[Consulted]) -> bool:
    """Return whether a character has asked for self-care with the tools."""
    return any(item.care for item in consulted)


def recalled_in(world: World, ledger: Ledger, consulted: Iterable[Consulted]) -> tuple[str, ...]:
    """Return ids of old memories that were recalled or are cited by new ones; empty without decay."""
    if not world.settings.decay.enabled:
        return ()
    came_up = [identifier for item in consulted for identifier in item.recalled]
    cited = [identifier for nodes in ledger.nodes.values() for node in nodes for identifier in node.evidence]
    new = {node.id for nodes in ledger.nodes.values() for node in nodes}
    return tuple(identifier for identifier in dict.fromkeys((*came_up, *cited)) if identifier not in new)
