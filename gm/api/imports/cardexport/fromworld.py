"""A card V3 from a character's persona, memories and lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count

from gm.api.imports.books import OWN
from gm.api.imports.cardexport.sources import Character
from gm.api.imports.cardmodel import EMPTY_V3, V3, fields_of
from gm.api.imports.owncards import CARRIED_LAYERS, FORMAT, FRONT_KEY, PART, carried_front, carried_layers
from gm.layers import LAYERS
from gm.memory.share import PRIVATE
from gm.model.node import IMPORTED, Node

Object = dict[str, object]
SUMMED_UP = ("role", "archetype", "traits", "values", "decision_style", "communication", "voice")
"""Keys of the front matter that make up ``personality``."""


def new_card(character: Character) -> Object:
    """Return the card V3 of a character.

    What other programs added to an exported card is kept.
    """
    came = fields_of(character.kept) if isinstance(character.kept, Mapping) else {}
    foreign = came.get("extensions")
    agent = character.agent
    own: Object = {
        "format": FORMAT,
        "world": character.world.settings.world.title,
        FRONT_KEY: carried_front(agent, character.held_back),
        **carried_layers(agent.mind, character.names, character.held_back),
    }
    data: Object = {
        **{key: value for key, value in came.items() if key != "character_book"},
        "name": character.name,
        "description": character.prose.strip(),
        "personality": _personality(character),
        "mes_example": "\n".join(
            "<START>\n" + "\n".join(f"{{{{char}}}}: {line}" for line in lines) for lines in character.samples
        ),
        **{key: value for key, value in EMPTY_V3.items() if key not in came},
        **({"nickname": agent.front_values.called} if agent.front_values.called else {}),
        "extensions": {**(foreign if isinstance(foreign, Mapping) else {}), OWN: own},
    }
    gifted = [node for node in character.gifted if node.metadata.get("type") != "character"]  # the persona says those
    entries = [*memory_entries(character, gifted), *layer_entries(character)]
    if entries:
        data["character_book"] = {
            "name": character.name,
            "extensions": {},
            "entries": number_entries(entries),
        }
    return {"spec": V3, "spec_version": "3.0", "data": data}


def _personality(character: Character) -> str:
    front = character.agent.front_values
    lines = []
    for key in SUMMED_UP:
        value = getattr(front, key)
        text = value if isinstance(value, str) else "; ".join(value)
        if text.strip():
            lines.append(" ".join(text.split()))
    return "\n".join(lines)


def memory_entries(character: Character, gifted: Sequence[Node], first: int = 0) -> Iterator[Object]:
    """Yield entries of seed memories and of what was lived.

    Args:
        first: Place of the first one in the book.
    """
    place = count(first)
    for nodes in (gifted, character.lived):  # their ids may be the same
        places: dict[str, int] = {}
        for node in nodes:
            evidence = [places[one] for one in node.evidence if one in places]
            places[node.id] = next(place)
            own: Object = {"type": node.type, "importance": node.importance, "evidence": evidence}
            yield _make_entry(_choose_keys(character, node), node.description, own)


def _choose_keys(character: Character, node: Node) -> list[str]:
    words = node.canonical if node.kind == IMPORTED else ()
    names = [character.names.get(about, about)] if (about := node.about) not in ("", character.agent.id) else []
    tags = [] if words else [tag.replace("-", " ") for tag in node.tags]
    return list(dict.fromkeys([*words, *names, *tags]))


def layer_entries(character: Character) -> Iterator[Object]:
    """Yield entries of layers of the mind that cards may show."""
    for layer in dict.fromkeys((*CARRIED_LAYERS, *LAYERS)):
        if layer.name in character.held_back:
            continue
        value = character.agent.mind[layer]
        if layer.open and PRIVATE in character.held_back:
            value = layer.open(value)
        own: Object = {PART: layer.name} if layer in CARRIED_LAYERS else {"type": "observation"}
        for entry in layer.card(value, character.names):
            yield _make_entry(entry.keys, entry.text, own) | {"constant": not entry.keys}


def _make_entry(keys: Sequence[str], content: str, own: Object) -> Object:
    return {
        "keys": list(keys),
        "content": content,
        "extensions": {OWN: own},
        "enabled": True,
        "case_sensitive": False,
        "use_regex": False,
        "constant": False,
    }


def number_entries(entries: Iterable[Object], first: int = 1) -> list[Object]:
    """Return entries with numbers."""
    return [{**entry, "insertion_order": number, "id": number} for number, entry in enumerate(entries, first)]
