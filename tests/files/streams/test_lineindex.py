"""The line index agrees with a plain read of the file, after any edit of the file or damage to the index."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.files.formats import look
from gm.files.layout import Layout
from gm.files.load import load_stream, load_world
from gm.files.streams import linescan
from gm.files.streams.linefacts import LineFacts
from gm.files.streams.lineindex import line_index
from gm.files.streams.linescan import read_day_memories
from gm.model.node import Node, NodeType, node_from_record, render_node
from tests.build import node
from tests.files.longstreams import edit_by_hand, make_stream, note_scanned, write_stream

COUNTS = ("memories", "reflections", "highest", "named")


def count(layout: Layout, name: str = "alex") -> LineFacts:
    with line_index(layout) as index:
        return index.lines(name, layout.stream(name))[0]


def write(layout: Layout, *nodes: Node, name: str = "alex", how: str = "w") -> None:
    layout.memories.mkdir(exist_ok=True)
    with layout.stream(name).open(how, encoding="utf-8") as file:
        file.write("".join(render_node(item) + "\n" for item in nodes))


def memory(number: int, day: int = 1, depth: int = 0, metadata: dict[str, str] | None = None) -> Node:
    kind: NodeType = "reflection" if depth else "observation"
    return node(number, agent="alex", created=f"day-{day:03d}/scene-01", type=kind, depth=depth, metadata=metadata)


@pytest.fixture
def world(dinner: Layout) -> Layout:
    write(dinner, memory(1), memory(2), memory(3, 2, 1), memory(4, 2, metadata={"copied_from": "jordan-001"}))
    return dinner


def assert_as_loaded(layout: Layout) -> None:
    """Compare the index with a plain read."""
    agent = load_world(layout).world.agents["alex"]
    with line_index(layout) as index:
        counted, found = index.count("alex", layout.stream("alex"))
        lines, problems = index.lines("alex", layout.stream("alex"))
        assert [getattr(counted, name) for name in COUNTS] == [getattr(lines, name) for name in COUNTS]
        assert found == problems
        archived = layout.archived("alex").read_text(encoding="utf-8") if layout.archived("alex").exists() else ""
        numbers = map(int, re.findall(r'"id": "alex-([0-9]+)"', archived))
        assert index.highest_archived("alex") == max(numbers, default=0)
    assert sorted(problems) == sorted(load_stream(layout, "alex")[1])
    assert lines.memories == len(agent.stream) + len(agent.beside)
    assert lines.reflections == sum(item.depth > 0 for item in agent.stream)
    assert max(lines.highest, agent.archived_number) + 1 == agent.next_number
    days = {item.when.day for item in agent.stream}
    assert set(lines.by_day()) == days
    data = layout.stream("alex").read_bytes() if lines.memories else b""
    for begin, place in lines.reflection_places():
        line = data[begin : data.find(b"\n", begin) % (len(data) + 1)]
        assert node_from_record(json.loads(line.removeprefix(b"\xef\xbb\xbf"))) == agent.stream[place]
    for day in days:
        lived = [item for item in agent.stream if item.when.day == day]
        assert read_day_memories("alex", layout.stream("alex"), lines, day) == lived
        weights = [item.importance for item in lived]
        assert lines.by_day()[day][2:] == (sum(weights), len(weights), max(weights))
    assert ids_at(data, lines.artifacts) == [item.id for item in agent.stream if item.type == "artifact"]


def ids_at(data: bytes, starts: bytes) -> list[str]:
    lines = [data[int(at) :].split(b"\n")[0].removeprefix(b"\xef\xbb\xbf") for at in starts.split()]
    return [json.loads(line)["id"] for line in lines]


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
    read = note_scanned(monkeypatch)
    count(world)
    assert read == []
    add(world)
    count(world)
    assert read == ["alex-005", "alex-006"]


USUAL = render_node(memory(7, 4, 2))


def test_what_a_line_in_the_usual_form_says_is_found_without_decoding_it() -> None:
    found = linescan.usual_line("alex").fullmatch(USUAL.replace("Turm", 'T\\"\\\\\\nüm').encode())
    assert found is not None
    assert found.groups() == (b"007", b"004", b"reflection", b"2", b"5", None, None, None)


@pytest.mark.parametrize(
    ("evidence", "names"),
    [
        ('["alex-001", "alex-0002"]', (b"alex", None)),
        ('["alex-001", "mina-002"]', (None, b'["alex-001", "mina-002"]')),
        ('["alex"]', (None, b'["alex"]')),
    ],
)
def test_evidence_of_its_own_stream_is_told_from_other_evidence(
    evidence: str, names: tuple[bytes | None, bytes | None]
) -> None:
    found = linescan.usual_line("alex").fullmatch(USUAL.replace('"evidence": []', f'"evidence": {evidence}').encode())
    assert found is not None
    assert found.groups()[5:7] == names


@pytest.mark.parametrize(
    "metadata",
    [
        '{"kind": "emotional", "importance_by": "rule"}',
        '{"with": ["mina", "jordan"], "location": "Küche", "lines": 4, "valence": -0.5, "exchange": [], "told": true}',
        '{"text": "sie sagte \\"nein\\""}',
        '{"a": "", "a": ""}',
        '{"copied_from": "mina-003"}',
        '{"copied_from": null}',
        '{"kind": "dialogue", "speaker": "mina", "turn": 3}',
        '{"kind": "dialogue", "speaker": "mina"}',
        '{"n": 01}',
        '{"n": 1.}',
        '{"n": 123456789012345678901}',
        '{"n": {"m": 1}}',
        '{"kind": "a" , "b": 1}',
        '{"kind": "a",}',
        '{"kind": "\t"}',
        '{"kind": "\\ud800"}',
        "{kind: 1}",
    ],
)
def test_metadata_of_any_form_are_read_as_a_reader_of_everything_reads_them(world: Layout, metadata: str) -> None:
    with world.stream("alex").open("a", encoding="utf-8") as file:
        file.write(USUAL.replace("{}", metadata) + "\n" + render_node(memory(8, 5, 1)) + "\n")
    assert_as_loaded(world)
    with world.stream("alex").open("a", encoding="utf-8") as file:
        file.write(USUAL.replace("{}", metadata) + "\n")  # a second time: the file is read whole
    assert_as_loaded(world)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"depth": 2', '"depth": 02'),
        ('"depth": 2', '"depth": -1'),
        ('"importance": 5', '"importance": 0'),
        ('"importance": 5', '"importance": 11'),
        ('"importance": 5', '"importance": 5, "importance": 6'),
        ('"importance": 5', '"importance": NaN'),
        ('"id": "alex', '"id": "jordan'),
        ('"description": "', '"description": "\t'),
        ('"description": "', '"description": "\\ud800'),
        ('"description": "', '"description": "\\x'),
        ('"tags": [', '"tags": [3'),
        ('"tags": [', '"tags": ["a",, "b"'),
        ('"type": "reflection"', '"type": "thought"'),
        ("day-004", "day-4"),
        ("}", "}}"),
    ],
)
def test_a_line_with_a_fault_is_reported_as_a_reader_of_everything_reports_it(
    world: Layout, old: str, new: str
) -> None:
    assert old in USUAL
    with world.stream("alex").open("a", encoding="utf-8") as file:
        file.write(USUAL.replace(old, new, 1) + "\n")
    with line_index(world) as index:
        assert len(index.lines("alex", world.stream("alex"))[1]) == 1
    assert_as_loaded(world)


def test_a_stream_that_is_not_utf8_is_reported_with_the_line_of_the_fault(
    world: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linescan, "BLOCK", 300)
    with world.stream("alex").open("ab") as file:
        file.write(USUAL.encode().replace(b"Turm", b"T\xfcrm") + b"\n")
    with line_index(world) as index:
        assert index.lines("alex", world.stream("alex"))[1] == load_stream(world, "alex")[1] != []


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


def something_happens(layout: Layout, dice: random.Random) -> None:
    """Let a scene land, a person edit or cut the file, memories be archived, or the index be lost or cut."""
    path = layout.stream("alex")
    data = path.read_bytes()
    match dice.randrange(8):
        case 0 | 1 | 2:
            highest = count(layout).highest
            more = [memory(highest + number, dice.randint(4, 9), dice.choice((0, 0, 1))) for number in (1, 2, 5)]
            write(layout, *more, how="a")
        case 3:
            if data.strip():
                edit_by_hand(layout, dice.randrange(1000))
        case 4:
            path.write_bytes(data[: dice.randint(0, len(data))])
        case 5:
            layout.archive.mkdir(exist_ok=True)
            with layout.archived("alex").open("ab") as file:
                file.write(b"".join(dice.choices(data.splitlines(keepends=True), k=3)) if data else b"")
        case 6:
            kept = layout.lines.read_bytes() if layout.lines.exists() else b""
            layout.lines.write_bytes(kept[: dice.randint(0, len(kept))])
        case _:
            path.write_bytes(b"".join(sorted(data.splitlines(keepends=True))))


@pytest.mark.parametrize("block", [700, linescan.BLOCK])
@pytest.mark.parametrize("seed", [pytest.param(seed, marks=pytest.mark.matrix if seed else ()) for seed in range(20)])
def test_after_any_sequence_of_edits_it_agrees_with_a_plain_read(
    dinner: Layout, seed: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linescan, "BLOCK", block)
    dice = random.Random(seed)
    write_stream(dinner, make_stream(seed, most=30))
    for _ in range(8):
        for _ in range(dice.randint(1, 2)):
            something_happens(dinner, dice)
        assert_as_loaded(dinner)


def test_a_file_that_certainly_is_as_it_was_is_not_opened_for_reading(
    world: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(look, "SETTLED_NS", -1)
    known = count(world)
    monkeypatch.setattr(os, "pread", lambda *_: pytest.fail("the stream was read"))
    assert count(world) == known


def test_counts_need_no_columns(world: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look, "SETTLED_NS", -1)
    known = count(world)
    head, counts, *columns = world.lines.read_bytes().split(b"\n")
    world.lines.write_bytes(b"\n".join([head, counts, *(b"7" * len(column) for column in columns)]))
    with line_index(world) as index:
        counted, _ = index.count("alex", world.stream("alex"))
    assert [getattr(counted, name) for name in COUNTS] == [getattr(known, name) for name in COUNTS]
    assert count(world) == known
    assert world.lines.read_bytes().split(b"\n")[2:] == columns


def test_a_line_corrected_within_the_tick_of_a_clock_is_seen(world: Layout) -> None:
    count(world)
    path = world.stream("alex")
    times = path.stat()
    path.write_bytes(path.read_bytes().replace(b'"depth": 1', b'"depth": 0'))
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert count(world).reflections == 0


@pytest.mark.parametrize("head", [b"[4, ", b"[6, "])
def test_an_index_of_another_version_is_made_anew(world: Layout, head: bytes) -> None:
    known = count(world)
    _, _, rest = world.lines.read_bytes().partition(b"[5, ")
    world.lines.write_bytes(head + rest.replace(b'"lived": 3', b'"lived": 7'))
    assert count(world) == known
    assert world.lines.read_bytes().startswith(b"[5, ")


def test_whose_memories_a_stream_may_cite_or_copy_is_known_while_it_is_unchanged(
    world: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    cites = node(5, agent="alex", created="day-003/scene-01", depth=1, evidence=["robin-001", "Zo\u0065\u0308-002"])
    write(world, cites, how="a")

    def named(*names: str) -> list[str]:
        with line_index(world) as index:
            return [name for name in names if index.may_name(world.stream("alex"), name)]

    everybody = ("alex", "jordan", "robin", "zoë", "rob")
    assert named(*everybody) == list(everybody)
    monkeypatch.setattr(look, "SETTLED_NS", -1)
    count(world)
    assert named(*everybody) == ["jordan", "robin", "zoë"]
    write(world, memory(6, 4), how="a")
    assert named(*everybody) == list(everybody)
