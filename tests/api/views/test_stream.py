"""Pages of one character's memories, and of what everybody remembers of something."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.views import stream
from gm.api.views.filtering import ORDERS, Filter, filter_query, read_filter
from gm.api.views.stream import ShownMemory, pages_of
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.streams.memories import Memories
from gm.files.streams.rows import HOMES
from gm.model.node import NODE_TYPES
from tests.api.views.worlds import line, world
from tests.files.streams.test_unread import make_unread

view_stream = partial(stream.view_stream, language="de")
view_search = partial(stream.view_search, language="de")


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
    assert facets is not None
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


def test_an_unknown_name_is_refused(memories: Memories) -> None:
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
    assert read_filter(filter_query(wanted)) == wanted


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


def old_world(root: Path) -> Layout:
    """Write a world of many days, whose memories say more or less of a tower, cite each other and are kept apart."""
    dice = random.Random(7)
    streams: dict[str, list[str]] = {}
    for name, other in (("vera", "leo"), ("leo", "vera")):
        for number in range(1, 200):
            about = dice.choice(("Der TURM brennt.", "Türme fern.", "Nur ein Stürmer.", "Regen.", "Ein langer Weg."))
            evidence = [f"{dice.choice((name, other))}-{dice.randint(max(1, number - 60), number):03d}"]
            beside = {"copied_from": f"{other}-001"} if dice.random() < 0.1 else {}
            more = {"tags": [dice.choice(("wach", "Fähre"))], "evidence": evidence, "metadata": beside}
            created = f"day-{1 + number // 3:03d}/scene-01"
            streams.setdefault(name, []).append(line(f"{name}-{number:03d}", about, created=created, **more))
    return world(root, streams, archive={"leo": [line("leo-000", "Am Turm.", evidence=["leo-001"])]})


@pytest.mark.parametrize(
    "wishes",
    [
        [("q", "Turm")],
        [("q", "langer weg"), ("type", "observation")],
        [("q", "steht nirgends")],
        [("q", "tu"), ("last", "40")],
        [("tag", "fähre"), ("first", "12")],
        [("q", "turm"), ("home", "copies")],
    ],
)
def test_what_is_found_in_unread_streams_is_page_by_page_what_the_whole_search_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wishes: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(stream, "PAGE_SIZE", 10)
    layout, wanted = old_world(tmp_path), read_filter(wishes)
    read = Memories(layout)
    make_unread(layout, monkeypatch)
    read.warm()
    whole = view_search(read, wanted)
    assert whole.facets is not None
    for number in range(1, whole.pages + 1):
        page, full = view_search(Memories(layout), wanted, (), number), view_search(read, wanted, (), number)
        assert [comparable(row) for row in page.rows] == [comparable(row) for row in full.rows]
        assert page.pages == number + 1 or page == replace(full, rows=page.rows)


def comparable(row: ShownMemory) -> ShownMemory:
    """Return a memory without its line number, which a search does not show."""
    return replace(row, line=0, cited_by=tuple(sorted(row.cited_by)))


def test_a_frequent_word_is_found_without_counting_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "PAGE_SIZE", 10)
    layout = old_world(tmp_path)
    make_unread(layout, monkeypatch)
    page = view_search(Memories(layout), Filter(text="turm"))
    assert (page.page, page.pages, page.facets, len(page.rows)) == (1, 2, None, 10)


@pytest.mark.parametrize(
    "wishes",
    [
        [],
        [("q", "Turm")],
        [("tag", "fähre"), ("first", "12")],
        [("q", "steht nirgends")],
        [("home", "stream"), ("home", "copies"), ("home", "utterances"), ("type", "plan")],
        [("home", "copies")],
        [("order", "oldest")],
    ],
)
def test_a_list_of_an_unread_stream_is_page_by_page_that_of_the_whole_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wishes: list[tuple[str, str]]
) -> None:
    monkeypatch.setattr(stream, "PAGE_SIZE", 10)
    layout, wanted = old_world(tmp_path), read_filter(wishes)
    read = Memories(layout, reads_all=True)
    make_unread(layout, monkeypatch)
    for owner in ("vera", "leo"):
        for number in range(1, view_stream(read, owner, wanted).pages + 2):
            page, full = view_stream(Memories(layout), owner, wanted, number), view_stream(read, owner, wanted, number)
            assert [comparable(row) for row in page.rows] == [comparable(row) for row in full.rows]
            assert page.total == full.total
            assert page.facets in (None, full.facets)
            counted = (page.page, page.pages, page.found) == (full.page, full.pages, full.found)
            assert counted or (page.facets is None and wishes and page.pages == number + 1)
    assert view_stream(Memories(layout), "vera").facets is None
