from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.model.logged import LogEntry
from gm.model.scene import Candidate, Reason
from gm.model.turns import PlayedTurn
from tests.build import entry

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
keys = [
    "type",
    "time_of_day",
    "time",
    "location",
    "participants",
    "artifacts",
    "answers",
    "dialogue",
    "actions",
    "turns",
]


def test_the_score_is_the_sum_of_all_reasons() -> None:
    reasons = (Reason("plan", 6.0), Reason("pacing", -3.0), Reason("dice", 0.5))
    assert Candidate("WORK", ("vera",), "", reasons, ("premise", {})).score == 3.5


def test_the_closing_line_of_a_day_is_a_summary() -> None:
    assert entry(1, "SUMMARY").is_summary
    assert not entry(1, "WORK").is_summary


def test_compound_types_and_other_times_stay_as_they_are() -> None:
    line = entry(1, "WORK+REFLECTION", time_of_day="late-afternoon")
    assert (line.type, line.time_of_day) == ("WORK+REFLECTION", "late-afternoon")


def test_the_older_key_of_the_time_is_read() -> None:
    assert LogEntry(1, {"time": "noon"}).time_of_day == "noon"
    assert LogEntry(1, {"time": "noon", "time_of_day": "evening"}).time_of_day == "evening"


@pytest.mark.parametrize("key", ["clock", "topic", "premise", "why", "summary"])
def test_what_a_line_does_not_say_or_says_in_no_text_is_empty(key: str) -> None:
    told = (LogEntry(1, {key: "Der Turm."}), LogEntry(1, {key: 7}), LogEntry(1, {}))
    assert [getattr(one, key) for one in told] == ["Der Turm.", "", ""]


def test_participants_may_be_no_agents() -> None:
    assert entry(1, "MEETING", "vera", "creative-director").participants == ("vera", "creative-director")


@pytest.mark.parametrize(
    ("listed", "paths"),
    [
        (["gallery/a/x.md"], ("gallery/a/x.md",)),
        ([{"path": "gallery/a/x.md", "title": "X"}], ("gallery/a/x.md",)),
        (["x.md", "gallery/a/"], ("x.md", "gallery/a/")),
        ([{"title": "X"}, 3, None], ()),
        ("gallery/a/x.md", ()),
    ],
)
def test_artifacts_are_paths_bare_names_folders_or_objects(listed: object, paths: tuple[str, ...]) -> None:
    assert entry(1, "WORK", artifacts=listed).artifacts == paths


def test_a_line_that_has_only_turns_has_their_dialogue() -> None:
    turns = [{"agent": "vera", "lines": [{"to": "emre", "text": "So?"}]}, {"agent": "emre", "lines": [{"text": "So."}]}]
    line = entry(1, "ENCOUNTER", "vera", "emre", turns=turns)
    assert line.dialogue == (("vera", "So?"), ("emre", "So."))
    assert entry(1, "ENCOUNTER", turns=turns, dialogue=[]).dialogue == ()
    assert [turn.agent for turn in line.turns] == ["vera", "emre"]


def test_what_each_one_said_did_and_thought_is_told_in_that_order() -> None:
    line = entry(
        1,
        "MEETING",
        thoughts=[{"agent": "emre", "text": "Hm."}],
        actions=[{"agent": "vera", "text": "She nods."}, "no object", {"text": "of nobody"}],
        dialogue=[
            {"agent": "emre", "text": "So?"},
            {"agent": "vera", "text": "So."},
            {"agent": "emre", "text": "Yes."},
        ],
    )
    assert line.texts_by_agent == {"emre": ("So?", "Yes.", "Hm."), "vera": ("So.", "She nods."), "": ("of nobody",)}


@given(st.dictionaries(st.sampled_from(keys), json_values))
def test_any_hand_made_line_can_be_read(record: dict[str, Any]) -> None:
    line = LogEntry(1, record)
    assert all(isinstance(text, str) for text in (line.type, line.time_of_day, line.place))
    assert all(isinstance(text, str) for text in (*line.participants, *line.artifacts, *line.answers))
    assert all(isinstance(text, str) for pair in line.dialogue for text in pair)
    assert all(isinstance(text, str) for texts in line.texts_by_agent.values() for text in texts)
    assert all(isinstance(turn, PlayedTurn) for turn in line.turns)
