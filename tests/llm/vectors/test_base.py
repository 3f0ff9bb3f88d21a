"""What a provider answered is checked before it counts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.llm.vectors.base import EmbeddingError, check_vectors, normalise


def test_vectors_become_rows_of_length_one() -> None:
    (row,) = check_vectors([[3, 4.0]], 1, 2, "toy")
    assert list(row) == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize(
    "found",
    [
        *(None, {}, "x", [], [[1.0, 2.0], [1.0, 2.0]], [[]], ["ab"], [[1.0, "2"]], [[True, False]], [7]),
        *([[math.nan, 1.0]], [[math.inf, 1.0]], [[None, 1.0]], [[10**400, 1]], [[1e300, 1e300]]),
    ],
)
def test_anything_else_is_refused(found: object) -> None:
    with pytest.raises(EmbeddingError, match="toy"):
        check_vectors(found, 1, 2, "toy")


def test_another_length_is_said_with_the_setting_that_would_fit() -> None:
    with pytest.raises(EmbeddingError, match="3 dimensions, 2 are configured") as caught:
        check_vectors([[1.0, 2.0, 3.0]], 1, 2, "toy")
    assert "index.dimensions: 3" in caught.value.hint


def test_a_vector_without_length_stays() -> None:
    assert list(normalise([0.0, 0.0])) == [0.0, 0.0]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=50).filter(lambda values: math.hypot(*values) > 1e-6))
def test_every_other_vector_gets_the_length_one(values: list[float]) -> None:
    assert math.hypot(*normalise(values)) == pytest.approx(1.0, abs=1e-5)
