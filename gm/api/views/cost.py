"""What a world has cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from gm.api.reports.cost import Cost, CostSum, Spent, describe_cost
from gm.api.views.logbook import logged_day
from gm.base.config import Settings
from gm.base.errors import Problem
from gm.files.layout import Layout
from gm.files.questions.traces import paid_traces
from gm.files.story.now import load_settings
from gm.llm.base import MAILBOX, REHEARSAL
from gm.llm.prices import FREE_BACKENDS, read_published
from gm.model.calendar import render_day

NOTHING = Spent().sum()
UNCOUNTED = (REHEARSAL, MAILBOX)
"""Backends that count no tokens."""
MOST_KEPT = 4000
"""Maximum number of cached days."""
_known: dict[tuple[Layout, int], tuple[object, Cost]] = {}


@dataclass(frozen=True, slots=True)
class CostView:
    """What a world has cost.

    Attributes:
        kinds: By scene type; empty = outside of scenes.
        free: Whether all calls were rehearsed, replayed, or answered by people or assistants, which is not priced.
        estimated: Whether all tokens are estimates or zero, as in a rehearsal or the mailbox.
    """

    total: CostSum
    days: Mapping[str, CostSum]
    agents: Mapping[str, CostSum]
    kinds: Mapping[str, CostSum]
    models: Mapping[str, CostSum]
    purposes: Mapping[str, CostSum]
    free: bool
    estimated: bool
    kept: bool
    unpriced: tuple[str, ...]
    prices: str
    problems: tuple[Problem, ...]


def view_cost(layout: Layout) -> CostView:
    """Add up all calls; a day's sums are cached until its traces or the prices change."""
    settings, problems = load_settings(layout)
    total, days, agents, kinds, models, purposes = (dict[str, CostSum]() for _ in range(6))
    unpriced: set[str] = set()
    for day, cost in _costs(layout, settings):
        types = {f"{render_day(day)}/{scene.anchor}": scene.type for scene in logged_day(layout, day).scenes}
        _add_sums(total, [("", cost.totals)])
        _add_sums(days, ((str(day), found) for found in cost.days.values()))
        _add_sums(agents, cost.agents.items())
        _add_sums(kinds, ((types.get(name, ""), found) for name, found in cost.scenes.items()))
        _add_sums(models, ((name, model.sum) for name, model in cost.models.items()))
        _add_sums(purposes, (pair for model in cost.models.values() for pair in model.purposes.items()))
        unpriced.update(cost.unpriced_models)
    return CostView(
        total.get("", NOTHING),
        days,
        dict(sorted(agents.items())),
        dict(sorted(kinds.items(), key=lambda item: (not item[0], -item[1].calls))),
        dict(sorted(models.items())),
        dict(sorted(purposes.items(), key=lambda item: -item[1].calls)),
        bool(models) and all(name in FREE_BACKENDS for name in models),
        bool(models) and all(name in UNCOUNTED for name in models),
        bool(total),
        tuple(sorted(unpriced)),
        str(read_published()["date"]),
        tuple(problems),
    )


def _costs(layout: Layout, settings: Settings) -> Iterator[tuple[int, Cost]]:
    traces = paid_traces(layout, layout.asks)
    for day in traces.days():
        look = traces.look(day), str(settings.prices)
        found = _known.get((layout, day))
        if found is None or found[0] != look:
            found = look, describe_cost(traces, settings, day)
            if len(_known) >= MOST_KEPT:
                _known.clear()
            _known[layout, day] = found
        yield day, found[1]


def _add_sums(sums: dict[str, CostSum], found: Iterable[tuple[str, CostSum]]) -> None:
    for name, one in found:
        sums[name] = sums[name] + one if name in sums else one
