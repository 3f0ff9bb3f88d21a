"""A small world as people and other tools write them: older shapes, carriage returns, own spellings. All invented."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from gm.files.layout import Layout

WORLD = """\
{
  "day": 3,  "day_of_week": "Mittwoch",
  "time_of_day": "evening",
  "scenes_today": 2, "scenes_total": 5.00,
  "scheduled_events": [
    {"day": 4, "event": "Probe am Steg", "time": "all-day"}
  ],
  "active_briefs": [],
  "artifacts_today": ["gallery/texte/day-003_flut.md"],
  "studio_status": "Die Flut kommt, und nicht alle sind da."
}
"""
MINA = """\
{
    "name": "Mina Sörensen",
    "position": "bootshaus",
    "current_task": "Netze flicken",
    "today_plan": ["DONE: Netze", "OFFEN: mit Ole über die Flut sprechen"],
    "mood": "ruhig",
    "importance_accumulator": 40,
    "last_reflection": "mina-003"
}
"""
OLE = """\
{"name": "Ole", "position": "leuchtturm", "current_task": "", "today_plan": [], "mood": "", "note": "bleibt",
 "importance_accumulator": 5.00, "last_reflection": null}
"""
MINA_LINES = (
    '{"id": "mina-001", "created": "day-001/scene-01", "type": "observation", "depth": 0, "description": "Das Boot ist '
    'dicht.", "importance": 4, "tags": ["boot"], "evidence": [], "metadata": {}}',
    '{"id":"mina-002", "agent":"mina", "day": 2, "type":"observation", "importance":6, "depth":0, '
    '"content":"Die Türme am Ufer sind älter als das Dorf.", "laune": "froh"}',
    '{"id": "mina-003", "created": "day-002/scene-02", "type": "reflection", "depth": 1, "description": "Wer wartet, '
    'sieht mehr.", "importance": 8, "tags": ["Geduld", "r&d"], "evidence": ["mina-001"], "metadata": {}}',
    '{"id": "mina-004",  "created": "day-003/scene-01", "type": "observation", "depth": 0, "description": "Ole schwieg '
    'lange.", "importance": 5.00, "tags": ["ole","Ru\u0308hrung"], "evidence": [], "metadata": {"x": 1.50 }}',
)
OLE_LINES = (
    '{"id": "ole-001", "created": "day-001/scene-01", "type": "plan", "depth": 0, "description": "Lampe putzen und '
    'dann zu Mina.", "importance": 3, "tags": ["lampe"], "evidence": [], "metadata": {}}',
    '{"id": "ole-002", "agent": "ole", "day": 3, "type": "observation", "importance": 7, "depth": 0, "content": "Das '
    'Licht war die ganze Nacht aus."}',
)
BULLETIN = '{"posts": [{"from": "Hafenamt", "day": 3, "scene": 0, "type": "brief", "content": "Sichert den Steg."}]}\n'
BROKEN_BULLETIN = '{\n  "posts": [\n    {"from": "Hafenamt", "content": "Sichert den Steg."}\n    }\n  ]\n}\n'
ROSTER = """\
---
name: Mina Sörensen
role: Bootsbauerin
age: 41
pronouns: sie/ihr
workspace: Bootshaus (unten am Wasser)
sprite: mina
address: Deichweg 3
---

# Mina

Mina redet wenig und meint es so.
"""
LOG = (
    '{"scene": 1, "type": "WORK", "time_of_day": "morning", "location": "bootshaus", "participants": ["mina"], '
    '"summary": "Mina flickt Netze, und das ist nicht wenig.", "artifacts": [], "memories": []}\n'
    '{"scene": 2, "type": "MEETING", "time_of_day": "evening", "location": "steg+ueberall", "participants": ["mina", '
    '"ole"], "summary": "Sie reden über die Flut und das Licht.", "artifacts": [], "memories": []}\n'
)


def make_handmade(root: Path, *, bulletin: str = BULLETIN) -> Layout:
    """Write the world into a folder. It has no ``gm.yaml`` and no personas, and its logbook lies beside ``state/``."""
    files = {
        "state/world.json": WORLD,
        "state/bulletin.json": bulletin,
        "state/agents/mina.json": MINA,
        "state/agents/ole.json": OLE,
        "state/memories/mina.jsonl": "\r\n".join(MINA_LINES) + "\r\n",
        "state/memories/ole.jsonl": "\n".join(OLE_LINES),
        "logbook/day-002.jsonl": LOG,
        "logbook/day-003.jsonl": LOG,
        "roster/mina-soerensen.md": ROSTER,
    }
    for path, text in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return Layout(root)


def fingerprint(root: Path) -> dict[str, str]:
    """Hash every file that git would see: the derived folder ignores itself."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {".gm", "traces"} & set(path.relative_to(root).parts)
    }


def read_json(path: Path) -> dict[str, object]:
    """Read a JSON object."""
    data = json.loads(path.read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    return data
