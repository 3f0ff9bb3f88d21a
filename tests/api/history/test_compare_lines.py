"""The first line in which two files or values differ."""

from __future__ import annotations

from typing import Any

import pytest

from gm.api.history.compare.lines import DEEPEST, LineDifference, compare_files, compare_values


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        (b"one\ntwo\n", b"one\nthree\n", LineDifference("line 2", "two", "three")),
        (b"one\n", b"one\ntwo\n", LineDifference("line 2", "", "two")),
        (b"one", b"one\n", LineDifference("line 2", None, "")),
        (b"one", b"two", LineDifference("", "one", "two")),
    ],
)
def test_the_first_differing_line_of_two_files(a: bytes | None, b: bytes | None, line: LineDifference) -> None:
    assert compare_files(a, b) == line


def test_equal_files_absent_ones_and_those_that_are_no_text_have_none() -> None:
    assert compare_files(b"one", b"one") is None
    assert compare_files(b"\xff", b"one") is None
    assert compare_files(None, b"one") is None


@pytest.mark.parametrize(
    ("a", "b", "line"),
    [
        ({"x": 1, "y": [1, {"text": "a"}]}, {"x": 1, "y": [1, {"text": "b"}]}, LineDifference("y 2 text", "a", "b")),
        ([1], [1, {"ä": 2}], LineDifference("2", None, '{"ä": 2}')),
        ({"x": "a\nb"}, {"x": "a\nc"}, LineDifference("x line 2", "b", "c")),
        ([1], {"x": 1}, LineDifference("", "[1]", '{"x": 1}')),
        ({"x": None}, {}, None),
    ],
)
def test_the_keys_lead_to_the_first_difference_of_two_values(a: Any, b: Any, line: LineDifference | None) -> None:
    assert compare_values(a, b) == line


def test_what_lies_deep_is_shown_whole() -> None:
    a: Any = 1
    b: Any = 2
    for _ in range(500):
        a, b = [a], [b]
    found = compare_values(a, b)
    assert found is not None
    assert found.at == " ".join("1" * (DEEPEST + 1))
