"""Play the worlds of a sweep on a Ray cluster, or on a Ray of this machine's own.

With ``RAY_ADDRESS`` set, it is that cluster: the folder of the sweep has to be the same file system on all its
machines, with ``gm`` installed and the keys of models in the environment there. Ray is an extra:
``pip install 'gm[ray]'``.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

from gm.api.sweep.play import FAILED, Job, Outcome, play_run
from gm.base.errors import GmError

_STORE_BYTES = 100 * 2**20  # what is sent are a few words; Ray takes a third of the memory otherwise


def require_ray() -> Any:
    """Import Ray.

    Raises:
        GmError: It is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nobody is told what is played here
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # Ray warns of a change to come otherwise
    try:
        import ray
    except ImportError as error:
        raise GmError("Ray is not installed", "pip install 'gm[ray]', or leave --backend ray away") from error
    return ray


def play_on_ray(jobs: Sequence[Job], workers: int, heard: Callable[[Outcome], None]) -> None:
    """Play every job as a task of Ray, at most so many at the same time.

    Args:
        jobs: What is to be played.
        workers: How many tasks at most; as many cores a Ray of this machine's own gets.
        heard: Told of each outcome, in the order in which they come.

    Raises:
        GmError: Ray is not installed, or its cluster cannot be reached.
    """
    ray = require_ray()
    here = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    own = {} if os.environ.get("RAY_ADDRESS") else here
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        raise GmError(f"Ray cannot be reached: {error}", "see RAY_ADDRESS, or leave --backend ray away") from error
    try:
        # a worker that is lost is no harm: another one goes on where it stopped
        task = ray.remote(num_cpus=1, max_retries=2)(play_run)
        waiting = list(reversed(jobs))
        running: dict[Any, Job] = {}
        while waiting or running:
            while waiting and len(running) < workers:
                job = waiting.pop()
                running[task.remote(job)] = job
            for ready in ray.wait(list(running), num_returns=1)[0]:
                heard(_receive(ray, ready, running.pop(ready)))
    finally:
        ray.shutdown()


def _receive(ray: Any, ready: Any, job: Job) -> Outcome:
    try:
        outcome = ray.get(ready)
    except ray.exceptions.RayError as error:
        told = str(error).strip().split("\n")[0]
        return Outcome(
            job.name, FAILED, f"its worker was lost: {told}", "run the same command again: it goes on from there"
        )
    assert isinstance(outcome, Outcome)
    return outcome
