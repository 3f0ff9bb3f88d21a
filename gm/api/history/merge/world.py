"""Merges the files of a world with consistent names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.api.history.merge.documents import merge_document, merge_importance, merge_yaml, parse_document, to_integer
from gm.api.history.merge.plan import Files, RenamingPlan, carry_over, make_plan, rename_ids
from gm.api.history.pastfiles import FileLine, find_new_lines, make_unused_key, render_rows, split_rows
from gm.files import relative_paths
from gm.files.formats.jsonedit import set_values
from gm.layers.declare import YAML
from gm.model.calendar import SceneRef, parse_ref

BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged file.

    Attributes:
        data: None = no such file.
        conflicts: Ids of memories, or the path.
        notes: Values changed by both sides.
    """

    data: bytes | None
    conflicts: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=())


def merge_worlds(base: Files, ours: Files, theirs: Files) -> dict[str, Merged]:
    """Merge all files of a world; see ``make_plan`` for files that may be omitted."""
    base, theirs = carry_over(base, ours, theirs)
    plan = make_plan(base, ours, theirs)
    merged = {path: merge_path(path, plan, base, ours, theirs) for path in sorted({*base, *ours, *theirs})}
    for path, new in plan.artifacts.items():
        merged[new] = Merged(plan.rename_in_file(new, theirs[path]))
    return merged


def merge_path(path: str, plan: RenamingPlan, base: Files, ours: Files, theirs: Files) -> Merged:
    """Merge one file."""
    old, mine, other = base.get(path), ours.get(path), theirs.get(path)
    if path in plan.artifacts or other == old:
        return Merged(mine)
    if mine == old or mine is None or other is None:
        if mine != old:  # removed by one side, changed by the other
            return Merged(mine if other is None else plan.rename_in_file(path, other), (path,))
        return Merged(None if other is None else plan.rename_in_file(path, other))
    if plan.rename_in_file(path, other) == mine:
        return Merged(mine)
    day = relative_paths.day_of_logbook(path)
    if day is not None:
        return Merged(_merge_log(plan, day, old, mine, other))
    if relative_paths.owner_of_memories(path) or relative_paths.is_gifted(path):
        names = {} if relative_paths.is_gifted(path) else plan.names_in(path)
        return _merge_stream(names, old, mine, other)
    if path.endswith(".jsonl"):
        merge = _merge_threads if path == relative_paths.THREADS else _merge_events
        return Merged(merge(plan.names_in(path), old, mine, other))
    if path.endswith(".json"):
        facts = _count_scenes(path, plan, base, ours, theirs) | _sum_importance(path, plan, base, ours, theirs)
        is_later = _read_from_clock(theirs, "day") > _read_from_clock(ours, "day")
        data, notes = merge_document(path, old, mine, plan.rename_in_file(path, other), facts, is_later=is_later)
        if data is not None:
            return Merged(data, (), tuple(notes))
    found = relative_paths.layer_of(path)
    if found is not None and found[0].file.ending == YAML and (data := merge_yaml(old, mine, other)) is not None:
        return Merged(data)
    return Merged(mine, (path,))


def _merge_stream(names: Mapping[str, str], base: bytes | None, ours: bytes, theirs: bytes) -> Merged:
    before, mine, other = _lines_by_key(base), _lines_by_key(ours), _lines_by_key(theirs)
    added = {key for key, row in other.items() if key not in before and row.id in names}
    rows: list[str] = []
    conflicts: list[str] = []
    for key, row in mine.items():
        old = before.get(key)
        new = other.get(key) if key not in added else None
        changed = None if new is None else rename_ids(new.text, names)
        if old is None:
            rows += [row.text] if changed in (None, row.text) else _resolve_line(key, row.text, changed, conflicts)
        elif new is None and row.text == old.text:
            continue  # removed by theirs
        elif new is None:
            rows += _resolve_line(key, row.text, None, conflicts)
        elif new.text == old.text or changed == row.text:
            rows.append(row.text)
        elif row.text == old.text:
            rows.append(str(changed))
        else:
            rows += _resolve_line(key, row.text, changed, conflicts)
    for key, row in other.items():
        if key in added or (key not in before and key not in mine):
            rows.append(rename_ids(row.text, names))
        elif key in before and key not in mine and row.text != before[key].text:
            rows += _resolve_line(key, None, rename_ids(row.text, names), conflicts)
    mark = BOM if ours.startswith(BOM) else b""
    return Merged(mark + render_rows(rows), tuple(conflicts))


def _lines_by_key(data: bytes | None) -> dict[str, FileLine]:
    keyed: dict[str, FileLine] = {}
    for row in split_rows(data):
        keyed[make_unused_key(row.id or row.text, keyed)] = row
    return keyed


def _resolve_line(key: str, ours: str | None, theirs: str | None, conflicts: list[str]) -> list[str]:
    conflicts.append(key)
    first = [] if ours is None else [ours]
    second = [] if theirs is None else [theirs]
    return ["<<<<<<< ours", *first, "=======", *second, ">>>>>>> theirs"]


