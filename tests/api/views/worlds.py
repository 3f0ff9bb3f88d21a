"""Small worlds of memories, written line by line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gm.files.layout import Layout


def line(identifier: str, text: str = "Es regnet.", **others: Any) -> str:
    """Write the line of a memory; defaults for what a test does not mention."""
    record = {
        "id": identifier,
        "created": "day-001/scene-01",
        "type": "observation",
        "depth": 0,
        "description": text,
        "importance": 5,
        "tags": [],
        "evidence": [],
        "metadata": {},
    }
    return json.dumps(record | others, ensure_ascii=False)


def world(root: Path, streams: Mapping[str, list[str]], **others: Mapping[str, list[str]]) -> Layout:
    """Write a world that has nothing but memories; ``archive`` and ``summaries`` by keyword."""
    layout = Layout(root)
    for folder, files in {"memories": streams, **others}.items():
        for name, lines in files.items():
            path = layout.state / folder / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{item}\n" for item in lines), encoding="utf-8")
    return layout
