"""Moods, read from the traces of answers."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

from gm.ask.reply.extract import extract_object
from gm.base.config import PURPOSES
from gm.files.questions.traces import TraceReader
from gm.llm.base import LAST_WORD

MOOD_PURPOSES = tuple(name for name, purpose in PURPOSES.items() if purpose.states_mood)
"""Purposes of the calls whose answers state a mood."""
_TURN = re.compile(r"-turn-(\d{1,9})")


def moods_by_scene(traces: TraceReader, day: int) -> dict[str, dict[str, str]]:
    """Return the last mood of each character in each scene of a day, from the answers that were used.

    Returns:
        Scene (``day-003/scene-04``, in order) → name → mood.
    """
    found: dict[str, dict[str, str]] = {}
    for place in map(str, traces.scenes(day)):
        moods: dict[str, str] = {}
        for record in sorted(traces.in_scene(place), key=_turn_of):
            who, mood = str(record.get("who", "")), mood_in(record)
            if who and mood and record.get("purpose", "scene") in MOOD_PURPOSES:
                moods[who] = mood
        if moods:
            found[place] = moods
    return found


def moods_of_day(traces: TraceReader, day: int) -> dict[str, str]:
    """Return the last mood of each character on a day."""
    return {who: mood for moods in moods_by_scene(traces, day).values() for who, mood in moods.items()}


def _turn_of(record: Mapping[str, Any]) -> int:
    label = str(record.get("label", ""))
    if label.removeprefix(str(record.get("who", ""))).startswith(LAST_WORD):
        return sys.maxsize
    match = _TURN.search(label)
    return int(match[1]) if match else 1


def mood_in(record: Mapping[str, Any]) -> str:
    """Return the mood stated in an answer, on one line, or ``""``."""
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
