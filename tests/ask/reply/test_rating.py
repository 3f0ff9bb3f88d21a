from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.reply.rating import parse_direction, parse_rating, parse_ratings
from tests.build import agent, scene


@pytest.mark.parametrize("text", ["7", " 7\n", '{"importance": 7}'])
def test_a_plain_answer_needs_no_repair(text: str) -> None:
    parsed = parse_rating(text)
    assert parsed.reply is not None
    assert (parsed.reply.importance, parsed.repairs) == (7, ())


@pytest.mark.parametrize(
    "text",
    [
        "7.",
        "**7**",
        "7/10",
        "7 von 10",
        '"7"',
        "[7]",
        "```\n7\n```",
        '```json\n{"importance": 7}\n```',
        'Gern:\n{"importance": 7,}',
        '{"importance": "7"}',
        '{"importance": "7/10"}',
        '{"importance": [7]}',
        '{"importance": 7.0, "reason": "Es ist ihr Turm."}',
        "Importance: 7",
        "importance: 7\nreason: it is her tower",
        "Auf einer Skala von 1 bis 10 ist das eine 7.",
        "Das ist für sie eine 7/10, mehr nicht.",
        '{"importance": "7 von 10", "reason": "am Tag 3 hat sie 2 Stunden daran gesessen"}',
        "Rating (1–10): 7",
        "I would say 7 out of 10, because vera-012 already said so.",
        "Am Tag 3 hat sie lange daran gesessen.\n\n7",
    ],
)
def test_a_number_is_found_in_prose_fences_and_objects_and_the_repair_is_recorded(text: str) -> None:
    parsed = parse_rating(text)
    assert parsed.reply is not None, parsed.problems
    assert parsed.reply.importance == 7
    if text not in ('{"importance": "7"}', '{"importance": 7.0, "reason": "Es ist ihr Turm."}'):
        assert parsed.repairs


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0", "greater than or equal to 1"),
        ("11", "less than or equal to 10"),
        ("-3", "greater than or equal to 1"),
        ("7.5", "fractional"),
        ("7,5", "fractional"),
        ('{"importance": 11}', "less than or equal to 10"),
        ('{"importance": true}', "whole number from 1 to 10"),
        ('{"importance": null}', "no number found"),
        ('{"importance": {}}', "importance"),
        ("", "no number found"),
        ("sieben", "no number found; the answer begins: 'sieben'"),
        ("vera-012", "no number found"),
        ("1 bis 10", "no number found"),
        ("4 oder 5", "found several numbers (4, 5)"),
        ("7-8", "no number found"),
        ("9" * 5000, "finite"),
        ("7" + " " * 1_000_000, "much too long"),
    ],
)
def test_what_is_no_rating_is_a_problem_that_can_be_shown(text: str, problem: str) -> None:
    parsed = parse_rating(text)
    assert parsed.reply is None
    assert problem in parsed.problems[0]
    assert len(parsed.problems[0]) < 200


@pytest.mark.parametrize("text", ["7\n3\n5", " 7\n3\n5\n\n", '{"importance": [7, 3, 5]}'])
def test_a_plain_list_needs_no_repair(text: str) -> None:
    parsed = parse_ratings(text, 3)
    assert parsed.reply is not None
    assert (parsed.reply.importance, parsed.repairs) == ([7, 3, 5], ())


@pytest.mark.parametrize(
    "text",
    [
        "1. 7\n2. 3\n3. 5",
        "1) 7\n2) 3\n3) 5",
        "1: 7\n2: 3\n3: 5",
        "1 - 7\n2 - 3\n3 - 5",
        "- 7\n- 3\n- 5",
        "7, 3, 5",
        "[7, 3, 5]",
        "7/10\n**3**\n5.",
        "```\n7\n3\n5\n```",
        "Hier die 3 Zahlen:\n\n1. 7\n2. 3\n3. 5\n\nDas war es.",
        "1. 7 – sie wird daran denken\n2. 3 (Alltag)\n3. 5, mehr nicht",
        "1. Der Turm steht schief – 7\n2. Kaffee am Tag 3: 3\n3. Das Gespräch: **5**/10",
        '{"importance": {"1": 7, "2": 3, "3": 5}}',
        '{"importance": "7\\n3\\n5"}',
        'So:\n```json\n{"importance": [7, 3, 5]}\n```',
    ],
)
def test_numbers_are_found_one_a_line_in_the_order_of_the_list(text: str) -> None:
    parsed = parse_ratings(text, 3)
    assert parsed.reply is not None, parsed.problems
    assert parsed.reply.importance == [7, 3, 5]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("7\n3", "found 2 numbers, expected 3"),
        ("7\n3\n5\n4", "found 4 numbers, expected 3"),
        ('{"importance": [7, 3]}', "found 2 numbers, expected 3"),
        ('{"importance": [7, 3, 5, 4]}', "found 4 numbers, expected 3"),
        ('{"importance": 7}', "found 1 number, expected 3"),
        ('{"importance": {"1": 7, "3": 5}}', "found 1 number, expected 3"),
        ("", "found 0 numbers, expected 3"),
        ("7\n7-8\n5", "found 2 numbers, expected 3"),
        ("1. 7\n3. 3\n2. 5", "rating 2 is numbered 3"),
        ("1. 7\n2. 3\n4. 5", "rating 3 is numbered 4"),
        ("7\n11\n5", "importance.1: Input should be less than or equal to 10 (found: 11)"),
        ("7\n3.5\n5", "importance.1"),
        ('{"importance": [7, null, 5]}', "importance.1"),
    ],
)
def test_a_count_that_does_not_match_is_a_problem_and_never_cut(text: str, problem: str) -> None:
    parsed = parse_ratings(text, 3)
    assert parsed.reply is None
    assert problem in parsed.problems[0]


