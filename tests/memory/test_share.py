from __future__ import annotations

from dataclasses import replace

import pytest

from gm.memory.share import (
    bank_of,
    copy_nodes,
    find_private,
    grounds_of,
    is_private,
    open_nodes,
    owner_of_copy,
    quotes,
    select_about,
    withheld_nodes,
)
from gm.model.node import Node, is_beside
from tests.build import agent, node

SECRET = node(1, description="Niemand darf wissen, dass ich den Turm zuerst gezeichnet habe.", tags=("Privat",))
OPEN = node(2, description="Der Turm steht.", tags=("turm",))


@pytest.mark.parametrize(
    ("tags", "private"), [((), False), (("turm",), False), (("PRIVATE",), True), ((" privat ",), True)]
)
def test_a_tag_says_that_something_is_private_in_either_language(tags: tuple[str, ...], private: bool) -> None:
    assert is_private(tags) is private


@pytest.mark.parametrize(
    ("hidden", "left_out"),
    [((), ()), (("diary",), ()), (("private",), (SECRET,)), (("memories",), (SECRET, OPEN))],
)
def test_what_is_hidden_says_which_memories_are_left_out(hidden: tuple[str, ...], left_out: tuple[Node, ...]) -> None:
    assert withheld_nodes((SECRET, OPEN), hidden) == left_out


def test_memories_are_told_apart() -> None:
    assert open_nodes([SECRET, OPEN]) == (OPEN,)


def test_what_rests_on_a_private_memory_is_private_at_any_depth_and_in_any_order() -> None:
    far = node(5, depth=2, evidence=("VERA-004", "vera-002", SECRET.id))
    near = node(4, depth=1, evidence=(SECRET.id,))
    copied = replace(node(6), metadata={"copied_from": near.id})
    loop = node(7, evidence=("vera-007",))
    bank = (far, near, copied, loop, SECRET, OPEN)
    assert find_private(map(grounds_of, bank)) == {"vera-001", "vera-004", "vera-005", "vera-006"}
    assert select_about(bank, ()) == (loop, OPEN)
    assert select_about(bank, (), ["vera-005"]) == (far,)


def test_a_line_that_quotes_the_beginning_of_a_memory_gives_it_away_however_it_is_wrapped() -> None:
    assert quotes("Vera: Niemand darf wissen,\n dass ich den Turm zuerst …", [SECRET])
    assert not quotes("Der Turm steht.", [SECRET])
    assert not quotes("Nichts.", [node(3, description=" ")])


NOW = "day-004/scene-02"
VERA = (
    node(1, description="Der Turm steht schief.", tags=["turm"], metadata={"valence": 0.5}),
    node(2, description="Tobi schweigt.", tags=["tobi"]),
    node(3, type="reflection", depth=1, description="Was schief steht, redet.", evidence=["vera-001", "leo-009"]),
)


def copies(given: tuple[Node, ...] = VERA, held: tuple[Node, ...] = (), number: int = 1) -> tuple[Node, ...]:
    return copy_nodes("emre", held, (), given, NOW, number)


def test_a_copy_is_a_line_of_the_receiver_that_says_where_it_comes_from() -> None:
    first = copies(number=7)[0]
    assert (first.id, first.created) == ("emre-007", NOW)
    assert (first.type, first.depth, first.description, first.importance, first.tags) == (
        "observation", 0, "Der Turm steht schief.", 5, ("turm",),
    )  # fmt: skip
    assert first.metadata == {
        "kind": "copied",
        "copied_from": "vera-001",
        "lived": "day-001/scene-01",
        "details": {"valence": 0.5},
    }
    assert is_beside(first.metadata)


def test_evidence_names_the_receivers_copy_where_there_is_one_and_else_the_givers() -> None:
    assert copies()[2].evidence == ("emre-001", "leo-009")
    assert copies(VERA[2:])[0].evidence == ("vera-001", "leo-009")
    earlier = copies(VERA[:1])
    assert copies(VERA[2:], earlier, 2)[0].evidence == ("emre-001", "leo-009")


def test_a_second_time_only_what_is_new_is_copied() -> None:
    held = copies(VERA[:2])
    assert [item.metadata["copied_from"] for item in copies(VERA, held, 3)] == ["vera-003"]
    assert copies(VERA, copies()) == ()


def test_what_was_copied_and_archived_is_not_copied_again() -> None:
    assert copy_nodes("emre", (), ["vera-001", "vera-003"], VERA, NOW, 1)[0].metadata["copied_from"] == "vera-002"


def test_a_copy_of_a_copy_is_known_by_what_it_was_first() -> None:
    through_leo = copy_nodes("leo", (), (), VERA[:1], "day-002/scene-01", 30)
    again = copies(through_leo)
    assert again[0].metadata == {
        "kind": "copied",
        "copied_from": "leo-030",
        "origin": "vera-001",
        "lived": "day-001/scene-01",
        "details": {"valence": 0.5},
    }
    assert owner_of_copy(again[0]) == "vera"
    assert copies(through_leo, copies(VERA[:1])) == ()
    assert copies(VERA[:1], again) == ()


def test_an_own_memory_that_comes_back_stays_the_only_one() -> None:
    given = copy_nodes("leo", (), (), VERA, "day-002/scene-01", 1)
    assert copy_nodes("vera", VERA, (), given, NOW, 4) == ()


def test_what_two_were_told_in_the_same_scene_is_not_copied_from_one_to_the_other() -> None:
    own = node(4, agent="emre", description="Tobi schweigt.")
    assert [item.metadata["copied_from"] for item in copies(VERA, (own,), 5)] == ["vera-001", "vera-003"]


def test_the_giver_keeps_what_it_has() -> None:
    before = tuple(VERA)
    copies()
    assert before == VERA


def test_what_is_given_is_chosen_by_tag_or_words_or_id_in_the_order_of_the_bank() -> None:
    assert select_about(VERA, ()) == VERA
    assert select_about(VERA, ("Tobi",)) == VERA[1:2]
    assert select_about(VERA, ("schief steht", "TURM")) == (VERA[0], VERA[2])
    assert select_about(VERA, (), ("vera-003", "vera-001")) == (VERA[0], VERA[2])
    assert select_about(VERA, ("garten",)) == ()


def test_a_copy_is_not_taken_twice_where_only_its_own_number_is_known() -> None:
    through_leo = copy_nodes("leo", (), (), VERA[:1], "day-002/scene-01", 30)
    assert copy_nodes("emre", (), ["leo-030"], through_leo, NOW, 1) == ()


def test_a_bank_is_archive_summaries_and_stream_with_every_memory_behind_what_it_rests_on() -> None:
    copied = node(6, metadata={"kind": "copied", "copied_from": "leo-001"})
    vera = agent("vera", stream=[VERA[2], node(5)])
    vera = replace(vera, summaries=(node(4, evidence=["vera-001"]),), beside=(copied,))
    assert [item.id for item in bank_of(vera, VERA[:2])] == [f"vera-00{number}" for number in range(1, 7)]


def test_what_is_tagged_as_private_is_given_away_only_by_its_id() -> None:
    bank = (node(1, tags=["Privat", "turm"]), node(2, tags=["turm"]))
    assert select_about(bank, ()) == bank[1:]
    assert select_about(bank, ("turm",)) == bank[1:]
    assert select_about(bank, (), ("vera-001",)) == bank[:1]
