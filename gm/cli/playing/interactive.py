"""Between two scenes: a person at the terminal, or a script on standard input, decides."""

from __future__ import annotations

import os
import select
import sys
import termios
import tty
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.text import Text

from gm.base.errors import UsageError
from gm.cli.playing.show import INDENT, DayView
from gm.cli.terminal import read_line, safe
from gm.files.layout import Layout
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.command import BY_KEY, CHOICES, Command, check_command, parse_command, possible
from gm.play.review import Draft, LeftOpenError
from gm.play.table import GameTable

if TYPE_CHECKING:
    from gm.api.reports.plan import PlayPlan

NAME_WIDTH = 22
BETWEEN = " · "
SYNONYMS = {"\n": "c", "\r": "c", " ": "c", "\x04": "q", "": "q", "h": "?"}
"""Keys that people press elsewhere for the same: Return and Space go on, Ctrl-D leaves."""
ESCAPE = b"\x1b"
LOOK_EVERY_S = 0.25


class TableView(DayView):
    """Shows a day whose scenes are read before they land."""

    def __init__(self, *, quiet: bool = False) -> None:
        super().__init__(quiet=quiet)
        self._shown: tuple[Scene, Change] | None = None
        self._left = False

    def show(self, draft: Draft) -> None:
        if draft.take > 1:
            self._print(Text(""))
            note = draft.scene.note.replace("\n", " / ")
            self._print(Text(safe(f"take {draft.take}, with the note: {note}"), style="bold"), indent=INDENT)
        super().scene_played(draft.world, draft.scene, draft.change)
        self._shown = (draft.scene, draft.change)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        """Show a landed scene, unless it was read as it is."""
        shown, self._shown = self._shown, None
        if shown is None or shown[0] != scene:
            super().scene_played(world, scene, change)
        elif (shown[1].log, shown[1].nodes) != (change.log, change.nodes):
            self.notice("the world was edited meanwhile; this is the scene now:")
            super().scene_played(world, scene, change)

    def tell(self, lines: Iterable[str], style: str = "") -> None:
        self._stop_waiting()
        for line in lines:
            self._print(Text(safe(line), style=style), indent=INDENT if line else 0)

    def offer(self, plan: PlayPlan) -> None:
        from gm.cli.playing.plan import numbered

        self.tell(numbered(plan))

    def help(self) -> None:
        rows = (f"{item.key}  {f'{item.name} {item.wants}'.strip():<{NAME_WIDTH}}{item.sentence}" for item in CHOICES)
        self.tell(rows, style="dim")

    def choices(self, takes: int) -> None:
        self._stop_waiting()
        self._print(Text(""))
        line = Text()
        for item in possible(takes):
            before, key, after = item.marked
            part = Text(before).append(key, style="bold").append(after)
            if line and line.cell_len + len(BETWEEN) + part.cell_len > self._console.width:
                self._print(line)
                line = Text()
            line.append(BETWEEN if line else "", style="dim").append_text(part)
        self._print(line)

    def day_left(self, world: World) -> None:
        self._stop_waiting()
        self._left = True
        again = f" Scene {self._shown[0].ref.scene} has not landed: it is shown again." if self._shown else ""
        text = f"Day {world.clock.day} stays open; the same command goes on from here.{again}"
        self._notes.print(Text(text), style="dim")

    def finished(self, layout: Layout) -> None:
        if not self._left:
            super().finished(layout)


class Seat:
    """What is the same for a person and for a script."""

    def __init__(self, view: TableView) -> None:
        self._view = view

    def show(self, draft: Draft) -> None:
        self._view.show(draft)

    def tell(self, lines: Iterable[str]) -> None:
        self._view.tell(lines)

    def offer(self, table: GameTable, world: World) -> None:
        self._view.offer(plan_of(table, world))


class Terminal(Seat):
    """A person who presses keys."""

    def refuse(self, error: UsageError) -> None:
        self._view.tell([error.message, f"  {error.hint}"], style="yellow")

    def choose(self, *, takes: int) -> Command:
        """Wait for a key, then for its text; an empty text leads back to the choices."""
        while True:
            with KeyReader() as keys:  # before the choices are shown: what is pressed from then on counts
                self._view.choices(takes)
                choice = BY_KEY.get(keys.read())
            if choice is None:
                self._view.tell(["no such key; ? shows what there is"], style="dim")
                continue
            if choice.name == "help":
                self._view.help()
                continue
            text = ask_line(f"{choice.name} {choice.wants}: ") if choice.wants else ""
            if choice.wants and not text:
                continue
            try:
                return check_command(Command(choice.name, text))
            except UsageError as error:
                self.refuse(error)


class PipedInput(Seat):
    """Commands on standard input, one a line; blank lines and ``#`` comments are skipped."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._lines = lines_of_input()
        self._number = 0

    def refuse(self, error: UsageError) -> None:
        """Stop: what follows was meant for another place of the day."""
        raise UsageError(
            f"standard input, line {self._number}: {error.message}",
            f"{error.hint}; the day stays open, and the same command goes on",
        )

    def choose(self, *, takes: int) -> Command:
        """At the end of the input, the day stays open."""
        while True:
            self._number, line = next(self._lines, (0, ""))
            if not line:
                raise LeftOpenError
            self._view.tell(["", f"> {line}"], style="bold")
            try:
                command = parse_command(line)
            except UsageError as error:
                self.refuse(error)
            if command.name != "help":
                return command
            self._view.help()


def lines_of_input() -> Iterator[tuple[int, str]]:
    """Yield the commands of standard input with the numbers of their lines, as they come."""
    number = 0
    while line := (sys.stdin.readline() if sys.stdin else ""):
        number += 1
        line = line.strip()
        if line and not line.startswith("#"):
            yield number, line


def plan_of(table: GameTable, world: World) -> PlayPlan:
    """Return what ``gm plan`` says of a world in play."""
    from gm.api.reports.plan import describe_plan

    return describe_plan(world, table.live.prompts.words, table.seed, focus=table.focus)


def at_the_table(view: TableView) -> Terminal | PipedInput:
    """Return a terminal if standard input is one, else a script."""
    return Terminal(view) if sys.stdin and sys.stdin.isatty() else PipedInput(view)


class KeyReader:
    """Reads single keys while it is open; earlier input is dropped, Ctrl-C interrupts."""

    def __init__(self) -> None:
        self._terminal = sys.stdin.fileno()
        self._before: list[Any] = []

    def __enter__(self) -> KeyReader:
        self._before = termios.tcgetattr(self._terminal)
        # what was pressed while a scene was played was not meant for a scene that nobody had read yet
        tty.setcbreak(self._terminal, termios.TCSAFLUSH)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

    def read(self) -> str:
        """Return a key in lower case; empty for an unknown one."""
        # a signal that comes just before a process begins to wait does not end the wait
        while not select.select([self._terminal], [], [], LOOK_EVERY_S)[0]:
            pass
        data = os.read(self._terminal, 1)
        if data == ESCAPE or data >= b"\x80":
            # an arrow key or an umlaut comes as several bytes: one key all the same
            while select.select([self._terminal], [], [], 0)[0] and os.read(self._terminal, 64):
                pass
            return ""
        key = data.decode().lower()
        return SYNONYMS.get(key, key)


def ask_line(prompt: str) -> str:
    """Ask for a line of text; empty at Ctrl-D."""
    try:
        return read_line(prompt).strip()
    except EOFError:
        return ""
