"""Which tags memories carry, over the days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from gm.tools.graphs.base import Cast, Graph, Lived, Span, Table, graph_id, span_finder, spans_of

MOST_SPANS = 40
MOST_TAGS = 10
NAMED = 4
"""How many tags the finding names."""


@dataclass(frozen=True, slots=True)
class Used:
    """How often tags were used.

    Attributes:
        spans: For each span of time, how many memories carry each tag.
    """

    spans: tuple[Counter[str], ...]

    def total(self) -> Counter[str]:
        """Count over all spans."""
        total: Counter[str] = Counter()
        for counter in self.spans:
            total.update(counter)
        return total


def draw_tags(cast: Cast, streams: Mapping[str, Sequence[Lived]]) -> Graph:
    """Draw how often the most used tags occur, of everybody together and of each character.

    Args:
        cast: All characters of the world.
        streams: Memories of those who are shown.
    """
    say = cast.say
    spans = spans_of((node.day for stream in streams.values() for node in stream if node.day), MOST_SPANS)
    used = {agent: count_tags(stream, spans) for agent, stream in streams.items()}
    single = next(iter(streams)) if len(streams) == 1 else ""
    everybody = used[single] if single else _together(tuple(used.values()), len(spans))
    total = everybody.total()
    choices = [] if single else [{"name": say("everybody"), **_series(everybody)}]
    choices += [{**cast.face(agent), **_series(found)} for agent, found in used.items()]
    data = {
        "spans": [{"short": span.short, "name": span.named(say)} for span in spans],
        "choices": choices,
        "words": {"whose": say("tags.whose"), "day": say("day", day="").strip()},
    }
    return Graph(
        "tags",
        graph_id("tags", single),
        say("tags.of", who=cast.called(single)) if single else say("tags.title"),
        _finding(cast, everybody, total, spans),
        say("tags.note", shown=min(MOST_TAGS, len(total)), all=say.number(len(total))) if total else "",
        _table(cast, everybody, spans),
        data if total else {},
        tuple(streams) if total else (),
    )


def count_tags(stream: Sequence[Lived], spans: Sequence[Span]) -> Used:
    """Count the tags of a stream by span; a memory that names no day is left out."""
    tags: list[list[Sequence[str]]] = [[] for _ in spans]
    if spans:
        find = span_finder(spans)
        at, into = 0, tags[0]
        for node in stream:
            day = node.day
            if day != at:
                at, into = day, tags[find(day)] if day else []
            into.append(node.tags)
    return Used(tuple(Counter(chain.from_iterable(found)) for found in tags))


def _together(used: Sequence[Used], count: int) -> Used:
    spans = tuple(Counter[str]() for _ in range(count))
    for found in used:
        for into, counter in zip(spans, found.spans, strict=True):
            into.update(counter)
    return Used(spans)


def _ranked(total: Counter[str]) -> list[tuple[str, int]]:
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def _series(used: Used) -> dict[str, Any]:
    tags = [tag for tag, _ in _ranked(used.total())[:MOST_TAGS]]
    return {"tags": tags, "values": _values(used, tags)}


def _values(used: Used, tags: Sequence[str]) -> list[list[int]]:
    return [[counter[tag] for counter in used.spans] for tag in tags]


def _finding(cast: Cast, used: Used, total: Counter[str], spans: Sequence[Span]) -> str:
    say = cast.say
    if not total:
        return say("tags.none")
    (tag, n), *others = _ranked(total)[:NAMED]
    (values,) = _values(used, [tag])
    peak = max(values)
    span = spans[values.index(peak)]
    if len(spans) > 1:
        when = say("at.days", when=span.short) if span.first != span.last else say("at", when=span.named(say))
        sentence = say("tags.finding", tag=tag, n=n, count=say.number(n), when=when, most=say.number(peak))
    else:
        sentence = say("tags.single", tag=tag, n=n, count=say.number(n))
    if others and n > 1:
        named = say.listed(f"{say('quoted', text=other)} ({say.number(count)})" for other, count in others)
        sentence += " " + say("tags.next", tags=named)
    return sentence


def _table(cast: Cast, used: Used, spans: Sequence[Span]) -> Table:
    say = cast.say
    ranked = _ranked(used.total())[:MOST_TAGS]
    values = _values(used, [tag for tag, _ in ranked])
    rows = tuple(
        (span.named(say), *(str(found[place]) for found in values)) for place, span in enumerate(spans) if values
    )
    total = (say("tags.sum"), *(say.number(n) for _, n in ranked))
    heads = (say("when"), *(tag for tag, _ in ranked))
    return Table(heads, (*rows, total) if rows else (), frozenset(range(1, len(heads))))
