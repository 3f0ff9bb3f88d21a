"""Names that an earlier merge of the same branch has changed.

The common ancestor and theirs use the branch's own names, ours those that the first merge assigned. Items are
recognized by content; base and theirs are then read with the names of ours.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import Any, TypeVar

from gm.api.history.merge.documents import merged_list, read_document
from gm.api.history.merge.plan import (
    Files,
    Plan,
    behind,
    memories_behind,
    memories_of,
    next_version,
    numbered_files,
    opened_in,
    owners,
)
from gm.api.history.pastfiles import Row, read_rows
from gm.files import inside

_SCENE = ("type", "participants", "summary", "dialogue", "thoughts", "premise", "why", "actions")
_MEMORY = ("created", "type", "description", "content")
_OPENED = ("by", "kind", "text")
Name = TypeVar("Name", str, int)


def carry_over(base: Files, ours: Files, theirs: Files) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Return the contents of base and theirs with the names of ours."""
    versions = (base, ours, theirs)
    # in theirs, items that the base lacks make way for names that are carried over
    for_base, for_theirs = plans = Plan(), Plan()
    for path in base:
        if (day := inside.day_of_logbook(path)) is not None:
            old, mine, other = (_signs(_scenes(files.get(path)), _SCENE) for files in versions)
            if moved := _moved(old, mine):
                for_theirs.move_scenes(day, dict(zip(_new(other, old), count(max(mine) + 1), strict=False)))
                for plan in plans:
                    plan.move_scenes(day, moved)
    _carry_works(for_base, for_theirs, versions)
    for agent in owners(base):
        before, here, there = (memories_of(files, agent) for files in versions)
        if names := _moved(_signs(before, _MEMORY, for_base.names), _signs(here, _MEMORY)):
            for_theirs.names |= memories_behind({**before, **here}, _new(there, before))
            for plan in plans:
                plan.names |= names
    for path, numbered in numbered_files(base):
        opened = [opened_in(read_rows(files.get(path)), numbered) for files in versions]
        if names := _moved(_signs(opened[0], _OPENED), _signs(opened[1], _OPENED)):
            for_theirs.add(path, behind((*opened[0], *opened[1]), _new(opened[2], opened[0]), numbered))
            for plan in plans:
                plan.add(path, names)
    posts = [_posts(files.get(inside.BULLETIN)) for files in versions]
    for_base.names |= _places(posts[0], posts[1])
    for_theirs.names |= _places(posts[2], merged_list(*posts))
    return _with_names(base, for_base), _with_names(theirs, for_theirs)


def _carry_works(for_base: Plan, for_theirs: Plan, versions: Sequence[Files]) -> None:
    base, ours, theirs = versions
    for old, new in _moved(_bodies(base), _bodies(ours)).items():
        if new not in base:
            for_base.move_artifact(old, new)
            for_theirs.move_artifact(old, new)
    taken = {*base, *ours, *theirs}
    for path in sorted(set(for_base.artifacts.values()) & theirs.keys() - base.keys()):
        for_theirs.move_artifact(path, next_version(path, taken))
        taken.add(for_theirs.artifacts[path])


def _moved(base: Mapping[Name, Any], ours: Mapping[Name, Any]) -> dict[Name, Name]:
    """Return the names in ours of items that have another name there."""
    known = {sign: name for name, sign in reversed(tuple(ours.items()))}
    return {name: known[sign] for name, sign in base.items() if sign in known and ours.get(name) != sign}


def _new(theirs: Iterable[Name], base: Mapping[Name, Any]) -> list[Name]:
    return [name for name in theirs if name not in base]


def _signs(rows: Mapping[Name, Row], keys: Sequence[str], names: Mapping[str, str] | None = None) -> dict[Name, str]:
    """Return by what each item is recognized: its values, scenes with their new names."""
    values = {name: [row.record.get(key) for key in keys] for name, row in rows.items()}
    known = names or {}
    return {
        name: json.dumps([known.get(str(item), item) for item in items], ensure_ascii=False, sort_keys=True)
        for name, items in values.items()
    }


def _scenes(data: bytes | None) -> dict[int, Row]:
    return {row.scene: row for row in read_rows(data) if row.scene}


def _bodies(files: Files) -> dict[str, bytes]:
    return {path: data.rpartition(b"\n---\n")[2] for path, data in files.items() if path.startswith(inside.GALLERY)}


def _posts(data: bytes | None) -> list[Any]:
    posts = (read_document(data) or {}).get("posts")
    return posts if isinstance(posts, list) else []


def _places(posts: Sequence[Any], merged: Sequence[Any]) -> dict[str, str]:
    places = {index: merged.index(post) for index, post in enumerate(posts) if post in merged}
    return {f"bulletin/{old}": f"bulletin/{new}" for old, new in places.items() if old != new}


def _with_names(files: Files, plan: Plan) -> dict[str, bytes]:
    return {plan.artifacts.get(path, path): plan.renamed(path, data) for path, data in files.items()}
