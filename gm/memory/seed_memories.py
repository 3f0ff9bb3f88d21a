"""Seed memories: what characters know from the start, made from personas and settings.

``metadata.canonical`` holds questions that find one, since answers rarely share a word with them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.config.pages import PRIVATE_TAGS
from gm.base.languages import in_any_language
from gm.base.markup.parse import divide
from gm.memory.recall.words import chunk_text
from gm.model.callname import call_name_of
from gm.model.ids import highest_number, render_node_id
from gm.model.node import GIFTED, LESSON, Node, node_record
from gm.model.world import Agent, Sentences, find_agent

CHARACTER, SCENE, KNOWLEDGE = "character", "scene", "character_knowledge"
CATEGORIES = ("identity", "background", "communication", "decision_style", "traits", "skills", "values")
SCENE_CATEGORIES = ("location", "atmosphere", "time", "context")
OTHERS = ("other", "relationship", "observed")
WEIGHTS: Mapping[str, int] = {
    "identity": 10, "values": 9, "background": 8, "communication": 7, "decision_style": 7, "traits": 7, "skills": 7,
    "location": 6, "atmosphere": 5, "time": 5, "context": 8, "other": 6, "observed": 6, "relationship": 8, LESSON: 8,
}  # fmt: skip
"""Importance by category."""

_BREAK = re.compile(r"^[ \t]*(?:\*[ \t]*){3,}$", re.MULTILINE)
"""A line of asterisks between two texts, as between samples of speech of a card."""


@dataclass(frozen=True, slots=True)
class Gift:
    """A seed memory to be made.

    Attributes:
        type: ``character``, ``scene``, ``character_knowledge`` or ``lesson``.
        category: One of ``WEIGHTS``.
        content: At most 300 characters, except for a single longer word.
        canonical: The questions under which it is found.
        about: The agent or the place; empty = the world.
        private: Whether it stands under a heading of ``publish.headings``.
    """

    type: str
    category: str
    content: str
    canonical: tuple[str, ...]
    about: str = ""
    private: bool = False


def gifts_for(agent: Agent, cast: Mapping[str, Agent], settings: Settings, words: Sentences) -> list[Gift]:
    """Return a character's initial knowledge of itself and, from outside, of the others."""
    gifts = [*_make_own(agent, words, settings.publish.headings)]
    for other in cast.values():
        if other.id != agent.id:
            gifts += _of_other(agent, other, cast, settings, words)
    return gifts


def gifts_of_world(settings: Settings, words: Sentences) -> list[Gift]:
    """Return common knowledge: place, mood, time, context, and ``seeds.lessons``."""
    gifts: list[Gift] = []

    def add(category: str, *texts: str, about: str = "") -> None:
        gifts.extend(_pieces(SCENE, category, texts, canonical_queries(category, words), about))

    world, calendar = settings.world, settings.calendar
    if world.title or settings.places:
        add("location", words("gift_location", title=world.title, places=list(settings.places)))
    for place, text in settings.places.items():
        add("atmosphere", words("gift_atmosphere", place=place, text=text), about=place)
    if calendar.weekdays:
        add("time", words("gift_time", weekdays=list(calendar.weekdays), start=calendar.start or ""))
    for item in calendar.weekly:
        weekday, time, event = (str(item.get(key, "") or "") for key in ("weekday", "time", "event"))
        if weekday and event:
            add("time", words("gift_weekly", weekday=weekday, time=time, event=event))
    add("context", world.premise, " ".join(world.rules), settings.start.status)
    lessons = canonical_queries(LESSON, words)
    return gifts + [gift for text in settings.seeds.lessons for gift in _pieces(LESSON, LESSON, [text], lessons)]


def canonical_queries(category: str, words: Sentences, name: str = "") -> tuple[str, ...]:
    """Return the questions under which a category's memories are found.

    Args:
        category: One of ``WEIGHTS``; all about another character share their questions.
    """
    plain = name.replace("|", " ")  # "|" separates the questions
    asked = words("gift_ask_other", name=plain) if category in OTHERS else words(f"gift_ask_{category}")
    return tuple(query for part in asked.split("|") if (query := part.strip()))


def _make_own(agent: Agent, words: Sentences, private: Iterable[str]) -> Iterator[Gift]:
    front = agent.front_values
    prose = agent.persona.lasting if agent.persona else ""
    background, spoken, secret = _sections(prose, [*private])
    speech, choice = front.communication, front.decision_style
    texts = {
        "identity": [words("gift_identity", **_visible(agent)), front.description],
        "background": [front.background, *background],
        "communication": [words("gift_communication", text=speech) if speech else "", *spoken],
        "decision_style": [words("gift_decision_style", text=choice) if choice else ""],
        **{
            category: [words(f"gift_{category}", items=items) if (items := [*filter(str.strip, listed)]) else ""]
            for category, listed in (("traits", front.traits), ("skills", front.skills), ("values", front.values))
        },
    }
    for category in CATEGORIES:
        for gift in _pieces(CHARACTER, category, texts[category], canonical_queries(category, words), agent.id):
            yield replace(gift, private=gift.content in secret)


