"""Streams that are looked through in their bytes say what reading them whole says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.files.formats import look
from gm.files.layout import Layout
from gm.files.streams import memories as whole
from gm.files.streams import unread
from gm.files.streams.find import STREAM
from gm.files.streams.lineindex import line_index
from gm.files.streams.memories import Memories
from gm.files.streams.rows import BY_IMPORTANCE, BY_TIME, MemoryRow
from tests.api.views.worlds import line, world
from tests.files.longstreams import DAYS, make_stream, write_stream


def make_unread(layout: Layout, patch: pytest.MonkeyPatch, least: int = 1) -> None:
    """Let the line index know all streams, as if they had been written long ago; from some bytes on they are long."""
    patch.setattr(look, "SETTLED_NS", -1)
    patch.setattr(whole, "LONG", least)
    with line_index(layout) as known:
        for name in layout.agent_names():
            known.lines(name, layout.stream(name))


@contextmanager
def made(seed: int) -> Iterator[tuple[Memories, pytest.MonkeyPatch]]:
    """Make a world with a long stream that has not been read."""
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        layout.memories.mkdir(parents=True)
        write_stream(layout, make_stream(seed))
        make_unread(layout, patch)
        yield Memories(layout), patch


def plain(row: MemoryRow) -> MemoryRow:
    return row._replace(number=0)


@given(st.integers(0, 10_000), st.integers(0, DAYS), st.integers(0, DAYS), st.sampled_from((1, 300, 1 << 20)))
def test_some_days_are_those_of_the_whole_stream(seed: int, first: int, last: int, block: int) -> None:
    with made(seed) as (memories, patch):
        stream = memories.unread()["alex"]
        rows = memories.of("alex").files[STREAM].rows
        days = [plain(row) for row in rows if first <= row.day <= last]
        assert [row for row in stream.between(first, last).rows if first <= row.day <= last] == days
        patch.setattr(unread, "BLOCK", block)
        found = stream.between(first, last, [b"lang", b"\xc5\xbf"]).rows
        texts = memories.nodes(whole.OwnedRow("alex", row) for row in days)
        long = [row for row, node in zip(days, texts, strict=True) if node and "lang" in node.description]
        assert [row for row in found if first <= row.day <= last] == long
        assert stream.importance_before(first) == sum(
            row.importance for row in rows if row.home == STREAM and row.day < first
        )


@given(st.integers(0, 10_000), st.integers(1, 8))
def test_its_newest_and_strongest_memories_are_those_of_the_whole_stream(seed: int, most: int) -> None:
    with made(seed) as (memories, _):
        stream = memories.unread(["alex"])["alex"]
        rows = [plain(row) for row in memories.of("alex").files[STREAM].rows if row.home == STREAM]
        reflections = [row for row in rows if row.depth > 0]
        artifacts = [row for row in rows if row.type == "artifact"]
        assert stream.newest(most) == sorted(rows, key=BY_TIME, reverse=True)[:most]
        assert stream.strongest(most) == sorted(rows, key=BY_IMPORTANCE, reverse=True)[:most]
        assert stream.newest_reflections(most) == sorted(reflections, key=BY_TIME, reverse=True)[:most]
        assert stream.newest_artifacts(most) == sorted(artifacts, key=BY_TIME, reverse=True)[:most]
        assert (stream.lived, stream.reflections, stream.artifacts) == (len(rows), len(reflections), len(artifacts))


def test_what_cites_a_memory_is_found_behind_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        line("vera-001"),
        line("vera-002", "vera-001", evidence=["vera-001"]),
        line("vera-003", '"vera-001"', tags=["vera-001"], created="day-002/scene-01"),
        line("vera-004", created="day-003/scene-01", evidence=["vera-003", "vera-001"]),
    ]
    layout = world(tmp_path, {"vera": lines})
    make_unread(layout, monkeypatch)
    stream = Memories(layout).unread()["vera"]
    for block in (1, 200, unread.BLOCK):
        monkeypatch.setattr(unread, "BLOCK", block)
        cited = stream.citing({"vera-001": 0, "vera-003": len(lines[0])})
        assert cited == {"vera-001": ["vera-002", "vera-004"], "vera-003": ["vera-004"]}
    assert stream.citing({}) == {}
    layout.stream("vera").write_bytes(b"")
    assert stream.citing({"vera-001": 0}) == {"vera-001": []}


def test_short_streams_changed_ones_and_those_with_hidden_memories_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001")]})
    make_unread(layout, monkeypatch, 10_000)
    assert Memories(layout).unread() == {}
    make_unread(layout, monkeypatch)
    memories = Memories(layout)
    assert memories.unread().keys() == {"vera"}
    assert Memories(layout, ["privat"]).unread() == {}
    memories.warm()
    assert memories.unread() == {}
    layout.stream("vera").write_text(line("vera-002") + "\n", encoding="utf-8")
    assert Memories(layout).unread() == {}
