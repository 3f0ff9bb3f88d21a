"""Rules for relationships: existing characters, trust in range, a consistent history."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gm.base.errors import Problem
from gm.files.check.files import Doc, Files, LineFile, Often, read_line_file
from gm.files.forms.document import read_document
from gm.files.forms.places import Keys, json_place
from gm.files.forms.text import BOM
from gm.layers.relationships import HISTORY, KEYS, LEAST_TRUST, MET, MOST_TRUST, RELATIONSHIPS, TRUST
from gm.model.calendar import parse_ref


def rules(files: Files) -> Iterator[Problem]:
    """Check all relationships."""
    for name in files.names:
        path = files.layout.layer(RELATIONSHIPS, name)
        doc = None
        if path.is_file():
            shown = files.layout.shown(path)
            document, _ = read_document(path, shown)  # unreadable entries are reported with all other layers
            doc = Doc(shown, document, True, document.text.removeprefix(BOM))
            yield from _entries(name, doc, files)
        path = files.layout.layer(RELATIONSHIPS, name, HISTORY)
        if path.is_file():
            shown = files.layout.shown(path)
            file = LineFile(shown, *read_line_file(path, shown))
            yield from _history(name, file, doc, files)


def _entries(name: str, doc: Doc, files: Files) -> Iterator[Problem]:
    own: dict[str, int] = {}
    for other, record in doc.data.items():
        if other == name or other not in files.names:
            message = f"{other!r} is {name} itself" if other == name else f"{other!r} is no agent"
            hint = "write the id of an agent, as the file in state/agents/ is called"
            yield _at(doc, (other,), "warning", "relationship-agent", message, hint)
        if not isinstance(record, dict):
            continue
        trust = record.get(TRUST)
        if isinstance(trust, int | float) and not isinstance(trust, bool) and not LEAST_TRUST <= trust <= MOST_TRUST:
            message = f"trust_level is {trust}, outside {LEAST_TRUST:g} … {MOST_TRUST:g}; it is read as the nearer end"
            yield _at(
                doc, (other, TRUST), "warning", "trust-range", message, "-1 no trust at all, 0 neither, 1 blind trust"
            )
        met = record.get(MET)
        if isinstance(met, str) and met:
            yield from _moment(doc, (other, MET), met, files)
        for key in record:
            if key not in KEYS:
                own[key] = own.get(key, 0) + 1
                if own[key] == 1:
                    message = f"{key!r} is a key of your own; it is kept"
                    yield _at(doc, (other, key), "info", "relationship-extra", message)


def _moment(doc: Doc, keys: Keys, text: str, files: Files) -> Iterator[Problem]:
    ref = parse_ref(text)
    if ref is None:
        yield _at(
            doc, keys, "warning", "relationship-met", f"{text!r} is no scene", "write day-003/scene-04, or day-003"
        )
    elif files.world.exists and files.day is not None and ref.day > files.day:
        message = f"first_met_at is {text}, which lies after day {files.day}, which the clock shows"
        yield _at(doc, keys, "warning", "relationship-future", message, "see state/world.json")


def _history(name: str, file: LineFile, doc: Doc | None, files: Files) -> Iterator[Problem]:
    """Old values continue the previous line about the same character, and the last ones match the file."""
    yield from file.problems
    often = Often(file)
    last: dict[tuple[str, str], Any] = {}
    for line in file.scan.lines:
        other, new, old = (line.record.get(key) for key in ("with", "new", "old"))
        if not (isinstance(other, str) and isinstance(new, dict) and parse_ref(str(line.record.get("at")))):
            message = "no line of a history, expected at, with, old, new, why"
            yield file.at(line, (), "warning", "history-form", message, "it is kept, and tells nothing")
            continue
        if other not in files.names:
            often.add(other, line, ("with",), "warning", "relationship-agent", f"with is {other!r}, which is no agent")
        for key, value in new.items():
            before = old.get(key) if isinstance(old, dict) else None
            if (other, key) in last and before != last[other, key]:
                message = f"{key} of {other} was {before!r} here, the history left it at {last[other, key]!r}"
                hint = "somebody changed it by hand in between; that is as it should be"
                often.add("gap", line, ("old", key), "info", "history-gap", message, hint)
            last[other, key] = value
    yield from often.problems()
    if doc is None:
        if last:
            message = f"there is a history, and no {files.layout.layer(RELATIONSHIPS, name).name}"
            yield Problem(
                file.shown, 0, 0, "warning", "history-alone", message, "put the file back, or delete the history"
            )
        return
    for (other, key), value in last.items():
        there = doc.data.get(other)
        now = there.get(key) if isinstance(there, dict) else None
        if now != value and key in KEYS:
            message = f"{key} of {other} is {now!r}, the history ends with {value!r}"
            hint = "changed by hand; the file counts, and the next change notes what it found"
            yield _at(doc, (other, key), "info", "history-differs", message, hint)


def _at(doc: Doc, keys: Keys, severity: Any, code: str, message: str, hint: str = "") -> Problem:
    line, column = json_place(doc.body, keys)
    return Problem(doc.shown, line, column, severity, code, message, hint)


RULES = (rules,)
