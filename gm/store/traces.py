"""Every question and every raw answer, one file each, on disk before the answer is used.

A trace is found again by the identity of its request: the same question is never paid for twice, and a question that
a person changed by editing a prompt or a memory is asked anew. Traces carry no wall-clock time.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gm.store.private import make_private

ID_LENGTH = 12


class TraceFolder:
    """The traces of one scene.

    Args:
        traces: ``state/traces``.
        created: Which scene, as in ``created``: ``day-003/scene-04``.
    """

    def __init__(self, traces: Path, created: str) -> None:
        self._traces = traces
        self._folder = traces / created

    def find(self, label: str, identity: str) -> Mapping[str, Any] | None:
        """Look up the trace of a request; None when it has not been answered yet."""
        try:
            record = json.loads(self._path(label, identity).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None  # an unreadable trace is a question that was never answered
        return record if isinstance(record, dict) and record.get("identity") == identity else None

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Write a trace and sync it to the disk."""
        path = self._path(label, identity)
        make_private(self._traces)
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(f".{path.name}.new")
        with open(beside, "w", encoding="utf-8") as file:
            json.dump({"identity": identity, **record}, file, ensure_ascii=False, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)

    def reject(self, label: str, identity: str) -> None:
        """Set a trace aside because its answer is of no use; it stays readable under another name."""
        path = self._path(label, identity)
        number = 1
        while (aside := path.with_name(f"{path.stem}.rejected-{number}.json")).exists():
            number += 1
        if path.exists():
            os.replace(path, aside)

    def _path(self, label: str, identity: str) -> Path:
        return self._folder / f"{label}.{identity[:ID_LENGTH]}.json"


class NoTraces:
    """Keeps nothing: for questions that are only looked at."""

    def find(self, label: str, identity: str) -> None:
        """Know no answer."""

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Forget an answer."""

    def reject(self, label: str, identity: str) -> None:
        """Have nothing to set aside."""
