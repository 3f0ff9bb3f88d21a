"""New names for items of theirs, computed only from the three versions, since git merges files one by one.

Ours keeps its names. Colliding new items of theirs get the next numbers: memories in their stream, threads and goals
in their file, scenes in their day, artifacts as the next version (posts: see ``carried``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gm.api.history.merge.documents import read_document
from gm.api.history.merge.lines import Row, read_rows, rename
from gm.files import inside
from gm.files.forms.document import set_values
from gm.layers.declare import Numbered
from gm.model.calendar import render_day
from gm.model.ids import parse_node_id, render_node_id
from gm.model.thread import number_of, render_thread_id

SUMMARY = "SUMMARY"
THREAD = Numbered(number_of, render_thread_id)
_VERSION = re.compile(r"_v(\d+)(\.[^./]+)?$")
Files = Mapping[str, bytes]


@dataclass(slots=True)
class Plan:
    """New names for items of theirs.

    Attributes:
        names: By old name as it occurs in JSON strings: ids, scenes, paths.
        own: Names that apply only to one character's files, by character.
        scenes: New scene numbers, by day and old number.
        artifacts: New paths.
    """

    names: dict[str, str] = field(default_factory=dict)
    own: dict[str, dict[str, str]] = field(default_factory=dict)
    scenes: dict[int, dict[int, int]] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)

    def names_in(self, path: str) -> dict[str, str]:
        return {**self.names, **self.own.get(inside.owner_of(path), {})}


def make_plan(base: Files, ours: Files, theirs: Files) -> Plan:
    """Return new names for items of theirs.

    Files equal in all versions may be omitted; a character's stream and archive only together.
    """
    plan = Plan()
    _plan_scenes(plan, base, ours, theirs)
    _plan_works(plan, base, ours, theirs)
    for agent in sorted({name for files in (ours, theirs) for path in files if (name := inside.memories_of(path))}):
        _plan_memories(plan, agent, base, ours, theirs)
    plan.names |= _plan_opened(inside.THREADS, THREAD, plan, (base, ours, theirs))
    for path, numbered in numbered_files(theirs):
        plan.own[inside.owner_of(path)] = _plan_opened(path, numbered, plan, (base, ours, theirs))
    return plan


def numbered_files(files: Files) -> Iterator[tuple[str, Numbered]]:
    """Yield the files of layers with numbered records."""
    for path in sorted(files):
        found = inside.layer_of(path)
        if found is not None and found[0].file.numbered is not None:
            yield path, found[0].file.numbered


def is_summary(row: Row) -> bool:
    """Return whether a line closes its day."""
    return row.record is not None and row.record.get("type") == SUMMARY


def renumbered(row: Row, scenes: Mapping[int, int], names: Mapping[str, str]) -> str:
    """Return a scene's line with new names and number."""
    text = rename(row.text, names)
    number = row.record.get("scene") if row.record else None
    if isinstance(number, int) and number in scenes and not is_summary(row):
        return set_values(text, {"scene": scenes[number]})
    return text


def fresh(rows: Sequence[Row], base: Sequence[Row]) -> list[Row]:
    """Return the lines that the base lacks."""
    known = {row.text for row in base}
    return [row for row in rows if row.text not in known]


def _plan_scenes(plan: Plan, base: Files, ours: Files, theirs: Files) -> None:
    for path in theirs:
        day = inside.day_of_logbook(path)
        if day is None or path not in ours:
            continue
        before = read_rows(base.get(path))
        mine, other = fresh(read_rows(ours[path]), before), fresh(read_rows(theirs[path]), before)
        if not mine or not other:
            continue
        same = {row.text for row in mine}
        following = max((_scene_of(row) for row in read_rows(ours[path])), default=0) + 1
        moved: dict[int, int] = {}
        for row in other:
            number = _scene_of(row)
            if number and row.text not in same and number not in moved:
                moved[number] = following
                following += 1
        plan.scenes[day] = moved
        for number, new in moved.items():
            for suffix in ("", *"abcdefghijklmnopqrstuvwxyz"):
                old = f"{render_day(day)}/scene-{number:02d}{suffix}"
                plan.names[old] = f"{render_day(day)}/scene-{new:02d}{suffix}"


def _plan_works(plan: Plan, base: Files, ours: Files, theirs: Files) -> None:
    taken = {*base, *ours, *theirs}
    for path in sorted(theirs):
        if path.startswith("gallery/") and path not in base and ours.get(path, theirs[path]) != theirs[path]:
            new = next_version(path, taken)
            taken.add(new)
            plan.artifacts[path] = plan.names[path] = new


def _plan_memories(plan: Plan, agent: str, base: Files, ours: Files, theirs: Files) -> None:
    before, mine, other = (memories_of(files, agent) for files in (base, ours, theirs))
    own = [name for name in mine if name not in before]
    if not own:
        return
    new = []
    for name, row in other.items():
        if name in before:
            continue
        created = row.record.get("created") if row.record else ""
        is_same = name in mine and mine[name].text == row.text and created not in plan.names
        if not is_same:
            new.append(name)
    following = max(number_in(name) for name in (*before, *mine)) + 1
    for name in sorted(new, key=number_in):
        parsed = parse_node_id(name)
        if parsed:
            plan.names[name] = render_node_id(parsed[0], following)
            following += 1


def _plan_opened(path: str, numbered: Numbered, plan: Plan, versions: tuple[Files, Files, Files]) -> dict[str, str]:
    before, mine, other = (read_rows(files.get(path)) for files in versions)
    own = _opened(fresh(mine, before), numbered)
    names: dict[str, str] = {}
    if not own:
        return names
    following = max(numbered.number(row.id) for row in (*before, *mine)) + 1
    for name, row in _opened(fresh(other, before), numbered).items():
        at = row.record.get("at") if row.record else ""
        if name in own and own[name].text == row.text and at not in plan.names:
            continue
        names[name] = numbered.render(following)
        following += 1
    return names


def memories_of(files: Files, agent: str) -> dict[str, Row]:
    """Return a character's memories by id, archived ones included."""
    rows = [
        *read_rows(files.get(inside.stream(agent))),
        *read_rows(files.get(inside.archive(agent))),
    ]
    return {row.id: row for row in reversed(rows) if parse_node_id(row.id)}


def _opened(rows: Iterable[Row], numbered: Numbered) -> dict[str, Row]:
    opened = (row for row in rows if row.record and row.record.get("event") == "open")
    return {row.id: row for row in opened if numbered.number(row.id)}


def posts_of(data: bytes | None) -> list[Any]:
    """Return the posts of a board; [] if unreadable."""
    posts = (read_document(data) or {}).get("posts")
    return posts if isinstance(posts, list) else []


def number_in(name: str) -> int:
    """Return the number in a memory id; 0 for any other text."""
    parsed = parse_node_id(name)
    return parsed[1] if parsed else 0


def _scene_of(row: Row) -> int:
    if row.record is None or row.record.get("type") == SUMMARY:
        return 0
    number = row.record.get("scene")
    return number if isinstance(number, int) and not isinstance(number, bool) else 0


def next_version(path: str, taken: Collection[str]) -> str:
    """Return a free path with the next version number."""
    match = _VERSION.search(path)
    stem, ending = (path[: match.start()], match[2] or "") if match else path.rpartition(".")[::2]
    ending = ending if not ending or ending.startswith(".") else f".{ending}"
    number = int(match[1]) if match else 1
    while (new := f"{stem}_v{number}{ending}") in taken:
        number += 1
    return new
