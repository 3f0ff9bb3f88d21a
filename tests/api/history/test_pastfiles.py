"""Files as they were are read as far as they can be, and what cannot be read is named once."""

from __future__ import annotations

from gm.api.history.pastfiles import PastFiles, UnreadablePlace
from gm.model.node import render_node
from tests.build import node

STREAM = "state/memories/vera.jsonl"


def test_a_broken_line_is_left_out_and_named_once() -> None:
    lines = (render_node(node(1)), "{broken", '{"id": 7}', render_node(node(1)), "")
    files = PastFiles({STREAM: "\n".join(lines).encode()}, "from")
    assert list(files.nodes(STREAM)) == list(files.nodes(STREAM)) == ["vera-001", "vera-001#2"]
    assert [(item.state, item.path, item.line) for item in files.unreadable] == [
        ("from", STREAM, 2),
        ("from", STREAM, 3),
    ]


def test_a_document_that_cannot_be_read_is_as_absent_and_named() -> None:
    files = PastFiles({"a.json": b"{", "b.yaml": b"y: 1\nx: [", "c.json": b"[1]", "d.jsonl": b"\xff", "e.json": None})
    assert [files.mapping(path) for path in ("a.json", "b.yaml", "c.json", "e.json", "f.json")] == [{}] * 5
    assert files.document("c.json") == [1]
    assert files.records("d.jsonl") == []
    assert [item.path for item in files.unreadable] == ["a.json", "b.yaml", "d.jsonl"]
    assert files.unreadable[1] == UnreadablePlace("", "b.yaml", 2, "what begins here has no ] where one is expected")
    assert files.unreadable[-1] == UnreadablePlace("", "d.jsonl", 0, "not UTF-8: invalid start byte")
