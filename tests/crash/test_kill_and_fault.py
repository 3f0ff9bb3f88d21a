"""A run is killed, or the disk refuses, at every durable step; then it goes on and ends as if nothing had happened."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PARTS = 4
FULL_STRIDE = 29
CLOSING_POINTS = 60
NIGHT_POINTS = 40
MINDS_STRIDE = 29
EVERYTHING_STRIDE = 163


def run_part(mode: str, folder: Path, first: int, stride: int, played: str) -> dict[str, Any]:
    """Run a part of the suite in a process of its own, which forks a child for each run."""
    command = [sys.executable, "-m", "tests.crash.runner", mode, str(folder), str(first), str(stride), played]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    assert found["tried"] > 0
    assert not found["wrong"], "\n".join(found["wrong"])
    return found


@pytest.fixture
def fast_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: a thousand runs wear out a disk."""
    memory = Path("/dev/shm")
    folder = memory / f"gm-crash-{os.getpid()}-{tmp_path.name}" if os.access(memory, os.W_OK) else tmp_path
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("part", range(PARTS))
def test_killed_at_every_step_it_goes_on_to_the_same_bytes_and_asks_nothing_again(
    part: int, fast_folder: Path, record_property: Callable[[str, object], None]
) -> None:
    found = run_part("kill", fast_folder, 1 + part, PARTS, "short")
    record_property(
        "crash suite, killed", {"points": found["tried"], "with other files or repeated calls": found["bad"]}
    )


@pytest.mark.parametrize("part", range(PARTS))
def test_when_the_disk_refuses_it_stops_cleanly_and_goes_on_to_the_same_bytes(
    part: int, fast_folder: Path, record_property: Callable[[str, object], None]
) -> None:
    found = run_part("fault", fast_folder, 1 + part, PARTS, "short")
    record_property("fault suite, refused", {"points": found["tried"], "with another end": found["bad"]})


@pytest.mark.parametrize(("mode", "first"), [("kill", 5), ("fault", 19)])
def test_in_days_of_many_scenes_any_step_can_be_the_last(mode: str, first: int, fast_folder: Path) -> None:
    run_part(mode, fast_folder, first, FULL_STRIDE, "full")


@pytest.mark.parametrize("mode", ["kill", "fault"])
def test_between_two_days_of_one_command_nothing_is_lost_either(mode: str, fast_folder: Path) -> None:
    assert run_part(mode, fast_folder, 1, 1, "night")["tried"] > NIGHT_POINTS


@pytest.mark.parametrize("mode", ["kill", "fault"])
def test_with_souls_and_working_memory_the_closing_of_a_day_moves_every_lesson_once(
    mode: str, fast_folder: Path
) -> None:
    run_part(mode, fast_folder, -CLOSING_POINTS, 1, "minds")
    template = fast_folder / "template" / "state" / "working"
    for page in template.iterdir():
        stream = (fast_folder / "disturbed" / "state" / "memories" / f"{page.stem}.jsonl").read_text()
        assert stream.count(f"LESSON: From {page.stem}") == 1


def test_with_souls_and_working_memory_every_other_step_can_be_the_last_too(fast_folder: Path) -> None:
    run_part("kill", fast_folder, 7, MINDS_STRIDE, "minds")


@pytest.mark.parametrize(("mode", "first"), [("kill", 11), ("fault", 59)])
def test_with_everything_on_any_step_can_be_the_last(mode: str, first: int, fast_folder: Path) -> None:
    found = run_part(mode, fast_folder, first, EVERYTHING_STRIDE, "everything")
    state = fast_folder / "disturbed" / "state"
    assert found["tried"] > 3
    for layer in ("summaries", "archive", "diary", "goals", "relationships", "souls", "working"):
        assert any((state / layer).iterdir()), layer
