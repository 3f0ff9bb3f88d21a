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
"""Days on which an item is moved, to be a case."""


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
    """Return the days on which each moved item was moved, up to its own."""
    days: dict[PlanItem, tuple[int, ...]] = {}
    left: defaultdict[str, dict[str, PlanItem]] = defaultdict(dict)
    for (name, day), items in sorted(material.plan_items.items(), key=lambda found: found[0][1]):
        olders = {item: _older(left[name], item.text) for item in items}
        for item, older in olders.items():
            if older:
                left[name].pop(older.text, None)
            if item.status == MOVED:
                days[item] = (*(days[older] if older else ()), day)
        left[name] |= {item.text: item for item in items if item.status == MOVED}
    return days


def _older(left: dict[str, PlanItem], text: str) -> PlanItem | None:
    return left.get(text if text in left else restated_in(left, text))


def _cases(items: list[PlanItem], days: dict[PlanItem, tuple[int, ...]]) -> Iterator[Case]:
    for item in items:
        if item.status == DROPPED and not item.why:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"dropped without a reason: {item.text}")
        elif not item.status:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"nothing is known of: {item.text}")
    for item, found in sorted(days.items(), key=lambda one: -len(one[1])):
        if len(found) == LONG:
            yield Case(agent=item.agent, at=render_day(item.day), text=f"moved on {LONG} days: {item.text}")


PLANS = Measure(
    name="plans",
    definition="Items of the day's plans by their status in the summary of the day: done, moved to another day,"
    f" dropped or none. {AGAIN.capitalize()}: of the moved ones, those that an earlier plan had moved already, in"
    " the same words or in others that share half of them. Days that are open do not count.",
    source="the summaries of days as the world keeps them (state/logbook); no published measure",
    compute=_compute,
    interval=BY_WILSON,
)
