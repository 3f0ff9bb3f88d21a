"""What goes wrong in a stream: one error at the right place, and no others that only follow from it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gm.base.errors import Problem
from gm.files.check.whole import check_files
from gm.files.commits.steps import append_step, carry_out
from gm.files.layout import Layout
from gm.files.load import load_stream, load_world
from tests.files.check.handmade import line, node, write_files

Mutation = Callable[[list[str]], None]
STREAM = "state/memories/mina.jsonl"


def good_stream() -> list[str]:
    """Ten memories without a fault; the last two are cited by nobody."""
    records = [node("mina", number, f"day-001/scene-{1 + number // 3:02d}") for number in range(1, 11)]
    records[4] |= {"type": "reflection", "depth": 1, "evidence": ["mina-001", "mina-002"]}
    records[6] |= {"type": "reflection", "depth": 2, "evidence": ["mina-005"]}
    return [line(record) for record in records]


def world_with(root: Path, lines: list[str], end: str = "\n") -> Layout:
    return write_files(root, {STREAM: "\n".join(lines) + end})


def in_stream(layout: Layout) -> list[Problem]:
    return [item for item in check_files(layout).problems if item.path == STREAM]


def change(number: int, **values: Any) -> Mutation:
    """Change values of the memory in a line."""

    def mutate(lines: list[str]) -> None:
        lines[number - 1] = line(json.loads(lines[number - 1]) | values)

    return mutate


def drop(number: int, key: str) -> Mutation:
    """Take a key out of the memory in a line."""

    def mutate(lines: list[str]) -> None:
        record = json.loads(lines[number - 1])
        del record[key]
        lines[number - 1] = line(record)

    return mutate


def cut(lines: list[str]) -> None:
    """Break the last line off in the middle of its description."""
    lines[-1] = lines[-1][:110]


def cut_at_end(lines: list[str]) -> None:
    """Break off the last line just before its end."""
    lines[-1] = lines[-1][:-1]


# what is done, the error, where it points to, and what follows from it
ERRORS: tuple[tuple[str, Mutation, str, int, str, tuple[str, ...]], ...] = (
    ("truncated last line", cut, "json-syntax", 10, '"Etwas', ()),
    ("last line without its brace", cut_at_end, "json-syntax", 10, "", ()),
    ("duplicate id", change(8, id="mina-003"), "id-twice", 8, '"mina-003"', ()),
    ("other agent's id", change(8, id="otto-008"), "id-agent", 8, '"otto-008"', ()),
    ("importance 11", change(8, importance=11), "importance-range", 8, "11,", ()),
    ("importance 5.5", change(8, importance=5.5), "importance-type", 8, "5.5,", ()),
    ("importance in quotes", change(8, importance="5"), "importance-type", 8, '"5",', ()),
    ("type dream", change(8, type="dream"), "type-unknown", 8, '"dream"', ()),
    ("missing evidence", change(8, evidence=["mina-001", "mina-099"]), "evidence-missing", 8, '"mina-099"', ()),
    ("later evidence", change(8, evidence=["mina-009"]), "evidence-later", 8, '"mina-009"', ()),
    ("evidence of itself", change(8, evidence=["mina-008"]), "evidence-later", 8, '"mina-008"', ()),
    ("created without zeros", change(8, created="day-1/scene-2"), "created-form", 8, '"day-1/scene-2"', ()),
    *((f"missing {key}", drop(8, key), "key-missing", 8, "{", ()) for key in json.loads(good_stream()[7])),
    ("id without zeros", change(8, id="mina-8"), "id-form", 8, '"mina-8"', ()),
    ("negative depth", change(8, depth=-1), "depth-range", 8, "-1,", ()),
    ("tags in one text", change(8, tags="hafen"), "tags-type", 8, '"hafen"', ()),
    ("a number among the tags", change(8, tags=["hafen", 7]), "tags-type", 8, "7]", ()),
    ("metadata null", change(8, metadata=None), "metadata-type", 8, "null", ()),
    ("description null", change(8, description=None), "description-type", 8, "null", ()),
    ("importance NaN", change(8, importance=float("nan")), "importance-type", 8, "NaN", ()),
)


@pytest.mark.parametrize(
    ("mutate", "code", "number", "text", "follows"), [row[1:] for row in ERRORS], ids=[r[0] for r in ERRORS]
)
def test_a_fault_is_one_error_at_its_place(
    tmp_path: Path, mutate: Mutation, code: str, number: int, text: str, follows: tuple[str, ...]
) -> None:
    lines = good_stream()
    mutate(lines)
    found = in_stream(world_with(tmp_path, lines))
    (error,) = [item for item in found if item.severity == "error"]
    assert (error.code, error.line) == (code, number)
    assert lines[number - 1][error.column - 1 :].startswith(text)
    assert error.column - 1 == len(lines[number - 1]) or text
    assert tuple(item.code for item in found if item is not error) == follows


@pytest.mark.parametrize("mutate", [row[1] for row in ERRORS], ids=[r[0] for r in ERRORS])
def test_loading_leaves_out_exactly_the_lines_that_are_errors_in_themselves(tmp_path: Path, mutate: Mutation) -> None:
    lines = good_stream()
    mutate(lines)
    layout = world_with(tmp_path, lines)
    nodes, problems = load_stream(layout, "mina")
    of_the_line = [
        item for item in in_stream(layout) if item.severity == "error" and not item.code.startswith("evidence-")
    ]
    assert problems == of_the_line
    assert len(nodes) == len(lines) - len({item.line for item in of_the_line})


def test_a_key_that_stands_twice_is_an_error(tmp_path: Path) -> None:
    lines = good_stream()
    lines[7] = lines[7].replace('"importance": 5', '"importance": 5, "importance": 7')
    layout = world_with(tmp_path, lines)
    (error,) = in_stream(layout)
    assert (error.severity, error.code, error.line) == ("error", "key-twice", 8)
    assert lines[7][error.column - 1 :].startswith('"importance": 7')
    assert load_stream(layout, "mina")[1] == [error]


def test_bad_utf8_is_an_error_at_its_byte(tmp_path: Path) -> None:
    layout = world_with(tmp_path, good_stream())
    data = layout.stream("mina").read_bytes()
    begin = data.index(b"Stelle 4")
    layout.stream("mina").write_bytes(data[:begin] + b"\xff" + data[begin + 1 :])
    (error,) = in_stream(layout)
    before = data[:begin].rsplit(b"\n", 1)[1].decode()
    assert (error.code, error.line, error.column) == ("not-utf8", 4, len(before) + 1)


def test_the_number_of_a_line_that_is_left_out_is_not_used_again(tmp_path: Path) -> None:
    lines = good_stream()
    cut(lines)
    assert load_world(world_with(tmp_path, lines)).world.agents["mina"].next_number == 11


def test_a_valid_stream_has_no_problem(tmp_path: Path) -> None:
    assert in_stream(world_with(tmp_path, good_stream())) == []


def test_nan_in_metadata_is_a_warning_at_its_place(tmp_path: Path) -> None:
    lines = good_stream()
    change(8, metadata={"depth": 1.5, "trust": float("nan")})(lines)
    (warning,) = in_stream(world_with(tmp_path, lines))
    assert (warning.severity, warning.code, warning.line) == ("warning", "json-constant", 8)
    assert lines[7][warning.column - 1 :] == "NaN}}"


@pytest.mark.parametrize(
    ("code", "number", "column", "before", "after"),
    [
        ("byte-order-mark", 1, 1, "\ufeff", "\n"),
        ("final-newline", 10, 219, "", ""),
        ("blank-line", 11, 1, "", "\n\n"),
        ("blank-line", 11, 1, "", "\n  \n"),
    ],
)
def test_the_form_of_a_file_is_a_warning(
    tmp_path: Path, code: str, number: int, column: int, before: str, after: str
) -> None:
    lines = good_stream()
    lines[0] = before + lines[0]
    layout = world_with(tmp_path, lines, after)
    (warning,) = in_stream(layout)
    width = len(lines[9]) + 1 if code == "final-newline" else column
    assert (warning.severity, warning.code, warning.line, warning.column) == ("warning", code, number, width)
    assert len(load_stream(layout, "mina")[0]) == 10


def test_crlf_is_one_warning_for_the_file(tmp_path: Path) -> None:
    lines = [text + "\r" for text in good_stream()]
    layout = world_with(tmp_path, lines)
    (warning,) = in_stream(layout)
    assert (warning.severity, warning.code, warning.line) == ("warning", "line-end", 1)
    assert warning.column == len(lines[0])
    assert len(load_stream(layout, "mina")[0]) == 10


def test_a_deleted_line_is_a_warning_and_so_is_what_rests_on_it(tmp_path: Path) -> None:
    lines = good_stream()
    del lines[4]
    found = in_stream(world_with(tmp_path, lines))
    assert [(item.severity, item.code, item.line) for item in found] == [
        ("warning", "id-gap", 5),
        ("warning", "evidence-gone", 6),
    ]
    assert "mina-005 is missing" in found[0].message


def test_what_lies_in_the_archive_is_not_missing(tmp_path: Path) -> None:
    lines = good_stream()
    archived = lines[:3]
    layout = world_with(tmp_path, lines[3:])
    write_files(tmp_path, {"state/archive/mina.jsonl": "\n".join(archived) + "\n"})
    assert in_stream(layout) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_appending_keeps_the_convention_of_the_file(tmp_path: Path, newline: str, final: bool) -> None:
    layout = world_with(tmp_path, [])
    before = newline.join(good_stream()) + (newline if final else "")
    layout.stream("mina").write_bytes(before.encode())
    step = append_step(layout, layout.stream("mina"), ["{}"])
    after, _ = carry_out(step, before.encode())
    assert after == (before + ("" if final else newline) + "{}" + newline).encode()
