"""A long stream is the same whether it is read whole or only as far as needed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.reading import read_node
from gm.files.streams import linescan, nodefile
from gm.model.node import Node, render_node
from gm.model.stream import InOrder, named, reflections_before, since
from tests.build import node
from tests.files.longstreams import DAYS, edit_by_hand, make_stream, note_scanned, write_stream


@pytest.fixture(autouse=True)
def _everything_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodefile, "LONG", 1)
    monkeypatch.setattr(nodefile, "LONG_BLOCK", 700)
    monkeypatch.setattr(nodefile, "LINE", 60)
    monkeypatch.setattr(linescan, "BLOCK", 900)


def whole(layout: Layout) -> Sequence[Node]:
    return load_world(layout).world.agents["alex"].stream


def lazily(layout: Layout) -> Sequence[Node]:
    return load_world(layout, whole_streams=False).world.agents["alex"].stream


def opened(layout: Layout) -> InOrder:
    stream = lazily(layout)
    assert isinstance(stream, InOrder)
    return stream


@pytest.mark.matrix
@pytest.mark.parametrize("seed", range(20))
def test_every_way_of_looking_at_it_finds_what_the_whole_stream_holds(dinner: Layout, seed: int) -> None:
    dice = random.Random(seed)
    nodes = make_stream(seed)
    write_stream(dinner, nodes)
    expected = whole(dinner)
    assert tuple(opened(dinner)) == expected
    assert list(reversed(opened(dinner))) == list(expected)[::-1]
    ids = [f"alex-{number:03d}" for number in range(1, 60)] + [
        "jordan-001",
        "nobody",
        "alex-0001",
        *(one.id for one in nodes),
    ]
    for _ in range(12):
        stream = opened(dinner)
        assert len(stream) == len(expected)
        low, high = (dice.randint(-len(nodes) - 2, len(nodes) + 2) for _ in range(2))
        assert tuple(stream[low:]) == expected[low:]
        day = dice.randint(0, DAYS + 1)
        assert since(stream, day) == since(expected, day) == tuple(one for one in expected if one.when.day >= day)
        end = dice.randint(0, len(expected))
        assert reflections_before(stream, end) == reflections_before(expected, end)
        wanted = frozenset(dice.sample(ids, dice.randint(0, len(ids))))
        assert tuple(named(stream, wanted)) == tuple(named(expected, wanted))
        assert tuple(stream[low:high]) == expected[low:high]
        assert all(stream[place] == expected[place] for place in range(-len(expected), len(expected)))


@pytest.mark.parametrize("seed", range(10))
def test_so_is_what_is_kept_beside_it_and_the_next_number(dinner: Layout, seed: int) -> None:
    write_stream(dinner, make_stream(seed))
    one, other = (load_world(dinner, whole_streams=way).world.agents["alex"] for way in (True, False))
    assert tuple(other.beside) == tuple(one.beside)
    assert bool(other.beside) == bool(one.beside)
    assert tuple(other.everything) == tuple(one.everything)
    assert other.next_number == one.next_number


@pytest.mark.parametrize("seed", range(32))
def test_a_stream_that_people_edited_is_the_same_with_the_same_problems(dinner: Layout, seed: int) -> None:
    write_stream(dinner, make_stream(seed))
    lazily(dinner)
    edit_by_hand(dinner, seed)
    one, other = load_world(dinner), load_world(dinner, whole_streams=False)
    assert other.problems == one.problems
    assert tuple(other.world.agents["alex"].stream) == one.world.agents["alex"].stream
    assert other.world.agents["alex"].next_number == one.world.agents["alex"].next_number


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data + data.splitlines(keepends=True)[0],
        lambda data: data.splitlines(keepends=True)[-1] + data,
        lambda data: data.removesuffix(b"\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b"Turm", b"Tu\xffm", 1),
        lambda data: data.replace(b"\n", b"\n\n", 1),
        lambda data: data.replace(b'"day-001', b'"day-007', 1),
        lambda data: data.replace(b'"depth"', b'"depth": 0, "depth"', 1),
        lambda data: data.replace(b'"id": "alex', b'"id": "jordan', 1),
        lambda data: data[:0],
    ],
)
def test_where_anything_is_unusual_it_is_read_whole(dinner: Layout, spoil: Callable[[bytes], bytes]) -> None:
    write_stream(dinner, [node(number, agent="alex") for number in range(1, 9)])
    path = dinner.stream("alex")
    path.write_bytes(spoil(path.read_bytes()))
    assert isinstance(lazily(dinner), tuple)
    assert lazily(dinner) == whole(dinner)


def test_a_short_stream_is_read_whole_and_nothing_is_kept_of_it(
    dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodefile, "LONG", 10**6)
    write_stream(dinner, make_stream(1))
    assert isinstance(lazily(dinner), tuple)
    assert not dinner.lines.exists()


def note_reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that receives the id of each memory that is decoded from now on."""
    read: list[str] = []

    def noted(*arguments: Any) -> Node:
        found = read_node(*arguments)
        read.append(found.id)
        return found

    monkeypatch.setattr("gm.files.streams.nodefile.read_node", noted)
    return read


