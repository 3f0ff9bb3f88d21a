"""Records: what is declared once is read, checked, written and described."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from gm.base.config import kinds
from gm.layers.diary import DIARY_ENTRY
from gm.layers.goals import GOAL_EVENT
from gm.layers.relationships import RELATIONSHIP
from gm.model.clock import BOARD, CLOCK, Post, ScheduledEvent
from gm.model.link import LINK_REQUEST
from gm.model.node import NODE
from gm.model.record import SKIP, Key, Record, RecordError, checked_records, each, readable
from gm.model.state import AGENT_STATE, AgentState
from gm.model.thread import THREAD_EVENT


@dataclass(frozen=True)
class Box:
    """Something to be declared."""

    label: str
    size: int = 1
    lid: str = ""


def box(label: str, size: int = 1, lid: str = "", ignored: str = "") -> Box:
    return Box(label, size, lid)


BOX = Record(
    box,
    "box",
    Key("name", kinds.words, "what it is called", field="label"),
    Key("size", kinds.loose_whole(1, 9), "how large it is", default=1, code="box-range", null=True),
    Key("lid", kinds.text, "its lid", only=("large",)),
    Key("kind", kinds.word("large", "small"), "large or small", default="small", brief=True, field="ignored"),
    code="box-{key}",
    missing="box-missing",
    hint="see the manual",
    variant="kind",
)


def failure(record: object) -> RecordError:
    with pytest.raises(RecordError) as caught:
        BOX.read(record)
    return caught.value


def test_what_is_absent_may_be_left_out_of_what_is_read() -> None:
    record = Record(dict[str, str], "a note", Key("text", kinds.text, "what it says", default=SKIP))
    assert record.read({}) == {}
    assert record.read({"text": "x"}) == {"text": "x"}


def test_a_key_may_have_another_name_in_the_file_and_be_absent_or_null() -> None:
    assert BOX.read({"name": "Kiste", "colour": "red"}) == Box("Kiste")
    assert BOX.read({"name": "Kiste", "size": None}) == Box("Kiste")
    assert BOX.read({"name": "Kiste", "size": 4.0}) == Box("Kiste", 4)


def test_a_key_of_another_variant_is_not_looked_at() -> None:
    assert BOX.read({"name": "Kiste", "lid": 3}).lid == ""
    assert BOX.read({"name": "Kiste", "kind": "large", "lid": "rund"}).lid == "rund"
    assert failure({"name": "Kiste", "kind": "large"}).code == "box-missing"


@pytest.mark.parametrize(
    ("record", "place", "code", "message"),
    [
        ([1], (), "box-form", "found [1], expected an object with name, size, lid, kind"),
        ({"size": 0}, (), "box-missing", "name is missing, expected a text"),
        ({"name": " "}, ("name",), "box-name", 'name is " ", expected a text'),
        ({"name": "a", "size": 12}, ("size",), "box-range", "size 12 is outside 1–9"),
        ({"name": "a", "size": "12"}, ("size",), "box-size", 'size is "12", expected a whole number from 1 to 9'),
    ],
)
def test_what_is_wrong_is_named_by_place_code_and_words(
    record: object, place: tuple[str, ...], code: str, message: str
) -> None:
    error = failure(record)
    assert (error.place, error.code, error.message) == (place, code, message)
    assert error.hint.endswith("see the manual")


def test_an_absent_key_is_named_before_a_wrong_value() -> None:
    assert [error.key for error in BOX.problems({"size": 12, "kind": "large"})] == ["name", "lid", "size"]
    assert failure([]).key == ""


def test_a_record_without_required_keys_is_read_with_defaults_for_what_is_wrong() -> None:
    state, problems = AGENT_STATE.read_all({"name": "Vera", "mood": 3, "today_plan": ["Messen", 4], "care_wanted": 1})
    assert state == AgentState("Vera", today_plan=("Messen",))
    assert [(error.key, error.code) for error in problems] == [("mood", "value-type"), ("care_wanted", "value-type")]


def test_records_that_lie_in_a_list_are_read_all_or_as_far_as_possible() -> None:
    items: list[Any] = [{"name": "Kiste"}, {"size": 1}, 3]
    assert readable(BOX)(items) == (Box("Kiste"),)
    with pytest.raises(RecordError, match="name is missing"):
        each(BOX, "a list of boxes")(items)
    with pytest.raises(ValueError, match="a list of boxes"):
        each(BOX, "a list of boxes")({})


def test_an_error_of_a_value_that_fits_by_itself_carries_the_hint_of_its_key() -> None:
    assert BOX.error("name", "there are two").hint == "what it is called; see the manual"


def test_a_clock_and_a_board_keep_what_can_be_read() -> None:
    clock, problems = CLOCK.read_all(
        {
            "day": 2.0,
            "scheduled_events": [{"day": 3, "event": "Fest", "with": ["vera"], "lead": 4}, {"day": 3}],
            "day_open": 1,
        }
    )
    assert clock.day == 2
    assert clock.scheduled_events == (ScheduledEvent(3, "Fest", cast=("vera",), lead="4"),)
    assert [error.key for error in problems] == ["day_open"]
    assert (
        CLOCK.read({"scheduled_events": [{"day": 3, "event": "Fest", "with": "alle"}]}).scheduled_events[0].cast == ()
    )
    board = BOARD.read(
        {
            "posts": [{"content": 3}, {"from": "otto", "content": "Kommt!", "day": "x", "scene": 2, "artifact": 1}],
            "team_decisions": [{"decision": "Ja."}, "Nein."],
        }
    )
    assert board.posts == (Post(1, "otto", "", "Kommt!", 0, 2),)
    assert board.decisions == ("Ja.",)


def test_a_schema_says_which_keys_are_required_and_when() -> None:
    schema: Any = BOX.schema()
    assert schema["required"] == ["name"]
    assert schema["properties"]["size"] == {
        "anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}],
        "description": "how large it is",
        "default": 1,
    }
    assert schema["allOf"] == [{"if": {"properties": {"kind": {"const": "large"}}}, "then": {"required": ["lid"]}}]
    opened: Any = THREAD_EVENT.schema()["properties"]
    assert opened["to"]["default"] == []


@pytest.mark.parametrize(
    "record",
    [NODE, AGENT_STATE, CLOCK, BOARD, THREAD_EVENT, GOAL_EVENT, DIARY_ENTRY, RELATIONSHIP, LINK_REQUEST],
    ids=lambda record: record.what,
)
def test_every_key_of_every_record_is_described(record: Record[Any]) -> None:
    schema: Any = record.schema()
    assert json.loads(json.dumps(schema)) == schema
    assert list(schema["properties"]) == [key.name for key in record.keys]
    for described in schema["properties"].values():
        assert described["description"]
        assert described.keys() & {"type", "enum", "anyOf"}


PAIR = Record(
    dict[str, Any],
    "a pair",
    Key("kind", kinds.word("left", "right"), "which of the two", default=SKIP),
    Key("heel", kinds.text, "its heel", default="", only=("left",), example="high"),
    code="pair-form",
    variant="kind",
    closed=True,
    unknown="pair-key",
    own="_",
)
LISTS = Record(
    dict[str, Any], "lists", Key("first", kinds.texts, "the first", default=()), code="list-form", others=kinds.texts
)


def test_a_closed_record_allows_keys_with_its_prefix_and_no_other() -> None:
    assert PAIR.fits({"kind": "left", "heel": "high", "_mine": 1})
    (error,) = PAIR.problems({"kind": "left", "heal": "high"})
    assert (error.place, error.code, error.unknown) == (("heal",), "pair-key", True)
    assert error.message == '"heal" is not a key of a pair'
    assert error.hint == "did you mean heel?; a key of your own begins with _"
    (error,) = PAIR.problems({"kind": "right", "heel": "high"})
    assert error.key == "heel"
    assert error.inside("pairs").unknown


def test_the_schema_of_a_closed_record_says_which_keys_belong_to_which_variant() -> None:
    schema: Any = PAIR.schema()
    assert (schema["additionalProperties"], schema["patternProperties"]) == (False, {"^_": {}})
    only = {"properties": {"kind": {"enum": ["left"]}}}
    assert schema["allOf"] == [{"if": only, "else": {"properties": {"heel": False}}}]
    assert schema["properties"]["heel"]["examples"] == ["high"]


def test_undeclared_keys_may_have_a_kind() -> None:
    assert LISTS.fits({"second": ["a"], "third": None})
    (error,) = LISTS.problems({"second": ["a", 3]})
    assert (error.place, error.code) == (("second", 1), "list-form")
    schema: Any = LISTS.schema()
    assert schema["additionalProperties"] == {"anyOf": [kinds.texts.schema, {"type": "null"}]}


def test_values_that_do_not_fit_count_as_absent() -> None:
    assert BOX.read_fitting({"name": "x", "size": "large", "more": 1}) == Box("x")


def test_records_of_a_list_with_problems_are_left_out_and_named() -> None:
    kind = checked_records(PAIR, "a list of pairs")
    assert kind([{"kind": "left"}, {"kid": "left"}]) == ({"kind": "left", "heel": ""},)
    assert kind.inner is not None
    assert [error.place for error in kind.inner([{"kind": "left"}, {"kid": "left"}, 3])] == [(1, "kid"), (2,)]
