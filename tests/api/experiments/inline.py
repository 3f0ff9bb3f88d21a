"""Play the worlds of a sweep one after the other, in the test's own process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gm.api.experiments.sweep.play import Job, RunOutcome, play_run


def play_inline(jobs: Sequence[Job], _workers: int, heard: Callable[[RunOutcome], None]) -> None:
    for job in jobs:
        heard(play_run(job))
