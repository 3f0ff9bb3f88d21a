"""The index of one agent on disk: a folder that can be deleted at any time.

``index.json`` names the model, the dimensions and two files: ``vectors-1.f32`` (rows of float32) and ``rows-1.txt``, a
line for each row: checksum, hash of the text, id of the memory. Rows are only appended, the vector before its line, so
that readers see a consistent prefix. A fixed modification time of both files proves that only gm has written to them;
without it, vectors are compared with their checksums.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from mmap import ACCESS_READ, mmap
from pathlib import Path
from zlib import crc32

from gm.base.regular import DOCUMENT_BYTES, open_regular, read_regular
from gm.base.texts import is_digits
from gm.llm.vectors.texts import Recipe

FORMAT = 1
HEADER = "index.json"
OWN_FILES = ("vectors-", "rows-", "near-")
"""Prefixes of gm's files; ``near-`` are those of earlier versions, which are removed."""
STAMP_NS = 1_000_000_000 * 10**9
FLOAT = 4
"""Bytes of a number of a vector."""
CHECKSUM = 9  # eight digits and a space


@dataclass(frozen=True, slots=True)
class Header:
    """The content of ``index.json``."""

    model: str
    dimensions: int
    generation: int

    @property
    def vectors(self) -> str:
        return f"vectors-{self.generation}.f32"

    @property
    def lines(self) -> str:
        return f"rows-{self.generation}.txt"

    @property
    def row_bytes(self) -> int:
        return FLOAT * self.dimensions

    def fits(self, recipe: Recipe) -> bool:
        """Return whether the rows were made by this recipe."""
        return (self.model, self.dimensions) == (recipe.model, recipe.dimensions)


@dataclass(frozen=True)
class Shelf:
    """Memory-mapped vectors, and the key of each row.

    Attributes:
        text: The lines of at least ``count`` rows; split at first use.
        broken: Numbers of the damaged rows.
    """

    folder: Path
    header: Header
    text: bytes
    count: int
    data: memoryview
    broken: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return self.count

    @cached_property
    def lines(self) -> Sequence[bytes]:
        return self.text.split(b"\n")[: self.count]

    @property
    def keys(self) -> list[bytes]:
        """By row (``Recipe.key``); empty for a damaged one."""
        keys = [line[CHECKSUM:] for line in self.lines]
        for row in self.broken:
            keys[row] = b""
        return keys

    def row(self, number: int) -> memoryview:
        """Return a vector as bytes; rows count from 0."""
        size = self.header.row_bytes
        return self.data[number * size : (number + 1) * size]


