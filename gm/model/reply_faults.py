"""What is wrong with a reply, as a sentence in English with its parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

SENTENCES: Mapping[str, str] = {
    "no_object": "no JSON object found; the answer begins: {shown}",
    "empty": "the answer is empty",
    "missing": "{place}: missing",
    "no_importance": "{place}: {shown} is not a number from 1 to 10; taken as left out",
    "kind": "{place}: {message} (found: {shown})",
    "no_number": "no number found; the answer begins: {shown}",
    "several_numbers": "found several numbers ({shown}), expected one from 1 to 10",
    "long_rating": "found a much too long answer, expected a number from 1 to 10",
    "long_ratings": "found a much too long answer, expected {wanted} numbers from 1 to 10",
    "count": "found {found} numbers, expected {wanted}: one for each memory, in their order",
    "count_of_one": "found 1 number, expected {wanted}: one for each memory, in their order",
    "order": "rating {number} is numbered {shown}: one for each memory, in their order",
    "not_in_list": "number: {number} is not in the list; it has {most}",
    "not_in_scene": "{place}: {shown} does not take part in scene {number}; there are: {cast}",
    "tells_secret": "premise: tells all of them what only one of them knows; that belongs in premises, or nowhere",
    "same_name": "{place}: {found} are called {shown}",
}


class Fault(str):
    """A sentence of ``SENTENCES`` for people and traces; a prompt in another language says it by its parts.

    Attributes:
        key: Which sentence.
        parts: The values in it; ``kind`` also has pydantic's ``type`` and ``bounds``.
    """

    key: str
    parts: Mapping[str, object]

    def __new__(cls, key: str, /, **parts: object) -> Self:
        fault = super().__new__(cls, SENTENCES[key].format_map(parts))
        fault.key, fault.parts = key, parts
        return fault
