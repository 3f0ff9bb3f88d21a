"""Importance summed up since the last reflection, scene by scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from gm.api.views.graphs.base import Cast, Graph, GraphTable, Met
from gm.base.casefold import casefold
from gm.base.config import ReflectionSettings
from gm.files.streams.rows import MemoryRow
from gm.memory.reflect import BEFORE
from gm.model.ids import parse_node_id
from gm.model.scene import REFLECTION
from gm.model.state import AgentState

MOST_SCENES = 120
"""Above this number of scenes, days are drawn."""
MOST_POINTS = 400
MOST_NAMED = 4
"""Maximum number of characters named in a sentence."""

_FIELDS = attrgetter("day", "scene", "suffix", "importance", "type", "id")
_new = tuple.__new__  # creates named tuples in half the time

Moment = tuple[int, int, str]
"""Day, scene, suffix of an inserted scene."""


class Point(NamedTuple):
    """The sum after a scene.

    Attributes:
        before: At a reset, the sum before it, without the reflection's own insights.
        after: The sum from then on.
    """

    at: Moment
    before: int
    after: int
    is_reset: bool = False


def accumulate(
    stream: Sequence[MemoryRow], resets: frozenset[str], *, count_insights: bool, begin: int = 0
) -> tuple[Point, ...]:
    """Sum up importance scene by scene.

    Args:
        begin: The sum before the first memory.
        count_insights: Whether a reflection's insights count for the next one (``reflection.reset: before``).
    """
    points: list[Point] = []
    total, insights, before = begin, 0, 0
    at: Moment = (-1, 0, "")
    day, scene, suffix = at
    is_reset = False
    for own_day, own_scene, own_suffix, importance, kind, identifier in map(_FIELDS, stream):
        if own_scene != scene or own_day != day or own_suffix != suffix:
            if day >= 0:
                points.append(_new(Point, (at, before if is_reset else total, total, is_reset)))
            day, scene, suffix = at = own_day, own_scene, own_suffix
            insights, is_reset = 0, False
        total += importance
        if kind == "reflection":
            insights += importance
        if identifier in resets:
            before, is_reset = total - insights, True
            total = insights if count_insights else 0
    if day >= 0:
        points.append(Point(at, before if is_reset else total, total, is_reset))
    return tuple(points)


def resets_of(agent: str, stream: Sequence[MemoryRow], scenes: Sequence[Met], stated: AgentState) -> frozenset[str]:
    """Return the ids of the last memory of each reflection, by the logbook and the character's file."""
    logged = {(scene.day, scene.scene) for scene in scenes if scene.type == REFLECTION and agent in scene.cast}
    insights = [node for node in stream if node.type == "reflection"]
    last = {(node.day, node.scene): node.id for node in insights if (node.day, node.scene) in logged}
    wanted = casefold(stated.last_reflection or "")
    number = (parse_node_id(wanted) or ("", -1))[1]
    named = [node for node in stream if node.serial == number and casefold(node.id) == wanted]
    for node in named:  # the file overrules the logbook
        last[node.day, node.scene] = node.id
    return frozenset(last.values())


class StartingSums(NamedTuple):
    """Where drawn sums begin: a story day, and the sums before the streams, 0 if absent."""

    day: int = 0
    sums: Mapping[str, int] = MappingProxyType({})


ALL_DAYS = StartingSums()


def draw_accumulators(
    cast: Cast,
    streams: Mapping[str, Sequence[MemoryRow]],
    scenes: Sequence[Met],
    stated: Mapping[str, AgentState],
    settings: ReflectionSettings,
    since: StartingSums = ALL_DAYS,
) -> Graph:
    """Draw the sum of each character in its own panel."""
    begin = since.sums
    counted = {
        agent: accumulate(
            stream,
            resets_of(agent, stream, scenes, stated[agent]),
            count_insights=settings.reset == BEFORE,
            begin=begin.get(agent, 0),
        )
        for agent, stream in streams.items()
    }
    now = {agent: points[-1].after if points else begin.get(agent, 0) for agent, points in counted.items()}
    sums = {agent: tuple(point for point in points if point.at[0] >= since.day) for agent, points in counted.items()}
    drawn = _choose_drawn(sums)
    single = next(iter(streams)) if len(streams) == 1 else ""
    title, note = cast.say("accumulators.title"), _note_limits(cast, drawn.all, settings.reset)
    if not any(sums.values()):
        return Graph("accumulators", title, cast.say("nothing"), note, GraphTable((), ()), only=single)
    resets = sum(point.is_reset for points in sums.values() for point in points)
    tail = cast.say("accumulators.resets", n=resets) if resets else "" if since.day else cast.say("accumulators.never")
    finding = _finding(cast, now, stated, settings.threshold, single, tail)
    table = _make_table(cast, sums, now, stated)
    data = _data(cast, drawn, settings.threshold)
    return Graph("accumulators", title, finding, note, table, data, tuple(streams), only=single)


