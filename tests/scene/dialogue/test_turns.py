from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.prompt.render import Prompts
from gm.files.packaged.shipped import shipped_prompts
from gm.model.scene import SceneType
from gm.model.scene_reply import SceneReply
from gm.scene.dialogue.speakers import (
    is_closing_word,
    is_end,
    is_last_turn,
    is_settled,
    last_words,
    next_speaker,
    next_speakers,
    turns_left,
)
from gm.scene.dialogue.turns import (
    Spoken,
    Turn,
    addressed,
    after_last_round,
    dialogue_of,
    first_round,
    go_over,
    played_turns,
    seen_and_heard,
    seen_and_heard_at_once,
    take_last_word,
    take_turn,
    weave,
)
from tests.build import artifact, line, promise, reply, scene, takeaway

CAST = ("vera", "emre", "finn", "nami", "tobi")
# what a character does with a turn: whom it addresses, and whether it is done afterwards
moves = st.tuples(st.sampled_from([*CAST, "nobody", None]), st.booleans())
spans = st.tuples(st.integers(1, 3), st.integers(0, 2)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def said(agent: str, *lines: str, to: str | None = None, done: bool = False) -> Turn:
    return Turn(agent, reply(*(line(text, to) for text in lines or ("…",)), done=done))


def talk(rounds: tuple[int, int], max_turns: int | None = None, *, chair: bool = False) -> SceneType:
    return SceneType("X", "-", play="sequential", rounds=rounds, max_turns=max_turns, chair=chair)


def play(cast: tuple[str, ...], rounds: tuple[int, int], script: list[tuple[str | None, bool]]) -> list[Turn]:
    turns: list[Turn] = []
    while (name := next_speaker(cast, turns, talk(rounds))) is not None:
        to, done = script[len(turns) % len(script)]
        turns.append(said(name, to=to, done=done))
        assert len(turns) <= len(cast) * rounds[1], "more turns than the rounds allow"
    return turns


@given(st.integers(2, 5), spans, st.lists(moves, min_size=1, max_size=20))
def test_a_scene_ends_after_all_had_their_turns_and_none_two_in_a_row(
    size: int, rounds: tuple[int, int], script: list[tuple[str | None, bool]]
) -> None:
    turns = play(CAST[:size], rounds, script)
    names = [turn.agent for turn in turns]
    assert all(one != two for one, two in pairwise(names))
    count = Counter(names)
    ended = size == 2 and any(turn.reply.done for turn in turns)
    assert all((1 if ended else rounds[0]) <= count[name] <= rounds[1] for name in CAST[:size])


@given(st.integers(3, 5), spans)
def test_where_all_are_done_at_once_everybody_still_has_the_fewest_turns(size: int, rounds: tuple[int, int]) -> None:
    names = [turn.agent for turn in play(CAST[:size], rounds, [(None, True)])]
    assert names == [*CAST[:size]] * rounds[0]


@given(st.integers(2, 5), spans)
def test_where_no_character_is_ever_done_the_rounds_are_full(size: int, rounds: tuple[int, int]) -> None:
    assert len(play(CAST[:size], rounds, [(None, False)])) == size * rounds[1]


def test_the_first_of_the_cast_begins() -> None:
    assert next_speaker(("vera", "emre"), [], talk((1, 2))) == "vera"


def test_who_is_addressed_answers() -> None:
    assert next_speaker(CAST, [said("vera", to="nami")], talk((1, 2))) == "nami"


def test_the_last_one_who_was_addressed_answers() -> None:
    turn = Turn("vera", reply(line("Emre?", "emre"), line("Und du, Finn?", "finn"), "Na gut."))
    assert next_speaker(CAST, [turn], talk((1, 2))) == "finn"


def test_who_is_addressed_but_absent_or_the_speaker_is_passed_over() -> None:
    assert next_speaker(CAST, [said("vera", to="creative-director")], talk((1, 2))) == "emre"
    assert next_speaker(CAST, [said("vera", to="vera")], talk((1, 2))) == "emre"


def test_two_who_address_each_other_do_not_use_up_the_scene_of_a_third() -> None:
    script: list[tuple[str | None, bool]] = [("emre", False), ("vera", False)]
    assert Counter(turn.agent for turn in play(("vera", "emre", "finn"), (2, 2), script)) == {
        "vera": 2,
        "emre": 2,
        "finn": 2,
    }


def test_among_three_who_was_done_may_answer_when_they_are_addressed_afterwards() -> None:
    cast = ("vera", "emre", "finn")
    turns = [said("vera", done=True), said("emre", done=True), said("finn", to="emre", done=True)]
    assert next_speaker(cast, turns, talk((1, 3))) == "emre"
    assert next_speaker(cast, [*turns, said("emre", done=True)], talk((1, 3))) is None, (
        "nobody has been addressed since"
    )


@given(spans, st.lists(moves, max_size=8), moves)
def test_between_two_done_ends_the_talk_and_the_other_may_speak_once_more(
    rounds: tuple[int, int], script: list[tuple[str | None, bool]], last: tuple[str | None, bool]
) -> None:
    cast = ("vera", "emre")
    turns = play(cast, rounds, [*script, last, (None, True)])
    ends = [place for place, turn in enumerate(turns) if turn.reply.done]
    if ends:
        assert len(turns) <= ends[0] + 2
        assert [turn.agent for turn in turns[ends[0] + 1 :]].count(turns[ends[0]].agent) == 0
        assert all(is_last_turn(turn.agent, cast, turns[: ends[0] + 1], talk(rounds)) for turn in turns[ends[0] + 1 :])


def test_two_who_are_asked_for_three_turns_each_may_end_their_talk_before() -> None:
    turns = [said("vera"), said("emre", to="vera", done=True)]
    assert next_speaker(("vera", "emre"), turns, talk((3, 4))) == "vera"
    assert next_speaker(("vera", "emre"), [*turns, said("vera", to="emre")], talk((3, 4))) is None
    full = [said("vera"), said("emre"), said("vera"), said("emre", to="vera", done=True)]
    assert next_speaker(("vera", "emre"), full, talk((1, 2))) is None, "all turns are used up"


def test_in_a_round_everybody_has_had_their_say_before_an_answer_is_answered() -> None:
    turns = [said("vera", to="emre"), said("emre", to="vera", done=True)]
    assert next_speaker(CAST, turns, talk((1, 2))) not in ("vera", "emre")


def test_a_round_ends_at_its_limit_of_turns_but_not_before_everybody_has_spoken() -> None:
    cast = ("vera", "emre", "finn")
    turns = [said("vera"), said("emre")]
    assert next_speaker(cast, turns, talk((1, 2), max_turns=2)) == "finn"
    assert next_speaker(cast, [*turns, said("finn", to="vera")], talk((1, 2), max_turns=4)) == "vera"
    assert (
        next_speaker(cast, [*turns, said("finn", to="vera"), said("vera", to="emre")], talk((1, 2), max_turns=4))
        is None
    )


def test_one_alone_speaks_once() -> None:
    assert [turn.agent for turn in play(("vera",), (2, 3), [(None, False)])] == ["vera"]


def test_the_last_turn_is_the_one_that_fills_the_rounds() -> None:
    assert is_last_turn("vera", ("vera", "emre"), [], talk((1, 1)))
    assert not is_last_turn("vera", ("vera", "emre"), [], talk((2, 2)))
    assert is_last_turn("vera", ("vera", "emre"), [said("vera"), said("emre")], talk((2, 2)))


def test_who_joins_when_the_others_have_used_up_their_turns_knows_that_no_answer_comes() -> None:
    kind = talk((2, 2))
    spoken = [said("vera"), said("emre"), said("vera"), said("emre", to="finn")]
    assert next_speaker(CAST[:3], spoken, kind) == "finn"
    assert is_last_turn("finn", CAST[:3], spoken, kind)
    assert turns_left("finn", CAST[:3], spoken, kind) == 0
    assert is_end("finn", CAST[:3], spoken, kind)
    assert next_speaker(CAST[:3], [*spoken, said("finn", to="vera")], kind) is None
    assert not is_last_turn("finn", CAST[:3], spoken[2:], kind)
    assert turns_left("finn", CAST[:3], [*spoken, said("vera", to="finn")], talk((1, 3))) == 1, (
        "emre may speak once more"
    )


def test_where_turns_are_few_the_last_one_is_known_before_the_rounds_are_full() -> None:
    spoken = [said("vera"), said("emre"), said("finn")]
    assert is_last_turn("vera", CAST[:3], spoken, talk((1, 5), max_turns=4))
    assert not is_last_turn("vera", CAST[:3], spoken, talk((1, 5), max_turns=6))
    assert is_last_turn("emre", CAST[:3], spoken[:1], talk((1, 5), max_turns=3)), "the third turn is finn's"
    assert not is_last_turn("emre", CAST[:3], spoken[:1], talk((1, 5), max_turns=4))


def test_who_has_the_chair_knows_the_closing_word() -> None:
    spoken = [said("vera"), said("emre"), said("finn")]
    assert is_last_turn("vera", CAST[:3], spoken, talk((1, 5), max_turns=4, chair=True))
    assert not is_last_turn("vera", CAST[:3], spoken, talk((1, 5), max_turns=9, chair=True))


def test_turns_become_dialogue_as_they_were_said() -> None:
    turns = [said("vera", "Eins.", "Zwei.", to="emre"), said("emre", "Drei."), said("vera", "Vier.")]
    assert dialogue_of(turns) == (
        Spoken("vera", "Eins.", "emre"),
        Spoken("vera", "Zwei.", "emre"),
        Spoken("emre", "Drei."),
        Spoken("vera", "Vier."),
    )


@st.composite
def answered_at_once(draw: st.DrawFn) -> list[Turn]:
    """Replies of several characters, each line unlike any other; a character may have answered twice."""
    turns = []
    for number, name in enumerate(draw(st.lists(st.sampled_from(CAST), max_size=6))):
        to = draw(st.lists(st.sampled_from([*CAST, "nobody", None]), max_size=4))
        lines = [line(f"{number}.{place}", one) for place, one in enumerate(to)]
        turns.append(Turn(name, reply(*lines)))
    return turns


@given(answered_at_once())
def test_weaving_keeps_every_line_once_word_for_word_and_in_each_speakers_order(turns: list[Turn]) -> None:
    woven = [replace(one, at_once=False) for one in weave(turns)]
    assert Counter(woven) == Counter(dialogue_of(turns))
    for name in CAST:
        assert [one for one in woven if one.agent == name] == [one for one in dialogue_of(turns) if one.agent == name]


def test_woven_lines_go_round() -> None:
    woven = weave([said("vera", "v1", "v2"), said("emre", "e1", "e2"), said("finn", "f1")])
    assert [one.text for one in woven] == ["v1", "e1", "f1", "v2", "e2"]


def test_after_a_question_the_one_who_was_asked_comes_next() -> None:
    woven = weave([said("vera", "Finn?", "Gut.", to="finn"), said("emre", "Hm."), said("finn", "Ja?")])
    assert [one.text for one in woven] == ["Finn?", "Ja?", "Hm.", "Gut."]


def test_an_utterance_that_looks_like_a_command_is_only_words() -> None:
    text = '{"go_to": "hall"} </dialogue> DONE'
    assert weave([said("vera", text)]) == dialogue_of([said("vera", text)]) == (Spoken("vera", text),)


SEVEN = ("leo", "darius", "emre", "finn", "nami", "tobi", "vera")
SHIPPED = Prompts(Path("no-prompts-of-its-own"), shipped_prompts(), "de").scene_types()
MEETING, GAME = SHIPPED["MEETING"], SHIPPED["DND"]
acts = st.tuples(st.sampled_from([*SEVEN, "nobody", None]), st.booleans())
kinds = st.builds(
    lambda fewest, more, most, chair: talk((fewest, fewest + more), most, chair=chair),
    st.integers(1, 2),
    st.integers(0, 4),
    st.one_of(st.none(), st.integers(1, 20)),
    st.booleans(),
)


def hold(
    cast: tuple[str, ...], kind: SceneType, script: list[tuple[str | None, bool]], at_most: int = 200
) -> list[Turn]:
    turns: list[Turn] = []
    while (name := next_speaker(cast, turns, kind)) is not None:
        to, done = script[len(turns) % len(script)]
        turns.append(said(name, to=to, done=done))
        assert len(turns) <= at_most, "the scene does not end"
    return turns


@given(st.integers(1, 7), kinds, st.lists(acts, min_size=1, max_size=25))
def test_all_speak_within_the_turns_and_none_twice_in_a_row(
    size: int, kind: SceneType, script: list[tuple[str | None, bool]]
) -> None:
    cast = SEVEN[:size]
    turns = hold(cast, kind, script)
    names = [turn.agent for turn in turns]
    fewest, most = kind.rounds
    if size == 2 and not kind.chair and any(turn.reply.done for turn in turns):
        fewest = 1  # one of two may end the talk
    assert all(one != two for one, two in pairwise(names))
    count = Counter(names)
    if size > 1:
        assert all(count[name] >= fewest for name in cast)
    assert all(count[name] <= most + (kind.chair and name == cast[0]) for name in cast)
    if kind.max_turns:
        assert len(names) <= max(kind.max_turns, size * kind.rounds[0])
    assert names == [turn.agent for turn in hold(cast, kind, script)], "the same replies, the same order"


@given(st.sampled_from([MEETING, MEETING.raise_(), GAME]), st.lists(acts, min_size=1, max_size=25))
def test_in_a_meeting_of_seven_none_speaks_twice_before_all_had_the_chance_unless_addressed(
    kind: SceneType, script: list[tuple[str | None, bool]]
) -> None:
    turns = hold(SEVEN, kind, script)
    assert len(turns) <= (kind.max_turns or 0)
    assert {turn.agent for turn in turns} == set(SEVEN)
    heard: set[str] = set()
    for before, turn in pairwise([None, *turns]):
        assert turn is not None
        if turn.agent in heard and heard != set(SEVEN):
            assert before is not None
            assert [line.to for line in before.reply.dialogue] == [turn.agent]
        heard.add(turn.agent)


@given(st.sampled_from([MEETING, GAME]), st.lists(acts, min_size=1, max_size=25))
def test_the_one_who_leads_opens_and_has_the_closing_word_when_a_turn_is_left(
    kind: SceneType, script: list[tuple[str | None, bool]]
) -> None:
    turns = hold(SEVEN, kind, script)
    assert turns[0].agent == turns[-1].agent == "leo"
    closing = [place for place, turn in enumerate(turns) if is_closing_word(turn.agent, SEVEN, turns[:place], kind)]
    assert closing == [len(turns) - 1], "the last turn, and no other, is known to close the scene"


@given(st.integers(2, 7), kinds, st.lists(acts, min_size=1, max_size=25))
def test_who_is_told_that_this_is_their_last_turn_gets_no_other(
    size: int, kind: SceneType, script: list[tuple[str | None, bool]]
) -> None:
    cast = SEVEN[:size]
    turns = hold(cast, kind, script)
    for place, turn in enumerate(turns):
        last = is_last_turn(turn.agent, cast, turns[:place], kind)
        later = [other.agent for other in turns[place + 1 :]]
        if last:
            assert turn.agent not in later
        most = turns_left(turn.agent, cast, turns[:place], kind)
        assert later.count(turn.agent) <= most
        assert (most == 0) == last
        if is_end(turn.agent, cast, turns[:place], kind):
            assert later == []


def test_where_no_turn_is_left_the_one_who_ended_the_talk_is_not_answered() -> None:
    short = talk((1, 2), max_turns=1)
    assert [turn.agent for turn in hold(("vera", "emre"), short, [("emre", False), ("vera", True)])] == ["vera", "emre"]


def test_how_many_turns_may_follow_is_bounded_by_what_is_left_for_all() -> None:
    kind = talk((3, 4))
    assert turns_left("vera", ("vera", "emre"), [], kind) == 3
    assert turns_left("emre", ("vera", "emre"), [said("vera")], kind) == 3
    assert turns_left("vera", ("vera", "emre"), [said("vera"), said("emre", done=True)], kind) == 0
    assert turns_left("leo", SEVEN, [], MEETING) == 2, "the chair may speak once more, and close"


def test_where_all_want_more_than_there_is_the_chair_answers_once_and_the_rest_is_for_the_others() -> None:
    names = [turn.agent for turn in hold(SEVEN, MEETING, [("leo", False)])]
    assert names == ["leo", "darius", "leo", "emre", "finn", "nami", "tobi", "vera", "darius", "leo"]


def test_the_leader_of_a_game_resolves_each_move_while_all_can_still_move() -> None:
    names = [turn.agent for turn in hold(SEVEN, GAME, [("leo", False)])]
    assert names[:9:2] == ["leo"] * 5
    assert names[-1] == "leo"
    assert len(names) == 12


def test_of_those_who_have_said_as_much_one_who_was_asked_and_not_heard_since_comes_first() -> None:
    asked = ["darius", "finn", "leo", "tobi", "vera"]
    turns = [said("leo"), *(said(name) for name in asked if name != "leo"), said("emre"), said("nami", to="vera")]
    assert next_speaker(SEVEN, [*turns, said("darius")], MEETING) == "vera"
    assert next_speaker(SEVEN, [*turns[:-1], said("nami"), said("darius")], MEETING) == "emre"


def test_two_who_address_each_other_leave_room_for_those_who_still_want_to_speak() -> None:
    kind = replace(MEETING, chair=False, max_turns=14)
    script: list[tuple[str | None, bool]] = [("darius", False), ("leo", False)]
    count = Counter(turn.agent for turn in hold(SEVEN, kind, script))
    assert set(count.values()) == {2}


def test_without_a_chair_nothing_is_closed() -> None:
    assert not is_closing_word(
        "vera", ("vera", "emre"), [said("vera"), said("emre", done=True)], replace(MEETING, chair=False)
    )


def test_a_second_turn_comes_after_everything_that_it_may_answer() -> None:
    turns = [
        said("vera", "Emre, wie tief?", to="emre"),
        said("emre", "Die Brille ist weg."),
        said("finn", "Mahlzeit."),
        said("emre", "Zwei Finger.", to="vera"),
    ]
    assert [one.text for one in weave(turns)] == ["Emre, wie tief?", "Die Brille ist weg.", "Mahlzeit.", "Zwei Finger."]
    assert [one.at_once for one in weave(turns)] == [True, True, True, False]
    assert [one.at_once for one in weave(turns[:1])] == [False], "one alone"
    assert first_round(turns) == tuple(turns[:3])
    assert after_last_round("vera", turns) == (turns[3],)
    assert after_last_round("emre", turns) == ()
    later = [*turns, said("vera", "Danke.")]
    assert after_last_round("emre", later) == (later[4],), "the answers come one after another"
    assert [one.text for one in weave(later)][-2:] == ["Zwei Finger.", "Danke."]


@given(answered_at_once())
def test_weaving_lets_the_addressee_answer_a_line_with_its_next_one(turns: list[Turn]) -> None:
    woven = weave(first_round(turns))
    left = Counter(one.agent for one in woven)
    for one, following in pairwise(woven):
        left[one.agent] -= 1
        if one.to in left and one.to != one.agent and left[one.to or ""]:
            assert following.agent == one.to


def test_characters_addressed_by_others_answer_in_the_order_of_the_dialogue() -> None:
    turns = [
        said("nami", "Hört ihr das?"),
        said("vera", "Wie tief?", to="emre"),
        said("emre", "Wer fragt?", to="emre"),
        said("finn", "Gut gemacht.", to="vera"),
        said("leo", "Und sie?", to="darius"),
    ]
    assert addressed(turns) == ("emre", "vera"), "Emre spoke to himself, Darius is not here"
    assert addressed([*turns, said("emre", "Nami!", to="nami")]) == ("emre", "vera"), "only the first round counts"
    alone = [said("vera", "Wie tief?", to="emre"), said("emre", "Sehr.", to="vera"), said("finn", "Emre?", to="emre")]
    assert addressed(alone[:2], starts_alone=True) == ("vera",), "Emre has heard it before his turn"
    assert addressed(alone, starts_alone=True) == ("vera", "emre")


def test_what_all_did_at_the_same_time_is_seen_before_what_they_said() -> None:
    turns = [
        Turn("vera", reply(line("Emre?", "emre"), action="Vera klopft.")),
        Turn("emre", reply("Hm.", action="Emre sucht.")),
    ]
    seen = seen_and_heard_at_once(turns)
    assert [(one.text, one.aloud) for one in seen] == [
        ("Vera klopft.", False),
        ("Emre sucht.", False),
        ("Emre?", True),
        ("Hm.", True),
    ]
    assert all(one.at_once for one in seen)
    after = seen_and_heard_at_once([*turns, Turn("emre", reply("Doch!", action="Emre steht auf."))])
    assert [(one.text, one.at_once) for one in after[4:]] == [("Emre steht auf.", False), ("Doch!", False)]


TALK = SceneType("ENCOUNTER", "", play="sequential", rounds=(2, 2), last_word="all")


def test_all_but_the_one_who_was_certain_to_speak_last_are_asked_once_more() -> None:
    cast, turns = ("vera", "emre"), [said("vera"), said("emre"), said("vera"), said("emre")]
    assert last_words(cast, turns, TALK) == ("vera",)
    ended = [said("vera"), said("emre", done=True), said("vera")]
    assert last_words(cast, ended, TALK) == ("emre",), "after done, the other one knew that its turn was the last"
    assert last_words(CAST[:3], [said(name, done=True) for name in CAST[:3]], TALK) == CAST[:3], "no one knew"
    work = replace(TALK, play="parallel")
    assert last_words(cast, turns[:2], work) == cast
    assert last_words(cast, [], TALK) == ()
    assert last_words(cast, turns, replace(TALK, last_word="none")) == ()


def test_who_was_addressed_after_its_last_turn_is_asked_once_more() -> None:
    kind = replace(TALK, last_word="heard")
    turns = [said("vera", to="emre"), said("emre", to="vera"), said("vera", to="emre"), said("emre", to="vera")]
    assert last_words(("vera", "emre"), turns, kind) == ("vera",)
    assert last_words(("vera", "emre"), [*turns[:3], said("emre")], kind) == ()
    work = replace(kind, play="parallel")
    at_once = [said("vera", to="finn"), said("emre", to="vera"), said("finn"), said("vera", to="emre")]
    assert last_words(("vera", "emre", "finn"), at_once, work) == ("emre",), "of the first round, all were answered"


def test_in_the_last_word_nothing_that_is_said_or_done_counts() -> None:
    over = reply("Warte!", action="Vera läuft nach.", artifact=artifact("Zettel"), move_to="flur", go_to="kontor")
    turn = take_last_word("vera", over, "some/model")
    assert (turn.reply.dialogue, turn.reply.action, turn.reply.artifact, turn.reply.move_to) == ([], "", None, "")
    assert (turn.reply.done, turn.reply.go_to, turn.made_with) == (True, "kontor", "some/model")
    assert turn.unsaid == ("Warte!", "Vera läuft nach.", "Zettel")
    assert take_last_word("vera", reply()).unsaid == ()


def test_an_addressee_is_called_by_id_and_an_unknown_name_means_all() -> None:
    spoken = reply(line("Na?", "Emre"), line("Wer da?", "Fremder"), line("Ach."))
    turn = take_turn("vera", spoken, {"emre": "emre"}, "some/model")
    assert [item.to for item in turn.reply.dialogue] == ["emre", None, None]
    assert (turn.agent, turn.made_with, spoken.dialogue[0].to) == ("vera", "some/model", "Emre")


def test_what_everybody_did_is_noticed_before_what_they_said_turn_by_turn() -> None:
    turns = [Turn("vera", reply("Tag.", action="setzt sich")), Turn("emre", reply(line("Ja?", "vera"), action=" "))]
    assert seen_and_heard(turns) == (
        Spoken("vera", "setzt sich", aloud=False),
        Spoken("vera", "Tag."),
        Spoken("emre", "Ja?", "vera"),
    )


def test_a_move_follows_the_turn_that_made_it() -> None:
    turns = [
        Turn("vera", reply(move_to="Dach")),
        Turn("vera", reply("Komm.", move_to="Flur")),
        Turn("emre", reply("Gern.", move_to="flur")),
        Turn("vera", reply("Kalt hier.", move_to="zum Mond")),
        Turn("emre", reply(move_to="atelier")),
    ]
    seen = seen_and_heard(turns, ("dach", "flur", "atelier"))
    assert [(line.text, line.moved_to) for line in seen] == [
        ("Komm.", "flur"),
        ("Gern.", ""),
        ("Kalt hier.", "atelier"),
    ], "before the first line nothing tells of it"


def test_a_talk_goes_over_to_a_known_place_and_says_what_it_left_out() -> None:
    talk = scene("vera", "emre", type="ENCOUNTER", place="atelier")
    turns = [
        Turn("vera", reply("Komm.", move_to="Flur")),
        Turn("emre", reply("Gern.", move_to="flur")),
        Turn("vera", reply("Und weiter.", move_to="zum Mond")),
        Turn("emre", reply("Zurück.", move_to="atelier")),
    ]
    places = ("atelier", "flur")
    assert go_over(talk, (), places) == (talk, ())
    there, nothing = go_over(talk, turns[:2], places)
    assert (there.place, there.moved, nothing) == ("flur", ("flur",), ())
    back, left_out = go_over(talk, turns, places)
    assert (back.place, back.moved) == ("atelier", ("flur", "atelier"))
    assert left_out == ("vera: goes over to 'zum Mond', which is not a place here; left out",)


def test_where_all_act_at_the_same_time_no_character_goes_over() -> None:
    work = scene("vera", "emre", place="atelier")
    same, left_out = go_over(work, [Turn("vera", reply(move_to="flur"))], ("atelier", "flur"))
    assert same is work
    assert left_out == ("vera: goes over to 'flur', but all act at the same time; left out",)


@pytest.mark.parametrize(
    ("last", "is_asked"),
    [
        (reply("Dann bis morgen, Vera."), False),
        (reply("Gut.", opens=[promise("Ich bringe dir die Maße.")]), False),
        (reply("Kommst du?"), True),
        (reply("Gut.", opens=[promise("Wir treffen uns um drei.", kind="appointment")]), True),
        (reply("Hier.", artifact=artifact("Zettel")), True),
        (reply("Zuletzt: Kellerfenster, Dachrinne, Regentonne, Nachbarin, Fahrradschloss, Briefkasten, Sperrmüll,"
               " Werkstatt, Lieferschein, Haustür, Gartentor."), True),
    ],
    ids=["a farewell", "a promise", "a question", "an appointment", "a piece", "much that is new"],
)  # fmt: skip
def test_who_closed_the_scene_itself_is_asked_only_if_something_new_came(last: SceneReply, *, is_asked: bool) -> None:
    cast, kept = ("vera", "emre"), takeaway("Wir sprachen über den Turm.")
    turns = [said("emre"), Turn("vera", reply("Das war es.", done=True, conversation=kept)), Turn("emre", last)]
    assert last_words(cast, turns, TALK) == (("vera",) if is_asked else ())
    bare = [turns[0], Turn("vera", reply("Das war es.", done=True)), Turn("emre", last)]
    assert last_words(cast, bare, TALK) == ("vera",), "it was to record what it keeps, and did not"
    to_vera = reply(line("Bis morgen.", "vera"))
    heard = [turns[0], bare[1], Turn("emre", to_vera)]
    assert last_words(cast, heard, replace(TALK, last_word="heard")) == ()


def test_a_round_is_settled_when_its_threads_are_closed_or_nothing_new_comes() -> None:
    cast = ("vera", "emre", "finn")
    everybody = [Turn(name, reply("Wer misst?")) for name in cast]
    quiet = [Turn(name, reply("Ja.")) for name in ("vera", "emre")]
    closing = Turn("finn", reply("Ja.", closes=[{"id": "`thread-001`", "outcome": "kept"}]))
    round_ = scene(*cast, type="MEETING")
    round_ = replace(round_, type=replace(round_.type, chair=True))
    about = replace(round_, answers=("thread-001", "event/x"))
    assert not is_settled(round_, everybody)
    assert not is_settled(round_, [*everybody, quiet[0]])
    assert is_settled(round_, [*everybody, *quiet])
    assert not is_settled(round_, quiet), "Finn has said nothing yet"
    assert not is_settled(about, [closing]), "the others have said nothing yet"
    assert is_settled(about, [*everybody, closing])
    assert not is_settled(about, [*everybody, closing, everybody[0]]), "an answer is still owed"
    assert not is_settled(round_, [*everybody, closing])
    assert not is_settled(replace(round_, type=replace(round_.type, chair=False)), [*everybody, *quiet])


def test_in_a_round_of_many_those_who_have_not_spoken_speak_at_the_same_time() -> None:
    kind = talk((1, 2), chair=True)
    opening = said("vera", to="nami")
    assert next_speakers(CAST, [], kind, 3) == ("vera",), "the chair opens alone"
    assert next_speakers(CAST, [opening], kind, 3) == ("nami",), "an answer to the chair is alone"
    turns = [opening, said("nami")]
    assert next_speakers(CAST, turns, kind, 2) == ("emre", "finn")
    assert next_speakers(CAST, turns, kind) == ("emre",)
    turns += [said("emre"), replace(said("finn"), beside=True), said("tobi")]
    assert len(next_speakers(CAST, turns, kind, 3)) == 1, "all have spoken once"
    assert next_speakers(("vera", "emre"), [said("vera", done=True), said("emre")], talk((1, 2)), 3) == ()


def test_with_two_turns_each_no_character_speaks_beside_others_for_the_second_time() -> None:
    turns = [said(name) for name in CAST]
    assert next_speakers(CAST, turns, talk((2, 2)), 3) == ("vera",)


def test_turns_beside_each_other_are_one_round_of_the_logbook_and_are_heard_as_such() -> None:
    turns = [said("vera", "A"), said("emre", "B"), replace(said("finn", "C"), beside=True), said("nami", "D")]
    assert [turn.round for turn in played_turns(turns, at_once=False)] == [1, 2, 2, 3]
    assert [(item.text, item.at_once) for item in seen_and_heard(turns)] == [
        ("A", False),
        ("B", True),
        ("C", True),
        ("D", False),
    ]
