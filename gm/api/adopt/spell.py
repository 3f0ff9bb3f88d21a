"""Render values as YAML."""

from __future__ import annotations

import json
from typing import Any

import yaml


def spell(value: Any) -> str:
    """Render a value on one line; strings are quoted unless they are plain words."""
    if isinstance(value, str) and not _is_plain(value):
        plain = json.dumps(value, ensure_ascii=False)
        return plain if _reads_as(plain, value) else json.dumps(value)
    shown = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=2**31, sort_keys=False)
    return str(shown).removesuffix("\n").removesuffix("\n...")


def _is_plain(text: str) -> bool:
    return text.replace("-", "").replace("_", "").isalnum() and _reads_as(text, text)


def _reads_as(shown: str, value: Any) -> bool:
    try:
        return bool(yaml.safe_load(f"[{shown}]") == [value])
    except yaml.YAMLError:
        return False
