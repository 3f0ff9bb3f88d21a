"""What a sweep plays: its runs, and how they are called."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_NAME = 120
_UNSAFE = re.compile(r"[^\w.+-]+")

Brief = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Run:
    """One world that a sweep plays.

    Attributes:
        name: Made of what is its own, so that it does not depend on the other runs: ``seed=1,model=rehearsal``.
        own: What makes it differ from the others, by key: a dotted setting, ``prompts`` or ``briefs``.
        settings: Settings of ``gm.yaml`` by dotted key, those that all runs share included.
        prompts: Folder of templates that are laid over the world's own; None = none.
        briefs: What is put up before which story day, oldest first.
    """

    name: str
    own: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Path | None = None
    briefs: tuple[Brief, ...] = ()


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep plays.

    Attributes:
        world: Folder of the base world; None when it is a template.
        template: Name of a world that ``gm init`` can make; empty when it is a folder.
        days: Story days that each world is played for, at least 1.
        varied: Keys in which runs differ, in the order of the file.
        runs: In the order of the file, ``matrix`` first, its last key changing fastest.
    """

    world: Path | None
    template: str
    days: int
    varied: tuple[str, ...]
    runs: tuple[Run, ...]


def name_of(own: Mapping[str, Any]) -> str:
    """Make the name of a run: its values by their keys. What a folder cannot be called is told by a digest.

    >>> name_of({"seed": 1, "retrieval.strategy": "scored"})
    'seed=1,retrieval.strategy=scored'
    """
    parts, is_exact = [], True
    for key, value in own.items():
        plain = spelled(value)
        safe = _UNSAFE.sub("-", plain).strip("-.") or "-"
        is_exact = is_exact and safe == plain
        parts.append(f"{key}={safe}")
    name = ",".join(parts)
    if is_exact and len(name) <= MOST_NAME:
        return name
    whole = json.dumps(list(own.items()), ensure_ascii=False, default=str)
    return f"{name[: MOST_NAME - 9].rstrip(',.-')}~{hashlib.sha256(whole.encode()).hexdigest()[:8]}"


def spelled(value: Any) -> str:
    """Write a value the way names and tables show it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def nested(key: str, value: Any) -> dict[str, Any]:
    """Write a dotted key as the sections that it stands for: ``weights.promise`` is ``{weights: {promise: …}}``."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)
