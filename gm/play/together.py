"""Work at the same time: one task works while the others wait for answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock, Thread
from typing import TypeVar

from gm.llm.asker import choose_failure

T = TypeVar("T")


class StoppedError(BaseException):
    """The run was interrupted while a task waited."""


class Baton:
    """Held by the task that works: no two touch the world, caches or files at once."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_used = False
        self._is_stopped = False

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Let another task work meanwhile; without tasks at the same time nothing happens."""
        if not self._is_used:
            yield
            return
        self._lock.release()
        try:
            yield
        finally:
            self._lock.acquire()
        if self._is_stopped:
            raise StoppedError

    def pass_around(self, tasks: Sequence[Callable[[], T]], stop: Callable[[], None]) -> list[T]:
        """Run tasks at the same time, and return their results in the order of the tasks.

        When one fails, the others still go on to their end or to their own failure.

        Args:
            stop: Called when the run is interrupted, before the tasks are waited for.

        Raises:
            WaitingError: Some await answers from outside, and no other failure; all those are listed.
            BaseException: The failure of the first task that failed.
        """
        done: dict[int, T] = {}
        failed: dict[int, BaseException] = {}

        def run(place: int) -> None:
            with self._lock:
                try:
                    if self._is_stopped:
                        raise StoppedError
                    done[place] = tasks[place]()
                except BaseException as error:  # told to the caller, in the order of the tasks
                    failed[place] = error

        threads = [Thread(target=copy_context().run, args=(run, place)) for place in range(len(tasks))]
        self._is_used = True
        try:
            for thread in threads:
                thread.start()
            _join(threads)
        except KeyboardInterrupt:
            self._is_stopped = True
            stop()
            _join(thread for thread in threads if thread.ident is not None)  # the others find that the run is stopped
            raise
        finally:
            self._is_used = False
        if failed:
            raise choose_failure(failed)
        return [done[place] for place in range(len(tasks))]


def _join(threads: Iterable[Thread]) -> None:
    for thread in threads:
        thread.join()
