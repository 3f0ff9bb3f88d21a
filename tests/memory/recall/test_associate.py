"""What a lens at association brings up beside what was found."""

from __future__ import annotations

from typing import Any

from gm.memory.lens import Lens
from gm.memory.lens_form import parse_lenses
from gm.memory.recall.associate import MOST, associate
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Hit
from tests.build import node

STREAM = (
    node(1, description="Der Turm steht.", tags=("turm",)),
    node(2, description="Mein Bruder fiel.", tags=("Bruder", "turm"), importance=9),
    node(3, description="Es regnet.", tags=("regen",)),
)


def lens(tags: tuple[str, ...] = ("bruder",), by: float = 0.5, **others: Any) -> Lens:
    value = {"at": "association", "when": {"words": ["turm"]}, "boost": {"tags": list(tags), "by": by}, **others}
    lenses, problems = parse_lenses([value])
    assert not problems
    return lenses[0]


def columns(nodes: tuple[Any, ...] = STREAM, owner: str = "vera") -> Columns:
    return Columns(MemoryLexicon(owner, nodes, "de"))


def look(
    text: str, *lenses: Lens, found: tuple[tuple[int, float], ...] = (), filters: Filters | None = None
) -> list[tuple[str, float]]:
    stream = columns()
    hits = [Hit("vera", place, stream.lexicon.entries[place], score, {"own": score}) for place, score in found]
    come = associate(hits, text, lenses, [stream], filters or Filters())
    assert all(hit.score == sum(hit.parts.values()) for hit in come)
    return [(hit.entry.id, hit.score) for hit in come]


def test_where_no_lens_is_set_off_everything_stays_as_it_was() -> None:
    assert look("Der Garten", lens(), found=((2, 0.4), (0, 1.0))) == [("vera-003", 0.4), ("vera-001", 1.0)]


def test_what_a_tag_brings_up_comes_beside_what_was_found_and_the_best_first() -> None:
    assert look("Der Turm", lens(), found=((0, 1.0), (2, 0.2))) == [
        ("vera-001", 1.0),
        ("vera-002", 0.5),
        ("vera-003", 0.2),
    ]


def test_what_was_found_already_is_raised_and_not_found_twice() -> None:
    assert look("Der Turm", lens(), found=((0, 1.0), (1, 0.75))) == [("vera-002", 1.25), ("vera-001", 1.0)]


def test_each_tag_of_a_memory_counts_and_gains_that_cancel_out_are_nothing() -> None:
    assert look("Der Turm", lens(("bruder", "turm"))) == [("vera-002", 1.0), ("vera-001", 0.5)]
    assert look("Der Turm", lens(by=0.0)) == []


def test_what_a_filter_keeps_out_is_not_called_up() -> None:
    assert look("Der Turm", lens(("bruder", "turm")), filters=Filters(min_importance=8)) == [("vera-002", 1.0)]


def test_of_memories_that_only_an_association_speaks_for_the_newest_hundred_are_looked_at() -> None:
    many = columns(tuple(node(number, tags=("bruder",)) for number in range(1, MOST + 20)))
    first = Hit("vera", 0, many.lexicon.entries[0], 0.1)
    come = associate([first], "Der Turm", [lens()], [many], Filters())
    assert len(come) == MOST + 1
    assert {hit.place for hit in come} == {0, *range(19, MOST + 19)}


def test_two_streams_are_two() -> None:
    streams = [columns(), columns(STREAM[1:2], "emre")]
    come = associate([], "Der Turm", [lens()], streams, Filters())
    assert [(hit.owner, hit.place) for hit in come] == [("vera", 1), ("emre", 0)]
