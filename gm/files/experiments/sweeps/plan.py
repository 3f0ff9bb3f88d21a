"""The plan of a sweep."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gm.files.formats.digests import sha256

MOST_NAME = 120
CONDITION = "condition"
"""Key of a run that names its condition."""
MOST_NAME_BYTES = 255
"""Of a folder, on the usual file systems."""
_UNSAFE = re.compile(r"[^\w.+-]+")
_PATH = re.compile(r"[/\\\0-\x1f]")

Brief = tuple[int, str]


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One world that a sweep plays.

    Attributes:
        name: From ``own`` alone, so independent of the other runs: ``seed=1,model=rehearsal``.
        own: What distinguishes it, by key: ``condition``, a dotted setting, ``prompts`` or ``briefs``.
        prompts: Folder of templates that override the world's own, or None.
    """

    name: str
    own: Mapping[str, Any]
    settings: Mapping[str, Any] = field(default_factory=dict)
    prompts: Path | None = None
    briefs: tuple[Brief, ...] = ()


@dataclass(frozen=True, slots=True)
class Condition:
    """A named set of values: what one arm of an experiment has in common."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sweep:
    """The runs of a sweep and their base world: the folder ``world``, or a ``template`` of ``gm init``.

    Attributes:
        varied: Keys that vary between runs, in file order.
        runs: In file order, ``matrix`` first, its last key changing fastest; every condition has them all.
        conditions: In file order; the others are compared with the first.
        measures: Names of measures of ``gm evaluate`` for the report; () = no report.
        canaries: Planted words for the measure leaks, each ``WORD=agent,agent``.
    """

    world: Path | None
    template: str
    days: int
    varied: tuple[str, ...]
    runs: tuple[SweepRun, ...]
    conditions: tuple[Condition, ...] = ()
    measures: tuple[str, ...] = ()
    canaries: tuple[str, ...] = ()


def name_of(own: Mapping[str, Any]) -> str:
    """Return the name of a run: its keys and values. A digest replaces what is unsafe or too long for a folder name.

    >>> name_of({"seed": 1, "retrieval.strategy": "scored"})
    'seed=1,retrieval.strategy=scored'
    """
    parts, is_exact = [], True
    for key, value in own.items():
        plain = spell_value(value)
        safe_key, safe = _UNSAFE.sub("-", key), _UNSAFE.sub("-", plain).strip("-.") or "-"
        is_exact = is_exact and (safe_key, safe) == (key, plain)
        parts.append(f"{safe_key}={safe}")
    name = ",".join(parts)
    if is_exact and len(name) <= MOST_NAME:
        return name
    whole = json.dumps(list(own.items()), ensure_ascii=False, default=str)
    return f"{name[: MOST_NAME - 9].rstrip(',.-')}~{sha256(whole.encode())[:8]}"


def is_run_name(name: str) -> bool:
    """Return whether a text can be the name of a run: a plain name of a folder, which leads nowhere else."""
    return name not in ("", ".", "..") and not _PATH.search(name) and len(name.encode()) <= MOST_NAME_BYTES


def spell_value(value: object) -> str:
    """Return a value as shown in names and tables."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def nest_value(key: str, value: Any) -> dict[str, Any]:
    """Expand a dotted key: ``weights.promise`` becomes ``{weights: {promise: …}}``."""
    for part in reversed(key.split(".")):
        value = {part: value}
    return dict(value)
