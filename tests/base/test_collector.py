"""The garbage collector of gm's own processes is tuned for values that stay."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from gm.base.collector import RARELY, collect_rarely, set_aside


@pytest.fixture
def collector() -> Iterator[None]:
    """Leave the collector as it was."""
    was, threshold = gc.isenabled(), gc.get_threshold()
    gc.enable()
    yield
    gc.unfreeze()
    gc.set_threshold(*threshold)
    (gc.enable if was else gc.disable)()


@pytest.mark.usefixtures("collector")
def test_what_is_set_aside_is_not_gone_through_again() -> None:
    before = gc.get_freeze_count()

    set_aside()

    assert gc.get_freeze_count() > before


@pytest.mark.usefixtures("collector")
def test_searches_become_rare() -> None:
    collect_rarely()

    assert gc.get_threshold()[0] == RARELY
