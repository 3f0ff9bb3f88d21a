"""A world as people make it by hand: every item of the design's list of what is tolerated, in made-up text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

from gm.files.layout import Layout


def node(agent: str, number: int, scene: str = "day-001/scene-01", **other: Any) -> dict[str, Any]:
    """Make the record of a memory; what is not named is plain."""
    return {
        "id": f"{agent}-{number:03d}",
        "created": scene,
        "type": "observation",
        "depth": 0,
        "description": f"Etwas, das {agent} an Stelle {number} gesehen hat.",
        "importance": 5,
        "tags": ["hafen"],
        "evidence": [],
        "metadata": {},
        **other,
    }


def line(record: dict[str, Any]) -> str:
    """Write a record the way gm does."""
    return json.dumps(record, ensure_ascii=False)


def scene(number: int, kind: str = "WORK", **other: Any) -> dict[str, Any]:
    """Make the record of a logbook line."""
    return {
        "scene": number,
        "type": kind,
        "time_of_day": "morning",
        "location": "werft",
        "participants": ["mina", "otto"],
        "summary": "Es wird gearbeitet.",
        "memories": [],
        "artifacts": [],
        **other,
    }


MINA = [
    # the older shape
    '{"id": "mina-001", "agent": "mina", "day": 1, "type": "observation", "importance": 6, "depth": 0, '
    '"content": "Die Werft riecht nach Teer."}',
    # a reflection without evidence
    line(node("mina", 2, type="reflection", depth=1)),
    # evidence on plans and artifacts; an artifact by its path, and one without
    line(node("mina", 3, type="plan", evidence=["mina-002"])),
    line(
        node("mina", 4, type="artifact", evidence=["mina-003"], metadata={"artifact_path": "gallery/plans/mast_v1.md"})
    ),
    line(node("mina", 5, type="artifact")),
    # a depth that breaks the rule
    line(node("mina", 6, type="reflection", depth=1, evidence=["mina-002", "mina-003"])),
    # evidence of another agent
    line(node("mina", 7, type="reflection", depth=1, evidence=["otto-001"])),
    # a number like 5.00
    line(node("mina", 8)).replace('"importance": 5', '"importance": 5.00'),
    # umlauts beside ae/oe/ue
    line(node("mina", 9, tags=["takelage", "mövenruf"])),
    line(node("mina", 10, tags=["moevenruf"])),
    line(node("mina", 11, tags=["mövenruf"])),
    # NFC and NFD
    line(node("mina", 12, tags=["hafen", unicodedata.normalize("NFD", "mövenruf")])),
    line(node("mina", 13, description=unicodedata.normalize("NFD", "Der Kran über der Mole."))),
    # tags
    line(node("mina", 14, tags=["r&d", "völuspá"])),
]
OTTO = [
    "\ufeff" + line(node("otto", 1)),  # a byte order mark
    "",  # a blank line
    line(node("otto", 2, "day-001/scene-02")) + "\r",  # CRLF
    line(node("otto", 3, "day-001/scene-02b")),  # an inserted scene, and no final newline
]
LOG = [
    line(
        scene(
            1,
            # as a path, a bare name, an object and a folder
            artifacts=[
                "gallery/plans/mast_v1.md",
                "mast-skizze",
                {"path": "gallery/plans/mast_v1.md"},
                "gallery/plans/",
            ],
            memories=[{"agent": "mina", "id": "mina-002", "importance": 5}],
        )
    ),
    line(scene(2, "WORK+REFLECTION")),  # a compound type
    line(scene(3, "FISCHESSEN", time_of_day="late-afternoon")),  # a type and a time of day outside the lists
    line(scene(4, "MEETING", participants=["mina", "otto", "creative-director"])),  # a participant who is not an agent
    line({"type": "SUMMARY", "summary": "Ein Tag am Wasser.", "highlights": [], "open_threads": []}),
]
MINA_STATE = """\
{
    "name": "Mina Holt",
    "position": "werft",
    "current_task": "",
    "today_plan": ["DONE: Mast vermessen", "OFFEN: Segel flicken"],
    "mood": "wach",
    "importance_accumulator": 12,
    "last_reflection": null
}
"""
OTTO_STATE = """\
{
    "name": "Otto Brandt",
    "position": "werft",
    "current_task": "",
    "today_plan": [],
    "mood": "still",
    "importance_accumulator": 15.00,
    "last_reflection": null
}
"""
WORLD = """\
{
    "day": 1,
    "day_of_week": "Montag",
    "time_of_day": "evening",
    "scenes_today": 4,
    "scenes_total": 4,
    "scheduled_events": [
        {"day": 2, "event": "Stapellauf", "time": "all-day"}
    ],
    "active_briefs": [],
    "artifacts_today": [],
    "studio_status": ""
}
"""
BULLETIN = """\
{
    "posts": [
        {"from": "Creative Director", "day": 1, "content": "Baut ein Boot."}
        {"from": "otto", "day": 1, "content": "Wer hat den Hobel?"}
    ]
}
"""


def make_handmade(root: Path) -> Layout:
    """Write the world below a folder."""
    files = {
        "state/memories/mina.jsonl": "\n".join(MINA) + "\n",
        "state/memories/otto.jsonl": "\n".join(OTTO),
        "logbook/day-001.jsonl": "\n".join(LOG) + "\n",
        "state/agents/mina.json": MINA_STATE,
        "state/agents/otto.json": OTTO_STATE,
        "state/world.json": WORLD,
        "state/bulletin.json": BULLETIN,
        "gallery/plans/mast_v1.md": "Ein Mast.\n",
    }
    return write_files(root, files)


def write_files(root: Path, files: dict[str, str]) -> Layout:
    """Write files with exactly these characters."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    return Layout(root)
