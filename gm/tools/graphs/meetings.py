"""Who meets whom: in how many scenes two were together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations

from gm.tools.graphs.base import Cast, Graph, Met, Table, span_finder, spans_of

ARRIVAL = "ARRIVAL"
MOST_SPANS = 60
MOST_NAMED = 3
"""Most pairs that a sentence names."""

Pair = tuple[str, str]


def pairs_of(scene: Met, cast: Cast) -> Iterable[Pair]:
    """Name the pairs of the cast who were in a scene together, each in the order of the cast; none in an arrival."""
    if scene.type == ARRIVAL:
        return ()
    there = set(scene.cast)
    return combinations([agent for agent in cast.names if agent in there], 2)


def draw_meetings(cast: Cast, scenes: Sequence[Met]) -> Graph:
    """Draw a symmetric matrix of all pairs; the script can narrow it down to a choice of days.

    Args:
        cast: Who is in it.
        scenes: All scenes of the logbook.
    """
    say = cast.say
    spans = spans_of((scene.day for scene in scenes), MOST_SPANS)
    counts: Counter[tuple[int, str, str]] = Counter()
    if spans:
        find = span_finder(spans)
        counts.update((find(scene.day), *pair) for scene in scenes for pair in pairs_of(scene, cast))
    sums: Counter[Pair] = Counter()
    for (_, one, other), n in counts.items():
        sums[one, other] += n
    order = {agent: place for place, agent in enumerate(cast.names)}
    data = {
        "people": [cast.face(agent) for agent in cast.names],
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
    return Graph(
        "meetings",
        "meetings",
        say("meetings.title"),
        _finding(cast, sums),
        say("meetings.note"),
        _table(cast, sums),
        data if sums else {},
        tuple(cast.names) if sums else (),
    )


def _finding(cast: Cast, sums: Counter[Pair]) -> str:
    say = cast.say
    if not sums:
        return say("meetings.none")
    most = max(sums.values())
    first = [pair for pair in combinations(cast.names, 2) if sums[pair] == most]
    if len(first) == 1:
        one, other = map(cast.called, first[0])
        sentence = say("meetings.finding", one=one, other=other, n=most)
    elif len(first) <= MOST_NAMED:
        sentence = say("meetings.ties", pairs="; ".join(_named(cast, pair) for pair in first), n=most)
    else:
        one, other = map(cast.called, first[0])
        sentence = say("meetings.many", pairs=len(first), n=most, one=one, other=other)
    never = [pair for pair in combinations(cast.names, 2) if not sums[pair]]
    if not never:
        return f"{sentence} {say('meetings.all')}"
    named = [_named(cast, pair) for pair in never[:MOST_NAMED]]
    if len(never) > MOST_NAMED:
        named.append(say("meetings.more", n=len(never) - MOST_NAMED))
    return f"{sentence} {say('meetings.never', pairs='; '.join(named))}"


def _named(cast: Cast, pair: Pair) -> str:
    return cast.say("meetings.pair", one=cast.called(pair[0]), other=cast.called(pair[1]))


def _table(cast: Cast, sums: Counter[Pair]) -> Table:
    say, agents = cast.say, tuple(cast.names)
    rows = tuple(
        (
            cast.called(one),
            *("" if one == other else say.number(sums[one, other] + sums[other, one]) for other in agents),
        )
        for one in agents
    )
    return Table((say("who"), *map(cast.called, agents)), rows if sums else (), frozenset(range(1, len(agents) + 1)))
