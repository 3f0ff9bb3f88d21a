"""Files of a world are opened in one way: regular files only, without waiting, none outside the world."""

import os
from pathlib import Path

import pytest

from gm.base.regular import (
    DOCUMENT_BYTES,
    RefusedFileError,
    code_for,
    enclose,
    hint_for,
    leads_out,
    open_regular,
    read_regular,
)


@pytest.fixture
def world(tmp_path: Path) -> Path:
    folder = tmp_path / "world"
    folder.mkdir()
    enclose(folder)
    (folder / "here.txt").write_bytes(b"here")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "secret.txt").write_bytes(b"secret")
    return folder


def refused(path: Path) -> tuple[str, str]:
    with pytest.raises(RefusedFileError) as caught:
        read_regular(path)
    assert hint_for(caught.value)
    return code_for(caught.value), str(caught.value.strerror)


def test_a_file_is_read(world: Path) -> None:
    assert read_regular(world / "here.txt") == b"here"


def test_what_is_no_file_is_refused_at_once(world: Path) -> None:
    os.mkfifo(world / "fifo")
    (world / "folder").mkdir()
    (world / "device").symlink_to("/dev/zero")
    assert refused(world / "fifo") == ("file-kind", "found a FIFO, expected a regular file")
    assert refused(world / "folder") == ("file-kind", "found a folder, expected a file")
    assert refused(world / "device") == ("file-kind", "found a device, expected a regular file")


def test_a_link_may_lead_anywhere_in_the_world_and_nowhere_else(world: Path, tmp_path: Path) -> None:
    (world / "inner").mkdir()
    (world / "inner" / "link.txt").symlink_to("../here.txt")
    assert read_regular(world / "inner" / "link.txt") == b"here"
    secret = tmp_path / "elsewhere" / "secret.txt"
    (world / "out.txt").symlink_to(secret)
    assert refused(world / "out.txt") == ("link-outside", f"a link leads out of the world, to {secret}")
    (world / "inner" / "over").symlink_to("../../elsewhere")
    assert refused(world / "inner" / "over" / "secret.txt")[0] == "link-outside"


def test_nothing_is_written_through_a_link_that_leads_out(world: Path, tmp_path: Path) -> None:
    (world / "new.txt").symlink_to(tmp_path / "elsewhere" / "new.txt")
    with pytest.raises(RefusedFileError):
        open_regular(world / "new.txt", os.O_WRONLY | os.O_CREAT)
    assert not (tmp_path / "elsewhere" / "new.txt").exists()


def test_a_link_that_leads_nowhere_is_no_absent_file(world: Path) -> None:
    (world / "gone.txt").symlink_to("nowhere.txt")
    assert refused(world / "gone.txt") == ("link-broken", "a link that leads nowhere: nowhere.txt")
    with pytest.raises(FileNotFoundError):
        read_regular(world / "absent.txt")


def test_a_world_may_itself_be_reached_by_a_link(world: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(world)
    enclose(tmp_path / "link")
    assert read_regular(tmp_path / "link" / "here.txt") == b"here"
    assert leads_out(tmp_path / "link" / "here.txt") is None


def test_a_world_in_a_world_is_a_world_of_its_own(world: Path) -> None:
    inner = world / "worlds" / "first"
    inner.mkdir(parents=True)
    enclose(inner)
    (inner / "link.txt").symlink_to(world / "here.txt")
    assert refused(inner / "link.txt")[0] == "link-outside"


def test_a_file_that_is_too_long_is_refused_by_its_size(world: Path) -> None:
    with open(world / "long.txt", "wb") as file:
        file.truncate(DOCUMENT_BYTES + 1)
    with pytest.raises(RefusedFileError, match="found 16,000,001 bytes, expected at most 16,000,000"):
        read_regular(world / "long.txt", DOCUMENT_BYTES)


def test_what_the_system_refuses_has_advice(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied", "here.txt")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(PermissionError) as caught:
        read_regular(world / "here.txt")
    assert (code_for(caught.value), hint_for(caught.value)[:5]) == ("file-unreadable", "give ")
