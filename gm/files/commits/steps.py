"""The steps of a commit, as pure functions over file contents."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.base.regular import open_regular
from gm.base.texts import clip
from gm.files.formats import disk
from gm.files.formats.jsonedit import set_values
from gm.files.formats.text import BOM, read_data, sha256
from gm.files.formats.yamlmap import change_mapping, read_mapping, to_json_types
from gm.files.layout import Layout

BOM_BYTES = "\ufeff".encode()


@dataclass(frozen=True, slots=True)
class Append:
    """Append whole lines to a file that had ``at`` bytes when the step was made."""

    path: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class SetValues:
    """Change values of a JSON document, or of its object ``inside``, unless they differ from ``old``."""

    path: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    inside: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """Create a file; an existing one is left alone."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace the text of a file, unless its digest is no longer ``old_sha256``."""

    path: str
    old_sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class SetYaml:
    """Change top-level values of a YAML document, unless they differ from ``old``.

    A key of ``old`` that is not in ``new`` is removed.
    """

    path: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Move:
    """Move whole lines to the end of another file. Lines changed meanwhile stay.

    Lines are appended before they are removed; repeating the step duplicates none.

    Attributes:
        at: Size of the target when the step was made, in bytes.
        gap: Line end that the target's last line lacks.
        lines: Without line feeds.
    """

    path: str
    to: str
    at: int
    gap: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Restore:
    """Restore an earlier content of a file, or remove it, unless it was changed meanwhile.

    Attributes:
        old_sha256: Digest of the present content; "" = absent.
        text: Base64 if ``packed``, for content that is not UTF-8.
    """

    path: str
    old_sha256: str
    text: str
    packed: bool = False
    gone: bool = False


OneFile = Append | SetValues | Create | Replace | SetYaml | Restore
Step = OneFile | Move


@dataclass(frozen=True, slots=True)
class Overruled:
    """A value that was not written because the user changed it meanwhile.

    Attributes:
        key: Of the value; empty = a line, which ``ours`` is, or the whole file.
    """

    path: str
    key: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        if not self.key:
            line = f": {clip(self.ours)}" if self.ours else ""
            return f"{self.path} was edited meanwhile and stays as it is{line}"
        theirs = json.dumps(self.theirs, ensure_ascii=False)
        return f"{self.path}: {self.key} was edited meanwhile and stays {theirs}"


def missing_tail(step: Append, old: bytes) -> bytes:
    """Return the lines that an append still has to add, or the rest of a partial append."""
    wanted = step.text.encode()
    if len(old) == step.at:
        return wanted
    tail = old[step.at :] if len(old) > step.at else b""
    if tail and wanted.startswith(tail):
        return wanted[len(tail) :]
    there = set(old.split(b"\n"))
    lines = [line for line in wanted.split(b"\n") if line.strip() and line not in there]
    if not lines:
        return b""
    gap = b"\n" if old and not old.endswith(b"\n") else b""
    return gap + b"".join(line + b"\n" for line in lines)


@dataclass(frozen=True, slots=True)
class TakenLines:
    """The result of taking the lines of a move."""

    rest: bytes
    added: Append
    missing: tuple[str, ...]


def take_lines(step: Move, source: bytes) -> TakenLines:
    """Take the lines of a move out of the source; every other byte stays."""
    mark = BOM_BYTES if source.startswith(BOM_BYTES) else b""
    wanted = Counter(line.encode() for line in step.lines)
    found, rest = [], []
    for line in source[len(mark) :].split(b"\n"):
        if wanted[line] > 0:
            wanted[line] -= 1
            found.append(line.decode())
        else:
            rest.append(line)
    text = step.gap + "".join(f"{line}\n" for line in found) if found else ""
    missing = tuple(line.decode() for line, count in wanted.items() if count > 0)
    return TakenLines(mark + b"\n".join(rest), Append(step.to, step.at, text), missing)


def find_left_behind(step: Move, taken: TakenLines, target: bytes) -> list[Overruled]:
    """Return the missing lines that are not in the target: the user changed them meanwhile."""
    there = set(target.split(b"\n")) if taken.missing else set()
    changed = [line for line in taken.missing if line.encode() not in there]
    return [Overruled(step.path, "", line, None) for line in changed]


