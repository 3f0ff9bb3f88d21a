"""The world after a scene or a day: in a commit, else by the world's own record of changes."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import pairwise

from gm.api.history.git import Repository, repository_around, split_nulls
from gm.api.history.states import State, commit_state, exact_refs, exact_state, other_commits
from gm.base.errors import GmError, UsageError, refuse_errors
from gm.base.regular import hint_for
from gm.files import relative_paths
from gm.files.commits.changes import (
    CommitEntry,
    FileChange,
    content_at,
    parse_clock,
    print_of,
    read_day_entries,
    read_entries,
    recorded_days,
    without_lines,
)
from gm.files.formats.text import read_data, sha256
from gm.files.layout import GALLERY, Layout
from gm.files.story.logbook import SceneLine, read_scene_lines
from gm.files.story.now import load_clock
from gm.files.streams.strength import strengths_until
from gm.model.calendar import SceneRef, parse_ref

FROM_COMMIT = "commit"
FROM_RECORD = "record"
OTHER_FILES = "git, or another program, replaced the files"
ANCHORS = 60
"""Maximum number of commits searched for a file that the record alone cannot restore."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change by hand, or by git.

    Attributes:
        since: Last moment at which the file was as gm wrote it; None = unknown.
        lost: Edited lines that do not survive the rewind.
        merged: Whether git wrote it in a merge.
        commit: Of what is lost, the last commit, if it has the file as it is now; else empty.
    """

    path: str
    since: str | None
    kept: bool
    lost: tuple[str, ...] = ()
    merged: bool = False
    commit: str = ""


@dataclass(frozen=True, slots=True)
class PastWorld:
    """The world at a moment.

    Attributes:
        source: ``commit`` or ``record``.
        files: Contents that differ from the current ones, by path; None = no such file.
        entries: Number of lines of the record before the moment; later ones are removed.
    """

    ref: SceneRef
    source: str
    commit: str
    files: Mapping[str, bytes | None]
    edits: tuple[Edit, ...] = ()
    entries: int = 0
    notes: tuple[str, ...] = field(default=())


def print_moment(layout: Layout, moment: PastWorld) -> str:
    """Return a digest of what going back to a moment would change, as the files are now."""
    files = {
        path: (print_of(read_current(layout, path)), print_of(then)) for path, then in sorted(moment.files.items())
    }
    what = [str(moment.ref), moment.source, moment.commit, moment.entries, files]
    return sha256(json.dumps(what).encode("utf-8", "surrogateescape"))


def read_current(layout: Layout, path: str) -> bytes | None:
    """Return the current content of a file, or None.

    Raises:
        GmError: It cannot be read.
    """
    try:
        return read_data(layout.root / path)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise GmError(f"{path} cannot be read: {error.strerror}", hint_for(error)) from error


def scenes_now(layout: Layout, day: int) -> tuple[SceneLine, ...]:
    """Return the scenes in a day's current logbook."""
    return read_scene_lines(day, read_current(layout, layout.shown(layout.day_log(day))) or b"")


def is_restorable(layout: Layout, path: str) -> bool:
    """Return whether days write to a file, so that a rewind restores it."""
    log = f"{layout.shown(layout.logbook)}/"
    within = path.startswith((relative_paths.STATE, relative_paths.GALLERY, log)) and not path.startswith(
        relative_paths.LOCAL
    )
    return within and relative_paths.is_written(path)


def find_moment(layout: Layout, ref: SceneRef) -> PastWorld:
    """Return the world after a scene or a day.

    Raises:
        UsageError: It has not been played.
        GmError: No commit or record leads there, or hand edits prevent it.
    """
    day, is_open, _ = parse_clock(read_current(layout, relative_paths.CLOCK))
    if ref.day > day == 0:
        hint = f"restore it first: git checkout -- {relative_paths.CLOCK}; nothing was changed"
        refuse_errors(load_clock(layout)[1], f"{relative_paths.CLOCK} cannot be read", hint)
    if ref.day > day or (ref.day == day and not ref.scene and is_open):
        said = "is still open" if ref.day == day else f"has not been played: the clock shows day {day}"
        raise UsageError(f"day {ref.day} {said}", "name an earlier one; gm log lists them")
    if ref.scene and all(ref != SceneRef(line.day, line.scene) for line in scenes_now(layout, ref.day)):
        raise UsageError(f"{ref} has not been played", "name an earlier one; gm log lists them")
    entries = read_entries(layout)
    place = _place_of(entries, ref)
    repository = repository_around(layout.root)
    if repository is not None and (state := exact_state(repository, layout, ref, last=ref == SceneRef(0))):
        return _read_from_commit(layout, repository, state, ref, entries, place)
    if place is None:
        raise GmError(f"nothing that is kept leads back to {ref}", _no_way(layout, entries, repository, ref))
    try:
        _check_record(layout, entries, place)
    except GmError as error:
        raise GmError(error.message, f"{error.hint}; {_nearest_days(layout, repository, ref)}") from error
    return _read_from_record(layout, repository, ref, entries, place)


