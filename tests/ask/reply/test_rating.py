"""Numbers out of answers: one for a memory, or one for each of several; never a guess."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.reply.rating import parse_rating, parse_ratings


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
        ("4 oder 5", "several numbers found (4, 5)"),
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
        ("7\n3", "2 numbers found, 3 expected"),
        ("7\n3\n5\n4", "4 numbers found, 3 expected"),
        ('{"importance": [7, 3]}', "2 numbers found, 3 expected"),
        ('{"importance": [7, 3, 5, 4]}', "4 numbers found, 3 expected"),
        ('{"importance": 7}', "1 number found, 3 expected"),
        ('{"importance": {"1": 7, "3": 5}}', "1 number found, 3 expected"),
        ("", "0 numbers found, 3 expected"),
        ("7\n7-8\n5", "2 numbers found, 3 expected"),
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
def test_whatever_is_answered_is_read_or_refused(text: str, count: int) -> None:
    one, several = parse_rating(text), parse_ratings(text, count)
    assert (one.reply is None) == bool(one.problems)
    assert (several.reply is None) == bool(several.problems)
    assert one.reply is None or 1 <= one.reply.importance <= 10
    assert several.reply is None or len(several.reply.importance) == count


def test_a_list_of_ratings_may_not_be_endless() -> None:
    parsed = parse_ratings("7" + " " * 1_000_000, 2)
    assert parsed.problems == ("the answer is much too long: 2 numbers from 1 to 10 are expected",)
    assert parsed.reply is None


def test_what_was_taken_out_and_how_is_told_word_for_word() -> None:
    assert parse_rating('{"importance": [7]}').repairs == ("taken out of a list of one",)
    assert parse_ratings("Gern: [7, 3]", 2).repairs == ("numbers taken out of the text",)
    assert parse_ratings("7\n3", 2).repairs == ()
    fenced = parse_rating('```json\n{"importance": [4, 5]}\n```')
    assert fenced.reply is None
    assert parse_rating("1 2 3 4 5 6 7 8").problems[0].startswith("several numbers found (1, 2, 3, 4, 5, 6)")


def test_fences_of_both_kinds_are_no_part_of_the_answer() -> None:
    for fence in ("```", "~~~", "  ```", "  ~~~"):
        for numbers in ("7\n3", "7, 3"):
            parsed = parse_ratings(f"{fence}\n{numbers}\n{fence}", 2)
            assert parsed.reply is not None
            assert parsed.reply.importance == [7, 3]


def test_of_two_lists_in_prose_neither_is_taken() -> None:
    assert parse_ratings("[7, 3] oder [4, 5]", 2).problems[0].startswith("0 numbers found, 2 expected")
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
    assert parse_ratings("7", 2).problems == ("1 number found, 2 expected: one for each memory, in their order",)
    assert parse_ratings("Nichts.", 2).problems == ("0 numbers found, 2 expected: one for each memory, in their order",)


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
    said = "the answer is much too long: a number from 1 to 10 is expected"
    assert parse_rating(just + " ").problems == (said,)
    assert parse_ratings(just + " ", 1).reply is None


def test_how_an_answer_was_found_that_is_no_rating_is_told_too() -> None:
    fenced = '```json\n{"importance": "4 oder 5"}\n```'
    one, several = parse_rating(fenced), parse_ratings(fenced.replace("4 oder 5", "2. 4"), 1)
    assert (one.reply, one.repairs) == (None, ("taken out of a fenced block",))
    assert one.problems == ("several numbers found (4, 5): one from 1 to 10 is expected",)
    assert (several.reply, several.repairs) == (None, ("taken out of a fenced block",))
    too_few = parse_ratings('```json\n{"importance": [4]}\n```', 2)
    assert (too_few.reply, too_few.repairs) == (None, ("taken out of a fenced block",))


def test_of_several_objects_the_one_that_names_an_importance_is_the_answer() -> None:
    parsed = parse_rating('Erst {"day": 3}, dann {"Importance": 7}.')
    assert parsed.reply is not None
    assert (parsed.reply.importance, parsed.repairs) == (7, ("prose around it left out",))


def test_an_importance_that_was_left_empty_is_not_taken_from_elsewhere() -> None:
    assert parse_rating('{"importance": null, "day": 3}').problems[0].startswith("no number found")
    assert parse_ratings('{"importance": null, "day": [3, 4]}', 2).problems[0].startswith("0 numbers found")
