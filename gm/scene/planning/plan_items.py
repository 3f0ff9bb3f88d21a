"""What becomes of the items of today's plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.model.logged import LogEntry
from gm.model.scene import ARRIVAL, Scene
from gm.model.thread import GAME_MASTER, Thread, ThreadEvent
from gm.model.world import Agent, Sentences, World
from gm.scene.dialogue.turns import Turn
from gm.scene.grounding.common_reasons import SMALL_CIRCLE
from gm.scene.grounding.mentions import content_words, matter_words, topic_words
from gm.scene.planning.marks import DONE, ENDS, MOVED, bare, is_struck, state_of
from gm.scene.planning.plans import list_undone, plans_of_today, restated_in

if TYPE_CHECKING:
    from gm.model.scene_reply import ItemReport

SAME_ITEM_WORDS = 3
"""Content words that an item shares at least with a piece or with a promise that it is about."""
LEAST_MENTIONED = 2
"""Content words of an item that come up at least where it was talked about."""
_ENDS_A_NAME = ":,;.–("
End = Mapping[str, str]
"""What became of an item: ``text``, ``status`` and, if it was said, ``why``."""


@dataclass(frozen=True, slots=True)
class StruckPlan:
    """A plan after its owner's reports in a scene.

    Attributes:
        is_new: Whether it was made in the scene.
        ends: As in the logbook.
    """

    plan: tuple[str, ...]
    is_new: bool
    ends: tuple[End, ...] = ()
    warnings: tuple[str, ...] = ()


def task_at_hand(agent: Agent, plan: Sequence[str] = ()) -> str:
    """Return what a character is working on; empty once all items of its plan that say most of it are done."""
    task = agent.state.current_task
    of_it = [item for item in plan or agent.state.today_plan if says_task(item, task)]
    return "" if of_it and all(item.startswith(DONE) for item in of_it) else task


def says_task(text: str, task: str) -> bool:
    """Return whether a text has half of a task's content words, and at least two or its only one."""
    words = content_words(task)
    return bool(words) and len(words & content_words(text)) >= max(len(words) / 2, min(2, len(words)))


def strike_reported(agent: Agent, turns: Sequence[Turn], renewed: Sequence[str] | None = None) -> StruckPlan:
    """Strike off what a character reports as done, moved or dropped, by the numbers of its prompts.

    ``renewed`` is the plan made in the scene, if any; numbers of later turns refer to it, those of its own turn to the
    older one: what is done stays done where the new one lists it again.
    """
    plan = list(agent.state.today_plan)
    ends: list[End] = []
    warnings: list[str] = []
    for turn in (turn for turn in turns if turn.agent == agent.id):
        found, unknown = _strike(agent.id, plan, turn.reply.plan_status)
        ends += found
        warnings += unknown
        if turn.reply.plan:
            done = [end["text"] for end in found if end["status"] == "done"]
            plan = [f"{DONE}: {item}" if _is_one_of(done, item) else item for item in renewed or ()]
    return StruckPlan(tuple(plan), renewed is not None, tuple(ends), tuple(warnings))


def _strike(agent: str, plan: list[str], reports: Iterable[ItemReport]) -> tuple[list[End], list[str]]:
    # Mark items in place; what was moved may still be done or dropped.
    ends: list[End] = []
    warnings = []
    for report in reports:
        if report.item > len(plan):
            warnings.append(f"{agent}: item {report.item} of a plan of {len(plan)}, left out")
        elif state_of(item := plan[report.item - 1]) == "moved" != report.status or not is_struck(item):
            text = bare(item)
            plan[report.item - 1] = f"{ENDS[report.status]}: {text}"
            ends.append({"text": text, "status": report.status, **({"why": report.text} if report.text else {})})
    return ends, warnings


def _is_one_of(items: Sequence[str], item: str) -> bool:
    return not is_struck(item) and bool(item in items or restated_in(items, item))