def list_reachable(layout: Layout, refs: Collection[SceneRef]) -> set[SceneRef]:
    """Return the scenes and days to which a commit or the record leads back, if no edit by hand prevents it."""
    first = min((ref.day for ref in refs), default=0)
    entries = [entry for day in recorded_days(layout) if day >= first for entry in read_day_entries(layout, day)]
    found = _find_recorded(layout, entries, refs)
    repository = repository_around(layout.root)
    if repository is not None:
        for day in {ref.day for ref in refs if ref not in found}:
            found |= exact_refs(repository, layout, day)
    return found & set(refs)


def _find_recorded(layout: Layout, entries: Sequence[CommitEntry], refs: Iterable[SceneRef]) -> set[SceneRef]:
    def is_sound(place: int) -> bool:
        with suppress(GmError):
            _check_record(layout, entries, place)
            return True
        return False

    places = {ref: place for ref in refs if (place := _place_of(entries, ref)) is not None}
    ordered = sorted({*places.values()})
    sound = ordered[bisect_left(ordered, True, key=is_sound) :]  # what breaks the record breaks it for all before
    return {ref for ref, place in places.items() if place in sound}


def _check_record(layout: Layout, entries: Sequence[CommitEntry], place: int) -> None:
    if refused := [entry.problem for entry in entries[place:] if entry.problem]:
        raise GmError(
            "the record of what was changed cannot be read:\n  " + "\n  ".join(refused[:5]), "nothing was changed"
        )
    _check_clock(layout, entries, place)


def _read_from_commit(
    layout: Layout,
    repository: Repository,
    state: State,
    ref: SceneRef,
    entries: Sequence[CommitEntry],
    place: int | None,
) -> PastWorld:
    then = state.read(path for path in state.prints if is_restorable(layout, path))
    heads = ("state", GALLERY, layout.shown(layout.logbook))
    listed = repository.run(
        "ls-files", "-c", "-o", "--exclude-standard", "-z", "--", *(repository.prefix + item for item in heads)
    )
    known = {item[len(repository.prefix) :] for item in split_nulls(listed)}
    files: dict[str, bytes | None] = {}
    for path in sorted({*then, *(path for path in known if is_restorable(layout, path))}):
        if (layout.root / path).is_symlink():
            continue
        if read_current(layout, path) != then.get(path):
            files[path] = then.get(path)
    if place is None:
        place = sum(1 for entry in entries if _is_before(entry, ref))
    files |= _counters_then(layout, entries, place, ref)
    notes = []
    other = [path for path in state.prints if not is_restorable(layout, path)]
    changed = sorted(path for path, data in state.read(other).items() if read_current(layout, path) != data)
    if changed:
        notes.append(f"{', '.join(changed)}: differs from then and stays as it is now; settings and prompts are yours")
    edited = _edited_since(layout, entries, place, files)
    written = _changed_paths(entries)
    for path in files:
        if path.startswith(relative_paths.PERSONAS) and path not in written:  # days never write one
            edited[path] = [("", print_of(read_current(layout, path)))]
    merged = _find_merged(repository, edited)
    edits = tuple(
        Edit(path, since or None, path not in files, merged=path in merged) for path, [(since, _), *_] in edited.items()
    )
    return PastWorld(ref, FROM_COMMIT, state.commit, files, edits, place, tuple(notes))


def _place_of(entries: Sequence[CommitEntry], ref: SceneRef) -> int | None:
    if ref == SceneRef(0):
        firsts = [number for number, entry in enumerate(entries) if entry.opens]
        before = [_print_before(entries[number], relative_paths.CLOCK) for number in firsts[:1]]
        return firsts[0] if firsts and parse_clock(before[0])[0] == 0 else None
    places = [number for number, entry in enumerate(entries) if entry.moment == str(ref)]
    return places[-1] + 1 if places else None


