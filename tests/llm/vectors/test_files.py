"""Vectors on disk: what was written is read, what was damaged is noticed, a writer that died leaves no wrong answer."""

from __future__ import annotations

import json
import os
import random
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gm.llm.vectors import files
from gm.llm.vectors.files import STAMP_NS, ShelfWriter, read_header, read_shelf
from gm.llm.vectors.texts import Recipe
from tests.llm.vectors.toy import row

RECIPE = Recipe("toy", 64)
OTHER = Recipe("other", 64)
WORDS = [f"Satz {number}" for number in range(12)]


def key(word: str) -> bytes:
    return b"0" * 32 + b" " + word.encode()


def rows_of(words: Sequence[str]) -> dict[bytes, array[float]]:
    return {key(word): row(word) for word in words}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index of twelve rows, written in two steps."""
    writer = ShelfWriter(tmp_path / "vera", RECIPE)
    writer.append(rows_of(WORDS[:5]))
    writer.append(rows_of(WORDS[5:]))
    return tmp_path / "vera"


def words_in(folder: Path) -> list[str]:
    """Read the words that have a row; each must have its own vector."""
    shelf = read_shelf(folder)
    if shelf is None:
        return []
    found = []
    for number, name in enumerate(shelf.keys):
        if name:
            word = name[33:].decode()
            assert bytes(shelf.row(number)) == row(word).tobytes(), word
            found.append(word)
    assert len(found) + len(shelf.broken) == len(shelf)
    return found


def test_what_was_written_is_read_in_its_order(folder: Path) -> None:
    assert words_in(folder) == WORDS


def test_an_index_that_is_not_there_is_none(tmp_path: Path) -> None:
    assert read_shelf(tmp_path / "nobody") is None


def test_a_later_writer_goes_on(folder: Path) -> None:
    ShelfWriter(folder, RECIPE).append(rows_of(["noch einer"]))
    assert words_in(folder) == [*WORDS, "noch einer"]


def test_another_model_replaces_everything(folder: Path) -> None:
    ShelfWriter(folder, OTHER)
    assert words_in(folder) == []
    header = read_header(folder)
    assert header is not None
    assert header.fits(OTHER)
    assert {path.name for path in folder.iterdir()} == {"index.json", header.vectors, header.lines}


def test_a_reader_keeps_what_it_has_opened(folder: Path) -> None:
    shelf = read_shelf(folder)
    assert shelf is not None
    ShelfWriter(folder, RECIPE, anew=True).append(rows_of(["neu"]))
    assert bytes(shelf.row(11)) == row(WORDS[11]).tobytes()
    assert words_in(folder) == ["neu"]


def test_rows_that_are_not_needed_are_dropped_and_the_others_put_in_order(folder: Path) -> None:
    writer = ShelfWriter(folder, RECIPE)
    writer.keep([key(WORDS[7]), key(WORDS[2]), key("unknown")])
    assert words_in(folder) == [WORDS[7], WORDS[2]]
    writer.append(rows_of(["neu"]))
    assert words_in(folder) == [WORDS[7], WORDS[2], "neu"]


def vectors_file(folder: Path) -> Path:
    header = read_header(folder)
    assert header is not None
    return folder / header.vectors


def lines_file(folder: Path) -> Path:
    header = read_header(folder)
    assert header is not None
    return folder / header.lines


@pytest.mark.parametrize("which", [vectors_file, lines_file])
def test_a_file_that_was_cut_anywhere_leaves_right_rows_and_can_be_completed(folder: Path, which: object) -> None:
    assert callable(which)
    path = which(folder)
    data = path.read_bytes()
    for size in sorted({0, 1, 31, 32, 33, 255, 256, 257, len(data) // 2, len(data) - 257, len(data) - 1}):
        path.write_bytes(data[:size])
        left = words_in(folder)
        assert left == WORDS[: len(left)], size
        assert len(left) < len(WORDS)
        ShelfWriter(folder, RECIPE).append(rows_of(WORDS[len(left) :]))
        assert words_in(folder) == WORDS, size
        assert which(folder) == path
        assert path.read_bytes() == data


def test_a_changed_byte_anywhere_is_noticed(folder: Path) -> None:
    dice = random.Random(1)
    originals = {path: path.read_bytes() for path in folder.iterdir()}
    for path, data in originals.items():
        for place in dice.sample(range(len(data)), min(len(data), 120)):
            changed = bytearray(data)
            changed[place] ^= 1 << dice.randrange(8)
            path.write_bytes(changed)
            shelf = read_shelf(folder)
            if shelf is not None and shelf.header.fits(RECIPE):
                # a row may be lost, or named differently, but never holds another one's vector
                for number, name in enumerate(shelf.keys):
                    if name[33:].decode("utf-8", "replace") in WORDS:
                        assert bytes(shelf.row(number)) == row(name[33:].decode()).tobytes()
        path.write_bytes(data)


def test_rows_that_were_damaged_are_dropped_by_the_next_writer(folder: Path) -> None:
    path = vectors_file(folder)
    data = bytearray(path.read_bytes())
    data[3 * 256 + 10] ^= 1
    path.write_bytes(data)
    assert words_in(folder) == [*WORDS[:3], *WORDS[4:]]
    ShelfWriter(folder, RECIPE).append(rows_of([WORDS[3]]))
    assert words_in(folder) == [*WORDS[:3], *WORDS[4:], WORDS[3]]


def test_a_line_that_was_taken_out_by_hand_moves_no_vector_to_another_memory(folder: Path) -> None:
    path = lines_file(folder)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:4] + lines[5:]))
    assert words_in(folder) == WORDS[:4]


def test_files_that_only_gm_wrote_are_not_read_through(folder: Path) -> None:
    assert {path.stat().st_mtime_ns for path in folder.iterdir()} == {STAMP_NS}
    path = vectors_file(folder)
    data = bytearray(path.read_bytes())
    data[3 * 256 + 10] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(STAMP_NS, STAMP_NS))
    shelf = read_shelf(folder)
    assert shelf is not None
    assert len(shelf.broken) == 0, "a change that hides its time is found in the first and the last row only"


def test_a_copied_folder_is_read_through_until_a_writer_was_there(folder: Path) -> None:
    for path in folder.iterdir():
        os.utime(path)
    assert words_in(folder) == WORDS
    ShelfWriter(folder, RECIPE)
    assert vectors_file(folder).stat().st_mtime_ns == STAMP_NS


@pytest.mark.parametrize(
    "header",
    [
        "",
        "null",
        "[]",
        '{"format": 1}',
        json.dumps({"format": 99, "model": "toy", "dimensions": 64, "generation": 1, "byteorder": "little"}),
        json.dumps({"format": 1, "model": "toy", "dimensions": 64, "generation": 1, "byteorder": "middle"}),
        json.dumps({"format": 1, "model": "toy", "dimensions": 0, "generation": 1, "byteorder": "little"}),
        json.dumps({"format": 1, "model": 7, "dimensions": 64, "generation": 1, "byteorder": "little"}),
        json.dumps({"format": 1, "model": "toy", "dimensions": 64, "generation": 9, "byteorder": "little"}),
        json.dumps({"format": 1, "model": "toy", "dimensions": 64, "generation": "../../x", "byteorder": "little"}),
    ],
)
def test_a_header_that_cannot_be_used_means_no_index_and_the_next_writer_begins_anew(folder: Path, header: str) -> None:
    (folder / "index.json").write_text(header)
    assert read_shelf(folder) is None
    ShelfWriter(folder, RECIPE).append(rows_of(WORDS))
    assert words_in(folder) == WORDS


class KilledError(BaseException):
    """The process is gone."""


def test_a_writer_killed_at_any_point_leaves_what_it_had_and_the_next_one_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call to the system that changes something is a point; writes stop in their middle, too."""
    point = 0
    while True:
        point += 1
        folder = tmp_path / f"at-{point}"
        before = ShelfWriter(folder, OTHER)
        before.append(rows_of(["alt"]))
        with monkeypatch.context() as patched:
            _die_at(point, patched)
            try:
                writer = ShelfWriter(folder, RECIPE)
                writer.append(rows_of(WORDS[:5]))
                writer.append(rows_of(WORDS[5:]))
                writer.keep([key(word) for word in WORDS[1:]])
            except KilledError:
                pass
            else:
                break
        header = read_header(folder)
        assert header is not None
        left = words_in(folder)
        if header.fits(RECIPE):
            assert left in (WORDS[: len(left)], WORDS[1:])
        else:
            assert left == ["alt"]
        writer = ShelfWriter(folder, RECIPE)
        writer.append(rows_of([word for word in WORDS if key(word) not in writer.shelf.keys]))
        assert sorted(words_in(folder)) == sorted(WORDS)
        assert len(list(folder.iterdir())) <= 4, "what a dead writer left is taken away when files are replaced"
    assert point > 20


