"""Pages of one character's memories, and of what everybody remembers of something."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.views.filtering import ORDERS, Filter, filter_wishes, read_filter
from gm.api.views.stream import pages_of, view_search, view_stream
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.streams.memories import Memories
from gm.files.streams.rows import HOMES
from gm.model.node import NODE_TYPES
from tests.api.views.worlds import line, world


def shown(memories: Memories, *wishes: tuple[str, str], agent: str = "vera") -> list[str]:
    return [row.node.id for row in view_stream(memories, agent, read_filter(wishes)).rows]


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    lines = [
        line("vera-001", "Die Türme stehen.", tags=["Turm", "ufer"], importance=3),
        line("vera-002", "Leo sah mich an.", created="day-002/scene-01", tags=["leo"], importance=9),
        line("vera-003", "Was steht, fällt.", created="day-002/scene-03", type="reflection", depth=1, tags=["turm"],
             evidence=["vera-001", "vera-002", "vera-999"], importance=8),
        line("vera-004", "Von Leo.", created="day-003/scene-01", metadata={"copied_from": "leo-001"}),
    ]  # fmt: skip
    others = [line("leo-001", "Der Turm!", evidence=["vera-001"]), line("leo-002", "Ein Sturm kam auf.")]
    kept = {"vera": [line("vera-000", "Am Anfang war der Turm.", created="day-000/scene-01")]}
    return Memories(world(tmp_path, {"vera": lines, "leo": others}, archive=kept))


def test_without_a_wish_everything_is_there_the_newest_first(memories: Memories) -> None:
    page = view_stream(memories, "vera")
    assert [row.node.id for row in page.rows] == ["vera-004", "vera-003", "vera-002", "vera-001", "vera-000"]
    assert (page.page, page.pages, page.found, page.total) == (1, 1, 5, 5)
    assert [row.is_archived for row in page.rows] == [False, False, False, False, True]


@pytest.mark.parametrize(
    ("wish", "found"),
    [
        ([("type", "reflection")], ["vera-003"]),
        ([("tag", "TURM")], ["vera-003", "vera-001"]),
        ([("tag", "turm"), ("tag", "ufer")], ["vera-001"]),
        ([("least", "8")], ["vera-003", "vera-002"]),
        ([("most", "3")], ["vera-001"]),
        ([("first", "2"), ("last", "2")], ["vera-003", "vera-002"]),
        ([("depth", "1")], ["vera-003"]),
        ([("home", "archive")], ["vera-000"]),
        ([("home", "copies")], ["vera-004"]),
        ([("q", "turm")], ["vera-003", "vera-001", "vera-000"]),
        ([("q", "tuerme")], ["vera-003", "vera-001", "vera-000"]),
        ([("q", "vera-002")], ["vera-002"]),
    ],
)
def test_a_filter_lets_through_what_fits_all_of_it(
    memories: Memories, wish: list[tuple[str, str]], found: list[str]
) -> None:
    assert shown(memories, *wish) == found


def test_the_most_important_come_first_when_that_is_wanted(memories: Memories) -> None:
    assert shown(memories, ("order", "importance"))[:3] == ["vera-002", "vera-003", "vera-004"]
    assert shown(memories, ("order", "oldest"))[:2] == ["vera-000", "vera-001"]


def test_a_row_says_who_rests_on_it_and_where_the_words_stand(memories: Memories) -> None:
    (row,) = view_stream(memories, "vera", Filter(text="Türme", tags=("ufer",))).rows
    assert row.cited_by == ("vera-003", "leo-001")
    assert [row.node.description[begin:end] for begin, end in row.spans] == ["Türme"]
    assert (row.path, row.line) == ("state/memories/vera.jsonl", 1)


def test_what_was_found_is_counted_by_type_and_tag(memories: Memories) -> None:
    facets = view_stream(memories, "vera").facets
    assert [(item.name, item.count) for item in facets.tags] == [("Turm", 2), ("leo", 1), ("ufer", 1)]
    assert [(item.name, item.count) for item in facets.types] == [("observation", 4), ("reflection", 1)]


def test_a_page_beyond_the_last_is_the_last_one(tmp_path: Path) -> None:
    memories = Memories(world(tmp_path, {"vera": [line(f"vera-{number:03d}") for number in range(1, 251)]}))
    page = view_stream(memories, "vera", page=9)
    assert (page.page, page.pages, len(page.rows)) == (3, 3, 50)
    asked = ("vera-250", "vera-151", "vera-150", "vera-001", "vera-999")
    assert [pages_of(memories, "vera").get(name) for name in asked] == [1, 1, 2, 3, None]


def test_a_broken_line_is_a_problem_on_the_page_and_the_rest_is_there(tmp_path: Path) -> None:
    memories = Memories(world(tmp_path, {"vera": [line("vera-001"), "{kaputt", line("vera-003", importance=99)]}))
    page = view_stream(memories, "vera")
    assert [row.node.id for row in page.rows] == ["vera-001"]
    assert [(item.line, item.code) for item in page.problems] == [(2, "json-syntax"), (3, "importance-range")]
    assert all(item.column for item in page.problems)


def test_a_name_that_nobody_has_is_refused(memories: Memories) -> None:
    with pytest.raises(UsageError, match="nobody here is called"):
        view_stream(memories, "mina")


def test_nonsense_in_an_address_is_left_out() -> None:
    wishes = [
        ("least", "viel"),
        ("most", "-3"),
        ("type", "dream"),
        ("home", "/etc"),
        ("order", "x"),
        ("first", "9" * 30),
    ]
    assert read_filter(wishes) == Filter()
    assert read_filter([("least", "99"), ("q", "  ")]) == Filter(least=10)


@given(
    st.builds(
        Filter,
        text=st.text(max_size=8).map(str.strip),
        types=st.frozensets(st.sampled_from(NODE_TYPES)),
        tags=st.sets(st.sampled_from(["turm", "leo", "r&d"])).map(lambda tags: tuple(sorted(tags))),
        least=st.integers(1, 10),
        first=st.none() | st.integers(0, 99),
        depth=st.integers(0, 3),
        homes=st.frozensets(st.sampled_from(HOMES), min_size=1),
        order=st.sampled_from(ORDERS),
    )
)
def test_a_filter_that_is_written_is_read_back(wanted: Filter) -> None:
    assert read_filter(filter_wishes(wanted)) == wanted


def test_a_search_goes_through_everybody_and_says_whose_it_is(memories: Memories) -> None:
    page = view_search(memories, Filter(text="Turm"))
    assert [row.node.id for row in page.rows] == ["vera-003", "leo-002", "leo-001", "vera-001", "vera-000"]
    assert [(item.name, item.count) for item in page.owners] == [("leo", 2), ("vera", 3)]
    assert [row.node.id for row in view_search(memories, Filter(text="Turm"), ["leo"]).rows] == ["leo-002", "leo-001"]


def test_nothing_is_found_when_nothing_was_asked(memories: Memories) -> None:
    assert view_search(memories, Filter()).found == 0


def test_a_search_finds_what_was_written_a_moment_ago(memories: Memories) -> None:
    layout: Layout = memories.layout
    assert view_search(memories, Filter(text="Quitte")).found == 0
    with open(layout.stream("leo"), "a", encoding="utf-8") as file:
        file.write(line("leo-003", "Eine Quitte.") + "\n")
    assert [row.node.id for row in view_search(memories, Filter(text="Quitten")).rows] == ["leo-003"]
