"""Sixteen worlds for ten days: in processes and on Ray the same bytes, and the same again after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gm.files.commits.lock import find_holder
from tests.stories.playing import Tree, tree
from tests.waiting import wait_until

pytestmark = pytest.mark.soak

SIXTEEN = """
template: dinner
days: 10
all: {day.scenes: [2, 3]}
briefs:
  cold: {3: "The oven has died. Plan for cold dishes."}
matrix:
  seed: 1..4
  weights.promise: [0, 3]
  briefs: [none, cold]
"""
FOUR = """
template: dinner
days: 4
briefs:
  cold: {2: "The oven has died. Plan for cold dishes."}
matrix:
  seed: [1, 2]
  briefs: [none, cold]
"""
PATIENCE_S = 120.0


def command(file: Path, out: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "gm", "sweep", str(file), "--out", str(out), "--jobs", "2", *more]


def finish(file: Path, out: Path, *more: str) -> None:
    done = subprocess.run(command(file, out, *more), capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


def worlds(out: Path) -> dict[str, Tree]:
    return {folder.name: tree(folder) for folder in sorted((out / "runs").iterdir())}


def write(folder: Path, text: str) -> Path:
    path = folder / "s.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def same_tables(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in ("table.csv", "table.parquet"))


def test_processes_and_ray_play_the_same_worlds_to_the_byte(tmp_path: Path) -> None:
    file = write(tmp_path, SIXTEEN)
    finish(file, tmp_path / "processes")
    finish(file, tmp_path / "ray", "--backend", "ray")
    found = worlds(tmp_path / "processes")
    assert len(found) == 16
    assert len({tuple(sorted(world.items())) for world in found.values()}) > 8  # they do vary
    assert worlds(tmp_path / "ray") == found
    assert same_tables(tmp_path / "processes", tmp_path / "ray")
    rows = (tmp_path / "ray/table.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 17


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("undisturbed")
    finish(write(folder, FOUR), folder / "out")
    return folder / "out"


@pytest.mark.parametrize("backend", ["processes", "ray"])
def test_a_sweep_that_is_killed_goes_on_to_the_same_result(tmp_path: Path, undisturbed: Path, backend: str) -> None:
    """The parent and all its workers are killed, then the parent alone, each in the middle of a day."""
    file, out = write(tmp_path, FOUR), tmp_path / "out"
    unfinished = []
    for least, whole_group in ((1, True), (12, False)):
        process = subprocess.Popen(
            command(file, out, "--backend", backend),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_for_scenes(out, least, process)
        if whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait()
        wait_for_quiet(out)
        unfinished.append(worlds(out) != worlds(undisturbed))
    assert any(unfinished)  # who has lost its parent may come to an end before it notices
    finish(file, out, "--resume", "--backend", backend)
    assert worlds(out) == worlds(undisturbed)
    assert same_tables(out, undisturbed)


def scenes(out: Path) -> int:
    return len(list(out.glob("runs/*/state/traces/*/*")))


def wait_for_scenes(out: Path, more: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until a number of further scenes have begun."""
    before = scenes(out)
    wait_until(lambda: scenes(out) >= before + more or process.poll() is not None, f"{more} more scenes", PATIENCE_S)
    assert scenes(out) >= before + more, "it ended before it could be killed"


def wait_for_quiet(out: Path) -> None:
    """Wait until nobody holds a world any more: workers that lost their parent end by themselves."""

    locks = [*out.glob("runs/*/state/.gm/lock")]
    wait_until(lambda: not any(map(find_holder, locks)), "workers that lost their parent end", PATIENCE_S)
