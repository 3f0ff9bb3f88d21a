"""Finds the world at a moment: in a commit, else by the world's own record."""

from __future__ import annotations

from collections.abc import Sequence

from gm.api.history.diff.states import State, closing_commit, commit_state, scene_commit
from gm.api.history.git import Repository, lines_of
from gm.api.history.rewind.moment import FROM_COMMIT, Edit, Moment, is_played, now, repository_of, scenes_now
from gm.api.history.rewind.record import counters_then, edited_since, is_before, moment_from_record, no_way, place_of
from gm.base.errors import GmError, UsageError
from gm.files import inside
from gm.files.commits.changes import (
    Entry,
    clock_of,
    read_entries,
)
from gm.files.layout import GALLERY, Layout
from gm.model.calendar import SceneRef


def find_moment(layout: Layout, ref: SceneRef) -> Moment:
    """Return the world after a scene or a day.

    Raises:
        UsageError: It has not been played.
        GmError: No commit or record leads there, or hand edits prevent it.
    """
    day, is_open, _ = clock_of(now(layout, inside.CLOCK))
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
            no_way(entries, repository, ref),
        )
    if refused := [entry.problem for entry in entries[place:] if entry.problem]:
        raise GmError(
            "the record of what was changed cannot be read:\n  " + "\n  ".join(refused[:5]),
            "nothing was changed; a day that is a commit comes from there: gm advance-day --commit",
        )
    return moment_from_record(layout, repository, ref, entries, place)


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
        place = sum(1 for entry in entries if is_before(entry, ref))
    files |= counters_then(layout, entries, place, ref)
    notes = []
    other = [path for path in state.prints if not is_played(layout, path)]
    changed = sorted(path for path, data in state.read(other).items() if now(layout, path) != data)
    if changed:
        notes.append(f"{', '.join(changed)}: differs from then and stays as it is now; settings and prompts are yours")
    edits = tuple(Edit(path, since, kept=path not in files) for path, since in edited_since(layout, entries))
    return Moment(ref, FROM_COMMIT, state.commit, files, edits, place, tuple(notes))
