"""A person at the table whose inputs are written beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.llm.base import Backend
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.world import World
from gm.play.command import Command, parse_command
from gm.play.interactive import Session
from gm.play.master import DayResult, run_days
from gm.play.review import Draft, LeftOpenError
from gm.play.table import GameTable
from gm.scene.directing.choosing import Listed, list_picks
from tests.stories.playing import Heard


class Reader:
    """Gives one command after the other; then leaves. ``before`` is called each time something is decided."""

    def __init__(self, *lines: str, before: Callable[[], None] | None = None) -> None:
        self.lines = list(lines)
        self.shown: list[Draft] = []
        self.said: list[str] = []
        self.offered: list[tuple[Listed, ...]] = []
        self.refused: list[UsageError] = []
        self._before = before

    def show(self, draft: Draft) -> None:
        self.shown.append(draft)

    def tell(self, lines: Iterable[str]) -> None:
        self.said += lines

    def refuse(self, error: UsageError) -> None:
        self.refused.append(error)

    def offer(self, table: GameTable, world: World) -> None:
        self.offered.append(list_picks(world, table.make_rules()))

    def choose(self, *, takes: int) -> Command:
        if self._before:
            self._before()
        if not self.lines:
            raise LeftOpenError
        return parse_command(self.lines.pop(0))


def sit(
    layout: Layout, reader: Reader, backend: Backend | None = None, heard: Heard | None = None, days: int = 1
) -> list[DayResult]:
    """Play days with a person at the table."""
    choice = Choice(backend or Rehearsal(), "a test")
    return run_days(layout, choice, heard or Heard(), days, command="test", review=Session(reader))
