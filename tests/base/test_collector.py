"""The garbage collector is tuned for values that stay, and left as it was."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread

import pytest

from gm.base.collector import RARELY, collect_rarely, collector_resting, set_aside


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
def test_the_collector_rests_within_the_block_and_goes_on_behind_it() -> None:
    with collector_resting():
        assert not gc.isenabled()

    assert gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_the_collector_goes_on_when_the_block_fails() -> None:
    with suppress(ValueError), collector_resting():
        raise ValueError

    assert gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_the_collector_goes_on_when_the_last_of_several_threads_is_done() -> None:
    inside, done = Event(), Event()

    def read() -> None:
        with collector_resting():
            inside.set()
            done.wait(10)

    thread = Thread(target=read)
    thread.start()
    assert inside.wait(10)
    with collector_resting():
        pass
    assert not gc.isenabled()
    done.set()
    thread.join(10)

    assert gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_a_collector_that_was_switched_off_stays_off() -> None:
    gc.disable()

    with collector_resting():
        pass

    assert not gc.isenabled()


@pytest.mark.usefixtures("collector")
def test_what_is_set_aside_is_not_gone_through_again() -> None:
    before = gc.get_freeze_count()

    set_aside()

    assert gc.get_freeze_count() > before


@pytest.mark.usefixtures("collector")
def test_searches_become_rare() -> None:
    collect_rarely()

    assert gc.get_threshold()[0] == RARELY
