"""Threads in a scene: what is opened, who may close it, and who sees what is open.

Replies say what was promised, asked and settled (``opens``, ``closes``); the Game Master numbers it, keeps out what
was opened twice, and refuses what somebody closes whom it does not concern.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from gm.texts import clip

ALIKE = 0.8
ROUNDING = 1e-9
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


class _Said:
    """What is open and who said it, so that the same is found again without a look at all of it.

    Args:
        threads: What is open.
    """

    def __init__(self, threads: Iterable[Thread]) -> None:
        self._threads: dict[tuple[object, ...], dict[str, Thread]] = {}
        for thread in threads:
            self.add(thread)

    def add(self, thread: Thread) -> None:
        """Take in a thread that is open."""
        for key in _keys(thread.by, thread.kind, thread.text):
            self._threads.setdefault(key, {})[thread.id] = thread

    def remove(self, thread: Thread) -> None:
        """Take out a thread that is closed."""
        for key in _keys(thread.by, thread.kind, thread.text):
            self._threads[key].pop(thread.id)

    def knows(self, agent: str, opened: Opened, text: str) -> bool:
        """Tell whether somebody has opened the same thing before: the same words, or nearly all that carry meaning.

        Other numbers in it, or another day, make it another thing.
        """
        same, *near = (self._threads.get(key, {}) for key in _keys(agent, opened.kind, text))
        if same:
            return True
        words = content_words(text)
        if len(words) < _FEWEST_WORDS:
            return False
        # who shares ALIKE of all words has at least one of any so many of them: the rarest are looked at
        rarest = sorted(near, key=len)[: len(words) - math.ceil(ALIKE * len(words) - ROUNDING) + 1]
        return any(_is_near(thread, opened, words) for threads in rarest for thread in threads.values())


def _keys(agent: str, kind: str, text: str) -> Iterator[tuple[object, ...]]:
    """Give what a thread is found by: its text; then each of its words that carries meaning, with its numbers."""
    yield agent, kind, fold(text).rstrip(".!?")
    numbers = tuple(_NUMBER.findall(text))
    yield from ((agent, kind, numbers, word) for word in content_words(text))


def fold_threads(world: World, scene: Scene, turns: Sequence[Turn], words: Words) -> Folded:
    """Fold what replies open and close into events, in the order in which the turns count.

    Args:
        world: The world before the scene.
        scene: What was played.
        turns: The replies.
        words: Renders the Game Master's own sentences.
    """
    folded = Folded()
    known = {thread.id: thread for thread in world.threads}
    said = _Said(thread for thread in world.threads if thread.is_open)
    settled: dict[str, str] = {}
    number = next_number(world)
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    for turn in turns:
        for closed in turn.reply.closes:
            event = _close(folded, scene, turn.agent, closed, known, settled, words)
            if event is not None:
                settled[event.id] = event.outcome
                folded.events.append(event)
                said.remove(known[event.id])
        for opened in turn.reply.opens:
            if turn.agent in speakers:
                event = _open(world, folded, scene, turn.agent, opened, said, number)
                if event is not None:
                    number += 1
                    folded.events.append(event)
                    said.add(*fold_events((), [event]))
            else:
                folded.warnings.append(f"{turn.agent}: opened without a word said aloud, left out: {_cut(opened.text)}")
    return folded


def _close(
    folded: Folded,
    scene: Scene,
    agent: str,
    closed: Closed,
    known: Mapping[str, Thread],
    settled: Mapping[str, str],
    words: Words,
) -> ThreadEvent | None:
    """Close a thread, if it is there, open, and concerns who says so; ``settled``: how others were in this scene."""
    identifier = closed.id.strip("`» «")
    thread = known.get(identifier)
    if thread is None:
        folded.warnings.append(f"{agent}: closes {identifier!r}, which does not exist")
        return None
    if not thread.concerns(agent):
        folded.warnings.append(f"{agent}: closes {identifier}, which does not concern them; it stays as it is")
        return None
    outcome = _MEANT.get((thread.kind, closed.outcome), closed.outcome)
    earlier = settled.get(identifier, "")
    if earlier == outcome:
        return None  # both sides say so
    if earlier or not thread.is_open:
        folded.warnings.append(f"{agent}: closes {identifier} as {outcome}, it is {earlier or thread.outcome} already")
        return None
    text = _one_line(closed.text) or words("thread_closed", outcome=outcome)
    return ThreadEvent(identifier, str(scene.ref), "close", agent, text, outcome=outcome)


def _open(
    world: World, folded: Folded, scene: Scene, agent: str, opened: Opened, said: _Said, number: int
) -> ThreadEvent | None:
    text = _one_line(opened.text)
    if said.knows(agent, opened, text):
        folded.warnings.append(f"{agent}: opened already, kept once: {_cut(text)}")
        return None
    due = opened.due
    if due is not None and not scene.ref.day <= due <= scene.ref.day + MOST_DAYS_AHEAD:
        what = "over" if due < scene.ref.day else "years away"
        folded.warnings.append(f"{agent}: due on day {due}, which is {what}; kept without a day: {_cut(text)}")
        due = None
    return ThreadEvent(
        id=render_thread_id(number),
        at=str(scene.ref),
        event="open",
        by=agent,
        text=text,
        kind=opened.kind,
        to=_addressed(world, scene, agent, opened.to),
        due=due,
    )


def next_number(world: World) -> int:
    """Find the number of the next thread: the highest that was ever used, as far as file and logbook know, plus one."""
    used = [thread.number for thread in world.threads]
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


def _is_near(thread: Thread, opened: Opened, words: frozenset[str]) -> bool:
    """Tell whether a thread of the same numbers says nearly the same, and for no other day."""
    if thread.due is not None and opened.due is not None and thread.due != opened.due:
        return False
    old = content_words(thread.text)
    return len(old) >= _FEWEST_WORDS and len(old & words) >= ALIKE * len(old | words)


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
    return repr(clip(text))
