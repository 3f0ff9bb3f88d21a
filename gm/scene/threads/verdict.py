"""What becomes of a thread that a reply opens: new, in the place of others, or the same as an open one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gm.base.casefold import casefold
from gm.model.scene import Scene
from gm.model.thread import Thread, time_of_day
from gm.model.world import World
from gm.scene.grounding.mentions import SAME_MATTER_WORDS, content_words, matter_words

ALIKE = 0.8
"""Share of the content words of two texts that both have if they say the same."""
SAME_MATTER_SHARE = 0.6
"""Share of the words of the shorter one by which a promise says what is arranged anyway."""
NEAR_MATTER_SHARE = 1 / 3
"""The same share for a promise that is made where it was asked for."""
ROUNDING = 1e-9
"""Guard against a product of floats that is a little above a whole number."""
_FEWEST_WORDS = 3
"""Content words from which texts are compared by words; shorter ones must be equal."""
_NUMBER = re.compile(r"\d+")


class SaidThreads:
    """Open threads, indexed so that one that says the same is found without comparing all."""

    def __init__(self, threads: Iterable[Thread]) -> None:
        self._threads: dict[tuple[object, ...], dict[str, Thread]] = {}
        for thread in threads:
            self.add(thread)

    def add(self, thread: Thread) -> None:
        for key in _keys(thread):
            self._threads.setdefault(key, {})[thread.id] = thread

    def remove(self, thread: Thread) -> None:
        for key in _keys(thread):
            self._threads[key].pop(thread.id)

    def find(self, said: Thread) -> Thread | None:
        """Return an open thread that says the same: the same words, or nearly all content words and equal numbers."""
        same, *near = (self._threads.get(key, {}) for key in _keys(said))
        if same:
            return next(iter(same.values()))
        words = content_words(said.text)
        if len(words) < _FEWEST_WORDS:
            return None
        # two texts that are ALIKE share at least one of so many words, whichever are chosen: the rarest are tried
        rarest = sorted(near, key=len)[: len(words) - math.ceil(ALIKE * len(words) - ROUNDING) + 1]
        return next((one for threads in rarest for one in threads.values() if _is_near(one, words)), None)


def _keys(said: Thread) -> Iterator[tuple[object, ...]]:
    yield said.by, said.kind, casefold(said.text).rstrip(".!?")
    numbers = tuple(_NUMBER.findall(said.text))
    yield from ((said.by, said.kind, numbers, word) for word in content_words(said.text))


def is_moved_meeting(world: World, one: Thread, other: Thread) -> bool:
    """Return whether the same people arrange the same matter for the same day."""
    return one.due == other.due and {*one.people} == {*other.people} and is_same_matter(world, one, other)


def says_the_same(world: World, appointment: Thread, thread: Thread) -> bool:
    """Return whether a thread promises what is arranged.

    For the same day and its people, in much the same words; for all of them at its place and time of day, in some of
    the same words; or, at its clock time, in any words.
    """
    if thread.kind != "promise" or thread.due not in (None, appointment.due):
        return False
    is_theirs = bool(thread.to) and {*thread.people} <= {*appointment.people}
    if not is_theirs:
        return False
    is_alike = is_near_matter if _is_around_the_same_time(appointment, thread) else is_same_matter
    return is_at_the_same_time(appointment, thread) or is_alike(world, appointment, thread)


def is_at_the_same_time(one: Thread, other: Thread) -> bool:
    """Return whether the same people meet at the same clock time, at places that agree or are in part unsaid."""
    is_here = (one.place or other.place) == (other.place or one.place)
    same = (one.due, one.time, {*one.people}) == (other.due, other.time, {*other.people})
    return same and is_here and one.time != time_of_day(one.time)


def _is_around_the_same_time(one: Thread, other: Thread) -> bool:
    """Return whether the same people meet at the same place and time of day, both named."""
    at, there = ((thread.due, time_of_day(thread.time), thread.place, {*thread.people}) for thread in (one, other))
    return at == there and bool(one.time and one.place)


def is_same_matter(world: World, first: Thread, second: Thread) -> bool:
    """Return whether two threads share most of their words, weekdays aside."""
    return _share_words(world, first, second, SAME_MATTER_SHARE)


def is_near_matter(world: World, first: Thread, second: Thread) -> bool:
    """Return whether two threads share a third of their words, weekdays aside: a request, and the promise after it."""
    return _share_words(world, first, second, NEAR_MATTER_SHARE)


def _share_words(world: World, first: Thread, second: Thread, share: float) -> bool:
    weekdays = content_words(" ".join(world.settings.calendar.weekdays))
    one, other = (matter_words(world, text) - weekdays for text in (first.text, second.text))
    return len(one & other) >= max(SAME_MATTER_WORDS, share * min(len(one), len(other)) - ROUNDING)


def _is_near(thread: Thread, words: frozenset[str]) -> bool:
    old = content_words(thread.text)
    return len(old) >= _FEWEST_WORDS and len(old & words) >= ALIKE * len(old | words)


def is_moved(thread: Thread, said: Thread) -> bool:
    """Return whether two that say the same name other days: the newer one takes the place of the first."""
    return thread.due is not None and said.due is not None and thread.due != said.due


def is_same_meeting(one: Thread, other: Thread) -> bool:
    """Return whether the same people meet on the same day, at times that agree or are in part unsaid."""
    if not one.kind == other.kind == "appointment" or one.due != other.due:
        return False
    if {*one.people} == {*other.people}:
        return not one.time or not other.time or _may_be_same_time(one.time, other.time)
    return is_part_of(one, other) or is_part_of(other, one)


def _may_be_same_time(one: str, other: str) -> bool:
    return one == other or one == time_of_day(other) or other == time_of_day(one)


def more_exact(old: str, new: str) -> str:
    """Return the new time, but the old clock time where the new one only names its part of the day, or nothing."""
    return old if not new or new == time_of_day(old) else new


def is_part_of(small: Thread, whole: Thread) -> bool:
    """Return whether some people of a round arrange to meet at its day, clock time and place: they meet in it."""
    is_clock = bool(whole.time) and whole.time != time_of_day(whole.time)
    same = (whole.due, whole.time, whole.place) == (small.due, small.time, small.place or whole.place)
    return is_clock and same and {*small.people} < {*whole.people}


ARRANGED, OPENED = "arranged already", "opened already"
Replaced = tuple[Thread, ...]
"""Open threads whose place a new one takes."""


@dataclass(frozen=True, slots=True)
class OpenedHere:
    """A thread that a reply of the running scene opens.

    Attributes:
        reply: Number of the reply.
        unheard: Who is named in it and has not heard it.
        is_completed: Whether its time or place was added later.
    """

    thread: Thread
    reply: int
    unheard: frozenset[str]
    is_completed: bool = False


@dataclass(frozen=True, slots=True)
class OpenThreads:
    """The open threads that a new one is compared with.

    Attributes:
        here: What was opened in this scene, by id.
        said: The same threads by their words.
    """

    world: World
    scene: Scene
    threads: Sequence[Thread]
    here: Mapping[str, OpenedHere]
    said: SaidThreads

    def of_kind(self, kind: str, old: Replaced = ()) -> list[Thread]:
        return [one for one in self.threads if one.kind == kind and one not in old]


class ThreadDecision(NamedTuple):
    """What becomes of a thread.

    Attributes:
        thread: The thread itself, or the open one that says the same, with what is added to it.
        known: Why it is kept once; empty = it is new, or both sides say so.
        parts: Appointments that are part of the completed one.
    """

    thread: Thread
    replaced: Replaced
    known: str = ""
    parts: Replaced = ()


def decide_thread(beside: OpenThreads, said: OpenedHere, old: Replaced) -> ThreadDecision:
    """Decide what becomes of a thread; ``old`` are those that the reply replaces by name."""
    return (_arrange if said.thread.kind == "appointment" else _promise)(beside, said, old)


def _promise(beside: OpenThreads, said: OpenedHere, old: Replaced) -> ThreadDecision:
    thread = said.thread
    arranged = (one for one in beside.of_kind("appointment", old) if _says_the_same(beside, said, one, thread))
    if whole := next(arranged, None):
        return ThreadDecision(whole, old, ARRANGED)
    known = beside.said.find(thread)
    if known is None or known in old:
        return _beside_the_other(beside, thread, old)
    return ThreadDecision(thread, (*old, known)) if is_moved(known, thread) else ThreadDecision(known, old, OPENED)


def _beside_the_other(beside: OpenThreads, thread: Thread, old: Replaced) -> ThreadDecision:
    # between two: a promise takes the place of the question that it answers, what one side has noted the other does
    # not ask about once more, and what both promise for the same clock time is one
    if len(thread.to) != 1 or thread.kind == "silence":
        return ThreadDecision(thread, old)
    promised = (one for one in beside.of_kind("promise", old) if thread.kind == "promise" and one.by in thread.to)
    if same := next((one for one in promised if is_at_the_same_time(one, thread)), None):
        return ThreadDecision(same, old)
    kinds = ("question", "promise") if thread.kind == "question" else ("question",)
    other_side = (one for kind in kinds for one in beside.of_kind(kind) if one.people == (*thread.to, thread.by))
    one = next((one for one in other_side if _is_answered(beside, one, thread)), None)
    if one is None or one in old:
        return ThreadDecision(thread, old)
    if one.kind != thread.kind == "promise" or is_moved(one, thread):
        return ThreadDecision(thread, (*old, one))
    return ThreadDecision(one, old)  # both sides say so


def _is_answered(beside: OpenThreads, one: Thread, thread: Thread) -> bool:
    # what is promised in the scene in which it was asked for need not be said in the same words
    is_granted = one.id in beside.here and (one.kind, thread.kind) == ("question", "promise")
    return (is_near_matter if is_granted else is_same_matter)(beside.world, one, thread)


def _arrange(beside: OpenThreads, said: OpenedHere, old: Replaced) -> ThreadDecision:
    # The same people meet once at a time. A newer word replaces what was arranged before; the old time or place
    # stays where it names none.
    thread, arranged = said.thread, beside.of_kind("appointment", old)
    fresh = (one for one in arranged if one.id in beside.here and _is_same_meeting(beside.here[one.id], said))
    if whole := next((one for one in fresh if not is_part_of(one, thread)), None):
        full = whole if is_part_of(thread, whole) else _complete(whole, thread)
        parts = () if full is whole else tuple(one for one in arranged if one.id != full.id and is_part_of(one, full))
        return ThreadDecision(full, old, ARRANGED, parts)
    # what the scene is played for takes place now: the same people may meet again today
    before = [one for one in arranged if one.id not in beside.scene.answers]
    for one in (one for one in before if is_same_meeting(one, thread)):
        thread = replace(thread, time=more_exact(one.time, thread.time), place=thread.place or one.place)
        same = (one.time, one.place) == (thread.time, thread.place) and not is_part_of(one, thread)
        if is_part_of(thread, one) or (same and beside.said.find(replace(thread, by=one.by))):
            return ThreadDecision(one, old, ARRANGED)
        old = (*old, one)
    moved = (one for one in before if is_moved_meeting(beside.world, one, thread))
    promised = (one for one in beside.of_kind("promise") if _says_the_same(beside, said, thread, one))
    asked = (one for one in beside.of_kind("question") if _answers(beside.world, thread, one))
    return ThreadDecision(thread, tuple(dict.fromkeys((*old, *moved, *promised, *asked))))


def _complete(fresh: Thread, other: Thread) -> Thread:
    to = (*fresh.to, *(name for name in other.to if name not in fresh.people))
    return replace(fresh, time=more_exact(other.time, fresh.time), place=fresh.place or other.place, to=to)


def _answers(world: World, appointment: Thread, question: Thread) -> bool:
    is_theirs = bool(question.to) and {*question.people} <= {*appointment.people}
    return is_theirs and is_same_matter(world, appointment, question)


def _is_same_meeting(*two: OpenedHere) -> bool:
    # of those who are yet to be fetched, one may name more than another
    one, other = (replace(had.thread, to=tuple(n for n in had.thread.to if n not in had.unheard)) for had in two)
    return is_same_meeting(one, other)


def _says_the_same(beside: OpenThreads, said: OpenedHere, appointment: Thread, promise: Thread) -> bool:
    # beside an appointment of the same reply, a promise for some day or in other words is a second thing
    if not says_the_same(beside.world, appointment, promise):
        return False
    is_beside = any(one.id in beside.here and beside.here[one.id].reply == said.reply for one in (appointment, promise))
    return not is_beside or (promise.due is not None and is_same_matter(beside.world, appointment, promise))
