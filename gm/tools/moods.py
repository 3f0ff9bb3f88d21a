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
        for record in sorted(traces.in_scene(str(place)), key=turn_of):
            mood = mood_in(record)
            if mood:
                found[str(record.get("who", ""))] = mood
    return found


def turn_of(record: Mapping[str, Any]) -> int:
    """Tell the turn that an answer was for; a label without a number is the first one."""
    match = _TURN.search(str(record.get("label", "")))
    return int(match[1]) if match else 1


def mood_in(record: Mapping[str, Any]) -> str:
    """Read the mood that an answer says, on one line; empty where it says none."""
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
    return " ".join(mood.split()) if isinstance(mood, str) else ""
