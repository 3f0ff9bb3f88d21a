"""The threads of a scene: what replies open, replace and close, as events."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gm.base.texts import unquoted
from gm.layers.declare import quote_words
from gm.model.scene import Scene
from gm.model.thread import GAME_MASTER, THREAD_ID, Outcome, Thread, ThreadEvent
from gm.model.world import Sentences, World
from gm.scene.dialogue.turns import Turn
from gm.scene.threads.appointments import people_of
from gm.scene.threads.awareness import knows
from gm.scene.threads.opened_threads import asks_outside, reached_by, read_opened
from gm.scene.threads.verdict import OpenedHere, OpenThreads, Replaced, SaidThreads, decide_thread, says_the_same

if TYPE_CHECKING:
    from gm.model.scene_reply import Closed, Opened

HERE = "here-"
"""Before the number of what an agent has opened in the running scene, instead of an id."""
_HERE = re.compile(rf"{HERE}\d{{1,3}}")
# outcomes that replies use for the wrong kind of thread, and what they mean
_MEANT: Mapping[tuple[str, Outcome], Outcome] = {
    ("promise", "answered"): "kept",
    ("question", "kept"): "answered",
    ("question", "broken"): "dropped",
    ("appointment", "answered"): "kept",
    ("silence", "answered"): "kept",
}


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
                fold.leave_out(turn.agent, f"opened without a word said aloud, left out: {quote_words(opened.text)}")
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
        self._settled: dict[str, Outcome] = {}  # outcomes of what was closed in this scene, by id
        self._first_number = next_number(world)
        self._fresh: dict[str, OpenedHere] = {}  # what was opened in this scene, by id
        self._here: dict[str, list[str]] = {}  # ids of what each agent opened in this scene; empty = left out
        self._reply = 0
        self.events: list[ThreadEvent] = []
        self.warnings: list[str] = []

    def begin_reply(self) -> None:
        self._reply += 1

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def leave_out(self, agent: str, why: str) -> None:
        self.warn(f"{agent}: {why}")
        self._here.setdefault(agent, []).append("")

    def close(self, agent: str, closed: Closed) -> None:
        identifier = self._of_here(agent, unquoted(closed.id))
        thread = self._find(identifier)
        if thread is None:
            self.warn(f"{agent}: closes {identifier!r}, which does not exist")
            return
        if not thread.concerns(agent):
            self.warn(f"{agent}: closes {identifier}, which does not concern them; it stays as it is")
            return
        outcome: Outcome = _MEANT.get((thread.kind, closed.outcome), closed.outcome)
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
        others = sorted(name for name, ids in self._here.items() if thread.id in ids and name != agent)
        if not others or thread.id not in self._here.get(agent, ()):
            return False
        self._here[agent] = ["" if one == thread.id else one for one in self._here[agent]]
        self.warn(f"{agent}: closes {thread.id}, which {', '.join(others)} opened here as well; it stays open")
        return True

    def noted(self, agent: str) -> NotedThreads:
        own: dict[str, Noted] = {}
        for number, identifier in enumerate(self._here.get(agent, ()), 1):
            thread = self._find(identifier)
            if thread and self._is_open(thread) and identifier not in own:
                own[identifier] = self._note(thread, f"{HERE}{number}")
        arranged = (one for one in self._open_now("appointment") if one.id in self._fresh)
        others = (self._note(one) for one in arranged if one.concerns(agent) and one.id not in own)
        return NotedThreads(tuple(own.values()), tuple(others))

    def _note(self, thread: Thread, identifier: str = "") -> Noted:
        opened = self._fresh.get(thread.id)
        when = (thread.time, thread.place) if opened and opened.is_completed else ()
        return Noted(thread.text, identifier, *when)

    def _find(self, identifier: str) -> Thread | None:
        opened = self._fresh.get(identifier)
        return opened.thread if opened else self._known.get(identifier)

    def _is_open(self, thread: Thread) -> bool:
        return thread.is_open and thread.id not in self._settled

    def _of_here(self, agent: str, said: str) -> str:
        number = int(said.removeprefix(HERE)) if _HERE.fullmatch(said) else 0
        opened = self._here.get(agent, [])
        return opened[number - 1] if 0 < number <= len(opened) and opened[number - 1] else said

    def _open_now(self, kind: str = "") -> list[Thread]:
        known = (*self._known.values(), *(opened.thread for opened in self._fresh.values()))
        return [one for one in known if kind in ("", one.kind) and self._is_open(one)]

    def _replace(self, thread: Thread, by: str) -> None:
        self._settle(thread, by, self._words("thread_closed", outcome="replaced"), "replaced")

    def _settle(self, thread: Thread, agent: str, text: str, outcome: Outcome) -> None:
        self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        self._settled[thread.id] = outcome
        self._said.remove(thread)

    def hold(self) -> None:
        for thread in (one for one in self._open_now("appointment") if one.id in self._scene.answers):
            # who comes for a promise is not waited for
            if {*people_of(self._world, thread)}.intersection(thread.people) <= {*self._scene.cast}:
                self._settle(thread, GAME_MASTER, self._words("thread_closed", outcome="kept"), "kept")

    def open(self, agent: str, opened: Opened, reached: Sequence[str]) -> None:
        number = THREAD_ID.render(self._first_number + len(self._fresh))
        thread, warnings = read_opened(self._world, self._scene, agent, opened, reached, number)
        self.warnings += warnings
        if thread.kind == "appointment" and not thread.to:
            self.leave_out(agent, f"arranged with no one present, left out: {quote_words(thread.text)}")
            return
        said = OpenedHere(thread, self._reply, frozenset(thread.to).difference(reached))
        beside = OpenThreads(self._world, self._scene, self._open_now(), self._fresh, self._said)
        stands, replaced, known, parts = decide_thread(beside, said, self._named(agent, opened))
        if known:
            self.warn(f"{agent}: {known}, kept once: {quote_words(thread.text)}")
        if stands.id in self._fresh:
            self._complete(self._fresh[stands.id], stands)
        for one in parts:
            self._replace(one, GAME_MASTER)
        is_new = stands.id == thread.id
        for one in replaced:  # all in an arrangement know of it
            self._replace(one, GAME_MASTER if is_new and says_the_same(self._world, stands, one) else agent)
        self._here.setdefault(agent, []).append(stands.id)
        if is_new:
            self._add(replace(said, thread=replace(stands, replaces=replaced[0].id if replaced else "")))

    def _add(self, said: OpenedHere) -> None:
        thread = said.thread
        what = (thread.kind, thread.to, thread.due, thread.time, thread.place, thread.replaces)
        self.events.append(ThreadEvent(thread.id, thread.opened, "open", thread.by, thread.text, *what))
        self._said.add(thread)
        self._fresh[thread.id] = said

    def _named(self, agent: str, opened: Opened) -> Replaced:
        identifier = self._of_here(agent, unquoted(opened.replaces))
        thread = self._find(identifier)
        if self._settled.get(identifier) == "replaced":
            return ()  # both sides say so
        if thread is None or not thread.concerns(agent) or not thread.is_open or identifier in self._settled:
            if identifier and (thread is None or knows(self._world, thread, agent)):
                self.warn(f"{agent}: replaces {identifier!r}, which is not an open thread of theirs; left out")
            return ()
        return (thread,)

    def _complete(self, old: OpenedHere, thread: Thread) -> None:
        time, place, to = thread.time, thread.place, thread.to
        is_completed = old.is_completed or (time, place) != (old.thread.time, old.thread.place)
        self._fresh[thread.id] = replace(old, thread=thread, is_completed=is_completed)
        at = next(at for at, event in enumerate(self.events) if (event.id, event.event) == (thread.id, "open"))
        self.events[at] = replace(self.events[at], time=time, place=place, to=to)


def next_number(world: World) -> int:
    """Return the next thread's number, above those in the logbook too."""
    used = [thread.number for thread in world.threads]
    listed = (event.id for entry in world.log for event in entry.threads)
    used += [THREAD_ID.number(name) for name in listed]
    return max(used, default=0) + 1


def brief_event(event: ThreadEvent) -> dict[str, object]:
    """Return an event as a logbook line lists it."""
    record = {"id": event.id, "event": event.event, "by": event.by}
    more = ("kind", "due", "time", "place", "replaces", "outcome")
    return record | {key: value for key in more if (value := getattr(event, key)) not in ("", None)}
