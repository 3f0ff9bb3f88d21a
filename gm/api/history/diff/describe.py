"""The difference between two states of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gm.api.history.diff.documents import Sides, compare_board, compare_log, compare_threads, read_yaml
from gm.api.history.diff.nodes import compare_memories, read_memories
from gm.api.history.diff.states import State, find_states
from gm.base.casefold import casefold
from gm.files import inside
from gm.files.layout import GALLERY, Layout
from gm.layers import LAYERS
from gm.layers.declare import LINES, YAML, Layer

LISTS = ("new", "edited", "deleted", "moved", "archived", "restored")
_FOLDERS = ("memories", "archive", "summaries", "gifted", "agents", "personas")


def describe_difference(layout: Layout, first: str | None = None, second: str | None = None) -> dict[str, Any]:
    """Return the document of ``gm diff --json``.

    Args:
        first: A commit, a day, or ``A..B``; None = HEAD.
        second: A commit or a day; None = the current files.

    Raises:
        UsageError: There is no such commit or day.
        GitError: A commit is named, but there is no repository.
    """
    old, new = find_states(layout, first, second)
    paths = _changed(old, new)
    near = {*paths, *_companions(paths)}
    sides = Sides(old.read(near), new.read(near))
    since = old.day
    threads = compare_threads(sides, inside.THREADS) if inside.THREADS in paths else {}
    board = compare_board(sides, inside.BULLETIN) if inside.BULLETIN in paths else {}
    scenes, rewritten = _scenes(sides, paths)
    document = {
        "from": _side(old),
        "to": _side(new),
        "agents": _agents(sides, paths, since),
        "scenes": scenes,
        "log_lines_changed": rewritten,
        "threads": {"opened": [], "closed": [], **threads},
        "board": {"added": [], "removed": [], "decided": [], **board},
        "artifacts": _artifacts(old, new, paths),
        "clock": sides.values(inside.CLOCK) if inside.CLOCK in paths else {},
        "other": [path for path in paths if _is_other(path)],
        "unreadable": sides.unreadable,
        "partial": old.partial or new.partial,
    }
    return {**document, "counts": _counts(document)}


def _changed(old: State, new: State) -> list[str]:
    """A partial state has only dated files."""
    paths = sorted({*old.prints, *new.prints})
    found = [path for path in paths if old.prints.get(path) != new.prints.get(path)]
    if old.partial or new.partial:
        found = [path for path in found if path.endswith(".jsonl") and not inside.is_gifted(path)]
    return found


def _companions(paths: Iterable[str]) -> list[str]:
    """A memory may have moved between stream and archive."""
    found = [inside.CLOCK]
    for path in paths:
        if name := inside.memories_of(path):
            found += [inside.stream(name), inside.archive(name)]
    return found


def _agents(sides: Sides, paths: Iterable[str], since: tuple[int, bool] | None) -> dict[str, dict[str, Any]]:
    names: dict[str, str] = {}
    for path in paths:
        part, folder, file = (*path.split("/", 2), "", "")[:3]
        if part == "state" and folder in _folders() and "/" not in file:
            stem = file.partition(".")[0]
            names.setdefault(casefold(stem), stem)
    agents = {name: _agent(sides, name, set(paths), since) for name in sorted(names.values())}
    return {name: item for name, item in agents.items() if any(item.values())}


def _agent(sides: Sides, name: str, paths: set[str], since: tuple[int, bool] | None) -> dict[str, Any]:
    stream, archive = inside.stream(name), inside.archive(name)
    nodes: dict[str, Any] = {kind: [] for kind in LISTS}
    if stream in paths or archive in paths:
        read = []
        for path in (stream, archive):
            for state, contents in (("from", sides.old), ("to", sides.new)):
                memories = read_memories(contents.get(path), path)
                for line, message in memories.broken:
                    sides.report(state, path, message, line)
                read.append(memories)
        nodes = compare_memories(read[0], read[1], read[2], read[3], since)
    return {
        **nodes,
        "state": sides.values(inside.agent(name)) if inside.agent(name) in paths else {},
        **{layer.name: _layer(sides, layer, name, paths) for layer in LAYERS},
        "summaries": _added(sides, inside.summaries(name), paths),
        "persona_changed": inside.persona(name) in paths,
        "gifted_changed": inside.gifted(name) in paths,
    }


def _layer(sides: Sides, layer: Layer[Any, Any], name: str, paths: set[str]) -> dict[str, list[Any]] | list[Any]:
    path = inside.layer(layer, name)
    if layer.file.ending == LINES:
        return _added(sides, path, paths)
    return sides.values(path, read_yaml if layer.file.ending == YAML else None) if path in paths else {}


def _added(sides: Sides, path: str, paths: set[str]) -> list[dict[str, Any]]:
    if path not in paths:
        return []
    old, new = sides.records(path)
    return [record for record in new if record not in old]


def _scenes(sides: Sides, paths: Iterable[str]) -> tuple[list[dict[str, Any]], int]:
    scenes: list[dict[str, Any]] = []
    rewritten = 0
    for path in paths:
        if inside.is_logbook(path):
            found, changed = compare_log(sides, path)
            scenes += found
            rewritten += changed
    return scenes, rewritten


def _artifacts(old: State, new: State, paths: Iterable[str]) -> dict[str, list[str]]:
    works = [path for path in paths if path.startswith(f"{GALLERY}/")]
    return {
        "added": [path for path in works if path not in old.prints],
        "changed": [path for path in works if path in old.prints and path in new.prints],
        "removed": [path for path in works if path not in new.prints],
    }


def _is_other(path: str) -> bool:
    part, folder = (*path.split("/"), "")[:2]
    known = path in (inside.THREADS, inside.BULLETIN, inside.CLOCK)
    return (
        not known and part not in (GALLERY, "logbook") and not (part == "state" and folder in (*_folders(), "logbook"))
    )


def _folders() -> tuple[str, ...]:
    return (*_FOLDERS, *(layer.file.folder for layer in LAYERS))


def _side(state: State) -> dict[str, Any]:
    day = None if state.partial else state.day
    return {
        "name": state.name,
        "kind": state.kind,
        "commit": state.commit or None,
        "day": day[0] if day else None,
        "open": day[1] if day else None,
    }


def _counts(document: Mapping[str, Any]) -> dict[str, int]:
    agents = document["agents"].values()
    counts = {kind: sum(len(agent[kind]) for agent in agents) for kind in LISTS}
    new = [node for agent in agents for node in agent["new"]]
    return {
        **counts,
        "reflections": sum(node["type"] == "reflection" or node["depth"] > 0 for node in new),
        "by_hand": sum(node["by"] == "hand" for node in new) + counts["edited"] + counts["deleted"] + counts["moved"],
        "scenes": sum(scene["type"] != "SUMMARY" for scene in document["scenes"]),
        "artifacts": len(document["artifacts"]["added"]),
        "opened": len(document["threads"]["opened"]),
        "closed": len(document["threads"]["closed"]),
    }
