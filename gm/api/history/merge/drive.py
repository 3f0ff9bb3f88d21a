"""git's merge driver, and the settling of files that git merges without it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from gm.api.history.git import GitError, Repository, content_id, find_repository
from gm.api.history.merge.plan import Files, carry_over, make_plan
from gm.api.history.merge.world import Merged, merge_path, merge_worlds
from gm.api.history.states import is_part
from gm.files import relative_paths
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.uncommitted.temporary import temporary_folder

MERGE_AS_TEXT = "text"
_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD")
_GIVEN = "GITHEAD_"
_ROOTS = ("state", "gallery", "logbook")


@dataclass(frozen=True, slots=True)
class Versions:
    """Commits of a merge; ``base`` is empty without a common ancestor."""

    base: str
    ours: str
    theirs: str


def merge_file(top: Path, base: Path, ours: Path, theirs: Path, path: str) -> Merged:
    """Merge one file for git, writing the result to ``ours``.

    Without known commits (in a rebase of several commits), it is merged line by line, with conflict markers.
    """
    repository = find_repository(top, runs_programs=True)
    contents = tuple(disk.read_or_none(file) or b"" for file in (base, ours, theirs))
    try:
        merged = _merge_known(repository, path, contents[1], contents[2])
    except GitError as error:
        merged = replace(_merge_text(repository, path, *contents), notes=(error.message,))
    if merged.conflicts == (MERGE_AS_TEXT,):
        merged = _merge_text(repository, path, *contents)
    disk.replace(ours, merged.data or b"")
    return merged


def _merge_known(repository: Repository, path: str, ours: bytes, theirs: bytes) -> Merged:
    prefix = _find_world(repository, path)
    world = replace(repository, folder=repository.top / prefix, prefix=prefix)
    inside = path.removeprefix(prefix)
    base, our_files, their_files = _read_versions(world, _find_versions(world, inside, ours, theirs))
    base, their_files = carry_over(base, our_files, their_files)
    merged = merge_path(inside, make_plan(base, our_files, their_files), base, our_files, their_files)
    return replace(merged, conflicts=(MERGE_AS_TEXT,)) if merged.conflicts == (inside,) else merged


def settle(layout: Layout) -> list[str]:
    """Rename in files that git took from theirs, and place colliding artifacts beside ours.

    Works on the merge commit at HEAD, which is replaced, or on a merge about to be committed.

    Raises:
        GitError: git refused, or a file was edited meanwhile.
    """
    repository = find_repository(layout.root, runs_programs=True)
    versions = _merged_versions(repository)
    if versions is None:
        return []
    base, ours, theirs = _read_versions(repository, versions)
    head = repository.commit("HEAD")
    is_done = head != versions.ours
    now = repository.files(head) if is_done and head else _read_staged(repository)
    their_ids = repository.files(versions.theirs)
    changed: dict[str, bytes] = {}
    for path, merged in merge_worlds(base, ours, theirs).items():
        taken_over = ours.get(path) == base.get(path) and now.get(path) == their_ids.get(path) and path in theirs
        is_new = path not in theirs and merged.data != ours.get(path)
        if (
            merged.data is not None
            and not merged.conflicts
            and (taken_over or is_new)
            and merged.data != theirs.get(path)
        ):
            changed[path] = merged.data
    if not changed:
        return []
    for path, data in changed.items():
        target = layout.root / path
        if disk.read_or_none(target) not in (None, theirs.get(path)):
            raise GitError(f"{path} was edited meanwhile", "commit or undo the edit, then: gm git-settle")
        disk.make_folder(target.parent)
        disk.replace(target, data)
    repository.run("add", "--", *(repository.prefix + path for path in changed))
    if is_done and head:
        _commit_anew(repository, head)
    return sorted(changed)


def _read_versions(repository: Repository, versions: Versions) -> tuple[Files, Files, Files]:
    commits = (versions.base, versions.ours, versions.theirs)
    listed = [repository.files(commit) if commit else {} for commit in commits]
    paths = {path for files in listed for path in files if is_part(path)}
    wanted = {path for path in paths if len({files.get(path) for files in listed}) > 1}
    for path in tuple(wanted):
        if name := relative_paths.owner_of_memories(path):
            wanted |= {relative_paths.stream(name), relative_paths.archive(name)} & paths
    contents = repository.contents(files[path] for files in listed for path in sorted(wanted) if path in files)
    base, ours, theirs = (
        {path: contents[files[path]] for path in sorted(wanted) if files.get(path) in contents} for files in listed
    )
    return base, ours, theirs


def _find_world(repository: Repository, path: str) -> str:
    parts = path.split("/")
    for place, part in enumerate(parts[:-1]):
        prefix = "".join(f"{item}/" for item in parts[:place])
        if part in _ROOTS and repository.run("ls-tree", "HEAD", "--", f"{prefix}state/"):
            return prefix
    raise GitError(f"{path} belongs to no world", "the merge driver is for files in state/ and gallery/")


def _read_staged(repository: Repository) -> dict[str, str]:
    listed = {}
    for row in repository.run("ls-files", "-s", "-z").decode("utf-8", "surrogateescape").split("\0"):
        about, _, path = row.partition("\t")
        if path.startswith(repository.prefix) and about.endswith(" 0"):
            listed[path[len(repository.prefix) :]] = about.split()[1]
    return listed


def _merge_text(repository: Repository, path: str, base: bytes, ours: bytes, theirs: bytes) -> Merged:
    with temporary_folder("merge") as folder:
        files = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            file = folder / name
            disk.replace(file, data)
            files.append(str(file))
        labels = ("-L", "ours", "-L", "base", "-L", "theirs")
        fine = tuple(range(128))
        text = repository.run("merge-file", "-p", *labels, *files, fine=fine)
    return Merged(text, (path,) if b"\n<<<<<<< ours" in b"\n" + text else ())


def _commit_anew(repository: Repository, head: str) -> None:
    tree = repository.text("write-tree")
    parents = [item for parent in repository.parents(head) for item in ("-p", parent)]
    author = repository.text("show", "-s", "--format=%an%x00%ae%x00%ad", "--date=raw", head).split("\0")
    names = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE")
    message = repository.run("show", "-s", "--format=%B", head)
    made = repository.run(
        "commit-tree",
        tree,
        *parents,
        "-F",
        "-",
        data=message.rstrip(b"\n") + b"\n",
        extra=dict(zip(names, author, strict=True)),
    )
    repository.run("update-ref", "-m", "merge: names brought into line", "HEAD", made.decode().strip(), head)


def _find_versions(repository: Repository, path: str, ours: bytes, theirs: bytes) -> Versions:
    head = repository.commit("HEAD")
    if head is not None and _has_content(repository, head, path, ours):
        for commit, base in _find_candidates(repository, head):
            if _has_content(repository, commit, path, theirs):
                return Versions(base, head, commit)
    raise GitError(
        f"the commits that are merged could not be found for {path}",
        "merge branches one by one with git merge; a rebase or a cherry-pick of several days is not supported",
    )


def _merged_versions(repository: Repository) -> Versions | None:
    head, other = repository.commit("HEAD"), repository.commit("MERGE_HEAD")
    if head is None:
        return None
    parents = repository.parents(head)
    if other is not None and other not in parents:
        return Versions(repository.merge_base(head, other) or "", head, other)
    if len(parents) == 2:
        return Versions(repository.merge_base(*parents) or "", *parents)
    return None


def _find_candidates(repository: Repository, head: str) -> Iterator[tuple[str, str]]:
    given = [name.removeprefix(_GIVEN) for name in os.environ if name.startswith(_GIVEN)]
    for name in (*given, *_HEADS):
        commit = repository.commit(name)
        if commit is None or commit == head:
            continue
        parents = repository.parents(commit)
        if name in ("CHERRY_PICK_HEAD", "REBASE_HEAD") and parents:
            yield commit, parents[0]
        elif name == "REVERT_HEAD" and parents:
            yield parents[0], commit
        else:
            yield commit, repository.merge_base(head, commit) or ""


def _has_content(repository: Repository, commit: str, path: str, data: bytes) -> bool:
    return repository.files(commit).get(path) == content_id(data, commit)
