"""Single memories are shown, found, written and corrected by hand."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gm.api.answers.document import as_json
from gm.api.editing import memory as memories
from gm.api.editing.desk import Desk, editing
from gm.api.editing.memory import MemoryCorrection, NewMemory, StaleError, add_memory, correct_memory, delete_memory
from gm.api.reports.memories import describe_found, describe_memory
from gm.base.errors import BrokenWorldError, UsageError
from gm.files.layout import Layout
from gm.files.streams.find import find_memory
from tests.handmade import BROKEN_BULLETIN, MINA, MINA_LINES, OLE_LINES, WORLD, fingerprint, make_handmade


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return make_handmade(tmp_path)


def ids(document: dict[str, object]) -> list[str]:
    memories = document["memories"]
    assert isinstance(memories, list)
    return [memory["id"] for memory in memories]


def test_a_memory_is_shown_with_its_place_and_what_it_rests_on(layout: Layout) -> None:
    (kept,) = find_memory(layout, "MINA-003")
    document = as_json(describe_memory(layout, kept))
    assert (document["path"], document["line"]) == ("state/memories/mina.jsonl", 3)
    assert [other["id"] for other in document["rests_on"]] == ["mina-001"]
    assert as_json(describe_memory(layout, find_memory(layout, "mina-001")[0]))["cited_by"] == ["mina-003"]


@pytest.mark.parametrize("text", ["türme", "Tu\u0308rme", "TUERME", "Dorf Ufer", "älter als das"])
def test_words_are_found_in_every_spelling_older_shapes_included(layout: Layout, text: str) -> None:
    assert ids(as_json(describe_found(layout, text))) == ["mina-002"]


def test_a_correction_answers_with_what_it_wrote(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def edited_after(layout: Layout, command: str) -> Iterator[Desk]:
        with editing(layout, command) as desk:
            yield desk
        layout.stream("mina").write_text("", encoding="utf-8")

    monkeypatch.setattr(memories, "editing", edited_after)
    kept, _ = correct_memory(layout, "mina-004", MemoryCorrection(importance=5))
    assert kept.node.importance == 5


def test_tags_are_searched_and_filter(layout: Layout) -> None:
    assert ids(as_json(describe_found(layout, "rührung"))) == ["mina-004"]
    assert ids(as_json(describe_found(layout, "r&d"))) == ["mina-003"]
    assert ids(as_json(describe_found(layout, "", tags=["GEDULD", "Rührung"]))) == ["mina-003", "mina-004"]
    assert ids(as_json(describe_found(layout, "mina", kind="plan"))) == ["ole-001"]
    assert ids(as_json(describe_found(layout, "das", agents=["ole"]))) == ["ole-002"]
    assert ids(as_json(describe_found(layout, "nirgends"))) == []


def test_what_lies_in_the_archive_is_found_as_well(layout: Layout) -> None:
    layout.archive.mkdir()
    layout.archived("ole").write_text(OLE_LINES[1].replace("ole-002", "ole-000") + "\n", encoding="utf-8")
    found = as_json(describe_found(layout, "licht"))["memories"]
    assert [(memory["id"], memory.get("archived", False)) for memory in found] == [
        ("ole-000", True),
        ("ole-002", False),
    ]
    with pytest.raises(UsageError, match="archive"):
        correct_memory(layout, "ole-000", MemoryCorrection(importance=1))


def test_adding_appends_one_line_and_raises_the_accumulator(layout: Layout) -> None:
    before = fingerprint(layout.root)
    new = NewMemory("Das Licht \n war ihre  Schuld.", 6, "reflection", ("Licht Turm", "MINA"), ("ole-002", "MINA-003"))
    node, notes = add_memory(layout, "Mina", new)
    assert notes == []
    assert (node.id, node.created, node.depth) == ("mina-005", "day-003/scene-02", 2)
    line = (
        '{"id": "mina-005", "created": "day-003/scene-02", "type": "reflection", "depth": 2, "description": "Das '
        'Licht war ihre Schuld.", "importance": 6, "tags": ["licht-turm"], "evidence": ["ole-002", '
        '"mina-003"], "metadata": {}}'
    )
    assert layout.stream("mina").read_bytes() == ("\r\n".join([*MINA_LINES, line]) + "\r\n").encode()
    assert layout.agent("mina").read_text(encoding="utf-8") == MINA.replace("40", "46")
    after = fingerprint(layout.root)
    assert {path for path in after if after[path] != before.get(path)} == {
        "state/agents/mina.json",
        "state/memories/mina.jsonl",
    }


def test_adding_after_a_missing_final_newline_begins_a_new_line(layout: Layout) -> None:
    add_memory(layout, "ole", NewMemory("Öl gekauft.", 2, at="day-002/scene-01b"))
    lines = layout.stream("ole").read_text(encoding="utf-8").split("\n")
    assert lines[:2] == list(OLE_LINES)
    assert json.loads(lines[2])["created"] == "day-002/scene-01b"
    assert lines[3:] == [""]


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("vera", NewMemory("x", 5), "nobody here"),
        ("ole", NewMemory(" \n", 5), "needs words"),
        ("ole", NewMemory("x", 11), "outside 1–10"),
        ("ole", NewMemory("x", 5, evidence=("mina-099",)), "no memory 'mina-099'"),
        ("ole", NewMemory("x", 5, at="day-3"), "not a scene"),
        ("ole", NewMemory("x", 5, at="day-003"), "not a scene"),
        ("ole", NewMemory("x", 5, at="day-004/scene-01"), "has not been played"),
    ],
)
def test_what_makes_no_sense_changes_nothing(layout: Layout, name: str, new: NewMemory, message: str) -> None:
    before = fingerprint(layout.root)
    with pytest.raises(UsageError, match=message):
        add_memory(layout, name, new)
    assert fingerprint(layout.root) == before


def test_a_broken_file_stops_only_what_needs_it(layout: Layout) -> None:
    layout.bulletin.write_text(BROKEN_BULLETIN, encoding="utf-8")
    layout.stream("ole").write_text('{"id": \n', encoding="utf-8")
    node, _ = add_memory(layout, "mina", NewMemory("Geht trotzdem.", 2))
    assert node.id == "mina-005"
    with pytest.raises(BrokenWorldError) as caught:
        add_memory(layout, "ole", NewMemory("Geht nicht.", 2))
    assert [problem.path for problem in caught.value.problems] == ["state/memories/ole.jsonl"]


def test_without_a_clock_the_scene_must_be_said(layout: Layout) -> None:
    layout.world.write_text(WORLD[:20], encoding="utf-8")
    with pytest.raises(BrokenWorldError, match="last scene is not known"):
        add_memory(layout, "mina", NewMemory("x", 2))


def corrected(layout: Layout, identifier: str, correction: MemoryCorrection) -> str:
    """Correct a memory of mina's and return its line; the others must be as they were."""
    kept, _ = correct_memory(layout, identifier, correction)
    lines = layout.stream("mina").read_bytes().decode().split("\r\n")
    assert lines[-1] == ""
    assert [line for place, line in enumerate(lines[:-1], 1) if place != kept.line] == [
        line for place, line in enumerate(MINA_LINES, 1) if place != kept.line
    ]
    return lines[kept.line - 1]


