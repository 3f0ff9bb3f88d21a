"""Relationships and diaries: what cannot be read is an error at its place, what is off a warning, the rest is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.load import load_world
from tests.files.check.test_rules import found_in, make_world

REGARDS, HISTORY, DIARY = (
    "state/relationships/mina.json",
    "state/relationships/mina.history.jsonl",
    "state/diary/mina.jsonl",
)
OTTO = {
    "state/agents/otto.json": '{"name": "Otto"}\n',
    "state/personas/otto.md": "---\nname: Otto\n---\n\nDu bist Otto.\n",
}


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def change(old: Any, new: Any, **others: Any) -> dict[str, Any]:
    values = {"at": "day-001/scene-01", "with": "otto", "old": {"trust_level": old}, "new": {"trust_level": new}}
    return {**values, "why": "", **others}


def about(root: Path, **files: str) -> list[tuple[str, str, str]]:
    world = make_world(root, **OTTO, **files)
    return [found for found in found_in(world) if "relationships" in found[2] or "diary" in found[2]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"otto": {"trust_level": "viel"}}\n', ("error", "relationship-value", f"{REGARDS}:1:26")),
        ('{"otto": 1}\n', ("error", "relationship-value", f"{REGARDS}:1:10")),
        ('{"otto": {"rationale": []}}\n', ("error", "relationship-value", f"{REGARDS}:1:24")),
        ('{"otto": {"interaction_count": 1.5}}\n', ("error", "relationship-value", f"{REGARDS}:1:32")),
        ('{"otto": {}, "otto": {}}\n', ("error", "key-twice", f"{REGARDS}:1:14")),
        ('{"otto": \n', ("error", "json-syntax", f"{REGARDS}:2:1")),
        ('{"otto": {"trust_level": 2}}\n', ("warning", "trust-range", f"{REGARDS}:1:26")),
        ('{"nobody": {}}\n', ("warning", "relationship-agent", f"{REGARDS}:1:12")),
        ('{"mina": {}}\n', ("warning", "relationship-agent", f"{REGARDS}:1:10")),
        ('{"otto": {"first_met_at": "gestern"}}\n', ("warning", "relationship-met", f"{REGARDS}:1:27")),
        ('{"otto": {"first_met_at": "day-099"}}\n', ("warning", "relationship-future", f"{REGARDS}:1:27")),
        ('{"otto": {"song": "Moll"}}\n', ("info", "relationship-extra", f"{REGARDS}:1:19")),
    ],
)
def test_a_fault_of_relationships_is_named_once_at_its_place(
    tmp_path: Path, text: str, expected: tuple[str, str, str]
) -> None:
    assert about(tmp_path, **{REGARDS: text}) == [expected]


def test_a_word_of_the_reply_form_and_a_capital_id_are_corrected(tmp_path: Path) -> None:
    text = '{"otto": {"trust": 1, "type": "", "tone": "", "why": "", "rational": "", "own": 1}, "Otto": {}}\n'
    world = make_world(tmp_path, **OTTO, **{REGARDS: text})
    hints = [problem.hint for problem in check_world(world).problems if problem.path == REGARDS]
    keys = ("trust_level", "relationship_type", "emotional_tone", "rationale", "rationale")
    assert hints == [*(f"did you mean {key}?" for key in keys), "", "did you mean otto?"]


def test_a_history_that_leads_to_what_stands_there_is_clean(tmp_path: Path) -> None:
    regards = '{"otto": {"trust_level": 0.4, "interaction_count": 9}}\n'
    history = lines(change(0.0, 0.2), change(0.2, 0.4))
    assert about(tmp_path, **{REGARDS: regards, HISTORY: history}) == []


@pytest.mark.parametrize(
    ("regards", "history", "expected"),
    [
        ('{"otto": {"trust_level": 1}}\n', [change(0.0, 0.2)], ("info", "history-differs", f"{REGARDS}:1:26")),
        (
            '{"otto": {"trust_level": 0.4}}\n',
            [change(0, 0.2), change(0.3, 0.4)],
            ("info", "history-gap", f"{HISTORY}:2:67"),
        ),
        ('{"otto": {}}\n', [{"with": "otto"}], ("warning", "history-form", f"{HISTORY}:1:1")),
        (None, [change(0.0, 0.2)], ("warning", "history-alone", f"{HISTORY}:0:0")),
    ],
)
def test_a_history_that_does_not_match_is_told(
    tmp_path: Path, regards: str | None, history: list[dict[str, Any]], expected: tuple[str, str, str]
) -> None:
    files = {HISTORY: lines(*history)} | ({REGARDS: regards} if regards else {})
    assert about(tmp_path, **files) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"day": "heute", "text": "x"}\n', ("error", "diary-day", f"{DIARY}:1:9")),
        ('{"day": "day-001/scene-01", "text": "x"}\n', ("error", "diary-day", f"{DIARY}:1:9")),
        ('{"day": "day-001"}\n', ("error", "diary-text", f"{DIARY}:1:1")),
        ('{"day": "day-001", "text": 3}\n', ("error", "diary-text", f"{DIARY}:1:28")),
        ('{"day": "day-001", "text": "x"}\n{"day": 1, "text": "y"}\n', ("warning", "diary-twice", f"{DIARY}:2:9")),
        ('{"day": "day-099", "text": "x"}\n', ("warning", "diary-future", f"{DIARY}:1:9")),
        ('{"day": "day-001", "text": "x"}\n{"day": "day-000", "text": "y"}\n', ("info", "diary-order", f"{DIARY}:2:9")),
        ('{"day": "day-001", "text": "x", "weather": "rain"}\n', ("info", "diary-extra", f"{DIARY}:1:44")),
    ],
)  # fmt: skip
def test_a_fault_of_a_diary_is_named_once_at_its_place(
    tmp_path: Path, text: str, expected: tuple[str, str, str]
) -> None:
    assert about(tmp_path, **{DIARY: text}) == [expected]


def test_of_a_layer_that_is_off_nothing_has_to_be_readable_in_order_to_play(tmp_path: Path) -> None:
    files = {REGARDS: "{", DIARY: "{"}
    assert len(load_world(make_world(tmp_path / "auto", **files)).problems) == 2
    world = make_world(tmp_path / "off", **files, **{"gm.yaml": "relationships: off\ndiary: off\n"})
    assert load_world(world).problems == ()
    assert {code for severity, code, _ in found_in(world) if severity == "error"} == {"json-syntax"}
