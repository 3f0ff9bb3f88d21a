"""The steps of a commit: what each does to a file, as pure functions over bytes.

Every step can be carried out again, on a file on which it was carried out before, wholly or in part, and even on one
that a person has edited since: what is there already is not written twice, and what a person wrote is not undone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from gm.store.document import set_values
from gm.store.yamlmap import change_mapping, plain, read_mapping


@dataclass(frozen=True, slots=True)
class Append:
    """Append whole lines to a file. ``at`` is the size it had when the step was made, in bytes."""

    path: str
    at: int
    text: str


@dataclass(frozen=True, slots=True)
class SetValues:
    """Change values of a JSON document. ``old`` are the values they had when the step was made.

    Attributes:
        inside: Key of the object of the document that holds the values, which is made where there is none; empty =
            the document itself.
    """

    path: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]
    inside: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """Make a new file. An existing one is left alone."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Put a new text in the place of the one that was read; ``old_sha256`` names it.

    A file that somebody changed meanwhile is left alone.
    """

    path: str
    old_sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class SetYaml:
    """Change top-level values of a YAML document that people edit too.

    ``old`` are the values they had when the step was made, as far as they stood there; a key of ``old`` that is not in
    ``new`` goes.
    """

    path: str
    old: Mapping[str, Any]
    new: Mapping[str, Any]


Step = Append | SetValues | Create | Replace | SetYaml
KINDS: dict[str, type[Append | SetValues | Create | Replace | SetYaml]] = {
    "append": Append,
    "set": SetValues,
    "create": Create,
    "replace": Replace,
    "yaml": SetYaml,
}
_NAMES = {kind: name for name, kind in KINDS.items()}


@dataclass(frozen=True, slots=True)
class Overruled:
    """A value that was not written, because a person changed it meanwhile."""

    path: str
    key: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        theirs = json.dumps(self.theirs, ensure_ascii=False)
        return f"{self.path}: {self.key} was edited meanwhile and stays {theirs}"


def sha256(data: bytes) -> str:
    """Name a text by its content."""
    return hashlib.sha256(data).hexdigest()


def missing_tail(step: Append, old: bytes) -> bytes:
    """Tell what an append still has to add to a file.

    Nothing where all its lines are there, in whatever place; the rest where an interrupted append left a part.
    """
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


def carry_out(step: Step, old: bytes | None) -> tuple[bytes | None, list[Overruled]]:
    """Carry out a step on the content of its file.

    Args:
        step: What to do.
        old: What is in the file; None when there is none.

    Returns:
        What is to be in the file, and what was left as a person made it.

    Raises:
        UnreadableError: The file is broken, so that no value of it can be changed.
    """
    match step:
        case Append():
            return (old or b"") + missing_tail(step, old or b""), []
        case Create():
            return (step.text.encode() if old is None else old), []
        case Replace():
            if old is not None and sha256(old) != step.old_sha256:
                done = old == step.text.encode()
                return old, [] if done else [Overruled(step.path, "text", "", "as it was edited")]
            return step.text.encode(), []
        case SetValues():
            return _set(step, old)
        case SetYaml():
            return _set_yaml(step, old)


class UnreadableError(ValueError):
    """A document that a step has to change is no JSON object (any more)."""


def _set(step: SetValues, old: bytes | None) -> tuple[bytes, list[Overruled]]:
    try:
        text = (old or b"").decode("utf-8")
        now = json.loads(text.removeprefix("\ufeff")) if text.strip("\ufeff \t\r\n") else {}
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{step.path} cannot be read: {error}") from error
    if not isinstance(now, dict):
        raise UnreadableError(f"{step.path} is not a JSON object")
    held = now.get(step.inside, {}) if step.inside else now
    if not isinstance(held, dict):
        raise UnreadableError(f"{step.path}: {step.inside} is not a JSON object")
    values: dict[str, Any] = {}
    overruled: list[Overruled] = []
    for key, value in step.new.items():
        if key in held and key in step.old and held[key] not in (step.old[key], value):
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
            if key in now and plain(now[key]) not in (step.old.get(key, now), step.new.get(key, now)):
                overruled.append(Overruled(step.path, key, step.new.get(key), plain(now[key])))
            elif key in step.new:
                changed[key] = step.new[key]
            else:
                gone.append(key)
        return change_mapping(text, changed, gone).encode(), overruled
    except ValueError as error:
        raise UnreadableError(f"{step.path}: {error}") from error


def render_step(step: Step) -> dict[str, Any]:
    """Put a step into the form of the journal."""
    values = asdict(step)
    if not values.get("inside", True):
        del values["inside"]
    return {"kind": _NAMES[type(step)], **values}


def parse_step(record: Mapping[str, Any]) -> Step:
    """Read a step from the journal."""
    values = dict(record)
    return KINDS[values.pop("kind")](**values)