def read_header(folder: Path) -> Header | None:
    """Read ``index.json``; None when missing or unreadable."""
    try:
        said = json.loads(read_regular(folder / HEADER, DOCUMENT_BYTES))
        if said["format"] != FORMAT or said["byteorder"] != sys.byteorder:
            return None
        header = Header(said["model"], said["dimensions"], said["generation"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    whole = all(type(value) is int and value > 0 for value in (header.dimensions, header.generation))
    return header if whole and isinstance(header.model, str) else None


def read_shelf(folder: Path) -> Shelf | None:
    """Map an agent's vectors; None without a readable index.

    Raises:
        OSError: A file exists and cannot be read.
    """
    for _ in range(2):
        header = read_header(folder)
        if header is None:
            return None
        try:
            return _map(folder, header)
        except FileNotFoundError:
            continue  # a writer has just replaced these files
    return None


def _map(folder: Path, header: Header) -> Shelf:
    # lines first: a concurrent writer has written the vector of each line that is seen here
    with open(folder / header.lines, "rb", opener=open_regular) as file:
        text = file.read()
        untouched = os.fstat(file.fileno()).st_mtime_ns == STAMP_NS
    with open(folder / header.vectors, "rb", opener=open_regular) as file:
        about = os.fstat(file.fileno())
        ends = text.count(b"\n")
        count = min(ends, about.st_size // header.row_bytes)
        mapped = mmap(file.fileno(), count * header.row_bytes, access=ACCESS_READ) if count else b""
    data = memoryview(mapped)
    if untouched and about.st_mtime_ns == STAMP_NS and ends == count:
        suspects = {0: _line_before(text, text.find(b"\n")), count - 1: _line_before(text, text.rfind(b"\n"))}
        suspects = suspects if count else {}
    else:
        suspects = dict(enumerate(text.split(b"\n")[:count]))
    broken = frozenset(row for row, line in suspects.items() if not _is_whole(line, data, row, header.row_bytes))
    return Shelf(folder, header, text, count, data, broken)


def _line_before(text: bytes, end: int) -> bytes:
    return text[text.rfind(b"\n", 0, max(0, end)) + 1 : max(0, end)]


def _is_whole(line: bytes, data: memoryview, row: int, size: int) -> bool:
    return line[:CHECKSUM] == _checksum(line[CHECKSUM:], data[row * size : (row + 1) * size])


def _checksum(key: bytes, row: bytes | memoryview) -> bytes:
    return b"%08x " % crc32(row, crc32(key))


class ShelfWriter:
    """Appends rows. The caller holds the index lock.

    An index of another recipe is replaced by an empty one; with ``anew`` any index.
    """

    def __init__(self, folder: Path, recipe: Recipe, *, anew: bool = False) -> None:
        self.folder = folder
        self.recipe = recipe
        shelf = None if anew else read_shelf(folder)
        if shelf is None or not shelf.header.fits(recipe):
            shelf = self._replace({})
        elif shelf.broken:
            shelf = self._replace(_find_kept(shelf, shelf.keys))
        else:
            _cut(folder, shelf)
            _tidy(folder, shelf.header)
        self.shelf = shelf

    def append(self, rows: Mapping[bytes, array[float]]) -> None:
        """Append rows by key; returns once they are on the disk."""
        if not rows:
            return
        data = [vector.tobytes() for vector in rows.values()]
        header = self.shelf.header
        _add(self.folder / header.vectors, b"".join(data))
        _add(self.folder / header.lines, _lines(rows, data), sync=False)

    def reread(self) -> Shelf:
        """Map the files anew, with the rows appended since."""
        self.shelf = read_shelf(self.folder) or self.shelf
        return self.shelf

    def keep(self, keys: Iterable[bytes]) -> None:
        """Replace the index by one with these keys alone, in this order; unknown ones are left out."""
        shelf = self.reread()
        known = _find_kept(shelf, shelf.keys)
        self.shelf = self._replace({key: known[key] for key in keys if key in known})

    def _replace(self, rows: Mapping[bytes, memoryview]) -> Shelf:
        # Readers see the old pair of files or the new one: the header is replaced last.
        self.folder.mkdir(parents=True, exist_ok=True)
        header = Header(self.recipe.model, self.recipe.dimensions, _next_generation(self.folder))
        _write_parts(self.folder / header.vectors, rows.values())
        _write_parts(self.folder / header.lines, [_lines(rows, list(rows.values()))])
        said = {"format": FORMAT, **asdict(header), "byteorder": sys.byteorder}
        beside = self.folder / f".{HEADER}.new"
        _write_parts(beside, [json.dumps(said).encode()])
        os.replace(beside, self.folder / HEADER)
        _tidy(self.folder, header)
        return _map(self.folder, header)


def _find_kept(shelf: Shelf, keys: Sequence[bytes]) -> dict[bytes, memoryview]:
    wanted = {key for key in keys if key}
    return {key: shelf.row(row) for row, key in enumerate(shelf.keys) if key in wanted}


def _lines(keys: Iterable[bytes], data: Sequence[bytes | memoryview]) -> bytes:
    return b"".join(_checksum(key, row) + key + b"\n" for key, row in zip(keys, data, strict=True))


def _tidy(folder: Path, header: Header) -> None:
    for path in folder.iterdir():
        if path.name.lstrip(".").startswith(OWN_FILES) and path.name not in (header.vectors, header.lines):
            path.unlink()


def _cut(folder: Path, shelf: Shelf) -> None:
    # Remove what a killed writer left: vectors without a line, an incomplete line.
    header, count = shelf.header, len(shelf)
    _cut_to(folder / header.vectors, count * header.row_bytes)
    data = read_regular(folder / header.lines)
    _cut_to(folder / header.lines, sum(len(line) + 1 for line in data.split(b"\n")[:count]))


def _cut_to(path: Path, size: int) -> None:
    about = path.stat()
    if about.st_size != size:
        os.truncate(path, size)
    if about.st_size != size or about.st_mtime_ns != STAMP_NS:
        os.utime(path, ns=(STAMP_NS, STAMP_NS))


def _add(path: Path, data: bytes, *, sync: bool = True) -> None:
    with open(path, "ab", opener=open_regular) as file:
        file.write(data)
        file.flush()
        if sync:
            os.fdatasync(file.fileno())
        os.utime(file.fileno(), ns=(STAMP_NS, STAMP_NS))


def _write_parts(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    with open(path, "wb", opener=open_regular) as file:
        file.writelines(parts)
        file.flush()
        os.fsync(file.fileno())
        os.utime(file.fileno(), ns=(STAMP_NS, STAMP_NS))


def _next_generation(folder: Path) -> int:
    used = [path.stem.rpartition("-")[2] for path in folder.iterdir()]
    return 1 + max((int(number) for number in used if is_digits(number)), default=0)