def _of_other(
    agent: Agent, other: Agent, cast: Mapping[str, Agent], settings: Settings, words: Sentences
) -> Iterator[Gift]:
    front = other.front_values
    short = front.called or call_name_of(other.name)  # not the call name, which newcomers may change
    queries = canonical_queries("other", words, short)
    if other.name != short:
        queries += canonical_queries("other", words, other.name)
    known = [words("gift_other", **_visible(other)), front.description]
    yield from _pieces(KNOWLEDGE, "other", known, queries, other.id)
    for said, sentence in ((agent.front_values.friends, "gift_friend"), (agent.front_values.quarrels, "gift_quarrel")):
        for name, text in said.items():
            if find_agent(cast, name) == other.id and text.strip():
                bond = words(sentence, name=other.name, text=text)
                yield from _pieces(KNOWLEDGE, "relationship", [bond], queries, other.id)
    speech, place = front.communication, front.home
    outside = [
        words("gift_observed", name=other.name, text=speech) if speech else "",
        words("gift_home", name=other.name, place=place) if place in settings.places else "",
    ]
    yield from _pieces(KNOWLEDGE, "observed", outside, queries, other.id)


def _visible(agent: Agent) -> dict[str, str]:
    front = agent.front_values
    return {
        "name": agent.name,
        "role": front.role,
        "pronouns": front.pronouns,
        "archetype": front.archetype,
        "age": str(front.age) if isinstance(front.age, int) else "",
    }


def _sections(prose: str, private: Collection[str]) -> tuple[list[str], list[str], list[str]]:
    voice = in_any_language(lambda one: one.voice_headings)
    background: list[str] = []
    spoken: list[str] = []
    secret: list[str] = []
    for part in divide(prose, private):
        for text in filter(None, map(str.strip, _BREAK.split("\n".join(part.lines)))):
            (spoken if casefold(part.title) in voice else background).append(text)
            secret += chunk_text(text) if part.is_named else []
    return background, spoken, secret


def _pieces(kind: str, category: str, texts: Iterable[str], canonical: tuple[str, ...], about: str = "") -> list[Gift]:
    return [Gift(kind, category, piece, canonical, about) for text in texts for piece in chunk_text(text)]


CREATED = "day-000/scene-00"
"""Before the first scene."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """Changes to a file of seed memories.

    Attributes:
        changed: By number of the line.
        dropped: Numbers of lines that no persona or setting explains any more.
        edited: Ids of memories edited by hand; they stay.
    """

    changed: Mapping[int, Node] = field(default_factory=dict)
    added: tuple[Node, ...] = ()
    dropped: tuple[int, ...] = ()
    edited: tuple[str, ...] = ()
    kept: int = 0

    @property
    def is_needed(self) -> bool:
        return bool(self.changed or self.added or self.dropped)


def make_node(identifier: str, gift: Gift) -> Node:
    """Return a gift as a memory, with its digest."""
    finer = {"kind": LESSON, "preseeded": True} if gift.type == LESSON else {"kind": GIFTED}
    node = Node(
        id=identifier,
        created=CREATED,
        type="observation",
        depth=0,
        description=gift.content,
        importance=WEIGHTS[gift.category],
        tags=PRIVATE_TAGS[:1] if gift.private else (),
        metadata={
            **finer,
            "type": gift.type,
            "category": gift.category,
            "about": gift.about,
            "canonical": list(gift.canonical),
        },
    )
    return replace(node, metadata={**node.metadata, "gift": digest_seed(node)})


def beyond_prompt(nodes: Iterable[Node]) -> tuple[Node, ...]:
    """Return seed memories that no prompt shows otherwise: lessons, and lines by hand."""
    return tuple(
        node for node in nodes if node.metadata.get("type") == LESSON or node.metadata.get("gift") != digest_seed(node)
    )


def count_not_given(lessons: Iterable[str], nodes: Iterable[Node]) -> int:
    """Count the ``seeds.lessons`` that no seed memory holds yet, edited or not."""
    given = [node for node in nodes if node.metadata.get("type") == LESSON]
    known = {node.description for node in given}
    edited = len([node for node in given if node.metadata.get("gift") != digest_seed(node)])
    missing = len([text for text in lessons if not known.issuperset(chunk_text(text))])
    return max(0, missing - edited)


def digest_seed(node: Node) -> str:
    """Return a digest that changes with any edit but of the number."""
    record = node_record(node)
    del record["id"]
    record["metadata"] = {key: value for key, value in node.metadata.items() if key != "gift"}
    return hashlib.sha256(json.dumps(record, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:12]


def renew(owner: str, lines: Sequence[tuple[int, Node]], gifts: Sequence[Gift]) -> Renewal:
    """Compare a file with what it should contain.

    Within a category and its ``about``, lines and gifts are compared in order; ``lines`` have line numbers.
    """
    made: dict[tuple[str, str, str], list[tuple[int, Node]]] = defaultdict(list)
    edited = []
    for number, node in lines:
        if "gift" in node.metadata:
            made[_group(node)].append((number, node))
            if node.metadata["gift"] != digest_seed(node):
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