class _Drawn(NamedTuple):
    points: Mapping[str, Sequence[Point]]
    moments: Sequence[Moment]
    all: int


def _data(cast: Cast, drawn: _Drawn, threshold: int) -> dict[str, Any]:
    say = cast.say
    place = {at: number for number, at in enumerate(drawn.moments)}
    return {
        "threshold": threshold,
        "panels": [{**cast.shown_agent(agent), **_panel(points, place)} for agent, points in drawn.points.items()],
        "moments": [
            {
                "short": str(day),
                "name": say("scene", day=day, scene=f"{scene}{suffix}") if scene else say("day", day=day),
            }
            for day, scene, suffix in drawn.moments
        ],
        "words": {key: say(f"accumulators.{key}") for key in ("sum", "reset")} | {"day": say("day", day="").strip()},
    }


def _panel(points: Sequence[Point], place: Mapping[Moment, int]) -> dict[str, Any]:
    return {
        "points": [
            [place[point.at], value]
            for point in points
            for value in ((point.before, point.after) if point.is_reset else (point.after,))
        ],
        "resets": [[place[point.at], point.before] for point in points if point.is_reset],
    }


def _note_limits(cast: Cast, days: int, reset: str) -> str:
    say = cast.say
    sentences = [say("accumulators.note")]
    if reset == BEFORE:
        sentences.append(say("accumulators.before"))
    if days > MOST_POINTS:
        sentences.append(say("accumulators.latest", shown=MOST_POINTS, all=say.number(days)))
    return " ".join(sentences)


def _choose_drawn(sums: Mapping[str, Sequence[Point]]) -> _Drawn:
    if all(len(points) <= MOST_SCENES for points in sums.values()):
        moments = sorted({point.at for points in sums.values() for point in points})
        if len(moments) <= MOST_SCENES:
            return _Drawn(sums, moments, len(moments))
    daily = {agent: _daily(points) for agent, points in sums.items()}
    days = sorted({point.at for points in daily.values() for point in points})
    first = days[-MOST_POINTS:][0]
    newest = {agent: [point for point in points if point.at >= first] for agent, points in daily.items()}
    return _Drawn(newest, days[-MOST_POINTS:], len(days))


def _daily(points: Sequence[Point]) -> list[Point]:
    ends: dict[int, int] = {}
    plain: dict[int, int] = {}
    resets: dict[int, int] = {}
    for (day, _, _), before, after, is_reset in points:
        ends[day] = after
        if is_reset:
            resets[day] = max(resets.get(day, before), before)
        elif day not in resets:
            plain[day] = before
    return [
        Point((day, 0, ""), resets[day] if day in resets else plain[day], end, day in resets)
        for day, end in ends.items()
    ]


def _finding(
    cast: Cast, now: Mapping[str, int], stated: Mapping[str, AgentState], threshold: int, single: str, tail: str
) -> str:
    say = cast.say
    if single:
        sentence = say("accumulators.own", who=cast.called(single), value=say.number(now[single]), threshold=threshold)
    elif over := [agent for agent in now if now[agent] >= threshold]:
        who = say.listed((f"{cast.called(agent)} ({say.number(now[agent])})" for agent in over), MOST_NAMED)
        sentence = say("accumulators.reached", threshold=threshold, who=who)
    elif not any(now.values()):
        sentence = say("accumulators.nothing", threshold=threshold)
    else:
        first = max(now, key=lambda agent: now[agent])
        sentence = say(
            "accumulators.finding", who=cast.called(first), value=say.number(now[first]), threshold=threshold
        )
    sentence += f" {tail}" if tail else ""
    written = {agent: stated[agent].importance_accumulator for agent in now}
    wrong = [agent for agent in now if written[agent] != now[agent]]
    if wrong:
        named = (
            say("accumulators.written", who=cast.called(agent), written=written[agent], summed=now[agent])
            for agent in wrong
        )
        sentence += " " + say("accumulators.differs", what=say.listed(named, MOST_NAMED))
    return sentence


def _make_table(
    cast: Cast, sums: Mapping[str, Sequence[Point]], now: Mapping[str, int], stated: Mapping[str, AgentState]
) -> GraphTable:
    say = cast.say
    heads = (say("who"), *(say(f"accumulators.{key}") for key in ("now", "stated", "highest", "count")))
    rows = tuple(
        (
            cast.called(agent),
            str(now[agent]),
            str(stated[agent].importance_accumulator),
            str(max((point.before for point in points), default=0)),
            str(sum(point.is_reset for point in points)),
        )
        for agent, points in sums.items()
    )
    return GraphTable(heads, rows, frozenset({1, 2, 3, 4}))
