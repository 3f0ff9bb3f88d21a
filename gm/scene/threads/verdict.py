"""What becomes of a thread that a reply opens: it is new, takes the place of others, or is one that is open already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.threads.same_thread import (
    SaidThreads,
    is_at_the_same_time,
    is_moved,
    is_moved_meeting,
    is_near_matter,
    is_part_of,
    is_same_matter,
    is_same_meeting,
    more_exact,
    says_the_same,
)

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


class Verdict(NamedTuple):
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


def decide(beside: OpenThreads, said: OpenedHere, old: Replaced) -> Verdict:
    """Decide what becomes of a thread; ``old`` are those that the reply replaces by name."""
    return (_arrange if said.thread.kind == "appointment" else _promise)(beside, said, old)


def _promise(beside: OpenThreads, said: OpenedHere, old: Replaced) -> Verdict:
    thread = said.thread
    arranged = (one for one in beside.of_kind("appointment", old) if _says_the_same(beside, said, one, thread))
    if whole := next(arranged, None):
        return Verdict(whole, old, ARRANGED)
    known = beside.said.find(thread)
    if known is None or known in old:
        return _beside_the_other(beside, thread, old)
    return Verdict(thread, (*old, known)) if is_moved(known, thread) else Verdict(known, old, OPENED)


def _beside_the_other(beside: OpenThreads, thread: Thread, old: Replaced) -> Verdict:
    # between two: a promise takes the place of the question that it answers, what one side has noted the other does
    # not ask about once more, and what both promise for the same clock time is one
    if len(thread.to) != 1 or thread.kind == "silence":
        return Verdict(thread, old)
    promised = (one for one in beside.of_kind("promise", old) if thread.kind == "promise" and one.by in thread.to)
    if same := next((one for one in promised if is_at_the_same_time(one, thread)), None):
        return Verdict(same, old)
    kinds = ("question", "promise") if thread.kind == "question" else ("question",)
    other_side = (one for kind in kinds for one in beside.of_kind(kind) if one.people == (*thread.to, thread.by))
    one = next((one for one in other_side if _is_answered(beside, one, thread)), None)
    if one is None or one in old:
        return Verdict(thread, old)
    if one.kind != thread.kind == "promise" or is_moved(one, thread):
        return Verdict(thread, (*old, one))
    return Verdict(one, old)  # both sides say so


def _is_answered(beside: OpenThreads, one: Thread, thread: Thread) -> bool:
    # what is promised in the scene in which it was asked for need not be said in the same words
    is_granted = one.id in beside.here and (one.kind, thread.kind) == ("question", "promise")
    return (is_near_matter if is_granted else is_same_matter)(beside.world, one, thread)


def _arrange(beside: OpenThreads, said: OpenedHere, old: Replaced) -> Verdict:
    # The same people meet once at a time. A newer word replaces what was arranged before; the old time or place
    # stays where it names none.
    thread, arranged = said.thread, beside.of_kind("appointment", old)
    fresh = (one for one in arranged if one.id in beside.here and _is_same_meeting(beside.here[one.id], said))
    if whole := next((one for one in fresh if not is_part_of(one, thread)), None):
        full = whole if is_part_of(thread, whole) else _complete(whole, thread)
        parts = () if full is whole else tuple(one for one in arranged if one.id != full.id and is_part_of(one, full))
        return Verdict(full, old, ARRANGED, parts)
    # what the scene is played for takes place now: the same people may meet again today
    before = [one for one in arranged if one.id not in beside.scene.answers]
    for one in (one for one in before if is_same_meeting(one, thread)):
        thread = replace(thread, time=more_exact(one.time, thread.time), place=thread.place or one.place)
        same = (one.time, one.place) == (thread.time, thread.place) and not is_part_of(one, thread)
        if is_part_of(thread, one) or (same and beside.said.find(replace(thread, by=one.by))):
            return Verdict(one, old, ARRANGED)
        old = (*old, one)
    moved = (one for one in before if is_moved_meeting(beside.world, one, thread))
    promised = (one for one in beside.of_kind("promise") if _says_the_same(beside, said, thread, one))
    asked = (one for one in beside.of_kind("question") if _answers(beside.world, thread, one))
    return Verdict(thread, tuple(dict.fromkeys((*old, *moved, *promised, *asked))))


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
