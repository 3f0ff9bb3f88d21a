"""Low-level writes; no other module writes to a file of a world, except to locks and derived indexes.

``append`` and ``replace`` survive the death of the process; the synced variants, or a later ``sync``, a power failure.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from threading import RLock
from types import EllipsisType
from typing import Any

from gm.base.errors import GmError
from gm.base.regular import RefusedFileError, StrPath, open_regular, read_regular, refuse_outside
from gm.base.untyped import object_in

FileStamp = tuple[int, int, int]
"""Inode, mtime in ns, size in bytes; a different stamp means that the file was written since."""
IGNORE = (
    "# Nothing in this folder is a part of the world. Delete this file to keep the folder in git all the same.\n*\n"
)
SYNCED_AT_ONCE = 16
"""Files that are synced at the same time."""
_ONE_AT_A_TIME = RLock()


@contextmanager
def explained(where: StrPath) -> Iterator[None]:
    """Convert OSErrors to readable GmErrors; the hint of a refused file stays, as it says what to put right."""
    try:
        yield
    except OSError as error:
        remedy = error.hint if isinstance(error, RefusedFileError) else "put it right"
        raise GmError(
            f"cannot write {error.filename or where}: {error.strerror}",
            f"nothing is lost: {remedy}; then run the same command again, it goes on from here",
        ) from error


def read_or_none(path: StrPath) -> bytes | None:
    """Read a file; None if absent."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        return None


def read_note(path: StrPath) -> dict[str, Any]:
    """Read a JSON object that gm keeps for itself; empty if absent, damaged, or below a file."""
    try:
        return object_in(read_or_none(path) or b"")
    except NotADirectoryError:
        return {}


def write_private(folder: Path, path: Path, data: bytes) -> None:
    """Write a file in a folder that gm keeps for itself, atomically and synced; both are made.

    Raises:
        GmError: Writing failed.
    """
    with explained(path):
        make_private(folder)
        make_folder_synced(path.parent)
        replace_synced(path, data)


def append(path: StrPath, data: bytes) -> None:
    """Append to a file; create it if absent."""
    with open(path, "ab", 0, opener=open_regular) as file:
        _write_all(file, data)


def append_synced(path: StrPath, data: bytes) -> None:
    """Append and sync, including the folder entry of a file that was absent or empty: a lock makes it unsynced."""
    is_new = not size_of(path)
    with open(path, "ab", 0, opener=open_regular) as file:
        _write_all(file, data)
        os.fdatasync(file.fileno())
    if is_new:
        sync_folder(os.path.dirname(path) or ".")


def replace(path: StrPath, data: bytes, *, seen: FileStamp | EllipsisType | None = ...) -> bool:
    """Replace a file atomically, keeping its mode; return whether it was replaced.

    Args:
        seen: A file that has another stamp immediately before the rename stays.
    """
    folder, name = os.path.split(path)
    beside = os.path.join(folder, f".{name}.gm-new")
    mode = mode_of(path)
    with open(beside, "wb", 0, opener=_open_own) as file:
        _write_all(file, data)
    if mode is not None:
        os.chmod(beside, mode)
    if seen is not ... and stamp_of(path) != seen:
        remove(beside)
        return False
    os.replace(beside, path)
    return True


def mode_of(path: StrPath) -> int | None:
    """Return the permission bits; None if absent."""
    try:
        return os.stat(path).st_mode & 0o7777
    except FileNotFoundError:
        return None


def stamp_of(path: StrPath) -> FileStamp | None:
    """Return the stamp of a file; None if absent."""
    try:
        status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size


