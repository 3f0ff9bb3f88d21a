"""Reading files with one object a line."""

from __future__ import annotations

from pathlib import Path

import pytest

from gm.files.formats.jsonl import read_lines


def read(tmp_path: Path, data: bytes) -> tuple[list[tuple[int, object]], list[tuple[int, int, str]]]:
    path = tmp_path / "stream.jsonl"
    path.write_bytes(data)
    lines, problems = read_lines(path, "stream.jsonl")
    return [(line.number, line.record) for line in lines], [(p.line, p.column, p.code) for p in problems]


@pytest.mark.parametrize(
    ("data", "numbers"),
    [
        (b'{"a": 1}\n{"a": 2}\n', [1, 2]),
        (b'{"a": 1}\n{"a": 2}', [1, 2]),
        (b'{"a": 1}\r\n{"a": 2}\r\n', [1, 2]),
        (b'\n\n{"a": 1}\n  \n{"a": 2}\n\n', [3, 5]),
        (b'\xef\xbb\xbf{"a": 1}\n{"a": 2}\n', [1, 2]),
        (b'\r\n{"a": 1}\r\n\r\n{"a": 2}', [2, 4]),
    ],
    ids=["plain", "no final newline", "CRLF", "blank lines", "byte order mark", "all at once"],
)
def test_hand_made_line_ends_are_read_without_complaint(tmp_path: Path, data: bytes, numbers: list[int]) -> None:
    lines, problems = read(tmp_path, data)
    assert lines == [(numbers[0], {"a": 1}), (numbers[1], {"a": 2})]
    assert not problems


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_a_line_ends_only_at_a_line_feed(tmp_path: Path, sign: str) -> None:
    text = f"before{sign}after"
    shown = text if ord(sign) >= 0x80 else text.replace(sign, f"\\u{ord(sign):04x}")
    lines, problems = read(tmp_path, f'{{"a": "{shown}"}}\n{{"b": 1}}\n'.encode())
    assert lines == [(1, {"a": text}), (2, {"b": 1})]
    assert not problems


def test_every_broken_line_is_named_and_the_others_are_read(tmp_path: Path) -> None:
    data = b'{"a": 1}\n{"a": 2,}\n[3]\n\n{"a": "\n{"a": 5}\n"text"\n'
    lines, problems = read(tmp_path, data)
    assert [number for number, _ in lines] == [1, 6]
    assert problems == [(2, 8, "json-syntax"), (3, 1, "json-type"), (5, 7, "json-syntax"), (7, 1, "json-type")]


def test_a_line_of_plain_text_says_how_a_memory_is_written(tmp_path: Path) -> None:
    path = tmp_path / "vera.jsonl"
    path.write_text("Vera found a key.\n", encoding="utf-8")
    hints = [read_lines(path, shown)[1][0].hint for shown in ("state/memories/vera.jsonl", "state/threads.jsonl")]
    assert [hint.partition("; ")[::2] for hint in hints] == [
        ("each line is one object between { and }", "gm memory add writes one from a text"),
        ("each line is one object between { and }", ""),
    ]


def test_a_byte_that_is_not_utf8_is_named_with_its_place(tmp_path: Path) -> None:
    _, problems = read(tmp_path, 'x\n{"ä": "'.encode() + b"\xff" + b'"}\n')
    assert problems == [(2, 8, "not-utf8")]


def test_an_absent_file_has_no_lines(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "nothing.jsonl", "nothing.jsonl") == ([], [])


def test_a_line_nested_too_deeply_is_a_problem_and_no_crash(tmp_path: Path) -> None:
    lines, problems = read(tmp_path, b'{"a": 1}\n{"a": ' + b"[" * 100_000 + b"\n")
    assert [number for number, _ in lines] == [1]
    assert [line for line, _, _ in problems] == [2]


def test_a_key_that_stands_twice_in_an_exchange_is_found_too(tmp_path: Path) -> None:
    talk = b'{"metadata": {"exchange": [{"agent": "vera", "text": "Ja."}, {"agent": "emre", "text": "Nein."}]}}\n'
    assert read(tmp_path, talk)[1] == []
    lines, problems = read(tmp_path, talk + talk.replace(b'"agent": "emre"', b'"text": "Doch."'))
    assert [number for number, _ in lines] == [1]
    assert [(line, code) for line, _, code in problems] == [(2, "key-twice")]
