"""Rewinds the files to a moment in one commit, after keeping the current ones.

``state/traces/rewound/001/`` holds the former files in ``files/`` and ``note.json``, which ``gm rewind --undo`` reads.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypedDict

from gm.api.answers.document import part, written_as
from gm.api.history.commits import NEVER, played_paths
from gm.api.history.git import find_repository
from gm.api.history.git_commits import RETURNED, REWOUND, check_ready, commit_paths, find_rewound
from gm.api.history.rewind.losses import Losses
from gm.api.history.rewind.moments import PastWorld, find_moment, list_reachable, read_current, scenes_now
from gm.base.config import GitSettings
from gm.base.errors import GmError, say
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files import relative_paths
from gm.files.commits.changes import parse_clock, print_of, raw_lines, record_path, recorded_days
from gm.files.commits.runnote import forget_end, forget_run, forget_sitting
from gm.files.commits.steps import Create, Step, restore_step
from gm.files.commits.writer import Writer, writing
from gm.files.formats import disk
from gm.files.formats.text import list_folder
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.model.calendar import SceneRef, parse_ref

COMMAND = "gm rewind"
NOTE, FILES, ANSWERS = "note.json", "files", "answers"
REWOUND_FOLDER = "rewound"


class DoneShown(TypedDict):
    """The result of a rewind or an undo."""

    kept: Annotated[str | None, "folder of the files as they were before; null = nothing changed"]
    number: Annotated[int | None, "of that folder, for gm rewind --undo"]
    committed: Annotated[str | None, "commit of the rewind; null = none was made"]


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a rewind or an undo; without changes, ``kept`` and ``number`` are None."""

    kept: str | None = None
    number: int | None = None
    committed: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewound:
    """Losses of a rewind; ``result`` is None if it was not done."""

    losses: Losses = part(inline=True)
    done: bool
    result: Done | None = part(omit=None, inline=True, by=written_as(DoneShown))


@dataclass(frozen=True, slots=True)
class Undone:
    """Files that ``undo`` restores; ``result`` is None if it was not done."""

    undo: int
    to: str
    files: tuple[str, ...]
    done: bool
    result: Done | None = part(omit=None, inline=True, by=written_as(DoneShown))


@dataclass(frozen=True, slots=True)
class RestorableFiles:
    """Former files that can be restored, as hashes before (``files``) and after (``result``)."""

    number: int
    to: str
    files: Mapping[str, str]
    result: Mapping[str, str]


def choose_git(layout: Layout, commit: bool | None = None) -> GitSettings | None:
    """Return the settings for the commit of a rewind; None = no commit.

    Args:
        commit: None = as ``git.commit`` says.
    """
    settings = load_settings(layout)[0].git
    return settings if (settings.commit != NEVER if commit is None else commit) else None


def check_commit(layout: Layout, git: GitSettings | None) -> None:
    """Check before anything is done that a commit is possible, where one is wanted.

    Raises:
        GitError: It is not.
    """
    if git is not None:
        check_ready(find_repository(layout.root), played_paths(layout), git.author)


def go_back(layout: Layout, moment: PastWorld, git: GitSettings | None, *, ask_again: bool = False) -> Done:
    """Rewind the files to a moment.

    Args:
        git: None = no commit.
        ask_again: Also put aside the answers of rewound scenes, so that these are asked anew.

    Raises:
        GmError: The files have changed since the moment was looked up.
    """
    with writing(layout, COMMAND) as writer:
        if find_moment(layout, moment.ref) != moment:
            raise GmError("the world has changed in the meantime", "nothing was changed; run the command again")
        files = {**moment.files, **cut_record(layout, moment.entries)}
        answers = _find_answers(layout, moment.ref) if ask_again else []
        done = _swap_files(layout, writer, files, str(moment.ref), answers)
    message = f"back to {moment.ref}\n\n{REWOUND}: {moment.ref}\n"
    return _commit_done(layout, done, message, git)


