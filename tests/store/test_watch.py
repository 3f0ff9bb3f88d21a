"""Noticing that somebody edited a world's files while it is being played."""

from pathlib import Path

import pytest

from gm.store.layout import Layout
from gm.store.watch import RECENT_LOGBOOKS, Watch


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    """A world that has as many logbooks as are looked at."""
    layout = Layout(tmp_path)
    layout.day_log(1).parent.mkdir(parents=True)
    for day in range(1, RECENT_LOGBOOKS + 1):
        layout.day_log(day).write_text("{}\n")
    return layout


@pytest.fixture
def watch(layout: Layout) -> Watch:
    """Knows the world as it is, and the logbook of a new day that was written since."""
    watch = Watch(layout)
    watch.remember()
    fresh = layout.day_log(RECENT_LOGBOOKS + 1)
    fresh.write_text("{}\n")
    watch.remember([fresh])
    return watch


def test_a_logbook_that_is_too_old_to_be_looked_at_is_no_edit(watch: Watch) -> None:
    assert not watch.edited()


def test_an_edited_logbook_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.day_log(2).write_text('{"scene": 1}\n')
    assert watch.edited()


def test_a_logbook_that_is_gone_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.day_log(5).unlink()
    assert watch.edited()


def test_a_new_file_that_is_not_ours_is_an_edit(layout: Layout, watch: Watch) -> None:
    layout.settings.write_text("seed: 2\n")
    assert watch.edited()
