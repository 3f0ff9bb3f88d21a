"""Items of plans by their final status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gm.api.evaluate.material import Material, PlanItem
from gm.api.evaluate.measure import ALL, BY_WILSON, Found, Measure, share, shares
from gm.api.evaluate.values import Case
from gm.model.calendar import render_day
from gm.scene.plans import restated_in

DONE, MOVED, DROPPED, UNSAID = STATUSES = ("done", "moved", "dropped", "without a status")
AGAIN = "moved again"
LONG = 3
"""Days in a row on which an item is moved, to be a case."""


def _compute(material: Material) -> Found:
    items = [item for found in material.plan_items.values() for item in found]
    if not items:
        return (), (), "no day that was closed has a plan"
    moved = [item for item in items if item.status == MOVED]
    days = _days_moved(material)
    again = sum(len(days[item]) > 1 for item in moved)
    figures = shares(((item.agent, item.status or UNSAID) for item in items), STATUSES)
    return (*figures, share(ALL, AGAIN, again, len(moved))), list(_cases(items, days)), ""


def _days_moved(material: Material) -> dict[PlanItem, tuple[int, ...]]:
    """Return the days in a row on which each moved item was moved, up to its own."""
    days: dict[PlanItem, tuple[int, ...]] = {}
    before: defaultdict[str, dict[str, PlanItem]] = defaultdict(dict)
    for (name, day), items in sorted(material.plan_items.items(), key=lambda found: found[0][1]):
        moved = {item.text: item for item in items if item.status == MOVED}
        for text, item in moved.items():
            older = before[name].get(text if text in before[name] else restated_in(before[name], text))
            days[item] = (*(days[older] if older else ()), day)
        before[name] = moved
    return days


def _cases(items: list[PlanItem], days: dict[PlanItem, tuple[int, ...]]) -> Iterator[Case]:
    for item in items:
        if item.status == DROPPED and not item.why:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"dropped without a reason: {item.text}")
        elif not item.status:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"nothing is known of: {item.text}")
    for item, found in sorted(days.items(), key=lambda one: -len(one[1])):
        if len(found) == LONG:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"moved {LONG} days in a row: {item.text}")


PLANS = Measure(
    name="plans",
    definition="Items of the day's plans by their status in the summary of the day: done, moved to another day, dropped,"
    f" or none. {AGAIN}: of the moved ones, those that the plan of the planned day before had moved as well, in the same"
    " words or in others that share half of them. Days that are open do not count.",
    source="the summaries of state/logbook; plan adherence without a model: gm's survey (B.7)",
    compute=_compute,
    interval=BY_WILSON,
)
