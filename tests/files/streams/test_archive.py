"""The archive grows and is not read whole: its highest number is remembered, single memories are found."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.streams.archive import read_archive
from gm.files.streams.find import find_archived
from gm.files.streams.lineindex import line_index
from gm.model.ids import highest_number
from gm.model.node import render_node
from tests.build import node


def fill(layout: Layout, *numbers: int, agent: str = "vera") -> None:
    path = layout.archived(agent)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as file:
        file.writelines(render_node(node(number, agent=agent)) + "\n" for number in numbers)


def highest_archived(layout: Layout, name: str) -> int:
    with line_index(layout) as index:
        return index.highest_archived(name)


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path)


def test_the_highest_number_is_found_and_kept(layout: Layout) -> None:
    assert highest_archived(layout, "vera") == 0
    fill(layout, 7, 12, 3)
    assert highest_archived(layout, "vera") == 12
    assert layout.lines.is_file()
    fill(layout, 4)
    assert highest_archived(layout, "vera") == 12
    fill(layout, 40)
    assert highest_archived(layout, "vera") == 40


def test_what_was_looked_through_is_not_looked_through_again(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(layout, *range(1, 200))
    assert highest_archived(layout, "vera") == 199
    read: list[str] = []

    def noted(name: str, ids: Iterable[str]) -> int:
        found = list(ids)
        read.extend(found)
        return highest_number(name, found)

    monkeypatch.setattr("gm.files.streams.linescan.highest_number", noted)
    assert highest_archived(layout, "vera") == 199
    assert read == []
    fill(layout, 200)
    assert highest_archived(layout, "vera") == 200
    assert read == ["vera-200"]


def test_an_archive_rewritten_by_hand_is_looked_through_whole(layout: Layout) -> None:
    fill(layout, 1, 2)
    assert highest_archived(layout, "vera") == 2
    text = layout.archived("vera").read_text(encoding="utf-8")
    layout.archived("vera").write_text(text.replace("vera-001", "vera-900") + text, encoding="utf-8")
    assert highest_archived(layout, "vera") == 900


@pytest.mark.parametrize(
    "note", ["", "[]", '{"state/archive/vera.jsonl": 7}', '{"state/archive/vera.jsonl": {"look": []}}']
)
def test_a_damaged_note_costs_nothing_but_time(layout: Layout, note: str) -> None:
    fill(layout, 5)
    highest_archived(layout, "vera")
    layout.lines.write_text(note, encoding="utf-8")
    assert highest_archived(layout, "vera") == 5


def test_a_memory_is_found_by_its_id_and_not_by_being_cited(layout: Layout) -> None:
    fill(layout, 1, 2)
    with open(layout.archived("vera"), "a", encoding="utf-8") as file:
        file.write(render_node(node(3, type="reflection", depth=1, evidence=["vera-001"])) + "\n{broken vera-002\n")
    found = find_archived(layout, ["vera-001", "VERA-003", "vera-009", "emre-001", "nonsense"])
    assert {name: item.depth for name, item in found.items()} == {"vera-001": 0, "vera-003": 1}
    assert [item.id for item in read_archive(layout, "vera")] == ["vera-001", "vera-002", "vera-003"]


def test_numbers_of_archive_and_summaries_are_never_given_again(layout: Layout) -> None:
    fill(layout, 4)
    layout.summaries.mkdir(parents=True)
    layout.memories.mkdir(parents=True)
    layout.stream("vera").write_text(render_node(node(2)) + "\n", encoding="utf-8")
    layout.summarised("vera").write_text(render_node(node(9, depth=1, type="reflection")) + "\n", encoding="utf-8")
    vera = load_world(layout).world.agents["vera"]
    assert (vera.archived_number, vera.next_number) == (4, 10)
    assert [item.id for item in vera.summaries] == ["vera-009"]


def test_ids_are_known_in_every_spelling(layout: Layout) -> None:
    for agent, line in (("Mina", "Mina-007"), ("sören", "so\u0308ren-012"), ("jörg", "j\\u00f6rg-031")):
        layout.archive.mkdir(exist_ok=True, parents=True)
        text = render_node(node(1)).replace("vera-001", line)
        layout.archived(agent).write_text(text + "\n", encoding="utf-8")
    assert [highest_archived(layout, name) for name in ("Mina", "sören", "jörg")] == [7, 12, 31]
    found = find_archived(layout, ["mina-007", "sören-012", "jörg-031"])
    assert sorted(found) == ["jörg-031", "mina-007", "sören-012"]
