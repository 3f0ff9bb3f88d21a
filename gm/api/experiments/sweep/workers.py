"""Play the worlds of a sweep in local processes, one per world, or on Ray (extra ``gm-worlds[ray]``).

A cluster (``RAY_ADDRESS``) needs a shared file system with the sweep's folder; ``gm`` and the models' keys everywhere.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from types import ModuleType
from typing import Any

from gm.api.experiments.sweep.play import FAILED, Job, RunOutcome, play_run
from gm.base.errors import GmError
from gm.base.installed import pip_install

_SPAWN = get_context("spawn")
OF_GROUP = (signal.SIGINT, signal.SIGHUP)
"""Signals that reach the whole group of processes; the parent ends its workers in order."""
_STORE_BYTES = 100 * 2**20  # messages are small; by default Ray takes a third of the memory


def play_in_processes(jobs: Sequence[Job], workers: int, heard: Callable[[RunOutcome], None]) -> None:
    """Play all jobs in spawned processes, which inherit no state.

    They end with this process, however it dies, so that no world stays locked.
    """
    waiting = list(reversed(jobs))
    running: dict[Connection, tuple[Job, SpawnProcess]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                ours, theirs = _SPAWN.Pipe(duplex=False)
                process = _SPAWN.Process(target=_work, args=(job, theirs), daemon=True, name=f"gm sweep {job.name}")
                _start(process)
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


def _receive(pipe: Connection, job: Job, process: SpawnProcess) -> RunOutcome:
    try:
        outcome = pipe.recv()
    except EOFError:
        outcome = None
    pipe.close()
    process.join()
    if isinstance(outcome, RunOutcome):
        return outcome
    code = process.exitcode or 0
    ending = signal.Signals(-code).name if code < 0 else f"code {code}"
    return RunOutcome(
        job.name, FAILED, f"its process ended with {ending}", "run the same command again: it goes on from there"
    )


def _start(process: SpawnProcess) -> None:
    """Start a process in which ``OF_GROUP`` wait until it ignores them; here they arrive a moment later.

    It would run the caller's script once more, which plays the sweep, if it knew the script.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, OF_GROUP)
    script = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        process.start()
    finally:
        sys.modules["__main__"] = script
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(job: Job, pipe: Connection) -> None:
    for number in OF_GROUP:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, OF_GROUP)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    pipe.send(play_run(job))
    pipe.close()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)  # as sudden as a power cut, which a world survives


def require_ray() -> Any:
    """Import Ray.

    Raises:
        GmError: It is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # no telemetry
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # silences a warning
    try:
        import ray
    except ImportError as error:
        raise GmError("Ray is not installed", f"{pip_install('ray')}, or leave --backend ray out") from error
    return ray


def play_on_ray(jobs: Sequence[Job], workers: int, heard: Callable[[RunOutcome], None]) -> None:
    """Play all jobs as Ray tasks.

    Raises:
        GmError: Ray is not installed, or its cluster unreachable.
    """
    ray = require_ray()
    here = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    own = {} if os.environ.get("RAY_ADDRESS") else here
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        raise GmError(f"Ray cannot be reached: {error}", "see RAY_ADDRESS, or leave --backend ray out") from error
    try:
        # a lost worker does no harm: another one continues where it stopped
        task = ray.remote(num_cpus=1, max_retries=2)(play_run)
        waiting = list(reversed(jobs))
        running: dict[Any, Job] = {}
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                running[task.remote(job)] = job
            for ready in ray.wait(list(running), num_returns=1)[0]:
                heard(_receive_ray(ray, ready, running.pop(ready)))
    finally:
        ray.shutdown()


def _receive_ray(ray: Any, ready: Any, job: Job) -> RunOutcome:
    try:
        outcome = ray.get(ready)
    except ray.exceptions.RayError as error:
        reason = str(error).strip().split("\n")[0]
        return RunOutcome(
            job.name, FAILED, f"its worker was lost: {reason}", "run the same command again: it goes on from there"
        )
    assert isinstance(outcome, RunOutcome)
    return outcome
