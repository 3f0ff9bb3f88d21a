"""What a rewind would remove."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from gm.api.history.commits import played_paths
from gm.api.history.git import GitError, pending, repository_around
from gm.api.history.pastfiles import fresh, read_rows
from gm.api.history.rewind.handmade import LostByHand, find_handmade
from gm.api.history.rewind.moments import PastWorld, now
from gm.files import inside
from gm.files.layout import Layout
from gm.model.calendar import parse_ref


@dataclass(frozen=True, slots=True)
class LostEdit:
    """An edit by hand; see ``moment.Edit``."""

    path: str
    since: str | None
    kept: bool
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Losses:
    """What exists now but not at a moment."""

    to: str
    source: str
    commit: str | None
    files: tuple[str, ...]
    memories: Mapping[str, tuple[str, ...]]
    scenes: tuple[str, ...]
    days: tuple[int, ...]
    artifacts: tuple[str, ...]
    edits: tuple[LostEdit, ...]
    uncommitted: tuple[str, ...]
    notes: tuple[str, ...]
    by_hand: tuple[LostByHand, ...]


def describe_losses(layout: Layout, moment: PastWorld) -> Losses:
    """Return what rewinding to a moment would remove."""
    memories: dict[str, tuple[str, ...]] = {}
    scenes: list[str] = []
    artifacts: list[str] = []
    book = f"{layout.shown(layout.logbook)}/"
    for path, then in moment.files.items():
        before = read_rows(then)
        gone = fresh(read_rows(now(layout, path)), before)
        name = inside.memories_of(path)
        if name and path == inside.stream(name):
            ids, there = ({str(row.record.get("id", "")) for row in rows} for rows in (gone, before))
            if ids := ids - there - {""}:
                memories[name] = tuple(sorted(ids))
        elif path.startswith(book):
            day = path.rpartition("/")[2].removesuffix(".jsonl")
            scenes += [f"{day}/scene-{row.scene:02d}" for row in gone if row.scene]
        elif path.startswith(inside.GALLERY) and then is None:
            artifacts.append(path)
    refs = sorted({ref for scene in scenes if (ref := parse_ref(scene))})
    return Losses(
        to=str(moment.ref),
        source=moment.source,
        commit=moment.commit or None,
        files=tuple(sorted(moment.files)),
        memories=dict(sorted(memories.items())),
        scenes=tuple(map(str, refs)),
        days=tuple(sorted({ref.day for ref in refs})),
        artifacts=tuple(sorted(artifacts)),
        edits=tuple(LostEdit(item.path, item.since or None, item.kept, tuple(item.lost)) for item in moment.edits),
        uncommitted=tuple(_uncommitted(layout, moment)),
        notes=tuple(moment.notes),
        by_hand=find_handmade(layout, moment),
    )


def _uncommitted(layout: Layout, moment: PastWorld) -> list[str]:
    repository = repository_around(layout.root)
    if repository is None or repository.commit("HEAD") is None:
        return []
    with suppress(GitError):
        changed = [path[len(repository.prefix) :] for path in pending(repository, played_paths(layout)).own]
        return sorted(path for path in changed if path in moment.files)
    return []
