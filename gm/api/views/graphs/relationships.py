"""Relationships; without that layer, the number of common scenes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

from gm.api.views.graphs.base import (
    MOST_SPANS,
    Cast,
    Graph,
    GraphContent,
    GraphTable,
    GraphWords,
    Met,
    divide_days,
    make_graph,
    span_finder,
)
from gm.base.languages import language_of
from gm.layers.relationships import Relationship
from gm.model.scene import ARRIVAL

MOST_NAMED = 3
"""Maximum number of pairs named in a sentence."""

Pair = tuple[str, str]
Regards = Mapping[str, Mapping[str, Relationship]]
"""Relationships by agent id and other agent's id."""


def pairs_of(scene: Met, cast: Cast) -> Iterable[Pair]:
    """Return the pairs of characters in a scene, in the order of the cast; none in an arrival."""
    if scene.type == ARRIVAL:
        return ()
    there = set(scene.cast)
    return combinations([agent for agent in cast.names if agent in there], 2)


def draw_meetings(cast: Cast, scenes: Sequence[Met]) -> Graph:
    """Draw a symmetric matrix of common scenes, which the script can limit to some days."""
    say = cast.say
    spans = divide_days((scene.day for scene in scenes), MOST_SPANS)
    counts: Counter[tuple[int, str, str]] = Counter()
    if spans:
        find = span_finder(spans)
        counts.update((find(scene.day), *pair) for scene in scenes for pair in pairs_of(scene, cast))
    sums: Counter[Pair] = Counter()
    for (_, one, other), n in counts.items():
        sums[one, other] += n
    order = {agent: place for place, agent in enumerate(cast.names)}
    data = {
        "people": [cast.shown_agent(agent) for agent in cast.names],
        "spans": [{"short": span.short, "name": span.named(say)} for span in spans],
        "counts": [[span, order[one], order[other], n] for (span, one, other), n in sorted(counts.items())],
        "words": {
            "from": say("meetings.from"),
            "to": say("meetings.to"),
            "pair": say("meetings.pair", one="{one}", other="{other}"),
            "scenes": say("meetings.scenes", n="{n}"),
            "scene": say("meetings.scenes", n=1),
        },
    }
    finding, table = _finding_of_meetings(cast, sums), _table_of_meetings(cast, sums)
    title, note = say("meetings.title"), say("meetings.note")
    return make_graph(
        "meetings", GraphWords(title, finding, note), GraphContent(table, data, cast.names if sums else ())
    )


def _finding_of_meetings(cast: Cast, sums: Counter[Pair]) -> str:
    say = cast.say
    if not sums:
        return say("meetings.none")
    most = max(sums.values())
    first = [pair for pair in combinations(cast.names, 2) if sums[pair] == most]
    if len(first) == 1:
        one, other = map(cast.called, first[0])
        sentence = say("meetings.finding", one=one, other=other, n=most)
    elif len(first) <= MOST_NAMED:
        sentence = say("meetings.ties", pairs="; ".join(_pair_name(cast, pair) for pair in first), n=most)
    else:
        one, other = map(cast.called, first[0])
        sentence = say("meetings.many", pairs=len(first), n=most, one=one, other=other)
    never = [pair for pair in combinations(cast.names, 2) if not sums[pair]]
    if not never:
        return f"{sentence} {say('meetings.all')}"
    named = [_pair_name(cast, pair) for pair in never[:MOST_NAMED]]
    if len(never) > MOST_NAMED:
        named.append(say("meetings.more", n=len(never) - MOST_NAMED))
    return f"{sentence} {say('meetings.never', pairs='; '.join(named))}"


def _pair_name(cast: Cast, pair: Pair) -> str:
    return cast.say("meetings.pair", one=cast.called(pair[0]), other=cast.called(pair[1]))


def _table_of_meetings(cast: Cast, sums: Counter[Pair]) -> GraphTable:
    say, agents = cast.say, tuple(cast.names)
    rows = tuple(
        (
            cast.called(one),
            *("" if one == other else say.number(sums[one, other] + sums[other, one]) for other in agents),
        )
        for one in agents
    )
    return GraphTable(
        (say("who"), *map(cast.called, agents)), rows if sums else (), frozenset(range(1, len(agents) + 1))
    )


def draw_relationships(cast: Cast, regards: Regards | None, scenes: Sequence[Met]) -> Graph:
    """Draw characters as nodes and their relationships as edges.

    Args:
        regards: None = the layer is off: edges are common scenes.
    """
    return _draw_met(cast, scenes) if regards is None else _draw_regards(cast, regards)


