"""Runs in the folder of a sweep that an earlier command played, and the file now does not name."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from gm.api.experiments.sweep.play import is_done
from gm.api.experiments.sweep.worlds import run_record
from gm.files.experiments.sweeps.folder import CONDITION, Sweep, SweepFolder, is_run_name
from gm.files.experiments.sweeps.text import BRIEFS, PROMPTS
from gm.files.formats import disk
from gm.files.layout import is_world


@dataclass(frozen=True, slots=True)
class OtherRuns:
    """What earlier commands left.

    Attributes:
        alike: Values by run, of finished runs that differ from those of the file in nothing but the varied values.
        left_out: Names of all others.
    """

    alike: Mapping[str, Mapping[str, Any]]
    left_out: tuple[str, ...]


def find_others(folder: SweepFolder, sweep: Sweep) -> OtherRuns:
    """Return the runs of earlier commands, in the order of their values."""
    named = {run.name for run in sweep.runs}
    frames = {_frame(run_record(run, sweep.days)) for run in sweep.runs}
    alike: dict[str, Mapping[str, Any]] = {}
    left_out: list[str] = []
    for name, note in _notes(folder):
        if name in named:
            continue
        if _frame(note) in frames and is_done(folder.world(name), int(note["last"])):
            alike[name] = note["values"]
        else:
            left_out.append(name)
    ordered = sorted(alike, key=lambda name: [_rank(value) for value in alike[name].values()])
    return OtherRuns({name: alike[name] for name in ordered}, tuple(sorted(left_out)))


def _notes(folder: SweepFolder) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(folder.note("any").parent.glob("*.json")):
        name = path.name.removesuffix(".json")
        if is_run_name(name) and is_world(folder.world(name).root):
            yield name, disk.read_note(path)


def _frame(note: Mapping[str, Any]) -> str:
    """Return what runs of one sweep have in common: all but the values of the keys that vary."""
    own = note.get("values", {})
    settings = {key: value for key, value in note.get("settings", {}).items() if key not in own}
    folders = [note.get(key) for key in (PROMPTS, BRIEFS) if key not in own]
    return json.dumps([sorted(own), own.get(CONDITION), note.get("days"), settings, folders], sort_keys=True)


def _rank(value: object) -> tuple[bool, float, str]:
    return (False, float(value), "") if isinstance(value, int | float) else (True, 0.0, str(value))
