"""A world while it is played: files that another program saves at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gm.base.errors import GmError
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.model.world import Change, World
from gm.play.liveworld import MOST_FOLDS, LiveWorld
from gm.play.master import run_days
from gm.play.report import Report
from gm.play.review import Draft, Review, StopAfter
from gm.play.table import GameTable
from tests.stories.playing import Counting, Heard, tree


def saving(layout: Layout, fold: Callable[[World], Change], most: int | None = None) -> Callable[[World], Change]:
    """Return a fold during which the settings are saved; ``most`` times, by default always."""
    saved = 0

    def folding(world: World) -> Change:
        nonlocal saved
        if most is None or saved < most:
            saved += 1
            layout.settings.write_text(f"{layout.settings.read_text(encoding='utf-8')}# saved\n", encoding="utf-8")
        return fold(world)

    return folding


def nothing(world: World) -> Change:
    """Fold a change that moves one character."""
    name = next(iter(world.agents))
    return Change(world.clock.day, agents={name: {"position": world.agents[name].state.position}})


def test_a_change_lands_when_the_files_are_left_alone_at_last(dinner: Layout) -> None:
    with writing(dinner, "test") as writer:
        live = LiveWorld(dinner, writer, Report())
        change = live.land(saving(dinner, nothing, MOST_FOLDS - 1))
        assert change == nothing(live.world)
        live.close()


def test_nothing_is_written_while_the_files_are_saved_again_and_again(dinner: Layout) -> None:
    with writing(dinner, "test") as writer:
        live = LiveWorld(dinner, writer, Report())
        before = tree(dinner.root)
        with pytest.raises(GmError, match="saved again and again: nothing was written"):
            live.land(saving(dinner, nothing))
        changed = {path for path, data in tree(dinner.root).items() if before.get(path) != data}
        assert changed == {dinner.shown(dinner.settings)}
        live.close()


class Disturbed(Review):
    """Has the settings saved during each fold of a scene."""

    def judge(self, table: GameTable, takes: Sequence[Draft]) -> Draft | str:
        return replace(takes[-1], fold=saving(table.live.layout, takes[-1].fold))


def test_no_answer_is_asked_for_twice_after_the_files_were_saved_again_and_again(dinner: Layout) -> None:
    first, second = Counting(), Counting()
    with pytest.raises(GmError, match="saved again and again"):
        run_days(dinner, Choice(first, "a test"), Heard(), 1, command="test", review=Disturbed())
    assert first.asked
    heard = Heard()
    run_days(dinner, Choice(second, "a test"), heard, 1, command="test", review=StopAfter(1))
    assert [len(heard.scenes), second.asked] == [1, []]