def _merge_events(names: Mapping[str, str], base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    before, mine = split_rows(base), split_rows(ours)
    known = {row.text for row in mine}
    gone = {row.text for row in before} - {row.text for row in split_rows(theirs)}
    added = [rename_ids(row.text, names) for row in find_new_lines(split_rows(theirs), before)]
    kept = [row.text for row in mine if row.text not in gone]
    return render_rows([*kept, *(text for text in added if text not in known)])


def _merge_threads(names: Mapping[str, str], base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    """Place what theirs adds by story time, without a second closing by the same character."""
    merged, known = split_rows(_merge_events(names, base, ours, theirs)), {row.text for row in split_rows(ours)}
    rows = [row for row in merged if row.text in known]
    closed = {(row.id, row.record.get("by")) for row in rows if row.record.get("event") == "close"}
    for row in merged[len(rows) :]:
        if row.record.get("event") == "close" and (row.id, row.record.get("by")) in closed:
            continue
        place = len(rows)
        while place and _time_of(rows[place - 1]) > _time_of(row):
            place -= 1
        rows.insert(place, row)
    return render_rows([row.text for row in rows])


def _time_of(row: FileLine) -> SceneRef:
    return parse_ref(str(row.record.get("at"))) or SceneRef(0)


def _merge_log(plan: RenamingPlan, day: int, base: bytes | None, ours: bytes, theirs: bytes) -> bytes:
    before, mine = split_rows(base), split_rows(ours)
    known = {row.text for row in mine}
    other = [row for row in find_new_lines(split_rows(theirs), before) if row.text not in known]
    rows = [row.text for row in mine if not row.is_summary]
    rows += [plan.renumber_line(row, day) for row in other if not row.is_summary]
    closing = [row for row in mine if row.is_summary]
    added = [rename_ids(row.text, plan.names) for row in other if row.is_summary]
    if closing and added:
        return render_rows([*rows, _one_summary(closing[-1].text, added[-1])])
    return render_rows([*rows, *(row.text for row in closing), *added])


def _one_summary(ours: str, theirs: str) -> str:
    mine, other = json.loads(ours), json.loads(theirs)
    values: dict[str, Any] = {}
    for key, value in other.items():
        have = mine.get(key)
        if key not in mine:
            values[key] = value
        elif isinstance(value, list) and isinstance(have, list):
            values[key] = [*have, *(item for item in value if item not in have)]
        elif key == "summary" and isinstance(value, str) and value != have:
            values[key] = f"{have} {value}".strip()
    return set_values(ours, {key: value for key, value in values.items() if mine.get(key) != value})


def _count_scenes(path: str, plan: RenamingPlan, base: Files, ours: Files, theirs: Files) -> dict[str, Any]:
    if path != relative_paths.CLOCK:
        return {}
    day = max(_read_from_clock(files, "day") for files in (ours, theirs))
    logs = [name for name in {*ours, *theirs} if relative_paths.day_of_logbook(name) == day]
    rows: Sequence[FileLine] = [
        row for name in logs for row in split_rows(merge_path(name, plan, base, ours, theirs).data)
    ]
    count = sum(not row.is_summary for row in rows)
    shared = 0
    for name in {*ours} & {*theirs}:
        if relative_paths.day_of_logbook(name) is not None:
            known = {row.text for row in find_new_lines(split_rows(ours[name]), split_rows(base.get(name)))}
            other = find_new_lines(split_rows(theirs[name]), split_rows(base.get(name)))
            shared += sum(row.text in known and not row.is_summary for row in other)
    totals = [_read_from_clock(files, "scenes_total") for files in (ours, theirs, base)]
    facts: dict[str, Any] = {"scenes_total": totals[0] + totals[1] - totals[2] - shared}
    return facts | ({"scenes_today": count} if count else {})


def _read_from_clock(files: Files, key: str) -> int:
    return to_integer((parse_document(files.get(relative_paths.CLOCK)) or {}).get(key))


def _sum_importance(path: str, plan: RenamingPlan, base: Files, ours: Files, theirs: Files) -> dict[str, Any]:
    if not path.startswith(relative_paths.AGENTS):
        return {}
    name = path.removeprefix(relative_paths.AGENTS).removesuffix(".json")
    old, mine = (parse_document(files.get(path)) or {} for files in (base, ours))
    other = parse_document(plan.rename_in_file(path, theirs[path])) or {}
    if not ("importance_accumulator" in mine and "importance_accumulator" in other):
        return {}
    stream = relative_paths.stream(name)
    before, here = ({row.text for row in split_rows(files.get(stream))} for files in (base, ours))
    there = split_rows(plan.rename_in_file(stream, theirs.get(stream, b"")))
    both = {row.id: to_integer(row.record.get("importance")) for row in there if row.text in here - before}
    return {"importance_accumulator": merge_importance(old, mine, other, both)}
