"""Values that were found in files: what is of another kind counts as nothing."""

from __future__ import annotations

from datetime import date

import pytest

from gm.base.texts import (
    counted,
    items_of,
    objects_in,
    shown,
    text_as_list,
    text_at,
    text_or_null_as_list,
    texts_in,
    unquoted,
)


@pytest.mark.parametrize("found", [None, "vera", 7, {"id": "vera-001"}, ("vera",)], ids=repr)
def test_what_is_no_list_has_no_items(found: object) -> None:
    assert (items_of(found), objects_in(found), texts_in(found)) == ([], [], ())


def test_of_a_list_only_items_of_the_wanted_kind_are_taken_in_order() -> None:
    found = ["vera", {"id": "vera-001"}, 7, None, "emre", {"id": "emre-002"}, ["finn"]]
    assert items_of(found) == found
    assert objects_in(found) == [{"id": "vera-001"}, {"id": "emre-002"}]
    assert texts_in(found) == ("vera", "emre")
    assert text_at({"place": "hall", "scene": 3}, "scene") == ""


def test_a_value_with_keys_that_json_does_not_have_is_quoted_too() -> None:
    assert shown({date(2024, 1, 1): "x"}) == "{datetime.date(2024, 1, 1): 'x'}"
    assert shown({"a": date(2024, 1, 1)}) == '{"a": "2024-01-01"}'


@pytest.mark.parametrize(
    ("number", "one", "said"),
    [
        (0, "scene", "0 scenes"),
        (1, "memory", "1 memory"),
        (2, "memory", "2 memories"),
        (3, "earlier day", "3 earlier days"),
        (1234, "line", "1,234 lines"),
    ],
)
def test_one_of_something_is_in_the_singular(number: int, one: str, said: str) -> None:
    assert counted(number, one) == said
    assert counted(2, "piece of work", "pieces of work") == "2 pieces of work"


def test_a_text_stands_for_a_list_of_one_and_null_for_none() -> None:
    assert text_as_list("vera") == text_or_null_as_list("vera") == ["vera"]
    assert text_as_list(7) == text_or_null_as_list(7) == 7
    assert (text_as_list(None), text_or_null_as_list(None)) == (None, [])


def test_quotes_around_a_text_are_left_out() -> None:
    assert unquoted("»`vera-001`« ") == "vera-001"
