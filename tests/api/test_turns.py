"""Turns of a scene, told from the three lists of its logbook line."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gm.api.turns import Turn, turns_of


def said(*pairs: str) -> list[dict[str, str]]:
    return [dict(zip(("agent", "text"), pair.split(":"), strict=True)) for pair in pairs]


def test_a_scene_played_turn_by_turn_is_put_in_order_again() -> None:
    record = {
        "actions": said("a:sits", "b:stands", "a:goes"),
        "thoughts": said("a:hm", "b:oh", "a:well"),
        "dialogue": said("a:One.", "a:Two.", "b:Three.", "a:Four."),
    }
    assert turns_of(record) == (
        Turn("a", "sits", ("One.", "Two."), "hm"),
        Turn("b", "stands", ("Three.",), "oh"),
        Turn("a", "goes", ("Four.",), "well"),
    )


def test_somebody_may_be_silent_or_think_nothing() -> None:
    record = {"actions": said("a:sits", "b:stands"), "thoughts": said("b:oh"), "dialogue": said("b:Three.")}
    assert turns_of(record) == (Turn("a", "sits"), Turn("b", "stands", ("Three.",), "oh"))


def test_talk_that_was_woven_afterwards_follows_what_everybody_did() -> None:
    record = {"actions": said("a:sits", "b:stands"), "dialogue": said("b:One.", "a:Two.", "b:Three.")}
    assert turns_of(record) == (
        Turn("a", "sits"),
        Turn("b", "stands"),
        Turn("b", lines=("One.",)),
        Turn("a", lines=("Two.",)),
        Turn("b", lines=("Three.",)),
    )


def test_a_line_by_hand_may_have_anything_in_its_lists() -> None:
    record = {"actions": "none", "thoughts": [{}, {"agent": "a"}, {"text": " "}], "dialogue": [{"text": "Who?"}]}
    assert turns_of(record) == (Turn("", lines=("Who?",)),)
    record = {"actions": ["It rains."], "dialogue": [{"speaker": "a", "line": "So."}, {"agent": 1, "text": ["b", 2]}]}
    assert turns_of(record) == (Turn("", "It rains."), Turn("a", lines=("So.",)), Turn("", lines=("b, 2",)))


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
    assert [(turn.agent, line) for turn in turns for line in turn.lines] == dialogue
