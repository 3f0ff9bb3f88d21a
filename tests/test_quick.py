"""The parts of the suite: what is in which, and that nothing is in none."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.internal.detection import is_hypothesis_test

from tests.conftest import FEWER_EXAMPLES, HERE, PLAYING, SLOW, SOAK

MARKS = ("slow", "soak", "property")
ROOT = HERE.parent


def parts() -> dict[str, str]:
    """Read which marks each target chooses, and what it leaves out otherwise."""
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    return {
        target: recipe
        for target, recipe in re.findall(r"^(\w+):.*##.*\n((?:\t.*\n)+)", text, re.M)
        if "pytest" in recipe and target in ("test", "soak", "quick", "coverage")
    }


def chosen(target: str, marks: dict[str, bool]) -> bool:
    found = re.search(r'-m "([^"]*)"', parts()[target])
    return found is None or bool(eval(found[1], {}, marks))


@pytest.mark.parametrize("name", [*PLAYING, *SLOW, *SOAK])
def test_what_is_named_is_there(name: str) -> None:
    assert (HERE / name).exists()


@pytest.mark.parametrize("name", [name for name in PLAYING if name.endswith(".py")])
def test_a_file_is_named_as_playing_by_hand_and_only_where_that_makes_tests_slow(name: str) -> None:
    """The list follows what was found to take long, and cannot be derived.

    No declaration says that a command plays long, and no word in a file says that its tests do: about half of the files
    that name ``advance-day`` or a played world are quick, as they copy it, and some that play name neither.
    """
    tests = re.findall(r"^(?:async )?def test_", (HERE / name).read_text(encoding="utf-8"), re.M)
    assert len(tests) > 1, "its only test is quick either way"


@pytest.mark.parametrize("values", list(product([False, True], repeat=len(MARKS))))
def test_a_test_with_any_marks_is_quick_or_soak(values: tuple[bool, ...]) -> None:
    marks = dict(zip(MARKS, values, strict=True))
    assert chosen("test", marks) or chosen("soak", marks)
    assert chosen("test", marks) != marks["soak"]


def test_only_what_the_coverage_runs_is_left_out_otherwise() -> None:
    assert set(parts()) == {"test", "soak", "quick", "coverage"}
    assert re.findall(r"--(?:ignore|deselect)\S*", "".join(parts().values())) == ["--ignore=,$(PURE))"]
    assert "$(PURE)" in parts()["coverage"]
    assert re.findall(r"-m (\S+ \S+)", parts()["coverage"].replace("-m pytest", "")) == ['"not soak"'], "as the test"
    assert re.search(r"^test:.* coverage\b", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)


def test_the_soak_alone_tries_all_examples() -> None:
    fewer = (*(f'-m "{one}"' for one in FEWER_EXAMPLES), "--hypothesis-profile=quick")
    assert {target for target, recipe in parts().items() if not any(one in recipe for one in fewer)} == {"soak"}


@pytest.mark.matrix
@pytest.mark.parametrize("number", [1, 2, 3])
def test_of_a_matrix_the_first_case_is_quick_and_all_others_are_for_the_soak(
    number: int, request: pytest.FixtureRequest
) -> None:
    marks = {mark: request.node.get_closest_marker(mark) is not None for mark in MARKS}
    assert marks == {"slow": number > 1, "soak": number > 1, "property": False}


@given(st.none())
def test_this_is_a_property(nothing: None) -> None:
    assert nothing is None


def test_what_hypothesis_tries_is_a_property_and_nothing_else_is(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        tried = is_hypothesis_test(getattr(item, "obj", None))
        assert (item.get_closest_marker("property") is not None) == tried
