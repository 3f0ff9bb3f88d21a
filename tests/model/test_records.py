"""Lines and entries of files as values: what is written is read back, and what makes no sense is named by its key."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gm.layers.diary import DIARY_ENTRY, DiaryEntry
from gm.layers.goals import GOAL_EVENT, Goal, GoalEvent, fold_goals
from gm.layers.relationships import RELATIONSHIP, Relationship, RelationshipChange, render_history
from gm.model.consulted import CONSULTED, Consulted, Formed, consulted_from_record
from gm.model.layer_replies import SoulEdit
from gm.model.link import LINK_REQUEST, LinkRequest
from gm.model.node import is_older_record, node_from_record, render_node
from gm.model.record import RecordError
from gm.model.thread import THREAD_EVENT

ENTRY = DiaryEntry(3, "Der Turm hält.", "müde", "atelier", "2026-03-04", ("turm",))
GOAL = GoalEvent("goal-01", "day-001/scene-02", "open", "Eine Brücke bauen.")
LINK = LinkRequest("emre", "vera", ("Turm",), "day-001/scene-02")
CALL = Consulted(
    "remember",
    {"text": "Turm"},
    "{}",
    is_error=True,
    formed=(Formed("Der Turm hält.", 7, "reflection", ("turm",), {"kind": "lesson"}),),
    reinforced=("vera-001",),
    recalled=("vera-002",),
)


def wrong(read: Callable[[Any], object], record: object) -> tuple[str, str]:
    """Name the key that is wrong in a record, and what is said about it."""
    with pytest.raises(ValueError, match=r".") as caught:
        read(record)
    assert isinstance(caught.value, RecordError)
    return caught.value.key, str(caught.value)


def test_a_line_of_a_diary_is_written_in_the_order_of_the_file_and_read_back() -> None:
    line = DIARY_ENTRY.render(ENTRY)
    assert line == (
        '{"day": "day-003", "date": "2026-03-04", "mood": "müde", "location": "atelier", '
        '"text": "Der Turm hält.", "tags": ["turm"]}'
    )
    assert DIARY_ENTRY.read(json.loads(line)) == ENTRY


def test_a_diary_without_a_calendar_has_no_date() -> None:
    assert json.loads(DIARY_ENTRY.render(DiaryEntry(1, "Da."))).keys() == {"day", "mood", "location", "text", "tags"}


def test_a_diary_may_be_written_by_hand_with_a_plain_number_of_the_day() -> None:
    record = {"day": 0, "text": "Da.", "tags": ["eins", 2], "mood": None, "weather": "Regen"}
    assert DIARY_ENTRY.read(record) == DiaryEntry(0, "Da.", tags=("eins",))
    assert DIARY_ENTRY.read({"day": 1, "text": "Da.", "tags": "eins"}).tags == ()


@pytest.mark.parametrize("day", [None, -1, True, "gestern", "day-001/scene-02", "x" * 99])
def test_a_diary_needs_a_day(day: object) -> None:
    key, said = wrong(DIARY_ENTRY.read, {"day": day, "text": "Da."})
    assert key == "day"
    assert said.startswith("day is ")
    assert said.endswith(", expected a day such as day-003")
    assert len(said) < 110, "what was found is shortened"


def test_what_was_found_is_shown_whole_up_to_sixty_characters() -> None:
    for read, long in ((lambda value: DIARY_ENTRY.read({"day": value, "text": "Da."}), "day is {}, expected"),
                       (RELATIONSHIP.read, "found {}, expected an object with ")):  # fmt: skip
        assert wrong(read, "x" * 58)[1].startswith(long.format(f'"{"x" * 58}"'))
        assert wrong(read, "x" * 59)[1].startswith(long.format(f'"{"x" * 58}…'))


def test_texts_of_a_diary_are_texts_and_one_must_be_there() -> None:
    assert wrong(DIARY_ENTRY.read, {"day": 1, "text": "Da.", "mood": 7}) == ("mood", "mood is 7, expected a text")
    assert wrong(DIARY_ENTRY.read, {"day": 1, "text": "  "}) == ("text", 'text is "  ", expected a text')


def test_an_event_of_a_goal_is_read_back() -> None:
    line = GOAL_EVENT.render(GOAL)
    assert line == '{"id": "goal-01", "at": "day-001/scene-02", "event": "open", "text": "Eine Brücke bauen."}'
    assert GOAL_EVENT.read(json.loads(line)) == GOAL


@pytest.mark.parametrize("key", ["id", "at", "event", "text"])
def test_an_event_of_a_goal_needs_all_its_keys(key: str) -> None:
    record = json.loads(GOAL_EVENT.render(GOAL))
    assert wrong(GOAL_EVENT.read, {**record, key: 3})[0] == key
    assert wrong(GOAL_EVENT.read, {**record, key: " "})[0] == key
    del record[key]
    assert wrong(GOAL_EVENT.read, record)[1].startswith(f"{key} is missing, expected ")


@pytest.mark.parametrize(("key", "value"), [("id", "thread-001"), ("at", "gestern"), ("event", "vergessen")])
def test_a_word_that_no_event_of_a_goal_has_is_named(key: str, value: str) -> None:
    found, said = wrong(GOAL_EVENT.read, {**json.loads(GOAL_EVENT.render(GOAL)), key: value})
    assert found == key
    assert said.startswith(f'{key} is "{value}", expected ')


def test_what_is_said_of_a_goal_that_was_never_opened_or_has_ended_changes_nothing() -> None:
    at = "day-002/scene-01"
    ended = fold_goals((), [GOAL, GoalEvent("goal-01", at, "reached", "Sie steht.")])
    assert ended == (Goal("goal-01", GOAL.text, GOAL.at, at, "Sie steht.", 0, "reached"),)
    assert fold_goals(ended, [GoalEvent("goal-01", "day-003", "progress", "Noch einmal.")]) == ended
    assert fold_goals((), [GoalEvent("goal-07", at, "progress", "Wovon?")]) == ()


def test_a_request_for_memories_is_read_back_and_may_be_about_nothing() -> None:
    record = LINK_REQUEST.write(LINK)
    assert record == {"from": "emre", "to": "vera", "about": ["Turm"], "at": "day-001/scene-02"}
    assert LINK_REQUEST.read({**record, "unknown": 1}) == LINK
    del record["about"]
    assert LINK_REQUEST.read(record).about == ()


@pytest.mark.parametrize("key", ["from", "to", "at"])
def test_a_request_for_memories_has_an_asker_a_giver_and_a_moment(key: str) -> None:
    record = LINK_REQUEST.write(LINK)
    what = "a text like day-003/scene-04" if key == "at" else "a text"
    assert wrong(LINK_REQUEST.read, {**record, key: 7}) == (key, f"{key} is 7, expected {what}")
    assert wrong(LINK_REQUEST.read, {**record, key: " "}) == (key, f'{key} is " ", expected {what}')
    del record[key]
    assert wrong(LINK_REQUEST.read, record) == (key, f"{key} is missing, expected {what}")


def test_a_request_for_memories_that_makes_no_sense_is_named() -> None:
    what = "found [], expected an object with from, to, about, at"
    assert wrong(LINK_REQUEST.read, []) == ("", what)
    when = 'at is "gestern", expected a text like day-003/scene-04'
    assert wrong(LINK_REQUEST.read, {**LINK_REQUEST.write(LINK), "at": "gestern"}) == ("at", when)
    for about, found in (("Turm", 'is "Turm"'), ([1], "holds 1")):
        said = f"about {found}, expected a list of texts"
        assert wrong(LINK_REQUEST.read, {**LINK_REQUEST.write(LINK), "about": about}) == ("about", said)


def test_null_in_a_relationship_is_nothing_and_trust_is_brought_into_its_range() -> None:
    record = {"relationship_type": None, "trust_level": 7, "interaction_count": 2.0, "rationale": "Sie hält Wort."}
    assert RELATIONSHIP.read(record) == Relationship("", 1.0, "", "Sie hält Wort.", 2)


@pytest.mark.parametrize("value", ["viel", True, float("nan"), float("inf"), [1]])
@pytest.mark.parametrize("key", ["trust_level", "interaction_count"])
def test_numbers_of_a_relationship_are_numbers(key: str, value: object) -> None:
    expected = {"trust_level": "a number", "interaction_count": "a whole number, at least 0"}[key]
    said = f"{key} is {json.dumps(value)}, expected {expected}"
    assert wrong(RELATIONSHIP.read, {key: value}) == (key, said)


def test_a_relationship_that_makes_no_sense_is_named() -> None:
    for count in (-1, 1.5):
        said = f"interaction_count is {count}, expected a whole number, at least 0"
        assert wrong(RELATIONSHIP.read, {"interaction_count": count}) == ("interaction_count", said)
    assert wrong(RELATIONSHIP.read, {"rationale": 3}) == ("rationale", "rationale is 3, expected a text")
    assert wrong(RELATIONSHIP.read, ["ally"])[0] == ""


def test_the_history_of_a_relationship_leaves_out_what_is_only_counted() -> None:
    change = RelationshipChange(
        "emre", "day-001/scene-02", {"trust_level": 0.5, "interaction_count": 3}, {"trust_level": 0.2}, "Fürs Maß."
    )
    assert render_history(change) == (
        '{"at": "day-001/scene-02", "with": "emre", "old": {"trust_level": 0.2}, "new": {"trust_level": 0.5}, '
        '"why": "Fürs Maß."}'
    )


def test_a_call_of_a_tool_is_read_back() -> None:
    record = json.loads(json.dumps(CONSULTED.write(CALL)))
    assert consulted_from_record(record) == CALL
    assert consulted_from_record({**record, "is_error": False, "formed": []}) == Consulted(
        "remember", {"text": "Turm"}, "{}", reinforced=("vera-001",), recalled=("vera-002",)
    )


def test_what_a_call_changes_in_a_soul_and_a_wish_for_self_care_are_read_back_and_older_records_have_neither() -> None:
    edit = SoulEdit.model_validate({"add": [{"kind": "fear", "text": "Dass er fällt."}], "remove": ["Er hält."]})
    call = replace(CALL, soul=(edit,), care=True)
    assert consulted_from_record(json.loads(json.dumps(CONSULTED.write(call)))) == call
    assert not {"soul", "care"} & CONSULTED.write(CALL).keys()


FORMED = {"description": "Da.", "importance": 7, "type": "memoir", "tags": [], "metadata": {}}


@pytest.mark.parametrize(
    "broken",
    [
        {"soul": [{"add": 3}]},
        {"formed": [{}]},
        {"formed": 3},
        {"formed": [FORMED]},
        {"arguments": 7},
        {"arguments": ["a"]},
    ],
)
def test_a_record_that_is_no_call_of_a_tool_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no call of a tool: "):
        consulted_from_record({**CONSULTED.write(CALL), **broken})
    with pytest.raises(ValueError, match="no call of a tool: tool is missing"):
        consulted_from_record({})


NODE = {
    "id": "vera-001",
    "created": "day-001/scene-01",
    "type": "observation",
    "depth": 0,
    "description": "Der Turm hält, größer als je.",
    "importance": 5,
    "tags": [],
    "evidence": [],
    "metadata": {},
}
WRITE = "write a whole number from 1 (routine) to 10 (pivotal)"


def wrong_memory(**values: Any) -> tuple[str, str, str, str, str | int | None, bool]:
    with pytest.raises(RecordError) as caught:
        node_from_record({key: value for key, value in {**NODE, **values}.items() if value is not ...})
    found = caught.value
    assert str(found) == found.message
    return found.key, found.code, found.message, found.hint, next(iter(found.keys[1:]), None), found.missing


@pytest.mark.parametrize(
    ("values", "key", "code", "message", "hint", "index"),
    [
        (
            {"description": 7},
            "description",
            "description-type",
            "description is 7, expected a text",
            "what is remembered, in the world's language",
            None,
        ),
        (
            {"metadata": []},
            "metadata",
            "metadata-type",
            "metadata is [], expected an object",
            "anything else, under names of your own",
            None,
        ),
        ({"tags": "a"}, "tags", "tags-type", 'tags is "a", expected a list of texts', "key words", None),
        ({"tags": ["a", 7]}, "tags", "tags-type", "tags holds 7, expected a list of texts", "key words", 1),
        (
            {"evidence": 1},
            "evidence",
            "evidence-form",
            "evidence is 1, expected a list of ids of memories",
            "ids of the memories that this one rests on; may name another agent's",
            None,
        ),
        (
            {"evidence": [1]},
            "evidence",
            "evidence-form",
            "evidence holds 1, expected a list of ids of memories",
            "ids of the memories that this one rests on; may name another agent's",
            0,
        ),
        (
            {"depth": -1},
            "depth",
            "depth-range",
            "depth is -1, expected a whole number, at least 0",
            "0 = lived, 1 and more = layers of reflection",
            None,
        ),
        (
            {"depth": "1"},
            "depth",
            "depth-type",
            'depth is "1", expected a whole number, at least 0',
            "0 = lived, 1 and more = layers of reflection",
            None,
        ),
        ({"importance": 11}, "importance", "importance-range", "importance 11 is outside 1–10", WRITE, None),
        ({"importance": 0}, "importance", "importance-range", "importance 0 is outside 1–10", WRITE, None),
    ],
)
def test_what_is_wrong_with_a_memory_is_told_by_key_code_and_words(
    values: dict[str, Any], key: str, code: str, message: str, hint: str, index: int | None
) -> None:
    assert wrong_memory(**values) == (key, code, message, hint, index, False)


def test_a_missing_key_of_a_memory_says_which_keys_every_memory_has() -> None:
    hint = "every memory has the keys " + ", ".join(NODE) + "; gm memory add writes such a line"
    message = "importance is missing, expected a whole number from 1 to 10"
    assert wrong_memory(importance=...) == ("importance", "key-missing", message, hint, None, True)
    older = {"id": ..., "description": ..., "content": "Da.", "created": ..., "day": 0}
    assert wrong_memory(**older)[2:] == (
        "id is missing, expected a text like vera-042",
        "the id is the name of the file, a hyphen and at least three digits",
        None,
        True,
    )


def test_a_memory_of_the_older_shape_is_of_a_day_that_may_be_the_first() -> None:
    older = {"id": "vera-001", "content": "Da.", "day": 0, "importance": 5}
    assert node_from_record(older).created == "day-000"
    assert node_from_record({**older, "day": None}).created == ""
    assert not is_older_record({**older, "description": "Da."})
    with pytest.raises(RecordError) as caught:
        node_from_record({**older, "day": -1})
    assert (caught.value.key, caught.value.code) == ("day", "day-type")
    assert caught.value.message == "day is -1, expected a whole number, at least 0"
    with pytest.raises(RecordError, match="importance is missing, expected"):
        node_from_record({key: value for key, value in older.items() if key != "importance"})


def test_a_value_that_is_too_long_to_be_shown_is_cut_and_umlauts_stay() -> None:
    assert wrong_memory(depth="ü" * 58)[2].startswith(f'depth is "{"ü" * 58}", ')
    assert wrong_memory(depth="ü" * 59)[2].startswith(f'depth is "{"ü" * 58}…, ')
    assert wrong_thread(by=["ü" * 56])[1] == f'by is ["{"ü" * 56}"], expected a text'
    assert wrong_thread(by=["ü" * 57])[1] == f'by is ["{"ü" * 57}…, expected a text'
    assert wrong_thread(by=datetime.date(2026, 3, 4))[1] == 'by is "2026-03-04", expected a text'
    assert wrong_memory(depth=datetime.date(2026, 3, 4))[2].startswith('depth is "2026-03-04", ')
    assert "größer" in render_node(node_from_record(NODE))


THREAD = {
    "id": "thread-007",
    "at": "day-001/scene-01",
    "event": "open",
    "by": "vera",
    "kind": "promise",
    "to": ["emre"],
    "due": 0,
    "text": "Ich bringe die Maße.",
}


def wrong_thread(**values: Any) -> tuple[str, str]:
    with pytest.raises(RecordError) as caught:
        THREAD_EVENT.read({key: value for key, value in {**THREAD, **values}.items() if value is not ...})
    return caught.value.key, str(caught.value)


def test_an_event_of_a_thread_is_read_back_as_it_was_written() -> None:
    event = THREAD_EVENT.read(THREAD)
    assert event.due == 0
    assert "Maße" in THREAD_EVENT.render(event)
    assert json.loads(THREAD_EVENT.render(event)) == THREAD
    closing = {**THREAD, "event": "close", "outcome": "kept"}
    assert THREAD_EVENT.read(closing) == replace(event, event="close", outcome="kept", kind="", to=(), due=None)


@pytest.mark.parametrize(
    ("values", "key", "said"),
    [
        ({"at": "gestern"}, "at", 'at is "gestern", expected a text like day-003/scene-04'),
        ({"id": "goal-01"}, "id", 'id is "goal-01", expected a text like thread-001'),
        ({"by": 3}, "by", "by is 3, expected a text"),
        ({"by": ...}, "by", "by is missing, expected a text"),
        ({"kind": "wish"}, "kind", 'kind is "wish", expected one of promise, question, appointment, silence'),
        ({"to": "emre"}, "to", 'to is "emre", expected a list of ids'),
        ({"to": [1]}, "to", "to holds 1, expected a list of ids"),
        ({"due": -1}, "due", "due is -1, expected a story day or null"),
        ({"due": True}, "due", "due is true, expected a story day or null"),
    ],
)
def test_what_is_wrong_with_an_event_of_a_thread_is_told(values: dict[str, Any], key: str, said: str) -> None:
    assert wrong_thread(**values) == (key, said)
