from __future__ import annotations

import pytest

from gm.base.arguments import WrongValueError
from gm.memory.recall.query import Filters, check_types, memory_type, names_seeds, select_seeds, type_of
from gm.memory.recall.scored import no_turn
from gm.memory.recall.words import make_entry
from gm.memory.seed_memories import Gift, make_node
from gm.model.node import Node
from tests.build import node

SELF = make_node("vera-001", Gift("character", "identity", "Du bist Vera.", ("Wer bin ich?",), "vera"))
JORDAN = make_node("vera-002", Gift("character_knowledge", "other", "Jordan ist groß.", (), "jordan"))
LESSON = make_node("_world-001", Gift("lesson", "lesson", "Ein Turm braucht Grund.", ()))
OWN = node(4, description="Von Hand.")
SEEDS = (SELF, JORDAN, LESSON, OWN)


@pytest.mark.parametrize(
    ("filters", "named"),
    [
        (Filters(), False),
        (Filters(about=("jordan",), types=("episodic",)), False),
        (Filters(categories=("dialogue",)), False),
        (Filters(types=("Character",)), True),
        (Filters(kinds=("gifted",)), True),
        (Filters(categories=("identity",)), True),
    ],
)
def test_a_filter_names_seed_memories_by_type_kind_or_category(filters: Filters, named: bool) -> None:
    assert names_seeds(filters) is named


@pytest.mark.parametrize(
    ("filters", "kept"),
    [
        (Filters(), SEEDS),
        (Filters(types=("character",)), (SELF,)),
        (Filters(types=("character_knowledge",), about=("Jordan",)), (JORDAN,)),
        (Filters(kinds=("gifted",)), (SELF, JORDAN)),
        (Filters(categories=("lesson",)), (LESSON,)),
        (Filters(types=("semantic",)), (LESSON,)),
        (Filters(types=("episodic",)), (OWN,)),
        (Filters(agents=("emre",)), ()),
        (Filters(min_importance=8), (SELF, LESSON)),
        (Filters(min_turn=4, types=("character",)), (SELF,)),
    ],
)
def test_seed_memories_pass_filters_as_other_memories_do(filters: Filters, kept: tuple[Node, ...]) -> None:
    assert tuple(select_seeds(SEEDS, "vera", filters, no_turn)) == kept


def test_the_type_of_a_seed_memory_is_that_of_its_source() -> None:
    assert [type_of(item) for item in SEEDS] == ["character", "character_knowledge", "lesson", "observation"]


@pytest.mark.parametrize(
    ("memory", "category", "kind"),
    [
        (node(1), "", "episodic"),
        (node(1, type="conversation"), "dialogue", "episodic"),
        (node(1, metadata={"speaker": "Finn"}), "dialogue", "episodic"),
        (node(1, type="conversation", metadata={"category": "Streit"}), "streit", "episodic"),
        (node(1, type="reflection", depth=1), "", "semantic"),
        (node(1, metadata={"kind": "procedural"}), "", "semantic"),
        (node(1, depth=2), "", "semantic"),
    ],
)
def test_what_was_lived_is_episodic_and_what_is_known_is_semantic(memory: Node, category: str, kind: str) -> None:
    entry = make_entry(memory, 3)
    assert (entry.category, memory_type(entry)) == (category, kind)


def test_a_type_that_no_memory_can_have_is_refused() -> None:
    check_types(Filters(types=("Plan", "episodic", "character")), ())
    check_types(Filters(types=("dream",)), ["Dream"])
    with pytest.raises(WrongValueError, match="no memory has the type 'dreams'; did you mean dream"):
        check_types(Filters(types=("plan", "dreams")), ["Dream"])


def test_days_are_from_the_first_to_the_last() -> None:
    assert Filters(days=(3, 3)).days == (3, 3)
    with pytest.raises(WrongValueError, match=r"days is \(5, 1\), expected the first day before the last"):
        Filters(days=(5, 1))
