"""Promises and appointments by how they ended."""

from __future__ import annotations

from collections.abc import Iterator

from gm.api.experiments.evaluate.material import Material
from gm.api.experiments.evaluate.measure import ALL, BY_WILSON, Case, Found, Measure, count_figure, shares
from gm.model.node import BY_GAME_MASTER
from gm.model.thread import GAME_MASTER, Thread
from gm.scene.grounding.mentions import content_words, matter_words
from gm.scene.planning.plan_items import LEAST_MENTIONED

KEPT, MISSED, RENOUNCED, FORGOTTEN, LAPSED = ENDED = ("kept", "missed", "renounced", "forgotten", "lapsed")
OPEN, REPLACED = "open", "replaced"
ENDINGS = {
    "kept": KEPT,
    "missed": MISSED,
    "broken": MISSED,
    "dropped": RENOUNCED,
    "answered": KEPT,
    "replaced": REPLACED,
}
"""Ending of a promise or an appointment by the outcome of its thread."""


def _count_promises(material: Material) -> Found:
    found = [(thread, _name_ending(material, thread)) for thread in material.threads if _counts(material, thread)]
    if not found:
        return (), (), "no promise and no appointment of these days"
    ended = [(thread.by, ending) for thread, ending in found if ending in ENDED]
    rest = [count_figure(ALL, name, sum(ending == name for _, ending in found)) for name in (OPEN, REPLACED)]
    cases = [
        Case(agent=thread.by, at=thread.opened, text=f"{ending}: {thread.id}{_describe_due(thread)}: {thread.text}")
        for name in (FORGOTTEN, MISSED, LAPSED)
        for thread, ending in found
        if ending == name
    ]
    return (*shares(ended, ENDED), *rest), cases, ""


def _counts(material: Material, thread: Thread) -> bool:
    if thread.kind not in ("promise", "appointment"):
        return False
    if thread.is_open:
        return thread.due is None or thread.due >= material.first
    return material.covers(thread.touched)


def _name_ending(material: Material, thread: Thread) -> str:
    laid_aside = thread.outcome == "dropped" and thread.closed_by == GAME_MASTER
    if not thread.is_open and not laid_aside:
        return ENDINGS[thread.outcome]
    clock = material.world.clock
    closed = min(material.last, clock.day - 1 if clock.day_open else clock.day)
    if thread.is_open and (thread.due is None or thread.due > closed):
        return OPEN
    return LAPSED if any(_mentions(material, thread)) else FORGOTTEN


def _describe_due(thread: Thread) -> str:
    return "" if thread.due is None else f", due day {thread.due}"


def _mentions(material: Material, thread: Thread) -> Iterator[bool]:
    """For each later turn and memory of its people, yield whether the matter came up."""
    matter = matter_words(material.world, thread.text)
    least = max(1, min(LEAST_MENTIONED, len(matter)))
    for log in (*material.earlier, *material.days):
        for entry in log.scenes if log.day >= thread.since.day else ():
            at = entry.ref
            if at is None or at > thread.since:
                own = [turn for turn in entry.turns if turn.agent in thread.people]
                texts = [
                    text for turn in own for text in (*(line.text for line in turn.lines), turn.action, turn.thought)
                ]
                yield len(matter & content_words(" ".join(texts))) >= least
    for name in thread.people:
        for node in material.memories.get(name, ()):
            if node.when > thread.since and node.importance_by != BY_GAME_MASTER:
                yield len(matter & content_words(node.description)) >= least


PROMISES = Measure(
    name="promises",
    definition="Promises and appointments that were kept; missed (nobody met, or one of them said that it was not"
    " kept); renounced (one of them said that nobody needs it any more); forgotten (its day is over while it is"
    f" open, or the Game Master laid it aside, and no {LEAST_MENTIONED} of its words without names and stop words"
    " came up together, nor its only one, in a later scene or memory of its people); lapsed (the same, but it came up):"
    " shares of all that ended so in the days. Open are those that are due later or on no day, replaced those that"
    " another took the place of; neither is in a share. One whose day was over before the days began is left out while"
    " it is open. A promise counts for the one who made it.",
    source="the ends of threads as the world keeps them (state/threads.jsonl); no published measure",
    compute=_count_promises,
    interval=BY_WILSON,
)
