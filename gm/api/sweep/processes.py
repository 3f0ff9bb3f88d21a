"""Play the worlds of a sweep in local processes, one per world."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from gm.api.sweep.play import FAILED, Job, Outcome, play_run

_SPAWN = get_context("spawn")


def play_in_processes(jobs: Sequence[Job], workers: int, heard: Callable[[Outcome], None]) -> None:
    """Play all jobs in spawned processes, which inherit no state.

    They end with this process, however it dies, so that no world stays locked.

    Args:
        heard: Called with each outcome.
    """
    waiting = list(reversed(jobs))
    running: dict[Connection, tuple[Job, SpawnProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                ours, theirs = _SPAWN.Pipe(duplex=False)
                process = _SPAWN.Process(target=_work, args=(job, theirs), daemon=True, name=f"gm sweep {job.name}")
                process.start()
                theirs.close()
                running[ours] = job, process
            for pipe in wait(list(running)):
                assert isinstance(pipe, Connection)
                job, process = running.pop(pipe)
                heard(_receive(pipe, job, process))
    finally:
        for pipe, (_, process) in running.items():
            process.terminate()
            process.join()
            pipe.close()


def _receive(pipe: Connection, job: Job, process: SpawnProcess) -> Outcome:
    try:
        outcome = pipe.recv()
    except EOFError:
        outcome = None
    pipe.close()
    process.join()
    if isinstance(outcome, Outcome):
        return outcome
    code = process.exitcode or 0
    told = signal.Signals(-code).name if code < 0 else f"code {code}"
    return Outcome(
        job.name, FAILED, f"its process ended with {told}", "run the same command again: it goes on from there"
    )


def _work(job: Job, pipe: Connection) -> None:
    for number in (signal.SIGINT, signal.SIGHUP):  # these reach the whole group; the parent ends us in order
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    pipe.send(play_run(job))
    pipe.close()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # as sudden as a power cut, which a world survives
