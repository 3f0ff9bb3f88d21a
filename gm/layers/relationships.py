"""What a character thinks of each other one, and its history.

The Game Master counts interactions (``scene.folding.minds.interactions``) and notes the first one. All other values
come from replies, about characters present.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.base.errors import say
from gm.base.texts import end_sentence, shorten_at_word, suggest_close, unquoted
from gm.layers import declare
from gm.layers.rules import Finding, LayerFiles
from gm.model.calendar import parse_ref
from gm.model.callname import call_name_of
from gm.model.record import Key, Record, text_key
from gm.model.world import Agent, find_agent

if TYPE_CHECKING:
    from gm.model.layer_replies import Regard
    from gm.model.world import World

TRUST = "trust_level"
COUNT = "interaction_count"
MET = "first_met_at"
STATED = ("relationship_type", TRUST, "emotional_tone", "rationale", "relationship_notes")
"""Keys that only replies set."""
HISTORY = ".history.jsonl"
LEAST_TRUST, MOST_TRUST = -1.0, 1.0
SHORT, LONG = 120, 240
"""Characters of a type or a tone, and of a longer text, that a prompt shows."""
DIGITS = 2
"""Decimal places of trust."""


@dataclass(frozen=True, slots=True)
class Relationship:
    """What a character thinks of another one; ``RELATIONSHIP`` describes the attributes.

    Source:
        Document 003, relationship graph.
    """

    relationship_type: str = ""
    trust_level: float = 0.0
    emotional_tone: str = ""
    rationale: str = ""
    interaction_count: int = 0
    first_met_at: str = ""
    relationship_notes: str = ""

    @property
    def is_stated(self) -> bool:
        """Whether a reply or a person has set any of ``STATED``."""
        return any(getattr(self, key) for key in STATED)


@dataclass(frozen=True, slots=True)
class RelationshipChange:
    """What one scene changes in a relationship.

    Attributes:
        at: The scene, as in ``created``.
        old: Replaced values, for the keys in the history.
        why: In the character's words; empty when only an interaction was counted.
    """

    other: str
    at: str
    values: Mapping[str, object]
    old: Mapping[str, object] = field(default_factory=dict)
    why: str = ""

    @property
    def is_history(self) -> bool:
        """Whether the history gets a line. Mere counting does not."""
        return any(key != COUNT for key in self.values)


def clip_trust(value: float) -> float:
    """Clip trust to its range, rounded to two decimals."""
    return round(min(MOST_TRUST, max(LEAST_TRUST, value)), DIGITS) + 0.0  # no negative zero


_TEXTS = (
    ("type", "relationship_type"),
    ("tone", "emotional_tone"),
    ("why", "rationale"),
    ("notes", "relationship_notes"),
)
RELATIONSHIP = Record(
    Relationship,
    "relationship",
    text_key(
        "relationship_type", "ally, rival, mentor, romantic_partner, neutral … free text; empty = nothing said yet"
    ),
    Key(
        TRUST,
        kinds.Kind(
            "a number",
            lambda value: kinds.is_number(value) and math.isfinite(value),
            kinds.between(LEAST_TRUST, MOST_TRUST).schema,
            keep=clip_trust,
        ),
        "a number from -1 (thinks them capable of anything) over 0 to 1 (trusts them blindly)",
        default=0.0,
        null=True,
    ),
    text_key("emotional_tone", "how it feels at the moment"),
    text_key("rationale", "why, in the character's words"),
    Key(
        COUNT,
        kinds.loose_whole(0),
        "how many scenes the two had with each other while relationships were on; the Game Master counts them",
        default=0,
        null=True,
    ),
    text_key(MET, "the first of these scenes, such as day-003/scene-04"),
    text_key("relationship_notes", "what the character wants to keep in mind about the other one"),
    code="relationship-value",
    noted=True,
    said={"trust": TRUST, **dict(_TEXTS)},
)
"""An entry of ``state/relationships/<name>.json``."""
KEYS = tuple(key.name for key in RELATIONSHIP.keys)


def render_history(change: RelationshipChange) -> str:
    """Return a line of ``state/relationships/<name>.history.jsonl``."""
    new = {key: value for key, value in change.values.items() if key != COUNT}
    record = {"at": change.at, "with": change.other, "old": dict(change.old), "new": new, "why": change.why}
    return json.dumps(record, ensure_ascii=False)


def advance_relationships(
    known: Mapping[str, Relationship], changes: Iterable[RelationshipChange]
) -> Mapping[str, Relationship]:
    """Return relationships after changes."""
    found = dict(known)
    for change in changes:
        before = found.get(change.other, Relationship())
        values: dict[str, Any] = {key: change.values.get(key, getattr(before, key)) for key in KEYS}
        found[change.other] = Relationship(**values)
    return found


Relationships = Mapping[str, Relationship]
Changes = tuple[RelationshipChange, ...]


def _fold(played: declare.PlayedScene, known: Relationships) -> declare.Folded[Changes]:
    # The last statement about a character counts.
    warnings: list[str] = []
    said = _stated(played, warnings)
    changes = tuple(
        _change(
            known.get(other, Relationship()),
            other,
            str(played.scene.ref),
            said.get(other, {}),
            counts=other in played.partners,
        )
        for other in played.scene.cast
        if other in played.partners or other in said
    )
    return declare.Folded(tuple(change for change in changes if change.values) or None, warnings)


def _stated(played: declare.PlayedScene, warnings: list[str]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    regards: list[Regard] = [regard for part in played.said for regard in part]
    for regard in regards:
        other = find_agent(played.world.agents, unquoted(regard.other))
        if other is None or other == played.agent or other not in played.scene.cast:
            warnings.append(f"relationships: {declare.quote_words(regard.other)} was not present, left out")
            continue
        found.setdefault(other, {}).update(_values(regard, warnings))
    return found


def _values(regard: Regard, warnings: list[str]) -> dict[str, object]:
    values: dict[str, object] = {}
    for said, key in _TEXTS:
        text = " ".join(getattr(regard, said).split())
        if text:
            values[key] = text
    if regard.says_trust:
        values[TRUST] = clip_trust(regard.trust)
        if abs(regard.trust) > 1:
            warnings.append(
                f"relationships: trust in {declare.quote_words(regard.other)} is {regard.trust:g}, "
                f"outside -1 … 1; taken as {values[TRUST]:g}"
            )
    return values


def _change(before: Relationship, other: str, at: str, said: dict[str, object], *, counts: bool) -> RelationshipChange:
    new = {key: value for key, value in said.items() if value != getattr(before, key)}
    old = {key: getattr(before, key) for key in new}
    if counts:
        new[COUNT] = before.interaction_count + 1
        if not before.first_met_at:
            old[MET], new[MET] = "", at
    return RelationshipChange(other, at, new, old, str(said.get("rationale", "")))


def _yield(before: Relationships, now: Relationships, changes: Changes) -> tuple[Changes, list[declare.KeptValue]]:
    left, kept = [], []
    for change in changes:
        then, there = (known.get(change.other, Relationship()) for known in (before, now))
        edited = [key for key in change.values if key != COUNT and getattr(then, key) != getattr(there, key)]
        kept += [declare.KeptValue(f"{change.other}.{key}", change.values[key], getattr(there, key)) for key in edited]
        values = {key: value for key, value in change.values.items() if key not in edited}
        old = {key: value for key, value in change.old.items() if key not in edited}
        left.append(replace(change, values=values, old=old))
    return tuple(change for change in left if change.values), kept


def _write(data: Mapping[str, object], changes: Changes) -> Iterator[declare.Keys | declare.AppendedLines]:
    # The history is written before the values.
    lines = [render_history(change) for change in changes if change.is_history]
    if lines:
        yield declare.AppendedLines(lines, HISTORY)
    for change in changes:
        known = data.get(change.other)
        # a new entry has all keys, so that a person sees them
        empty = Relationship()
        is_known = isinstance(known, Mapping) and bool(known)
        new = change.values if is_known else {key: change.values.get(key, getattr(empty, key)) for key in KEYS}
        yield declare.Keys(tuple(new), new, change.other)


def trust_text(value: float) -> str:
    """Return trust with its sign: ``+0.4``, ``0``."""
    return f"{value:+g}" if value else "0"


def _show(shown: declare.ShownMoment, known: Relationships) -> list[dict[str, object]]:
    # A question out of scene brings up those whom it names; where it names nobody, and where a day is planned, all
    # others. ``stated`` is for templates older than ``unsaid``.
    world, agent = shown.world, shown.agent
    known = _as_said(shown, known)
    found = []
    scene = shown.scene
    elsewhere = scene.cast if scene and scene.type.plan else ()
    asked = scene.about or tuple(world.agents) if scene and scene.is_asked else ()
    people = asked or (*shown.present, *elsewhere)
    for name in dict.fromkeys(people):
        if name == agent.id or name not in world.agents:
            continue
        regard = known.get(name, Relationship())
        friend, quarrel = (_from_persona(world, agent, key, name) for key in ("friends", "quarrels"))
        if name not in shown.present and not regard.is_stated and friend is quarrel is None:
            continue
        found.append(
            {
                "id": name,
                "call_name": world.agents[name].call_name,
                "stated": regard.is_stated or friend is quarrel is None,
                "unsaid": not regard.is_stated,
                "type": shorten_at_word(regard.relationship_type, SHORT),
                "trust": trust_text(regard.trust_level),
                "tone": shorten_at_word(regard.emotional_tone, SHORT),
                "why": _sentence(regard.rationale),
                "notes": _sentence(regard.relationship_notes),
                "friend": friend is not None,
                "quarrel": quarrel is not None,
                "said": friend or quarrel or "",
            }
        )
    return found


def _as_said(shown: declare.ShownMoment, known: Relationships) -> Relationships:
    # as the character's replies in the scene so far have left it
    if shown.scene is None or not shown.own:
        return known
    said = tuple(reply.relationships for reply in shown.own)
    stated = _stated(declare.PlayedScene(shown.world, shown.scene, shown.agent.id, said), [])
    changes = (RelationshipChange(other, "", values) for other, values in stated.items())
    return advance_relationships(known, changes)


def _sentence(text: str) -> str:
    return end_sentence(shorten_at_word(text, LONG))


def _from_persona(world: World, agent: Agent, key: str, name: str) -> str | None:
    named: Mapping[str, str] = getattr(agent.front_values, key)
    for other, text in named.items():
        if find_agent(world.agents, other) == name:
            return shorten_at_word(text, LONG)
    return None


def _facts(shown: declare.ShownMoment, known: Relationships) -> dict[str, object]:
    cast = shown.scene.cast if shown.scene else ()
    present = {name: known[name] for name in cast if name in known}
    return {name: {"type": item.relationship_type, "trust": item.trust_level} for name, item in present.items()}


def _card(known: Relationships, names: Mapping[str, str]) -> Iterator[declare.CardEntry]:
    for other, regard in known.items():
        if regard.is_stated and other in names:
            kind = ", ".join(filter(None, (regard.relationship_type, regard.emotional_tone)))
            parts = (part.strip() for part in (kind, regard.rationale, regard.relationship_notes))
            text = " ".join(end_sentence(part) for part in parts if part)
            yield declare.CardEntry(text, list(dict.fromkeys([names[other], call_name_of(names[other])])))


def _check(found: LayerFiles) -> Iterator[Finding]:
    for other, record in (found.data or {}).items():
        if other == found.agent or other not in found.names:
            message = f"{other!r} is {other} itself" if other == found.agent else f"{other!r} is not an agent"
            near = suggest_close(casefold(other), found.names)
            hint = near or "write the id of an agent, as the file in state/agents/ is called"
            yield Finding((other,), "relationship-agent", message, hint)
        if isinstance(record, dict):
            yield from _check_values(found, other, record)
    for ending, lines in found.beside.items():
        last: dict[tuple[str, str], object] = {}
        yield from (replace(item, beside=ending) for item in _check_history(lines, found.names, last))
        if found.data is not None:
            yield from _check_end(found.data, last)
        elif last:
            message, hint = f"there is a history, and no {found.agent}.json", "put the file back, or delete the history"
            yield Finding((), "history-alone", message, hint, beside=ending)


def _check_values(found: LayerFiles, other: str, record: Mapping[str, object]) -> Iterator[Finding]:
    trust: object = record.get(TRUST)
    met = record.get(MET)
    if kinds.is_number(trust) and not LEAST_TRUST <= trust <= MOST_TRUST:
        message = f"trust_level is {trust}, outside {LEAST_TRUST:g} … {MOST_TRUST:g}; it is read as the nearer end"
        yield Finding((other, TRUST), "trust-range", message, "-1 no trust at all, 0 neither, 1 blind trust")
    if isinstance(met, str) and met:
        if parse_ref(met) is None:
            message = say("{name} is not a scene", repr(met))
            yield Finding((other, MET), "relationship-met", message, "write day-003/scene-04, or day-003")
        yield from found.check_moment((other, MET), "relationship-future", met)


def _check_history(
    lines: Mapping[int, Mapping[str, object]], names: Collection[str], last: dict[tuple[str, str], object]
) -> Iterator[Finding]:
    # Old values continue the previous line about the same character; ``last`` gets the newest ones.
    for number, record in lines.items():
        other, new, old = (record.get(key) for key in ("with", "new", "old"))
        if not (isinstance(other, str) and isinstance(new, dict) and parse_ref(str(record.get("at")))):
            message = "no line of a history, expected at, with, old, new, why"
            yield Finding((number,), "history-form", message, "it is kept, and tells nothing")
            continue
        if other not in names:
            message = f"with is {other!r}, which is not an agent"
            yield Finding((number, "with"), "relationship-agent", message, counted=other)
        for key, value in new.items():
            before = old.get(key) if isinstance(old, dict) else None
            if (other, key) in last and before != last[other, key]:
                message = f"{key} of {other} was {before!r} here, the history left it at {last[other, key]!r}"
                hint = "changed by hand in between, or played on two branches; nothing to do"
                yield Finding((number, "old", key), "history-gap", message, hint, "info", counted="gap")
            last[other, key] = value


def _check_end(data: Mapping[str, object], last: Mapping[tuple[str, str], object]) -> Iterator[Finding]:
    for (other, key), value in last.items():
        there = data.get(other)
        now = there.get(key) if isinstance(there, dict) else None
        if now != value and key in KEYS:
            message = f"{key} of {other} is {'absent' if now is None else repr(now)}, the history ends with {value!r}"
            hint = "changed by hand, or merged; the file counts, and the next change notes what it found"
            yield Finding((other, key), "history-differs", message, hint, "info")


RELATIONSHIPS: declare.Layer[Relationships, Changes] = declare.Layer(
    name="relationships",
    empty={},
    file=declare.File(
        "relationships", declare.JSON, dict, _write, record=RELATIONSHIP, beside=(HISTORY,), check=_check
    ),
    advance=advance_relationships,
    reply=declare.LayerReply("relationships", _fold),
    view=declare.PromptView("regards", _show, []),
    about="What a character thinks of the others.",
    example='{"relationship_type": "friend", "trust_level": 0.6, "emotional_tone": "warm", "rationale": '
    '"He lent me his saw.", "interaction_count": 4, "first_met_at": "day-001/scene-02", "relationship_notes": ""}',
    sample=dict.fromkeys(("mina", "otto"), Relationship("ally", 0.5, "warm", "Text.")),
    facts=_facts,
    card=_card,
    page="relationships",
    commands=("gm mind relationships {agent}",),
    yields=_yield,
)
