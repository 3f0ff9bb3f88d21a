"""The index follows the files, even when damaged, and answers as a new one would."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gm.files.formats import look
from gm.files.layout import Layout
from gm.files.lexical.index import WordIndex, open_index
from gm.files.lexical.sync import find_owner
from gm.memory.recall.columns import Columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Filters, Query
from gm.memory.recall.scored import RecallInputs
from gm.memory.recall.strategies import rank_memories
from gm.memory.recall.words import count_languages
from gm.model.calendar import SceneRef
from gm.model.node import Node, render_node
from tests.build import node

QUESTIONS = ("Knochenturm", "Was sagt Darius über die Zisterne?", "Asche am Tag 2", "tower", "")
TEXTS = (
    "Der Knochenturm steht schief.",
    "Darius: Die Zisterne ist leer.",
    "Wann wird der Turm fertig?",
    "Am Freitag, sagte er, und die Asche stieg.",
    "The tower was what they had seen.",
    "Nichts davon.",
)
Ranked = list[tuple[str, float]]


def memory(number: int, text: str = "", day: int = 1, **more: object) -> Node:
    text = text or TEXTS[number % len(TEXTS)]
    return node(number, description=text, created=f"day-{day:03d}/scene-{number % 9 + 1:02d}", tags=("asche",))


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path / "world")
    made.memories.mkdir(parents=True)
    return made


def write(layout: Layout, nodes: Sequence[Node | str], name: str = "vera") -> None:
    lines = (line if isinstance(line, str) else render_node(line) for line in nodes)
    layout.stream(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def add(layout: Layout, *nodes: Node) -> None:
    with open(layout.stream("vera"), "a", encoding="utf-8") as file:
        file.writelines(render_node(item) + "\n" for item in nodes)


def ask(index: WordIndex, question: str, strategy: str = "hybrid") -> Ranked:
    def work(streams: tuple[Columns, ...]) -> Ranked:
        hits = rank_memories(strategy, Query(question), streams, Filters(), 50, RecallInputs()).hits
        assert all((read := index.read_node(hit)) and read.id == hit.entry.id for hit in hits)
        return [(hit.entry.id, hit.score) for hit in hits]

    return index.ask(("vera",), work)


def found(layout: Layout, questions: Sequence[str] = QUESTIONS) -> list[Ranked]:
    with open_index(layout, "de") as index:
        answers = []
        for question in questions:
            answers.append(ask(index, question))
        return answers


def expected(nodes: Sequence[Node]) -> list[Ranked]:
    columns = Columns(MemoryLexicon("vera", nodes, "de"))
    asked = (
        rank_memories("hybrid", Query(question), [columns], Filters(), 50, RecallInputs()) for question in QUESTIONS
    )
    return [[(hit.entry.id, hit.score) for hit in one.hits] for one in asked]


def rows(layout: Layout) -> dict[str, int]:
    """The number by which the index knows each memory: one that is kept was not made anew."""
    with closing(sqlite3.connect(layout.lexical)) as file:
        return dict(file.execute("SELECT e_id, doc FROM node"))


def languages(layout: Layout) -> Counter[str]:
    """The words of each language that the index has added up, without those that are 0."""
    with closing(sqlite3.connect(layout.lexical)) as file:
        (counts,) = file.execute("SELECT languages FROM owner").fetchone()
    return +Counter[str](json.loads(counts))


NODES = [memory(number) for number in range(1, 13)]


def test_the_index_answers_as_memory_does(layout: Layout) -> None:
    write(layout, NODES)
    assert found(layout) == expected(NODES)
    assert found(layout) == expected(NODES)


@pytest.mark.parametrize("few", [0, 2, 100])
def test_entries_and_their_columns_are_those_in_memory_and_of_a_repeated_id_the_first_counts(
    layout: Layout, few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gm.files.lexical.index.FEW", few)
    write(layout, [*NODES[:3], memory(1, "Noch einmal, und anders."), *NODES[3:]])
    in_memory = MemoryLexicon("vera", NODES, "de")

    def compare(streams: tuple[Columns, ...]) -> None:
        lexicon = streams[0].lexicon
        assert len(lexicon.entries) == len(NODES)
        assert [lexicon.entries[place] for place in range(len(NODES))] == list(in_memory.entries)
        assert list(lexicon.entries) == list(in_memory.entries)
        for name in ("length", "scene"):
            assert list(lexicon.numbers(name)) == list(in_memory.numbers(name))
        for name in ("id", "tags"):
            assert lexicon.texts(name) == in_memory.texts(name)

    with open_index(layout, "de") as index:
        index.ask(("vera",), compare)


def test_an_appended_line_adds_one_row_and_keeps_the_rest(layout: Layout) -> None:
    write(layout, NODES)
    found(layout)
    before = rows(layout)
    add(layout, new := memory(13, "Noch ein Turm.", day=2))
    assert found(layout) == expected([*NODES, new])
    assert {key: value for key, value in rows(layout).items() if key in before} == before


def test_an_edited_line_changes_its_own_row(layout: Layout) -> None:
    write(layout, NODES)
    found(layout)
    before = rows(layout)
    edited = [*NODES[:4], memory(5, "Ein Turm mehr, und zwar ein ganz anderer."), *NODES[5:]]
    write(layout, edited)
    assert found(layout) == expected(edited)
    after = rows(layout)
    assert {key for key in before if before[key] != after[key]} == {"vera-005"}


def test_an_edit_of_the_same_length_at_once_is_seen(layout: Layout) -> None:
    write(layout, [memory(1, "Ein Turm."), memory(2, "Ein Haus.")])
    assert [item for item, _ in found(layout, ["Turm"])[0]][:1] == ["vera-001"]
    write(layout, [memory(1, "Ein Haus."), memory(2, "Ein Turm.")])
    assert [item for item, _ in found(layout, ["Turm"])[0]][:1] == ["vera-002"]


def test_deleted_and_moved_lines(layout: Layout) -> None:
    write(layout, NODES)
    found(layout)
    for nodes in (NODES[3:], NODES[::-1], [], NODES[:2]):
        write(layout, nodes)
        assert found(layout) == expected(nodes)
    layout.stream("vera").unlink()
    assert found(layout) == expected([])


def test_words_of_what_was_removed_do_not_pile_up(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gm.files.lexical.sync.MOST_GONE", 2)
    sizes = []
    for turn in range(12):
        nodes = [memory(number, f"{TEXTS[number % 3]} Runde {turn}.") for number in range(1, 5)]
        write(layout, nodes)
        assert found(layout) == expected(nodes)
        with closing(sqlite3.connect(layout.lexical)) as file:
            sizes.append(file.execute("SELECT SUM(LENGTH(docs)) FROM posting").fetchone()[0])
    assert max(sizes) < 4 * min(sizes)
    assert sizes[-1] != sizes[-2], "some removed memories are left for a while"


def test_a_file_of_many_blocks_is_followed_as_one_of_one_block(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gm.files.formats.text.BLOCK", 50)
    monkeypatch.setattr("gm.files.lexical.sync.BATCH", 2)
    for nodes in (NODES[:3], NODES, NODES[::-1], NODES[2:]):
        write(layout, nodes)
        assert found(layout) == expected(nodes)


def test_progress_of_a_long_file_is_told(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gm.files.lexical.files.TOLD", 2)
    write(layout, NODES[:5])
    told: list[str] = []
    with open_index(layout, "de", told.append) as index:
        index.ask(("vera",), lambda _streams: None)
    assert told == [f"state/memories/vera.jsonl: the words of {count} lines are in the index" for count in (2, 4)]


def test_a_settled_file_is_not_read_again(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    write(layout, NODES)
    os.utime(layout.stream("vera"), ns=(1, 1))
    monkeypatch.setattr("gm.files.formats.look.SETTLED_NS", -1)
    answers = found(layout)
    monkeypatch.setattr("gm.files.lexical.sync.Reading", lambda path, _known: pytest.fail(f"read {path}"))
    assert found(layout) == answers


def test_archive_and_summaries_are_found_too(layout: Layout) -> None:
    write(layout, NODES[2:])
    for folder, item in ((layout.archive, NODES[0]), (layout.summaries, NODES[1])):
        folder.mkdir()
        (folder / "vera.jsonl").write_text(render_node(item) + "\n", encoding="utf-8")
    assert found(layout) == expected(NODES)
    with open_index(layout, "de") as index:

        def kept(streams: tuple[Columns, ...]) -> list[str]:
            return [
                index.kept_in(hit)
                for hit in rank_memories("recent", Query(""), streams, Filters(), 20, RecallInputs()).hits
            ]

        assert index.ask(("vera",), kept)[-3:] == ["", "summaries", "archive"]


def test_lines_that_are_no_memories_are_left_out_and_counted(layout: Layout) -> None:
    write(layout, [NODES[0], "{broken", render_node(NODES[1]).replace("vera-", "emre-"), "", NODES[2], NODES[2]])
    assert found(layout) == expected([NODES[0], NODES[2]])
    with open_index(layout, "de") as index:
        assert index.ask(("vera",), lambda _streams: index.left_out(("vera",))) == [("state/memories/vera.jsonl", 2)]


def test_older_shape_byte_order_mark_and_crlf(layout: Layout) -> None:
    record = {"id": "vera-001", "agent": "vera", "day": 4, "type": "observation", "importance": 5, "depth": 0}
    older = json.dumps(record | {"content": "Ein Turm."})
    text = "\ufeff" + older + "\r\n\r\n" + render_node(NODES[1])
    layout.stream("vera").write_bytes(text.encode())
    assert found(layout, ["Turm"])[0][0][0] == "vera-001"
    with open(layout.stream("vera"), "ab") as file:  # the last line had no end
        file.write(b"\n" + render_node(NODES[2]).encode())
    assert len(rows(layout)) == 2
    found(layout)
    assert set(rows(layout)) == {"vera-001", "vera-002", "vera-003"}


def test_a_stream_that_is_no_text_is_empty_and_comes_back(layout: Layout) -> None:
    write(layout, NODES)
    found(layout)
    data = layout.stream("vera").read_bytes()
    layout.stream("vera").write_bytes(data + b"\xff\n")
    assert found(layout) == expected([])
    layout.stream("vera").write_bytes(data)
    assert found(layout) == expected(NODES)


def test_a_stream_that_turns_english_is_stemmed_anew(layout: Layout) -> None:
    write(layout, NODES[:2])
    found(layout)
    more = [memory(n, "They were what you could have seen, and she was there with him.") for n in range(20, 40)]
    add(layout, *more)
    assert found(layout) == expected([*NODES[:2], *more])
    with closing(sqlite3.connect(layout.lexical)) as file:
        owner = find_owner(file, "vera")
        assert owner is not None
        assert owner.language == "en"


def garbage(path: Path) -> None:
    path.write_bytes(b"this is no database" * 100)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def zeroed(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\0" * (len(data) - 4096))


def empty(path: Path) -> None:
    path.write_bytes(b"")


def older(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 999")


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TABLE posting")


@pytest.mark.parametrize("harm", [garbage, cut, zeroed, empty, older, foreign, Path.unlink])
def test_a_damaged_index_is_made_anew(layout: Layout, harm: Callable[[Path], None]) -> None:
    write(layout, NODES)
    found(layout)
    harm(layout.lexical)
    assert found(layout) == expected(NODES)
    assert len(rows(layout)) == len(NODES)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE block SET data = X'0102'",
        "UPDATE block SET data = 'abc'",
        "UPDATE block SET kind = 'zz'",
        "DELETE FROM block",
        "UPDATE run SET size = size + 1000",
        "UPDATE run SET doc = doc + 5",
        "UPDATE posting SET docs = X'01'",
        "UPDATE posting SET places = X''",
        "UPDATE posting SET counts = zeroblob(length(counts))",
    ],
)
def test_an_index_whose_parts_do_not_fit_each_other_is_made_anew(layout: Layout, change: str) -> None:
    write(layout, NODES)
    found(layout)
    with closing(sqlite3.connect(layout.lexical)) as file:
        file.execute(change)
        file.commit()
    assert found(layout) == expected(NODES)


def test_the_index_is_damaged_while_it_is_open(layout: Layout) -> None:
    write(layout, NODES)
    with open_index(layout, "de") as index:
        ask(index, QUESTIONS[0])
        for harm in (garbage, zeroed):
            harm(layout.lexical)
            add(layout)
            assert ask(index, QUESTIONS[0]) == expected(NODES)[0]


def test_where_no_file_can_be_made_the_index_is_kept_in_memory(layout: Layout) -> None:
    write(layout, NODES)
    layout.lexical.mkdir(parents=True)
    assert found(layout) == expected(NODES)
    add(layout, new := memory(13, "Noch ein Turm."))
    assert found(layout) == expected([*NODES, new])
    assert layout.lexical.is_dir()


def test_an_index_that_cannot_be_written_is_used_and_brought_up_to_date_in_memory(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(layout, NODES)
    found(layout)
    bytes_before = layout.lexical.read_bytes()
    really = sqlite3.connect

    def read_only(name: object, **more: object) -> sqlite3.Connection:
        if name == layout.lexical:
            return really(f"{layout.lexical.as_uri()}?mode=ro", uri=True, isolation_level=None)
        return really(name, **more)  # type: ignore[call-overload, no-any-return]

    monkeypatch.setattr("gm.files.lexical.schema.sqlite3.connect", read_only)
    add(layout, new := memory(13, "Noch ein Turm."))
    assert found(layout) == expected([*NODES, new])
    assert layout.lexical.read_bytes() == bytes_before


def _read_often(root: Path, results: multiprocessing.Queue[object]) -> None:
    layout = Layout(root)
    try:
        with open_index(layout, "de") as index:
            sizes = []
            for _ in range(30):
                ask(index, "Knochenturm")
                sizes.append(index.ask(("vera",), lambda streams: streams[0].size))
        assert sizes == sorted(sizes)
        results.put(sizes[-1])
    except BaseException as error:
        results.put(repr(error))
        raise


@pytest.mark.slow
def test_several_read_while_the_stream_grows(layout: Layout) -> None:
    write(layout, NODES)
    context = multiprocessing.get_context("spawn")
    results: multiprocessing.Queue[object] = context.Queue()
    readers = [context.Process(target=_read_often, args=(layout.root, results)) for _ in range(3)]
    for reader in readers:
        reader.start()
    grown = list(NODES)
    for number in range(13, 40):
        grown.append(memory(number))
        add(layout, grown[-1])
        found(layout, QUESTIONS[:1])
    sizes = [results.get(timeout=60) for _ in readers]
    for reader in readers:
        reader.join()
    assert all(isinstance(size, int) and size >= len(NODES) for size in sizes), sizes
    assert found(layout) == expected(grown)


def test_turns_count_scenes_over_the_world(layout: Layout) -> None:
    write(layout, [memory(1, day=1), memory(2, day=3)])
    write(
        layout, [node(1, agent="emre", created="day-002/scene-01b"), node(2, agent="emre", created="day-004")], "emre"
    )
    layout.state.joinpath("logbook").mkdir()
    layout.day_log(1).write_text('{"scene": 1}\n{"scene": 2}\n{"scene": null, "type": "SUMMARY"}\n', encoding="utf-8")
    wanted = {"day-001/scene-01": 1, "day-001/scene-02": 2, "day-002/scene-01b": 3, "day-003/scene-03": 4}
    for _ in range(2):
        with open_index(layout, "de") as index:
            turn_of = index.turns()
        assert {
            "day-001/scene-01": turn_of(SceneRef(1, 1)),
            "day-001/scene-02": turn_of(SceneRef(1, 2)),
            "day-002/scene-01b": turn_of(SceneRef(2, 1, "b")),
            "day-003/scene-03": turn_of(SceneRef(3, 3)),
        } == wanted
    assert turn_of(SceneRef(4)) == 0


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(["add", "edit", "cut", "swap"]), st.integers(0, 50)), max_size=6))
def test_an_index_built_in_steps_equals_one_made_anew(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, int]]
) -> None:
    layout = Layout(tmp_path_factory.mktemp("steps"))
    layout.memories.mkdir(parents=True)
    nodes = list(NODES[:4])
    number = len(nodes)
    write(layout, nodes)
    found(layout)
    for what, where in steps:
        place = where % max(1, len(nodes))
        number += 1
        if what == "add" or not nodes:
            nodes.append(memory(number, TEXTS[where % len(TEXTS)]))
        elif what == "edit":
            nodes[place] = memory(int(nodes[place].id[-3:]), TEXTS[where % len(TEXTS)] + " Neu.")
        elif what == "cut":
            del nodes[place]
        else:
            nodes.insert(0, nodes.pop(place))
        write(layout, nodes)
        found(layout, QUESTIONS[:1])
    stepped, counted = found(layout), languages(layout)
    shutil.rmtree(layout.derived)
    assert stepped == found(layout) == expected(nodes)
    assert (
        counted
        == languages(layout)
        == sum(map(Counter, (count_languages(one.description) for one in nodes)), Counter())
    )


def test_an_index_that_is_up_to_date_is_not_written(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "SETTLED_NS", 1 << 62)  # the files are read at each question
    write(layout, [memory(number) for number in range(1, 4)])
    with open_index(layout, "de") as index:
        assert size(index) == 3
        before = layout.lexical.read_bytes()
        assert size(index) == 3
        assert layout.lexical.read_bytes() == before
        add(layout, memory(4))
        assert size(index) == 4
        assert layout.lexical.read_bytes() != before


def size(index: WordIndex) -> int:
    return index.ask(("vera",), lambda streams: streams[0].size)