def _die_at(point: int, patched: pytest.MonkeyPatch) -> None:
    counted = 0

    def due() -> bool:
        nonlocal counted
        counted += 1
        return counted == point

    class Dying:
        """A file that dies in the middle of a write."""

        def __init__(self, path: object, mode: str, **values: Any) -> None:
            if "r" not in mode and due():
                raise KilledError
            self._file = open(str(path), mode, **values)  # noqa: SIM115

        def __enter__(self) -> Dying:
            return self

        def __exit__(self, *_: object) -> None:
            self._file.close()

        def write(self, data: bytes) -> None:
            if due():
                self._file.write(data[: len(data) // 2])
                raise KilledError
            self._file.write(data)

        def writelines(self, parts: Sequence[bytes]) -> None:
            self.write(b"".join(parts))

        def read(self) -> bytes:
            return bytes(self._file.read())

        def fileno(self) -> int:
            return self._file.fileno()

        def flush(self) -> None:
            self._file.flush()

    def dying(name: str) -> None:
        real = getattr(os, name)

        def call(*arguments: object, **others: object) -> object:
            if due():
                raise KilledError
            return real(*arguments, **others)

        patched.setattr(os, name, call)

    patched.setattr(files, "open", Dying, raising=False)
    for name in ("replace", "utime", "truncate", "fsync", "fdatasync"):
        dying(name)
