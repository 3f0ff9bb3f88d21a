"""The threads of a scene: what replies open, replace and close, as events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.texts import unquoted
from gm.layers.declare import quoted
from gm.model.scene import Scene
from gm.model.scene_reply import Closed, Opened
from gm.model.thread import GAME_MASTER, THREAD_ID, Thread, ThreadEvent
from gm.model.world import World
from gm.scene.dialogue.turns import Turn
from gm.scene.ledger import Sentences
from gm.scene.threads.appointments import people_of
from gm.scene.threads.awareness import knows
from gm.scene.threads.opened_threads import asks_outside, reached_by, read_opened
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

HERE = "here-"
"""Before the number of what an agent has opened in the running scene, instead of an id."""
_HERE = re.compile(rf"{HERE}\d{{1,3}}")
# outcomes that replies use for the wrong kind of thread, and what they mean
_MEANT: Mapping[tuple[str, str], str] = {
    ("promise", "answered"): "kept",
    ("question", "kept"): "answered",
    ("question", "broken"): "dropped",
    ("appointment", "answered"): "kept",
    ("silence", "answered"): "kept",
}


Replaced = tuple[Thread, ...]
"""Open threads whose place a new one takes."""


@dataclass(frozen=True, slots=True)
class FoldedThreads:
    """The events of a scene's threads, and what was refused."""

    events: Sequence[ThreadEvent] = ()
    warnings: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Noted:
    """A thread that a running scene has opened.

    Attributes:
        id: The number by which the character calls it, such as ``here-1``; empty for what others have arranged.
        time: Of an appointment, if it was added later in the scene; as ``place``.
    """

    text: str
    id: str = ""
    time: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class NotedThreads:
    """What a character has opened in a running scene and is still open, and what others have arranged with it."""

    own: tuple[Noted, ...] = ()
    others: tuple[Noted, ...] = ()


def fold_threads(world: World, scene: Scene, turns: Sequence[Turn], words: Sentences) -> FoldedThreads:
    """Return the events of threads that replies open and close, in turn order, and of appointments held.

    What a character opens counts if it said something aloud in the scene, laid out a piece, or asks the person outside.
    """
    fold = _fold_replies(world, scene, turns, words)
    fold.hold()
    return FoldedThreads(fold.events, fold.warnings)


def noted_so_far(world: World, scene: Scene, turns: Sequence[Turn], agent: str, words: Sentences) -> NotedThreads:
    """Return what is noted of a participant's threads in a running scene, as it would be folded now."""
    if not any(turn.reply.opens for turn in turns):
        return NotedThreads()
    return _fold_replies(world, scene, turns, words).noted(agent)


def _fold_replies(world: World, scene: Scene, turns: Sequence[Turn], words: Sentences) -> _Fold:
    fold = _Fold(world, scene, words)
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    for turn in turns:
        fold.begin_reply()
        for closed in turn.reply.closes:
            fold.close(turn.agent, closed)
        for opened in turn.reply.opens:
            if turn.agent in speakers or turn.reply.artifact or asks_outside(world, opened):
                fold.open(turn.agent, opened, reached_by(world, scene, turn, aloud=turn.agent in speakers))
            else:
                fold.leave_out(turn.agent, f"opened without a word said aloud, left out: {quoted(opened.text)}")
    return fold


def fold_closes(world: World, scene: Scene, closes: Mapping[str, Sequence[Closed]], words: Sentences) -> FoldedThreads:
    """Return the events of threads settled in the evening."""
    fold = _Fold(world, scene, words)
    for agent, listed in closes.items():
        for closed in listed:
            fold.close(agent, closed)
    return FoldedThreads(fold.events, fold.warnings)


