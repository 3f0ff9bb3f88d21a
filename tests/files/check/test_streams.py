"""Reading sorts out what rules need not look at, never a line that a rule would report; it keeps no line."""

import json
import tracemalloc
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bench.check import make_world, write_stream
from gm.base.errors import Problem
from gm.files.check.files import Files, StreamFile, check_suspects
from gm.files.check.whole import SUSPECT_RULES, check_files, read_files
from gm.files.formats.places import find_spot, walk
from gm.files.layout import Layout
from tests.files.check.handmade import line, node, write_files

IDS = st.sampled_from(["mina-001", "mina-002", "mina-003", "mina-005", "mina-099", "otto-001", "nonsense"])
NODES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["observation", "reflection", "plan", "artifact", "conversation"]),
        "depth": st.integers(0, 3),
        "tags": st.lists(st.sampled_from(["hafen", "kai", "mina", "Kai", "möwe", "r&d", ""]), max_size=3),
        "evidence": st.lists(IDS, max_size=3),
        "importance": st.sampled_from([1, 5, 5.0, 10]),
        "own": st.just("kept"),
        "metadata": st.sampled_from([{}, {"artifact_path": "gallery/x.md"}]),
    },
)


def problems(stream: StreamFile, files: Files) -> list[Problem]:
    return [*check_suspects(stream, files, SUSPECT_RULES)]


@given(st.lists(NODES, min_size=1, max_size=6))
@settings(max_examples=2 * settings().max_examples)
def test_rules_find_the_same_as_if_they_looked_at_every_line(records: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        text = "".join(line(node("mina", number, **record)) + "\n" for number, record in enumerate(records, 1))
        other = line(node("otto", 1)) + "\n"
        layout = write_files(Path(folder), {"state/memories/mina.jsonl": text, "state/memories/otto.jsonl": other})
        files, _ = read_files(layout)
        stream = files.streams["mina"]
        assert len(stream.nodes) == len(records)
        assert problems(stream, files) == problems(replace(stream, suspected=stream.nodes.lines), files)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
@settings(deadline=None)
def test_every_value_of_a_json_text_is_found_where_it_stands(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for spot in walk(text):
        expected = value
        for key in spot.keys:
            expected = expected[key]
        assert json.loads(text[spot.begin : spot.end]) == expected
        assert find_spot(text, spot.keys) == spot


def peak_of_check(layout: Layout, lines: int) -> tuple[int, int]:
    """Return the bytes of a stream of a number of memories, and the peak of memory while it is checked."""
    write_stream(layout, "mina", lines)
    tracemalloc.start()
    try:
        found = check_files(layout)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found.memories == lines
    return layout.stream("mina").stat().st_size, peak


def test_a_longer_stream_takes_less_memory_than_half_of_its_text(tmp_path: Path) -> None:
    layout = make_world(tmp_path, ("mina",), 10)
    peak_of_check(layout, 10)  # what is imported and cached
    short, long = peak_of_check(layout, 4_000), peak_of_check(layout, 10_000)
    assert (long[1] - short[1]) / (long[0] - short[0]) < 0.5


def test_a_stream_that_an_editor_changes_meanwhile_is_read_once_more(tmp_path: Path) -> None:
    layout = make_world(tmp_path, ("mina",), 4_000)
    path = layout.stream("mina")
    text = path.read_text(encoding="utf-8").replace('"id": "mina-001"', '"id": "mina-9001"', 1)
    path.write_text(text, encoding="utf-8")
    found = check_files(EditedLayout(tmp_path, [text.replace("mina-9001", "mina-8001", 1)]))
    assert [problem.message for problem in found.problems if problem.code == "id-order"][:1] == [
        "id 'mina-002' follows mina-8001, expected a higher number"
    ]


@dataclass(frozen=True)
class EditedLayout(Layout):
    """A world whose stream is edited when its logbooks are first asked for, which is after all streams were read."""

    texts: list[str]

    def logged_days(self) -> tuple[int, ...]:
        if self.texts:
            self.stream("mina").write_text(self.texts.pop(), encoding="utf-8")
        return Layout.logged_days(self)