def _read_from_record(
    layout: Layout, repository: Repository | None, ref: SceneRef, entries: Sequence[CommitEntry], place: int
) -> PastWorld:
    files: dict[str, bytes | None] = {}
    restored: set[str] = set()
    lost: dict[str, tuple[str, ...]] = {}
    stuck: list[str] = []
    for path in _changed_paths(entries[place:]):
        if not is_restorable(layout, path) and path != layout.shown(layout.reinforced):
            continue
        changes, goal = _find_goal(entries, place, path)
        data = read_current(layout, path)
        found, then = content_at([change for _, change in changes], goal, _known_contents(repository, path, data))
        if found:
            restored.add(path)
        else:
            taken = without_lines([change for number, change in changes if number >= place], data)
            if taken is None:
                stuck.append(_describe_unfit(path, [change for _, change in changes], data))
                continue
            then, lines = taken
            lost[path] = tuple(lines)
        if then != data:
            files[path] = then
    if stuck:
        raise GmError(
            f"edits made by hand stand in the way back to {ref}:\n  " + "\n  ".join(stuck),
            "take them back by hand, or commit each day (git: {commit: day}): then a day comes from its commit",
        )
    edited = _edited_since(layout, entries, place, files)
    merged = _find_merged(repository, edited)
    edits = tuple(
        Edit(path, since or None, path not in restored, lost.get(path, ()), path in merged)
        for path, [(since, _), *_] in edited.items()
    )
    return PastWorld(ref, FROM_RECORD, "", files, edits, place)


def _known_contents(repository: Repository | None, path: str, data: bytes | None) -> Iterator[bytes | None]:
    yield data
    if repository is None or path.startswith(relative_paths.LOCAL):
        return
    for commit in repository.history(path)[:ANCHORS]:
        read = commit_state(repository, commit, "").read([path])
        if path in read:
            yield read[path]


def _find_goal(entries: Sequence[CommitEntry], place: int, path: str) -> tuple[list[tuple[int, FileChange]], str]:
    changes = [
        (number, change) for number, entry in enumerate(entries) for change in entry.files if change.path == path
    ]
    earlier = [item for item in changes if item[0] < place]
    later = [item for item in changes if item[0] >= place]
    if earlier and earlier[-1][0] == place - 1:
        return changes, earlier[-1][1].after
    return changes, later[0][1].before


def _changed_paths(entries: Iterable[CommitEntry]) -> list[str]:
    return list(dict.fromkeys(change.path for entry in entries for change in entry.files))


def _edited_since(
    layout: Layout, entries: Sequence[CommitEntry], place: int, files: Mapping[str, bytes | None]
) -> dict[str, list[tuple[str, str]]]:
    """Return the files edited since gm last wrote them, or between two of its later changes.

    Each edit is the moment before it, and the print of what it left. One between two changes counts only if going back
    to ``files`` loses it.
    """
    last: dict[str, tuple[str, str]] = {}
    edited: dict[str, list[tuple[str, str]]] = defaultdict(list)
    label = ""
    for number, entry in enumerate(entries):
        label = entry.moment or label
        for change in entry.files:
            mark, since = last.get(change.path, (change.before, ""))
            if number >= place and change.path in files and change.before not in (mark, print_of(files[change.path])):
                edited[change.path].append((since, change.before))
            last[change.path] = (change.after, label)
    for path, (mark, since) in last.items():
        if (now := print_of(read_current(layout, path))) != mark:
            edited[path].append((since, now))
    return {path: edits for path, edits in edited.items() if is_restorable(layout, path)}


def _find_merged(repository: Repository | None, edited: Mapping[str, list[tuple[str, str]]]) -> set[str]:
    """Return the files that only merges changed."""
    merges = repository.merges(ANCHORS) if repository is not None and edited else []
    wrote: dict[str, set[str]] = defaultdict(set)
    for commit in merges:
        assert repository is not None
        before, after = repository.files(f"{commit}^1"), repository.files(commit)
        made = {path: after[path] for path in edited if path in after and after[path] != before.get(path)}
        contents = repository.contents(made.values())
        for path, content in made.items():
            wrote[path].add(print_of(contents[content]))
    return {path for path, edits in edited.items() if {left for _, left in edits} <= wrote[path]}


