"""Backstories of generative agents: a table with the columns ``Name`` and ``Whisper``, facts in the second person."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from gm.api.imports.account import Account
from gm.api.imports.arrival import Source
from gm.api.imports.fields import name_of
from gm.api.imports.keeping import sentence_of

TABLE = ".csv"
NAME, FACTS = "name", "whisper"
"""Columns, in any case."""
MOST_FACTS = 200
"""Facts of one persona."""
_KNOWN = re.compile(r"\AYou and (?P<name>[A-ZÀ-Þ][^\s,]{0,40}(?: [A-ZÀ-Þ][^\s,]{0,40}){0,3})\b")
"""A fact about a relationship; the tool's own tables are in English."""


@dataclass(frozen=True, slots=True)
class Backstory:
    """What a persona knows from the start.

    Attributes:
        relationships: Facts about the character and another one, by the name of the other.
    """

    facts: tuple[str, ...] = ()
    relationships: Mapping[str, str] = field(default_factory=dict)


def read_backstories(source: Source, account: Account) -> dict[str, Backstory]:
    """Return backstories by name; a table that cannot be read is left aside."""
    facts: dict[str, list[str]] = {}
    for path, raw in sorted(source.files.items()):
        if path.suffix.lower() != TABLE:
            continue
        try:
            for name, told in _rows(raw.decode("utf-8-sig")):
                facts.setdefault(name, []).extend(told)
        except (UnicodeDecodeError, csv.Error) as error:
            account.leave(str(path), f"no table that can be read: {error}")
    for name, told in facts.items():
        if len(told) > MOST_FACTS:
            account.leave(f"the backstory of {name}", f"only the first {MOST_FACTS} of {len(told):,} facts")
    return {name: _backstory(told[:MOST_FACTS]) for name, told in facts.items()}


def _rows(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield names with their facts; of the tool's own tables, and of those that a spreadsheet has split at ``;``."""
    rows = csv.reader(io.StringIO(text, newline=""))
    columns = [column.strip().casefold() for column in next(rows, [])]
    if NAME in columns and FACTS in columns:
        who, what = columns.index(NAME), columns.index(FACTS)
        cells = ((row[who], ",".join(row[what:]).split(";")) for row in rows if len(row) > max(who, what))
    elif text.replace('"', "").casefold().startswith(f"{NAME},{FACTS};"):
        split = csv.reader(io.StringIO(text, newline=""), delimiter=";")
        pairs = ((row[0].partition(","), row[1:]) for row in islice(split, 1, None) if row)
        cells = ((name, [first, *others]) for (name, _, first), others in pairs)
    else:
        raise csv.Error(f"expected the columns {NAME} and {FACTS}")
    for name, told in cells:
        if called := name_of(name):
            yield called, [fact for fact in map(sentence_of, told) if fact]


def _backstory(told: list[str]) -> Backstory:
    known: dict[str, str] = {}
    facts: list[str] = []
    for fact in told:
        if found := _KNOWN.match(fact):
            name = found["name"]
            known[name] = f"{known[name]}; {fact}" if name in known else fact
        else:
            facts.append(fact)
    return Backstory(tuple(facts), known)
