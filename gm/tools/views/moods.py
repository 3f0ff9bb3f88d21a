"""In what mood everybody left a scene: only the answers say so, and those stay where a world was played."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from gm.reply.extract import extract_object
from gm.store.layout import Layout
from gm.store.traces import TraceReader

PURPOSES = ("scene", "reflection")
_TURN = re.compile(r"-turn-(\d+)")


def moods_of(layout: Layout, day: int) -> dict[str, tuple[tuple[str, str], ...]]:
    """Read the last mood of each one in each scene of a day, from the answers that were used.

    Args:
        layout: The world.
        day: Story day.

    Returns:
        By scene, ``day-003/scene-04``: who, and the mood. Empty where the traces are not there.
    """
    found: dict[str, dict[str, tuple[int, str]]] = {}
    if not layout.traces.is_dir():
        return {}
    for kept in TraceReader(layout.traces).of_day(day):
        record = kept.record
        who, turn = str(record.get("who", "")), _turn(record)
        mood = "" if kept.rejected or record.get("purpose") not in PURPOSES else _mood(record)
        scene = found.setdefault(str(kept.place), {})
        if mood and who and turn >= scene.get(who, (0, ""))[0]:
            scene[who] = turn, mood
    return {
        place: tuple((who, mood) for who, (_, mood) in sorted(scene.items())) for place, scene in found.items() if scene
    }


def _turn(record: Mapping[str, Any]) -> int:
    """Tell the turn that an answer was for; a label without a number is the first one."""
    found = _TURN.search(str(record.get("label", "")))
    return int(found[1]) if found else 1


def _mood(record: Mapping[str, Any]) -> str:
    answer = record.get("answer")
    text = answer.get("text") if isinstance(answer, Mapping) else None
    found = extract_object(text) if isinstance(text, str) and '"mood"' in text else None
    mood = found.data.get("mood") if found else None
    return " ".join(mood.split()) if isinstance(mood, str) else ""