def test_a_correction_replaces_only_its_spans(layout: Layout) -> None:
    line = corrected(layout, "mina-004", MemoryCorrection(description='Ole "schwieg".', importance=6))
    assert line == MINA_LINES[3].replace("Ole schwieg lange.", 'Ole \\"schwieg\\".').replace("5.00", "6")


def test_a_correction_that_changes_nothing_leaves_every_byte(layout: Layout) -> None:
    before = fingerprint(layout.root)
    correct_memory(layout, "mina-004", MemoryCorrection("Ole schwieg lange.", 5, ("ole", "rührung"), ("OLE",)))
    correct_memory(layout, "mina-004", MemoryCorrection(importance=5))
    changed = fingerprint(layout.root)
    changed.pop("state/memories/mina.jsonl")
    before.pop("state/memories/mina.jsonl")
    assert changed == before


def test_tags_come_and_go_in_any_spelling(layout: Layout) -> None:
    line = corrected(layout, "mina-004", MemoryCorrection(add=("Alter Turm", "OLE"), remove=("rührung",)))
    assert line == MINA_LINES[3].replace('["ole","Ru\u0308hrung"]', '["ole","alter-turm"]')


def test_an_older_memory_keeps_its_shape(layout: Layout) -> None:
    line = corrected(layout, "mina-002", MemoryCorrection(description="Neu.", add=("turm",)))
    old = "Die Türme am Ufer sind älter als das Dorf."
    assert line == MINA_LINES[1].replace(old, "Neu.").replace('"froh"}', '"froh","tags":["turm"]}')


def test_a_tag_that_is_not_there_cannot_be_taken_away(layout: Layout) -> None:
    with pytest.raises(UsageError, match="no tag 'boot'"):
        correct_memory(layout, "mina-004", MemoryCorrection(remove=("boot",)))


def test_an_id_that_was_used_twice_is_refused(layout: Layout) -> None:
    layout.stream("ole").write_text(f"{OLE_LINES[0]}\n{OLE_LINES[0]}\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"ole\.jsonl:1, state/memories/ole\.jsonl:2"):
        correct_memory(layout, "ole-001", MemoryCorrection(importance=1))


def test_a_memory_that_does_not_exist_is_refused(layout: Layout) -> None:
    with pytest.raises(UsageError, match="no memory 'mina-099'"):
        correct_memory(layout, "mina-099", MemoryCorrection(importance=1))


def test_a_deleted_memory_leaves_every_other_byte_and_its_number_is_not_given_again(layout: Layout) -> None:
    stream, agent = layout.stream("mina"), layout.agent("mina").read_text(encoding="utf-8")
    delete_memory(layout, "MINA-004", "")
    assert stream.read_bytes() == "".join(line + "\r\n" for line in MINA_LINES[:3]).encode()
    assert layout.agent("mina").read_text(encoding="utf-8").replace(',\n    "deleted_until": 4', "") == agent
    assert add_memory(layout, "mina", NewMemory("Neu."))[0].id == "mina-005"
    changed = layout.agent("mina").read_bytes()
    stream.write_bytes(b"\xef\xbb\xbf" + stream.read_bytes())
    delete_memory(layout, "mina-001", "")
    assert stream.read_bytes().startswith(b"\xef\xbb\xbf" + MINA_LINES[1].encode())
    assert layout.agent("mina").read_bytes() == changed, "only the newest number could be given again"


def test_what_may_not_be_deleted_is_refused(layout: Layout) -> None:
    layout.archived("mina").parent.mkdir(parents=True)
    layout.archived("mina").write_text(MINA_LINES[0].replace("mina-001", "mina-000") + "\n", encoding="utf-8")
    before = fingerprint(layout.root)
    for name, why in (("mina-003", "ends the last reflection"), ("mina-000", "lies in the archive")):
        with pytest.raises(UsageError, match=why):
            delete_memory(layout, name, "")
    for name in ("mina-001", "mina-099"):
        with pytest.raises(StaleError):
            delete_memory(layout, name, "0" * 64)
    assert fingerprint(layout.root) == before
