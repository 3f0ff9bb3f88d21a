"""One memory in full, and the trees of what reflections rest on."""

from __future__ import annotations

import random
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.api.views.memory import Branch, Tree, view_forest, view_memory
from gm.api.views.stream import view_stream
from gm.base.errors import UsageError
from gm.files.layout import Layout
from gm.files.streams.memories import Memories
from tests.api.views.test_stream import comparable, old_world
from tests.api.views.worlds import line, world
from tests.files.longstreams import make_stream, write_stream
from tests.files.streams.test_unread import make_unread


def outline(branch: Branch) -> list[object]:
    mark = "?" if branch.memory is None else "…" if branch.again else f"+{branch.cut}" if branch.cut else ""
    return [branch.id + mark, *(outline(item) for item in branch.below)]


LINES = [
    line("vera-001", "Die Türme stehen."),
    line("vera-002", "Leo sah mich an."),
    line("vera-003", type="reflection", depth=1, evidence=["vera-001", "LEO-001", "vera-999"]),
    line("vera-004", type="reflection", depth=2, evidence=["vera-003", "vera-002", "vera-001"]),
]


def tree_of(memories: Memories, identifier: str) -> Tree:
    """Return the tree of a reflection in its character's forest."""
    (tree,) = (tree for tree in view_forest(memories, "vera").trees if tree.root.id == identifier)
    return tree


@pytest.fixture
def memories(tmp_path: Path) -> Memories:
    return Memories(world(tmp_path, {"vera": LINES, "leo": [line("leo-001", "Ein Licht.")]}))


def test_a_tree_goes_down_to_what_any_character_lived(memories: Memories) -> None:
    tree = tree_of(memories, "vera-004")
    expected = ["vera-003", ["vera-001…"], ["LEO-001"], ["vera-999?"]]
    assert outline(tree.root) == ["vera-004", expected, ["vera-002"], ["vera-001"]]
    assert tree.size == 5, "vera-999 is no memory"
    found = tree.root.below[0].below[1].memory
    assert found is not None
    assert (found.agent, found.node.description) == ("leo", "Ein Licht.")


def test_a_circle_ends_where_it_began(tmp_path: Path) -> None:
    lines = [
        line("vera-001", type="reflection", depth=1, evidence=["vera-002"]),
        line("vera-002", type="reflection", depth=1, evidence=["vera-001", "vera-002"]),
    ]
    tree = tree_of(Memories(world(tmp_path, {"vera": lines})), "vera-001")
    assert outline(tree.root) == ["vera-001", ["vera-002", ["vera-001…"], ["vera-002…"]]]


def test_what_is_too_deep_or_too_much_is_counted_and_not_shown(
    memories: Memories, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("gm.api.views.memory.DEEPEST_EVIDENCE", 1)
        shallow = tree_of(memories, "vera-004")
    assert outline(shallow.root) == ["vera-004", ["vera-003+3"], ["vera-002"], ["vera-001"]]
    monkeypatch.setattr("gm.api.views.memory.FOREST_MOST", 3)
    assert outline(tree_of(memories, "vera-004").root) == ["vera-004+1", ["vera-003+3"], ["vera-002"]]


def test_a_forest_shows_reflections_by_their_depth(memories: Memories) -> None:
    forest = view_forest(memories, "vera")
    assert forest.layers == ((2, 1), (1, 1))
    assert [tree.root.id for tree in forest.trees] == ["vera-004", "vera-003"]
    assert [tree.root.id for tree in view_forest(memories, "vera", 1).trees] == ["vera-003"]
    assert view_forest(memories, "vera", 7).found == 0


def test_a_memory_is_shown_with_its_line_as_it_stands_and_the_name_of_that_line(tmp_path: Path) -> None:
    raw = line("vera-001", "Türme").replace('"importance": 5', '"importance":  5.00')
    memories = Memories(world(tmp_path, {"vera": [raw, line("vera-002", evidence=["vera-001"])]}))
    page = view_memory(memories, "vera-001")
    assert page.raw == raw
    assert page.sha256 == sha256(raw.encode()).hexdigest()
    assert [item.node.id for item in page.cited_by] == ["vera-002"]
    assert (page.before, page.after, page.older_shape, page.elsewhere) == ("", "vera-002", False, ())


def test_an_older_line_is_shown_as_what_it_is(tmp_path: Path) -> None:
    old = (
        '{"id": "vera-001", "agent": "vera", "day": 4, "type": "plan", "importance": 7, "depth": 0, "content": "Los."}'
    )
    page = view_memory(Memories(world(tmp_path, {"vera": [old]})), "vera-001")
    assert (page.older_shape, page.memory.node.when.day, page.memory.node.description) == (True, 4, "Los.")


def test_an_id_that_stands_in_the_archive_as_well_is_named(tmp_path: Path) -> None:
    layout = world(tmp_path, {"vera": [line("vera-001")]}, archive={"vera": [line("vera-001")]})
    assert view_memory(Memories(layout), "vera-001").elsewhere == ("state/archive/vera.jsonl:1",)


def test_an_unknown_id_is_refused(memories: Memories) -> None:
    for wanted in ("vera-998", "mina-001", "../../etc/passwd"):
        with pytest.raises(UsageError, match="there is no memory"):
            view_memory(memories, wanted)


def test_a_memory_of_a_played_day_knows_its_scene_and_the_question_behind_it(played: Layout) -> None:
    memories = Memories(played)
    newest = view_stream(memories, "vera", language="de").rows[-1]
    page = view_memory(memories, newest.node.id)
    assert page.why.origin in ("reply", "game-master")
    assert page.why.scene is not None
    assert page.why.scene["created"] == f"day-001/scene-{newest.node.when.scene:02d}"
    assert page.why.questions


def test_a_memory_of_an_unread_stream_is_shown_as_that_of_the_whole_stream(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = old_world(tmp_path)
    read = Memories(layout, reads_all=True)
    make_unread(layout, monkeypatch)
    for number in (1, 2, 77, 198, 199):
        for wanted in (f"vera-{number:03d}", f"LEO-{number:03d}"):
            page, whole = view_memory(Memories(layout), wanted), view_memory(read, wanted)
            assert (page.memory.line, page.memory.cited_by) == (whole.memory.line, whole.memory.cited_by)
            assert replace(page, cited_by=whole.cited_by) == whole
            assert list(map(comparable, page.cited_by)) == list(map(comparable, whole.cited_by))
    for wanted in ("vera-000", "vera-200", "vera-0077"):
        with pytest.raises(UsageError, match="there is no memory"):
            view_memory(Memories(layout), wanted)


@given(st.integers(0, 10_000))
def test_a_forest_of_an_unread_stream_is_that_of_the_whole_stream(seed: int) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        layout, dice = Layout(Path(folder)), random.Random(seed)
        layout.memories.mkdir(parents=True)
        lived = make_stream(seed)
        nodes = [replace(one, evidence=(dice.choice(lived).id,) if one.depth else ()) for one in lived]
        write_stream(layout, nodes)
        text = layout.stream("alex").read_text(encoding="utf-8")
        odd = text.replace('"depth": 2', '"\\u0064epth": 2') if dice.random() < 0.5 else text
        layout.stream("alex").write_text(odd, encoding="utf-8")
        make_unread(layout, patch)
        for depth in (None, 1, 2):
            unread, whole = Memories(layout), Memories(layout, reads_all=True)
            assert unread.unread(["alex"])
            assert view_forest(unread, "alex", depth) == view_forest(whole, "alex", depth)
