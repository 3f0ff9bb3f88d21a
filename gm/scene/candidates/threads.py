"""Open threads, and the question that ended the day before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gm.model.calendar import SceneRef
from gm.model.logged import LogEntry
from gm.model.scene import ENCOUNTER, WORK, Candidate, Reason
from gm.model.thread import Thread
from gm.model.world import World
from gm.scene.grounding.attendance import attending, talk_place, work_place
from gm.scene.grounding.circle import circle_of
from gm.scene.grounding.mentions import clip_words, meeting_place, mentioned, nearest_in_mind
from gm.scene.pieces.waiting import find_answered, find_open_question
from gm.scene.planning.wishes import is_unready
from gm.scene.score import reason
from gm.scene.threads.appointments import kept_in_passing, met_for, to_come

FULL_AFTER_DAYS = 5.0
"""Days after which an open promise counts in full."""
WORK_SHARE = 0.7
"""Measure of a promise as a reason to work on it, against talking about it."""


def propose(world: World, time: str) -> Iterator[Candidate]:
    """Yield scenes about open threads, or about that question."""
    yield from _from_threads(world, time)
    yield from _from_cliffhanger(world, time)


def _from_threads(world: World, time: str) -> Iterator[Candidate]:
    here = attending(world)
    arranged = {one.id for one in to_come(world)} | kept_in_passing(world)
    for thread in world.threads:
        if not thread.is_pending or thread.by not in here or not is_ripe(world, thread):
            continue
        if thread.kind == "appointment" and thread.due is not None:
            continue  # it is played on its day
        others = [name for name in met_for(world, thread) if name in here and name != thread.by]
        if thread.to and not others:
            continue  # none of those it was said to attends
        if not others and thread.kind == "question":
            others = list(circle_of(world, thread.by))
        if others and thread.id not in arranged:
            yield _talk(world, thread, nearest_in_mind(world, thread.text, others)[0][1], time)
        if thread.kind == "promise" and (not others or thread_part(world, thread) != "promise"):
            yield _work(world, thread)


def is_ripe(world: World, thread: Thread) -> bool:
    """Return whether a thread may be taken up: not right after opening, not too often."""
    today = world.clock.day
    due_today = thread.due == today
    if thread.since.day == today:
        last = world.scenes_of(today)[-1:]
        return due_today and not any(entry.number == thread.since.scene for entry in last)
    taken = [entry.day for entry in world.log if thread.id in entry.answers]
    rest = 1 if due_today else max(1, world.settings.day.patience)
    return not taken or today - max(taken) >= rest


def thread_part(world: World, thread: Thread) -> str:
    """Return a thread's part of the score."""
    if thread.kind == "question":
        return "question"
    left = None if thread.due is None else thread.due - world.clock.day
    if left is None or left > 1:
        return "promise"
    return "promise_due" if left <= 0 else "promise_soon"


def thread_reason(world: World, thread: Thread, share: float = 1.0) -> Reason:
    """Return an open thread's reason.

    measure = share × urgency / (1 + recent scenes that took it up)

    Urgency is 1 for a due promise, grows with the age of other promises, and falls for questions from the third day on.
    """
    part = thread_part(world, thread)
    age = world.clock.day - thread.since.day
    urgency = 1.0
    if part == "promise":
        urgency = min(1.0, (1 + age) / FULL_AFTER_DAYS)
    if part == "question" and (thread.due is None or thread.due > world.clock.day):
        urgency = 1.0 / max(1, age - 1)
    taken = sum(1 for entry in world.log if thread.id in entry.answers)
    return reason(world, part, share * urgency / (1 + taken), **thread_values(world, thread))


