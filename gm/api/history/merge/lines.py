"""Lines of stream files, and renaming in them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_TEXT = re.compile(r'"(?:[^"\\]|\\.)*"')
_FRONT = re.compile(r"^(?P<key>node|created): (?P<quote>['\"]?)(?P<value>[^'\"\n]+)(?P=quote)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file.

    Attributes:
        text: Without line feed, but with any carriage return.
        record: None if it is no JSON object.
    """

    text: str
    record: Mapping[str, Any] | None

    @property
    def id(self) -> str:
        value = self.record.get("id") if self.record else None
        return value if isinstance(value, str) else ""


def read_rows(data: bytes | None) -> list[Row]:
    """Read the lines of a file without blank ones; bytes that are not UTF-8 are preserved."""
    text = (data or b"").decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    return [Row(line, _record(line)) for line in text.split("\n") if line.strip()]


def render_rows(rows: Sequence[str]) -> bytes:
    """Return lines as the content of a file."""
    return "".join(row + "\n" for row in rows).encode("utf-8", "surrogateescape")


def rename(text: str, names: Mapping[str, str]) -> str:
    """Replace names that are complete JSON strings; other bytes, such as names within spoken text, are kept."""
    if not names:
        return text

    def other(match: re.Match[str]) -> str:
        token = match[0]
        name = names.get(token[1:-1])
        if name is None and "\\" in token:
            try:
                name = names.get(json.loads(token))
            except ValueError:
                return token
        return token if name is None else json.dumps(name, ensure_ascii=False)

    return _TEXT.sub(other, text)


def rename_front(text: str, names: Mapping[str, str]) -> str:
    """Rename the memory and scene references in the front matter of an artifact."""
    if not text.startswith("---") or not names:
        return text
    end = text.find("\n---", 3)
    head, rest = (text, "") if end < 0 else (text[:end], text[end:])
    found = _FRONT.sub(lambda match: match[0].replace(match["value"], names.get(match["value"], match["value"])), head)
    return found + rest


def _record(line: str) -> Mapping[str, Any] | None:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None
