"""What `gm check` says of archive, summaries, watermark and tiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.files.layout import Layout
from tests.files.check.handmade import line, node
from tests.files.check.test_rules import agent, make_world, place

ARCHIVE, SUMMARIES, STREAM = (f"state/{folder}/mina.jsonl" for folder in ("archive", "summaries", "memories"))


def nodes(*records: dict[str, Any]) -> str:
    return "".join(line(record) + "\n" for record in records)


def summary(number: int = 6, **metadata: Any) -> dict[str, Any]:
    details = {"kind": "summary", "title": "Früher", "replaces": ["mina-004..mina-005"], **metadata}
    return node("mina", number, type="reflection", depth=1, evidence=["mina-004"], metadata=details)


KEPT = {
    ARCHIVE: nodes(node("mina", 4), node("mina", 5)),
    SUMMARIES: nodes(summary()),
    **agent(conv_summarized_until="mina-005"),
}


def found(layout: Layout) -> list[tuple[str, str, str]]:
    """What is not said of the small world anyway: memories of the archive are in no logbook."""
    return [place(item) for item in check_world(layout).problems if item.code not in ("memory-unlisted", "accumulator")]


def test_a_world_that_has_grown_old_is_clean(tmp_path: Path) -> None:
    later = node("mina", 7, type="reflection", depth=2, evidence=["mina-006", "mina-004"])
    stream = [
        node("mina", 1),
        node("mina", 2, type="reflection", depth=1, evidence=["mina-001"]),
        node("mina", 3),
        later,
    ]
    assert found(make_world(tmp_path, **KEPT, **{STREAM: nodes(*stream)})) == []


def test_an_archived_memory_of_a_piece_names_what_it_replaces_by_its_path(tmp_path: Path) -> None:
    piece = {"artifact_path": "gallery/writing/day-001_names_v2.md", "replaces": "gallery/writing/day-001_names_v1.md"}
    kept = nodes(node("mina", 4), node("mina", 5, type="observation", metadata=piece))
    codes = {code for _, code, _ in found(make_world(tmp_path, **{**KEPT, ARCHIVE: kept}))}
    assert "replaces-form" not in codes


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (
            {ARCHIVE: nodes(*(node("mina", number) for number in (3, 4, 5)))},
            ("error", "id-archived", f"{STREAM}:3:8"),
        ),
        ({SUMMARIES: nodes(summary(4))}, ("error", "id-archived", f"{SUMMARIES}:1:8")),
        ({SUMMARIES: nodes(summary(3))}, ("error", "id-twice", f"{SUMMARIES}:1:8")),
        ({ARCHIVE: nodes(node("mina", 4)), **agent()}, ("warning", "replaced-missing", f"{SUMMARIES}:1:")),
        ({SUMMARIES: nodes(summary(replaces="mina-004"))}, ("warning", "replaces-form", f"{SUMMARIES}:1:")),
        (agent(conv_summarized_until="mina-077"), ("warning", "watermark", "state/agents/mina.json:")),
        ({SUMMARIES: "{broken\n"}, ("error", "json-syntax", f"{SUMMARIES}:1:")),
        ({SUMMARIES: nodes(node("ole", 9))}, ("error", "id-agent", f"{SUMMARIES}:1:")),
        ({SUMMARIES: nodes(summary(tier="golden"))}, ("warning", "tier-unknown", f"{SUMMARIES}:1:")),
        ({"state/summaries/ole.jsonl": ""}, ("warning", "agent-unknown", "state/summaries/ole.jsonl:")),
    ],
)
def test_each_fault_is_named_at_its_place(
    tmp_path: Path, files: dict[str, str], expected: tuple[str, str, str]
) -> None:
    shown = found(make_world(tmp_path, **{**KEPT, **files}))
    assert [item for item in shown if item[:2] == expected[:2] and item[2].startswith(expected[2])]


def test_more_pinned_memories_than_five_are_too_many(tmp_path: Path) -> None:
    held = [node("mina", number, metadata={"tier": "pinned"}) for number in range(1, 7)]
    files = {STREAM: nodes(*held), **agent(last_reflection=None, importance_accumulator=30)}
    shown = [item for item in found(make_world(tmp_path, **files)) if item[1] == "tier-pinned"]
    assert [item[2].rpartition(":")[0] for item in shown] == [f"{STREAM}:6"]


def test_a_number_of_conversations_without_self_care_is_told(tmp_path: Path) -> None:
    said = {}
    for care in (False, True):
        settings = f"conversations: {{max: 12}}\nselfcare: {{enabled: {str(care).lower()}}}\n"
        problems = check_world(make_world(tmp_path / str(care), **{"gm.yaml": settings})).problems
        said[care] = [item.message for item in problems if item.code == "conversations-kept"]
    assert len(said[False]) == 1
    assert "selfcare.enabled is false" in said[False][0]
    assert said[True] == []
