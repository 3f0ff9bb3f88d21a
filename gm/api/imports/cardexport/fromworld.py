"""A card V3 from a character's persona, memories and lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from gm.api.imports.books import OWN
from gm.api.imports.cardexport.sources import Character
from gm.api.imports.cardmodel import EMPTY_V3, V3, fields_of
from gm.api.imports.cards import NICKNAME
from gm.api.imports.owncards import CARRIED, FORMAT, FRONT_KEY, PART, RELATIONSHIPS_KEY, SOUL_KEY
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS, Relationship
from gm.layers.soul import SOUL, soul_words
from gm.memory.share import is_private
from gm.model.callname import call_name_of
from gm.model.node import Node

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
    front = agent.persona.front if agent.persona else {}
    nickname = front.get(NICKNAME)
    own: Object = {
        "format": FORMAT,
        "world": character.world.settings.world.title,
        FRONT_KEY: {key: front[key] for key in CARRIED if key in front and key not in character.held_back},
    }
    if RELATIONSHIPS.name not in character.held_back and (said := _thoughts(character)):
        own[RELATIONSHIPS_KEY] = {_name_of_agent(character, other): text for other, text in said.items()}
    if SOUL.name not in character.held_back and (soul := soul_words(agent.mind[SOUL])):
        own[SOUL_KEY] = soul
    data: Object = {
        **{key: value for key, value in came.items() if key != "character_book"},
        "name": character.name,
        "description": character.prose.strip(),
        "personality": _personality(character),
        "mes_example": "\n".join(
            "<START>\n" + "\n".join(f"{{{{char}}}}: {line}" for line in lines) for lines in character.samples
        ),
        **{key: value for key, value in EMPTY_V3.items() if key not in came},
        **({"nickname": nickname} if isinstance(nickname, str) else {}),
        "extensions": {**(foreign if isinstance(foreign, Mapping) else {}), OWN: own},
    }
    entries = [*_memory_entries(character), *_repeat_extensions(character)]
    if entries:
        data["character_book"] = {
            "name": character.name,
            "extensions": {},
            "entries": [*map(_with_number, entries, count(1))],
        }
    return {"spec": V3, "spec_version": "3.0", "data": data}


def _personality(character: Character) -> str:
    told = character.agent.told
    lines = []
    for key in SUMMED_UP:
        value = getattr(told, key)
        text = value if isinstance(value, str) else "; ".join(value)
        if text.strip():
            lines.append(" ".join(text.split()))
    return "\n".join(lines)


def _memory_entries(character: Character) -> Iterator[Object]:
    nodes = [node for node in character.gifted if node.metadata.get("type") != "character"]  # the persona says those
    nodes += character.lived
    places = {node.id: place for place, node in enumerate(nodes)}
    for node in nodes:
        evidence = [places[one] for one in node.evidence if places.get(one, len(nodes)) < places[node.id]]
        own: Object = {"type": node.type, "importance": node.importance, "evidence": evidence}
        yield _make_entry(_choose_keys(character, node), node.description, own)


def _choose_keys(character: Character, node: Node) -> list[str]:
    canonical = node.metadata.get("canonical")
    imported = node.metadata.get("kind") == "imported" and isinstance(canonical, list)
    words = [str(word) for word in canonical] if imported and isinstance(canonical, list) else []
    about = node.metadata.get("about")
    names = (
        [_name_of_agent(character, about)] if isinstance(about, str) and about and about != character.agent.id else []
    )
    tags = [] if words else [tag.replace("-", " ") for tag in node.tags]
    return list(dict.fromkeys([*words, *names, *tags]))


def _repeat_extensions(character: Character) -> Iterator[Object]:
    """Repeat ``extensions.gm`` for other programs."""
    for other, text in _thoughts(character).items() if RELATIONSHIPS.name not in character.held_back else ():
        keys = list(dict.fromkeys([_name_of_agent(character, other), call_name_of(_name_of_agent(character, other))]))
        yield _make_entry(keys, text, {PART: RELATIONSHIPS_KEY})
    if SOUL.name not in character.held_back:
        for kind, texts in soul_words(character.agent.mind[SOUL]).items():
            yield _make_entry([], f"{kind}: " + " ".join(texts), {PART: SOUL_KEY}) | {"constant": True}
    if DIARY.name not in character.held_back:
        for written in character.agent.mind[DIARY]:
            if "private" not in character.held_back or not is_private(written.tags):
                yield _make_entry([f"day {written.day}"], written.text, {"type": "observation"})


def _thoughts(character: Character) -> dict[str, str]:
    found = {}
    for other, relationship in character.agent.mind[RELATIONSHIPS].items():
        if relationship.is_stated and other in character.world.agents:
            found[other] = _in_words(relationship)
    return found


def _in_words(relationship: Relationship) -> str:
    kind = ", ".join(filter(None, (relationship.relationship_type, relationship.emotional_tone)))
    parts: Sequence[str] = (kind, relationship.rationale, relationship.relationship_notes)
    return " ".join(text if text[-1] in ".!?…" else f"{text}." for part in parts if (text := part.strip()))


def _name_of_agent(character: Character, agent: str) -> str:
    known = character.world.agents.get(agent)
    return known.name if known else agent


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


def _with_number(entry: Object, number: int) -> Object:
    return {**entry, "insertion_order": number, "id": number}
