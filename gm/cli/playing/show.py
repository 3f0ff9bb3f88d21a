"""A day as it happens."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from threading import Lock
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.padding import Padding
from rich.status import Status
from rich.text import Text

from gm.base.errors import WaitingError
from gm.base.texts import clip_line, counted
from gm.cli.commands import option_of
from gm.cli.inspecting.log import plan_in_words
from gm.cli.terminal import OF_REHEARSAL, PLAIN_WIDTH, SaidOnce, colour, safe, speaks_unicode
from gm.files.layout import Layout, lies_in_repository
from gm.layers.diary import DIARY
from gm.llm.base import REHEARSAL
from gm.llm.choose import Choice
from gm.memory.reflect import is_reflection_due
from gm.model.ids import place_name
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.thread import Thread
from gm.model.turns import MARKS, PlayedTurn, in_telling_order, marked
from gm.model.world import Change, World
from gm.play.report import Report

if TYPE_CHECKING:
    from gm.api.playing.forecast.make import Forecast

INDENT = 2
MOST_LISTED = 12
MOST_CARRIED = 6
SILENT_S = 10
"""Seconds after which a silence is counted."""
TOLD = 160
"""Characters of a memory that several share."""
NAME_STYLES = ("cyan", "magenta", "green", "yellow", "blue", "bright_red", "bright_cyan", "bright_magenta")


class DayView(Report):
    """Shows a run, in colour with a status line on a terminal, else as plain lines.

    Args:
        quiet: Use standard error: standard output belongs to a JSON document.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        stream = sys.stderr if quiet else sys.stdout
        terminal = stream.isatty()
        self._console = _console(file=stream, width=None if terminal else PLAIN_WIDTH)
        self._notes = _console(stderr=True, soft_wrap=not sys.stderr.isatty())
        self._status: Status | None = None
        self._progress = ""
        self._writing: dict[str, int] = {}
        self._asked: dict[str, str] = {}
        self._heard = time.monotonic()
        self._lock = Lock()
        self._terminal = terminal
        self._is_told = SaidOnce()

    def __enter__(self) -> DayView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._stop_waiting()

    def chosen(self, choice: Choice) -> None:
        self._notes.print(Text(safe(f"model: {choice.shown} ({choice.why})")), style="dim")
        if choice.backend.name == REHEARSAL:
            self._notes.print(Text(OF_REHEARSAL), style="dim")

    def forecast(self, forecast: Forecast) -> None:
        from gm.cli.inspecting.cost import summary_line

        self._notes.print(Text(safe(summary_line(forecast))), style="dim")

    def pause(self, seconds: float) -> None:
        """Wait before looking again for answers from outside."""
        time.sleep(seconds)

    def result(self, _document: object) -> None:
        """Nothing: it was shown while it happened."""

    def finished(self, layout: Layout) -> None:
        where = option_of(layout)
        changed = f"; what has changed since the last commit: gm diff{where}" if lies_in_repository(layout) else ""
        self._notes.print(Text(safe(f"Read what happened: gm log{where}{changed}")), style="dim")

    def day_left(self, world: World) -> None:
        self._stop_waiting()
        text = f"Day {world.clock.day} stays open; the same command goes on from here."
        self._notes.print(Text(text), style="dim")

    def day_opened(self, world: World) -> None:
        clock = world.clock
        if self._is_told(clock.day):
            return
        resumed = f", goes on after scene {clock.scenes_today}" if clock.scenes_today else ""
        title = f"Day {clock.day}" + (f", {clock.day_of_week}" if clock.day_of_week else "") + resumed
        self._print(Text(safe(title), style="bold reverse" if self._terminal else ""))

    def scene_begins(self, world: World, scene: Scene) -> None:
        self._stop_waiting()
        if self._is_told(scene.ref):
            return
        names = ", ".join(world.agents[name].call_name for name in scene.cast)
        place = f" · {_place(world, scene.place)}" if scene.place else ""
        time = f"{scene.time_of_day} {scene.clock}".strip()
        self._print(Text(""))
        self._print(Text(safe(f"{scene.ref.scene}. {scene.type.name} · {time}{place}"), style="bold"))
        self._print(Text(safe(names)), indent=INDENT)
        self._reason(scene)

    def _reason(self, scene: Scene) -> None:
        self._print(Text(safe(f"why: {clip_line(scene.why, 400)}"), style="dim"), indent=INDENT)

    def asking(self, world: World, names: Sequence[str]) -> None:
        with self._lock:
            self._asked = {name: self._safe_name(world, name) for name in names}
            self._heard = time.monotonic()
            if self._progress:
                self._show_status()

    def answered(self, scene: Scene, done: int, of: int) -> None:
        what = f"scene {scene.ref.scene}" if scene.ref.scene else "diaries"
        with self._lock:
            self._progress = f"{what}: {done} of {of} answered"
            self._show_status()

    def writing(self, who: str, characters: int | None, _text: str = "") -> None:
        """Show who is writing, and how much; called in several threads."""
        with self._lock:
            self._heard = time.monotonic()
            if characters is None:
                self._writing.pop(who, None)
                self._asked.pop(who, None)
            else:
                self._writing[who] = characters
            if self._progress:
                self._show_status()

    @property
    def waiting_line(self) -> str:
        written = ((self._asked.get(who, safe(who)), count) for who, count in list(self._writing.items()))
        writers = ", ".join(f"{name} ({count:,} characters)" for name, count in written)
        waited = (
            f"writing: {writers}"
            if writers
            else f"waiting for: {', '.join(list(self._asked.values()))}"
            if self._asked
            else ""
        )
        return f"{self._progress} · {waited}" if waited else self._progress

    def __rich__(self) -> Text:
        """Return the status line; a silence is counted, since a model may be loaded, read or think for minutes."""
        silent_s = int(time.monotonic() - self._heard)
        return Text(f"{self.waiting_line} · {silent_s} s" if silent_s >= SILENT_S else self.waiting_line)

    def _show_status(self) -> None:
        if self._terminal and self._status is None:
            self._status = self._console.status(self, spinner="dots" if speaks_unicode() else "line")
            self._status.start()

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self._stop_waiting()
        for mark, turn in marked(self._turns_seen(world, scene, in_telling_order(change.line.turns))):
            if mark:
                self._print(Text(f"{MARKS[mark]}:", style="dim"), indent=INDENT)
            self._print_turn(world, turn, to_one=len(scene.cast) > 2)
        if moved := change.line.moved_to:
            self._print(
                Text(safe(f"over to {', '.join(_place(world, place) for place in moved)}"), style="dim"), indent=INDENT
            )
        self._print_memories(change)

    def _turns_seen(self, _world: World, _scene: Scene, turns: Sequence[PlayedTurn]) -> Sequence[PlayedTurn]:
        return turns

    def cared(self, world: World, name: str, change: Change) -> None:
        self._stop_waiting()
        gone, kept = len(change.to_archive.get(name, ())), change.summaries.get(name, ())
        self._print(
            Text(safe(f"{self._safe_name(world, name)} puts {counted(gone, 'old memory')} together:"), style="bold"),
            indent=INDENT,
        )
        for node in kept:
            head = f"+ {node.id} depth {node.depth} ({node.importance}) "
            text = clip_line(f"{node.title}: {node.description}", 300)
            self._print(Text(head, style="blue").append(safe(text), style="dim"), indent=2 * INDENT)

    def day_closed(self, world: World, change: Change) -> None:
        self._stop_waiting()
        line = change.line
        self._print(Text(""))
        self._print(Text(safe(line.summary), style="bold"))
        self._print_list("highlights", line.highlights)
        self._print_list("finished", line.finished)
        self._print_list("missed", [_missed(world, name) for name in line.missed])
        plans = line.plans.items()
        self._print_list("plans", [f"{self._safe_name(world, name)}: {plan_in_words(ends)}" for name, ends in plans])
        self._print_list("open", line.open_threads)
        reasons = [f"{thread}: {reason}" for thread, reason in line.carried]
        self._print_list("carried into the next day", reasons, MOST_CARRIED)
        wrote = [self._safe_name(world, name) for name, mind in change.minds.items() if mind[DIARY] is not None]
        if line.chapter:
            self._print(Text(f"written as a chapter: gm log {change.day} shows it", style="dim"), indent=INDENT)
        if wrote:
            self._print(Text(safe(f"wrote in their diaries: {', '.join(wrote)}"), style="dim"), indent=INDENT)
        self._print_list("tomorrow", _tomorrow(world, line.tomorrow))

    def _print_list(self, label: str, items: Sequence[str], most: int = MOST_LISTED) -> None:
        if items:
            self._print(Text(f"{label}:"), indent=INDENT)
        for item in items[:most]:
            self._print(Text(f"– {safe(clip_line(item, 300))}"), indent=2 * INDENT)
        if len(items) > most:
            self._print(Text(f"… and {len(items) - most} more", style="dim"), indent=2 * INDENT)

    def notice(self, text: str) -> None:
        self._stop_waiting()
        self._notes.print(Text(f"note: {safe(text)}"), style="yellow")

    def waiting(self, error: WaitingError) -> None:
        """Say what is awaited, each question once."""
        self._stop_waiting()
        for item in error.awaited:
            if not self._is_told((item.question, item.problem)):
                trouble = f" (the answer there cannot be used: see {item.problem})" if item.problem else ""
                self._notes.print(Text(safe(f"waiting for {item.who}: {item.question}{trouble}"), style="dim"))

    def _print_turn(self, world: World, turn: PlayedTurn, *, to_one: bool) -> None:
        """With ``to_one``, also show the addressees of each line."""
        name = self._safe_name(world, turn.agent)
        if turn.action:
            self._print(Text(safe(turn.action), style="italic"), indent=INDENT)
        for line in turn.lines:
            to = f" to {self._safe_name(world, line.to)}" if line.to and to_one else ""
            text = Text(f"{name}{to}  ", style=self._style(world, turn.agent))
            self._print(text.append(safe(line.text), style="default not bold"), indent=INDENT)
        if turn.thought:
            self._print(Text(safe(f"({name} thinks: {turn.thought})"), style="dim"), indent=INDENT)
        if turn.artifact:
            self._print(Text(safe(f"→ {turn.artifact}"), style="green"), indent=INDENT)

    def _print_memories(self, change: Change) -> None:
        for nodes in _alike(change.nodes.values()):
            node = nodes[0]
            depth = f" depth {node.depth}" if node.depth else ""
            head = f"+ {', '.join(one.id for one in nodes)} {node.type}{depth} ({node.importance}) "
            room = max(40, self._console.width - len(head) - 2 * INDENT)
            # what everybody was told, a brief as a rule, stands elsewhere whole
            text = clip_line(node.description, room if len(nodes) == 1 else min(room, TOLD))
            self._print(Text(head, style="blue").append(safe(text), style="dim"), indent=INDENT)

    def _safe_name(self, world: World, agent: str) -> str:
        return safe(world.call_name(agent))

    def _style(self, world: World, agent: str) -> str:
        names = list(world.agents)
        return "bold " + NAME_STYLES[names.index(agent) % len(NAME_STYLES)] if agent in names else "bold"

    def _print(self, text: Text, indent: int = 0) -> None:
        if self._terminal:
            self._console.print(Padding(text, (0, 0, 0, indent)))
        else:
            self._console.print(Text(" " * indent).append_text(text), soft_wrap=True)

    def _stop_waiting(self) -> None:
        with self._lock:
            self._progress, self._asked = "", {}
            if self._status:
                self._status.stop()
                self._status = None


