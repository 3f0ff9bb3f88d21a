"""Find the world as it was after a scene or a day: in a commit, else by the world's own record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from gm.errors import GmError, UsageError
from gm.git.command import lines_of
from gm.git.repository import Repository, find_repository
from gm.model.calendar import SceneRef, parse_ref
from gm.store.changes import (
    Entry,
    FileChange,
    clock_of,
    content_at,
    print_of,
    read_entries,
    without_lines,
)
from gm.store.layout import GALLERY, Layout
from gm.store.scenelines import SceneLine, read_scene_lines
from gm.store.strength import strengths_until
from gm.store.text import read_data
from gm.tools.diff.states import LOCAL, State, closing_commit, commit_state, scene_commit

WORLD = "state/world.json"
FROM_COMMIT, FROM_RECORD = "commit", "record"
OTHER_FILES = "git, or somebody, has brought other files; go back to a day that is a commit, or to a later moment"
ANCHORS = 60
"""Most commits in which a file is looked for that the record alone cannot bring back."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changed in a file, and gm did not.

    Attributes:
        path: The file.
        since: After which scene or day it was last as gm had written it; empty = not known.
        kept: Whether it is still there in the world of the moment.
        lost: Lines that go although they were edited.
    """

    path: str
    since: str
    kept: bool
    lost: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The world as it was.

    Attributes:
        ref: After which scene, or which day.
        source: ``commit`` or ``record``.
        commit: Id of the commit; empty where it comes from the record.
        files: Contents that differ from what is there now, by path; None = there was no such file.
        edits: What a person changed since.
        entries: How many lines of the record are from before it; the rest is taken back.
    """

    ref: SceneRef
    source: str
    commit: str
    files: Mapping[str, bytes | None]
    edits: tuple[Edit, ...] = ()
    entries: int = 0
    notes: tuple[str, ...] = field(default=())


def parse_moment(text: str) -> SceneRef:
    """Read ``day-003`` or ``day-003/scene-02``.

    Raises:
        UsageError: It is neither.
    """
    ref = parse_ref(text)
    if ref is None:
        raise UsageError(
            f"{text!r} is no day and no scene", "write day-003 or day-003/scene-02; day-000 = the beginning"
        )
    return ref


def find_moment(layout: Layout, ref: SceneRef) -> Moment:
    """Find the world as it was after a scene or a day.

    Raises:
        UsageError: That has not been played.
        GmError: Nothing that is kept leads there, or hand edits stand in the way.
    """
    day, is_open, _ = clock_of(now(layout, WORLD))
    if ref.day > day or (ref.day == day and not ref.scene and is_open):
        said = "is still open" if ref.day == day else f"has not been played: the clock shows day {day}"
        raise UsageError(f"day {ref.day} {said}", "name an earlier one; gm log lists them")
    if ref.scene and all(ref != SceneRef(line.day, line.scene) for line in scenes_now(layout, ref.day)):
        raise UsageError(f"{ref} has not been played", "name an earlier one; gm log lists them")
    entries = read_entries(layout)
    place = place_of(entries, ref)
    repository = repository_of(layout)
    if repository is not None and (state := _committed(repository, layout, ref)):
        return _from_commit(layout, repository, state, ref, entries, place)
    if place is None:
        raise GmError(
            f"nothing that is kept leads back to {ref}",
            _no_way(entries, repository, ref),
        )
    return _from_record(layout, repository, ref, entries, place)


def place_of(entries: Sequence[Entry], ref: SceneRef) -> int | None:
    """Tell how many lines of the record are from before a moment has passed; None when it is not in the record."""
    if ref == SceneRef(0):
        firsts = [number for number, entry in enumerate(entries) if entry.opens]
        before = [_before(entries[number], WORLD) for number in firsts[:1]]
        return firsts[0] if firsts and clock_of(before[0])[0] == 0 else None
    places = [number for number, entry in enumerate(entries) if entry.moment == str(ref)]
    return places[-1] + 1 if places else None


def repository_of(layout: Layout) -> Repository | None:
    """Find the repository around a world; None without one, or without git."""
    try:
        return find_repository(layout.root)
    except GmError:
        return None


