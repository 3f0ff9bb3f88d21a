"""Reading sorts out what rules need not look at: never a line about which a rule has something to say."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gm.base.errors import Problem
from gm.files.check import artifacts, evidence, nodes
from gm.files.check.files import Files, StreamFile
from gm.files.check.whole import read_files
from gm.files.formats.jsonl import JsonLine
from gm.files.formats.places import find_spot, walk
from gm.files.reading.lines import read_node
from gm.model.node import node_record
from tests.files.check.handmade import line, node, write_files

RULES = (*evidence.RULES, nodes.check_spelling, *artifacts.RULES)
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
    return [problem for rule in RULES for problem in rule(stream, files)]


@given(st.lists(NODES, min_size=1, max_size=6))
@settings(deadline=None, max_examples=150)
def test_rules_find_the_same_as_if_they_looked_at_every_line(records: list[dict[str, Any]]) -> None:
    with TemporaryDirectory() as folder:
        text = "".join(line(node("mina", number, **record)) + "\n" for number, record in enumerate(records, 1))
        other = line(node("otto", 1)) + "\n"
        layout = write_files(Path(folder), {"state/memories/mina.jsonl": text, "state/memories/otto.jsonl": other})
        files, _ = read_files(layout)
        stream = files.streams["mina"]
        every = [JsonLine(item.number, node_record(read_node("mina", item, {}))) for item in stream.again()]
        assert len(every) == len(records)
        assert problems(stream, files) == problems(replace(stream, suspects=every), files)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, st.sampled_from([None, 1, "\t"]), st.booleans())
@settings(deadline=None)
def test_every_value_of_a_json_text_is_found_where_it_stands(value: Any, indent: Any, ascii_only: bool) -> None:
    import json

    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for spot in walk(text):
        expected = value
        for key in spot.keys:
            expected = expected[key]
        assert json.loads(text[spot.begin : spot.end]) == expected
        assert find_spot(text, spot.keys) == spot
