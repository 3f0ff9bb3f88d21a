"""What a played world has lost, and what its clone lacks."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

from gm.base.config import Settings
from gm.base.errors import Problem, Severity
from gm.base.texts import MERGE_ANEW
from gm.files.formats.text import is_there, read_readable
from gm.files.layout import Layout, find_git_folder
from gm.files.story.now import is_other_weekday, load_clock, report_lost_logbooks


def describe_missing(layout: Layout) -> list[str]:
    """Return a sentence for each file that a played world lacks."""
    missing = [str(problem) for problem in report_lost_logbooks(layout)]
    if not is_there(layout.settings) and layout.logged_days() and _had_settings(layout):
        missing.append(f"gm.yaml is absent: all settings are the defaults, with language: {Settings().language}")
    return missing


def _had_settings(layout: Layout) -> bool:
    """Return whether the clock or git knows of a ``gm.yaml``."""
    if is_other_weekday(Settings(), load_clock(layout)[0]):
        return True
    from gm.api.history.git import repository_around

    repository = repository_around(layout.root)
    return bool(
        repository
        and repository.run("ls-files", "-z", "--", f"{repository.prefix}{layout.settings.name}", fine=(0, 128))
    )


def report_no_driver(layout: Layout) -> list[Problem]:
    """Return the problem of a world that wants to be merged by gm, in a repository that does not know how."""
    attributes = layout.root / ".gitattributes"
    if b"merge=gm-stream" not in read_readable(attributes) or find_git_folder(layout) is None:
        return []
    from gm.api.history.git import GitError, find_repository, run_git

    with suppress(GitError):
        if run_git(layout.root, ["config", "--get", "merge.gm-stream.driver"], fine=(0, 1)):
            return []
        repository = find_repository(layout.root)
        is_merging = repository.commit("MERGE_HEAD") is not None
        if is_merging or repository.run("remote"):  # else nothing is pulled
            message = "this clone does not know how gm merges days that were played apart"
            hint = f"do not merge by hand: {MERGE_ANEW}" if is_merging else "once in each clone: gm git-setup"
            severity: Severity = "warning" if is_merging else "info"
            return [Problem(layout.shown(attributes), 0, 0, severity, "merge-driver", message, hint)]
    return []


def name_merge(layout: Layout, problems: Iterable[Problem]) -> list[Problem]:
    """Return the problem of ``report_no_driver`` and these.

    While git merges without the driver, nothing is resolved by hand: of a file with both versions, only the first mark
    is kept, without its hint.
    """
    missing, kept = report_no_driver(layout), list(problems)
    if missing and missing[0].severity == "warning":
        marks: dict[str, Problem] = {}
        for problem in kept:
            if problem.code == "merge-conflict":
                marks.setdefault(problem.path, replace(problem, hint=""))
        kept = [*marks.values(), *(problem for problem in kept if problem.path not in marks)]
    return [*missing, *kept]