def _alike(streams: Iterable[Sequence[Node]]) -> list[list[Node]]:
    """Group equal memories of several characters, each where its first stands."""
    groups: dict[object, list[Node]] = {}
    for node in chain.from_iterable(streams):
        groups.setdefault((node.type, node.depth, node.importance, node.description), []).append(node)
    return list(groups.values())


def _console(**options: Any) -> Console:
    wanted = colour()
    system: Any = None if wanted is False else "auto"
    return Console(
        color_system=system, force_terminal=wanted or None, highlight=False, markup=False, emoji=False, **options
    )


def _place(world: World, place: str) -> str:
    return place_name(place, world.settings.place_names)


def _label(world: World, thread: Thread) -> str:
    where = ", ".join(filter(None, (thread.time, _place(world, thread.place))))
    return f"agreed{f' ({where})' if where else ''}" if thread.kind == "appointment" else "due"


def _missed(world: World, identifier: str) -> str:
    thread = next((one for one in world.threads if one.id == identifier), None)
    if thread is None:
        return identifier
    people = [world.agents[name].call_name for name in thread.people if name in world.agents]
    return f"{', '.join(people)}: {thread.text} ({identifier})"


def _tomorrow(world: World, record: Mapping[str, Any]) -> list[str]:
    lines = [f"{item.get('time', '')}: {item.get('event', '')}".strip(": ") for item in record.get("events", ())]
    due = set(record.get("threads", ()))
    lines += [f"{_label(world, thread)}: {thread.text} ({thread.id})" for thread in world.threads if thread.id in due]
    near = [world.agents[name] for name in record.get("reflecting", ()) if name in world.agents]
    names: dict[str, list[str]] = {}
    for agent in near:
        is_over = is_reflection_due(agent.state.importance_accumulator, world.settings.reflection)
        names.setdefault("due for" if is_over else "near", []).append(agent.call_name)
    return [*lines, *(f"{how} a reflection: {', '.join(found)}" for how, found in names.items())]