def line_key(line: bytes) -> str:
    """Return the part of a line that survives edits, a memory's id or a scene's number; else ""."""
    with suppress(ValueError, RecursionError):
        record = json.loads(line) if line.startswith((b"{", BOM_BYTES)) else None
        if isinstance(record, dict) and "description" in record and isinstance(record.get("id"), str):
            return f"memory {record['id']}"
        if isinstance(record, dict) and type(record.get("scene")) is int:
            return f"scene {record['scene']}"
    return ""


def paths_of(step: Step) -> tuple[str, ...]:
    """Return the paths of the files that a step changes."""
    return (step.path, step.to) if isinstance(step, Move) else (step.path,)


Outcome = tuple[bytes | None, list[Overruled]]


class CachedSteps:
    """``carry_out`` with cached results, for describing a commit first."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[OneFile, bytes | None, Outcome]] = {}

    def __call__(self, step: OneFile, old: bytes | None) -> Outcome:
        known = self._known.get(id(step))
        if known is None or known[0] is not step or known[1] != old:
            known = self._known[id(step)] = step, old, carry_out(step, old)
        return known[2]


def carry_out_all(
    step: Step, read: Callable[[str], bytes | None], work: Callable[[OneFile, bytes | None], Outcome] | None = None
) -> tuple[dict[str, bytes | None], list[Overruled]]:
    """Apply a step to the contents of all its files.

    Returns:
        New contents in the order of writing, None = remove; and values left alone.

    Raises:
        BrokenFileError: As ``carry_out``.
    """
    if not isinstance(step, Move):
        new, overruled = (work or carry_out)(step, read(step.path))
        return ({} if new is None and not isinstance(step, Restore) else {step.path: new}), overruled
    taken = take_lines(step, read(step.path) or b"")
    target = read(step.to)
    new = (target or b"") + missing_tail(taken.added, target or b"") if taken.added.text else target
    contents: dict[str, bytes | None] = {} if new is None else {step.to: new}
    if taken.added.text:
        contents[step.path] = taken.rest
    return contents, find_left_behind(step, taken, new or b"")


def carry_out(step: OneFile, old: bytes | None) -> Outcome:
    """Return the new content of the step's file (None = absent) and the values left alone.

    Raises:
        BrokenFileError: The file is broken.
    """
    match step:
        case Append():
            return (old or b"") + missing_tail(step, old or b""), []
        case Create():
            return (step.text.encode() if old is None else old), []
        case Replace():
            if old is not None and sha256(old) != step.old_sha256:
                done = old == step.text.encode()
                return old, [] if done else [Overruled(step.path, "", "", None)]
            return step.text.encode(), []
        case Restore():
            return _restore(step, old)
        case SetValues():
            return _set_json(step, old)
        case SetYaml():
            return _set_yaml(step, old)


def _restore(step: Restore, old: bytes | None) -> tuple[bytes | None, list[Overruled]]:
    wanted = None if step.gone else b64decode(step.text, validate=True) if step.packed else step.text.encode()
    if old != wanted and ("" if old is None else sha256(old)) != step.old_sha256:
        return old, [Overruled(step.path, "", "", None)]
    return wanted, []


def restore_step(path: str, old: bytes | None, new: bytes | None) -> Restore:
    """Return the step that restores ``new`` over ``old``; None = absent."""
    name = "" if old is None else sha256(old)
    if new is None:
        return Restore(path, name, "", gone=True)
    try:
        return Restore(path, name, new.decode("utf-8"))
    except UnicodeDecodeError:
        return Restore(path, name, b64encode(new).decode("ascii"), packed=True)


class BrokenFileError(ValueError):
    """A document with values to change is broken."""


def _is_either(value: object, *known: object) -> bool:
    return any(_is_same(value, one) for one in known)


def _is_same(value: object, other: object) -> bool:
    """Return whether two values are equal to a person; to Python, true equals 1, however deep it stands."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_is_same(value[key], other[key]) for key in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_is_same, value, other))
    return value == other and isinstance(value, bool) == isinstance(other, bool)