def test_one_memory_in_a_list_is_one_number() -> None:
    for text in ("7", "1. 7", "[7]", '{"importance": [7]}', '{"importance": 7}'):
        parsed = parse_ratings(text, 1)
        assert parsed.reply is not None, text
        assert parsed.reply.importance == [7]


@given(st.lists(st.integers(1, 10), min_size=1, max_size=30), st.sampled_from(["{n}", "{i}. {n}", "{i}: {n}/10"]))
def test_every_list_that_is_written_as_asked_is_read_as_it_is(numbers: list[int], form: str) -> None:
    text = "\n".join(form.format(i=place, n=number) for place, number in enumerate(numbers, 1))
    parsed = parse_ratings(text, len(numbers))
    assert parsed.reply is not None
    assert parsed.reply.importance == numbers


@given(st.text(), st.integers(1, 5))
def test_every_answer_is_read_or_refused(text: str, count: int) -> None:
    one, several = parse_rating(text), parse_ratings(text, count)
    assert (one.reply is None) == bool(one.problems)
    assert (several.reply is None) == bool(several.problems)
    assert one.reply is None or 1 <= one.reply.importance <= 10
    assert several.reply is None or len(several.reply.importance) == count


def test_a_list_of_ratings_may_not_be_endless() -> None:
    parsed = parse_ratings("7" + " " * 1_000_000, 2)
    assert parsed.problems == ("found a much too long answer, expected 2 numbers from 1 to 10",)
    assert parsed.reply is None


def test_what_was_taken_out_and_how_is_told_word_for_word() -> None:
    assert parse_rating('{"importance": [7]}').repairs == ("taken out of a list of one",)
    assert parse_ratings("Gern: [7, 3]", 2).repairs == ("numbers taken out of the text",)
    assert parse_ratings("7\n3", 2).repairs == ()
    fenced = parse_rating('```json\n{"importance": [4, 5]}\n```')
    assert fenced.reply is None
    assert parse_rating("1 2 3 4 5 6 7 8").problems[0].startswith("found several numbers (1, 2, 3, 4, 5, 6)")


def test_fences_of_both_kinds_are_no_part_of_the_answer() -> None:
    for fence in ("```", "~~~", "  ```", "  ~~~"):
        for numbers in ("7\n3", "7, 3"):
            parsed = parse_ratings(f"{fence}\n{numbers}\n{fence}", 2)
            assert parsed.reply is not None
            assert parsed.reply.importance == [7, 3]


def test_of_two_lists_in_prose_neither_is_taken() -> None:
    assert parse_ratings("[7, 3] oder [4, 5]", 2).problems[0].startswith("found 0 numbers, expected 2")
    one = parse_ratings("Meine Zahlen sind [7; 3], denke ich.", 2)
    assert one.reply is not None
    assert one.reply.importance == [7, 3]


def test_a_list_may_be_parted_by_commas_semicolons_and_blanks() -> None:
    for text in ("7,3,5", "7; 3; 5", "7 3 5", "[7 3, 5]", "[ 7 ,3\n5 ]"):
        parsed = parse_ratings(text, 3)
        assert parsed.reply is not None, text
        assert parsed.reply.importance == [7, 3, 5]


def test_a_number_of_a_line_that_is_out_of_order_is_shown_and_not_at_any_length() -> None:
    long = "9" * 30
    assert parse_ratings(f"1. 7\n{long}. 3", 2).problems == (
        f"rating 2 is numbered {'9' * 20}: one for each memory, in their order",
    )
    assert parse_ratings("2. 7\n3. 3", 2).problems == ("rating 1 is numbered 2: one for each memory, in their order",)
    mixed = parse_ratings("7\n2. 3\n5", 3)
    assert mixed.reply is not None
    assert mixed.reply.importance == [7, 3, 5], "lines without a number count too"


