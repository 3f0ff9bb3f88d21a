"""Cards exported by gm: what ``extensions.gm`` adds to a card's fields.

They are untrusted all the same: nothing in them can choose a model, settings or lenses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gm.api.imports.books import LoreEntry, own_part
from gm.layers.declare import AnyLayer
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL, SOUL_KINDS
from gm.model.front import CALLED, FRONT
from gm.model.mind import Mind
from gm.model.world import Agent

FORMAT = 1
LEFT_OUT = ("name", CALLED, "model", "mode", "rag", "lenses", "until_now")
"""Keys of the front matter that no card carries."""
CARRIED = tuple(key.name for key in FRONT.keys if key.name not in LEFT_OUT)
FRONT_KEY, PART = "front", "part"
CARRIED_LAYERS: tuple[AnyLayer, ...] = (RELATIONSHIPS, SOUL)
"""Layers that come back with a card; its book repeats them for other programs."""


def own_card(extensions: object) -> Mapping[str, object]:
    """Return what gm has written into a card as a whole; empty if gm did not make it."""
    own = own_part(extensions)
    return own if str(own.get("format")) == str(FORMAT) else {}


def carried_part(extensions: object) -> Mapping[str, object]:
    """Return what gm has written into a card, be it gm's or a kept one, which has no format of gm."""
    own = own_part(extensions)
    return own if str(own.get("format", FORMAT)) == str(FORMAT) else {}


def front_of(own: Mapping[str, object]) -> dict[str, object]:
    """Return a card's front matter, unvalidated."""
    front = own.get(FRONT_KEY)
    return {key: front[key] for key in CARRIED if key in front} if isinstance(front, Mapping) else {}


def carried_layers(mind: Mind, names: Mapping[str, str], held_back: Collection[str]) -> dict[str, object]:
    """Return what ``relationships_of`` and ``soul_of`` read again; ``names`` are those of characters by id."""
    said = {entry.keys[0]: entry.text for entry in RELATIONSHIPS.card(mind[RELATIONSHIPS], names)}
    parts = {RELATIONSHIPS.name: said, SOUL.name: SOUL.words(mind[SOUL])}
    return {name: part for name, part in parts.items() if part and name not in held_back}


def carried_front(agent: Agent, held_back: Collection[str]) -> dict[str, object]:
    """Return what ``front_of`` reads again."""
    front = agent.persona.front if agent.persona else {}
    return {key: front[key] for key in CARRIED if key in front and key not in held_back}


def relationships_of(own: Mapping[str, object]) -> dict[str, str]:
    """Return what the character thinks of others, by name."""
    said = own.get(RELATIONSHIPS.name)
    return (
        {str(name): text for name, text in said.items() if isinstance(text, str)} if isinstance(said, Mapping) else {}
    )


def soul_of(own: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Return a soul's sentences by list."""
    soul = own.get(SOUL.name)
    found: dict[str, tuple[str, ...]] = {}
    for kind in SOUL_KINDS.values():
        texts = soul.get(kind) if isinstance(soul, Mapping) else None
        if isinstance(texts, list):
            found[kind] = tuple(text for text in texts if isinstance(text, str))
    return found


def is_told_twice(entry: LoreEntry) -> bool:
    """Return whether an entry repeats ``extensions.gm`` for other programs."""
    return entry.own.get(PART) in [layer.name for layer in CARRIED_LAYERS]