@dataclass(frozen=True, slots=True)
class Happened:
    """What a scene leaves behind.

    Attributes:
        kept: Promises and appointments that were closed as kept.
        held: Appointments that the Game Master closed because their people met.
    """

    scene: Scene
    turns: Sequence[Turn]
    kept: tuple[Thread, ...] = ()
    held: tuple[Thread, ...] = ()

    def mentions(self, matter: Set[str]) -> bool:
        """Return whether two words of a matter, or its only one, came up."""
        text = " ".join(part for turn in self.turns for part in _texts_of(turn))
        return len(matter & content_words(text)) >= max(1, min(LEAST_MENTIONED, len(matter)))


def collect_happened(world: World, scene: Scene, turns: Sequence[Turn], events: Iterable[ThreadEvent]) -> Happened:
    """Return what a scene leaves behind; ``events`` are its threads'."""
    closed = {event.id: event.by for event in events if event.outcome == "kept"}
    found = [thread for thread in world.threads if thread.id in closed]
    held = tuple(thread for thread in found if closed[thread.id] == GAME_MASTER)
    return Happened(scene, turns, tuple(thread for thread in found if thread not in held), held)


def _texts_of(turn: Turn) -> Iterable[str]:
    yield from (line.text for line in turn.reply.dialogue)
    yield turn.reply.action
    if turn.reply.artifact:
        yield f"{turn.reply.artifact.title} {turn.reply.artifact.description}"


def strike_done(
    world: World, agent: Agent, plan: Sequence[str], happened: Happened, words: Sentences
) -> tuple[str, ...]:
    """Return a plan with what was certainly done in a scene struck off.

    Each of these strikes one item: a finished piece that the item's first words speak of; the library visit that the
    scene was played for; a promise kept; an appointment kept, as a talk with one of its people: where they merely met,
    only if the item's matter came up. Other talks need not have been about the matter, and a talk is done only with
    those who took part.
    """
    left = {item: matter_of(item, words) for item in plan if not is_struck(item)}
    done = set()
    for item in _find_done(world, agent, left, happened, words):
        if item in left:
            done.add(item)
            del left[item]
    return tuple(f"{DONE}: {item}" if item in done else item for item in plan)


def _find_done(
    world: World, agent: Agent, left: Mapping[str, str], happened: Happened, words: Sentences
) -> Iterable[str]:
    scene = happened.scene
    present = {*scene.cast, *(turn.agent for turn in happened.turns)}
    work = words("plan_work", text="")
    for artifact in (turn.reply.artifact for turn in happened.turns if turn.agent == agent.id):
        if artifact:
            items = {item: about for item, about in left.items() if item.startswith(work)}
            heads = {item: about.partition(":")[0] for item, about in items.items()}
            yield _named_by(items, artifact.title) or _nearest(heads, f"{artifact.title} {artifact.description}")
    if scene.type.library and scene.cast[0] == agent.id:
        yield scene.intent
    for thread in happened.kept:
        if thread.kind == "promise" and thread.by == agent.id:
            others = {*thread.to} & present
            elsewhere = tuple(_talks_with(world, name, words) for name in world.agents if name not in others)
            yield _nearest({item: left[item] for item in left if not item.startswith(elsewhere)}, thread.text)
        elif thread.kind == "appointment" and thread.concerns(agent.id):
            yield _talk(world, agent, left, thread, present, words)
    held = [thread for thread in happened.held if thread.concerns(agent.id)]
    if held:
        came_up = {item: about for item, about in left.items() if happened.mentions(_matter_in(world, item, words))}
        for thread in held:
            yield _talk(world, agent, came_up, thread, present, words)


def _matter_in(world: World, item: str, words: Sentences) -> frozenset[str]:
    kind = content_words(words("plan_talk", name="", about=""))
    return matter_words(world, item) - kind


def matter_of(item: str, words: Sentences) -> str:
    """Return an item without the words that name its kind."""
    for phrase, key in (("plan_work", "text"), ("plan_library", "about")):
        item = item.removeprefix(words(phrase, **{key: ""}))
    return item.strip()


def _named_by(items: Mapping[str, str], title: str) -> str:
    name = casefold(title).strip(" .")
    return next((item for item, about in items.items() if _names(casefold(about).strip(" ."), name)), "")


def _names(planned: str, title: str) -> bool:
    rest = planned.removeprefix(title).lstrip()
    return bool(title) and planned.startswith(title) and (not rest or rest[0] in _ENDS_A_NAME)