def test_a_count_that_does_not_match_is_told_in_one_or_several() -> None:
    assert parse_ratings("7", 2).problems == ("found 1 number, expected 2: one for each memory, in their order",)
    assert parse_ratings("Nichts.", 2).problems == ("found 0 numbers, expected 2: one for each memory, in their order",)


def test_prose_between_and_around_the_lines_is_left_out_and_told() -> None:
    parsed = parse_ratings("Zuerst:\n7\nund dann\n3", 2)
    assert parsed.reply is not None
    assert (parsed.reply.importance, parsed.repairs) == ([7, 3], ("numbers taken out of the text",))


def test_what_is_shown_of_an_answer_without_a_number_is_its_beginning() -> None:
    text = "Das  weiß\nich nicht. " + "x" * 100
    shown = " ".join(text.split())[:80]
    assert parse_rating(text).problems == (f"no number found; the answer begins: {shown!r}",)


def test_an_answer_is_too_long_from_a_million_characters_on() -> None:
    just = "7" + " " * 999_999
    assert parse_rating(just).reply is not None
    assert parse_ratings(just, 1).reply is not None
    said = "found a much too long answer, expected a number from 1 to 10"
    assert parse_rating(just + " ").problems == (said,)
    assert parse_ratings(just + " ", 1).reply is None


def test_how_an_answer_was_found_that_is_no_rating_is_told_too() -> None:
    fenced = '```json\n{"importance": "4 oder 5"}\n```'
    one, several = parse_rating(fenced), parse_ratings(fenced.replace("4 oder 5", "2. 4"), 1)
    assert (one.reply, one.repairs) == (None, ("taken out of a fenced block",))
    assert one.problems == ("found several numbers (4, 5), expected one from 1 to 10",)
    assert (several.reply, several.repairs) == (None, ("taken out of a fenced block",))
    too_few = parse_ratings('```json\n{"importance": [4]}\n```', 2)
    assert (too_few.reply, too_few.repairs) == (None, ("taken out of a fenced block",))


def test_of_several_objects_the_one_that_names_an_importance_is_the_answer() -> None:
    parsed = parse_rating('Erst {"day": 3}, dann {"Importance": 7}.')
    assert parsed.reply is not None
    assert (parsed.reply.importance, parsed.repairs) == (7, ("prose around it left out",))


def test_an_importance_that_was_left_empty_is_not_taken_from_elsewhere() -> None:
    assert parse_rating('{"importance": null, "day": 3}').problems[0].startswith("no number found")
    assert parse_ratings('{"importance": null, "day": [3, 4]}', 2).problems[0].startswith("found 0 numbers")


AGENTS = {name: agent(name) for name in ("emre", "leo", "vera")}
TALK = scene("vera", "emre", type="ENCOUNTER", intent="Mit Emre sprechen: die linke Hälfte der Schwelle")
WORK = scene("leo", premises={"leo": "Der Lastenaufzug steht seit heute früh."})
GOOD: dict[str, Any] = {"number": 1, "why": "Es ist Zeit.", "premise": "Vera kommt herein.", "premises": []}


def parse(**changes: Any) -> Any:
    return parse_direction(json.dumps(GOOD | changes), (TALK, WORK), AGENTS)


def test_a_choice_is_read() -> None:
    reply = parse().reply
    assert (reply.number, reply.why, reply.premise, reply.premises) == (1, "Es ist Zeit.", "Vera kommt herein.", [])


def test_people_are_known_by_every_name_and_come_out_as_ids() -> None:
    reply = parse(premises=[{"who": "Emre", "text": "Es riecht nach Gips."}]).reply
    assert [(item.who, item.text) for item in reply.premises] == [("emre", "Es riecht nach Gips.")]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"number": 3}, "number: 3 is not in the list; it has 2"),
        ({"number": 0}, "number: Input should be greater than or equal to 1 (found: 0)"),
        ({"number": True}, "number: Value error, expected the number of a scene in the list (found: True)"),
        ({"number": None}, "number: missing"),
        ({"number": "9" * 4000}, "number: Input should be less than or equal to 99 (found: '999"),
        ({"premise": "  "}, "premise: String should have at least 1 character (found: '  ')"),
        ({"why": ""}, "why: String should have at least 1 character (found: '')"),
        ({"premise": "x" * 1001}, "premise: String should have at most 1000 characters"),
        (
            {"premises": [{"who": "leo", "text": "Es zieht."}]},
            "premises.0.who: 'leo' does not take part in scene 1; there are: vera, emre",
        ),
        ({"premises": [{"who": "niemand", "text": "Es zieht."}]}, "premises.0.who: 'niemand' does not take part"),
        ({"premises": [{"who": "emre", "text": ""}]}, "premises.0.text: String should have at least 1 character"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changes: dict[str, Any], problem: str) -> None:
    parsed = parse(**changes)
    assert parsed.reply is None
    assert parsed.problems[0].startswith(problem)


