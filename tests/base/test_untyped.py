"""A found value of another type than wanted counts as nothing."""

from __future__ import annotations

import pytest

from gm.base.untyped import items_of, objects_in, text_as_list, text_at, text_or_null_as_list, texts_in


@pytest.mark.parametrize("found", [None, "vera", 7, {"id": "vera-001"}, ("vera",)], ids=repr)
def test_what_is_no_list_has_no_items(found: object) -> None:
    assert (items_of(found), objects_in(found), texts_in(found)) == ([], [], ())


def test_of_a_list_only_items_of_the_wanted_kind_are_taken_in_order() -> None:
    found = ["vera", {"id": "vera-001"}, 7, None, "emre", {"id": "emre-002"}, ["finn"]]
    assert items_of(found) == found
    assert objects_in(found) == [{"id": "vera-001"}, {"id": "emre-002"}]
    assert texts_in(found) == ("vera", "emre")
    assert text_at({"place": "hall", "scene": 3}, "scene") == ""


def test_a_text_stands_for_a_list_of_one_and_null_for_none() -> None:
    assert text_as_list("vera") == text_or_null_as_list("vera") == ["vera"]
    assert text_as_list(7) == text_or_null_as_list(7) == 7
    assert (text_as_list(None), text_or_null_as_list(None)) == (None, [])
