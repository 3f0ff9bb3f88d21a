"""Values that were found in files: what is of another kind counts as nothing."""

from __future__ import annotations

from datetime import date

import pytest

from gm.base.texts import items_of, objects_in, shown, text_at, texts_in


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
