"""States of a world: a commit, the end of a day, the current files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from gm.api.history.git import GitError, Repository, content_id, find_repository, repository_around
from gm.api.history.git_commits import find_rewound
from gm.base.errors import GmError, UsageError
from gm.base.regular import RefusedFileError
from gm.files import relative_paths
from gm.files.commits.changes import read_day_entries
from gm.files.commits.snapshot import snapshot
from gm.files.formats.text import files_below, read_data
from gm.files.layout import Layout
from gm.files.story.logbook import read_scene_lines
from gm.model.calendar import SceneRef, parse_day, parse_ref
from gm.model.node import node_from_record
from gm.model.record import RecordError

NOW = "now"
BY_DAYS = "or name a day: day-000"
SHORTEST_COMMIT = 4
"""The least characters that git takes for a commit."""
PARTS = (
    relative_paths.STATE,
    relative_paths.GALLERY,
    relative_paths.LOGBOOK_BESIDE,
    relative_paths.PROMPTS,
    relative_paths.SETTINGS,
)


@dataclass(frozen=True, slots=True)
class NamedState:
    """A state, named in an answer; None = unknown."""

    name: str
    kind: str
    commit: str | None
    day: int | None
    open: bool | None


@dataclass(frozen=True, slots=True)
class State:
    """One state of a world.

    Attributes:
        name: As given: ``HEAD~2``, ``day-003``, ``now``.
        kind: ``commit``, ``files``, or ``streams`` (reconstructed from dated lines).
    """

    name: str
    kind: str
    commit: str
    prints: Mapping[str, str]
    read: Callable[[Iterable[str]], dict[str, bytes]]

    @property
    def partial(self) -> bool:
        """Whether only dated files are known: memories, logbooks, threads, diaries."""
        return self.kind == "streams"

    @property
    def day(self) -> tuple[int, bool] | None:
        """Day of the clock and whether it is open; None if unreadable."""
        data = self.read([relative_paths.CLOCK]).get(relative_paths.CLOCK)
        try:
            clock = json.loads(data.decode("utf-8-sig")) if data is not None else {}
            return int(clock.get("day", 0)), bool(clock.get("day_open", False))
        except (ValueError, AttributeError, TypeError, RecursionError):
            return None

    @property
    def named(self) -> NamedState:
        """The state without its files, for a document."""
        day, is_open = (None if self.partial else self.day) or (None, None)
        return NamedState(self.name, self.kind, self.commit or None, day, is_open)


def find_states(layout: Layout, first: str | None, second: str | None) -> tuple[State, State]:
    """Return two named states: a commit or a day, or both as ``A..B``; by default HEAD and the current files.

    Raises:
        UsageError: There is no such commit or day.
        GitError: A commit is named, but there is no repository.
    """
    if first and ".." in first and second is None:
        first, _, second = first.partition("..")
        first, second = first or "HEAD", second.lstrip(".") or "HEAD"
    return find_state(layout, first or "HEAD"), find_state(layout, second or NOW)


def find_state(layout: Layout, name: str) -> State:
    """Return a commit, a day or ``now``; errors as for ``find_states``."""
    if name == NOW:
        return files_state(layout)
    ref = parse_ref(name) or (parse_day(name) if len(name) < SHORTEST_COMMIT else None)
    if ref is not None:
        return day_state(layout, ref.day, name)
    try:
        repository = find_repository(layout.root)
    except GitError as error:
        raise GitError(error.message, f"{error.hint}; {BY_DAYS}", error.status) from error
    commit = repository.commit(name)
    if commit is None and name == "HEAD":
        raise GitError("the repository has no commit yet", f"git add and git commit; {BY_DAYS}")
    if commit is None:
        raise UsageError(f"there is no commit {name!r}, and no day", "write a branch, a commit, or a day: day-003")
    return commit_state(repository, commit, name)


def commit_state(repository: Repository, commit: str, name: str) -> State:
    """Return the world in a commit."""
    listed = {path: item for path, item in repository.files(commit).items() if is_part(path)}

    def read(paths: Iterable[str]) -> dict[str, bytes]:
        wanted = [path for path in paths if path in listed]
        contents = repository.contents(listed[path] for path in wanted)
        return {path: contents[listed[path]] for path in wanted if listed[path] in contents}

    return State(name, "commit", commit, listed, read)


def files_state(layout: Layout) -> State:
    """Return the world in the current files."""
    with snapshot(layout):
        return _state_of(NOW, "files", dict(_read_contents(layout)))


def _read_contents(layout: Layout) -> Iterator[tuple[str, bytes]]:
    for path in _world_files(layout):
        shown = layout.shown(path)
        try:
            yield shown, read_data(path)
        except (RefusedFileError, FileNotFoundError):
            continue  # a link out of the world or a pipe is not a part of it; one that was taken away is not there
        except OSError as error:
            raise GmError(
                f"{shown} cannot be read: {error.strerror}", "correct its permissions or take it away"
            ) from error


def day_state(layout: Layout, day: int, name: str) -> State:
    """Return the world after a day, from the commit that closed it, else from the current files.

    Raises:
        UsageError: The day has not been played.
    """
    repository = repository_around(layout.root)
    if repository is not None:
        state, is_closed = _closing_state(repository, layout, day)
        if state is not None:
            return replace(state, name=name) if is_closed else _state_until(state, day, name)
    now = files_state(layout)
    clock = now.day
    if clock is not None and day == clock[0] and not clock[1]:
        return replace(now, name=name)
    if clock is not None and day > clock[0]:
        raise UsageError(f"day {day} has not been played: the clock shows day {clock[0]}")
    return _state_until(now, day, name)


def exact_state(repository: Repository, layout: Layout, ref: SceneRef, *, last: bool = False) -> State | None:
    """Return the world in the newest commit just after a scene or a day that agrees with its present logbook, or None.

    Commits of days that were rewound do not count. Before day 1, it is the first such commit, or with ``last`` the
    last one before the next day.
    """
    if not ref.day:
        state, is_exact = _beginning_state(repository, layout, last=last)
    else:
        state, is_exact = _present_state(repository, layout, ref)
    return state if is_exact else None


def exact_refs(repository: Repository, layout: Layout, day: int) -> set[SceneRef]:
    """Return the day and those of its scenes for which ``exact_state`` finds a commit."""
    if not day:
        return {SceneRef(0)} if exact_state(repository, layout, SceneRef(0), last=True) else set()
    path = layout.shown(layout.day_log(day))
    logs = (_read_present(layout, path), _read_recorded(layout, day, path))
    found = set()
    for state in _find_states(repository, layout, path):
        reached, scene = _moment_reached(state, layout)
        data = state.read([path]).get(path, b"")
        if reached == day and any(_begins_with(data, log) for log in logs):
            found.add(SceneRef(day, 0 if scene == math.inf else int(scene)))
    return found


def other_commits(repository: Repository, layout: Layout, ref: SceneRef) -> list[str]:
    """Return the commits just after a scene or a day, newest first, whether they agree with its logbook or not."""
    path = layout.shown(layout.day_log(ref.day))
    states = _find_states(repository, layout, path, newest_first=True)
    return [state.commit for state in states if _moment_reached(state, layout) == _end_of(ref)]


def newest_until(repository: Repository, layout: Layout, ref: SceneRef) -> str:
    """Return the newest commit of a world not beyond a moment, and with the present logbook of its day; "" if none."""
    for state in _find_states(repository, layout, "state", newest_first=True):
        if state.day and _moment_reached(state, layout) <= _end_of(ref):
            path = layout.shown(layout.day_log(state.day[0]))
            if _begins_with(state.read([path]).get(path, b""), _read_present(layout, path)):
                return state.commit
    return ""


def _closing_state(repository: Repository, layout: Layout, day: int) -> tuple[State | None, bool]:
    if not day:
        return _beginning_state(repository, layout)
    return _present_state(repository, layout, SceneRef(day))


def _beginning_state(repository: Repository, layout: Layout, *, last: bool = False) -> tuple[State | None, bool]:
    found = None
    for state in _find_states(repository, layout, "state" if last else relative_paths.CLOCK):
        clock = state.day
        if clock == (0, False) and last:
            found = state
        elif clock == (0, False) or (clock is not None and clock[0] > 0):
            return (found, True) if found else (state, clock[0] == 0)
    return found, found is not None


def _present_state(repository: Repository, layout: Layout, ref: SceneRef) -> tuple[State | None, bool]:
    """Return the commit just after a moment, or the first later one with its logbook, and which of the two it is.

    A logbook that was edited by hand since is also compared as gm wrote it.
    """
    path = layout.shown(layout.day_log(ref.day))
    present, recorded, wanted = _read_present(layout, path), _read_recorded(layout, ref.day, path), _end_of(ref)
    later = edited = None
    for state in _find_states(repository, layout, path, newest_first=True):
        data, reached = state.read([path]).get(path, b""), _moment_reached(state, layout)
        if reached == wanted and _begins_with(data, present):
            return state, True
        if reached == wanted and edited is None and _begins_with(data, recorded):
            edited = state
        if reached > wanted and state.day and state.day[0] > ref.day and _begins_with(data, present):
            later = state
    return (edited, True) if edited else (later, False)


def _end_of(ref: SceneRef) -> tuple[int, float]:
    return ref.day, ref.scene or math.inf


def _read_present(layout: Layout, path: str) -> bytes:
    with suppress(OSError, RefusedFileError):
        return read_data(layout.root / path)
    return b""


def _read_recorded(layout: Layout, day: int, path: str) -> bytes:
    data = b""
    for change in (change for entry in read_day_entries(layout, day) for change in entry.files if change.path == path):
        data = change.forth(data if change.before else b"")
    return data


def _begins_with(data: bytes, whole: bytes) -> bool:
    lines = data.splitlines()
    return whole.splitlines()[: len(lines)] == lines


def _find_states(repository: Repository, layout: Layout, path: str, *, newest_first: bool = False) -> Iterator[State]:
    rewound = [(item, ref) for item in find_rewound(repository) if (ref := parse_ref(item.moment))]
    commits = repository.history(path)
    for commit in commits if newest_first else reversed(commits):
        state = commit_state(repository, commit, "")
        later = [ref for item, ref in rewound if commit in item.earlier]
        if not later or all(_moment_reached(state, layout) <= _end_of(ref) for ref in later):
            yield state


def _moment_reached(state: State, layout: Layout) -> tuple[int, float]:
    day, is_open = state.day or (0, False)
    if not is_open:
        return day, math.inf
    path = layout.shown(layout.day_log(day))
    scenes = read_scene_lines(day, state.read([path]).get(path, b""))
    return day, scenes[-1].scene if scenes else 0


def is_part(path: str) -> bool:
    """Return whether git tracks a path of the world."""
    return path.startswith(PARTS) and not path.startswith(relative_paths.LOCAL)


def _state_until(now: State, day: int, name: str) -> State:
    kept: dict[str, bytes] = {}
    for path, data in now.read(now.prints).items():
        if relative_paths.is_logbook(path):
            if (logged := relative_paths.day_of_logbook(path)) is not None and logged <= day:
                kept[path] = data
        elif path.endswith(".jsonl") and not relative_paths.is_gifted(path):
            kept[path] = b"".join(line for line in data.splitlines(keepends=True) if _day_of(line) <= day)
    return _state_of(name, "streams", kept)


def _state_of(name: str, kind: str, contents: Mapping[str, bytes]) -> State:
    prints = {path: content_id(data) for path, data in contents.items()}
    return State(name, kind, "", prints, lambda paths: {path: contents[path] for path in paths if path in contents})


def _day_of(line: bytes) -> int:
    try:
        record = json.loads(line)
        if not isinstance(record, dict):
            return 0
        if "description" in record or "content" in record:
            return node_from_record(record).when.day
        at = record.get("at", record.get("created", record.get("day", 0)))
        ref = parse_ref(at) if isinstance(at, str) else None
        return ref.day if ref else int(str(at))
    except (ValueError, TypeError, RecordError, RecursionError):
        return 0


def _world_files(layout: Layout) -> list[Path]:
    local = (layout.derived, layout.traces, layout.mailbox)
    places = (path for part in PARTS if part.endswith("/") for path in files_below(layout.root / part, local))
    return [path for path in (layout.settings, *places) if path.is_file()]
