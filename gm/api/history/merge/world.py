"""Merges the files of a world with consistent names."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Any

from gm.api.history.merge import documents
from gm.api.history.merge.documents import parse_document, to_integer
from gm.api.history.merge.plan import Files, RenamingPlan, carry_over, make_plan, rename_ids
from gm.api.history.pastfiles import FileLine, find_new_lines, make_unused_key, render_rows, split_rows
from gm.files import relative_paths
from gm.files.formats.jsonedit import set_values
from gm.layers.declare import JSON, LINES, YAML
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
    file = _ChangedFile(path, plan, (base, ours, theirs), old, mine, other)
    found = (merge(file) for belongs, merge in _WAYS if belongs(path))
    return next(filter(None, found), Merged(mine, (path,)))


@dataclass(frozen=True, slots=True)
class _ChangedFile:
    """A file that both sides have changed, in three versions, and the worlds around them."""

    path: str
    plan: RenamingPlan
    worlds: tuple[Files, Files, Files]
    base: bytes | None
    ours: bytes
    theirs: bytes

    def find_in_clocks(self, key: str) -> list[int]:
        """Return a number of the clock in each of the worlds."""
        clocks = (parse_document(files.get(relative_paths.CLOCK)) or {} for files in self.worlds)
        return [to_integer(clock.get(key)) for clock in clocks]


def _merge_stream(file: _ChangedFile) -> Merged:
    names = {} if relative_paths.is_gifted(file.path) else file.plan.names_in(file.path)
    before, mine, other = map(_lines_by_key, (file.base, file.ours, file.theirs))
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
    mark = BOM if file.ours.startswith(BOM) else b""
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


def _merge_lines(file: _ChangedFile) -> Merged:
    """Merge events; where the layer declares it, lines that both sides have added are joined."""
    found, before = relative_paths.layer_of(file.path), {row.text for row in split_rows(file.base)}
    joined = found[0].file.joined if found else ""
    entries: dict[object, str] = {}
    for place, row in enumerate(_join_events(file)):
        value = row.record.get(joined) if joined and row.text not in before else None
        key = value if isinstance(value, str) else place
        entries[key] = _join_lines(entries[key], row.text) if key in entries else row.text
    return Merged(render_rows([*entries.values()]))


def _join_events(file: _ChangedFile) -> Sequence[FileLine]:
    before, mine, theirs = map(split_rows, (file.base, file.ours, file.theirs))
    known = {row.text for row in mine}
    gone = {row.text for row in before} - {row.text for row in theirs}
    names = file.plan.names_in(file.path)
    added = [rename_ids(row.text, names) for row in find_new_lines(theirs, before)]
    kept = [row.text for row in mine if row.text not in gone]
    return split_rows(render_rows([*kept, *(text for text in added if text not in known)]))


def _merge_threads(file: _ChangedFile) -> Merged:
    """Place what theirs adds by story time, without a second closing by the same character."""
    merged, known = _join_events(file), {row.text for row in split_rows(file.ours)}
    rows = [row for row in merged if row.text in known]
    closed = {(row.id, row.record.get("by")) for row in rows if row.record.get("event") == "close"}
    for row in merged[len(rows) :]:
        if row.record.get("event") == "close" and (row.id, row.record.get("by")) in closed:
            continue
        place = len(rows)
        while place and _time_of(rows[place - 1]) > _time_of(row):
            place -= 1
        rows.insert(place, row)
    return Merged(render_rows([row.text for row in rows]))


def _time_of(row: FileLine) -> SceneRef:
    return parse_ref(str(row.record.get("at"))) or SceneRef(0)


def _merge_log(file: _ChangedFile) -> Merged:
    day = relative_paths.day_of_logbook(file.path) or 0
    before, mine = split_rows(file.base), split_rows(file.ours)
    known = {row.text for row in mine}
    other = [row for row in find_new_lines(split_rows(file.theirs), before) if row.text not in known]
    rows = [row.text for row in mine if not row.is_summary]
    rows += [file.plan.renumber_line(row, day) for row in other if not row.is_summary]
    closing = [row.text for row in mine if row.is_summary]
    closing += [rename_ids(row.text, file.plan.names) for row in other if row.is_summary]
    return Merged(render_rows([*rows, *([reduce(_join_lines, closing)] if closing else [])]))


def _join_lines(ours: str, theirs: str) -> str:
    mine, other = json.loads(ours), json.loads(theirs)
    values: dict[str, Any] = {}
    for key, value in other.items():
        have = mine.get(key)
        if key not in mine:
            values[key] = value
        elif isinstance(value, list) and isinstance(have, list):
            values[key] = [*have, *(item for item in value if item not in have)]
        elif key in ("summary", "text") and isinstance(value, str) and value != have:
            values[key] = f"{have} {value}".strip()
    return set_values(ours, {key: value for key, value in values.items() if mine.get(key) != value})


def _merge_yaml(file: _ChangedFile) -> Merged | None:
    data = documents.merge_yaml(file.base, file.ours, file.theirs)
    return None if data is None else Merged(data)


def _merge_json(
    file: _ChangedFile, merge: documents.MergeValues = documents.merge_values, facts: Mapping[str, int] | None = None
) -> Merged | None:
    theirs = file.plan.rename_in_file(file.path, file.theirs)
    data, notes = documents.merge_document(file.base, file.ours, theirs, merge, facts or {})
    return None if data is None else Merged(data, (), tuple(notes))


def _merge_clock(file: _ChangedFile) -> Merged | None:
    base, ours, theirs = file.worlds
    day = max(file.find_in_clocks("day")[1:])
    logs = [name for name in {*ours, *theirs} if relative_paths.day_of_logbook(name) == day]
    rows = [row for name in logs for row in split_rows(merge_path(name, file.plan, *file.worlds).data)]
    count = sum(not row.is_summary for row in rows)
    shared = 0
    for name in {*ours} & {*theirs}:
        if relative_paths.day_of_logbook(name) is not None:
            known = {row.text for row in find_new_lines(split_rows(ours[name]), split_rows(base.get(name)))}
            other = find_new_lines(split_rows(theirs[name]), split_rows(base.get(name)))
            shared += sum(row.text in known and not row.is_summary for row in other)
    before, mine, added = file.find_in_clocks("scenes_total")
    facts = {"scenes_total": mine + added - before - shared} | ({"scenes_today": count} if count else {})
    return _merge_json(file, documents.merge_clock, facts)


def _merge_agent(file: _ChangedFile) -> Merged | None:
    _, our_day, their_day = file.find_in_clocks("day")
    return _merge_json(file, partial(documents.merge_agent, is_later=their_day > our_day), _sum_importance(file))


def _sum_importance(file: _ChangedFile) -> dict[str, int]:
    base, ours, theirs = file.worlds
    old, mine = (parse_document(data) or {} for data in (file.base, file.ours))
    other = parse_document(file.plan.rename_in_file(file.path, file.theirs)) or {}
    if not ("importance_accumulator" in mine and "importance_accumulator" in other):
        return {}
    stream = relative_paths.stream(file.path.removeprefix(relative_paths.AGENTS).removesuffix(JSON))
    before, here = ({row.text for row in split_rows(files.get(stream))} for files in (base, ours))
    there = split_rows(file.plan.rename_in_file(stream, theirs.get(stream, b"")))
    both = {row.id: to_integer(row.record.get("importance")) for row in there if row.text in here - before}
    return {"importance_accumulator": documents.merge_importance(old, mine, other, both)}


_WAYS: Sequence[tuple[Callable[[str], object], Callable[[_ChangedFile], Merged | None]]] = (
    (lambda path: relative_paths.day_of_logbook(path) is not None, _merge_log),
    (lambda path: relative_paths.owner_of_memories(path) or relative_paths.is_gifted(path), _merge_stream),
    (relative_paths.THREADS.__eq__, _merge_threads),
    (lambda path: path.endswith(LINES), _merge_lines),
    (relative_paths.CLOCK.__eq__, _merge_clock),
    (lambda path: path.startswith(relative_paths.AGENTS) and path.endswith(JSON), _merge_agent),
    (lambda path: path.endswith(JSON), _merge_json),
    (lambda path: (found := relative_paths.layer_of(path)) and found[0].file.ending == YAML, _merge_yaml),
)
"""How each kind of file is merged, the most special first; the next one is tried where one returns None."""
