"""The few ways in which gm writes to the disk. Nothing else in gm opens a file of the world for writing.

Three kinds of promise, from cheap to dear: ``append`` and ``replace`` survive the death of the process;
``append_synced`` and ``replace_synced`` survive the loss of power as well; ``sync`` makes up for it later, for many
files at once. Paths may be plain texts, which cost a fraction of a ``Path``: a commit names some thirty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from gm.base.errors import GmError
from gm.base.regular import open_regular, read_regular, refuse_outside

StrPath = str | os.PathLike[str]
Look = tuple[int, int, int]
"""Inode, time of the last change in nanoseconds, and size in bytes: a file with another look was written since."""


@contextmanager
def explained(where: StrPath) -> Iterator[None]:
    """Turn what the operating system refuses into a message for people.

    Raises:
        GmError: Instead of any OSError.
    """
    try:
        yield
    except OSError as error:
        raise GmError(
            f"cannot write {error.filename or where}: {error.strerror}",
            "nothing is lost: put it right and run the same command again, it goes on from here",
        ) from error


def read(path: StrPath) -> bytes | None:
    """Read a whole file; None when there is none."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None


def append(path: StrPath, data: bytes) -> None:
    """Add to the end of a file, wherever that is now; the file is made when it is absent."""
    with open(path, "ab", 0, opener=open_regular) as file:
        _write(file, data)


def append_synced(path: StrPath, data: bytes) -> None:
    """Add to the end of a file and return when it is on the disk."""
    is_new = not os.path.exists(path)
    with open(path, "ab", 0, opener=open_regular) as file:
        _write(file, data)
        os.fdatasync(file.fileno())
    if is_new:
        sync_folder(os.path.dirname(path) or ".")


def replace(path: StrPath, data: bytes, *, unless: Callable[[], bool] | None = None) -> bool:
    """Put a whole file in the place of another in one move: a reader sees the old or the new one.

    Args:
        path: The file.
        data: Its new content.
        unless: Asked immediately before the move; where it says yes, the file stays as it is.

    Returns:
        Whether the file was replaced.
    """
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name}.gm-new")
    mode = mode_of(path)
    with open(beside, "wb", 0, opener=_open_own) as file:
        _write(file, data)
    if mode is not None:
        os.chmod(beside, mode)
    if unless is not None and unless():
        remove(beside)
        return False
    os.replace(beside, path)
    return True


def mode_of(path: StrPath) -> int | None:
    """Return who may read, write and run a file; None when there is none."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return None


def look_of(path: StrPath) -> Look | None:
    """Return how a file looks, without reading it; None when there is none."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def size_of(path: StrPath) -> int:
    """Return how many bytes a file has; 0 when there is none."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def reserve(path: Path, size: int) -> None:
    """Take room for a file that ``replace_synced`` will write, so that a full disk is noticed before and not after."""
    with open(_unfinished(path), "wb", opener=_open_own) as file:
        if size and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)


def release(path: Path) -> None:
    """Release the room that was reserved for a file."""
    with suppress(OSError):
        _unfinished(path).unlink(missing_ok=True)


def replace_synced(path: Path, data: bytes) -> None:
    """Like ``replace``, and return when it is on the disk. Uses the room that was reserved."""
    beside = _unfinished(path)
    reserved = beside.is_file() and not beside.is_symlink()
    with open(beside, "r+b" if reserved else "wb", opener=None if reserved else _open_own) as file:
        file.write(data)
        file.truncate()
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def rename(path: Path, target: Path) -> None:
    """Rename a file."""
    os.replace(path, target)


def remove(path: StrPath) -> None:
    """Take a file away; one that is not there is fine."""
    with suppress(FileNotFoundError):
        os.unlink(path)


def set_mode(path: Path, mode: int) -> None:
    """Say who may read, write and run a file."""
    os.chmod(path, mode)


def truncate(path: Path, size: int) -> None:
    """Cut a file to a size."""
    os.truncate(path, size)


def make_folder(path: StrPath) -> None:
    """Make a folder and those above it; one that exists is fine."""
    if not os.path.isdir(path):
        refuse_outside(path)
        Path(path).mkdir(parents=True, exist_ok=True)


def remove_folder(path: Path) -> None:
    """Take a folder away with all that is in it; one that is not there is fine."""
    if path.is_dir():
        from shutil import rmtree  # brings half a dozen packers with it, and hardly any command takes a folder away

        rmtree(path)


def sync(paths: Iterable[StrPath]) -> None:
    """Bring files, and the folders that name them, to the disk. Files that are gone are passed over."""
    folders = set()
    for path in paths:
        try:
            handle = open_regular(path)
        except FileNotFoundError:
            continue
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        folders.add(os.path.dirname(path) or ".")
    for folder in folders:
        sync_folder(folder)


def sync_folder(folder: StrPath) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _open_own(path: str, flags: int) -> int:
    """Open a file that is going to be moved: a new one, never what lies there, which may be a link to another place."""
    refuse_outside(os.path.dirname(path))
    try:
        return os.open(path, flags | os.O_EXCL, 0o666)
    except FileExistsError:
        os.unlink(path)
        return os.open(path, flags | os.O_EXCL, 0o666)


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def _write(file: FileIO, data: bytes) -> None:
    """Write all of it: a file without a buffer may take a part."""
    while data:
        data = data[file.write(data) :]