def size_of(path: StrPath) -> int:
    """Return the size in bytes; 0 if absent."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def reserve(path: Path, size: int) -> None:
    """Allocate space for a later ``replace_synced``."""
    with open(_unfinished_path(path), "wb", 0, opener=_open_own) as file:
        if size and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(file.fileno(), 0, size)


def release(path: Path) -> None:
    """Release the space that ``reserve`` allocated."""
    with suppress(OSError):
        _unfinished_path(path).unlink(missing_ok=True)


def replace_synced(path: Path, data: bytes) -> None:
    """Replace a file atomically and sync it, including its folder entry."""
    beside = _unfinished_path(path)
    reserved = _is_own_file(beside)
    with open(beside, "r+b" if reserved else "wb", 0, opener=None if reserved else _open_own) as file:
        _write_all(file, data)
        file.truncate(len(data))
        os.fsync(file.fileno())
    os.replace(beside, path)
    sync_folder(path.parent)


def write_file(path: Path, data: bytes) -> None:
    """Write a file and its folder, atomically and synced.

    Raises:
        GmError: Writing failed.
    """
    with explained(path):
        make_folder_synced(path.parent)
        replace_synced(path, data)


def rename(path: Path, target: Path) -> None:
    """Rename a file, replacing the target."""
    os.replace(path, target)


def remove(path: StrPath, *, seen: FileStamp | EllipsisType | None = ...) -> bool:
    """Remove a file, absent is fine; return whether it is gone.

    Args:
        seen: A file that has another stamp immediately before stays.
    """
    if seen is not ... and stamp_of(path) != seen:
        return False
    with suppress(FileNotFoundError):
        os.unlink(path)
    return True


def set_mode(path: Path, mode: int) -> None:
    """Set the permission bits."""
    os.chmod(path, mode)


def truncate(path: Path, size: int) -> None:
    """Cut a file to ``size`` bytes."""
    os.truncate(path, size)


def make_folder(path: StrPath) -> None:
    """Create a folder and its parents; existing is fine."""
    if not os.path.isdir(path):
        refuse_outside(path)
        Path(path).mkdir(parents=True, exist_ok=True)


def make_folder_synced(path: StrPath) -> None:
    """Create a folder and its parents, and sync their entries; existing is fine."""
    folder = Path(path)
    with _ONE_AT_A_TIME:  # a thread that finds a folder may rely on it
        missing = [one for one in (folder, *folder.parents) if not one.is_dir()]
        make_folder(folder)
        for made in missing:
            sync_folder(made.parent)


def make_private(folder: Path) -> None:
    """Create a folder with a ``.gitignore``, atomically and synced. An existing folder stays as the user has it."""
    with _ONE_AT_A_TIME:
        if folder.is_dir():
            return
        beside = folder.with_name(f".{folder.name}.new")
        make_folder_synced(beside)
        replace_synced(beside / ".gitignore", IGNORE.encode())
        rename(beside, folder)
        sync_folder(folder.parent)


def remove_folder(path: Path) -> None:
    """Remove a folder and its content; absent is fine."""
    if path.is_dir():
        from shutil import rmtree  # slow to import and rarely needed

        rmtree(path)


def sync(paths: Iterable[StrPath]) -> None:
    """Sync files and their folder entries, several at the same time; absent files are skipped."""
    from concurrent.futures import ThreadPoolExecutor  # slow to import and rarely needed

    # a disk writes many files at once in little more time than one
    with ThreadPoolExecutor(SYNCED_AT_ONCE) as pool:
        folders = {folder for folder in pool.map(_sync_file, paths) if folder}
        for _ in pool.map(sync_folder, folders):
            pass


def _sync_file(path: StrPath) -> str:
    # Returns the folder; empty if the file is absent.
    try:
        handle = open_regular(path)
    except FileNotFoundError:
        return ""
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
    return os.path.dirname(os.fspath(path)) or "."


def sync_folder(folder: StrPath) -> None:
    """Sync the entries of a folder."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _open_own(path: str, flags: int) -> int:
    """Always create a new file: an existing one may be a link to another place."""
    refuse_outside(os.path.dirname(path))
    try:
        return os.open(path, flags | os.O_EXCL, 0o666)
    except FileExistsError:
        os.unlink(path)
        return os.open(path, flags | os.O_EXCL, 0o666)


def _is_own_file(path: Path) -> bool:
    """Return whether a path is a file and no link."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except FileNotFoundError:
        return False


def _unfinished_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.new")


def _write_all(file: FileIO, data: bytes) -> None:
    """Write all of ``data``: an unbuffered file may accept only a part."""
    while data:
        data = data[file.write(data) :]
