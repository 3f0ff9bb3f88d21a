"""Fold what characters say about their souls: rare, deliberate, each sentence once (S3-02, S3-03)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.model.replies import SoulEdit
from gm.model.soul import SOUL_KINDS, Soul, SoulChange, SoulEntry, change_soul
from gm.texts import clip


def fold_soul(soul: Soul, edits: Iterable[SoulEdit]) -> tuple[SoulChange | None, list[str]]:
    """Turn what somebody wants to add and to take out into what changes.

    Args:
        soul: As it is in the files now: a person may have edited it since the question was asked.
        edits: What the replies of one step say, in order.

    Returns:
        The change, None when there is none; and what could not be done, in words.
    """
    now, warnings = soul, []
    for edit in edits:
        for text in edit.remove:
            found = now.find(text)
            if found is None:
                warnings.append(f"not in the soul, so not taken out of it: {_short(text)}")
            else:
                now = change_soul(now, SoulChange(removed=(found,)))
        for item in edit.add:
            text = " ".join(item.text.split())
            if now.find(text) is None:
                now = change_soul(now, SoulChange(added=(SoulEntry(SOUL_KINDS[item.kind], text),)))
            else:
                warnings.append(f"stands in the soul already: {_short(text)}")
    added = tuple(entry for entry in now.entries if entry not in soul.entries)
    removed = tuple(entry for entry in soul.entries if entry not in now.entries)
    return (SoulChange(added, removed) if added or removed else None), warnings


def soul_record(changes: Mapping[str, SoulChange | None]) -> dict[str, Any]:
    """Say in a logbook line whose soul changed, and how; nothing when nobody's did."""
    told = [
        {
            "agent": name,
            "added": [{"kind": entry.kind, "text": entry.text} for entry in change.added],
            "removed": [{"kind": entry.kind, "text": entry.text} for entry in change.removed],
        }
        for name, change in changes.items()
        if change is not None
    ]
    return {"souls": told} if told else {}


def _short(text: str) -> str:
    return repr(clip(text))
