"""Play the worlds of a sweep on Ray (extra ``gm[ray]``): local, or the cluster at ``RAY_ADDRESS``.

A cluster needs a shared file system with the sweep's folder, and ``gm`` and the models' keys everywhere.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from typing import Any

from gm.api.sweep.play import FAILED, Job, Outcome, play_run
from gm.base.errors import GmError

_STORE_BYTES = 100 * 2**20  # messages are small; by default Ray takes a third of the memory


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
        raise GmError("Ray is not installed", "pip install 'gm[ray]', or leave --backend ray away") from error
    return ray


def play_on_ray(jobs: Sequence[Job], workers: int, heard: Callable[[Outcome], None]) -> None:
    """Play all jobs as Ray tasks.

    Args:
        workers: Greatest number of concurrent tasks; also the cores of a local Ray.
        heard: Called with each outcome.

    Raises:
        GmError: Ray is not installed, or its cluster unreachable.
    """
    ray = require_ray()
    here = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": _STORE_BYTES}
    own = {} if os.environ.get("RAY_ADDRESS") else here
    try:
        ray.init(log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, OSError, ValueError, RuntimeError) as error:
        raise GmError(f"Ray cannot be reached: {error}", "see RAY_ADDRESS, or leave --backend ray away") from error
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
