"""Standard streams that are full, closed, unread, or lack a character.

Characters outside of the encoding get the nearest equivalent: with ``PYTHONIOENCODING=ascii``, ``»Büro« …`` reads
``"Buero" ...``.
"""

from __future__ import annotations

import codecs
import os
import sys
import unicodedata
from errno import EPIPE
from io import BufferedReader, BufferedWriter, FileIO, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

NAME = "gm.nearest"
WRITTEN_OUT = "ä=ae ö=oe ü=ue Ä=Ae Ö=Oe Ü=Ue ß=ss ẞ=SS æ=ae ø=oe …=... →=-> ←=<- €=EUR §=S."
NEAREST = {
    **{written[0]: written[2:] for written in WRITTEN_OUT.split()},
    **dict.fromkeys("»«„“”", '"'),
    **dict.fromkeys("›‹‚‘’", "'"),
    **dict.fromkeys("–—‑−·─", "-"),
    **dict(zip("•×≠✓★↕⇣⇡█│", "*x!v*|v^#|", strict=True)),
    **dict(zip("▁▂▃▄▅▆▇", "_.-~=+*", strict=True)),
}


class OutputError(Exception):
    """Standard output takes nothing any more.

    No ``OSError``, so that it is not taken for an error of a file.

    Attributes:
        is_unread: Its reader has ended, as in ``gm log | head``.
        reason: What the operating system says.
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror)
        self.is_unread = error.errno == EPIPE
        self.reason = error.strerror or "it cannot be written"


class _DescriptorFile(FileIO):
    """Writes to a file descriptor until that fails, and drops the rest.

    Args:
        raises: Whether the first failure is raised; not for standard error.
    """

    def __init__(self, number: int, *, raises: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._raises = raises
        self._failed = False

    def write(self, data: ReadableBuffer, /) -> int:
        if not self._failed:
            try:
                return super().write(data)
            except OSError as error:
                self._failed = True
                if self._raises:
                    raise OutputError(error) from error
        return memoryview(data).nbytes


def guard_streams() -> None:
    """Redirect closed standard streams to the null device, and report a full one once.

    Raises:
        OSError: There is no null device.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # the lowest free number; otherwise the next file that is opened would get it, and what is printed
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    if sys.stdin is None:
        sys.stdin = TextIOWrapper(BufferedReader(FileIO(0, "r", closefd=False)), "utf-8")
    if sys.stdout is sys.__stdout__:
        sys.stdout = _open_stream(1, sys.stdout, raises=True)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _open_stream(2, sys.stderr, raises=False)


def _open_stream(number: int, old: TextIO | None, *, raises: bool) -> TextIO:
    encoding, errors = (old.encoding, old.errors) if old is not None else ("utf-8", "strict")
    buffer = BufferedWriter(_DescriptorFile(number, raises=raises))
    return TextIOWrapper(buffer, encoding, errors, line_buffering=not raises or os.isatty(number))


def tolerate(*streams: TextIO | None) -> None:
    """Replace characters that a stream's encoding lacks by the nearest ones."""
    codecs.register_error(NAME, _replace_unencodable)
    for stream in streams:
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=NAME)


def _replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(map(_nearest_ascii, error.object[error.start : error.end])), error.end


def _nearest_ascii(character: str) -> str:
    if character in NEAREST:
        return NEAREST[character]
    if unicodedata.combining(character):
        return ""
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
