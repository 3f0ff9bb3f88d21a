"""Importance, mood and trust from day to day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from gm.api.history.compare.sides import Side
from gm.api.moods import moods_of_day
from gm.files import inside
from gm.files.traces import TraceReader
from gm.layers.diary import DIARY, DIARY_ENTRY
from gm.layers.relationships import HISTORY, RELATIONSHIPS
from gm.model.calendar import parse_ref
from gm.model.record import RecordError

TRUST = "trust_level"


@dataclass(frozen=True, slots=True)
class Curves:
    """A character's values by day; None = unknown.

    Attributes:
        importance: Mean of the day's memories.
        mood: The last one of the day.
        trust: By other character, at the end of the day.
    """

    importance: Sequence[float | None]
    memories: Sequence[int | None]
    mood: Sequence[str | None]
    trust: Mapping[str, Sequence[float | None]]


def curves_of(side: Side, days: Sequence[int]) -> dict[str, Curves]:
    """Return the curves of each character, by id.

    Moods come from the diary, else from traces if available; on the last day, from the agent file.
    """
    names = sorted({*side.nodes, *_names(side, inside.AGENTS, ".json")})
    moods = _moods(side, names)
    return {
        name: Curves(
            importance=[_mean(side, name, day) for day in days],
            memories=[sum(node.when.day == day for node in side.nodes.get(name, ())) for day in days],
            mood=[moods[name].get(day) for day in days],
            trust=_trust(side, name, days),
        )
        for name in names
    }


def _mean(side: Side, name: str, day: int) -> float | None:
    found = [node.importance for node in side.nodes.get(name, ()) if node.when.day == day]
    return round(fmean(found), 2) if found else None


def _names(side: Side, folder: str, ending: str) -> list[str]:
    inside = (path.removeprefix(folder) for path in side.contents if path.startswith(folder) and path.endswith(ending))
    return [path.removesuffix(ending) for path in inside if "/" not in path]


# -- moods ---------------------------------------------------------------------------------------------


def _moods(side: Side, names: Iterable[str]) -> dict[str, dict[int, str]]:
    moods: dict[str, dict[int, str]] = {name: {} for name in names}
    if side.layout is not None:
        traces = TraceReader(side.layout.traces)
        for day in traces.days():
            for name, mood in moods_of_day(traces, day).items():
                if name in moods:
                    moods[name][day] = mood
    for name, found in moods.items():
        for record in side.records(inside.layer(DIARY, name)):
            try:
                entry = DIARY_ENTRY.read(record)
            except RecordError:
                continue  # gm check reports it
            if entry.mood:
                found[entry.day] = entry.mood
        now, last = side.document(inside.agent(name)).get("mood"), side.state.day
        if isinstance(now, str) and now and last is not None and not side.state.partial:
            found[last[0]] = now
    return moods


# -- trust ---------------------------------------------------------------------------------------------


def _trust(side: Side, name: str, days: Sequence[int]) -> dict[str, list[float | None]]:
    now = {
        other: _number(entry.get(TRUST)) if isinstance(entry, dict) else None
        for other, entry in side.document(inside.layer(RELATIONSHIPS, name)).items()
    }
    changes: dict[str, list[tuple[int, float | None, float | None]]] = defaultdict(list)
    for record in side.records(inside.layer(RELATIONSHIPS, name, HISTORY)):
        ref, old, new = parse_ref(str(record.get("at", ""))), record.get("old"), record.get("new")
        if ref and isinstance(old, dict) and isinstance(new, dict) and TRUST in new:
            changes[str(record.get("with", ""))].append((ref.day, _number(old.get(TRUST)), _number(new[TRUST])))
    return {other: [_at(changes[other], now.get(other), day) for day in days] for other in sorted({*now, *changes})}


def _at(changes: Sequence[tuple[int, float | None, float | None]], now: float | None, day: int) -> float | None:
    before = [new for at, _, new in changes if at <= day]
    if before:
        return before[-1]
    return changes[0][1] if changes else now


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
