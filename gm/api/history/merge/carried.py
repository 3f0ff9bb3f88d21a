"""Names that an earlier merge of the same branch has changed.

The common ancestor and theirs use the branch's own names, ours those that the first merge assigned. Items are
recognized by content; base and theirs are then read with the names of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from gm.api.history.merge.documents import merged_list
from gm.api.history.merge.lines import Row, read_rows, rename, rename_front, render_rows
from gm.api.history.merge.plan import (
    SUMMARY,
    THREAD,
    Files,
    memories_of,
    next_version,
    number_in,
    numbered_files,
    posts_of,
    renumbered,
)
from gm.files import inside
from gm.layers.declare import Numbered
from gm.model.calendar import render_day
from gm.model.ids import parse_node_id

_SCENE = ("type", "participants", "summary", "dialogue", "thoughts", "premise", "why", "actions")


def carry_over(base: Files, ours: Files, theirs: Files) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the contents of base and theirs with the names of ours."""
    found = {day: _scenes(path, base, ours) for path in base if (day := inside.day_of_logbook(path)) is not None}
    scenes = {day: moved for day, moved in found.items() if moved}
    names = _scene_names(scenes)
    artifacts = _artifacts(base, ours)
    names |= artifacts
    # temporary names keep items that only theirs has from colliding with carried-over names
    aside_scenes = {day: _aside(day, base, ours, theirs) for day in scenes}
    aside = _scene_names(aside_scenes)
    for agent in sorted(_agents(base)):
        before, mine, other = (memories_of(files, agent) for files in (base, ours, theirs))
        moved = _memories(before, mine, names)
        names |= moved
        if moved:
            free = max(map(number_in, (*before, *mine))) + 1
            new = sorted((name for name in other if name not in before), key=number_in)
            aside |= {name: f"{name.rpartition('-')[0]}-{free + at:03d}" for at, name in enumerate(new)}
    renamed, beside = _opened_again(inside.THREADS, THREAD, (base, ours, theirs))
    names, aside = {**names, **renamed}, {**aside, **beside}
    own, their_own = {}, {}
    for path, numbered in numbered_files(base):
        renamed, beside = _opened_again(path, numbered, (base, ours, theirs))
        own[inside.owner_of(path)], their_own[inside.owner_of(path)] = renamed, {**beside, **renamed}
    before_posts, my_posts, their_posts = (posts_of(files.get(inside.BULLETIN)) for files in (base, ours, theirs))
    base_names = {**names, **_places(before_posts, my_posts)}
    their_names = {**aside, **names, **_places(their_posts, merged_list(before_posts, my_posts, their_posts))}
    their_artifacts = {**_artifacts_aside(artifacts, base, ours, theirs), **artifacts}
    their_names = {**their_artifacts, **their_names}
    their_scenes = {day: {**aside_scenes[day], **moves} for day, moves in scenes.items()}
    return (
        _with_names(base, base_names, own, scenes, artifacts),
        _with_names(theirs, their_names, their_own, their_scenes, their_artifacts),
    )


def _scene_names(scenes: Mapping[int, Mapping[int, int]]) -> dict[str, str]:
    return {
        f"{render_day(day)}/scene-{old:02d}": f"{render_day(day)}/scene-{new:02d}"
        for day, moved in scenes.items()
        for old, new in moved.items()
    }


def _aside(day: int, base: Files, ours: Files, theirs: Files) -> dict[int, int]:
    moved: dict[int, int] = {}
    for path in theirs:
        if inside.day_of_logbook(path) == day:
            known = set(_by_sign(read_rows(base.get(path))).values())
            free = max(_by_sign(read_rows(ours.get(path))).values(), default=0) + 1
            new = [number for number in _by_sign(read_rows(theirs[path])).values() if number not in known]
            moved |= {number: free + at for at, number in enumerate(new)}
    return moved


def _agents(files: Files) -> set[str]:
    return {name for path in files if (name := inside.memories_of(path)) and path == inside.stream(name)}


