"""When a person asked for memories, by the clock on the wall: what the files of a world must not hold.

It lies in ``state/.gm/links.json``; without it a request holds as long as the story lets it.
"""

from __future__ import annotations

import json

from gm.store.forms import disk
from gm.store.forms.private import make_private
from gm.store.layout import Layout


def read_asked_at(layout: Layout, asker: str, giver: str) -> float | None:
    """Tell when somebody was asked, in seconds since the epoch; None when nobody has noted it down."""
    value = _read(layout).get(f"{asker} {giver}")
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def note_asked_at(layout: Layout, asker: str, giver: str, now: float | None) -> None:
    """Note when somebody was asked; None = it is over. The caller holds the lock of the world."""
    notes = {key: value for key, value in _read(layout).items() if key != f"{asker} {giver}"}
    if now is not None:
        notes[f"{asker} {giver}"] = now
    with disk.explained(layout.links_note):
        make_private(layout.derived)
        disk.replace(layout.links_note, f"{json.dumps(notes)}\n".encode())


def _read(layout: Layout) -> dict[str, object]:
    try:
        data = json.loads(disk.read(layout.links_note) or b"{}")
    except (ValueError, RecursionError):
        return {}  # half a note is no note
    return data if isinstance(data, dict) else {}
