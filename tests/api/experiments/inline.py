"""Play the worlds of a sweep one after the other, in the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gm.api.experiments.sweep.play import Job, Outcome, play_run


def play_inline(jobs: Sequence[Job], _workers: int, heard: Callable[[Outcome], None]) -> None:
    for job in jobs:
        heard(play_run(job))
