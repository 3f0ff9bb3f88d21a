"""Threads in a scene: what replies open and close, and who sees what is open."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

from gm.base.casefold import casefold
from gm.base.languages import all_languages, either
from gm.layers.declare import quoted
from gm.model.calendar import SceneRef, parse_ref, time_rank
from gm.model.character import find_agent
from gm.model.scene import ARRIVAL, Scene
from gm.model.scene_reply import Closed, Opened
from gm.model.thread import (
    GAME_MASTER,
    Thread,
    ThreadEvent,
    number_of,
    open_for,
    read_time,
    render_thread_id,
    time_of_day,
)
from gm.model.world import World
from gm.scene.attendance import attending
from gm.scene.dates import say_days
from gm.scene.hours import AT, read_hour
from gm.scene.known_pieces import BOARD, audience_of, is_for
from gm.scene.ledger import Sentences
from gm.scene.mentions import content_words, matter_words, place_in
from gm.scene.turns import Turn

HERE = "here-"
"""Before the number of what an agent has opened in the running scene, instead of an id."""
ALIKE = 0.8
SAME_MATTER_WORDS, SAME_MATTER_SHARE = 2, 0.6
"""Words, and share of the words of the shorter one, by which a promise says what is arranged anyway."""
ROUNDING = 1e-9
MOST_DAYS_AHEAD = 400  # a date written as one number is no story day
_FEWEST_WORDS = 3
_NUMBER = re.compile(r"\d+")
_HERE = re.compile(rf"{HERE}\d{{1,3}}")
# outcomes that replies use for the wrong kind of thread, and what they mean
_MEANT: Mapping[tuple[str, str], str] = {
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
        """The same words, or nearly all content words; other numbers make another thread."""
        same, *near = (self._threads.get(key, {}) for key in _keys(said))
        if same:
            return next(iter(same.values()))
        words = content_words(said.text)
        if len(words) < _FEWEST_WORDS:
            return None
        # a text that shares ALIKE of all words has at least one of any so many of them: only the rarest are tried
        rarest = sorted(near, key=len)[: len(words) - math.ceil(ALIKE * len(words) - ROUNDING) + 1]
        return next((one for threads in rarest for one in threads.values() if _is_near(one, words)), None)


def _keys(said: Thread) -> Iterator[tuple[object, ...]]:
    yield said.by, said.kind, casefold(said.text).rstrip(".!?")
    numbers = tuple(_NUMBER.findall(said.text))
    yield from ((said.by, said.kind, numbers, word) for word in content_words(said.text))


def fold_threads(world: World, scene: Scene, turns: Sequence[Turn], words: Sentences) -> FoldedThreads:
    """Return the events of threads that replies open and close, in turn order, and of appointments held.

    What a character opens counts if it said something aloud in the scene, or laid out a piece.
    """
    fold = _Fold(world, scene, words)
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    for turn in turns:
        for closed in turn.reply.closes:
            fold.close(turn.agent, closed)
        for opened in turn.reply.opens:
            if turn.agent in speakers or turn.reply.artifact:
                fold.open(turn.agent, opened, reached_by(world, scene, turn, aloud=turn.agent in speakers))
            else:
                fold.leave_out(turn.agent, f"opened without a word said aloud, left out: {quoted(opened.text)}")
    fold.hold()
    return FoldedThreads(fold.events, fold.warnings)


def arranged_so_far(world: World, scene: Scene, turns: Sequence[Turn], agent: str) -> tuple[str, ...]:
    """Return what others in a running scene have arranged with a participant, in their words."""
    speakers = {turn.agent for turn in turns if turn.reply.dialogue}
    return tuple(
        one_line(opened.text)
        for turn in turns
        for opened in turn.reply.opens
        if turn.agent in speakers - {agent}
        and opened.kind == "appointment"
        and agent in _addressed(world, opened.to, reached_by(world, scene, turn, aloud=True))
    )


def fold_closes(world: World, scene: Scene, closes: Mapping[str, Sequence[Closed]], words: Sentences) -> FoldedThreads:
    """Return the events of threads settled in the evening."""
    fold = _Fold(world, scene, words)
    for agent, listed in closes.items():
        for closed in listed:
            fold.close(agent, closed)
    return FoldedThreads(fold.events, fold.warnings)


def reached_by(world: World, scene: Scene, turn: Turn, *, aloud: bool) -> tuple[str, ...]:
    """Return whom a turn reaches.

    Spoken aloud: all present. In a piece: its audience among them. On the board: all who attend today.
    """
    artifact = turn.reply.artifact
    if artifact and any(casefold(item) == BOARD for item in artifact.audience):
        found = dict.fromkeys((*scene.cast, *attending(world)))
    else:
        audience = () if aloud else audience_of(world, turn)
        found = dict.fromkeys(name for name in scene.cast if is_for(audience, name))
    return tuple(name for name in found if name != turn.agent)


class _Fold:
    def __init__(self, world: World, scene: Scene, words: Sentences) -> None:
        self._world, self._scene, self._words = world, scene, words
        self._known = {thread.id: thread for thread in world.threads}
        self._said = SaidThreads(thread for thread in world.threads if thread.is_open)
        self._settled: dict[str, str] = {}  # outcomes of what was closed in this scene, by id
        self._number = next_number(world)
        self._fresh: dict[str, Thread] = {}  # what was opened in this scene, by id
        self._here: dict[str, list[str]] = {}  # ids of what each agent opened in this scene; empty = left out
        self.events: list[ThreadEvent] = []
        self.warnings: list[str] = []

    def warn(self, text: str) -> None:
        self.warnings.append(text)

    def leave_out(self, agent: str, why: str) -> None:
        self.warn(f"{agent}: {why}")
        self._here.setdefault(agent, []).append("")

    def close(self, agent: str, closed: Closed) -> None:
        identifier = self._of_here(agent, bare(closed.id))
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
        text = one_line(closed.text) or self._words("thread_closed", outcome=outcome)
        if is_news:  # closed without the agent's knowledge: now it is closed for the agent too
            self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        else:
            self._settle(thread, agent, text, outcome)

    def _of_here(self, agent: str, said: str) -> str:
        number = int(said.removeprefix(HERE)) if _HERE.fullmatch(said) else 0
        opened = self._here.get(agent, [])
        return opened[number - 1] if 0 < number <= len(opened) and opened[number - 1] else said

    def _settle(self, thread: Thread, agent: str, text: str, outcome: str) -> None:
        self.events.append(ThreadEvent(thread.id, str(self._scene.ref), "close", agent, text, outcome=outcome))
        self._settled[thread.id] = outcome
        self._said.remove(thread)

    def hold(self) -> None:
        here = {*attending(self._world)}
        for thread in self._open_now("appointment"):
            if thread.id in self._scene.answers and here.intersection(thread.people) <= {*self._scene.cast}:
                self._settle(thread, GAME_MASTER, self._words("thread_closed", outcome="kept"), "kept")

    def open(self, agent: str, opened: Opened, reached: Sequence[str]) -> None:
        said, warnings = read_opened(self._world, self._scene, agent, opened, reached, render_thread_id(self._number))
        self.warnings += warnings
        if said.kind == "appointment" and not said.to:
            self.leave_out(agent, f"arranged with no one present, left out: {quoted(said.text)}")
            return
        old = self._named(agent, opened)
        thread = self._arrange(said, old) if said.kind == "appointment" else self._promise(said, old)
        for one in old:
            # Everyone in an arrangement knows of it.
            by = GAME_MASTER if thread is not None and says_the_same(self._world, thread, one) else agent
            self._settle(one, by, self._words("thread_closed", outcome="replaced"), "replaced")
        self._here.setdefault(agent, []).append(thread.id if thread else "")
        if thread is not None:
            self._add(replace(thread, replaces=old[0].id if old else ""))

    def _promise(self, thread: Thread, old: list[Thread]) -> Thread | None:
        if any(says_the_same(self._world, one, thread) for one in self._open_now("appointment") if one not in old):
            self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
            return None
        known = self._said.find(thread)
        if known is None or known in old:
            return self._beside_the_other(thread, old)
        if is_moved(known, thread):
            old.append(known)
            return thread
        self.warn(f"{thread.by}: opened already, kept once: {quoted(thread.text)}")
        return None

    def _beside_the_other(self, thread: Thread, old: list[Thread]) -> Thread | None:
        # between two: a promise takes the place of the question that it answers, and what one side has noted the other
        # does not ask about once more
        if len(thread.to) != 1 or thread.kind == "silence":
            return thread
        kinds = ("question", "promise") if thread.kind == "question" else ("question",)
        other_side = (one for kind in kinds for one in self._open_now(kind) if one.people == (*thread.to, thread.by))
        one = next((one for one in other_side if is_same_matter(self._world, one, thread)), None)
        if one is None or one in old:
            return thread
        if one.kind != thread.kind == "promise" or is_moved(one, thread):
            old.append(one)
            return thread
        return None  # both sides say so

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

    def _named(self, agent: str, opened: Opened) -> list[Thread]:
        identifier = self._of_here(agent, bare(opened.replaces))
        thread = self._known.get(identifier) or self._fresh.get(identifier)
        if self._settled.get(identifier) == "replaced":
            return []  # both sides say so
        if thread is None or not thread.concerns(agent) or not thread.is_open or identifier in self._settled:
            if identifier and (thread is None or knows(self._world, thread, agent)):
                self.warn(f"{agent}: replaces {identifier!r}, which is no open thread of theirs; left out")
            return []
        return [thread]

    def _arrange(self, thread: Thread, old: list[Thread]) -> Thread | None:
        # None if it is arranged already. The same people meet once at a time. A newer word replaces what was arranged
        # before; the old time or place stays where it names none.
        fresh = (one for one in self._fresh.values() if one.id not in self._settled and one not in old)
        whole = next((one for one in fresh if is_same_meeting(one, thread) and not is_part_of(one, thread)), None)
        if whole:
            self._complete(whole, thread)
            self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
            return None
        # what the scene is played for takes place now: the same people may meet again today
        before = [one for one in self._open_now("appointment") if one.id not in self._scene.answers and one not in old]
        for one in (one for one in before if is_same_meeting(one, thread)):
            thread = replace(thread, time=more_exact(one.time, thread.time), place=thread.place or one.place)
            same = (one.time, one.place) == (thread.time, thread.place) and not is_part_of(one, thread)
            if is_part_of(thread, one) or (same and self._said.find(replace(thread, by=one.by))):
                self.warn(f"{thread.by}: arranged already, kept once: {quoted(thread.text)}")
                return None
            old.append(one)
        old += [one for one in before if one not in old and is_moved_meeting(self._world, one, thread)]
        old += [one for one in self._open_now("promise") if one not in old and says_the_same(self._world, thread, one)]
        return thread

    def _open_now(self, kind: str) -> list[Thread]:
        known = (*self._known.values(), *self._fresh.values())
        return [one for one in known if one.kind == kind and one.is_open and one.id not in self._settled]

    def _complete(self, fresh: Thread, other: Thread) -> None:
        if is_part_of(other, fresh):
            return
        time, place = more_exact(other.time, fresh.time), fresh.place or other.place
        self._fresh[fresh.id] = replace(fresh, time=time, place=place)
        self.events = [
            replace(event, time=time, place=place) if event.id == fresh.id and event.event == "open" else event
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
                used.append(number_of(item["id"]))
    return max(used, default=0) + 1


def read_opened(
    world: World, scene: Scene, agent: str, opened: Opened, reached: Sequence[str], identifier: str
) -> tuple[Thread, list[str]]:
    """Return what an agent opens as a thread, and a warning for each thing it says that cannot be meant."""
    warnings: list[str] = []
    today, due = scene.ref.day, None if opened.kind == "silence" else opened.due
    text = say_days(world, one_line(opened.text), today)
    if due is not None and not today <= due <= today + MOST_DAYS_AHEAD:
        what = "over" if due < today else "years away"
        warnings.append(f"{agent}: due on day {due}, which is {what}; kept without a day: {quoted(text)}")
        due = None
    arranged = opened.kind == "appointment"
    due = today if arranged and due is None else due
    is_timed = arranged or (opened.kind == "promise" and due is not None)
    thread = Thread(
        id=identifier,
        kind=opened.kind,
        by=agent,
        to=_addressed(world, opened.to, reached),
        text=text,
        opened=str(scene.ref),
        due=due,
        time=_time(world, scene, agent, opened, text, due, warnings) if is_timed else "",
        place=_place(world, agent, opened, warnings) or place_in(world, text) if is_timed else "",
        touched=str(scene.ref),
    )
    return thread, warnings


def _time(
    world: World, scene: Scene, agent: str, opened: Opened, text: str, day: int | None, warnings: list[str]
) -> str:
    said = bare(opened.time)
    time = read_time(said)
    if said and not time:
        warnings.append(f"{agent}: arranged for {quoted(opened.time)}, which is no time; kept without one")
    hour = read_hour(text, world.settings.language, time_of_day(time))
    if hour and hour.is_clock and hour.relation == AT and time in ("", hour.part):
        time = hour.clock
    if day == scene.ref.day and _is_over(scene, time):
        warnings.append(f"{agent}: arranged for {quoted(opened.time)}, which is over; kept without a time")
        return ""
    return time


def _is_over(scene: Scene, time: str) -> bool:
    part = time_of_day(time)
    now = time_rank(scene.time_of_day)
    return bool(part) and (time_rank(part) < now or (part != time and bool(scene.clock) and time < scene.clock))


def _place(world: World, agent: str, opened: Opened, warnings: list[str]) -> str:
    known = {casefold(place): place for place in world.settings.places}
    place = known.get(casefold(bare(opened.place)), "")
    if opened.place and not place:
        warnings.append(f"{agent}: arranged at {quoted(opened.place)}, which is no place here; kept without one")
    return place


def _addressed(world: World, to: str | None, reached: Sequence[str]) -> tuple[str, ...]:
    if to is None or not to.strip():
        return tuple(reached)
    named = [find_agent(world.agents, name) for name in (to, *_and().split(to))]
    return tuple(name for name in reached if name in named)


@cache
def _and() -> re.Pattern[str]:
    words = either(one.conjunction for one in all_languages())
    return re.compile(rf"\s*[,;/&]\s*|\s+(?:{words})\s+")


def is_moved_meeting(world: World, one: Thread, other: Thread) -> bool:
    """Return whether the same people arrange the same matter for the same day."""
    return one.due == other.due and {*one.people} == {*other.people} and is_same_matter(world, one, other)


def says_the_same(world: World, appointment: Thread, thread: Thread) -> bool:
    """Return whether a thread promises what is arranged: for the same day and its people, in much the same words."""
    if thread.kind != "promise" or thread.due not in (None, appointment.due):
        return False
    return bool(thread.to) and {*thread.people} <= {*appointment.people} and is_same_matter(world, appointment, thread)


def is_same_matter(world: World, first: Thread, second: Thread) -> bool:
    """Return whether two threads share most of their words, weekdays aside."""
    weekdays = content_words(" ".join(world.settings.calendar.weekdays))
    one, other = (matter_words(world, text) - weekdays for text in (first.text, second.text))
    return len(one & other) >= max(SAME_MATTER_WORDS, SAME_MATTER_SHARE * min(len(one), len(other)))


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
    """Return whether some people of a round arrange to meet at its clock time and place: they meet in it."""
    is_clock = bool(whole.time) and whole.time != time_of_day(whole.time)
    same = (whole.time, whole.place) == (small.time, small.place or whole.place)
    return is_clock and same and {*small.people} < {*whole.people}


def brief_event(event: ThreadEvent) -> dict[str, object]:
    """Return an event as a logbook line lists it."""
    record = {"id": event.id, "event": event.event, "by": event.by}
    more = ("kind", "due", "time", "place", "replaces", "outcome")
    return record | {key: value for key in more if (value := getattr(event, key)) not in ("", None)}


def open_threads_of(world: World, agent: str, present: Sequence[str] = ()) -> list[Thread]:
    """Return the threads open as far as an agent knows, the most urgent first.

    Overdue and due today; those that concern others present; then by due day, the oldest first. Threads closed without
    the agent's knowledge are among them.
    """
    others = [name for name in present if name != agent]
    also = {thread.id for thread in unaware_of(world, agent)}
    return open_for(world.threads, agent, world.clock.day, others, also)


def knows(world: World, thread: Thread, agent: str) -> bool:
    """Return whether an agent knows of its thread's closing; True also for an open one."""
    return all(other.id != thread.id for other in unaware_of(world, agent))