def _talk(world: World, thread: Thread, other: str, time: str) -> Candidate:
    maker, partner = world.agents[thread.by], world.agents[other]
    # an overdue promise is asked for by the other one; its owner starts in all other cases
    late = thread.kind == "promise" and thread.due is not None and thread.due < world.clock.day
    first, second = (partner, maker) if late else (maker, partner)
    values = {**thread_values(world, thread), "text": " ".join(thread.text.split())}
    kind = thread.kind if other in thread.to else ""
    premises = {maker.id: (f"premise_own_{thread.kind}", {**values, "name": partner.call_name if kind else ""})}
    if kind:
        premises[other] = (f"premise_others_{thread.kind}", {**values, "name": maker.call_name})
    return Candidate(
        type=ENCOUNTER,
        cast=(first.id, second.id),
        place=meeting_place(world, thread.text, first, second, time),
        reasons=(thread_reason(world, thread), *_unready(world, thread)),
        premise=("premise_visit", {"one": first.call_name, "two": second.call_name}),
        answers=(thread.id,),
        premises=premises,
    )


def _unready(world: World, thread: Thread) -> Iterator[Reason]:
    maker = world.agents[thread.by]
    if thread.kind == "promise" and is_unready(world, maker, promise=thread.text):
        yield reason(world, "unready", -1.0, who=maker.call_name, plan=clip_words(thread.text))


def _work(world: World, thread: Thread) -> Candidate:
    maker = world.agents[thread.by]
    return Candidate(
        type=WORK,
        cast=(maker.id,),
        place=work_place(world, maker),
        reasons=(thread_reason(world, thread, WORK_SHARE),),
        premise=("premise_work", {"one": maker.call_name}),
        intent=thread.text,
        answers=(thread.id,),
    )


def thread_values(world: World, thread: Thread) -> dict[str, str]:
    """Return the fields of the sentences about a thread."""
    today = world.clock.day
    to = [world.agents[name].call_name for name in thread.to if name in world.agents]
    left = "" if thread.due is None else "late" if thread.due < today else str(thread.due - today)
    return {
        "who": world.agents[thread.by].call_name,
        "to": ", ".join(to),
        "text": clip_words(thread.text, 160),
        "day": str(thread.since.day),
        "today": "1" if thread.since.day == today else "",
        "ago": str(today - thread.since.day),
        "many": "1" if len(thread.to) > 1 else "",
        "due": "" if thread.due is None else str(thread.due),
        "left": left,
    }


def _from_cliffhanger(world: World, time: str) -> Iterator[Candidate]:
    last = _last_talk(world)
    question = find_open_question(last) if last else None
    if last is None or question is None:
        return
    ref = SceneRef(last.day, last.number or 0)
    asker, text = question
    here = attending(world)
    key = f"question/{ref}"
    noted = any(thread.by == asker and thread.opened == str(ref) for thread in world.threads)
    other = _guess_asked(world, last.dialogue)
    if noted or key in find_answered(world) or not {asker, other} <= {*here}:
        return
    one, two = world.agents[asker], world.agents[other]
    values = {"one": one.call_name, "two": two.call_name, "text": clip_words(text, 160)}
    yield Candidate(
        type=ENCOUNTER,
        cast=(one.id, two.id),
        place=talk_place(world, one, two, time),
        reasons=(reason(world, "cliffhanger", 1.0, **values),),
        premise=("premise_visit", values),
        answers=(key,),
        premises={
            one.id: ("premise_own_cliffhanger", {**values, "name": two.call_name}),
            two.id: ("premise_others_cliffhanger", {**values, "name": one.call_name}),
        },
    )


def _last_talk(world: World) -> LogEntry | None:
    before = [entry for entry in world.log if entry.day < world.clock.day and not entry.is_summary]
    last = [entry for entry in before if entry.day == before[-1].day and len(entry.dialogue) > 1]
    talks = [entry for entry in last if (kind := world.scene_types.get(entry.type)) and kind.is_turn_by_turn]
    return talks[-1] if talks else None


def _guess_asked(world: World, lines: Sequence[tuple[str, str]]) -> str:
    asker, text = lines[-1]
    speakers = dict.fromkeys(name for name, _ in reversed(lines) if name != asker and name in world.agents)
    named = mentioned(text, (world.agents[name] for name in speakers))
    return next(iter((*named, *speakers)), "")
