"""Counters of how often memories were needed, ``state/.gm/reinforced.jsonl``; they influence scores only.

Appended lines: ``{"day": 3, "reinforced": ["alex-001"], "recalled": ["alex-002", "alex-003"]}``. Folded, by story day:
``{"id": "alex-001", "reinforced": {"3": 1}, "recalled": {"5": 2}}``. The ``reinforced.json`` of older worlds, such
entries or plain numbers by id, is read and never changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping

from gm.base.config import Settings
from gm.base.regular import open_regular
from gm.base.texts import is_digits
from gm.base.untyped import object_in, texts_in
from gm.files.commits.lock import held
from gm.files.commits.steps import Append, append_step
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.memory.recall.scored import UNTOUCHED, Fading, Strength

DAY, ID, REINFORCED, RECALLED, FOLDED = "day", "id", "reinforced", "recalled", "folded"
NO_FILE = -1
LOOSE_BYTES = 65_536
"""Bytes added, beyond the size when it was folded, before the file is folded again."""


class StrengthFile:
    """The counters of one world; each read continues where the last one ended."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._file = NO_FILE
        self._size = 0
        self._known: dict[str, Strength] = {}

    def read(self) -> Mapping[str, Strength]:
        """Return the counts by id; absent files and broken lines count as none."""
        try:
            with open(self._layout.reinforced, "rb", opener=open_regular) as file:
                now = os.fstat(file.fileno())
                if now.st_ino != self._file or now.st_size < self._size:
                    self._begin(now.st_ino)
                file.seek(self._size)
                added = file.read()
        except OSError:
            self._begin(NO_FILE)
            return self._known
        added = added[: added.rfind(b"\n") + 1]  # an unterminated line is being written
        self._size += len(added)
        _count_lines(self._known, added)
        return self._known

    @property
    def state(self) -> tuple[int, int]:
        """The file as of the last read: its inode and the bytes read."""
        return self._file, self._size

    def _begin(self, file: int) -> None:
        self._file, self._size, self._known = file, 0, _read_older(self._layout)

    def fading(self, settings: Settings) -> Fading | None:
        """Return how memories fade, with the counts as they are now; None where decay is off."""
        return Fading(settings.decay, self.read()) if settings.decay.enabled else None


def read_strengths(layout: Layout) -> Mapping[str, Strength]:
    """Return the counts by id."""
    return StrengthFile(layout).read()


def strength_step(layout: Layout, day: int, reinforced: Iterable[str], recalled: Iterable[str]) -> Append:
    """Return the step that counts memories needed on a story day; duplicates count twice. The caller holds the lock."""
    counted = {REINFORCED: list(reinforced), RECALLED: list(recalled)}
    record = {DAY: day, **{key: ids for key, ids in counted.items() if ids}}
    return append_step(layout, layout.reinforced, [json.dumps(record, ensure_ascii=False)])


def count_recalled(layout: Layout, day: int, recalled: Iterable[str]) -> None:
    """Count memories retrieved outside of scenes; needs no lock, as a day may be in progress.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(layout.reinforced):
        disk.make_private(layout.derived)
        with held(layout.journal, exclusive=True):
            disk.append(layout.reinforced, strength_step(layout, day, (), recalled).text.encode())


def strengths_until(data: bytes, day: int) -> bytes:
    """Remove what was counted after a story day; other lines keep their bytes."""
    kept = (_cut_line(line, day) for line in data.split(b"\n"))
    return b"\n".join(line for line in kept if line is not None)


def _cut_line(line: bytes, day: int) -> bytes | None:
    record = object_in(line)
    if isinstance(record.get(ID), str):
        known = _parse_strength(record)
        if all(at <= day for days in (known.reinforced, known.recalled) for at in days):
            return line
        cut = ({at: count for at, count in days.items() if at <= day} for days in (known.reinforced, known.recalled))
        left = Strength(*cut)
        return _render_line(record[ID], left, day).rstrip("\n").encode() if left != UNTOUCHED else None
    at = record.get(DAY)
    return None if type(at) is int and at > day else line


def fold_strengths(layout: Layout) -> None:
    """Fold the counters if most of the file is not folded. The caller holds the lock, and the journal is empty.

    Counts before the last counted day are summed: only their number and latest day matter.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(layout.reinforced):
        if not _is_worth_folding(layout):
            return
        with held(layout.journal, exclusive=True):
            known: dict[str, Strength] = {}
            _count_lines(known, disk.read_or_none(layout.reinforced) or b"")
            last = max((day for item in known.values() for day in (*item.reinforced, *item.recalled)), default=0)
            lines = "".join(_render_line(key, known[key], last) for key in sorted(known))
            head = json.dumps({FOLDED: len(lines.encode())})
            disk.replace(layout.reinforced, f"{head}\n{lines}".encode())


def _is_worth_folding(layout: Layout) -> bool:
    try:
        with open(layout.reinforced, "rb", opener=open_regular) as file:
            size = os.fstat(file.fileno()).st_size
            head = object_in(file.readline()) if size > LOOSE_BYTES else {}
    except FileNotFoundError:
        return False
    folded = head.get(FOLDED)
    return size > LOOSE_BYTES + 2 * (folded if type(folded) is int and folded > 0 else 0)


def _render_line(key: str, strength: Strength, last: int) -> str:
    parts = {REINFORCED: _merge_settled(strength.reinforced, last), RECALLED: _merge_settled(strength.recalled, last)}
    return json.dumps({ID: key, **{name: days for name, days in parts.items() if days}}, ensure_ascii=False) + "\n"


def _merge_settled(days: Mapping[int, int], last: int) -> dict[str, int]:
    before = [day for day in days if day < last]
    settled = {max(before): sum(days[day] for day in before)} if before else {}
    return {str(day): count for day, count in (*settled.items(), *((day, days[day]) for day in days if day >= last))}


def _count_lines(known: dict[str, Strength], lines: bytes) -> None:
    for line in lines.split(b"\n"):
        record = object_in(line)
        day = record.get(DAY)
        if isinstance(record.get(ID), str):
            _add_strength(known, record[ID], _parse_strength(record))
        elif type(day) is int and day >= 0:
            for key in texts_in(record.get(REINFORCED)):
                _add_strength(known, key, Strength({day: 1}))
            for key in texts_in(record.get(RECALLED)):
                _add_strength(known, key, Strength({}, {day: 1}))


def _add_strength(known: dict[str, Strength], key: str, more: Strength) -> None:
    old = known.get(key, UNTOUCHED)
    if more != UNTOUCHED:
        known[key] = Strength(_add_days(old.reinforced, more.reinforced), _add_days(old.recalled, more.recalled))


def _add_days(old: Mapping[int, int], more: Mapping[int, int]) -> Mapping[int, int]:
    return {**old, **{day: old.get(day, 0) + count for day, count in more.items()}} if more else old


def _read_older(layout: Layout) -> dict[str, Strength]:
    try:
        known = object_in(disk.read_or_none(layout.reinforced_whole) or b"")
    except OSError:
        return {}
    found = {key: _parse_strength(item) for key, item in known.items()}
    return {key: strength for key, strength in found.items() if strength != UNTOUCHED}


def _parse_strength(item: object) -> Strength:
    if type(item) is int and item > 0:
        return Strength({0: item})
    return (
        Strength(_parse_days(item.get(REINFORCED)), _parse_days(item.get(RECALLED)))
        if isinstance(item, dict)
        else UNTOUCHED
    )


def _parse_days(value: object) -> dict[int, int]:
    items = value.items() if isinstance(value, dict) else ()
    return {int(day): count for day, count in items if is_digits(day) and type(count) is int and count > 0}
