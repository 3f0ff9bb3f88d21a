"""Temporary folders do not outlive their owner for long, however it dies."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from gm.files.commits.copying import scratch
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.uncommitted.temporary import KINDS, remove_orphans, temporary_folder

MARK = ".gm-owner"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made in these tests."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    return place


def leave_behind(folder: Path, kind: str = "scratch") -> Path:
    """Make what a killed owner leaves: a folder with a mark that no process holds."""
    orphan = folder / f"gm-{kind}-abc_12de"
    (orphan / "files" / "state").mkdir(parents=True)
    (orphan / "files" / "state" / "world.json").write_text("{}", encoding="utf-8")
    (orphan / MARK).touch()
    return orphan


def test_a_folder_is_private_and_goes_with_its_owner(folder: Path) -> None:
    def work() -> None:
        with temporary_folder("book") as made:
            assert list(made.iterdir()) == []
            assert stat.S_IMODE(made.parent.stat().st_mode) == 0o700
            (made / "page").write_text("x", encoding="utf-8")
            raise KeyError

    with pytest.raises(KeyError):
        work()
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_dead_owner_left_is_removed_by_the_next(folder: Path, kind: str) -> None:
    orphan = leave_behind(folder, kind)
    with temporary_folder("scratch"):
        assert not orphan.exists()


def test_a_command_that_writes_removes_it_too(folder: Path, dinner: Layout) -> None:
    orphan = leave_behind(folder)
    with writing(dinner, "a test"):
        assert not orphan.exists()


def test_what_was_removed_in_part_is_removed_as_well(folder: Path) -> None:
    orphan = leave_behind(folder)
    (orphan / "files" / "state" / "world.json").unlink()
    (orphan / "files" / "state").rmdir()
    (orphan / "files").rmdir()
    remove_orphans()
    assert not orphan.exists()


def test_the_folder_of_a_living_owner_stays(folder: Path, dinner: Layout) -> None:
    with scratch(dinner) as copy:
        remove_orphans()
        with temporary_folder("merge") as other:
            remove_orphans()
            assert copy.settings.exists()
            assert other.exists()
        assert copy.settings.exists()
    assert list(folder.iterdir()) == []


def test_nothing_else_is_removed_and_no_link_is_followed(folder: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    target = leave_behind(precious)
    os.symlink(target, folder / "gm-scratch-linkedone")
    inside = leave_behind(folder)
    (inside / "files" / "out").symlink_to(target)
    whole = folder / "gm-book-a_link__"
    whole.mkdir()
    (whole / MARK).touch()
    (whole / "files").symlink_to(target)
    marked = folder / "gm-merge-linkmark"
    (marked / "files").mkdir(parents=True)
    (marked / MARK).symlink_to(target / MARK)
    unmarked = folder / "gm-scratch-unmarked"
    unmarked.mkdir()
    (folder / "gm-other-abcdefgh").mkdir()
    (folder / "gm-book-file").write_text("x", encoding="utf-8")
    remove_orphans()
    assert not inside.exists()
    assert (target / "files" / "state" / "world.json").exists()
    assert {path.name for path in folder.iterdir()} == {
        "gm-scratch-linkedone",
        "gm-book-a_link__",
        "gm-merge-linkmark",
        "gm-scratch-unmarked",
        "gm-other-abcdefgh",
        "gm-book-file",
    }


OWNER = """
import sys
from pathlib import Path
from gm.files.commits.copying import scratch
from gm.files.layout import Layout
with scratch(Layout(Path(sys.argv[1]))) as copy:
    print(copy.root, flush=True)
    sys.stdin.read()
"""


@pytest.mark.slow
def test_the_copy_of_a_killed_process_is_removed_and_not_a_moment_before(folder: Path, dinner: Layout) -> None:
    command = [sys.executable, "-c", OWNER, str(dinner.root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout
        copy = Path(owner.stdout.readline().strip())
        assert copy.is_relative_to(folder.resolve())
        remove_orphans()
        assert (copy / "gm.yaml").exists()
        owner.send_signal(signal.SIGKILL)
        owner.wait()
    assert (copy / "gm.yaml").exists()
    remove_orphans()
    assert list(folder.iterdir()) == []
