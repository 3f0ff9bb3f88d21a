"""The collector of garbage rests while very many values are made, and goes on as it was before."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import suppress
from threading import Event, Thread

import pytest

from gm.files.streams.collector import collector_resting, set_aside


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Leave the collector as it was."""
    was = gc.isenabled()
    gc.enable()
    yield
    gc.unfreeze()
    (gc.enable if was else gc.disable)()


def test_it_rests_within_the_block_and_goes_on_behind_it() -> None:
    with collector_resting():
        assert not gc.isenabled()

    assert gc.isenabled()


def test_it_goes_on_when_the_block_fails() -> None:
    with suppress(ValueError), collector_resting():
        raise ValueError

    assert gc.isenabled()


def test_it_goes_on_when_the_last_of_several_threads_is_done() -> None:
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


def test_a_collector_that_was_switched_off_stays_off() -> None:
    gc.disable()

    with collector_resting():
        pass

    assert not gc.isenabled()


def test_what_is_set_aside_is_not_gone_through_again() -> None:
    before = gc.get_freeze_count()

    set_aside()

    assert gc.get_freeze_count() > before