class _Fold:
    def __init__(self, world: World, scene: Scene, words: Sentences) -> None:
        self._world, self._scene, self._words = world, scene, words
        self._known = {thread.id: thread for thread in world.threads}
        self._said = SaidThreads(thread for thread in world.threads if thread.is_open)
        self._settled: dict[str, str] = {}  # outcomes of what was closed in this scene, by id
        self._number = next_number(world)
        self._fresh: dict[str, Thread] = {}  # what was opened in this scene, by id
        self._here: dict[str, list[str]] = {}  # ids of what each agent opened in this scene; empty = left out
        self._in_reply: set[str] = set()  # ids of what the reply has opened so far
        self._stated: dict[str, set[str]] = {}  # who has opened it in this scene, by id
        self._completed: set[str] = set()  # ids of appointments whose time or place was added later
        self._fetched: dict[str, set[str]] = {}  # who is named in an appointment and has not heard it, by id
        self.events: list[ThreadEvent] = []
        self.warnings: list[str] = []

    def begin_reply(self) -> None:
        self._in_reply = set()

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def leave_out(self, agent: str, why: str) -> None:
        self.warn(f"{agent}: {why}")
        self._here.setdefault(agent, []).append("")

    def close(self, agent: str, closed: Closed) -> None:
        identifier = self._of_here(agent, unquoted(closed.id))
        thread = self._known.get(identifier) or self._fresh.get(identifier)
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
        is_news = not earlier and not knows(self._world, thread, agent)
        if not is_news and (earlier or not thread.is_open):
            self.warn(f"{agent}: closes {identifier} as {outcome}, it is {earlier or thread.outcome} already")
            return
        if outcome == "dropped" and self._is_taken_back(agent, thread):
            return
        text = " ".join(closed.text.split()) or self._words("thread_closed", outcome=outcome)
        if is_news:  # closed without the agent's knowledge: now it is closed for the agent too
            self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        else:
            self._settle(thread, agent, text, outcome)

    def _is_taken_back(self, agent: str, thread: Thread) -> bool:
        # what others have opened here as well stays: the agent takes its own word back
        stated = self._stated.get(thread.id, set())
        if agent not in stated or stated == {agent}:
            return False
        stated.discard(agent)
        self._here[agent] = ["" if one == thread.id else one for one in self._here[agent]]
        self.warn(f"{agent}: closes {thread.id}, which {', '.join(sorted(stated))} opened here as well; it stays open")
        return True

    def noted(self, agent: str) -> NotedThreads:
        own: dict[str, Noted] = {}
        for number, identifier in enumerate(self._here.get(agent, ()), 1):
            thread = self._known.get(identifier) or self._fresh.get(identifier)
            if thread and self._is_open(thread) and identifier not in own:
                own[identifier] = self._note(thread, f"{HERE}{number}")
        arranged = (one for one in self._fresh.values() if one.kind == "appointment" and self._is_open(one))
        others = (self._note(one) for one in arranged if one.concerns(agent) and one.id not in own)
        return NotedThreads(tuple(own.values()), tuple(others))

    def _note(self, thread: Thread, identifier: str = "") -> Noted:
        when = (thread.time, thread.place) if thread.id in self._completed else ()
        return Noted(thread.text, identifier, *when)

    def _is_open(self, thread: Thread) -> bool:
        return thread.is_open and thread.id not in self._settled

    def _of_here(self, agent: str, said: str) -> str:
        number = int(said.removeprefix(HERE)) if _HERE.fullmatch(said) else 0
        opened = self._here.get(agent, [])
        return opened[number - 1] if 0 < number <= len(opened) and opened[number - 1] else said

    def _settle(self, thread: Thread, agent: str, text: str, outcome: str) -> None:
        self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        self._settled[thread.id] = outcome
        self._said.remove(thread)

    def hold(self) -> None:
        for thread in (one for one in self._open_now("appointment") if one.id in self._scene.answers):
            # who comes for a promise is not waited for
            if {*people_of(self._world, thread)}.intersection(thread.people) <= {*self._scene.cast}:
                self._settle(thread, GAME_MASTER, self._words("thread_closed", outcome="kept"), "kept")

    def open(self, agent: str, opened: Opened, reached: Sequence[str]) -> None:
        said, warnings = read_opened(self._world, self._scene, agent, opened, reached, THREAD_ID.render(self._number))
        self.warnings += warnings
        if said.kind == "appointment" and not said.to:
            self.leave_out(agent, f"arranged with no one present, left out: {quoted(said.text)}")
            return
        self._fetched[said.id] = {*said.to}.difference(reached)
        find = self._arrange if said.kind == "appointment" else self._promise
        thread, old = find(said, self._named(agent, opened))  # an open one that says the same, or the new one
        for one in old:
            # Everyone in an arrangement knows of it.
            is_same = thread.id == said.id and says_the_same(self._world, thread, one)
            by = GAME_MASTER if is_same else agent
            self._settle(one, by, self._words("thread_closed", outcome="replaced"), "replaced")
        self._here.setdefault(agent, []).append(thread.id)
        self._stated.setdefault(thread.id, set()).add(agent)
        if thread.id == said.id:
            self._add(replace(thread, replaces=old[0].id if old else ""))

    def _promise(self, thread: Thread, old: Replaced) -> tuple[Thread, Replaced]:
        arranged = (one for one in self._open_now("appointment") if one not in old)
        if whole := next((one for one in arranged if self._says_the_same(one, thread)), None):
            self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
            return whole, old
        known = self._said.find(thread)
        if known is None or known in old:
            return self._beside_the_other(thread, old)
        if is_moved(known, thread):
            return thread, (*old, known)
        self.warn(f"{thread.by}: opened already, kept once: {quoted(thread.text)}")
        return known, old

    def _beside_the_other(self, thread: Thread, old: Replaced) -> tuple[Thread, Replaced]:
        # between two: a promise takes the place of the question that it answers, what one side has noted the other does
        # not ask about once more, and what both promise for the same clock time is one
        if len(thread.to) != 1 or thread.kind == "silence":
            return thread, old
        promised = [one for one in self._open_now("promise") if thread.kind == "promise" and one.by in thread.to]
        if same := next((one for one in promised if one not in old and is_at_the_same_time(one, thread)), None):
            return same, old
        kinds = ("question", "promise") if thread.kind == "question" else ("question",)
        other_side = (one for kind in kinds for one in self._open_now(kind) if one.people == (*thread.to, thread.by))
        one = next((one for one in other_side if self._is_answered(one, thread)), None)
        if one is None or one in old:
            return thread, old
        if one.kind != thread.kind == "promise" or is_moved(one, thread):
            return thread, (*old, one)
        return one, old  # both sides say so

    def _is_answered(self, one: Thread, thread: Thread) -> bool:
        # what is promised in the scene in which it was asked for need not be said in the same words
        is_granted = one.id in self._fresh and (one.kind, thread.kind) == ("question", "promise")
        is_alike = is_near_matter if is_granted else is_same_matter
        return is_alike(self._world, one, thread)

    def _add(self, thread: Thread) -> None:
        self._number += 1
        self.events.append(
            ThreadEvent(
                id=thread.id,
                at=thread.opened,
                event="open",
                by=thread.by,
                text=thread.text,
                kind=thread.kind,
                to=thread.to,
                due=thread.due,
                time=thread.time,
                place=thread.place,
                replaces=thread.replaces,
            )
        )
        self._said.add(thread)
        self._fresh[thread.id] = thread
        self._in_reply.add(thread.id)

    def _named(self, agent: str, opened: Opened) -> Replaced:
        identifier = self._of_here(agent, unquoted(opened.replaces))
        thread = self._known.get(identifier) or self._fresh.get(identifier)
        if self._settled.get(identifier) == "replaced":
            return ()  # both sides say so
        if thread is None or not thread.concerns(agent) or not thread.is_open or identifier in self._settled:
            if identifier and (thread is None or knows(self._world, thread, agent)):
                self.warn(f"{agent}: replaces {identifier!r}, which is not an open thread of theirs; left out")
            return ()
        return (thread,)

    def _arrange(self, thread: Thread, old: Replaced) -> tuple[Thread, Replaced]:
        # The same people meet once at a time. A newer word replaces what was arranged before; the old time or place
        # stays where it names none.
        fresh = (one for one in self._fresh.values() if one.id not in self._settled and one not in old)
        whole = next((one for one in fresh if self._is_same_meeting(one, thread) and not is_part_of(one, thread)), None)
        if whole:
            self._complete(whole, thread)
            self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
            return whole, old
        # what the scene is played for takes place now: the same people may meet again today
        before = [one for one in self._open_now("appointment") if one.id not in self._scene.answers and one not in old]
        for one in (one for one in before if is_same_meeting(one, thread)):
            thread = replace(thread, time=more_exact(one.time, thread.time), place=thread.place or one.place)
            same = (one.time, one.place) == (thread.time, thread.place) and not is_part_of(one, thread)
            if is_part_of(thread, one) or (same and self._said.find(replace(thread, by=one.by))):
                self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
                return one, old
            old = (*old, one)
        moved = (one for one in before if is_moved_meeting(self._world, one, thread))
        promised = (one for one in self._open_now("promise") if self._says_the_same(thread, one))
        asked = (one for one in self._open_now("question") if self._answers(thread, one))
        return thread, tuple(dict.fromkeys((*old, *moved, *promised, *asked)))

    def _answers(self, appointment: Thread, question: Thread) -> bool:
        is_theirs = bool(question.to) and {*question.people} <= {*appointment.people}
        return is_theirs and is_same_matter(self._world, appointment, question)

    def _is_same_meeting(self, fresh: Thread, thread: Thread) -> bool:
        # of those who are yet to be fetched, one may name more than another
        heard = (
            replace(one, to=tuple(name for name in one.to if name not in self._fetched[one.id]))
            for one in (fresh, thread)
        )
        return is_same_meeting(*heard)

    def _says_the_same(self, appointment: Thread, promise: Thread) -> bool:
        # beside an appointment of the same reply, a promise for some day or in other words is a second thing
        if not says_the_same(self._world, appointment, promise):
            return False
        is_beside = bool(self._in_reply & {appointment.id, promise.id})
        return not is_beside or (promise.due is not None and is_same_matter(self._world, appointment, promise))

    def _open_now(self, kind: str) -> list[Thread]:
        known = (*self._known.values(), *self._fresh.values())
        return [one for one in known if one.kind == kind and self._is_open(one)]

    def _complete(self, fresh: Thread, other: Thread) -> None:
        if is_part_of(other, fresh):
            return
        time, place = more_exact(other.time, fresh.time), fresh.place or other.place
        to = (*fresh.to, *(name for name in other.to if name not in fresh.people))
        if (time, place) != (fresh.time, fresh.place):
            self._completed.add(fresh.id)
        self._fresh[fresh.id] = replace(fresh, time=time, place=place, to=to)
        self.events = [
            replace(event, time=time, place=place, to=to) if event.id == fresh.id and event.event == "open" else event
            for event in self.events
        ]
        for part in [one for one in self._open_now("appointment") if is_part_of(one, self._fresh[fresh.id])]:
            self._settle(part, GAME_MASTER, self._words("thread_closed", outcome="replaced"), "replaced")


def next_number(world: World) -> int:
    """Return the next thread's number, above those in the logbook too."""
    used = [thread.number for thread in world.threads]
    for entry in world.log:
        listed = entry.record.get("threads")
        for item in listed if isinstance(listed, list) else ():
            if isinstance(item, dict) and isinstance(item.get("id"), str):
                used.append(THREAD_ID.number(item["id"]))
    return max(used, default=0) + 1


def brief_event(event: ThreadEvent) -> dict[str, object]:
    """Return an event as a logbook line lists it."""
    record = {"id": event.id, "event": event.event, "by": event.by}
    more = ("kind", "due", "time", "place", "replaces", "outcome")
    return record | {key: value for key in more if (value := getattr(event, key)) not in ("", None)}
