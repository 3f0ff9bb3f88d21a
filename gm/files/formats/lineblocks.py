"""The lines of a long file, read in blocks that are not kept, and read again where one of them is asked for."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from gm.base.errors import GmError
from gm.files.formats.look import look_of
from gm.files.formats.text import BOM, read_blocks, read_slice


class ChangedFileError(GmError):
    """A file was changed while it was read."""


class LineBlocks:
    """The lines of a file, as blocks of whole lines; keeps where each block begins, and the lines of one block.

    Attributes:
        has_mark: Whether the file begins with a byte order mark.
    """

    def __init__(self, path: Path, shown: str) -> None:
        self._path, self._shown = path, shown
        self._look = look_of(path)
        self._starts = array("Q", [0])
        self._before = array("Q", [0])
        self.has_mark = False
        self._only = ""
        self._block = -1
        self._lines: list[str] = []

    def read(self) -> Iterator[tuple[int, str]]:
        """Yield the text of each block, without a byte order mark, and the number of lines before it. Call it once.

        Raises:
            OSError: It cannot be read.
            UnicodeDecodeError: A block is not UTF-8.
        """
        for data in whole_lines(read_blocks(self._path)):
            text = data.decode("utf-8")
            before = self._before[-1]
            if len(self._starts) == 1 and text.startswith(BOM):
                self.has_mark, text = True, text.removeprefix(BOM)
            yield before, text
            self._starts.append(self._starts[-1] + len(data))
            self._before.append(before + data.count(b"\n"))
            # the text of a short file is kept, so that an edit in the meantime does not matter
            self._only = text if len(self._starts) == 2 else ""

    @property
    def count(self) -> int:
        """Number of lines in the blocks that were read."""
        return self._before[-1]

    def line(self, number: int) -> str:
        """Return a line by number, from 1, without its line feed.

        Raises:
            ChangedFileError: The file is not as it was.
        """
        block = bisect_right(self._before, number - 1, hi=len(self._before) - 1) - 1
        if block != self._block:
            self._block, self._lines = block, (self._only or self._read_again(block)).split("\n")
        return self._lines[number - 1 - self._before[block]]

    def _read_again(self, block: int) -> str:
        start, end = self._starts[block : block + 2]
        data = read_slice(self._path, start, end - start)
        if look_of(self._path) != self._look:
            raise ChangedFileError(f"{self._shown} was changed while it was read", "run the same command again")
        text = data.decode("utf-8")
        return text if block else text.removeprefix(BOM)


def whole_lines(blocks: Iterator[bytes]) -> Iterator[bytes]:
    """Cut blocks behind line feeds; what follows the last one stays in its block."""
    ready, rest = b"", [b""]
    for data in blocks:
        end = data.rfind(b"\n") + 1
        if not end:
            rest.append(data)
            continue
        if ready:
            yield ready
        ready, rest = b"".join((*rest, data[:end])), [data[end:]]
    if last := b"".join((ready, *rest)):
        yield last