def test_only_the_end_is_decoded_for_what_is_recent(dinner: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    days = [node(number, agent="alex", created=f"day-{number:03d}/scene-01") for number in range(1, 301)]
    write_stream(dinner, [replace(one, type="reflection", depth=1) if one.id == "alex-005" else one for one in days])
    lazily(dinner)
    read = note_reads(monkeypatch)
    stream = opened(dinner)
    assert len(stream) == 300
    assert [one.id for one in stream[-3:]] == ["alex-298", "alex-299", "alex-300"]
    assert [one.id for one in since(stream, 299)] == ["alex-299", "alex-300"]
    assert [one.id for one in reflections_before(stream, 290)] == ["alex-005"]
    assert len(read) < 20
    assert [one.id for one in named(stream, {"alex-100", "alex-300", "alex-005"})] == [
        "alex-005",
        "alex-100",
        "alex-300",
    ]
    assert len(read) < 40


def grow(layout: Layout, *more: Node) -> None:
    with layout.stream("alex").open("a", encoding="utf-8") as file:
        file.write("".join(render_node(one) + "\n" for one in more))


def test_of_a_stream_that_has_grown_only_the_new_end_is_looked_through(
    dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_stream(dinner, [node(number, agent="alex") for number in range(1, 30)])
    lazily(dinner)
    read = note_scanned(monkeypatch)
    grow(dinner, node(30, agent="alex"), node(31, agent="alex", type="reflection", depth=1))
    assert len(opened(dinner)) == 31
    assert read == ["alex-030", "alex-031"]
    assert [one.id for one in reflections_before(opened(dinner), 31)] == ["alex-031"]
    assert tuple(opened(dinner)) == whole(dinner)


def test_an_edit_above_the_new_end_is_seen(dinner: Layout) -> None:
    write_stream(dinner, [node(number, agent="alex") for number in range(1, 30)])
    lazily(dinner)
    path = dinner.stream("alex")
    path.write_bytes(path.read_bytes().replace(b'"depth": 0', b'"depth": 1', 1).replace(b"Turm", b"Wurm", 1))
    grow(dinner, node(30, agent="alex"))
    assert tuple(lazily(dinner)) == whole(dinner)
    assert [one.id for one in reflections_before(lazily(dinner), 30)] == ["alex-001"]


def test_a_line_that_does_not_fit_what_is_known_makes_it_be_read_whole(dinner: Layout) -> None:
    write_stream(dinner, [node(number, agent="alex", created="day-003/scene-01") for number in range(1, 30)])
    assert isinstance(lazily(dinner), InOrder)
    grow(dinner, node(30, agent="alex", created="day-002/scene-01"))
    assert isinstance(lazily(dinner), tuple)
    assert since(lazily(dinner), 3) == since(whole(dinner), 3)


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"state/memories/alex.jsonl": 3}', "[[[[", None])
def test_what_is_kept_may_be_lost_or_anything(dinner: Layout, note: str | None) -> None:
    write_stream(dinner, make_stream(3))
    expected = tuple(opened(dinner))
    dinner.lines.unlink() if note is None else dinner.lines.write_text(note)
    assert tuple(opened(dinner)) == expected
    assert dinner.lines.exists()


def test_what_is_kept_of_another_content_is_not_believed(dinner: Layout) -> None:
    write_stream(dinner, [node(number, agent="alex") for number in range(1, 30)])
    lazily(dinner)
    kept = dinner.lines.read_text()
    write_stream(dinner, [node(number, agent="alex", description="Anderes.") for number in range(1, 31)])
    dinner.lines.write_text(kept)
    assert tuple(opened(dinner)) == whole(dinner)


def test_a_file_that_takes_its_place_meanwhile_is_not_seen(dinner: Layout) -> None:
    write_stream(dinner, make_stream(5))
    expected, stream = whole(dinner), opened(dinner)
    beside = dinner.root / "beside"
    beside.write_text("nothing of the kind\n" * 2000)
    beside.replace(dinner.stream("alex"))
    assert tuple(stream) == expected


def test_a_file_that_is_edited_in_place_meanwhile_is_named(dinner: Layout) -> None:
    write_stream(dinner, make_stream(5))
    stream = opened(dinner)
    path = dinner.stream("alex")
    path.write_bytes(b"x" * path.stat().st_size)
    with pytest.raises(GmError, match="edited while it was read"):
        tuple(stream)


def test_a_file_that_is_cut_meanwhile_is_named(dinner: Layout) -> None:
    write_stream(dinner, make_stream(5))
    stream = opened(dinner)
    dinner.stream("alex").write_bytes(b"")
    with pytest.raises(GmError, match="edited while it was read"):
        tuple(stream)
