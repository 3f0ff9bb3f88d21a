"""A file that an adopted world lacks, and how its values are spelled."""

from __future__ import annotations

import json
from dataclasses import dataclass

import yaml


@dataclass(frozen=True, slots=True)
class DraftedFile:
    """A new file's text, and what in it to review."""

    text: str
    fill_in: tuple[str, ...]


def spell(value: object) -> str:
    """Render a value on one line; strings are quoted unless they are plain words."""
    if isinstance(value, str) and not _is_plain(value):
        plain = json.dumps(value, ensure_ascii=False)
        return plain if _is_read_as(plain, value) else json.dumps(value)
    shown = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=2**31, sort_keys=False)
    return str(shown).removesuffix("\n").removesuffix("\n...")


def _is_plain(text: str) -> bool:
    return text.replace("-", "").replace("_", "").isalnum() and _is_read_as(text, text)


def _is_read_as(shown: str, value: object) -> bool:
    try:
        return bool(yaml.safe_load(f"[{shown}]") == [value])
    except yaml.YAMLError:
        return False
