"""Moods, where they are kept: in the answers of characters."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from gm.reply.extract import extract_object
from gm.store.traces import TraceReader

_TURN = re.compile(r"-turn-(\d+)")


def moods_in_answers(traces: TraceReader, day: int) -> dict[str, str]:
    """Read from the raw answers of a day which mood they left everybody in; the last one stands.

    Returns:
        Moods by the name that the answers were asked under.
    """
    found: dict[str, str] = {}
    for place in traces.scenes(day):
        for record in sorted(traces.in_scene(str(place)), key=_turn):
            mood = _mood_in(record)
            if mood:
                found[str(record.get("who", ""))] = mood
    return found


def _turn(record: Mapping[str, Any]) -> int:
    match = _TURN.search(str(record.get("label", "")))
    return int(match[1]) if match else 1


def _mood_in(record: Mapping[str, Any]) -> str:
    answer = record.get("answer")
    text = answer.get("text") if isinstance(answer, Mapping) else answer
    if not isinstance(text, str) or "mood" not in text:
        return ""
    try:
        data = json.loads(text)
    except ValueError:
        found = extract_object(text, ("mood",))
        data = found.data if found else {}
    mood = data.get("mood") if isinstance(data, dict) else None
    return mood.strip() if isinstance(mood, str) else ""
