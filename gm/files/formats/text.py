"""Read text files that people edit and report exactly where they are broken; SHA-256 digests of data and of files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from errno import ENOENT
from os import strerror
from pathlib import Path
from typing import NamedTuple

from gm.base.errors import Problem, say
from gm.base.regular import (
    DOCUMENT_BYTES,
    LINES_BYTES,
    code_for,
    hint_for,
    leads_out,
    open_regular,
    read_regular,
    refuse_longer,
)
from gm.base.texts import CONFLICT, CONFLICT_HINT, find_conflict


def sha256(data: bytes) -> str:
    """Return the hexadecimal SHA-256 digest."""
    import hashlib  # slow, and most commands compare nothing

    return hashlib.sha256(data).hexdigest()


def digest_of_files(digests: Mapping[str, str]) -> str:
    """Return the digest of files by path, in their order, from the digest of each."""
    return sha256("".join(f"{path}\0{digest}\n" for path, digest in digests.items()).encode())


BOM = "\ufeff"
BLOCK = 1 << 20
"""Bytes that ``read_blocks`` reads at once."""
PROSE = (".md", ".j2")
_DATA = (".json", ".yaml", ".yml")
_overlay: ContextVar[Mapping[Path, bytes | None] | None] = ContextVar("overlay", default=None)
"""Set by ``overlaid`` alone, for its block and thread."""


@contextmanager
def overlaid(contents: Mapping[Path, bytes | None]) -> Iterator[None]:
    """Within this block, read files as if they had the given content; None = absent."""
    token = _overlay.set({**(_overlay.get() or {}), **contents})
    try:
        yield
    finally:
        _overlay.reset(token)


def read_data(path: Path, most: int = LINES_BYTES) -> bytes:
    """Read a file or its overlay.

    Args:
        most: Limit in bytes for files that are not JSON lines.

    Raises:
        OSError: It cannot be read.
    """
    over = _overlay.get()
    if not over or path not in over:
        return read_regular(path, LINES_BYTES if path.suffix == ".jsonl" else most)
    data = over[path]
    if data is None:
        raise FileNotFoundError(ENOENT, strerror(ENOENT), str(path))
    return data


def read_readable(path: Path) -> bytes:
    """Read a file or its overlay; empty if absent or unreadable."""
    try:
        return read_data(path)
    except OSError:
        return b""


def read_blocks(path: Path, start: int = 0) -> Iterator[bytes]:
    """Yield what ``read_data`` returns from an offset on, without holding it all.

    Raises:
        OSError: It cannot be read.
    """
    if path in (_overlay.get() or {}):
        yield read_data(path)[start:]
        return
    with open(path, "rb", buffering=0, opener=open_regular) as file:
        refuse_longer(path, os.fstat(file.fileno()).st_size)
        file.seek(start)
        while data := file.read(BLOCK):
            yield data


def read_slice(path: Path, start: int, size: int) -> bytes:
    """Read up to ``size`` bytes from an offset; empty if the file is absent or unreadable."""
    try:
        if is_overlaid(path):
            return read_data(path)[start : start + size]
        with open(path, "rb", opener=open_regular) as file:
            file.seek(start)
            return file.read(size)
    except OSError:
        return b""


def is_overlaid(path: Path) -> bool:
    """Return whether the content of a file comes from an overlay."""
    return (_overlay.get() or {}).get(path) is not None


def is_there(path: Path) -> bool:
    """Return whether a path exists, dangling links included."""
    over = _overlay.get()
    return over[path] is not None if over and path in over else os.path.lexists(path)


def list_folder(folder: Path) -> list[Path]:
    """Return the visible files of a folder, overlaid ones included; empty if absent, or linked out of the world."""
    found = set(folder.iterdir()) if folder.is_dir() and leads_out(folder) is None else set()
    for path, data in (_overlay.get() or {}).items():
        if path.parent == folder:
            (found.discard if data is None else found.add)(path)
    return [path for path in found if not path.name.startswith(".")]


def files_below(folder: Path, left_out: Collection[Path] = ()) -> Iterator[Path]:
    """Yield the visible files below a folder in a fixed order."""
    for path in sorted(list_folder(folder)):
        if path.is_dir():
            if path not in left_out and not path.is_symlink():
                yield from files_below(path, left_out)
        else:
            yield path


class Text(NamedTuple):
    """The text of a file, byte order mark included; empty if absent."""

    content: str
    exists: bool = True

    @property
    def body(self) -> str:
        """The text without its byte order mark."""
        return self.content.removeprefix(BOM)

    @property
    def is_blank(self) -> bool:
        """Whether the file exists and is blank."""
        return self.exists and not self.body.strip()


def read_text(path: Path, shown: str) -> tuple[Text, list[Problem]]:
    """Read a file as UTF-8; absent = empty without a problem."""
    try:
        data = read_data(path, DOCUMENT_BYTES)
    except FileNotFoundError:
        return Text("", exists=False), []
    except OSError as error:
        return Text("", exists=False), [unreadable(error, shown)]
    try:
        text = Text(data.decode("utf-8"))
        if path.suffix in _DATA:
            return text, report_conflict(text.body, shown)
        return text, _null_bytes(text.body, shown) if path.suffix in PROSE else []
    except UnicodeDecodeError as error:
        # YAML has more line ends
        return Text("", exists=True), [undecodable(error, shown, is_yaml=path.suffix in (".yaml", ".yml", ".md"))]


def _null_bytes(body: str, shown: str) -> list[Problem]:
    """Plain text only: the parsers of other formats report null bytes themselves."""
    if (at := body.find("\0")) < 0:
        return []
    message = "a null byte found: this is not text"
    return [
        Problem(shown, *locate_offset(body, at), "error", "null-byte", message, "take it out, or move the file away")
    ]


def report_conflict(body: str, shown: str) -> list[Problem]:
    """Return a problem for a file in which git has left both versions of a merge."""
    line = find_conflict(body)
    return [Problem(shown, line, 1, "error", "merge-conflict", CONFLICT, CONFLICT_HINT)] if line else []


def unreadable(error: OSError, shown: str) -> Problem:
    """Return the problem for an existing file that cannot be read."""
    return Problem(shown, 0, 0, "error", code_for(error), f"cannot be read: {error.strerror}", hint_for(error))


def report_empty_file(shown: str) -> Problem:
    """Return the problem for an empty file that gm never writes empty."""
    hint = "restore its content (git checkout, gm rewind); or delete the file to begin anew"
    return Problem(shown, 0, 0, "error", "file-empty", "the file is empty", hint)


def undecodable(error: UnicodeDecodeError, shown: str, *, is_yaml: bool = False) -> Problem:
    """Return the problem, with its place, for a file that is not UTF-8."""
    from gm.base.yamlwords import LINE_ENDS  # most files have no mistake

    before = error.object[: error.start].decode("utf-8", "replace")
    lines = LINE_ENDS.split(before) if is_yaml else before.split("\n")
    message = say("byte 0x{byte} is not UTF-8", f"{error.object[error.start]:02x}")
    line, column = len(lines), len(lines[-1]) + 1
    return Problem(shown, line, column, "error", "not-utf8", message, "save the file as UTF-8")


def locate_offset(text: str, offset: int) -> tuple[int, int]:
    """Return line and column, both from 1, of an offset."""
    line = text.count("\n", 0, offset) + 1
    return line, offset - (text.rfind("\n", 0, offset) + 1) + 1
