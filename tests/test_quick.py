"""The quick part of the suite: which tests are left out of it."""

from __future__ import annotations

import pytest

from tests.conftest import HERE, SLOW


@pytest.mark.parametrize("name", SLOW)
def test_what_is_named_as_slow_is_there(name: str) -> None:
    assert (HERE / name).exists()


@pytest.mark.matrix
@pytest.mark.parametrize("number", [1, 2, 3])
def test_of_a_matrix_the_first_case_is_quick_and_all_others_are_slow(
    number: int, request: pytest.FixtureRequest
) -> None:
    assert (request.node.get_closest_marker("slow") is not None) == (number > 1)
