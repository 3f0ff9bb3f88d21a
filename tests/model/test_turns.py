"""Turns of a scene, read from its logbook line, or told from the three lists of an older one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gm.model.turns import (
    PlayedTurn,
    Said,
    differing_lists,
    lists_of,
    turns_of,
    unless_blank,
    with_last_thoughts,
    without_thoughts,
)


def said(*pairs: str) -> list[dict[str, str]]:
    return [dict(zip(("agent", "text"), pair.split(":"), strict=True)) for pair in pairs]


def test_a_scene_played_turn_by_turn_is_put_in_order_again() -> None:
    record = {
        "actions": said("a:sits", "b:stands", "a:goes"),
        "thoughts": said("a:hm", "b:oh", "a:well"),
        "dialogue": said("a:One.", "a:Two.", "b:Three.", "a:Four."),
    }
    assert turns_of(record) == (
        PlayedTurn("a", "sits", (Said("One."), Said("Two.")), "hm"),
        PlayedTurn("b", "stands", (Said("Three."),), "oh"),
        PlayedTurn("a", "goes", (Said("Four."),), "well"),
    )


def test_a_character_may_be_silent_or_think_nothing() -> None:
    record = {"actions": said("a:sits", "b:stands"), "thoughts": said("b:oh"), "dialogue": said("b:Three.")}
    assert turns_of(record) == (PlayedTurn("a", "sits"), PlayedTurn("b", "stands", (Said("Three."),), "oh"))


def test_talk_that_was_woven_afterwards_follows_what_everybody_did() -> None:
    record = {"actions": said("a:sits", "b:stands"), "dialogue": said("b:One.", "a:Two.", "b:Three.")}
    assert turns_of(record) == (
        PlayedTurn("a", "sits"),
        PlayedTurn("b", "stands"),
        PlayedTurn("b", lines=(Said("One."),)),
        PlayedTurn("a", lines=(Said("Two."),)),
        PlayedTurn("b", lines=(Said("Three."),)),
    )


def test_a_line_by_hand_may_have_anything_in_its_lists() -> None:
    record = {"actions": "none", "thoughts": [{}, {"agent": "a"}, {"text": " "}], "dialogue": [{"text": "Who?"}]}
    assert turns_of(record) == (PlayedTurn("", lines=(Said("Who?"),)),)
    record = {"actions": ["It rains."], "dialogue": [{"speaker": "a", "line": "So."}, {"agent": 1, "text": ["b", 2]}]}
    assert turns_of(record) == (
        PlayedTurn("", "It rains."),
        PlayedTurn("a", lines=(Said("So."),)),
        PlayedTurn("", lines=(Said("b, 2"),)),
    )


names = st.sampled_from("abc")
pairs = st.lists(st.tuples(names, st.text("xyz", min_size=1)), max_size=12)


@given(pairs, pairs, pairs)
def test_nothing_is_lost_doubled_or_moved_within_its_list(
    actions: list[tuple[str, str]], thoughts: list[tuple[str, str]], dialogue: list[tuple[str, str]]
) -> None:
    lists = {"actions": actions, "thoughts": thoughts, "dialogue": dialogue}
    record: dict[str, Any] = {
        key: [{"agent": who, "text": text} for who, text in items] for key, items in lists.items()
    }
    turns = turns_of(record)
    assert [(turn.agent, turn.action) for turn in turns if turn.action] == actions
    assert [(turn.agent, turn.thought) for turn in turns if turn.thought] == thoughts
    assert [(turn.agent, line.text) for turn in turns for line in turn.lines] == dialogue


WHOLE = PlayedTurn("vera", "Sie legt den Schuh hin.", (Said("So?", "emre"), Said("So.")), "Zu tief.", "gallery/a.md", 2)


def test_a_turn_is_written_without_what_is_empty_and_read_again_as_it_was() -> None:
    assert WHOLE.record() == {
        "agent": "vera",
        "round": 2,
        "action": "Sie legt den Schuh hin.",
        "lines": [{"to": "emre", "text": "So?"}, {"text": "So."}],
        "thought": "Zu tief.",
        "artifact": "gallery/a.md",
    }
    assert PlayedTurn("emre", lines=(Said("Ja."),)).record() == {"agent": "emre", "lines": [{"text": "Ja."}]}
    assert turns_of({"turns": [WHOLE.record()]}) == (WHOLE,)


def test_turns_win_over_the_three_lists_and_without_any_the_lists_are_read() -> None:
    lists = {"actions": said("a:sits"), "dialogue": said("a:One.")}
    assert turns_of({**lists, "turns": [{"agent": "b", "thought": "oh"}]}) == (PlayedTurn("b", thought="oh"),)
    for none in ([], None, "none", ["b"]):
        assert turns_of({**lists, "turns": none}) == (PlayedTurn("a", "sits", (Said("One."),)),)


def test_a_turn_in_which_nothing_was_done_said_or_thought_is_not_told() -> None:
    assert turns_of({"turns": [{"agent": "a", "round": 1}], "actions": said("a:sits")}) == ()


def test_what_was_written_by_hand_into_a_turn_never_breaks_reading() -> None:
    odd: dict[str, Any] = {
        "agent": 7,
        "round": True,
        "action": None,
        "lines": ["So.", {"to": ["b"]}, {"to": 1, "text": 2}],
        "more": {},
    }
    assert turns_of({"turns": [odd, {"agent": "a", "lines": "So.", "thought": "hm", "round": -1}]}) == (
        PlayedTurn("7", lines=(Said("2", "1"),)),
        PlayedTurn("a", thought="hm"),
    )


def test_with_last_thoughts_each_agent_keeps_its_last_one() -> None:
    turns = [
        PlayedTurn("vera", "sits", thought="First."),
        PlayedTurn("finn", thought="His only one."),
        PlayedTurn("vera", thought="Second, and nothing else."),
        PlayedTurn("vera", "goes", thought="Last."),
        PlayedTurn("vera", "is gone"),
    ]
    assert with_last_thoughts(turns) == (
        PlayedTurn("vera", "sits"),
        PlayedTurn("finn", thought="His only one."),
        PlayedTurn("vera", "goes", thought="Last."),
        PlayedTurn("vera", "is gone"),
    )


def test_without_thoughts_a_turn_that_has_nothing_else_is_gone() -> None:
    silent = PlayedTurn("emre", thought="Nie.", round=2)
    finished = PlayedTurn("finn", thought="Fertig.", artifact="gallery/b.md")
    kept = without_thoughts([WHOLE, silent, finished])
    assert [(turn.agent, turn.thought) for turn in kept] == [("vera", ""), ("finn", "")]
    assert kept[0].lines == WHOLE.lines


def test_a_line_with_lists_changed_by_hand_is_recognised() -> None:
    turns = [WHOLE, PlayedTurn("emre", "geht", (Said("Nein."),), round=2)]
    record: dict[str, Any] = {"turns": [turn.record() for turn in turns], **lists_of(turns)}
    record["dialogue"] = record["dialogue"][::-1]
    assert differing_lists(record) == (), "simultaneous lines may stand in another order"
    record["thoughts"] = []
    record["actions"] = "none"
    assert differing_lists(record) == ("thoughts", "actions")
    assert differing_lists({"turns": record["turns"]}) == (), "no list, no contradiction"


def test_a_text_of_blanks_is_none() -> None:
    assert (unless_blank(" \n"), unless_blank(" So. ")) == ("", " So. ")


def test_a_turn_is_written_without_empty_values() -> None:
    assert PlayedTurn("mina").record() == {"agent": "mina"}
    assert PlayedTurn("mina", lines=(Said("Yes."),), round=2).record() == {
        "agent": "mina",
        "round": 2,
        "lines": [{"text": "Yes."}],
    }
