"""Open files of a world, which is untrusted input. All code that opens one does it here.

A FIFO, socket or device could block or feed a command without end; a link out of the world could bring any file of
this machine into a prompt or onto a page.
"""

from __future__ import annotations

import errno
import os
import stat

StrPath = str | os.PathLike[str]

DOCUMENT_BYTES = 16_000_000
"""Maximum size of a document: settings, a persona, a template, a JSON file."""
LINES_BYTES = 4_000_000_000
"""Maximum size of a file read as lines or bytes: a stream, an artifact in the gallery."""

_KINDS = (
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_HINTS = {
    errno.EACCES: "give yourself the right to read it: chmod u+r",
    errno.EPERM: "give yourself the right to read it: chmod u+r",
    errno.ENOTDIR: "a file lies where a folder is expected: move it away",
    errno.ENAMETOOLONG: "give it a shorter name",
    errno.ELOOP: "remove the link, or let it lead to a file of the world",
}
_enclosed: set[str] = set()


class RefusedFileError(OSError):
    """A file is not opened; ``code`` and ``hint`` are those of a ``Problem``."""

    def __init__(self, number: int, message: str, path: StrPath, code: str, hint: str) -> None:
        super().__init__(number, message, os.fspath(path))
        self.code = code
        self.hint = hint


def enclose(root: StrPath) -> None:
    """Declare a folder a world: paths in it that resolve to a place outside are refused."""
    if (folder := os.fspath(root)) not in ("", "."):
        _enclosed.add(folder)


def open_regular(path: StrPath, flags: int = os.O_RDONLY, mode: int = 0o666) -> int:
    """Open a regular file without blocking; return its descriptor.

    Args:
        mode: Permissions of a new file.

    Raises:
        FileNotFoundError: The file is absent and not to be created.
        OSError: It cannot be opened, is not a regular file, or a link is broken or leads out of the world.
    """
    refuse_other(path)
    # the file may have been replaced since the check: a FIFO must not block even then
    handle = os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY, mode)
    try:
        _refuse_kind(path, os.fstat(handle).st_mode)
    except OSError:
        os.close(handle)
        raise
    return handle


def read_regular(path: StrPath, most: int = LINES_BYTES) -> bytes:
    """Read a whole regular file.

    Raises:
        OSError: As ``open_regular``; or it has more than ``most`` bytes.
    """
    with open(path, "rb", buffering=0, opener=open_regular) as file:
        refuse_longer(path, os.fstat(file.fileno()).st_size, most)
        return file.readall()


def refuse_longer(path: StrPath, size: int, most: int = LINES_BYTES) -> None:
    """Refuse a file of more than ``most`` bytes.

    Raises:
        RefusedFileError: It has more.
    """
    if size > most:
        message = f"found {size:,} bytes, expected at most {most:,}"
        hint = "no file of this kind gets that long: move it away, or shorten it"
        raise RefusedFileError(errno.EFBIG, message, path, "file-size", hint)


def refuse_other(path: StrPath) -> None:
    """Refuse anything but an absent or regular file of the world.

    Raises:
        RefusedFileError: It is something else.
        OSError: It cannot be examined.
    """
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if os.path.islink(path):
            message = f"a link that leads nowhere: {os.readlink(path)}"
            hint = "restore the file it leads to, or remove the link"
            raise RefusedFileError(errno.ELOOP, message, path, "link-broken", hint) from None
    else:
        _refuse_kind(path, mode)
    refuse_outside(path)


def refuse_outside(path: StrPath) -> None:
    """Refuse a path that leads out of its world, whether or not it exists.

    Raises:
        RefusedFileError: It does.
    """
    if (target := leads_out(path)) is not None:
        message = f"a link leads out of the world, to {target}"
        hint = "put a copy into the world instead; links inside a world are fine"
        raise RefusedFileError(errno.EXDEV, message, path, "link-outside", hint)


def leads_out(path: StrPath) -> str | None:
    """Return the resolved path if it leads out of its world, else None."""
    text = os.fspath(path)
    root, may_lead = os.path.dirname(text), os.path.islink(text) or os.pardir in text
    while root not in _enclosed:
        may_lead = may_lead or os.path.islink(root)
        above = os.path.dirname(root)
        if above == root:
            return None  # not a file of a world
        root = above
    if not may_lead:
        return None
    real, inside = os.path.realpath(text), os.path.realpath(root)
    return None if real == inside or real.startswith(inside.rstrip(os.sep) + os.sep) else real


def hint_for(error: OSError) -> str:
    """Return how to fix an unopenable file; empty when unknown."""
    return error.hint if isinstance(error, RefusedFileError) else _HINTS.get(error.errno or 0, "")


def code_for(error: OSError) -> str:
    """Return the problem code for an unopenable file."""
    return error.code if isinstance(error, RefusedFileError) else "file-unreadable"


def _refuse_kind(path: StrPath, mode: int) -> None:
    if stat.S_ISREG(mode):
        return
    if stat.S_ISDIR(mode):
        message, hint = "found a folder, expected a file", "move the folder away"
        raise RefusedFileError(errno.EISDIR, message, path, "file-kind", hint)
    kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "something else")
    raise RefusedFileError(errno.EINVAL, f"found {kind}, expected a regular file", path, "file-kind", "remove it")
