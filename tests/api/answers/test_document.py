"""How answers become JSON: declared keys, in the declared order."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from gm.api.answers.document import as_json, part
from gm.base.arguments import WrongTypeError


@dataclass(frozen=True, slots=True)
class Place:
    name: str
    seats: int | None = part(omit=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    author: str = part("from")
    to: tuple[str, ...]
    place: Place = part(inline=True)
    pages: tuple[int, ...] = part(omit=(), by=str)
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Own:
    value: int

    def record(self) -> dict[str, int]:
        return {"twice": 2 * self.value}


def test_a_field_is_written_under_its_key_in_the_declared_order() -> None:
    letter = Letter(author="vera", to=("emre",), place=Place("kitchen", 3), places=(Place("hall"),))
    document = as_json(letter)
    assert document == {"from": "vera", "to": ["emre"], "name": "kitchen", "seats": 3, "places": [{"name": "hall"}]}
    assert list(document) == ["from", "to", "name", "seats", "places"]


def test_a_field_is_left_out_as_long_as_it_has_its_default() -> None:
    assert as_json(Place("hall")) == {"name": "hall"}
    assert as_json(Place("hall", 0)) == {"name": "hall", "seats": 0}


def test_a_field_is_written_by_its_own_function_item_by_item() -> None:
    assert as_json(Letter(author="a", to=(), place=Place("b"), pages=(1, 2)))["pages"] == ["1", "2"]


def test_a_value_with_a_record_of_its_own_is_written_as_that() -> None:
    assert as_json({"found": [Own(2)]}) == {"found": [{"twice": 4}]}


def test_what_json_does_not_have_is_refused() -> None:
    assert as_json({"at": Path("a/b"), "of": frozenset("ba")}) == {"at": "a/b", "of": ["a", "b"]}
    for value in (Own, json, b"a"):
        with pytest.raises(WrongTypeError, match=f"JSON has no {type(value).__name__}; take what"):
            as_json({"list": [value]})