def _set_json(step: SetValues, old: bytes | None) -> tuple[bytes, list[Overruled]]:
    try:
        text = (old or b"").decode("utf-8")
        now = json.loads(text.removeprefix("\ufeff")) if text.strip("\ufeff \t\r\n") else {}
    except (ValueError, RecursionError) as error:
        raise BrokenFileError(f"{step.path} cannot be read: {error}") from error
    if not isinstance(now, dict):
        raise BrokenFileError(f"{step.path} is not a JSON object")
    held = now.get(step.inside, {}) if step.inside else now
    if not isinstance(held, dict):
        raise BrokenFileError(f"{step.path}: {step.inside} is not a JSON object")
    values: dict[str, Any] = {}
    overruled: list[Overruled] = []
    for key, value in step.new.items():
        if key in held and key in step.old and not _is_either(held[key], step.old[key], value):
            shown = f"{step.inside}.{key}" if step.inside else key
            overruled.append(Overruled(step.path, shown, value, held[key]))
        else:
            values[key] = value
    if step.inside:
        values = {step.inside: {**held, **values}}
    return set_values(text, values).encode(), overruled


def _set_yaml(step: SetYaml, old: bytes | None) -> tuple[bytes, list[Overruled]]:
    try:
        text = (old or b"").decode("utf-8")
        now = read_mapping(text)
        changed: dict[str, Any] = {}
        gone: list[str] = []
        overruled: list[Overruled] = []
        for key in dict.fromkeys((*step.new, *step.old)):
            known = [values[key] for values in (step.old, step.new) if key in values]
            if key in now and not _is_either(to_json_types(now[key]), *known):
                overruled.append(Overruled(step.path, key, step.new.get(key), to_json_types(now[key])))
            elif key in step.new:
                changed[key] = step.new[key]
            else:
                gone.append(key)
        return change_mapping(text, changed, gone).encode(), overruled
    except ValueError as error:
        raise BrokenFileError(f"{step.path}: {error}") from error


def read_exactly(path: Path) -> str:
    """Read a file with its byte order mark and line ends.

    Raises:
        ValueError: It is not UTF-8.
        OSError: It cannot be read.
    """
    return read_data(path).decode("utf-8")


def line_at(text: str, number: int) -> str:
    """Return a line by number, from 1, without line end and byte order mark."""
    return text.split("\n")[number - 1].removeprefix(BOM).removesuffix("\r")


def replace_lines(text: str, lines: Mapping[int, str]) -> str:
    """Replace lines by number, from 1; each keeps its line end."""
    # only line feeds: str.splitlines also splits on U+2028, which may occur in a memory
    parts = text.split("\n")
    for number, line in lines.items():
        old = parts[number - 1]
        mark = BOM if number == 1 and old.startswith(BOM) else ""
        parts[number - 1] = mark + line + ("\r" if old.endswith("\r") else "")
    return "\n".join(parts)


def without_line(text: str, number: int) -> str:
    """Remove a line by number, from 1; a byte order mark stays."""
    parts = text.split("\n")
    mark = BOM if number == 1 and parts[0].startswith(BOM) else ""
    return mark + "\n".join(parts[: number - 1] + parts[number:])


def replace_step(layout: Layout, path: Path, old: str, new: str) -> Replace:
    """Return the step that replaces the text ``old``, as read from the file."""
    return Replace(layout.shown(path), sha256(old.encode()), new)


def append_step(layout: Layout, path: Path, lines: Sequence[str]) -> Append:
    """Return the step that appends lines in the line ends of the file."""
    size = disk.size_of(path)
    end = _read_end(path, size)
    newline = "\r\n" if b"\r\n" in end else "\n"
    text = "".join(line + newline for line in lines)
    if end and not end.endswith(b"\n"):
        text = newline + text
    return Append(layout.shown(path), size, text)


def move_step(layout: Layout, path: Path, to: Path, lines: Sequence[str]) -> Move:
    """Return the step that moves whole lines to the end of another file."""
    size = disk.size_of(to)
    end = _read_end(to, size)
    gap = "\n" if end and not end.endswith(b"\n") else ""
    return Move(layout.shown(path), layout.shown(to), size, gap, tuple(lines))


def _read_end(path: Path, size: int) -> bytes:
    if not size:
        return b""
    with open(path, "rb", buffering=0, opener=open_regular) as file:
        file.seek(max(0, size - 4096))
        return file.readall()
