"""Two commands at once: one runs, the other says who holds the lock."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROUNDS = 50


def test_of_two_at_once_one_runs_the_other_is_told_and_the_world_is_as_after_one(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.crash.two", str(tmp_path), str(ROUNDS)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    # a second one that starts late finds the lock free again, and plays a day of its own
    assert found["one_ran"] + found["one_after_the_other"] == ROUNDS
    assert found["one_ran"] > ROUNDS // 2
    assert found["same"]
    record_property("two at once", {"rounds": ROUNDS, "one ran, one was refused": found["one_ran"]})
