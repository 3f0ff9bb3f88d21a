"""Save a text file of a world as a person edits it, checked before it is written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from gm.api.editing.check.whole import check_world
from gm.api.editing.desk import editing
from gm.api.editing.schema import file_schema
from gm.base.errors import GmError, Problem, UsageError, errors_in
from gm.files import editable
from gm.files.commits.steps import Create, replace_step
from gm.files.editable import EditableFile, body_of, editable_files, read_editable
from gm.files.formats.text import BOM, overlaid, read_text, sha256
from gm.files.formats.yamledit import set_yaml
from gm.files.formats.yamlmap import read_mapping
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.layers.declare import LINES

COMMAND = "edit a file"
BROKEN = "with this text, a day could not be played as the files say"
_SCHEMAS = {
    editable.SETTINGS: "settings",
    editable.PERSONA: "persona",
    editable.SCENE_TYPE: "scene-type",
    editable.SCRIPT: "script",
    editable.BOARD: "board",
    editable.CALENDAR: "world",
}
_WITH_HISTORY = (editable.LAYER, editable.BOARD, editable.CALENDAR)
"""Kinds whose rules need memories or logbooks."""
_LINE_END = re.compile(r"(\r\n|\r|\n)")


class StaleTextError(GmError):
    """A file was changed since it was read; ``now`` is its text, None = gone or unreadable."""

    kind = "changed"

    def __init__(self, path: str, now: str | None) -> None:
        what = f"{path} is gone or cannot be read" if now is None else f"{path} was changed meanwhile"
        super().__init__(f"{what}; nothing was written", "look at what stands there now, and decide again")
        self.path = path
        self.now = now


class BrokenTextError(GmError):
    """A text has errors that keep a day from being played; nothing was written."""

    kind = "text"


@dataclass(frozen=True, slots=True)
class OpenedText:
    """A file opened for editing.

    Attributes:
        text: With LF line ends, without byte order mark; empty if there are ``problems``.
        digest: Of the exact content, for ``save_text``.
    """

    text: str
    digest: str
    problems: tuple[Problem, ...] = ()


def open_text(layout: Layout, file: EditableFile) -> OpenedText:
    """Read a file for editing."""
    text, problems = read_editable(layout, file)
    return OpenedText(body_of(text), sha256(text.encode()), tuple(problems))


def schema_for(file: EditableFile) -> Mapping[str, object] | None:
    """Return the JSON Schema of a file, or of its front matter; None without one, and for files of lines."""
    layer = next((layer for layer in LAYERS if layer.name == file.layer), None)
    if layer is None:
        return file_schema(_SCHEMAS[file.kind]) if file.kind in _SCHEMAS else None
    if layer.file.ending == LINES:
        return None
    return file_schema(layer.file.record.name if layer.file.form is None and layer.file.record else layer.name)


def list_problems(layout: Layout) -> dict[str, list[Problem]]:
    """Return the problems of editable files by path.

    Memories and logbooks are not read, so that some rules know only errors.
    """
    files = {file.path: file for file in editable_files(layout)}
    found = defaultdict(list)
    for problem in check_world(layout, history=False).problems:
        if problem.path in files and (problem.severity == "error" or not needs_history(files[problem.path])):
            found[problem.path].append(problem)
    return dict(found)


def check_text(layout: Layout, file: EditableFile, text: str) -> tuple[Problem, ...]:
    """Return the problems that ``gm check`` would name in a file if it had this text; nothing is written.

    Reads as little as ``list_problems``.
    """
    own = [problem for problem in _check_text(layout, file, text, history=False) if problem.path == file.path]
    return tuple(errors_in(own) if needs_history(file) else own)


def save_text(
    layout: Layout, file: EditableFile, text: str, expected: str, *, despite: bool = False
) -> tuple[Problem, ...]:
    """Save an edited text, and return its problems.

    A line that stays keeps its line end, and the file its byte order mark.

    Args:
        text: With LF line ends.
        expected: Digest of the content that was edited.
        despite: Save a text with errors.

    Raises:
        StaleTextError: The file has another content by now.
        BrokenTextError: The text has errors, here or, because of it, in other files.
        UsageError: It is too long, or no text.
    """
    if len(text.encode("utf-8", "replace")) > editable.MOST_EDITED_BYTES or "\0" in text:
        raise UsageError(f"{file.path}: no text, or longer than {editable.MOST_EDITED_BYTES:,} bytes", "shorten it")
    with editing(layout, COMMAND) as desk:
        if file not in editable_files(layout):
            raise StaleTextError(file.path, None)
        old, problems = read_editable(layout, file)
        if problems:
            raise StaleTextError(file.path, None)
        new = with_line_ends_of(old, body_of(text))
        if old == new:
            return ()
        if sha256(old.encode()) != expected:
            raise StaleTextError(file.path, old)
        found = _check_text(layout, file, new, history=needs_history(file))
        own = tuple(problem for problem in found if problem.path == file.path)
        errors = errors_in(own) or _new_errors(layout, found, history=needs_history(file))
        if errors and not despite:
            raise BrokenTextError(BROKEN, "correct these places, or save it all the same", errors)
        desk.commit([replace_step(layout, layout.root / file.path, old, new)], recorded=False)
        return own


def change_settings(layout: Layout, command: str, keys: tuple[str, ...], value: object) -> None:
    """Change one value of ``gm.yaml``; every other byte stays.

    Args:
        keys: Its key, below the keys of its sections; missing sections are added.

    Raises:
        UsageError: It cannot be changed in place, or does not fit.
    """
    with editing(layout, command) as desk:
        path = layout.settings
        shown = layout.shown(path)
        desk.need(path)
        old, _ = read_text(path, shown)
        try:
            text = _with_value(old.content, keys, value)
        except ValueError as error:
            raise UsageError(f"{shown}: {error}", "write it into the file by hand; nothing was changed") from error
        with overlaid({path: text.encode()}):
            after = check_world(layout, history=False).problems
        if errors := _new_errors(layout, after, history=False):
            raise BrokenTextError(BROKEN, "choose another value", errors)
        step = replace_step(layout, path, old.content, text) if old.exists else Create(shown, text)
        desk.commit([step], recorded=False)


def with_line_ends_of(old: str, text: str) -> str:
    """Return a text with LF line ends in the form of an earlier one: with its byte order mark and line ends."""
    mark = BOM if old.startswith(BOM) else ""
    parts = _LINE_END.split(old.removeprefix(BOM))
    lines, ends = parts[::2], parts[1::2]
    if len(set(ends)) <= 1:
        return mark + (text.replace("\n", ends[0]) if ends else text)
    wanted = text.split("\n")
    found = [""] * len(wanted)
    for tag, first, _, second, end in SequenceMatcher(None, lines, wanted, autojunk=False).get_opcodes():
        for place in range(second, end):
            before = min(first + place - second, len(ends) - 1) if tag == "equal" else min(first, len(ends) - 1)
            found[place] = ends[before]
    found[-1] = ""
    for place in range(len(wanted) - 2, -1, -1):
        if found[place] == "\r" and not wanted[place + 1] and found[place + 1] == "\n":
            found[place] = "\n"  # the two would be one line end
    return mark + "".join(line + end for line, end in zip(wanted, found, strict=True))


def _with_value(text: str, keys: tuple[str, ...], value: object) -> str:
    data: object = read_mapping(text)
    for depth, key in enumerate(keys[:-1], 1):
        data = data.get(key) if isinstance(data, dict) else None
        if data is None:  # the section is missing, or says nothing
            for missing in reversed(keys[depth:]):
                value = {missing: value}
            return set_yaml(text, keys[:depth], value)
    return set_yaml(text, keys, value)


def _check_text(layout: Layout, file: EditableFile, text: str, *, history: bool) -> tuple[Problem, ...]:
    with overlaid({layout.root / file.path: text.encode("utf-8", "replace")}):
        return check_world(layout, history=history).problems


def _new_errors(layout: Layout, after: Iterable[Problem], *, history: bool) -> list[Problem]:
    """Return the errors that the world as it is does not have."""
    errors = errors_in(after)
    now = {_without_place(problem) for problem in check_world(layout, history=history).problems} if errors else set()
    return [problem for problem in errors if _without_place(problem) not in now]


def needs_history(file: EditableFile) -> bool:
    """Return whether the rules of a file need memories or logbooks, so that a check takes as long as they are."""
    return file.kind in _WITH_HISTORY


def _without_place(problem: Problem) -> tuple[str, ...]:
    return problem.path, problem.severity, problem.code, problem.message