def now(layout: Layout, path: str) -> bytes | None:
    """Read a file as it is; None when there is none."""
    with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return read_data(layout.root / path)
    return None


def scenes_now(layout: Layout, day: int) -> tuple[SceneLine, ...]:
    """Read the scenes that the logbook of a day has as it is."""
    return read_scene_lines(day, now(layout, layout.shown(layout.day_log(day))) or b"")


def is_played(layout: Layout, path: str) -> bool:
    """Tell whether a file is one that days are written to, and comes back with them."""
    log = f"{layout.shown(layout.logbook)}/"
    return path.startswith(("state/", f"{GALLERY}/", log)) and not path.startswith(LOCAL)


def _committed(repository: Repository, layout: Layout, ref: SceneRef) -> State | None:
    if ref.scene:
        commit = scene_commit(repository, layout, ref)
    else:
        commit, is_exact = closing_commit(repository, layout, ref.day, last=ref.day == 0)
        commit = commit if is_exact else ""
    return commit_state(repository, commit, str(ref)) if commit else None


def _from_commit(
    layout: Layout, repository: Repository, state: State, ref: SceneRef, entries: Sequence[Entry], place: int | None
) -> Moment:
    then = state.read(path for path in state.prints if is_played(layout, path))
    heads = ("state", GALLERY, layout.shown(layout.logbook))
    listed = repository.run(
        "ls-files", "-c", "-o", "--exclude-standard", "-z", "--", *(repository.prefix + item for item in heads)
    )
    known = {item[len(repository.prefix) :] for item in lines_of(listed)}
    files: dict[str, bytes | None] = {}
    for path in sorted({*then, *(path for path in known if is_played(layout, path))}):
        if (layout.root / path).is_symlink():
            continue
        if now(layout, path) != then.get(path):
            files[path] = then.get(path)
    if place is None:
        place = sum(1 for entry in entries if _is_before(entry, ref))
    files |= _counters(layout, entries, place, ref)
    notes = []
    other = [path for path in state.prints if not is_played(layout, path)]
    changed = sorted(path for path, data in state.read(other).items() if now(layout, path) != data)
    if changed:
        notes.append(f"{', '.join(changed)}: differs from then and stays as it is now; settings and prompts are yours")
    edits = tuple(Edit(path, since, kept=path not in files) for path, since in _edited(layout, entries))
    return Moment(ref, FROM_COMMIT, state.commit, files, edits, place, tuple(notes))


def _from_record(
    layout: Layout, repository: Repository | None, ref: SceneRef, entries: Sequence[Entry], place: int
) -> Moment:
    _check_clock(layout, entries, place)
    files: dict[str, bytes | None] = {}
    edits = {path: Edit(path, since, kept=True) for path, since in _edited(layout, entries)}
    stuck: list[str] = []
    for path in _paths(entries[place:]):
        if not is_played(layout, path) and path != layout.shown(layout.reinforced):
            continue
        changes, goal = _goal(entries, place, path)
        data = now(layout, path)
        found, then = content_at([change for _, change in changes], goal, _starts(repository, path, data))
        lost: tuple[str, ...] = ()
        if not found:
            taken = without_lines([change for number, change in changes if number >= place], data)
            if taken is None:
                stuck.append(_standing(path, [change for _, change in changes], data))
                continue
            then, lines = taken
            lost = tuple(lines)
        if path in edits:
            edits[path] = Edit(path, edits[path].since, kept=not found, lost=lost)
        if then != data:
            files[path] = then
    if stuck:
        raise GmError(
            f"edits made by hand stand in the way back to {ref}:\n  " + "\n  ".join(stuck),
            "take them back by hand, or commit each day (git: {commit: day}): then a day comes from its commit",
        )
    return Moment(ref, FROM_RECORD, "", files, tuple(edits.values()), place)


def _starts(repository: Repository | None, path: str, data: bytes | None) -> Iterator[bytes | None]:
    """Give contents from which the record may lead on: that of now, then those in commits."""
    yield data
    if repository is None or path.startswith(LOCAL):
        return
    for commit in repository.history(path)[:ANCHORS]:
        read = commit_state(repository, commit, "").read([path])
        if path in read:
            yield read[path]