def find_kept(layout: Layout, number: int | None = None) -> RestorableFiles:
    """Return the kept files of a rewind; None = the last one.

    Raises:
        GmError: There are none.
    """
    kept = {item.number: item for item in list_kept(layout)}
    if not kept or (number is not None and number not in kept):
        which = "nothing was taken back here" if not kept else f"there is no {number}"
        raise GmError(which, say("there are: {names}", ", ".join(map(str, kept))) if kept else "")
    return kept[max(kept) if number is None else number]


def list_kept(layout: Layout) -> list[RestorableFiles]:
    """Return all kept rewinds, oldest first."""
    found = []
    for folder in list_folder(_rewound_folder(layout)):
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            note = json.loads(read_regular(folder / NOTE, DOCUMENT_BYTES))
            found.append(RestorableFiles(int(folder.name), str(note["to"]), dict(note["files"]), dict(note["result"])))
    return sorted(found, key=lambda item: item.number)


def changed_since(layout: Layout, kept: RestorableFiles) -> list[str]:
    """Return the files that have changed since a rewind, so that it cannot be undone."""
    return sorted(path for path, mark in kept.result.items() if print_of(read_current(layout, path)) != mark)


def refuse_changed(layout: Layout, kept: RestorableFiles) -> None:
    """Check that a rewind can be undone.

    Raises:
        GmError: Files have changed since.
    """
    if changed := changed_since(layout, kept):
        raise GmError(
            f"the world went on since: {', '.join(changed[:5])}{', …' if len(changed) > 5 else ''}",
            f"first go back to where it was: gm rewind {kept.to}; then gm rewind --undo {kept.number}",
        )


def undo(layout: Layout, kept: RestorableFiles, git: GitSettings | None) -> Done:
    """Restore the files before a rewind.

    Raises:
        GmError: The world has changed since, or the kept files have.
    """
    home = _rewound_folder(layout) / f"{kept.number:03d}"
    with writing(layout, COMMAND) as writer:
        refuse_changed(layout, kept)
        files: dict[str, bytes | None] = {}
        for path, mark in kept.files.items():
            is_kept = relative_paths.is_written(path) and mark
            data = disk.read_or_none(home / FILES / path) if is_kept else None
            if print_of(data) != mark:
                raise GmError(f"{layout.shown(home / FILES / path)} is not what was put there", "nothing was changed")
            files[path] = data
        done = _swap_files(layout, writer, files, whereabouts(layout), [])
        _bring_answers_back(layout, home)
    rewound = (
        []
        if git is None
        else [item.commit for item in find_rewound(find_repository(layout.root)) if item.moment == kept.to]
    )
    trailer = f"\n{RETURNED}: {rewound[0]}\n" if rewound else ""
    return _commit_done(layout, done, f"forward again from {kept.to}\n{trailer}", git)


def _swap_files(
    layout: Layout, writer: Writer, files: Mapping[str, bytes | None], to: str, answers: list[Path]
) -> Done:
    strange = [
        path
        for path in sorted(files)
        if not relative_paths.is_written(path) or relative_paths.way_out(str(layout.root), path)
    ]
    if strange:
        raise GmError(f"no file of this world can lie at {strange[0]!r}", "nothing was changed")
    before = {path: read_current(layout, path) for path in sorted(files)}
    changed = [path for path in before if before[path] != files[path]]
    if not changed:
        _drop_derived(layout)
        return Done()
    number = max((item.number for item in list_kept(layout)), default=0) + 1
    home = _rewound_folder(layout) / f"{number:03d}"
    with disk.explained(home):
        disk.make_private(layout.traces)
        for path in changed:
            data = before[path]
            if data is not None:
                disk.write_file(home / FILES / path, data)
    note = {
        "to": to,
        "from": whereabouts(layout),
        "files": {path: print_of(before[path]) for path in changed},
        "result": {path: print_of(files[path]) for path in changed},
    }
    steps: list[Step] = [
        restore_step(path, before[path], files[path]) for path in changed if path != relative_paths.CLOCK
    ]
    steps.append(Create(layout.shown(home / NOTE), json.dumps(note, ensure_ascii=False, indent=1) + "\n"))
    if relative_paths.CLOCK in changed:
        # the clock last
        steps.append(restore_step(relative_paths.CLOCK, before[relative_paths.CLOCK], files[relative_paths.CLOCK]))
    overruled = writer.commit(steps, recorded=False)
    with disk.explained(home):
        for folder in answers:
            target = home / ANSWERS / folder.relative_to(layout.traces)
            disk.make_folder(target.parent)
            disk.rename(folder, target)
    _drop_derived(layout)
    return Done(layout.shown(home), number, notes=tuple(map(str, overruled)))


