"""Lists in pages."""

from __future__ import annotations

from gm.api.views.filtering import turn_to


def test_a_list_is_divided_and_an_empty_one_has_one_page() -> None:
    items = list(range(25))
    turned = [turn_to(page, len(items), 10) for page in (1, 3)]
    assert [(page, pages, items[place]) for page, pages, place in turned] == [
        (1, 3, items[:10]),
        (3, 3, items[20:]),
    ]
    assert turn_to(1, 0, 10) == (1, 1, slice(0, 10))


def test_beyond_the_last_page_stands_the_last_one() -> None:
    assert [turn_to(page, 25, 10)[0] for page in (-1, 0, 4, 99)] == [1, 1, 3, 3]