def _goal(entries: Sequence[Entry], place: int, path: str) -> tuple[list[tuple[int, FileChange]], str]:
    changes = [
        (number, change) for number, entry in enumerate(entries) for change in entry.files if change.path == path
    ]
    earlier = [item for item in changes if item[0] < place]
    later = [item for item in changes if item[0] >= place]
    if earlier and earlier[-1][0] == place - 1:
        return changes, earlier[-1][1].after
    return changes, later[0][1].before


def _paths(entries: Iterable[Entry]) -> list[str]:
    return list(dict.fromkeys(change.path for entry in entries for change in entry.files))


def _edited(layout: Layout, entries: Sequence[Entry]) -> list[tuple[str, str]]:
    """Name the files that are not as gm last wrote them, and since when."""
    last: dict[str, tuple[str, str]] = {}
    label = ""
    for entry in entries:
        label = entry.moment or label
        for change in entry.files:
            last[change.path] = (change.after, label)
    return [
        (path, since)
        for path, (mark, since) in last.items()
        if is_played(layout, path) and print_of(now(layout, path)) != mark
    ]


def _check_clock(layout: Layout, entries: Sequence[Entry], place: int) -> None:
    """Refuse to go by a record that is not about these files: git may have brought others since, or in between."""
    clocks = [
        (number, change) for number, entry in enumerate(entries) for change in entry.files if change.path == WORLD
    ]
    if clocks and print_of(now(layout, WORLD)) != clocks[-1][1].after:
        there, recorded = clock_of(now(layout, WORLD)), clock_of(clocks[-1][1].now)
        if there != recorded:
            raise GmError(
                f"state/world.json: the clock shows day {there[0]} and {there[2]} scenes in all, "
                f"the record ends at day {recorded[0]} and {recorded[2]} scenes",
                OTHER_FILES,
            )
    for (_, earlier), (number, later) in pairwise(clocks):
        if number >= place and earlier.after != later.before and clock_of(earlier.now) != clock_of(later.was):
            at = next((entry.moment for entry in entries[number:] if entry.moment), "the end")
            raise GmError(
                f"the record breaks off before {at}: the clock was changed there by something else", OTHER_FILES
            )


def _standing(path: str, changes: Sequence[FileChange], data: bytes | None) -> str:
    """Say what of a file is not as gm wrote it."""
    there = set((data or b"").split(b"\n"))
    ours = [line for line in changes[-1].now.split(b"\n") if line.strip() and line not in there]
    shown = "; ".join(line.decode("utf-8", "replace").strip()[:60] for line in ours[:3])
    return f"{path}: " + (f"gm wrote {shown}" if shown else "is not as gm wrote it")


def _before(entry: Entry, path: str) -> bytes | None:
    return next((change.was for change in entry.files if change.path == path and change.before), None)


def _is_before(entry: Entry, ref: SceneRef) -> bool:
    at = parse_ref(entry.moment)
    if ref.scene:
        return (
            entry.day < ref.day
            or (at is not None and at.scene > 0 and at <= ref)
            or (entry.day == ref.day and bool(entry.opens))
        )
    return entry.day <= ref.day


def _counters(layout: Layout, entries: Sequence[Entry], place: int, ref: SceneRef) -> dict[str, bytes | None]:
    """Bring back how often memories were needed: by the record, else without the days that are taken back."""
    path = layout.shown(layout.reinforced)
    data = now(layout, path)
    if data is None:
        return {}
    then: bytes | None = strengths_until(data, ref.day)
    if path in _paths(entries[place:]):
        changes, goal = _goal(entries, place, path)
        found, recorded = content_at([change for _, change in changes], goal, [data])
        then = recorded if found else then
    return {} if then == data else {path: then}


def _no_way(entries: Sequence[Entry], repository: Repository | None, ref: SceneRef) -> str:
    moments = [entry.moment for entry in entries if entry.moment]
    record = (
        f"the record (state/.gm/changes/) begins with {moments[0]}"
        if moments
        else ("there is no record in state/.gm/changes/ (it begins with the next scene that is played)")
    )
    where = "there is no git repository" if repository is None else f"no commit holds exactly the state after {ref}"
    return f"{where}, and {record}; with gm advance-day --commit each day is a commit"