def _nearest(items: Mapping[str, str], text: str) -> str:
    said = content_words(text)
    words = {item: content_words(about) for item, about in items.items()}
    shared = {item: len(said & named) for item, named in words.items()}
    best = max(shared, key=lambda item: shared[item], default="")
    is_all = best and shared[best] == len(words[best]) == SAME_ITEM_WORDS - 1
    return best if is_all or shared.get(best, 0) >= SAME_ITEM_WORDS else ""


def _talks_with(world: World, name: str, words: Sentences) -> str:
    return words("plan_talk", name=world.agents[name].call_name, about="").rstrip()


def _talk(
    world: World, agent: Agent, left: Mapping[str, str], thread: Thread, present: Set[str], words: Sentences
) -> str:
    topic = topic_words(world, thread.text)
    for name in thread.people:
        if name != agent.id and name in present and name in world.agents:
            start = _talks_with(world, name, words)
            for item in left:
                if item.startswith(start) and topic & topic_words(world, item.removeprefix(start)):
                    return item
    return ""


def open_items(world: World, agent: Agent) -> tuple[str, ...]:
    """Return what is still open on today's plan."""
    if not plans_of_today(world, agent):
        return ()
    return tuple(item for item in agent.state.today_plan if not is_struck(item))


@dataclass(frozen=True, slots=True)
class Ended:
    """The plan of a day that is over.

    Attributes:
        plan: Each item of a plan made today has a mark.
        ends: The end of each item, also of those that a changed plan left out.
    """

    plan: tuple[str, ...]
    ends: tuple[End, ...]
    warnings: tuple[str, ...] = ()


def end_plan(world: World, agent: Agent, words: Sentences, reports: Sequence[ItemReport] = ()) -> Ended | None:
    """Return a character's list as the day leaves it; None without a plan of today or reports.

    Reports count by the numbers that the question showed. Open items of today's plan are moved, except talks that took
    place and were about their matter. What a changed plan left out is dropped, unless the new list says the same in
    other words. A list of another day changes only by reports.
    """
    is_todays = bool(plans_of_today(world, agent))
    if not is_todays and not reports:
        return None
    plan = list(agent.state.today_plan)
    said, warnings = _strike(agent.id, plan, reports)
    if not is_todays:
        return Ended(tuple(plan), tuple(said), tuple(warnings))
    open_ones = [item for item in plan if not is_struck(item)]
    marks = {item: DONE if _took_place(world, agent, item, words) else MOVED for item in open_ones}
    plan = [f"{marks[item]}: {item}" if item in marks else item for item in plan]
    stated = {end["text"]: end for end in said}
    ends = [stated.get(bare(item), {"text": bare(item), "status": state_of(item)}) for item in plan]
    gone = [
        {"text": bare(item), "status": state_of(item) or state_of(restated_in(plan, item)) or "dropped"}
        for item in list_undone(world, agent, plan)
    ]
    return Ended(tuple(plan), (*ends, *gone), tuple(warnings))


def _took_place(world: World, agent: Agent, item: str, words: Sentences) -> bool:
    # On recorded days, a third of the matter and three words of it came up in 23 of 31 talks that were reported done,
    # and in 2 of 25 that were moved, both done in part.
    small = [entry for entry in world.scenes_of(world.clock.day) if _is_small(entry) and agent.id in entry.participants]
    met = {name for entry in small for name in entry.participants if name in world.agents} - {agent.id}
    with_them = {name for name in met if item.startswith(_talks_with(world, name, words))}
    matter = _matter_in(world, item, words) if with_them else frozenset()
    least = max(min(SAME_ITEM_WORDS, len(matter)), len(matter) / 3)
    for entry in small if matter else ():
        if with_them & {*entry.participants}:
            played = " ".join((*(text for _, text in entry.dialogue), *(turn.action for turn in entry.turns)))
            if len(matter & content_words(played)) >= least:
                return True
    return False


def _is_small(entry: LogEntry) -> bool:
    return len(entry.participants) <= SMALL_CIRCLE and entry.type != ARRIVAL