def _commit_done(layout: Layout, done: Done, message: str, git: GitSettings | None) -> Done:
    if git is None:
        return done
    commit = commit_paths(find_repository(layout.root), played_paths(layout), message, git.author)
    return replace(done, committed=commit)


def cut_record(layout: Layout, entries: int) -> dict[str, bytes | None]:
    """Return the record's shortened files; the first ``entries`` lines are kept byte for byte."""
    files: dict[str, bytes | None] = {}
    for day in recorded_days(layout):
        lines = raw_lines(layout, day)
        kept = lines[: max(0, entries)]
        entries -= len(lines)
        if len(kept) < len(lines):
            path = layout.shown(record_path(layout, day))
            files[path] = b"".join(line + b"\n" for line in kept) or None
    return files


def _find_answers(layout: Layout, ref: SceneRef) -> list[Path]:
    found = []
    for folder in list_folder(layout.traces):
        day = parse_ref(folder.name)
        if day is None or day.scene or day.day < ref.day or (day.day == ref.day and not ref.scene):
            continue
        for place in list_folder(folder):
            scene = parse_ref(f"{folder.name}/{place.name}")
            if place.is_dir() and scene and scene > ref:
                found.append(place)
    return sorted(found)


def _bring_answers_back(layout: Layout, home: Path) -> None:
    for day in list_folder(home / ANSWERS):
        for scene in list_folder(day):
            target = layout.traces / day.name / scene.name
            if not target.exists():
                disk.make_folder(target.parent)
                disk.rename(scene, target)


def _drop_derived(layout: Layout) -> None:
    with disk.explained(layout.derived):
        for path in (layout.lexical, layout.lines):
            for name in (path.name, f"{path.name}-wal", f"{path.name}-shm", f"{path.name}-journal"):
                disk.remove(path.with_name(name))
        forget_run(layout)
        forget_end(layout)
        forget_sitting(layout)


def whereabouts(layout: Layout) -> str:
    """Return the last closed day, or the last scene of the open day."""
    day, is_open, _ = parse_clock(read_current(layout, relative_paths.CLOCK))
    if not is_open:
        return str(SceneRef(day))
    scene = next((line.scene for line in reversed(scenes_now(layout, day)) if line.scene), 0)
    return str(SceneRef(day, scene)) if scene else str(SceneRef(day - 1))


def way_back(layout: Layout) -> str:
    """Return the command that takes back what was changed since the last scene, in words; empty = there is none."""
    ref = parse_ref(whereabouts(layout))
    is_known = ref is not None and list_reachable(layout, {ref})
    return f"gm rewind {ref}, which first shows what else it takes back" if is_known else ""


def last_rewound_ns(layout: Layout) -> int:
    """Return when the world was last rewound, in nanoseconds of wall time; 0 = never."""
    notes = (folder / NOTE for folder in list_folder(_rewound_folder(layout)))
    return max((note.stat().st_mtime_ns for note in notes if note.is_file()), default=0)


def _rewound_folder(layout: Layout) -> Path:
    return layout.traces / REWOUND_FOLDER
