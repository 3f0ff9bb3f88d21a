"""Rules for artifacts: their entries name existing files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from gm.base.errors import Problem
from gm.files.check.files import Files, FrequentProblems, StreamFile, Suspect
from gm.files.check.streams import is_not_lived
from gm.layers.rules import Finding


def judge(value: object, files: Files) -> Iterator[Finding]:
    """Check an entry that names an artifact: a path, a bare name, an object with a path, or a folder."""
    if isinstance(value, dict):
        yield Finding((), "artifact-object", "an artifact is given as an object; its path counts", severity="info")
        path = value.get("path")
        if isinstance(path, str):
            yield from (replace(item, keys=("path", *item.keys)) for item in judge(path, files))
        return
    if not isinstance(value, str) or not value.strip():
        message = f"{value!r} names no artifact, expected a path like gallery/concepts/day-003_towers_v1.md"
        yield Finding((), "artifact-form", message)
        return
    target = files.layout.root / value
    if value.startswith("/") or ".." in value.split("/"):
        message = f"{value!r} leads out of the world"
        yield Finding((), "artifact-outside", message, "keep artifacts below gallery/")
    elif value.endswith("/") or _answer_or_false(target.is_dir):
        yield Finding((), "artifact-folder", f"{value!r} is a folder, not one file", severity="info")
    elif "/" not in value:
        if not _answer_or_false(target.exists):
            message = f"{value!r} is a bare name, not a path: its file cannot be looked up"
            yield Finding((), "artifact-name", message, severity="info")
    elif not _answer_or_false(target.exists):
        yield Finding((), "artifact-missing", f"{value} does not exist", "was it moved or renamed?")


def judge_again(value: object, files: Files) -> Iterator[Finding]:
    """Check an entry in a logbook or the clock, without missing files already reported at a memory."""
    return (
        item for item in judge(value, files) if not (item.code == "artifact-missing" and _path_in(value) in files.made)
    )


def _answer_or_false(question: Callable[[], bool]) -> bool:
    """Some names are invalid for the file system, for example too long."""
    try:
        return question()
    except (OSError, ValueError):
        return False


def _path_in(value: object) -> object:
    return value.get("path") if isinstance(value, dict) else value


def check_artifact_memory(
    line: Suspect, stream: StreamFile, files: Files, _often: FrequentProblems
) -> Iterator[Problem]:
    """An artifact memory names its file in ``metadata.artifact_path``."""
    metadata = line.record["metadata"]
    if line.record["type"] != "artifact" or is_not_lived(metadata):
        return
    if metadata.get("artifact_path") is None:
        message = "an artifact without metadata.artifact_path: its file cannot be looked up"
        yield stream.at(line, ("metadata",), "info", "artifact-bare", message)
        return
    for item in judge(metadata["artifact_path"], files):
        keys = ("metadata", "artifact_path", *item.keys)
        yield stream.at(line, keys, item.severity, item.code, item.message, item.hint)


SUSPECT_RULES = (check_artifact_memory,)
