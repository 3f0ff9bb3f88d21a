"""The form of a step in the journal; what is read from there is checked, value by value."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from gm.base.texts import quoted
from gm.files.commits.steps import Append, Create, Move, Replace, Restore, SetValues, SetYaml, Step
from gm.files.formats.document import is_too_deep

LARGEST_FILE = 1 << 53
"""Upper limit of a file size, in bytes."""
_KINDS: dict[str, type[Step]] = {
    "append": Append,
    "set": SetValues,
    "create": Create,
    "replace": Replace,
    "yaml": SetYaml,
    "move": Move,
    "restore": Restore,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def render_step(step: Step) -> dict[str, Any]:
    """Return the journal's form of a step."""
    values = {one.name: getattr(step, one.name) for one in fields(step)}
    if not values.get("inside", True):
        del values["inside"]
    return {"kind": _NAMES[type(step)], **values}


def parse_step(record: Mapping[str, Any]) -> Step:
    """Parse a step of the journal, which is untrusted input.

    Raises:
        ValueError: Not a step.
    """
    values = dict(record)
    kind = values.pop("kind", None)
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown kind of step: {quoted(kind)}")
    known = {one.name: one.default is MISSING for one in fields(_KINDS[kind])}
    odd = sorted(values.keys() ^ known.keys())
    if any(key not in known or (known[key] and key not in values) for key in odd):
        raise ValueError(f"a step of kind {kind} has other keys than expected: {', '.join(odd)[:60]}")
    for key, value in values.items():
        if not _FORMS[key](value):
            raise ValueError(f"the {key} of a step of kind {kind} is invalid: {quoted(value)}")
    if values.get("packed"):
        b64decode(values["text"], validate=True)
    return _KINDS[kind](**values)


def _is_size(value: object) -> bool:
    return type(value) is int and 0 <= value <= LARGEST_FILE


def _is_text(value: object) -> bool:
    try:
        return isinstance(value, str) and value.encode() is not None
    except UnicodeEncodeError:
        return False


def _is_lines(value: object) -> bool:
    return isinstance(value, list) and all(_is_text(line) and "\n" not in line for line in value)


def _is_values(value: object) -> bool:
    return isinstance(value, dict) and not is_too_deep(value)


def _is_writable(value: object) -> bool:
    # values that were found in a file may hold an escaped surrogate; those to be written are encoded
    return _is_values(value) and _is_text(json.dumps(value, ensure_ascii=False))


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_FORMS: Mapping[str, Callable[[object], bool]] = {
    "path": _is_text,
    "to": _is_text,
    "at": _is_size,
    "text": _is_text,
    "gap": _is_text,
    "inside": _is_text,
    "old_sha256": _is_text,
    "lines": _is_lines,
    "old": _is_values,
    "new": _is_writable,
    "packed": _is_flag,
    "gone": _is_flag,
}
"""Checks by field name; a field has the same meaning in every kind of step."""
