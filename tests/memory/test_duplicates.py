"""Memories that say what was remembered in the last days already."""

from __future__ import annotations

import pytest

from gm.base.config import DuplicatesSettings
from gm.memory.duplicates import find_duplicate
from gm.model.node import Node, NodeType

SAME = DuplicatesSettings(days=3)
NEAR = DuplicatesSettings(days=3, overlap=0.6)
NAMES = ("emre", "Emre", "vera", "Vera")


def known(description: str, *, day: int = 5, kind: NodeType = "observation", number: int = 1) -> Node:
    return Node(f"vera-{number:03d}", f"day-{day:03d}/scene-02", kind, 0, description, 5)


def found(new: str, *nodes: Node, settings: DuplicatesSettings = SAME, kind: NodeType = "observation") -> str | None:
    same = find_duplicate(known(new, day=6, kind=kind), nodes, settings, "de", NAMES)
    return same.id if same else None


def test_nothing_is_looked_for_by_default() -> None:
    assert found("Der Turm steht schief.", known("Der Turm steht schief."), settings=DuplicatesSettings()) is None


@pytest.mark.parametrize(
    "new", ["Der Turm steht schief.", "der  Turm steht schief", "DER TURM STEHT SCHIEF!", "Der Turm, steht: schief …"]
)
def test_the_same_words_are_the_same_memory_however_they_are_written(new: str) -> None:
    assert found(new, known("Der Turm steht schief.")) == "vera-001"


def test_umlauts_may_be_spelled_out() -> None:
    assert found("Die Tuer klemmt.", known("Die Tür klemmt.")) == "vera-001"


def test_only_the_last_days_count_and_the_newest_is_named() -> None:
    text = "Der Turm steht schief."
    assert found(text, known(text, day=3)) is None
    assert found(text, known(text, day=4)) == "vera-001"
    assert found(text, known(text, day=4), known(text, day=5, number=2)) == "vera-002"


def test_an_insight_never_repeats_what_was_lived_and_the_other_way_round() -> None:
    text = "Der Turm steht schief."
    assert found(text, known(text), kind="reflection") is None
    assert found(text, known(text, kind="artifact")) is None
    assert found(text, known(text, kind="reflection"), kind="reflection") == "vera-001"


OLD = "Emre hat die Maße der alten Schwelle auf den Tisch gelegt und gelacht."


def test_nearly_the_same_words_are_the_same_only_where_that_is_wanted() -> None:
    new = "Emre hat heute die Maße der alten Schwellen auf den Tisch gelegt, und er hat gelacht."
    assert found(new, known(OLD)) is None
    assert found(new, known(OLD), settings=NEAR) == "vera-001"


@pytest.mark.parametrize(
    "new",
    [
        OLD.replace("Emre", "Vera"),
        OLD.replace("gelacht", "nicht gelacht"),
        OLD.replace("die Maße", "die 12 Maße"),
        "Die Maße.",
        "Nami hat im Hof drei Töne aufgenommen.",
    ],
)
def test_another_person_a_denial_a_number_or_other_words_make_another_memory(new: str) -> None:
    assert found(new, known(OLD), settings=NEAR) is None


def test_another_number_is_another_memory() -> None:
    one = "Die alte Schwelle ist am Rand 12 Zentimeter hoch."
    assert found(one.replace("12", "14"), known(one), settings=NEAR) is None
    assert found(one.replace("Die alte", "Diese alte"), known(one), settings=NEAR) == "vera-001"


def test_signs_alone_can_be_a_memory_too() -> None:
    assert found("?!", known("?!")) == "vera-001"
    assert found("…", known("?!")) is None
