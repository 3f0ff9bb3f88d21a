"""The folder of a blind comparison::

DIR/comparison.json   how the pairs were made, written before them
DIR/pairs.jsonl       the pairs, written once, without the names of their conditions
DIR/key.json          the conditions of each pair, written before them; older folders have them in pairs.jsonl
DIR/verdicts.jsonl    what judges said, appended as it comes
DIR/state/            questions to models and their answers, as in a world; the lock
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from gm.base.errors import GmError, Problem, refuse_errors
from gm.files.commits.lock import held, locked
from gm.files.formats import disk
from gm.files.formats.jsonl import scan_file
from gm.files.formats.text import read_text
from gm.files.layout import Layout
from gm.files.reading import read_records, record_problem
from gm.model.record import Record
from gm.model.verdict import COMPARISON, PAIR, SIDES, VERDICT, Pair, PairComparison, PairSides, Verdict

T = TypeVar("T")
VERDICT_HINT = "correct it by hand, or take the line out; nothing was changed"


def pairs_file(folder: Path) -> Path:
    """Return the file of the pairs."""
    return folder / "pairs.jsonl"


def key_file(folder: Path) -> Path:
    """Return the file that says which condition each text comes from."""
    return folder / "key.json"


def verdicts_file(folder: Path) -> Path:
    """Return the file of the verdicts."""
    return folder / "verdicts.jsonl"


def comparison_file(folder: Path) -> Path:
    """Return the file that says how the pairs were made."""
    return folder / "comparison.json"


def read_pairs(folder: Path) -> tuple[tuple[Pair, ...], list[Problem]]:
    """Return the pairs in order, and what is wrong in other lines; a second pair of one key is wrong.

    Raises:
        GmError: ``key.json`` cannot be read.
    """
    path = pairs_file(folder)
    sides = _read_key(folder)
    found: dict[str, Pair] = {}
    lines, problems, texts = _read_lines(path, PAIR)
    for number, pair in lines:
        if pair.key in sides:
            pair = replace(pair, first=sides[pair.key].first, second=sides[pair.key].second)
        if pair.key in found:
            wrong = "is the key of an earlier line already"
        elif not (pair.first and pair.second):
            wrong = f"is not in {key_file(folder)}, which says whose texts these are"
        else:
            found[pair.key] = pair
            continue
        error = PAIR.error("key", f"{pair.key!r:.60} {wrong}")
        problems.append(record_problem(str(path), number, texts[number], error))
    return tuple(found.values()), sorted(problems)


def read_verdicts(folder: Path) -> tuple[tuple[Verdict, ...], list[Problem]]:
    """Return the verdicts in the order of the file, and what is wrong in other lines.

    Of one judge on one pair in one order, only the last counts and is returned.
    """
    lines, problems, _ = _read_lines(verdicts_file(folder), VERDICT)
    return tuple({(one.pair, one.judge, one.swapped): one for _, one in lines}.values()), problems


def read_comparison(folder: Path) -> PairComparison:
    """Return how the pairs were made.

    Raises:
        GmError: There are no pairs.
        BrokenWorldError: The file cannot be read.
    """
    path = comparison_file(folder)
    text, problems = read_text(path, str(path))
    if not text.exists and not problems:
        raise GmError(
            f"{folder} holds no pairs to judge", "make them first: gm judge DIR --worlds NAME=WORLD NAME=WORLD"
        )
    refuse_errors(problems, f"{path} cannot be read", VERDICT_HINT)
    try:
        return COMPARISON.read(json.loads(text.body))
    except (ValueError, RecursionError) as error:  # a RecordError is a ValueError
        raise GmError(f"{path} cannot be read: {error}", "make the pairs again in another folder") from error


def write_comparison(folder: Path, comparison: PairComparison) -> None:
    """Write how the pairs are made.

    Raises:
        GmError: Writing failed.
    """
    text = json.dumps(COMPARISON.write(comparison), ensure_ascii=False, indent=1) + "\n"
    disk.write_file(comparison_file(folder), text.encode())


def write_pairs(folder: Path, pairs: Iterable[Pair]) -> None:
    """Write the pairs, and the names of their conditions into a file of their own.

    Raises:
        GmError: Writing failed.
    """
    pairs = tuple(pairs)
    sides = [SIDES.render(PairSides(pair=pair.key, first=pair.first, second=pair.second)) for pair in pairs]
    disk.write_file(key_file(folder), ("[\n" + ",\n".join(sides) + "\n]\n").encode())
    lines = (PAIR.render(replace(pair, first="", second="")) + "\n" for pair in pairs)
    disk.write_file(pairs_file(folder), "".join(lines).encode())


def append_verdict(folder: Path, verdict: Verdict) -> None:
    """Append a verdict; others may append at the same time.

    Raises:
        GmError: Writing failed.
    """
    path = verdicts_file(folder)
    with disk.explained(path), held(Layout(folder).derived / "verdicts.lock", exclusive=True):
        before = disk.read_or_none(path) or b""
        torn = b"\n" if before and not before.endswith(b"\n") else b""  # a line that was cut off stays, and is named
        disk.append_synced(path, torn + (VERDICT.render(verdict) + "\n").encode())


@contextmanager
def asking(folder: Path) -> Iterator[Layout]:
    """Lock the questions to models; yield their paths.

    Raises:
        LockedError: Another process asks.
    """
    layout = Layout(folder)
    with locked(layout.lock, "gm judge"):
        yield layout


def _read_key(folder: Path) -> dict[str, PairSides]:
    path = key_file(folder)
    text, problems = read_text(path, str(path))
    refuse_errors(problems, f"{path} cannot be read", VERDICT_HINT)
    if not text.exists:
        return {}
    try:
        items = json.loads(text.body)
        if not isinstance(items, list):
            raise ValueError("it is not a list")
        return {sides.pair: sides for sides in map(SIDES.read, items)}
    except (ValueError, RecursionError) as error:  # a RecordError is a ValueError
        raise GmError(f"{path} cannot be read: {error}", "make the pairs again in another folder") from error


def _read_lines(path: Path, record: Record[T]) -> tuple[list[tuple[int, T]], list[Problem], dict[int, str]]:
    scan = scan_file(path, str(path))[1]
    found, wrong = read_records(scan, str(path), record)
    lines = [(line.number, value) for line, value in found]
    return lines, sorted([*scan.problems, *wrong]), {number: scan.line(number) for number, _ in lines}
