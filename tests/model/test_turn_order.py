"""The order in which turns are told: answers near what they answer, nothing lost, nothing too early."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gm.model.turns import PlayedTurn, Said, in_telling_order, marked


def turn(told: str) -> PlayedTurn:
    """Return the turn that ``a1>bc`` says: of a in round 1, a line to b and one to c; ``*`` is all."""
    who, _, to = told.partition(">")
    return PlayedTurn(who[0], f"{who} acts", tuple(Said("So.", name.strip("*")) for name in to), round=int(who[1:]))


def order(*told: str) -> list[str]:
    return [one.action.removesuffix(" acts") for one in in_telling_order([*map(turn, told)])]


def marks(*told: str) -> list[str]:
    turns = in_telling_order([*map(turn, told)])
    return [f"{mark} {one.agent}{one.round}".strip() for mark, one in marked(turns)]


def test_two_who_spoke_at_once_and_answer_each_other_take_turns() -> None:
    assert order("a1>b", "b1>a", "b2>a", "a3>b") == ["b1", "a1", "b2", "a3"]


def test_an_answer_to_two_follows_the_later_of_them_and_who_begins_still_begins() -> None:
    assert order("a1>bc", "b1>ac", "c1>ab", "c2>ab", "b3>ac", "a4>bc") == ["a1", "c1", "b1", "c2", "b3", "a4"]
    assert order("a1>bc", "b1>ac", "c1>ab", "b2>ac", "a3>bc") == ["a1", "b1", "c1", "b2", "a3"], "it follows already"


def test_those_who_only_answer_each_other_are_told_to_their_end() -> None:
    told = ("a1>b", "b1>*", "c1>d", "d1>", "b2>a", "d3>c", "a4>b", "c5>d")
    assert order(*told) == ["b1", "a1", "b2", "a4", "d1", "c1", "d3", "c5"]
    assert marks(*told) == ["at_once b1", "a1", "afterwards b2", "a4", "meanwhile d1", "c1", "afterwards d3", "c5"]


def test_a_speaker_who_answers_no_other_and_is_not_answered_keeps_its_place() -> None:
    assert order("x1>", "a1>b", "b1>", "b2>a") == ["x1", "b1", "a1", "b2"]
    assert marks("a1>b", "b1>", "x1>", "b2>a") == ["at_once b1", "a1", "afterwards b2", "meanwhile x1"]
    assert order("a1>b", "b1>*", "x1>a") == ["a1", "b1", "x1"], "no answers, nothing to put in order"


def test_what_is_said_to_all_or_to_an_unknown_name_comes_after_everything_before_it() -> None:
    for to in ("*", "a*", "z", "az", "b", "ab"):  # z is not there, b is the speaker itself
        assert order("a1>b", "b1>", "x1>", f"b2>{to}") == ["a1", "b1", "x1", "b2"], to
    assert order("a1>b", "b1>", "x1>", "b2>") == ["a1", "b1", "x1", "b2"], "an answer without words"


def test_a_last_thought_that_no_character_noticed_changes_no_order() -> None:
    thought = PlayedTurn("b", thought="b2", round=2)
    turns = (turn("a1>"), turn("b1>"), thought)
    assert in_telling_order(turns) == turns


def test_a_scene_played_turn_by_turn_stays_as_it_is() -> None:
    told = ("a1>c", "b2>a", "c3>a", "a4>b", "b5>*")
    assert order(*told) == ["a1", "b2", "c3", "a4", "b5"]
    assert order("a0>b", "b0>a", "c0>a", "b0>a") == ["a0", "b0", "c0", "b0"], "rounds of older lines are unknown"
    assert in_telling_order(()) == ()


def test_nothing_moves_past_a_later_round_of_several_or_one_out_of_order() -> None:
    again = order("a1>b", "b1>", "b2>a", "a3>c", "b3>", "c3>", "b4>a")
    assert again == ["b1", "a1", "b2", "b3", "a3", "b4", "c3"]
    assert order("a1>b", "b1>", "x1>", "b5>a", "a4>b") == ["b1", "a1", "b5", "x1", "a4"]
    assert order("a1>b", "b1>", "a0>b", "b2>a", "b0>", "a3>b") == ["a1", "b1", "a0", "b2", "b0", "a3"]


def test_a_character_without_a_turn_of_its_own_or_without_a_name_may_answer() -> None:
    assert order("a1>k", "b1>", "k2>a") == ["a1", "k2", "b1"]
    nameless = [
        PlayedTurn("", action, lines, round=at) for action, lines, at in (("1", (), 1), ("2", (Said("So."),), 2))
    ]
    assert in_telling_order([turn("a1>"), nameless[0], nameless[1]])[2] == nameless[1]


def test_simultaneous_turns_are_marked_and_so_is_what_follows_them() -> None:
    rounds = [("a", 1), ("b", 1), ("a", 2), ("c", 3), ("a", 4), ("b", 4)]
    found = [(mark, one.agent) for mark, one in marked(PlayedTurn(name, "sits", round=at) for name, at in rounds)]
    assert found == [("at_once", "a"), ("", "b"), ("afterwards", "a"), ("", "c"), ("at_once", "a"), ("", "b")]


def test_what_is_told_later_than_others_of_its_round_is_marked_too() -> None:
    found = [mark for mark, _ in marked(PlayedTurn("a", "sits", round=at) for at in (1, 2, 1, 3, 4))]
    assert found == ["", "", "meanwhile", "afterwards", ""]


def test_turns_of_an_older_line_are_never_called_simultaneous() -> None:
    assert [mark for mark, _ in marked([PlayedTurn("a", "sits"), PlayedTurn("b", "stands")])] == ["", ""]


agents = st.sampled_from(["a", "b", "c", "d", ""])
lines = st.lists(st.builds(Said, st.just("So."), st.sampled_from(["a", "b", "c", "d", "z", ""])), max_size=2)
odd = st.tuples(agents, lines.map(tuple), st.integers(0, 5))
ends = st.lists(st.tuples(agents, lines.map(tuple)), max_size=6)
played = st.tuples(ends, ends).map(
    lambda parts: [(*one, 1) for one in parts[0]] + [(*one, at) for at, one in enumerate(parts[1], 2)]
)


@given(st.one_of(played, st.lists(odd, max_size=9)))
def test_all_turns_are_told_once_and_none_before_what_it_answers(
    found: list[tuple[str, tuple[Said, ...], int]],
) -> None:
    turns = [PlayedTurn(agent, str(at), said, round=number) for at, (agent, said, number) in enumerate(found)]
    told = in_telling_order(turns)
    assert sorted(told, key=lambda one: int(one.action)) == turns
    place = {one.action: at for at, one in enumerate(told)}
    for earlier, later in combinations(turns, 2):
        is_later = 0 < earlier.round < later.round or 0 in (earlier.round, later.round)
        to = {line.to for line in later.lines}
        speaks_to_all = not to or "" in to or "z" in to
        if earlier.agent == later.agent or (is_later and (speaks_to_all or earlier.agent in to)):
            assert place[earlier.action] < place[later.action]
    numbers = [one.round for one in turns]
    if len({*numbers}) == len(numbers):
        assert list(told) == turns, "played one by one"
