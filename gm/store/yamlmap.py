"""Change keys of a YAML file that is a mapping, as people write it: souls, pages of working memory.

A key that stands there is edited in place (``yamledit``); a new one is added at the end, as a block with a line for
each item, which is how a person would write sentences.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

import yaml

from gm.frontmatter import load_safely
from gm.store.splice import is_same
from gm.store.text import BOM
from gm.store.yamledit import set_yaml


class _Dumper(yaml.SafeDumper):
    """Writes lists a step to the right of their key."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def read_mapping(text: str) -> dict[str, Any]:
    """Read a YAML mapping; an empty text is an empty one, and every key is a text.

    Raises:
        ValueError: It is no YAML, or no mapping.
    """
    return {str(key): value for key, value in _read(text).items()}


def change_mapping(text: str, changed: Mapping[str, Any], gone: Collection[str] = ()) -> str:
    """Change, add and take away keys; every other byte stays.

    Args:
        text: The document; may be empty.
        changed: New values by key.
        gone: Keys that go, with what is written of them.

    Raises:
        ValueError: It is no mapping, or a value cannot be changed in place.
    """
    data = _read(text)
    names = {str(key): key for key in data}
    for key, value in changed.items():
        if key not in names:
            text = _add(text, {**data, key: value}, key)
        elif not is_same(plain(data[names[key]]), value):
            text = set_yaml(text, (names[key],), value)
        data[names.setdefault(key, key)] = value
    for key in gone:
        if key in names:
            del data[names.pop(key)]
            text = set_yaml(text, (), data) if data else _without_any(text)
    return text


def plain(value: Any) -> Any:
    """Bring a value of a YAML file into a form that JSON has as well: a date becomes its text."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _read(text: str) -> dict[Any, Any]:
    try:
        data = load_safely(text.removeprefix(BOM))
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"not YAML: {str(error).splitlines()[0]}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError(f"{type(data).__name__} found, names and values expected")
    return data


def _add(text: str, wanted: Mapping[Any, Any], key: str) -> str:
    block = yaml.dump({key: wanted[key]}, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=2**31)
    gap = "" if not text.removeprefix(BOM) or text.endswith("\n") else "\n"
    longer = text + gap + block
    if "\r\n" in text:
        longer = re.sub(r"(?<!\r)\n", "\r\n", longer)
    try:
        if is_same(_read(longer), dict(wanted)):
            return longer
    except ValueError:
        pass  # what is there already is written in braces, say, and goes on only inside of them
    return set_yaml(text, (key,), wanted[key])


def _without_any(text: str) -> str:
    """Take the last key out of a document: what people have written around it, its comments, stays."""
    kept = [line for line in text.splitlines(keepends=True) if line.lstrip().startswith("#") or not line.strip()]
    bare = "".join(kept)
    return bare if not read_mapping(bare) else "{}\n"