def unaware_of(world: World, agent: str) -> list[Thread]:
    """Return an agent's threads that are closed without its knowledge.

    It knows of a closing by itself or by the Game Master, and of one in a scene whose closer hung something up. Of any
    other it learns when the two share a scene, arrivals aside. After ``threads.days`` days it has forgotten the matter.
    """
    days = world.settings.threads.days
    since = 0 if days is None else world.clock.day - days + 1
    closed = [
        (thread, parse_ref(thread.touched) or SceneRef(0))
        for thread in world.threads
        if not thread.is_open
        and thread.concerns(agent)
        and thread.closed_by in world.agents
        and agent not in thread.agreed
    ]
    hung_up = {(find_agent(world.agents, post.author), post.day, post.scene) for post in world.posts if post.artifact}
    closed = [
        (thread, at)
        for thread, at in closed
        if thread.closed_by != agent and at.day >= since and (thread.closed_by, at.day, at.scene) not in hung_up
    ]
    met = _last_met(world, agent) if closed else {}
    return [thread for thread, at in closed if met.get(thread.closed_by, (0, 0)) < (at.day, at.scene)]


def _last_met(world: World, agent: str) -> dict[str, tuple[int, int]]:
    return {
        name: (entry.day, entry.number or 0)
        for entry in world.log
        if agent in entry.participants and entry.type != ARRIVAL
        for name in entry.participants
    }


def bare(said: str) -> str:
    """Return an id, a time or a place without the quotes around it."""
    return said.strip("`» «")


def one_line(text: str) -> str:
    """Return a text with single spaces between its words."""
    return " ".join(text.split())
