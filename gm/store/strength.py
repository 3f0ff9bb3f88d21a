"""How often memories were needed: counters beside the streams, which change scores and nothing else (S0-41, S0-43).

They lie in ``state/.gm/reinforced.json``: by id, ``{"reinforced": {"3": 1}, "recalled": {"3": 2}}`` with story days as
keys; a plain number, as older worlds have it, is that many reinforcements. Without the file every memory counts alike;
no memory is lost with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from gm.config import Settings
from gm.memory.fading import UNTOUCHED, Strength
from gm.memory.recall.fading import Fading
from gm.store import disk
from gm.store.layout import Layout
from gm.store.steps import Create, Replace, sha256

REINFORCED, RECALLED = "reinforced", "recalled"


def read_strengths(layout: Layout) -> dict[str, Strength]:
    """Read how often each memory was needed, by id; a file that is absent or broken counts as none."""
    return _parse(disk.read(layout.reinforced))


def open_fading(layout: Layout, settings: Settings) -> Fading | None:
    """Read how the memories of a world fade; None where they do not."""
    return Fading(settings.decay, read_strengths(layout)) if settings.decay.enabled else None


def strength_step(layout: Layout, day: int, reinforced: Iterable[str], recalled: Iterable[str]) -> Create | Replace:
    """Count memories that were needed on a day. The caller holds the lock of the world.

    Args:
        layout: The world.
        day: The story day.
        reinforced: Ids of memories that were reinforced; one that stands there twice counts twice.
        recalled: Ids of memories that came up.
    """
    old = disk.read(layout.reinforced)
    text = _render(_parse(old), day, reinforced, recalled)
    path = layout.shown(layout.reinforced)
    return Create(path, text) if old is None else Replace(path, sha256(old), text)


def strengths_until(data: bytes, day: int) -> bytes:
    """Take out of the counters what was counted after a story day; without a change they stay to the byte."""
    known = _parse(data)
    if all(kept <= day for item in known.values() for days in (item.reinforced, item.recalled) for kept in days):
        return data
    cut = {
        key: Strength(
            *({at: count for at, count in days.items() if at <= day} for days in (item.reinforced, item.recalled))
        )
        for key, item in known.items()
    }
    return _render({key: item for key, item in cut.items() if item != UNTOUCHED}, day, (), ()).encode()


def _render(strengths: Mapping[str, Strength], day: int, reinforced: Iterable[str], recalled: Iterable[str]) -> str:
    counted = {
        key: {REINFORCED: dict(strength.reinforced), RECALLED: dict(strength.recalled)}
        for key, strength in strengths.items()
    }
    for name, ids in ((REINFORCED, reinforced), (RECALLED, recalled)):
        for identifier in ids:
            days = counted.setdefault(identifier, {REINFORCED: {}, RECALLED: {}})[name]
            days[day] = days.get(day, 0) + 1
    lines = (
        f"{json.dumps(key, ensure_ascii=False)}: "
        + json.dumps({name: _by_day(days) for name, days in counted[key].items() if days})
        for key in sorted(counted)
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _by_day(days: Mapping[int, int]) -> dict[str, int]:
    return {str(day): days[day] for day in sorted(days)}


def _parse(data: bytes | None) -> dict[str, Strength]:
    try:
        known = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    found = {key: _strength(item) for key, item in known.items()} if isinstance(known, dict) else {}
    return {key: strength for key, strength in found.items() if strength != UNTOUCHED}


def _strength(item: object) -> Strength:
    if type(item) is int and item > 0:
        return Strength({0: item})
    return Strength(_days(item.get(REINFORCED)), _days(item.get(RECALLED))) if isinstance(item, dict) else UNTOUCHED


def _days(value: Any) -> dict[int, int]:
    items = value.items() if isinstance(value, dict) else ()
    return {
        int(day): count for day, count in items if day.isascii() and day.isdigit() and type(count) is int and count > 0
    }
