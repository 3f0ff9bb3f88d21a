"""The three versions of a merge."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from gm.api.history.git.repository import GitError, Repository, content_id

_HEADS = ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REBASE_HEAD", "REVERT_HEAD")
_GIVEN = "GITHEAD_"


@dataclass(frozen=True, slots=True)
class Versions:
    """Commits of a merge; ``base`` is empty without a common ancestor."""

    base: str
    ours: str
    theirs: str


def versions_for(repository: Repository, path: str, ours: bytes, theirs: bytes) -> Versions:
    """Return the versions while git merges one file.

    git passes contents, but no commits, to a merge driver: candidates are verified by these contents.

    Raises:
        GitError: No commits have these contents.
    """
    head = repository.commit("HEAD")
    if head is not None and _has(repository, head, path, ours):
        for commit, base in _candidates(repository, head):
            if _has(repository, commit, path, theirs):
                return Versions(base, head, commit)
    raise GitError(
        f"the commits that are merged could not be found for {path}",
        "merge branches one by one with git merge; a rebase or a cherry-pick of several days is not supported",
    )


def merged_versions(repository: Repository) -> Versions | None:
    """Return the versions of the merge under way, or of HEAD if it is a merge; else None."""
    head, other = repository.commit("HEAD"), repository.commit("MERGE_HEAD")
    if head is None:
        return None
    parents = repository.parents(head)
    if other is not None and other not in parents:
        return Versions(repository.merge_base(head, other) or "", head, other)
    if len(parents) == 2:
        return Versions(repository.merge_base(*parents) or "", *parents)
    return None


def _candidates(repository: Repository, head: str) -> Iterator[tuple[str, str]]:
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


def _has(repository: Repository, commit: str, path: str, data: bytes) -> bool:
    return repository.files(commit).get(path) == content_id(data, commit)
