"""In what mood everybody left a scene: only the answers say so, and those stay where a world was played."""

from __future__ import annotations

from gm.store.layout import Layout
from gm.store.traces import TraceReader
from gm.tools.moods import mood_in, turn_of

PURPOSES = ("scene", "reflection")


def moods_of(layout: Layout, day: int) -> dict[str, tuple[tuple[str, str], ...]]:
    """Read the last mood of each one in each scene of a day, from the answers that were used.

    Args:
        layout: The world.
        day: Story day.

    Returns:
        By scene, ``day-003/scene-04``: who, and the mood. Empty where the traces are not there.
    """
    found: dict[str, dict[str, tuple[int, str]]] = {}
    for kept in TraceReader(layout.traces).of_day(day):
        record = kept.record
        who, turn = str(record.get("who", "")), turn_of(record)
        mood = "" if kept.rejected or record.get("purpose") not in PURPOSES else mood_in(record)
        scene = found.setdefault(str(kept.place), {})
        if mood and who and turn >= scene.get(who, (0, ""))[0]:
            scene[who] = turn, mood
    return {
        place: tuple((who, mood) for who, (_, mood) in sorted(scene.items())) for place, scene in found.items() if scene
    }
