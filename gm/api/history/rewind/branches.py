"""Branches of a world: git work trees or plain copies."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from gm.api.history.git import GitError, Repository, find_repository, repository_around, split_nulls
from gm.api.history.rewind.apply_rewind import REWOUND_FOLDER, cut_record, whereabouts
from gm.api.history.rewind.moments import PastWorld, find_moment, is_restorable
from gm.api.history.states import newest_until
from gm.base.errors import GmError, UsageError
from gm.files import relative_paths
from gm.files.commits.snapshot import snapshot
from gm.files.formats import disk
from gm.files.formats.text import read_data
from gm.files.layout import GALLERY, Layout, is_world
from gm.files.questions.traces import read_carried
from gm.files.uncommitted.beside import editor_files
from gm.model.calendar import SceneRef, by_end, parse_ref

HEADS = "refs/heads/"
COPIED = ("gm.yaml", ".gitattributes", ".gitignore", "prompts", "library", "scripts", GALLERY, "logbook", "state")


@dataclass(frozen=True, slots=True)
class Branch:
    """A new world made from another one.

    Attributes:
        commit: None = a plain copy.
        changed: Number of files that differ from the commit.
    """

    branch: str
    world: str
    at: str
    commit: str | None
    changed: int


@dataclass(frozen=True, slots=True)
class WorkTree:
    """A work tree with this world; ``here`` = the current one."""

    branch: str | None
    world: str
    at: str
    here: bool


@dataclass(frozen=True, slots=True)
class Branches:
    """All work trees with a world."""

    branches: tuple[WorkTree, ...]


def make_branch(
    layout: Layout, name: str, ref: SceneRef | None = None, folder: str | PathLike[str] | None = None
) -> Branch:
    """Create a second world in the state of a moment (``gm branch``), leaving the first unchanged.

    Args:
        ref: None = the current state.
        folder: None = beside the repository, named after the branch.

    Raises:
        GitError: git refused.
        GmError: The folder is taken, or the moment cannot be restored.

    Examples:
        >>> made = gm.make_branch(layout, "what-if", gm.SceneRef(1), folder / "what-if")
        >>> made.at, gm.open_world(made.world).world.clock.day
        ('day-001', 1)
    """
    with snapshot(layout):
        target, repository = place_branch(layout, name, None if folder is None else Path(folder))
        moment = find_moment(layout, ref) if ref else None
        contents = _read_contents(layout, moment)
        if repository is None:
            _fill_folder(target, contents)
            return _describe_branch(name, Layout(target), None, 0)
        return _branch_off(layout, repository, name, target, moment, contents)


def place_branch(layout: Layout, name: str, folder: Path | None) -> tuple[Path, Repository | None]:
    """Return the folder of a new branch, and the repository around the world; errors as for ``make_branch``."""
    repository = repository_around(layout.root)
    if repository is not None:
        _check_branch(repository, name)
        target = folder or repository.top.with_name(f"{repository.top.name}-{name.replace('/', '-')}")
    elif folder is not None:
        target = folder
    else:
        raise UsageError("there is no git repository: the branch will be a plain copy", "say where: --dir DIR")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise GmError(f"{target} already exists", "choose another name, or another folder: --dir DIR")
    if layout.root.resolve() in target.resolve().parents and repository is None:
        raise GmError(f"{target} lies in the world itself", "choose a folder outside of it: --dir DIR")
    return target, repository


def list_branches(layout: Layout) -> Branches:
    """Return the work trees with this world; none without git."""
    repository = repository_around(layout.root)
    if repository is None:
        return Branches(())
    found = []
    for top, name in _list_worktrees(repository):
        root = top / repository.prefix
        if is_world(root):
            here = root.resolve() == layout.root.resolve()
            found.append(WorkTree(name or None, str(root), whereabouts(Layout(root)), here))
    return Branches(tuple(found))


def _branch_off(
    layout: Layout,
    repository: Repository,
    name: str,
    target: Path,
    moment: PastWorld | None,
    contents: Mapping[str, bytes],
) -> Branch:
    committed = moment.commit if moment else ""
    newest = newest_until(repository, layout, moment.ref) if moment and not committed else ""
    base = committed or newest or repository.commit("HEAD") or ""
    if not base or not any(path.startswith(relative_paths.STATE) for path in repository.files(base)):
        raise GitError("git knows nothing of this world yet", "commit it first: git add and git commit")
    repository.run("worktree", "add", "--quiet", "--no-checkout", "-b", name, "--", str(target.absolute()), base)
    try:
        # closed anew: an includeIf may hold in the new work tree alone
        find_repository(target).run("reset", "--hard", "--quiet", "--no-recurse-submodules")
        root = target / repository.prefix
        played = [] if committed else [path for path in repository.files(base) if is_restorable(layout, path)]
        gone = [path for path in played if path not in contents]
        for path in gone:
            disk.remove(root / path)
        wanted = {
            path: data
            for path, data in contents.items()
            if path.startswith(relative_paths.LOCAL)
            or (not committed and (is_restorable(layout, path) or not (root / path).exists()))
        }
        changed = len(gone) + _fill_folder(root, wanted)
    except BaseException:
        repository.run("worktree", "remove", "--force", "--", str(target.absolute()))
        repository.run("branch", "--quiet", "-D", "--", name)
        raise
    return _describe_branch(name, Layout(root), base, changed)


def _read_contents(layout: Layout, moment: PastWorld | None) -> dict[str, bytes]:
    left_out = (relative_paths.DERIVED, relative_paths.MAILBOX, f"{relative_paths.TRACES}{REWOUND_FOLDER}/")
    copied = (*_walk_files(layout.root / name for name in COPIED), *editor_files(layout))
    kept = (path for path in copied if not layout.shown(path).startswith(left_out))
    files: dict[str, bytes | None] = {
        layout.shown(path): read_data(path) for path in (*kept, *_walk_files([layout.changes, layout.reinforced]))
    }
    if moment:
        files |= {**moment.files, **cut_record(layout, moment.entries)}
        later = {path for path in map(_below_traces, files) if path and _is_later(path, moment.ref)}
        carried = sorted(later.union(read_carried(layout)))
        files[layout.shown(layout.carried)] = json.dumps({"paths": carried}).encode() if carried else None
    return {path: data for path, data in files.items() if data is not None}


def _below_traces(path: str) -> str:
    return path.removeprefix(relative_paths.TRACES) if path.startswith(relative_paths.TRACES) else ""


def _is_later(trace: str, ref: SceneRef) -> bool:
    """Return whether a trace is of a scene, or the close of a day, after a moment."""
    place = parse_ref(trace.rpartition("/")[0])
    return place is not None and by_end(str(place)) > by_end(str(ref))


def _fill_folder(root: Path, contents: Mapping[str, bytes]) -> int:
    count = 0
    with disk.explained(root):
        disk.make_folder(root / "state")
        for folder in (Layout(root).traces, Layout(root).derived):
            disk.make_private(folder)
        for path, data in contents.items():
            target = root / path
            if disk.read_or_none(target) == data:
                continue
            count += not path.startswith(relative_paths.LOCAL)
            disk.make_folder(target.parent)
            disk.replace(target, data)
    return count


def _walk_files(places: Iterable[Path]) -> Iterable[Path]:
    for place in places:
        if place.is_symlink():
            continue
        if place.is_dir():
            yield from _walk_files(sorted(place.iterdir()))
        elif place.is_file():
            yield place


def _describe_branch(name: str, layout: Layout, commit: str | None, changed: int) -> Branch:
    return Branch(name, str(layout.root), whereabouts(layout), commit, changed)


def _list_worktrees(repository: Repository) -> Iterator[tuple[Path, str]]:
    about: dict[str, str] = {}
    for row in [*repository.run("worktree", "list", "--porcelain", "-z").split(b"\0"), b""]:
        if row:
            key, _, value = split_nulls(row)[0].partition(" ")
            about[key] = value
        elif about:
            top = Path(about.get("worktree", ""))
            if top.is_dir() and "bare" not in about:
                yield top, about.get("branch", "").removeprefix(HEADS)
            about = {}


def _check_branch(repository: Repository, name: str) -> None:
    try:
        repository.run("check-ref-format", "--branch", name)
    except GitError as error:
        raise GitError(f"git takes no branch called {name!r}", "letters, digits, - and / make a good name") from error
    if name.startswith("-") or name == "HEAD":
        raise GitError(f"git takes no branch called {name!r}", "letters, digits, - and / make a good name")
    if repository.commit(f"{HEADS}{name}") is not None:
        raise GitError(f"there is a branch {name!r} already", "choose another name, or delete it: git branch -d")
