"""Change keys of YAML mappings that people write: souls, pages of working memory."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import Any

import yaml

from gm.base.frontmatter import load_safely
from gm.base.yamlwords import explain_yaml
from gm.files.formats.splice import is_same_value
from gm.files.formats.text import BOM
from gm.files.formats.yamledit import in_line_ends_of, set_yaml

MOST_VALUES = 10_000
_MARK = "gmPlaceOfAValue"


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, indentless=False)


def read_mapping(text: str) -> dict[str, Any]:
    """Read a YAML mapping with string keys; an empty text is an empty mapping.

    Raises:
        ValueError: Not YAML, or not a mapping.
    """
    return {str(key): value for key, value in _read_yaml(text).items()}


def change_mapping(text: str, changed: Mapping[str, Any], gone: Collection[str] = ()) -> str:
    """Set keys, and remove those in ``gone`` with their text; every other byte stays.

    Raises:
        ValueError: Not a mapping, or a value cannot be changed in place.
    """
    data = _read_yaml(text)
    names = {str(key): key for key in data}
    for key, value in changed.items():
        if key not in names:
            text = _add_key(text, {**data, key: value}, key)
        elif not is_same_value(to_json_types(data[names[key]]), value):
            text = _set_key(text, {**data, names[key]: value}, names[key])
        data[names.setdefault(key, key)] = value
    for key in gone:
        if key in names:
            del data[names.pop(key)]
            text = set_yaml(text, (), data) if data else _without_any(text)
    return text


def to_json_types(value: object) -> Any:
    """Convert a YAML value to JSON types; a date becomes its text.

    Raises:
        ValueError: More than ``MOST_VALUES`` values: aliases multiply, or a value contains itself.
    """
    return _copy_json_types(value, count(1))


def _copy_json_types(value: object, counter: Iterator[int]) -> Any:
    if next(counter) > MOST_VALUES:
        raise ValueError(f"more than {MOST_VALUES} values")
    if isinstance(value, dict):
        return {str(key): _copy_json_types(item, counter) for key, item in value.items()}
    if isinstance(value, list):
        return [_copy_json_types(item, counter) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _read_yaml(text: str) -> dict[Any, Any]:
    try:
        data = load_safely(text.removeprefix(BOM))
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(f"not YAML: {explain_yaml(error, text).placed}") from error
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise ValueError(f"found {type(data).__name__}, expected keys with values")
    return data


def _add_key(text: str, wanted: Mapping[Any, Any], key: str) -> str:
    gap = "" if not text.removeprefix(BOM) or text.endswith("\n") else "\n"
    longer = in_line_ends_of(text, text + gap + _dump_yaml({key: wanted[key]}))
    # a flow mapping can be extended only inside its braces
    return longer if _is_read_as(longer, wanted) else set_yaml(text, (key,), wanted[key])


def _set_key(text: str, wanted: Mapping[Any, Any], key: Any) -> str:
    """A list that was empty gets one line for each item; one that becomes empty is written ``[]``."""
    value, before = wanted[key], _read_yaml(text)[key]
    if isinstance(value, list) and not (value and before):
        # a marker shows where the value lies and what follows it on its line
        marked = set_yaml(text, (key,), _MARK)
        items = _dump_yaml(value) if value else ""
        shown = "\n".join(f"  {line}" for line in items.splitlines())
        filled = re.sub(
            rf"\s*\b{_MARK}\b(.*)", lambda match: f"{match[1]}\n{shown}" if value else f" []{match[1]}", marked
        )
        filled = in_line_ends_of(text, filled)
        if _is_read_as(filled, wanted):
            return filled
    return set_yaml(text, (key,), value)


def _is_read_as(text: str, wanted: Mapping[Any, Any]) -> bool:
    try:
        return is_same_value(_read_yaml(text), dict(wanted))
    except (ValueError, RecursionError):
        return False


def _dump_yaml(value: object) -> str:
    return str(yaml.dump(value, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=2**31))


def _without_any(text: str) -> str:
    kept = [line for line in text.splitlines(keepends=True) if line.lstrip().startswith("#") or not line.strip()]
    bare = "".join(kept)
    return bare if not read_mapping(bare) else "{}\n"