def _check_clock(layout: Layout, entries: Sequence[CommitEntry], place: int) -> None:
    clocks = [
        (number, change)
        for number, entry in enumerate(entries)
        for change in entry.files
        if change.path == relative_paths.CLOCK
    ]
    if clocks and print_of(read_current(layout, relative_paths.CLOCK)) != clocks[-1][1].after:
        there, recorded = (parse_clock(read_current(layout, relative_paths.CLOCK)), parse_clock(clocks[-1][1].now))
        if there != recorded:
            raise GmError(
                f"{relative_paths.CLOCK}: the clock shows day {there[0]} and {there[2]} scenes in all, "
                f"the record ends at day {recorded[0]} and {recorded[2]} scenes",
                OTHER_FILES,
            )
    for (_, earlier), (number, later) in pairwise(clocks):
        if number >= place and earlier.after != later.before and parse_clock(earlier.now) != parse_clock(later.was):
            at = next((entry.moment for entry in entries[number:] if entry.moment), "the end")
            raise GmError(
                f"the record breaks off before {at}: the clock was changed there by something else", OTHER_FILES
            )


def _describe_unfit(path: str, changes: Sequence[FileChange], data: bytes | None) -> str:
    there = set((data or b"").split(b"\n"))
    ours = [line for line in changes[-1].now.split(b"\n") if line.strip() and line not in there]
    shown = "; ".join(line.decode("utf-8", "replace").strip()[:60] for line in ours[:3])
    return f"{path}: " + (f"gm wrote {shown}" if shown else "is not as gm wrote it")


def _print_before(entry: CommitEntry, path: str) -> bytes | None:
    return next((change.was for change in entry.files if change.path == path and change.before), None)


def _is_before(entry: CommitEntry, ref: SceneRef) -> bool:
    at = parse_ref(entry.moment)
    if ref.scene:
        return (
            entry.day < ref.day
            or (at is not None and at.scene > 0 and at <= ref)
            or (entry.day == ref.day and bool(entry.opens))
        )
    return entry.day <= ref.day


def _counters_then(
    layout: Layout, entries: Sequence[CommitEntry], place: int, ref: SceneRef
) -> dict[str, bytes | None]:
    path = layout.shown(layout.reinforced)
    data = read_current(layout, path)
    if data is None:
        return {}
    then: bytes | None = strengths_until(data, ref.day)
    if path in _changed_paths(entries[place:]):
        changes, goal = _find_goal(entries, place, path)
        found, recorded = content_at([change for _, change in changes], goal, [data])
        then = recorded if found else then
    return {} if then == data else {path: then}


def _no_way(layout: Layout, entries: Sequence[CommitEntry], repository: Repository | None, ref: SceneRef) -> str:
    moments = [entry.moment for entry in entries if entry.moment]
    refs = [found for moment in moments if (found := parse_ref(moment)) and found.day == ref.day and found.scene]
    scenes = sorted(_find_recorded(layout, entries, refs))
    before, after = [one for one in scenes if one < ref], [one for one in scenes if one > ref]
    if ref.scene and before and after:
        return f"it landed together with scenes of the same time; go back to {max(before)}, or to {min(after)}"
    record = "there is no record in state/.gm/changes/ (it begins with the next scene that is played)"
    if moments:
        begins = f"begins with {moments[0]}"
        is_later = (parse_ref(moments[0]) or ref) < ref
        record = f"the record (state/.gm/changes/) {f'has no scene of {SceneRef(ref.day)}' if is_later else begins}"
    where = "there is no git repository" if repository is None else f"no commit holds exactly the state after {ref}"
    if repository is not None and (others := other_commits(repository, layout, ref)):
        where += f" (in {', '.join(commit[:8] for commit in others[:5])} its logbook is another one)"
    return f"{where}, and {record}; {_nearest_days(layout, repository, ref)}"


def _nearest_days(layout: Layout, repository: Repository | None, ref: SceneRef) -> str:
    days = [SceneRef(day) for day in (ref.day - 1, ref.day) if repository and SceneRef(day) != ref]
    near = [str(day) for day in days if repository and exact_state(repository, layout, day)]
    return f"go back to {' or '.join(near)}" if near else "with gm advance-day --commit each day is a commit"
