"""Sources of other tools as values, written by hand after what these tools write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from hypothesis import strategies as st

from gm.api.imports.arrival import FormatOptions, ImportSource
from gm.model.front import FRONT

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
"""Any value of a document."""
ENGLISH, GERMAN = FormatOptions("en", "Director"), FormatOptions("de", "Regie")


def document(data: object, name: str = "some.json") -> ImportSource:
    """A JSON file, as ``opening`` reads it."""
    return ImportSource(name, data, json.dumps(data, default=str).encode())


def lines(*documents: object, name: str = "some.jsonl") -> ImportSource:
    """A JSONL file."""
    return ImportSource(name, list(documents), b"\n".join(json.dumps(one).encode() for one in documents))


def folder(files: Mapping[str, object], name: str = "some") -> ImportSource:
    """A folder; a text or bytes stand as they are, everything else as JSON."""
    raw = {PurePosixPath(path): _bytes(data) for path, data in files.items()}
    first = next(iter(raw.values()), b"")
    return ImportSource(name, None, first, files=raw)


def said(pairs: Sequence[tuple[str, str]], part: str) -> str:
    """What is said of a part in ``mapped`` or ``left``, all of it; empty if nothing."""
    return "; ".join(text for name, text in pairs if name == part)


def wrong_keys(front: Mapping[str, object]) -> list[str]:
    """Keys of front matter that a persona cannot have, or whose values do not fit."""
    return [str(problem.key) for problem in FRONT.problems(dict(front))]


def _bytes(data: object) -> bytes:
    if isinstance(data, bytes):
        return data
    return data.encode() if isinstance(data, str) else json.dumps(data).encode()