def _with_names(
    files: Files,
    names: Mapping[str, str],
    own: Mapping[str, Mapping[str, str]],
    scenes: Mapping[int, Mapping[int, int]],
    artifacts: Mapping[str, str],
) -> dict[str, bytes]:
    found = {}
    for path, data in files.items():
        text = data.decode("utf-8", "surrogateescape")
        day = inside.day_of_logbook(path)
        if day is not None and day in scenes:
            data = render_rows([renumbered(row, scenes[day], names) for row in read_rows(data)])
        elif path.startswith("gallery/"):
            data = rename_front(text, names).encode("utf-8", "surrogateescape")
        elif path.endswith((".json", ".jsonl")) and not inside.is_gifted(path):
            known = {**names, **own.get(inside.owner_of(path), {})}
            data = rename(text, known).encode("utf-8", "surrogateescape")
        found[artifacts.get(path, path)] = data
    return found


def _scenes(path: str, base: Files, ours: Files) -> dict[int, int]:
    mine = _by_sign(read_rows(ours.get(path)))
    moved = {}
    for sign, number in _by_sign(read_rows(base.get(path))).items():
        if sign in mine and mine[sign] != number:
            moved[number] = mine[sign]
    return moved


def _by_sign(rows: Iterable[Row]) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in rows:
        if row.record and isinstance(row.record.get("scene"), int) and row.record.get("type") != SUMMARY:
            found.setdefault(_sign({key: row.record.get(key) for key in _SCENE}), row.record["scene"])
    return found


def _memories(base: Mapping[str, Row], ours: Mapping[str, Row], names: Mapping[str, str]) -> dict[str, str]:
    known: dict[str, str] = {}
    for name, row in ours.items():
        known.setdefault(_memory(row, {}), name)
    moved = {}
    for name, row in base.items():
        sign = _memory(row, names)
        if (name not in ours or _memory(ours[name], {}) != sign) and sign in known and parse_node_id(name):
            moved[name] = known[sign]
    return moved


def _memory(row: Row, names: Mapping[str, str]) -> str:
    record = row.record or {}
    created = str(record.get("created", ""))
    return _sign([names.get(created, created), record.get("type"), record.get("description", record.get("content"))])


def _opened(data: bytes | None) -> dict[str, str]:
    rows = [row.record for row in read_rows(data) if row.record and row.record.get("event") == "open"]
    return {str(record.get("id")): _sign([record.get(key) for key in ("by", "kind", "text")]) for record in rows}


def _opened_again(
    path: str, numbered: Numbered, versions: tuple[Files, Files, Files]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names in ours, and temporary names for items that only theirs has."""
    base, ours, theirs = (_opened(files.get(path)) for files in versions)
    known = {sign: name for name, sign in reversed(tuple(ours.items()))}
    renamed = {name: known[sign] for name, sign in base.items() if ours.get(name) != sign and sign in known}
    if not renamed:
        return {}, {}
    free = max(map(numbered.number, (*base, *ours))) + 1
    new = [name for name in theirs if name not in base]
    return renamed, {name: numbered.render(free + at) for at, name in enumerate(new)}


def _places(posts: Sequence[Any], merged: Sequence[Any]) -> dict[str, str]:
    places = {index: merged.index(post) for index, post in enumerate(posts) if post in merged}
    return {f"bulletin/{old}": f"bulletin/{new}" for old, new in places.items() if old != new}


def _artifacts(base: Files, ours: Files) -> dict[str, str]:
    def bodies(files: Files) -> dict[str, bytes]:
        return {path: data.rpartition(b"\n---\n")[2] for path, data in files.items() if path.startswith("gallery/")}

    mine = bodies(ours)
    known = {body: path for path, body in mine.items()}
    found = {path: known[body] for path, body in bodies(base).items() if body in known and mine.get(path) != body}
    return {old: new for old, new in found.items() if new not in base}


def _artifacts_aside(artifacts: Mapping[str, str], base: Files, ours: Files, theirs: Files) -> dict[str, str]:
    taken = {*base, *ours, *theirs}
    moved = {}
    for path in sorted(set(artifacts.values()) & theirs.keys() - base.keys()):
        moved[path] = next_version(path, taken)
        taken.add(moved[path])
    return moved


def _sign(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
