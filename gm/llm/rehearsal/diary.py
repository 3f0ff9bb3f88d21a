"""A diary entry: somebody who was there, what the character remembers best of the day, its work, and an end."""

from __future__ import annotations

from gm.llm.rehearsal.facts import Cue, Remembered
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.remember import make_tags
from gm.llm.rehearsal.voice import Voice

LONGEST = 220


def compose_diary(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose the entry of one evening."""
    person = next((name for name in reversed(cue.met) if name in cue.names), "")
    opening = voice.phrase("diary_person", other=cue.names[person]) if person else voice.phrase("diary_alone")
    lived = _lived(cue)
    task = to_slot(cue.task or (cue.plan[0] if cue.plan else ""))
    parts = (
        opening,
        lived.description if lived else "",
        voice.own("thoughts", lived.description if lived else cue.task),
        voice.phrase("diary_work", task=task) if task else "",
        voice.phrase("diary_end"),
    )
    return {
        "text": " ".join(part for part in parts if part),
        "mood": voice.own("moods") or voice.phrase("mood"),
        "tags": make_tags(cue, list(lived.tags[:2]) if lived else [], [person] if person else [], []),
    }


def _lived(cue: Cue) -> Remembered | None:
    """Choose what weighs most of what the character has said to itself lately, in few enough words to write down."""
    recent = [node for node in cue.memories[-8:] if node.type == "observation" and len(node.description) <= LONGEST]
    return max(recent, key=lambda node: node.importance, default=None)
