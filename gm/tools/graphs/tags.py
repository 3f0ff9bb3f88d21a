"""Which tags memories carry, over the days."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gm.tools.graphs.base import Cast, Graph, Lived, Span, Table, graph_id, span_finder, spans_of

MOST_SPANS = 40
MOST_TAGS = 10
NAMED = 4
"""How many tags the finding names."""


@dataclass(frozen=True, slots=True)
class Used:
    """How often tags were used.

    Attributes:
        days: By day, how many memories carry each tag.
    """

    days: Mapping[int, Counter[str]]

    def total(self) -> Counter[str]:
        """Count over all days."""
        total: Counter[str] = Counter()
        for counter in self.days.values():
            total.update(counter)
        return total


def draw_tags(cast: Cast, streams: Mapping[str, Sequence[Lived]]) -> Graph:
    """Draw how often the most used tags occur, of everybody together and of each character.

    Args:
        cast: All characters of the world.
        streams: Memories of those who are shown.
    """
    say = cast.say
    used = {agent: count_tags(stream) for agent, stream in streams.items()}
    single = next(iter(streams)) if len(streams) == 1 else ""
    everybody = used[single] if single else _together(used.values())
    spans = spans_of(everybody.days, MOST_SPANS)
    total = everybody.total()
    choices = [{"name": say("everybody"), **_series(everybody, spans)}] if not single else []
    choices += [{**cast.face(agent), **_series(found, spans)} for agent, found in used.items()]
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


def count_tags(stream: Sequence[Lived]) -> Used:
    """Count the tags of a stream by day; a memory that names no day is left out."""
    days: dict[int, Counter[str]] = {}
    at, counter = 0, Counter[str]()
    for node in stream:
        if node.day != at:
            at = node.day
            counter = days.setdefault(at, Counter()) if at else Counter()
        for tag in node.tags:
            counter[tag] += 1
    return Used(days)


def _together(used: Iterable[Used]) -> Used:
    days: dict[int, Counter[str]] = {}
    for found in used:
        for day, counter in found.days.items():
            days.setdefault(day, Counter()).update(counter)
    return Used(days)


def _ranked(total: Counter[str]) -> list[tuple[str, int]]:
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def _series(used: Used, spans: Sequence[Span]) -> dict[str, list[object]]:
    tags = [tag for tag, _ in _ranked(used.total())[:MOST_TAGS]]
    return {"tags": list(tags), "values": list(_values(used, spans, tags))}


def _values(used: Used, spans: Sequence[Span], tags: Sequence[str]) -> list[list[int]]:
    values = [[0] * len(spans) for _ in tags]
    if spans:
        find = span_finder(spans)
        for day, counter in used.days.items():
            span = find(day)
            for place, tag in enumerate(tags):
                values[place][span] += counter[tag]
    return values


def _finding(cast: Cast, used: Used, total: Counter[str], spans: Sequence[Span]) -> str:
    say = cast.say
    if not total:
        return say("tags.none")
    (tag, n), *others = _ranked(total)[:NAMED]
    (values,) = _values(used, spans, [tag])
    peak = max(values)
    span = spans[values.index(peak)]
    if len(spans) > 1:
        when = say("at.days", when=span.short) if span.first != span.last else say("at", when=span.named(say))
        sentence = say("tags.finding", tag=tag, n=say.number(n), when=when, most=say.number(peak))
    else:
        sentence = say("tags.single", tag=tag, n=say.number(n))
    if others:
        named = say.listed(f"{say('quoted', text=other)} ({say.number(count)})" for other, count in others)
        sentence += " " + say("tags.next", tags=named)
    return sentence


def _table(cast: Cast, used: Used, spans: Sequence[Span]) -> Table:
    say = cast.say
    ranked = _ranked(used.total())[:MOST_TAGS]
    values = _values(used, spans, [tag for tag, _ in ranked])
    rows = tuple(
        (span.named(say), *(str(found[place]) for found in values)) for place, span in enumerate(spans) if values
    )
    total = (say("tags.sum"), *(say.number(n) for _, n in ranked))
    heads = (say("when"), *(tag for tag, _ in ranked))
    return Table(heads, (*rows, total) if rows else (), frozenset(range(1, len(heads))))
