import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.ask.reply.direction import parse_direction
from tests.build import agent, scene

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
        ({"number": True}, "number: Value error, the number of a scene in the list is expected (found: True)"),
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


def test_what_somebody_has_in_mind_is_all_that_follows_its_kind() -> None:
    one = scene("vera", "emre", type="ENCOUNTER", intent="Mit Emre sprechen: die Hälfte der Schwelle: links")
    text = json.dumps(GOOD | {"premise": "Es geht um die Hälfte der Schwelle: links."})
    assert parse_direction(text, (one,), AGENTS).problems
