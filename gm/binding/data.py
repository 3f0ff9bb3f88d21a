"""A book as plain data, for templates: mappings, lists, texts and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

MARK = "gm-export"
"""Stands in every file that is made here, so that a later run knows it again and may replace it."""


def is_ours(data: bytes) -> bool:
    """Tell whether a file was made here."""
    return MARK.encode() in data


def plain(value: Any) -> Any:
    """Take a value apart: a frozen value becomes a mapping with its class, in lower case, as ``kind``.

    A chapter says of itself of which kind it is. Bytes are left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        inner = {item.name: plain(getattr(value, item.name)) for item in fields(value)}
        return {"kind": type(value).__name__.lower()} | {
            name: part for name, part in inner.items() if not isinstance(part, bytes)
        }
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    return value
