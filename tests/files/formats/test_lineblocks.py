"""Blocks of lines: what is read again is what was read."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.formats.lineblocks import ChangedFileError, LineBlocks, whole_lines
from gm.files.formats.text import BLOCK, BOM, overlaid

LONG = "".join(f"{number} möwe {'x' * 60}\n" for number in range(3 * BLOCK // 64))
CHANGED = LONG.replace("möwe", "mövw", 1)


@pytest.fixture
def long(tmp_path: Path) -> Path:
    path = tmp_path / "long.jsonl"
    path.write_text(LONG, encoding="utf-8")
    return path


def read(path: Path) -> tuple[LineBlocks, str]:
    blocks = LineBlocks(path, path.name)
    return blocks, "".join(text for _, text in blocks.read())


def cut(data: bytes, size: int) -> Iterator[bytes]:
    return (data[start : start + size] for start in range(0, len(data), size))


@given(st.binary(max_size=60) | st.lists(st.sampled_from([b"a", b"bc", b""])).map(b"\n".join), st.integers(1, 9))
def test_blocks_are_cut_behind_line_feeds(data: bytes, size: int) -> None:
    found = list(whole_lines(cut(data, size)))
    assert b"".join(found) == data
    assert all(found)
    assert all(block.endswith(b"\n") for block in found[:-1])


def test_each_line_of_a_long_file_is_found_again(long: Path) -> None:
    blocks, text = read(long)
    lines = LONG.splitlines()
    assert text == LONG
    assert blocks.count == len(lines)
    some = (1, 2, len(lines) // 2, len(lines), len(lines) // 3, 1)
    assert [blocks.line(number) for number in some] == [lines[number - 1] for number in some]


def test_the_lines_before_a_block_are_counted(long: Path) -> None:
    found = list(LineBlocks(long, "long.jsonl").read())
    assert len(found) > 3
    assert [before for before, _ in found] == [
        sum(text.count("\n") for _, text in found[:index]) for index in range(len(found))
    ]


def test_a_byte_order_mark_belongs_to_no_line(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    path.write_text(f"{BOM}eins\n{BOM}zwei", encoding="utf-8")
    blocks, text = read(path)
    assert (blocks.has_mark, text) == (True, f"eins\n{BOM}zwei")
    assert [blocks.line(number) for number in (2, 1)] == [f"{BOM}zwei", "eins"]


def test_a_file_with_a_recovered_end_is_read_so_each_time(long: Path) -> None:
    with overlaid({long: b"eins\nzwei\n"}):
        blocks, text = read(long)
        assert (text, blocks.line(2)) == ("eins\nzwei\n", "zwei")


def test_a_long_file_that_changes_meanwhile_is_refused(long: Path) -> None:
    blocks, _ = read(long)
    long.write_text(CHANGED, encoding="utf-8")
    with pytest.raises(ChangedFileError, match=r"long\.jsonl was changed while it was read"):
        blocks.line(1)


def test_the_lines_of_a_short_file_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "short.jsonl"
    path.write_text("eins\nzwei\n", encoding="utf-8")
    blocks, _ = read(path)
    path.write_text("anders\n", encoding="utf-8")
    assert blocks.line(2) == "zwei"
