"""Importance and tags of memories over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from gm.api.views.graphs.base import MOST_SPANS, Cast, DaySpan, Graph, GraphTable, divide_days, span_finder
from gm.files.streams.rows import MemoryRow

MOST_SPANS_OF_TAGS = 40
MOST_TAGS = 10
NAMED = 4
"""Number of tags in the finding."""


@dataclass(slots=True)
class Weight:
    """Number, sum and maximum of the importance of memories."""

    count: int = 0
    total: int = 0
    most: int = 0

    @property
    def mean(self) -> float:
        """The mean importance; 0 without memories."""
        return self.total / self.count if self.count else 0.0


def draw_importance(cast: Cast, streams: Mapping[str, Sequence[MemoryRow]]) -> Graph:
    """Draw mean and maximum importance and the number of memories of each character, per day or span."""
    say = cast.say
    days = {agent: _by_day(stream) for agent, stream in streams.items()}
    spans = divide_days((day for found in days.values() for day in found), MOST_SPANS)
    weights = {agent: _by_span(found, spans) for agent, found in days.items()}
    panels = [
        {
            **cast.shown_agent(agent),
            "mean": [round(item.mean, 2) if item.count else None for item in found],
            "most": [item.most or None for item in found],
            "count": [item.count for item in found],
        }
        for agent, found in weights.items()
    ]
    data = {
        "panels": panels,
        "spans": [{"short": span.short, "name": span.named(say)} for span in spans],
        "words": {key: say(f"importance.{key}") for key in ("mean", "highest", "count")}
        | {"day": say("day", day="").strip()},
    }
    single = next(iter(streams)) if len(streams) == 1 else ""
    finding, table = _finding(cast, weights, spans, streams), _make_table(cast, weights, spans)
    title = say("importance.of", who=cast.called(single)) if single else say("importance.title")
    graph = Graph("importance", title, finding, say("importance.note"), table, only=single)
    return replace(graph, data=data, agents=tuple(streams)) if spans else graph


def _by_day(stream: Sequence[MemoryRow]) -> dict[int, Weight]:
    found: dict[int, Weight] = {}
    at, weight = 0, Weight()
    for node in stream:
        if node.day != at:
            at = node.day
            weight = found.setdefault(at, Weight())
        if at:
            weight.count += 1
            weight.total += node.importance
            if node.importance > weight.most:
                weight.most = node.importance
    return found


def _by_span(days: Mapping[int, Weight], spans: Sequence[DaySpan]) -> list[Weight]:
    weights = [Weight() for _ in spans]
    if spans:
        find = span_finder(spans)
        for day, weight in days.items():
            into = weights[find(day)]
            into.count += weight.count
            into.total += weight.total
            into.most = max(into.most, weight.most)
    return weights


def _finding(
    cast: Cast,
    weights: Mapping[str, Sequence[Weight]],
    spans: Sequence[DaySpan],
    streams: Mapping[str, Sequence[MemoryRow]],
) -> str:
    say = cast.say
    if not spans:
        return say("importance.none")
    lived = [(agent, span, item) for agent, found in weights.items() for span, item in zip(spans, found, strict=True)]
    agent, span, item = max(lived, key=lambda one: one[2].mean)
    mean = say.number(item.mean, 1)
    sentence = say("importance.finding", who=cast.called(agent), when=span.named(say), mean=mean, n=item.count)
    most = max(item.most for _, _, item in lived)
    times = sum(node.importance == most for stream in streams.values() for node in stream)
    what = say("importance.times") if times == 1 else say("importance.often", n=say.number(times))
    return f"{sentence} {say('importance.most', most=most, what=what)}"


def _make_table(cast: Cast, weights: Mapping[str, Sequence[Weight]], spans: Sequence[DaySpan]) -> GraphTable:
    say = cast.say
    if len(weights) == 1:
        (found,) = weights.values()
        heads = (say("when"), *(say(f"importance.{key}") for key in ("mean", "highest", "count")))
        rows = [
            (
                span.named(say),
                *((say.number(item.mean, 1), str(item.most)) if item.count else ("", "")),
                str(item.count),
            )
            for span, item in zip(spans, found, strict=True)
        ]
        return GraphTable(heads, tuple(rows), frozenset({1, 2, 3}))
    cells = [
        (span.named(say), *(_cell(cast, found[place]) for found in weights.values()))
        for place, span in enumerate(spans)
    ]
    names = (say("when"), *map(cast.called, weights))
    return GraphTable(names, tuple(cells), frozenset(range(1, len(names))), say("importance.cells"))


def _cell(cast: Cast, item: Weight) -> str:
    return f"{cast.say.number(item.mean, 1)} · {item.most} · {item.count}" if item.count else "–"


Used = Sequence[Counter[str]]
"""Number of memories by tag, for each span."""


def draw_tags(cast: Cast, streams: Mapping[str, Sequence[MemoryRow]]) -> Graph:
    """Draw the frequency of the most used tags, for the whole cast and each character."""
    say = cast.say
    spans = divide_days((node.day for stream in streams.values() for node in stream if node.day), MOST_SPANS_OF_TAGS)
    used = {agent: count_tags(stream, spans) for agent, stream in streams.items()}
    single = next(iter(streams)) if len(streams) == 1 else ""
    everybody = used[single] if single else tuple(map(_sum_up, zip(*used.values(), strict=True)))
    total = _sum_up(everybody)
    choices = [] if single else [{"name": say("everybody"), **_series(everybody)}]
    choices += [{**cast.shown_agent(agent), **_series(found)} for agent, found in used.items()]
    data = {
        "spans": [{"short": span.short, "name": span.named(say)} for span in spans],
        "choices": choices,
        "words": {"whose": say("tags.whose"), "day": say("day", day="").strip()},
    }
    note = say("tags.note", shown=min(MOST_TAGS, len(total)), all=say.number(len(total))) if total else ""
    finding, table = _finding_of_tags(cast, everybody, total, spans), _table_of_tags(cast, everybody, spans)
    title = say("tags.of", who=cast.called(single)) if single else say("tags.title")
    graph = Graph("tags", title, finding, note, table, only=single)
    return replace(graph, data=data, agents=tuple(streams)) if total else graph


def count_tags(stream: Sequence[MemoryRow], spans: Sequence[DaySpan]) -> Used:
    """Count the tags of a stream by span, without memories that name no day."""
    tags: list[list[Sequence[str]]] = [[] for _ in spans]
    if spans:
        find = span_finder(spans)
        at, into = 0, tags[0]
        for node in stream:
            day = node.day
            if day != at:
                at, into = day, tags[find(day)] if day else []
            into.append(node.tags)
    return tuple(Counter(chain.from_iterable(found)) for found in tags)


def _sum_up(counters: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for counter in counters:
        total.update(counter)
    return total


def _rank_used(total: Counter[str]) -> list[tuple[str, int]]:
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))


def _series(used: Used) -> dict[str, Any]:
    tags = [tag for tag, _ in _rank_used(_sum_up(used))[:MOST_TAGS]]
    return {"tags": tags, "values": _values_of_tags(used, tags)}


def _values_of_tags(used: Used, tags: Sequence[str]) -> list[list[int]]:
    return [[counter[tag] for counter in used] for tag in tags]


def _finding_of_tags(cast: Cast, used: Used, total: Counter[str], spans: Sequence[DaySpan]) -> str:
    say = cast.say
    if not total:
        return say("tags.none")
    (tag, n), *others = _rank_used(total)[:NAMED]
    (values,) = _values_of_tags(used, [tag])
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


def _table_of_tags(cast: Cast, used: Used, spans: Sequence[DaySpan]) -> GraphTable:
    say = cast.say
    ranked = _rank_used(_sum_up(used))[:MOST_TAGS]
    values = _values_of_tags(used, [tag for tag, _ in ranked])
    rows = tuple(
        (span.named(say), *(str(found[place]) for found in values)) for place, span in enumerate(spans) if values
    )
    total = (say("tags.sum"), *(say.number(n) for _, n in ranked))
    heads = (say("when"), *(tag for tag, _ in ranked))
    return GraphTable(heads, (*rows, total) if rows else (), frozenset(range(1, len(heads))))