def _draw_regards(cast: Cast, regards: Regards) -> Graph:
    say = cast.say
    stated = [
        (agent, other, regard)
        for agent in cast.names
        for other, regard in regards.get(agent, {}).items()
        if other in cast.names and other != agent and regard.is_stated
    ]
    edges = [
        {
            "from": agent,
            "to": other,
            "trust": regard.trust_level,
            "label": ", ".join(filter(None, (_format_trust(cast, regard.trust_level), regard.emotional_tone))),
            "type": regard.relationship_type,
        }
        for agent, other, regard in stated
    ]
    rows = tuple(
        (
            cast.called(agent),
            cast.called(other),
            _format_trust(cast, regard.trust_level),
            regard.emotional_tone,
            regard.relationship_type,
        )
        for agent, other, regard in stated
    )
    heads = tuple(say(f"relationships.{key}") for key in ("from", "to", "trust", "tone", "type"))
    note = say("relationships.note", said=len(stated), all=len(cast.names) * (len(cast.names) - 1))
    return _graph(
        cast, _state_finding(cast, stated), note, GraphTable(heads, rows, frozenset({2})), edges, directed=True
    )


def _state_finding(cast: Cast, stated: Sequence[tuple[str, str, Relationship]]) -> str:
    say = cast.say
    if not stated:
        return say("relationships.none")
    most = max(stated, key=lambda item: item[2].trust_level)
    least = min(stated, key=lambda item: item[2].trust_level)
    ties = sum(item[2].trust_level == most[2].trust_level for item in stated)
    if ties > 1:
        sentence = say("relationships.most", n=ties, **_relationship_words(cast, most))
    else:
        sentence = say("relationships.finding", **_relationship_words(cast, most))
    if least[2].trust_level < most[2].trust_level:
        sentence += " " + say("relationships.least", **_relationship_words(cast, least))
    return sentence


def _relationship_words(cast: Cast, item: tuple[str, str, Relationship]) -> dict[str, str]:
    agent, other, regard = item
    tone = f", {cast.say('quoted', text=regard.emotional_tone)}" if regard.emotional_tone else ""
    return {
        "who": cast.called(agent),
        "whom": cast.called(other),
        "trust": _format_trust(cast, regard.trust_level),
        "tone": tone,
    }


def _format_trust(cast: Cast, trust: float) -> str:
    return cast.say.signed(trust, 2 if trust else 0)


def _draw_met(cast: Cast, scenes: Sequence[Met]) -> Graph:
    say = cast.say
    types: dict[Pair, Counter[str]] = {}
    for scene in scenes:
        for pair in pairs_of(scene, cast):
            types.setdefault(pair, Counter())[scene.type] += 1
    found = sorted(types.items(), key=lambda item: (-item[1].total(), item[0]))
    edges = [
        {"from": one, "to": other, "count": kinds.total(), "label": str(kinds.total()), "type": _kinds(cast, kinds)}
        for (one, other), kinds in found
    ]
    rows = tuple(
        (cast.called(one), cast.called(other), say.number(kinds.total()), _kinds(cast, kinds))
        for (one, other), kinds in found
    )
    heads = (say("who"), say("relationships.with"), say("relationships.scenes"), say("relationships.types"))
    finding = say("relationships.unmet")
    if found:
        (one, other), kinds = found[0]
        kind = kinds.most_common(1)[0][0]
        finding = say(
            "relationships.met",
            one=cast.called(one),
            other=cast.called(other),
            n=kinds.total(),
            type=_name_scene_type(cast, kind),
        )
    table = GraphTable(heads, rows, frozenset({2}))
    return _graph(cast, finding, say("relationships.off"), table, edges, directed=False)


def _kinds(cast: Cast, kinds: Counter[str]) -> str:
    return ", ".join(f"{_name_scene_type(cast, kind)} {n}" for kind, n in kinds.most_common())


def _graph(
    cast: Cast, finding: str, note: str, table: GraphTable, edges: Sequence[Mapping[str, Any]], *, directed: bool
) -> Graph:
    say = cast.say
    views = [{"agent": "", "way": "", "name": say("everybody")}]
    ways = (("of", "from"), ("about", "to")) if directed else (("only", "both"),)
    for agent in cast.names:
        for phrase, way in ways:
            name = say(f"relationships.{phrase}", who=cast.called(agent))
            views.append({"agent": agent, "way": way, "name": name})
    data = {
        "directed": directed,
        "people": [cast.shown_agent(agent) for agent in cast.names],
        "edges": list(edges),
        "views": views,
        "words": {"view": say("relationships.view")},
    }
    return make_graph(
        "relationships",
        GraphWords(say("relationships.title"), finding, note),
        GraphContent(table, data, cast.names if edges else ()),
    )


def _name_scene_type(cast: Cast, kind: str) -> str:
    word = cast.say.known("scene_type", kind, "")
    return (word if language_of(cast.say.language).capital_nouns else word.lower()) or kind
