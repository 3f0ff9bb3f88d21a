"""Low-level writes: what is said when one fails."""

import os
from pathlib import Path

import pytest

from gm.base.errors import GmError
from gm.base.regular import enclose
from gm.files.formats import disk

AGAIN = "then run the same command again, it goes on from here"


def test_a_failed_write_keeps_the_hint_of_a_file_that_was_refused(tmp_path: Path) -> None:
    world, outside = tmp_path / "world", tmp_path / "outside"
    world.mkdir()
    outside.mkdir()
    enclose(world)
    os.symlink(outside, world / "linked")
    with pytest.raises(GmError, match="a link leads out of the world") as raised:
        disk.write_private(world, world / "linked" / "note.json", b"{}")
    remedy = "put a copy into the world instead; links inside a world are fine"
    assert raised.value.hint == f"nothing is lost: {remedy}; {AGAIN}"
    assert not list(outside.iterdir())


def test_any_other_failed_write_says_that_nothing_is_lost(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(GmError, match=r"cannot write .*: File exists") as raised:
        disk.write_file(tmp_path / "file" / "below", b"")
    assert raised.value.hint == f"nothing is lost: put it right; {AGAIN}"
