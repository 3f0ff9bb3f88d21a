"""When two threads say the same: in words, by day, as one meeting."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator

from gm.base.texts import casefold
from gm.model.thread import Thread, time_of_day
from gm.model.world import World
from gm.scene.grounding.mentions import content_words, matter_words

ALIKE = 0.8
"""Share of the content words of two texts that both have if they say the same."""
SAME_MATTER_WORDS, SAME_MATTER_SHARE = 2, 0.6
"""Words, and share of the words of the shorter one, by which a promise says what is arranged anyway."""
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
