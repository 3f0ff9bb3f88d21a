"""A run as a stream of events: one JSON object a line on standard output, for pages and other programs."""

from __future__ import annotations

import select
import time
from collections.abc import Callable, Iterable, Mapping
from threading import Lock, current_thread, main_thread
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gm.ask.reply.unfinished import spoken_so_far
from gm.base.errors import Sentence, UsageError, WaitingError
from gm.cli.boundary import stop_of
from gm.cli.playing.interactive import lines_of_input, plan_of
from gm.cli.streams import OutputError
from gm.cli.terminal import SaidOnce, out_json
from gm.files.layout import Layout
from gm.llm.base import REHEARSAL
from gm.llm.choose import Choice
from gm.model.scene import Scene
from gm.model.thread import THREAD_EVENT
from gm.model.world import Change, World
from gm.play.command import Command, parse_command, possible
from gm.play.report import Report
from gm.play.review import Draft, LeftOpenError
from gm.play.table import GameTable

if TYPE_CHECKING:
    from gm.api.playing.forecast.make import Forecast

STDOUT = 1
SHORTEST_S = 0.25
"""Between two events of one writer."""


class EventView(Report):
    """Writes each event as a line, and reads what its reader decides: a command a line of standard input.

    When the reader has gone, the run ends as with Ctrl-C.

    Args:
        now: Seconds of a clock that only goes forward.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = Lock()
        self._written_at: dict[str, float] = {}
        self._is_told = SaidOnce()
        self._failure: OutputError | None = None
        self._lines = lines_of_input()

    def __enter__(self) -> EventView:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Say why the run stops."""
        if isinstance(error, WaitingError):
            self._write_event("waiting", awaited=error.awaited)
        if error is not None:
            stop = stop_of(error)
            texts = (text for problem in stop.problems for text in (problem.message, problem.hint))
            self._write_event("stopped", **stop._asdict(), said=_take_apart(stop.message, stop.hint, *texts))

    def close(self) -> None:
        """Nothing: no line is held open."""

    def chosen(self, choice: Choice) -> None:
        self._put_event("model", shown=choice.shown, why=choice.why, rehearsal=choice.backend.name == REHEARSAL)

    def forecast(self, forecast: Forecast) -> None:
        from gm.api.playing.forecast.report import describe_forecast
        from gm.cli.inspecting.cost import summary_line

        self._put_event("forecast", line=summary_line(forecast), report=describe_forecast(forecast))

    def day_opened(self, world: World) -> None:
        clock = world.clock
        if not self._is_told(clock.day):
            self._put_event("day_opened", day=clock.day, day_of_week=clock.day_of_week, scenes_today=clock.scenes_today)

    def scene_begins(self, world: World, scene: Scene) -> None:
        if not self._is_told(scene.ref):
            self._put_event(
                "scene_begins",
                scene=str(scene.ref),
                type=scene.type.name,
                time=scene.time_of_day,
                clock=scene.clock,
                place=scene.place,
                cast=scene.cast,
                why=scene.why,
            )

    def answered(self, scene: Scene, done: int, of: int) -> None:
        self._put_event("answered", scene=str(scene.ref), done=done, of=of)

    def writing(self, who: str, characters: int | None, text: str) -> None:
        """Say who is writing, how much and which words; called in several threads."""
        now, last = self._now(), self._written_at.get(who)
        if characters is None:
            if self._written_at.pop(who, None) is not None:
                self._put_event("writing", who=who, characters=None, words="")
        elif last is None or now - last >= SHORTEST_S:
            self._written_at[who] = now
            self._put_event("writing", who=who, characters=characters, words=spoken_so_far(text))

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self._put_event("scene_played", scene=str(scene.ref))

    def cared(self, world: World, name: str, change: Change) -> None:
        self._put_event("cared", agent=name)

    def day_ends(self, world: World, change: Change) -> None:
        self._put_event("day_ends", day=world.clock.day)

    def day_closed(self, world: World, change: Change) -> None:
        self._put_event("day_closed", day=world.clock.day, summary=change.line.summary)

    def day_left(self, world: World) -> None:
        self._put_event("day_left", day=world.clock.day)

    def notice(self, text: str) -> None:
        self._put_event("notice", text=text)

    def waiting(self, error: WaitingError) -> None:
        if not self._is_told(tuple(error.awaited)):
            self._put_event("waiting", awaited=error.awaited)

    def pause(self, seconds: float) -> None:
        """Wait, or end the run as soon as the reader of standard output has gone."""
        reader = select.poll()
        reader.register(STDOUT, 0)
        if reader.poll(seconds * 1000):
            raise KeyboardInterrupt

    def finished(self, layout: Layout) -> None:
        """Nothing yet: ``result`` says what was played."""

    def result(self, document: Mapping[str, Any]) -> None:
        self._put_event("finished", **{"commits": (), **document})

    def show(self, draft: Draft) -> None:
        change = draft.change
        self._put_event(
            "draft",
            scene=str(draft.scene.ref),
            take=draft.take,
            note=draft.scene.note,
            log=change.log and change.log.record,
            memories=change.nodes,
            threads=[THREAD_EVENT.write(event) for event in change.threads],
        )

    def choose(self, *, takes: int) -> Command:
        """Return the next command that makes sense; at the end of the input, the day stays open."""
        rows = [{"name": one.name, "wants": one.wants, "sentence": one.sentence} for one in possible(takes)]
        while True:
            self._put_event("choices", undecided=takes > 0, choices=rows)
            _, line = next(self._lines, (0, ""))
            if not line:
                raise LeftOpenError
            try:
                command = parse_command(line)
            except UsageError as error:
                self.refuse(error)
                continue
            if command.name != "help":  # it is what the choices say
                return command

    def offer(self, table: GameTable, world: World) -> None:
        self._put_event("candidates", plan=plan_of(table, world))

    def tell(self, lines: Iterable[str]) -> None:
        self._put_event("tell", lines=list(lines))

    def refuse(self, error: UsageError) -> None:
        said = _take_apart(error.message, error.hint)
        self._put_event("refused", message=error.message, hint=error.hint, kind=error.kind, said=said)

    def _put_event(self, event: str, **values: Any) -> None:
        """Write an event; in the main thread, end the run if its reader has gone."""
        self._write_event(event, **values)
        if self._failure and current_thread() is main_thread():
            if self._failure.is_unread:
                raise KeyboardInterrupt
            raise self._failure

    def _write_event(self, event: str, **values: Any) -> None:
        with self._lock:
            try:
                out_json({"event": event, **values}, indent=None)
            except OutputError as error:
                self._failure = error


def _take_apart(*texts: str) -> list[tuple[str, ...]]:
    """Return the sentences in texts, each with its values and behind those among them."""
    found = list[tuple[str, ...]]()
    for text in texts:
        if isinstance(text, Sentence):
            values = text.values.values()
            found += [*_take_apart(*values), (text.sentence, *values)]
    return found
