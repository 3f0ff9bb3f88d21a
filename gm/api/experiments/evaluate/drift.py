"""How importance and moods change over the days."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from gm.api.experiments.evaluate import measure
from gm.api.experiments.evaluate.material import Material
from gm.base.casefold import casefold
from gm.base.texts import clip, one_line
from gm.model.calendar import render_day

LEAST_CHANGE = 1.0
"""Points that the fitted line rises or falls over the days, to be a case."""
MOST_MOODS = 5
LONGEST_MOOD = 60
POINTS = "points"
MEAN, SLOPE = "mean importance", "slope"
LIVED = "lived: "
"""Begins the names of figures over lived memories alone, which neither reflections nor plans move."""
PLAN = "plan"

ByDay = Mapping[int, Sequence[int]]
"""Importance of memories by day."""


def _measure_drift(material: Material) -> measure.Found:
    given = {name: _importance(material, name) for name in material.world.agents}
    days = sorted({day for by_day in given.values() for day in by_day})
    if not days:
        return (), (), "no character has weighed a memory"
    together = _by_day(given)
    figures = list(_importances(given))
    lived = {name: _importance(material, name, lived_only=True) for name in material.world.agents}
    figures += _importances(lived, LIVED)
    for day in days:
        low, high = measure.bootstrap_mean({name: own[day] for name, own in given.items() if day in own})
        found, of = together[day], render_day(day)
        figures.append(
            measure.Figure(of=of, name=MEAN, value=fmean(found), low=low, high=high, count=len(found), unit=POINTS)
        )
    return (*figures, *_moods(material)), list(_cases(figures, days)), ""


def _importance(material: Material, name: str, *, lived_only: bool = False) -> dict[int, list[int]]:
    found: defaultdict[int, list[int]] = defaultdict(list)
    for node in material.memories[name]:
        counts = not lived_only or (node.depth == 0 and node.type != PLAN)
        if counts and material.covers(node.created) and not node.importance_by:
            found[node.when.day].append(node.importance)
    return dict(found)


def _by_day(given: Mapping[str, ByDay]) -> ByDay:
    days = sorted({day for own in given.values() for day in own})
    return {day: [value for own in given.values() for value in own.get(day, ())] for day in days}


def _importances(given: Mapping[str, ByDay], before: str = "") -> Iterator[measure.Figure]:
    for of, by_day in ((measure.ALL, _by_day(given)), *given.items()):
        if by_day:
            yield from _describe_importance(of, by_day, before)


def _describe_importance(of: str, by_day: ByDay, before: str) -> Iterator[measure.Figure]:
    values = [value for found in by_day.values() for value in found]
    low, high = measure.bootstrap_mean(by_day)
    name = f"{before}{MEAN}"
    yield measure.Figure(of=of, name=name, value=fmean(values), low=low, high=high, count=len(values), unit=POINTS)
    groups = [(day, len(found), sum(found)) for day, found in by_day.items()]
    value, (low, high) = _slope(groups), measure.bootstrap(groups, _slope, measure.SEED)
    name = f"{before}{SLOPE}"
    yield measure.Figure(of=of, name=name, value=value, low=low, high=high, count=len(values), unit="points a day")


def _slope(groups: Sequence[tuple[int, int, int]]) -> float | None:
    """Return the least-squares slope over day, number and sum of each group; None for a single day."""
    weight = sum(count for _, count, _ in groups)
    middle = sum(day * count for day, count, _ in groups) / weight
    spread = sum(count * (day - middle) ** 2 for day, count, _ in groups)
    return sum((day - middle) * total for day, _, total in groups) / spread if spread else None


def _cases(figures: Sequence[measure.Figure], days: Sequence[int]) -> Iterator[measure.Case]:
    length = days[-1] - days[0]
    for figure in figures:
        if figure.name == SLOPE and figure.value is not None and figure.low is not None and figure.high is not None:
            sure = figure.low > 0 or figure.high < 0
            if sure and abs(figure.value) * length >= LEAST_CHANGE:
                text = f"importance {figure.value:+.2f} points a day, {figure.value * length:+.1f} over the days"
                yield measure.Case(agent=figure.of, at=render_day(days[-1]), text=text)


def _moods(material: Material) -> Iterator[measure.Figure]:
    moods = {day: {who: _split_mood(mood) for who, mood in found.items()} for day, found in material.moods.items()}
    named = [parts for found in moods.values() for parts in found.values()]
    kept: defaultdict[str, list[bool]] = defaultdict(list)
    for before, day in pairwise(sorted(moods)):
        for who in moods[day].keys() & moods[before].keys() if day == before + 1 else ():
            for of in (measure.ALL, who):
                kept[of].append(bool(moods[day][who] & moods[before][who]))
    for of in (measure.ALL, *sorted(kept.keys() - {measure.ALL})):
        yield measure.share(of, "mood kept from the day before", sum(kept[of]), len(kept[of]))
    counts = Counter(part for parts in named for part in parts)
    if named:
        yield measure.count_figure(measure.ALL, "different moods", len(counts))
    for mood, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MOST_MOODS]:
        yield measure.share(measure.ALL, f"mood: {mood}", count, len(named))


def _split_mood(mood: str) -> frozenset[str]:
    parts = (one_line(part).strip(" .") for part in casefold(mood).split(","))
    return frozenset(clip(part, LONGEST_MOOD) for part in parts if part)


DRIFT = measure.Measure(
    name="drift",
    definition="Mean importance (1 to 10) of the memories that characters weighed themselves, over all days and by"
    " day, and the slope of the least-squares line through them; under lived, the same without reflections and plans,"
    " so that worlds with and without these can be compared. A slope is a case when its interval leaves out 0"
    f" and the line moves by {LEAST_CHANGE:g} point or more over the days. Moods: the last one of each character and"
    f" day, cut at commas and each part after {LONGEST_MOOD} characters, the {MOST_MOODS} most frequent; it is kept"
    " when a part of it was in that of the day before.",
    source="the streams, and the answers in state/traces; importance as Park et al. 2023, section 4.1, have it"
    " weighed; no published measure of its drift",
    compute=_measure_drift,
    interval=f"means and slopes: {measure.BY_DAY} (of a single day: of characters). {measure.BY_WILSON}",
)
