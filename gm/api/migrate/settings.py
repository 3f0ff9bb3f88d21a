"""What a migration changes in ``gm.yaml``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import yaml

from gm.api.migrate.rewritten import Rewritten
from gm.base.config import FORMAT, Settings
from gm.base.config.declare import SettingsSection, setting_key
from gm.base.frontmatter import load_safely
from gm.files.forms.splice import is_same
from gm.files.forms.text import BOM
from gm.files.forms.yamledit import set_yaml

_KEY = "format"
_FIRST = re.compile(r"^(?![ \t]*(?:#|\r?$)|---|%)", re.MULTILINE)
"""Beginning of the first line that is no comment and no mark of the document."""


def remove_gone(path: str, text: str) -> Rewritten:
    """Remove the settings of earlier versions that can no longer be set (``SettingsSection.GONE``)."""
    count, left = 0, []
    for above, name in [*_gone(Settings, _read(text))]:
        held: Any = _read(text)
        for key in above:
            held = held[key]
        try:
            text = set_yaml(text, above, {key: value for key, value in held.items() if key != name})
            count += 1
        except ValueError as error:
            left.append(f"{path}: {'.'.join((*above, name))} stays as it is: {error}")
    return Rewritten(text, count, tuple(left))


def write_format(path: str, text: str) -> Rewritten:
    """Write the present format into ``gm.yaml``, above all other settings; a number that is there is replaced."""
    data = _read(text)
    if _KEY not in data:
        mark = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        first = _FIRST.search(body)
        at = first.start() if first else len(body)
        line = f"{_KEY}: {FORMAT}" + ("\r\n" if "\r\n" in body else "\n")
        longer = f"{mark}{body[:at]}{line}{body[at:]}"
        if is_same(_read(longer), {_KEY: FORMAT, **data}):
            return Rewritten(longer, 1)
    try:
        return Rewritten(set_yaml(text, (_KEY,), FORMAT), 1)
    except ValueError as error:
        return Rewritten(text, 0, (f"{path}: {_KEY} is not written: {error}",))


def _read(text: str) -> Mapping[Any, Any]:
    try:
        data = load_safely(text.removeprefix(BOM))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _gone(
    kind: type[SettingsSection], data: Mapping[Any, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    inner = {setting_key(item.name): item.metadata.get("section") for item in fields(kind)}
    for key, value in data.items():
        if key in kind.GONE:
            yield above, key
        elif isinstance(value, dict) and (section := inner.get(key)) is not None:
            yield from _gone(section, value, (*above, key))
