"""Scripts as people write them: what is accepted, and where every mistake is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from gm.base.errors import Problem, errors_in
from gm.base.yamlwords import LINE_ENDS as YAML_LINE_ENDS
from gm.files.experiments.scripttext import ScriptNames, find_script, load_script, parse_script
from gm.files.layout import Layout
from gm.scene.directing.script import Free, Script, ScriptedScene
from tests.build import SCENE_TYPES, agent

NAMES = ("emre", "leo", "nami", "vera")
AGENTS = {name: agent(name) for name in NAMES}
KNOWN = ScriptNames(SCENE_TYPES, AGENTS, frozenset({"hall", "flur"}), frozenset(NAMES))
WEEK = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag")

GOOD = """\
# a day
arrival: false
reflections: off
scenes:
  - type: Encounter
    with: [Vera, emre]
    location: flur
    time: morning
    topic: Gips
    premise: "Es klopft."
    premises: {emre: Es zieht.}
    why: Zeit.
    intent: Ja sagen
    answers: [bulletin/0]
    tags: [bone-towers, Ash]
  - free
  - {free: 2}
  - {type: reflection, with: vera}
  - {type: meeting, time: evening, topic: }
  - {free: rest}
"""


def read(text: str, known: ScriptNames = KNOWN) -> tuple[Script | None, list[Problem]]:
    return parse_script(text, "scripts/x.yaml", known)


def problems(text: str, known: ScriptNames = KNOWN) -> list[tuple[int, int, str]]:
    script, found = read(text, known)
    assert (script is None) == bool(errors_in(found))
    return [(item.line, item.column, item.message) for item in found]


def test_a_script_is_read_with_the_lines_of_its_scenes() -> None:
    script, found = read(GOOD)
    assert found == []
    first = ScriptedScene(
        5,
        "ENCOUNTER",
        ("vera", "emre"),
        "flur",
        "morning",
        "Gips",
        "Es klopft.",
        {"emre": "Es zieht."},
        "Zeit.",
        "Ja sagen",
        ("bulletin/0",),
        ("bone-towers", "Ash"),
    )
    reflection, meeting = ScriptedScene(18, "REFLECTION", ("vera",)), ScriptedScene(19, "MEETING", time="evening")
    slots = (first, Free(16), Free(17), Free(17), reflection, meeting, Free(20, rest=True))
    assert script == Script(slots, arrival=False, reflections=False, shown="scripts/x.yaml")


@pytest.mark.parametrize("text", ["scenes: []", "scenes: [free]\n", "scenes: [{type: meeting}]"])
def test_a_short_script_is_a_script(text: str) -> None:
    assert read(text)[1] == []


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "found null, expected an object with scenes"),
        ("- free", 1, 1, 'found ["free"], expected an object'),
        ("arrival: true", 1, 1, "scenes is missing, expected a list of scenes"),
        ("scenes: free", 1, 9, 'scenes is "free", expected a list of scenes'),
        ("scenes: [free\n", 1, 9, "not YAML"),
        ("szenes: []\nscenes: []", 1, 1, '"szenes" is not a key of a script'),
        ("scenes: []\nscenes: []", 2, 1, "the key 'scenes' occurs twice"),
        ("scenes: []\narrival: maybe", 2, 10, 'arrival is "maybe", expected true or false'),
        ("scenes:\n  - 7", 2, 5, "found 7, expected a scene or `free`"),
        ("scenes:\n  - {free: 0}", 2, 12, "free is 0, expected a whole number from 1 to 30, or rest"),
        ("scenes:\n  - {free: 10000000000}", 2, 12, "free is 10000000000"),
        ("scenes:\n  - {free: }", 2, 12, "free is null"),
        ("scenes:\n  - {free: 1, type: work}", 2, 15, '"type" is not a key of a free scene'),
        ("scenes:\n  - {free: rest}\n  - free", 2, 5, "free: rest is followed by other scenes"),
        ("scenes:\n  - {with: [vera]}", 2, 5, "type is missing, expected a text"),
        ("scenes:\n  - {type: dance}", 2, 12, "there is no scene type 'dance'"),
        ("scenes:\n  - {type: [work]}", 2, 12, 'type is ["work"], expected a text'),
        ("scenes:\n  - {type: work, wiht: [vera]}", 2, 18, '"wiht" is not a key of a scene'),
        ("scenes:\n  - type: work\n    with: [vera]\n    topic: 5", 4, 12, "topic is 5, expected a text"),
        ("scenes:\n  - type: work\n    with: [vera, verra]", 3, 18, "nobody here is called 'verra'"),
        ("scenes:\n  - type: work\n    with: [vera, Vera]", 3, 18, "vera is named twice"),
        ("scenes:\n  - type: work\n    with: [no]", 3, 12, "with holds false, expected a list of texts"),
        ("scenes:\n  - {type: work, with: [leo], tags: [3]}", 2, 38, "tags holds 3, expected a list of texts"),
        (f"scenes:\n  - {{type: work, with: [leo], tags: {'x' * 81}}}", 2, 37, "found a tag of 81 characters"),
        ("scenes:\n  - {type: work}", 2, 12, "WORK is played by 1 to 3, without `with` all 4 would take part"),
        (
            "scenes:\n  - type: reflection\n    with: [vera, leo]",
            3,
            11,
            "REFLECTION is played by 1, 2 are named",
        ),
        ("scenes:\n  - {type: encounter, with: vera}", 2, 29, "ENCOUNTER is played by 2 to 3, 1 are named"),
        ("scenes:\n  - {type: meeting, time: night}", 2, 27, 'time is "night", expected one of morning, noon'),
        (
            "scenes:\n  - {type: meeting, time: noon}\n  - free\n  - {type: meeting, time: morning}",
            4,
            5,
            "time is morning, but a scene before it has noon",
        ),
        (
            "scenes:\n  - type: work\n    with: [vera]\n    premises: {leo: Es zieht.}",
            4,
            16,
            "leo does not take part in this scene",
        ),
        ("scenes:\n  - type: meeting\n    premises: {otto: x}", 3, 16, "nobody here is called 'otto'"),
        ("scenes:\n  - type: meeting\n    premises: {leo: 5}", 3, 21, "leo is 5, expected a text"),
        ("scenes:\n  - type: meeting\n    premises: [leo]", 3, 15, 'premises is ["leo"], expected an object'),
        ("scenes:\n  - type: meeting\n    answers: {a: b}", 3, 14, 'answers is {"a": "b"}, expected a list of texts'),
    ],
)
def test_a_mistake_is_named_at_its_place(text: str, line: int, column: int, message: str) -> None:
    ((found_line, found_column, said), *_) = [item for item in problems(text) if item[2].startswith(message)]
    assert (found_line, found_column) == (line, column), said


def test_all_mistakes_are_named_at_once_in_their_order() -> None:
    text = "scenes:\n  - {type: dance}\n  - {type: meeting, time: night}\n  - {free: no}\n  - type: work\n    wiht: x\n"
    assert [line for line, _, _ in problems(text)] == [2, 3, 4, 5, 6]


def test_a_place_that_does_not_exist_is_named_with_the_nearest_one() -> None:
    script, (problem,) = read("scenes:\n  - {type: meeting, location: flurr}")
    assert script is None
    assert (problem.severity, problem.line, problem.column) == ("error", 2, 31)
    assert problem.hint.startswith("did you mean flur?")
    assert read("scenes:\n  - {type: meeting, location: floor}", ScriptNames(SCENE_TYPES, AGENTS))[1] == []


@pytest.mark.parametrize(
    ("before", "good"),
    [("", True), ("arrival: false\n", False)],
)
def test_a_character_with_nothing_to_reflect_on_does_not_reflect(before: str, good: bool) -> None:
    fresh = ScriptNames(SCENE_TYPES, AGENTS)
    assert (problems(f"{before}scenes: [{{type: reflection, with: vera}}]", fresh) == []) == good
    earlier = "{type: work, with: vera}"
    assert problems(f"{before}scenes: [{earlier}, {{type: reflection, with: vera}}]", fresh) == []


def test_the_script_of_a_day_is_that_of_the_day_then_of_its_weekday_then_that_of_every_day(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    assert find_script(layout, 4, WEEK) is None
    layout.scripts.mkdir()
    for name in ("every-day.yaml", "DONNERSTAG.yaml", "day-004.yaml"):
        (layout.scripts / name).write_text("scenes: []")
        assert find_script(layout, 4, WEEK) == layout.scripts / name
    assert find_script(layout, 9, WEEK) == layout.scripts / "DONNERSTAG.yaml"
    assert find_script(layout, 9, ()) == layout.scripts / "every-day.yaml"
    assert find_script(layout, 5, WEEK) == layout.scripts / "every-day.yaml"


def test_a_weekday_with_an_umlaut_is_found_in_either_spelling(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    layout.scripts.mkdir()
    (layout.scripts / "Muelltag.yaml").write_text("scenes: []")
    assert find_script(layout, 1, ("Mülltag",)) == layout.scripts / "Muelltag.yaml"


@pytest.mark.parametrize("data", [b"scenes: [\xff]", b"\xef\xbb\xbfscenes: []", b"scenes:\r\n- free\r\n"])
def test_a_file_in_any_encoding_is_a_script_or_has_a_problem(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(data)
    script, found = load_script(path, "x.yaml", KNOWN)
    assert (script is None) == bool(found)


def test_a_file_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    script, (problem,) = load_script(tmp_path / "x.yaml", "x.yaml", KNOWN)
    assert script is None
    assert problem.code == "script-missing"


PIECES = st.sampled_from(
    [
        *"-:[]{},&*!|>'\"#\n \t%@`?<",
        "free",
        "rest",
        "type",
        "- ",
        ": ",
        "null",
        "&a [*a]",
        "<<: *a",
        "1",
        "~",
        "\x00",
        "é",
    ]
)


@effort(max_examples=6 * effort().max_examples)
@given(st.data())
def test_any_change_to_a_script_leaves_a_script_or_problems_with_a_line(data: st.DataObject) -> None:
    text = GOOD
    for _ in range(data.draw(st.integers(1, 4))):
        begin = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(begin, min(len(text), begin + 12)))
        text = text[:begin] + data.draw(PIECES | st.text(max_size=3)) + text[end:]
    script, found = read(text)
    assert (script is None) == bool(errors_in(found))
    assert all(item.line >= 1 for item in found)
    lines = len(YAML_LINE_ENDS.split(text)) + 1
    assert all(item.line <= lines for item in found)
