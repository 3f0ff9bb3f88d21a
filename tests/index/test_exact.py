"""Exact search against plain Python."""

from __future__ import annotations

import math
import sys
from array import array
from mmap import ACCESS_READ, mmap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.index import exact
from gm.index.base import EmbeddingError, normalised
from gm.index.exact import best, score

whole_numbers = st.integers(-9, 9).map(float)


def plain(rows: list[list[float]], query: list[float]) -> list[float]:
    return [sum(a * b for a, b in zip(normalised(row), normalised(query), strict=True)) for row in rows]


@st.composite
def questions(draw: st.DrawFn) -> tuple[list[list[float]], list[float]]:
    width = draw(st.integers(1, 20))
    vector = st.lists(whole_numbers, min_size=width, max_size=width)
    return draw(st.lists(vector, max_size=30)), draw(vector)


def joined(rows: list[list[float]]) -> memoryview:
    return memoryview(b"".join(normalised(row).tobytes() for row in rows))


@given(questions())
def test_each_row_gets_its_cosine(question: tuple[list[list[float]], list[float]]) -> None:
    rows, query = question
    assert score(joined(rows), normalised(query)) == pytest.approx(plain(rows, query), abs=1e-5)


@pytest.mark.parametrize("piece", [8, 4096, 10_000])
def test_pieces_make_no_difference(piece: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[math.sin(row * column + row) for column in range(7)] for row in range(3000)]
    path = tmp_path / "rows"
    path.write_bytes(joined(rows))
    monkeypatch.setattr(exact, "PIECE_BYTES", piece)
    with open(path, "rb") as file:
        mapped = memoryview(mmap(file.fileno(), 0, access=ACCESS_READ))
    assert score(mapped, normalised(rows[5])) == pytest.approx(plain(rows, rows[5]), abs=1e-5)


@given(st.lists(whole_numbers, max_size=40), st.integers(0, 50))
def test_the_best_come_first_and_equal_ones_in_their_order(values: list[float], count: int) -> None:
    assert best(values, count) == sorted(range(len(values)), key=lambda place: (-values[place], place))[:count]


def test_a_missing_package_is_said_with_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "simsimd", None)
    with pytest.raises(EmbeddingError, match="simsimd is not installed") as caught:
        score(memoryview(b""), array("f", [1.0]))
    assert "pip install 'gm[index]'" in caught.value.hint
