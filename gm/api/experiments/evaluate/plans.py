"""Items of plans by their final status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from gm.api.experiments.evaluate.material import Material, PlanItem
from gm.api.experiments.evaluate.measure import ALL, BY_WILSON, Case, Found, Measure, share, shares
from gm.base.casefold import casefold
from gm.memory.recall.words import stop_words
from gm.model.calendar import render_day
from gm.scene.grounding.mentions import content_words

DONE, MOVED, DROPPED, UNSAID = STATUSES = ("done", "moved", "dropped", "without a status")
AGAIN = "moved again"
_WITHOUT_CONTENT = content_words(" ".join(stop_words()))
LEAST_SHARED = 2
"""Words of its matter that an item shares at least with an older one that it says again, and half of them."""
LONG = 3
"""Days on which an item is moved, to be a case."""


def _measure_plans(material: Material) -> Found:
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


def _older(left: Mapping[str, PlanItem], text: str) -> PlanItem | None:
    """Return what is left of earlier plans that an item says again, if anything."""
    if text in left:
        return left[text]
    kind, words = _split_item(text)
    for item in left.values():
        its_kind, its_words = _split_item(item.text)
        shared = len(words & its_words)
        if (
            kind == its_kind
            and its_words
            and shared >= min(LEAST_SHARED, len(its_words))
            and 2 * shared >= len(its_words)
        ):
            return item
    return None


def _split_item(text: str) -> tuple[str, frozenset[str]]:
    """Return the kind of an item (work, or a talk and its partners), and the words of its matter."""
    kind, _, matter = text.partition(":")
    return casefold(kind), content_words(matter) - _WITHOUT_CONTENT


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
    f" dropped or none. {AGAIN.capitalize()}: of the moved ones, those that an earlier plan had moved already and that"
    " was not done since, in the same words, or with the same beginning before the colon and half of the content words"
    f" behind it, {LEAST_SHARED} at least. Days that are open do not count.",
    source="the summaries of days as the world keeps them (state/logbook); no published measure",
    compute=_measure_plans,
    interval=BY_WILSON,
)
