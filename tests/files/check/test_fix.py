"""What `--fix` corrects, what it leaves alone, and that it shows the change first."""

import json
import unicodedata
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from gm.api.editing.check.whole import find_corrections, write_corrections
from gm.cli.worlds.check import check
from gm.files.layout import Layout
from tests.files.check.handmade import line, make_handmade, node, write_files

STREAM = "state/memories/mina.jsonl"


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def run(layout: Layout, *options: str, answer: str = "") -> Result:
    return CliRunner().invoke(check, ["-w", str(layout.root), *options], input=answer, standalone_mode=False)


def fixed(root: Path, text: str) -> str:
    """Correct a stream and give what it is afterwards."""
    layout = write_files(root, {STREAM: text})
    write_corrections(layout, find_corrections(layout))
    return (root / STREAM).read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"tags": ["a", "b", "a"]', '"tags": ["a", "b"]'),
        ('"tags": ["a","a",   "a"]', '"tags": ["a"]'),
        ('"tags": [ "a" , "b" , "b" ]', '"tags": [ "a" , "b" ]'),
        (f'"tags": ["{nfd("möwe")}"]', '"tags": ["möwe"]'),
        (f'"tags": ["möwe", "{nfd("möwe")}"]', '"tags": ["möwe"]'),
        ('"tags": ["mo\\u0308we"]', '"tags": ["m\\u00f6we"]'),
        ('"tags": ["a", "A"]', '"tags": ["a", "A"]'),
    ],
)
def test_only_the_place_that_is_wrong_is_rewritten(tmp_path: Path, before: str, after: str) -> None:
    odd = '{ "id":"mina-002", "created": "day-001/scene-01","type":"plan", "depth": 0, "description": "Tür",'
    odd += ' "importance": 5.00, TAGS, "evidence":[],"metadata": {"x": 1e3} }'
    text = line(node("mina", 1)) + "\n" + odd.replace("TAGS", before) + "\n" + line(node("mina", 3)) + "\n"
    assert fixed(tmp_path, text) == text.replace(before, after)


def test_a_text_becomes_nfc_and_paths_stay(tmp_path: Path) -> None:
    path = f"gallery/{nfd('möwe')}.md"
    record = node("mina", 1, description=nfd("Über dem Kai"), metadata={"artifact_path": path})
    assert json.loads(fixed(tmp_path, line(record) + "\n")) == record | {"description": "Über dem Kai"}


def test_line_ends_and_the_last_one(tmp_path: Path) -> None:
    lines = [line(node("mina", number)) for number in (1, 2, 3)]
    assert fixed(tmp_path, "\ufeff" + "\r\n".join(lines)) == "\ufeff" + "\n".join(lines) + "\n"


def test_a_line_that_was_cut_off_does_not_get_an_end(tmp_path: Path) -> None:
    text = line(node("mina", 1)) + "\n" + line(node("mina", 2))[:50]
    assert fixed(tmp_path, text) == text
    assert "check --fix" not in run(Layout(tmp_path)).output


def test_a_line_with_an_error_stays_as_it_is(tmp_path: Path) -> None:
    text = line(node("mina", 1, tags=["a", "a"], importance=11)) + "\n"
    assert fixed(tmp_path, text) == text


def test_an_importance_in_quotes_becomes_a_number(tmp_path: Path) -> None:
    text = line(node("mina", 1, importance="5", metadata={"importance": "5"})) + "\n"
    assert fixed(tmp_path, text) == text.replace('"importance": "5"', '"importance": 5', 1)
    odd = line(node("mina", 1, importance="11", metadata={"importance": "5"})) + "\n"
    assert fixed(tmp_path / "odd", odd) == odd


def test_the_change_is_shown_and_asked_for(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = layout.stream("otto").read_bytes()
    result = run(layout, "--fix", answer="n\n")
    assert "--- a/state/memories/otto.jsonl" in result.output
    assert '"metadata": {}}\\r\n' in result.output
    assert "No newline at end of file" in result.output
    assert "Nothing was changed." in result.output
    assert layout.stream("otto").read_bytes() == before


def test_an_input_that_has_ended_is_a_no(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    before = layout.stream("otto").read_bytes()
    run(layout, "--fix")
    assert layout.stream("otto").read_bytes() == before


@pytest.mark.parametrize(("options", "answer"), [(("--fix",), "y\n"), (("--fix", "--yes"), "")])
def test_what_was_agreed_to_is_written_and_is_no_problem_any_more(
    tmp_path: Path, options: tuple[str, ...], answer: str
) -> None:
    layout = make_handmade(tmp_path)
    result = run(layout, *options, "--json", answer=answer)
    document = json.loads(result.stdout)
    left = {problem["code"] for problem in document["problems"]}
    assert not left & {"final-newline", "line-end", "tag-nfd", "text-nfd", "tag-twice"}
    assert find_corrections(layout) == []


def test_a_file_that_was_edited_meanwhile_is_left_alone(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    found = find_corrections(layout)
    with layout.stream("otto").open("a", encoding="utf-8") as file:
        file.write("\n" + line(node("otto", 4)))
    edited = layout.stream("otto").read_bytes()
    notes = write_corrections(layout, found)
    assert notes == ["state/memories/otto.jsonl was edited meanwhile and stays as it is"]
    assert layout.stream("otto").read_bytes() == edited


def test_the_diff_applies(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    (change,) = [item for item in find_corrections(layout) if item.path == STREAM]
    assert [text[0] for text in change.diff().splitlines()[3:]].count("+") == 2