@pytest.mark.parametrize(
    ("number", "premise"),
    [
        (1, "Vera kommt und will mit Emre sprechen: die linke Hälfte der Schwelle."),
        (1, "Es geht um DIE LINKE HAELFTE der Schwelle, wie immer."),
        (2, "Leo weiß: Der Lastenaufzug steht seit heute früh."),
    ],
)
def test_what_only_one_of_them_knows_does_not_stand_in_the_premise_for_all(number: int, premise: str) -> None:
    (problem,) = parse(number=number, premise=premise).problems
    assert problem.startswith("premise: tells all of them what only one of them knows")


def test_what_all_know_anyway_is_no_secret() -> None:
    known = scene("vera", "emre", intent="die linke Hälfte der Schwelle", topic="die linke Hälfte der Schwelle")
    text = json.dumps(GOOD | {"premise": "Es geht um die linke Hälfte der Schwelle."})
    assert parse_direction(text, (known,), AGENTS).reply


def test_a_text_without_an_object_is_no_choice() -> None:
    assert parse_direction("Die zweite, bitte.", (TALK, WORK), AGENTS).problems[0].startswith("no JSON object found")


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_a_choice_or_has_problems(text: str) -> None:
    parsed = parse_direction(text, (TALK, WORK), AGENTS)
    assert (parsed.reply is None) == bool(parsed.problems)


@given(st.dictionaries(st.sampled_from([*GOOD, "x"]), st.none() | st.integers() | st.text() | st.lists(st.text())))
def test_any_object_is_a_choice_or_has_problems(changes: dict[str, Any]) -> None:
    parsed = parse(**changes)
    assert (parsed.reply is None) == bool(parsed.problems)


def test_how_a_choice_was_found_is_told_whether_it_can_be_played_or_not() -> None:
    for changes, fits in (({}, True), ({"number": 3}, False)):
        fenced = f"```json\n{json.dumps(GOOD | changes)}\n```"
        parsed = parse_direction(fenced, (TALK, WORK), AGENTS)
        assert (parsed.reply is not None, parsed.repairs) == (fits, ("taken out of a fenced block",))
        assert bool(parsed.problems) is not fits


def test_a_number_beyond_the_list_is_the_only_thing_that_is_said() -> None:
    assert parse(number=3, premises=[{"who": "niemand", "text": "Es zieht."}]).problems == (
        "number: 3 is not in the list; it has 2",
    )
    assert parse(number=2, premise="Leo kommt herein.").problems == ()


def test_each_of_several_problems_is_told_with_its_place() -> None:
    strangers = [{"who": name, "text": "Es zieht."} for name in ("emre", "x" * 70, "leo")]
    assert parse(premises=strangers).problems == (
        f"premises.1.who: '{'x' * 60}' does not take part in scene 1; there are: vera, emre",
        "premises.2.who: 'leo' does not take part in scene 1; there are: vera, emre",
    )


def test_a_short_text_is_no_secret_and_sixteen_letters_are_one() -> None:
    for secret, is_told in (("Gips im Keller!", False), ("Gips im Kellers!", True), ("Gips, im Kellern!", True)):
        one = scene("leo", premises={"leo": secret})
        text = json.dumps(GOOD | {"premise": f"Heute: {secret} Und nun?"})
        assert bool(parse_direction(text, (one,), AGENTS).problems) is is_told, secret


def test_the_text_of_a_private_premise_stays_as_it_was_written() -> None:
    reply = parse(premises=[{"who": "Emre", "text": "Es riecht."}, {"who": "vera", "text": "Sie friert."}]).reply
    assert [(item.who, item.text) for item in reply.premises] == [("emre", "Es riecht."), ("vera", "Sie friert.")]
    assert (reply.number, reply.premise) == (1, "Vera kommt herein.")


def test_what_a_character_has_in_mind_is_all_that_follows_its_kind() -> None:
    one = scene("vera", "emre", type="ENCOUNTER", intent="Mit Emre sprechen: die Hälfte der Schwelle: links")
    text = json.dumps(GOOD | {"premise": "Es geht um die Hälfte der Schwelle: links."})
    assert parse_direction(text, (one,), AGENTS).problems
