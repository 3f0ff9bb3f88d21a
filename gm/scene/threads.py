"""Threads in a scene: what replies open and close, and who sees what is open.

The Game Master numbers threads, skips duplicates, and refuses a close by a character whom the thread does not concern.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gm.base.casefold import casefold
from gm.base.config import TIMES_OF_DAY
from gm.base.texts import clip
from gm.model.character import find_agent
from gm.model.replies import Closed, Opened
from gm.model.scene import Scene
from gm.model.thread import Thread, ThreadEvent, fold_events, number_of, open_for, render_thread_id
from gm.model.world import World
from gm.scene.ledger import Words
from gm.scene.mentions import content_words
from gm.scene.turns import Turn

ALIKE = 0.8
ROUNDING = 1e-9
MOST_DAYS_AHEAD = 400  # a date written as one number is no story day
_FEWEST_WORDS = 3
_NUMBER = re.compile(r"\d+")
_CLOCK = re.compile(r"(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)\Z")
# outcomes that replies use for the wrong kind of thread, and what they mean
_MEANT: Mapping[tuple[str, str], str] = {
    ("promise", "answered"): "kept",
    ("question", "kept"): "answered",
    ("question", "broken"): "dropped",
    ("appointment", "answered"): "kept",
    ("silence", "answered"): "kept",
}


@dataclass(frozen=True, slots=True)
class Folded:
    """The events of threads in a scene, and what was refused."""

    events: Sequence[ThreadEvent] = ()
    warnings: Sequence[str] = ()


class _Said:
    """Open threads, indexed so that duplicates are found without comparing all of them."""

    def __init__(self, threads: Iterable[Thread]) -> None:
        self._threads: dict[tuple[object, ...], dict[str, Thread]] = {}
        for thread in threads:
            self.add(thread)

    def add(self, thread: Thread) -> None:
        for key in _keys(thread.by, thread.kind, thread.text):
            self._threads.setdefault(key, {})[thread.id] = thread

    def remove(self, thread: Thread) -> None:
        for key in _keys(thread.by, thread.kind, thread.text):
            self._threads[key].pop(thread.id)

    def knows(self, agent: str, opened: Opened, text: str) -> bool:
        """The same words, or nearly all content words; other numbers or another day make another thread."""
        same, *near = (self._threads.get(key, {}) for key in _keys(agent, opened.kind, text))
        if same:
            return True
        words = content_words(text)
        if len(words) < _FEWEST_WORDS:
            return False
        # a text that shares ALIKE of all words has at least one of any so many of them: only the rarest are tried
        rarest = sorted(near, key=len)[: len(words) - math.ceil(ALIKE * len(words) - ROUNDING) + 1]
        return any(_is_near(thread, opened, words) for threads in rarest for thread in threads.values())


def _keys(agent: str, kind: str, text: str) -> Iterator[tuple[object, ...]]:
    yield agent, kind, casefold(text).rstrip(".!?")
    numbers = tuple(_NUMBER.findall(text))
    yield from ((agent, kind, numbers, word) for word in content_words(text))


def fold_threads(world: World, scene: Scene, turns: Sequence[Turn], words: Words) -> Folded:
    """Return the events of what replies open and close, in the order of the turns."""
    fold = _Fold(world, scene, words)
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    for turn in turns:
        for closed in turn.reply.closes:
            fold.close(turn.agent, closed)
        for opened in turn.reply.opens:
            if turn.agent in speakers:
                fold.open(turn.agent, opened)
            else:
                fold.warn(f"{turn.agent}: opened without a word said aloud, left out: {_cut(opened.text)}")
    return Folded(fold.events, fold.warnings)


class _Fold:
    def __init__(self, world: World, scene: Scene, words: Words) -> None:
        self._world, self._scene, self._words = world, scene, words
        self._known = {thread.id: thread for thread in world.threads}
        self._said = _Said(thread for thread in world.threads if thread.is_open)
        self._settled: dict[str, str] = {}  # outcomes of what was closed in this scene, by id
        self._number = next_number(world)
        self._arranged: list[Thread] = []  # in this scene
        self.events: list[ThreadEvent] = []
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def close(self, agent: str, closed: Closed) -> None:
        identifier = _bare(closed.id)
        thread = self._known.get(identifier)
        if thread is None:
            self.warn(f"{agent}: closes {identifier!r}, which does not exist")
            return
        if not thread.concerns(agent):
            self.warn(f"{agent}: closes {identifier}, which does not concern them; it stays as it is")
            return
        outcome = _MEANT.get((thread.kind, closed.outcome), closed.outcome)
        earlier = self._settled.get(identifier, "")
        if earlier == outcome:
            return  # both sides say so
        if earlier or not thread.is_open:
            self.warn(f"{agent}: closes {identifier} as {outcome}, it is {earlier or thread.outcome} already")
            return
        text = _one_line(closed.text) or self._words("thread_closed", outcome=outcome)
        self._settle(thread, agent, text, outcome)

    def _settle(self, thread: Thread, agent: str, text: str, outcome: str) -> None:
        self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        self._settled[thread.id] = outcome
        self._said.remove(thread)

    def open(self, agent: str, opened: Opened) -> None:
        text = _one_line(opened.text)
        replaced = self._replace(agent, opened)
        if self._said.knows(agent, opened, text):
            self.warn(f"{agent}: opened already, kept once: {_cut(text)}")
            return
        today, due = self._scene.ref.day, None if opened.kind == "silence" else opened.due
        if due is not None and not today <= due <= today + MOST_DAYS_AHEAD:
            what = "over" if due < today else "years away"
            self.warn(f"{agent}: due on day {due}, which is {what}; kept without a day: {_cut(text)}")
            due = None
        arranged = opened.kind == "appointment"
        event = ThreadEvent(
            id=render_thread_id(self._number),
            at=str(self._scene.ref),
            event="open",
            by=agent,
            text=text,
            kind=opened.kind,
            to=_addressed(self._world, self._scene, agent, opened.to),
            due=today if arranged and due is None else due,
            time=self._time(agent, opened) if arranged else "",
            place=self._place(agent, opened) if arranged else "",
            replaces=replaced,
        )
        (thread,) = fold_events((), [event])
        if arranged and any(_is_same_meeting(thread, other) for other in self._arranged):
            self.warn(f"{agent}: arranged already, kept once: {_cut(text)}")
            return
        self._number += 1
        self.events.append(event)
        self._said.add(thread)
        self._arranged += [thread] if arranged else []

    def _replace(self, agent: str, opened: Opened) -> str:
        """Settle the thread in whose place another is opened, and return its id; empty if there is none."""
        identifier = _bare(opened.replaces)
        thread = self._known.get(identifier)
        if thread is None or not thread.concerns(agent) or not thread.is_open or identifier in self._settled:
            if identifier:
                self.warn(f"{agent}: replaces {identifier!r}, which is no open thread of theirs; left out")
            return ""
        self._settle(thread, agent, self._words("thread_closed", outcome="replaced"), "replaced")
        return identifier

    def _time(self, agent: str, opened: Opened) -> str:
        said = casefold(_bare(opened.time))
        clock = _CLOCK.match(said)
        if clock:
            return f"{int(clock['hour']):02d}:{clock['minute']}"
        if said and said not in TIMES_OF_DAY:
            self.warn(f"{agent}: arranged for {_cut(opened.time)}, which is no time; kept without one")
        return said if said in TIMES_OF_DAY else ""

    def _place(self, agent: str, opened: Opened) -> str:
        known = {casefold(place): place for place in self._world.settings.places}
        place = known.get(casefold(_bare(opened.place)), "")
        if opened.place and not place:
            self.warn(f"{agent}: arranged at {_cut(opened.place)}, which is no place here; kept without one")
        return place


def next_number(world: World) -> int:
    """Return the number of the next thread, also above those only in the logbook."""
    used = [thread.number for thread in world.threads]
    for entry in world.log:
        listed = entry.record.get("threads")
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                used.append(number_of(item["id"]))
    return max(used, default=0) + 1


def _addressed(world: World, scene: Scene, agent: str, to: str | None) -> tuple[str, ...]:
    if to is None or not to.strip():
        return tuple(name for name in scene.cast if name != agent)
    named = find_agent(world.agents, to)
    return (named,) if named is not None and named in scene.cast and named != agent else ()


def _is_near(thread: Thread, opened: Opened, words: frozenset[str]) -> bool:
    if thread.due is not None and opened.due is not None and thread.due != opened.due:
        return False
    old = content_words(thread.text)
    return len(old) >= _FEWEST_WORDS and len(old & words) >= ALIKE * len(old | words)


def _is_same_meeting(one: Thread, other: Thread) -> bool:
    """Both sides of an appointment may say so, in their own words."""
    same_time = not one.time or not other.time or one.time == other.time
    return set(one.people) == set(other.people) and one.due == other.due and same_time


def brief_event(event: ThreadEvent) -> dict[str, object]:
    """Return an event as a logbook line lists it."""
    record = {"id": event.id, "event": event.event, "by": event.by}
    more = ("kind", "due", "time", "place", "replaces", "outcome")
    return record | {key: value for key in more if (value := getattr(event, key)) not in ("", None)}


def open_threads_of(world: World, agent: str, present: Sequence[str] = ()) -> list[Thread]:
    """Return the open threads that concern an agent, the most urgent first.

    Overdue and due today; then those that concern others present; then by due day, the oldest first.
    """
    others = [name for name in present if name != agent]
    return open_for(world.threads, agent, world.clock.day, others)


def _bare(said: str) -> str:
    """Return an id without the quotes that replies put around it."""
    return said.strip("`» «")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _cut(text: str) -> str:
    return repr(clip(text))
