"""What becomes of what a month of rehearsed days begins: appointments, company, plans; and what its days cost in calls.

Nothing here passes or fails; ``python -m bench month`` prints the rows.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.base import Answer, Request
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import Cue
from gm.model.node import Node
from gm.model.scene import ARRIVAL, SUMMARY, Scene
from gm.model.thread import MISSED, Thread
from gm.model.world import Change, World
from gm.play.report import Report
from gm.scene.grounding.attendance import absences_on
from gm.scene.planning.marks import ENDS, bare
from gm.scene.planning.plans import is_plan

Entry = dict[str, object]
Row = tuple[str, str, str]

TURNS, REFLECTIONS = "turns", "reflection"
LAST_WORDS, SECOND_ROUNDS = "last words", "answers in scenes played at once"
BEFORE = {
    "studio": {TURNS: 29.13, REFLECTIONS: 1.97},
    "dinner": {TURNS: 19.33, REFLECTIONS: 1.17},
}
"""Calls a day by cause over thirty rehearsed days with the default settings, as measured at ``BEFORE_AT``."""
BEFORE_AT = "4353c02b"
MOST_ABOVE = 20
"""Percent that a day may cost more calls than before."""


class Counted(Rehearsal):
    """A rehearsal that counts what it is asked, by what causes the question."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Answer, and count."""
        with self._lock:
            self.calls[_cause(request)] += 1
        return super().ask(request)


def _cause(request: Request) -> str:
    cue = request.facts
    if not isinstance(cue, Cue) or cue.kind != "scene":
        return request.purpose
    if cue.context.last_word:
        return LAST_WORDS
    return SECOND_ROUNDS if not cue.scene.type.is_turn_by_turn and cue.turn > 1 else TURNS


class Planned(Report):
    """Notes every item that was on a plan, by the day and the id of the character."""

    def __init__(self) -> None:
        self.items: dict[tuple[int, str], set[str]] = {}

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        """Note the lists that a scene has changed."""
        for name, values in change.agents.items():
            listed = values.get("today_plan", ())
            self.items.setdefault((scene.ref.day, name), set()).update(map(bare, listed))


def calls_of(name: str, calls: Counter[str], days: int) -> Iterator[Row]:
    """Yield what a day costs in calls beside before, and what each cause adds, in percent of all before."""
    known = BEFORE[name]
    before = sum(known.values())
    a_day = calls.total() / days
    aim = f"{before:.1f} at {BEFORE_AT}, at most {MOST_ABOVE} % more"
    yield f"{name}: calls a day", f"{a_day:.1f}, {100 * (a_day / before - 1):+.1f} %", aim
    for cause in dict.fromkeys((TURNS, LAST_WORDS, SECOND_ROUNDS, *known, *calls)):
        of_cause = calls[cause] / days
        added = 100 * (of_cause - known.get(cause, 0.0)) / before
        yield f"{name}: of these {cause}", f"{of_cause:.1f}, {added:+.1f} %", f"{known.get(cause, 0.0):.1f} before"


@dataclass(frozen=True)
class Outcomes:
    """What became of what was begun.

    Attributes:
        agreed: Appointments by what became of them; those that are open are due on a day that is still to come.
        lost: Appointments that are due and open, or missed without a memory of each of their people.
        alone: Day and id of each character who was in the house, wanted company and had none.
        items: Number of items that were planned.
        vague: Day, id and text of each one without a final status in the summary of its day.
    """

    agreed: Counter[str] = field(default_factory=Counter)
    lost: tuple[Thread, ...] = ()
    alone: tuple[tuple[int, str], ...] = ()
    items: int = 0
    vague: tuple[tuple[int, str, str], ...] = ()


def outcomes_of(layout: Layout, planned: Planned) -> Outcomes:
    """Look through a played world whose days are closed; ``planned`` was its report."""
    world = load_world(layout).world
    days = {day: _entries(layout, day) for day in layout.logged_days()}
    arranged = [thread for thread in world.threads if thread.kind == "appointment"]
    items = [(day, name, item) for (day, name), found in planned.items.items() for item in sorted(found)]
    ends = {day: _ends(entries) for day, entries in days.items()}
    return Outcomes(
        Counter(thread.outcome or "open" for thread in arranged),
        tuple(thread for thread in arranged if _is_lost(world, thread)),
        tuple((day, name) for day, entries in days.items() for name in _alone(world, day, entries)),
        len(items),
        tuple((day, name, item) for day, name, item in items if (name, item) not in ends[day]),
    )


def rows_of(name: str, layout: Layout, planned: Planned) -> Iterator[Row]:
    """Yield what became of what a world began."""
    found = outcomes_of(layout, planned)
    told = ", ".join(f"{outcome} {count}" for outcome, count in found.agreed.most_common())
    yield f"{name}: appointments", f"{found.agreed.total()}: {told}" if told else "none", "held, some missed"
    past = found.agreed.total() - found.agreed["open"] + sum(thread.is_open for thread in found.lost)
    yield f"{name}: held, replaced, or missed with a memory of each", _share(past - len(found.lost), past), "100 %"
    yield f"{name}: characters without company on a day", str(len(found.alone)), "0"
    final = _share(found.items - len(found.vague), found.items)
    yield f"{name}: items of plans with a final status", final, "100 %"


def _entries(layout: Layout, day: int) -> list[Entry]:
    return [json.loads(line) for line in layout.day_log(day).read_text(encoding="utf-8").splitlines()]


def _is_lost(world: World, thread: Thread) -> bool:
    if thread.is_open:
        return thread.due is not None and thread.due <= world.clock.day
    return thread.outcome == MISSED and not all(
        any(_tells_of(node, thread) for node in world.agents[name].stream) for name in thread.people
    )


def _tells_of(node: Node, thread: Thread) -> bool:
    return node.metadata.get("kind") == MISSED and node.metadata.get("thread") == thread.id


def _alone(world: World, day: int, entries: list[Entry]) -> Iterator[str]:
    """Yield who was in the house, wanted company, and was in no scene with others after the arrival."""
    away = absences_on(world, day)
    here = [name for name in world.agents if name not in away]
    casts = [_names(entry) for entry in entries if entry["type"] not in (ARRIVAL, SUMMARY)]
    met = {name for cast in casts if len(cast) > 1 for name in cast}
    for name in here if len(here) > 1 else ():
        plans = _plans(world, name, day)
        if name not in met and not (plans and plans[-1].metadata.get("alone")):
            yield name


def _names(entry: Entry) -> list[str]:
    value = entry.get("participants")
    return [str(name) for name in value] if isinstance(value, list) else []


def _plans(world: World, name: str, day: int) -> list[Node]:
    return [node for node in world.agents[name].stream if node.when.day == day and is_plan(node)]


def _ends(entries: list[Entry]) -> set[tuple[str, str]]:
    """Return the id of the character and the text of each item that the summary of a day gives a final status."""
    told = entries[-1].get("plans")
    plans = told.items() if isinstance(told, dict) else ()
    return {(name, end["text"]) for name, ends in plans for end in ends if end["status"] in ENDS}


def _share(part: int, of: int) -> str:
    return f"{100 * part / of:.1f} % of {of}" if of else "none"
