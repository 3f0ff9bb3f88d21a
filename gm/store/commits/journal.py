"""The write-ahead journal: what is going to be written is on the disk before the first file is touched.

A file of lines in ``state/.gm/``. One line is a commit with its steps; a later line ``{"done": n}`` says that it was
carried out. A line that was cut off never happened. The journal is emptied when everything that it names has been
synced to the disk, which is done once a day of the story and at the end of a command rather than for each scene.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from gm.store.commits.steps import Step, parse_step, render_step, sha256
from gm.store.forms import disk


@dataclass(frozen=True, slots=True)
class Record:
    """One commit in the journal."""

    number: int
    boot: str
    steps: tuple[Step, ...]
    done: bool


def read_records(path: Path) -> list[Record]:
    """Read all commits that were completely written; in order."""
    data = disk.read(path)
    if not data:
        return []
    # as a rule the journal is empty, and nothing is imported for it
    from jsonlines import Reader

    found: dict[int, tuple[str, tuple[Step, ...]]] = {}
    done: set[int] = set()
    with Reader(data.splitlines(), loads=_loaded) as lines:
        # a line that was cut off never happened
        for record in lines.iter(type=dict, skip_empty=True, skip_invalid=True):
            if "done" in record:
                done.add(record["done"])
            elif _is_whole(record):
                steps = tuple(parse_step(step) for step in record["steps"])
                found[record["number"]] = (record["boot"], steps)
    return [Record(number, *item, number in done) for number, item in sorted(found.items())]


def _loaded(line: str | bytes) -> Any:
    """Read a line; one that is nested too deeply is as invalid as any other."""
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def _is_whole(record: Mapping[str, Any]) -> bool:
    return "steps" in record and record.get("sum") == _sum(record["steps"])


def to_carry_out(records: Sequence[Record], boot: str) -> list[Record]:
    """Choose what has to be carried out: what was not finished, and, if the machine went down since, all of it.

    Files that were written without being synced may have lost their end when the power failed; carrying out a
    finished commit again adds only what is missing.
    """
    return [record for record in records if not record.done or record.boot != boot]


def write_record(path: Path, number: int, steps: Sequence[Step]) -> None:
    """Put a commit into the journal; returns when it is on the disk."""
    rendered = [render_step(step) for step in steps]
    line = json.dumps(
        {"number": number, "boot": boot_id(), "sum": _sum(rendered), "steps": rendered}, ensure_ascii=False
    )
    # a leading line feed: the line before may have been cut off
    disk.append_synced(path, f"\n{line}\n".encode())


def write_done(path: Path, number: int) -> None:
    """Note that a commit was carried out."""
    disk.append(path, f'{{"done": {number}}}\n'.encode())


@cache
def boot_id() -> str:
    """Name the time since the machine started; empty where the system has no such name."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def _sum(steps: object) -> str:
    return sha256(json.dumps(steps, ensure_ascii=False, sort_keys=True).encode())[:16]
