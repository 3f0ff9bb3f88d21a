"""Threads in a scene: what is opened, who may close it, and who sees what is open.

Replies say what was promised, asked and settled (``opens``, ``closes``); the Game Master numbers it, keeps out what
was opened twice, and refuses what somebody closes whom it does not concern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.model.character import find_agent
from gm.model.fold import fold
from gm.model.replies import Closed, Opened
from gm.model.scene import Scene
from gm.model.thread import Thread, ThreadEvent, fold_events, number_of, render_thread_id
from gm.model.world import World
from gm.scene.ledger import Words
from gm.scene.mentions import content_words
from gm.scene.turns import Turn

ALIKE = 0.8
MOST_DAYS_AHEAD = 400  # a date written as one number is no story day
_FEWEST_WORDS = 3
_NUMBER = re.compile(r"\d+")
# what a reply may say of the one kind, and means by it of the other
_MEANT: Mapping[tuple[str, str], str] = {
    ("promise", "answered"): "kept",
    ("question", "kept"): "answered",
    ("question", "broken"): "dropped",
}


@dataclass(slots=True)
class Folded:
    """What a scene does to threads, and what was refused on the way."""

    events: list[ThreadEvent] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def fold_threads(world: World, scene: Scene, turns: Sequence[Turn], words: Words) -> Folded:
    """Fold what replies open and close into events, in the order in which the turns count.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies.
        words: Renders the Game Master's own sentences.
    """
    folded = Folded()
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    for turn in turns:
        for closed in turn.reply.closes:
            _close(world, folded, scene, turn.agent, closed, words)
        for opened in turn.reply.opens:
            if turn.agent in speakers:
                _open(world, folded, scene, turn.agent, opened)
            else:
                folded.warnings.append(f"{turn.agent}: opened without a word said aloud, left out: {_cut(opened.text)}")
    return folded


def _close(world: World, folded: Folded, scene: Scene, agent: str, closed: Closed, words: Words) -> None:
    identifier = closed.id.strip("`» «")
    thread = next((thread for thread in world.threads if thread.id == identifier), None)
    if thread is None:
        folded.warnings.append(f"{agent}: closes {identifier!r}, which does not exist")
        return
    if not thread.concerns(agent):
        folded.warnings.append(f"{agent}: closes {identifier}, which does not concern them; it stays as it is")
        return
    outcome = _MEANT.get((thread.kind, closed.outcome), closed.outcome)
    earlier = next((event for event in folded.events if event.id == identifier), None)
    if earlier is not None and earlier.outcome == outcome:
        return  # both sides say so
    if earlier is not None or not thread.is_open:
        settled = earlier.outcome if earlier is not None else thread.outcome
        folded.warnings.append(f"{agent}: closes {identifier} as {outcome}, it is {settled} already")
        return
    text = _one_line(closed.text) or words("thread_closed", outcome=outcome)
    folded.events.append(ThreadEvent(identifier, str(scene.ref), "close", agent, text, outcome=outcome))


def _open(world: World, folded: Folded, scene: Scene, agent: str, opened: Opened) -> None:
    text = _one_line(opened.text)
    now = fold_events(world.threads, folded.events)
    if any(_is_same(thread, agent, opened, text) for thread in now if thread.is_open):
        folded.warnings.append(f"{agent}: opened already, kept once: {_cut(text)}")
        return
    due = opened.due
    if due is not None and not scene.ref.day <= due <= scene.ref.day + MOST_DAYS_AHEAD:
        what = "over" if due < scene.ref.day else "years away"
        folded.warnings.append(f"{agent}: due on day {due}, which is {what}; kept without a day: {_cut(text)}")
        due = None
    folded.events.append(
        ThreadEvent(
            id=render_thread_id(next_number(world, folded.events)),
            at=str(scene.ref),
            event="open",
            by=agent,
            text=text,
            kind=opened.kind,
            to=_addressed(world, scene, agent, opened.to),
            due=due,
        )
    )


def next_number(world: World, events: Iterable[ThreadEvent] = ()) -> int:
    """Find the number of the next thread: the highest that was ever used, as far as file and logbook know, plus one."""
    used = [thread.number for thread in world.threads]
    used += [number_of(event.id) for event in events]
    for entry in world.log:
        listed = entry.record.get("threads")
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                used.append(number_of(item["id"]))
    return max(used, default=0) + 1


def _addressed(world: World, scene: Scene, agent: str, to: str | None) -> tuple[str, ...]:
    """Resolve whom something was said to: everybody present, or the one who was named if they were there."""
    if to is None or not to.strip():
        return tuple(name for name in scene.cast if name != agent)
    named = find_agent(world.agents, to)
    return (named,) if named is not None and named in scene.cast and named != agent else ()


def _is_same(thread: Thread, agent: str, opened: Opened, text: str) -> bool:
    """Tell whether somebody has opened the same thing before: the same words, or nearly all that carry meaning.

    Other numbers in it, or another day, make it another thing.
    """
    if (thread.by, thread.kind) != (agent, opened.kind):
        return False
    if fold(thread.text).rstrip(".!?") == fold(text).rstrip(".!?"):
        return True
    other_day = thread.due is not None and opened.due is not None and thread.due != opened.due
    if other_day or _NUMBER.findall(thread.text) != _NUMBER.findall(text):
        return False
    old, new = content_words(thread.text), content_words(text)
    return min(len(old), len(new)) >= _FEWEST_WORDS and len(old & new) >= ALIKE * len(old | new)


def brief_event(event: ThreadEvent) -> dict[str, Any]:
    """Put an event into the few words of a logbook line; the whole of it stands in the file of threads."""
    record = {"id": event.id, "event": event.event, "by": event.by}
    return record | {
        key: value for key in ("kind", "due", "outcome") if (value := getattr(event, key)) not in ("", None)
    }


def open_threads_of(world: World, agent: str, present: Sequence[str] = ()) -> list[Thread]:
    """List the open threads that concern somebody, the most urgent first.

    Overdue and due today; then what those present have to do with; then by day due, the oldest first.
    """
    today = world.clock.day

    def urgency(thread: Thread) -> tuple[int, int, int]:
        is_due = thread.due is not None and thread.due <= today
        with_present = any(thread.concerns(name) for name in present if name != agent)
        rank = 0 if is_due else 1 if with_present else 2
        return rank, _NO_DAY if thread.due is None else thread.due, thread.number

    return sorted((thread for thread in world.threads if thread.is_open and thread.concerns(agent)), key=urgency)


_NO_DAY = 10**9


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:59] + "…")
