"""One writer at a time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gm.base.errors import LockedError
from gm.files.commits.lock import locked

HOLD = """
import sys
from pathlib import Path
from gm.files.commits.lock import locked
with locked(Path(sys.argv[1]), "gm advance-day"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held_elsewhere(lock: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process holds the lock, until the block ends or the process is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        try:
            yield process
        finally:
            process.kill()


def test_the_second_one_is_refused_and_told_who_holds_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / ".gm" / "lock"
    with held_elsewhere(lock) as holder:
        with pytest.raises(LockedError, match=rf"gm advance-day \(process {holder.pid}\)"), locked(lock, "gm scene"):
            pytest.fail("two at once")
        holder.communicate()
        with locked(lock, "gm scene"):
            pass


def test_a_killed_holder_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / ".gm" / "lock"
    with held_elsewhere(lock) as holder:
        holder.kill()
        holder.wait()
        with locked(lock, "gm scene"):
            assert "gm scene" in lock.read_text(encoding="utf-8")


def test_a_lock_without_a_readable_note_is_a_lock_all_the_same(tmp_path: Path) -> None:
    lock = tmp_path / ".gm" / "lock"
    with held_elsewhere(lock):
        lock.write_text("?", encoding="utf-8")
        with pytest.raises(LockedError, match="another process"), locked(lock, "gm scene"):
            pytest.fail("two at once")


def test_the_folder_of_the_lock_is_ignored_by_git(tmp_path: Path) -> None:
    with locked(tmp_path / ".gm" / "lock", "gm scene"):
        assert (tmp_path / ".gm/.gitignore").read_text(encoding="utf-8").endswith("\n*\n")
