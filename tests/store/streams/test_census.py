"""What is in the streams, in numbers: the same as whoever reads all of it finds, and read once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gm.model.node import Node, render_node
from gm.store.forms.jsonl import Scan, scan_lines
from gm.store.layout import Layout
from gm.store.load import load_world
from gm.store.streams.lineindex import Lines, line_index
from gm.store.streams.linescan import read_day
from tests.build import node


def count(layout: Layout, name: str = "alex") -> Lines:
    with line_index(layout) as index:
        return index.lines(name, layout.stream(name))[0]


def write(layout: Layout, *nodes: Node, name: str = "alex", how: str = "w") -> None:
    layout.memories.mkdir(exist_ok=True)
    with layout.stream(name).open(how, encoding="utf-8") as file:
        file.write("".join(render_node(item) + "\n" for item in nodes))


def memory(number: int, day: int = 1, depth: int = 0, metadata: dict[str, str] | None = None) -> Node:
    kind = "reflection" if depth else "observation"
    return node(number, agent="alex", created=f"day-{day:03d}/scene-01", type=kind, depth=depth, metadata=metadata)


@pytest.fixture
def world(dinner: Layout) -> Layout:
    write(dinner, memory(1), memory(2), memory(3, 2, 1), memory(4, 2, metadata={"copied_from": "jordan-001"}))
    return dinner


def assert_as_loaded(layout: Layout) -> None:
    """Whoever reads everything finds the same."""
    agent = load_world(layout).world.agents["alex"]
    lines = count(layout)
    assert lines.memories == len(agent.stream) + len(agent.beside)
    assert lines.reflections == sum(item.depth > 0 for item in agent.stream)
    assert lines.highest + 1 == agent.next_number
    days = {item.when.day for item in agent.stream}
    assert set(lines.day_places()) == days
    for day in days:
        lived = [item for item in agent.stream if item.when.day == day]
        assert read_day("alex", layout.stream("alex"), lines, day) == lived


def add(layout: Layout) -> None:
    write(layout, memory(5, 3), memory(6, 3, 2), how="a")


def put_in_front(layout: Layout) -> None:
    path = layout.stream("alex")
    path.write_text(render_node(memory(9, 3)) + "\n" + path.read_text(encoding="utf-8"), encoding="utf-8")


def change_a_depth(layout: Layout) -> None:
    path = layout.stream("alex")
    path.write_text(path.read_text(encoding="utf-8").replace('"depth": 0', '"depth": 1', 1), encoding="utf-8")


def change_a_depth_and_add(layout: Layout) -> None:
    change_a_depth(layout)
    add(layout)


def use_an_id_twice(layout: Layout) -> None:
    write(layout, memory(2, 4), how="a")


def break_a_line(layout: Layout) -> None:
    with layout.stream("alex").open("a", encoding="utf-8") as file:
        file.write('{"id": "alex-900", \n')
    add(layout)


def take_the_file_away(layout: Layout) -> None:
    layout.stream("alex").unlink()


def leave_out_the_last_line_end(layout: Layout) -> None:
    path = layout.stream("alex")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().rstrip())
    count(layout)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + render_node(memory(7, 5)))


def break_the_note(layout: Layout) -> None:
    layout.lines.write_text('{"state/memories/alex.jsonl": {"memories": "x"}}', encoding="utf-8")


@pytest.mark.parametrize(
    "edit",
    [
        add,
        put_in_front,
        change_a_depth,
        change_a_depth_and_add,
        use_an_id_twice,
        break_a_line,
        take_the_file_away,
        leave_out_the_last_line_end,
        break_the_note,
    ],
)
def test_after_every_edit_it_says_what_a_reader_of_everything_finds(
    world: Layout, edit: Callable[[Layout], None]
) -> None:
    assert_as_loaded(world)
    edit(world)
    assert_as_loaded(world)
    assert_as_loaded(world)


def test_a_stream_that_is_as_it_was_is_not_read_again_and_of_a_longer_one_only_the_end(
    world: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    count(world)
    read: list[str] = []

    def scan(text: str, shown: str) -> Scan:
        read.append(text)
        return scan_lines(text, shown)

    monkeypatch.setattr("gm.store.streams.linescan.scan_lines", scan)
    count(world)
    assert read == []
    add(world)
    count(world)
    assert [text.count("\n") for text in read] == [2]


def test_what_cannot_be_read_is_named_each_time(world: Layout) -> None:
    break_a_line(world)
    for _ in range(2):
        with line_index(world) as index:
            (problem,) = index.lines("alex", world.stream("alex"))[1]
        assert (problem.line, problem.code) == (5, "json-syntax")


def test_it_can_be_deleted_and_needs_no_place_to_be_kept(world: Layout, tmp_path: Path) -> None:
    known = count(world)
    world.lines.unlink()
    world.derived.rename(tmp_path / "away")
    world.derived.write_text("a file is in the way", encoding="utf-8")
    assert count(world).days == known.days
