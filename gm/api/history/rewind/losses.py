"""What a rewind would remove, and what of it the user's commands wrote: goals, threads, events, briefs and the like."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from gm.api.history.commits import played_paths
from gm.api.history.git import GitError, repository_around
from gm.api.history.git_commits import find_pending
from gm.api.history.pastfiles import find_new_lines, split_rows
from gm.api.history.rewind.moments import Edit, PastWorld, read_current
from gm.base.texts import one_line
from gm.base.untyped import text_at
from gm.files import relative_paths
from gm.files.commits.changes import FileChange, read_entries
from gm.files.layout import Layout
from gm.model.calendar import parse_ref

TEXTS = ("text", "content", "title", "description", "note")
"""Keys of an entry; the first that is filled describes it."""


@dataclass(frozen=True, slots=True)
class Losses:
    """What exists now but not at a moment, and in ``restored`` what exists only then: ids, paths, texts."""

    to: str
    source: str
    commit: str | None
    files: tuple[str, ...]
    memories: Mapping[str, tuple[str, ...]]
    scenes: tuple[str, ...]
    days: tuple[int, ...]
    artifacts: tuple[str, ...]
    edits: tuple[Edit, ...]
    uncommitted: tuple[str, ...]
    notes: tuple[str, ...]
    by_hand: tuple[LostByHand, ...]
    restored: tuple[str, ...]


def describe_losses(layout: Layout, moment: PastWorld) -> Losses:
    """Return what rewinding to a moment would remove and restore."""
    memories: dict[str, tuple[str, ...]] = {}
    scenes: list[str] = []
    artifacts: list[str] = []
    restored: list[str] = []
    book = f"{layout.shown(layout.logbook)}/"
    for path, then in moment.files.items():
        current = read_current(layout, path)
        name = relative_paths.owner_of_memories(path)
        if current is None:
            restored.append(path)
        elif name and path == relative_paths.stream(name):
            ids, there = (_ids_in(data) for data in (current, then))
            if gone := ids - there:
                memories[name] = tuple(sorted(gone))
            restored += sorted(there - ids - _ids_in(read_current(layout, relative_paths.archive(name))))
        elif path in (relative_paths.BULLETIN, relative_paths.CLOCK):
            kept = _items_of(path, current)
            restored += [_text_of(item) for key, item in _items_of(path, then).items() if key not in kept]
        elif path.startswith(book):
            day = path.rpartition("/")[2].removesuffix(".jsonl")
            lines = find_new_lines(split_rows(current), split_rows(then))
            scenes += [f"{day}/scene-{row.scene:02d}" for row in lines if row.scene]
        elif path.startswith(relative_paths.GALLERY) and then is None:
            artifacts.append(path)
    refs = sorted({ref for scene in scenes if (ref := parse_ref(scene))})
    uncommitted, head = _list_uncommitted(layout, moment)
    return Losses(
        to=str(moment.ref),
        source=moment.source,
        commit=moment.commit or None,
        files=tuple(sorted(moment.files)),
        memories=dict(sorted(memories.items())),
        scenes=tuple(map(str, refs)),
        days=tuple(sorted({ref.day for ref in refs})),
        artifacts=tuple(sorted(artifacts)),
        edits=tuple(replace(one, commit="" if one.kept or one.path in uncommitted else head) for one in moment.edits),
        uncommitted=tuple(uncommitted),
        notes=tuple(moment.notes),
        by_hand=find_handmade(layout, moment),
        restored=tuple(filter(None, restored)),
    )


def _ids_in(data: bytes | None) -> set[str]:
    return {str(row.record.get("id", "")) for row in split_rows(data)} - {""}


def _list_uncommitted(layout: Layout, moment: PastWorld) -> tuple[list[str], str]:
    """Return which files no commit has as they are now, and the last commit, or empty."""
    repository = repository_around(layout.root)
    head = repository.commit("HEAD") if repository is not None else None
    if repository is None or head is None:
        return [], ""
    with suppress(GitError):
        changed = [path[len(repository.prefix) :] for path in find_pending(repository, played_paths(layout)).own]
        return sorted(path for path in changed if path in moment.files), head
    return [], ""


@dataclass(frozen=True, slots=True)
class LostByHand:
    """Something that a command wrote; ``text`` is empty for a file without entries, such as a soul."""

    path: str
    text: str


def find_handmade(layout: Layout, moment: PastWorld) -> tuple[LostByHand, ...]:
    """Return what commands between scenes wrote that exists now but not at a moment, in order, without new memories."""
    found: list[LostByHand] = []
    for number, entry in enumerate(read_entries(layout)):
        if entry.moment or entry.opens:
            continue
        for change in entry.files:
            if change.path not in moment.files or change.path.startswith(relative_paths.LOCAL):
                continue
            then = moment.files[change.path]
            if change.path.endswith((".jsonl", ".json")):
                there = _items_of(change.path, read_current(layout, change.path))
                texts = [_text_of(item) for key, item in _new_items(change, then).items() if key in there]
            else:
                texts = [""] if number >= moment.entries else []
            found += [LostByHand(change.path, text) for text in texts]
    return tuple(dict.fromkeys(found))


def _new_items(change: FileChange, then: bytes | None) -> dict[str, Mapping[str, Any]]:
    before = _items_of(change.path, then)
    known = {*_items_of(change.path, change.was), *before}
    new = {key: item for key, item in _items_of(change.path, change.now).items() if key not in known}
    if relative_paths.owner_of_memories(change.path):
        ids = {text_at(item, "id") for item in before.values()}
        return {key: item for key, item in new.items() if text_at(item, "id") in ids}
    return new


def _items_of(path: str, data: bytes | None) -> dict[str, Mapping[str, Any]]:
    if path.endswith(".jsonl"):
        return {row.text: row.record for row in split_rows(data)}
    with suppress(ValueError, RecursionError):
        document = json.loads((data or b"{}").decode("utf-8-sig"))
        lists = [value for value in document.values() if isinstance(value, list)] if isinstance(document, dict) else []
        return {json.dumps(item, sort_keys=True): item for items in lists for item in items if isinstance(item, dict)}
    return {}


def _text_of(item: Mapping[str, Any]) -> str:
    texts = (one_line(text_at(item, key)) for key in TEXTS)
    return next(filter(None, texts), "") or one_line(" ".join(str(item.get(key, "")) for key in ("id", "event")))
