"""Packed columns are those of an index in memory, after any edit of the files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.files.lexical.index import open_index
from gm.files.lexical.packed import NUMBERS, TEXTS, _ids_before
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.model.node import Node, render_node
from tests.build import node

Block = tuple[str, int, bytes]


@pytest.fixture
def layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Layout:
    monkeypatch.setattr("gm.files.lexical.packed.BLOCK", 3)
    made = Layout(tmp_path / "world")
    for folder in (made.memories, made.archive):
        folder.mkdir(parents=True)
    return made


def memory(number: int, day: int = 1, scene: int = 1, importance: int = 5, **metadata: object) -> Node:
    text = " ".join(["Turm"] * (number % 5 + 1)) + ("?" if number % 2 else ".")
    created = f"day-{day:03d}/scene-{scene:02d}"
    return node(number, description=text, created=created, importance=importance, metadata=metadata)


def said(number: int, day: int = 1) -> Node:
    return memory(number, day, speaker=("Emre", "Darius")[number % 2], session=f"S{number // 4}", about=["Leo"])


def write(path: Path, nodes: Sequence[Node]) -> None:
    path.write_text("".join(f"{render_node(one)}\n" for one in nodes), encoding="utf-8")


def compare(layout: Layout, nodes: Sequence[Node]) -> None:
    """Compare all columns with those of ``nodes``, whose ids are unique."""
    wanted = MemoryLexicon("vera", nodes, "de")

    def look(streams: tuple[Columns, ...]) -> None:
        lexicon = streams[0].lexicon
        assert [entry.id for entry in lexicon.entries] == [one.id for one in nodes]
        for name in NUMBERS:
            assert list(lexicon.numbers(name)) == list(wanted.numbers(name)), name
        for name in (*TEXTS, "id"):
            assert lexicon.texts(name) == wanted.texts(name), name
            assert set(lexicon.different(name)) == wanted.different(name), name
        assert list(lexicon.find("turm").places) == list(wanted.find("turm").places)

    with open_index(layout, "de") as index:
        index.ask(("vera",), look)


def blocks(layout: Layout) -> set[Block]:
    with closing(sqlite3.connect(layout.lexical)) as file:
        return set(file.execute("SELECT name, number, data FROM block"))


def test_appended_lines_change_the_last_block_alone(layout: Layout) -> None:
    nodes = [said(number) for number in range(1, 9)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    before = blocks(layout)
    nodes += [said(number, day=2) for number in range(9, 13)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    assert {number for _, number, _ in blocks(layout) - before} == {2, 3}
    assert {number for _, number, _ in before - blocks(layout)} == {2}


def test_edited_deleted_moved_and_archived_lines(layout: Layout) -> None:
    nodes = [said(number) for number in range(1, 12)]
    edited = [*nodes[:4], memory(5, day=3, importance=9), *nodes[5:]]
    for stream in (nodes, edited, edited[2:], edited[::-1], [], nodes):
        write(layout.stream("vera"), stream)
        compare(layout, stream)
    write(layout.archived("vera"), nodes[:4])
    write(layout.stream("vera"), nodes[4:])
    compare(layout, nodes)
    write(layout.archived("vera"), nodes[:6])
    write(layout.stream("vera"), nodes[6:])
    compare(layout, nodes)


def test_of_a_repeated_id_the_first_counts_also_after_updates(layout: Layout) -> None:
    nodes = [memory(number) for number in (1, 2, 3, 4)]
    again = memory(2, day=2, importance=8)
    write(layout.stream("vera"), [*nodes, again])
    compare(layout, nodes)
    write(layout.stream("vera"), [*nodes, again, memory(5), memory(5, day=7), memory(3, day=7)])
    compare(layout, [*nodes, memory(5)])
    write(layout.stream("vera"), [nodes[0], *nodes[2:], again, memory(5), memory(5, day=7)])
    compare(layout, [nodes[0], *nodes[2:], again, memory(5)])


def test_a_repeated_id_at_the_end_of_the_archive_stays_out_while_the_stream_is_empty(layout: Layout) -> None:
    nodes = [memory(number) for number in (1, 2, 3, 4)]
    write(layout.archived("vera"), [*nodes, memory(1, day=2)])
    write(layout.stream("vera"), [])
    compare(layout, nodes)
    os.utime(layout.archived("vera"))
    compare(layout, nodes)
    write(layout.stream("vera"), [memory(5)])
    compare(layout, [*nodes, memory(5)])


def test_ids_that_do_not_ascend_are_no_repeated_ones(layout: Layout) -> None:
    nodes = [memory(number) for number in (3, 1, 2)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    nodes += [memory(number) for number in (9, 4)]
    write(layout.stream("vera"), [*nodes, memory(1, day=5)])
    compare(layout, nodes)


def test_where_ids_do_not_ascend_those_before_a_higher_one_are_not_read(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [memory(number) for number in (3, 1, 2)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    read: list[int] = []

    def ids_before(file: sqlite3.Connection, owner: int, kept: int, start: int) -> set[str]:
        read.append(start)
        return _ids_before(file, owner, kept, start)

    monkeypatch.setattr("gm.files.lexical.packed._ids_before", ids_before)
    nodes += [memory(4), memory(5)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    assert not read
    write(layout.stream("vera"), [*nodes, memory(6), memory(2, day=4), memory(6, day=4)])
    compare(layout, [*nodes, memory(6)])
    assert len(read) == 1


def test_numbers_of_any_size(layout: Layout) -> None:
    nodes = [memory(1), memory(2, day=10**12, scene=70_000), memory(3), memory(4, day=2**33), memory(5)]
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
    nodes.append(memory(6, scene=10**10))
    write(layout.stream("vera"), nodes)
    compare(layout, nodes)
