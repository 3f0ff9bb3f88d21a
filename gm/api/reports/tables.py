"""A world as tables: CSV files, and with the extra ``gm-worlds[data]`` pandas frames and Parquet files.

``TABLES`` declares the columns of each. Without rows a table has the same columns and types. Polars reads the
Parquet files as they are (tried with 2.1).
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gm.api.answers.parquet import render_parquet
from gm.api.editing.threads import describe_threads
from gm.api.reports.opened import OpenWorld
from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.files.formats import disk
from gm.files.questions.traces import TraceReader
from gm.files.streams.find import ARCHIVE, STREAM, SUMMARIES
from gm.llm.calls import parse_call
from gm.llm.prices import Prices
from gm.model.calendar import SceneRef

if TYPE_CHECKING:
    from pandas import DataFrame

TEXT, WHOLE, NUMBER, FLAG, TEXTS = "string", "Int64", "Float64", "boolean", "list<string>"
"""Types of columns: those of pandas that know missing values, and lists of texts as pyarrow has them."""

Cells = tuple[object, ...]


CORRECT = "correct the files of the world; gm check shows where"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    name: str
    type: str
    sentence: str


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table; ``rows`` yields the cells in the order of ``columns``."""

    name: str
    columns: tuple[Column, ...]
    rows: Callable[[OpenWorld], Iterator[Cells]]


def _memory_rows(opened: OpenWorld) -> Iterator[Cells]:
    for name, agent in opened.agents.items():
        homes = {ARCHIVE: opened.archived[name], SUMMARIES: agent.summaries, STREAM: agent.everything}
        for home, nodes in homes.items():
            for node in nodes:
                at = node.when
                yield (
                    *(name, node.id, home, node.created, at.day, at.scene, node.type, node.depth, node.importance),
                    *(node.description, node.tags, node.evidence, node.copied_from),
                )


def _scene_rows(opened: OpenWorld) -> Iterator[Cells]:
    for entry in opened.scenes:
        at = entry.ref or SceneRef(entry.day)
        yield (
            *(str(at), entry.day, at.scene, entry.type, entry.time_of_day, entry.place, entry.participants),
            *(entry.director, entry.premise, entry.summary, entry.artifacts),
        )


def _line_rows(opened: OpenWorld) -> Iterator[Cells]:
    for entry in opened.scenes:
        at = entry.ref or SceneRef(entry.day)
        for number, turn in enumerate(entry.turns, 1):
            for line in turn.lines:
                yield str(at), entry.day, at.scene, number, turn.round or None, turn.agent, line.to, line.text


def _thread_rows(opened: OpenWorld) -> Iterator[Cells]:
    found = describe_threads(opened.world)
    states = {item.id: item for item in (*found.open, *found.settled)}
    for thread in opened.threads:
        item = states[thread.id]
        yield (
            *(item.id, item.kind, item.by, item.to, item.text, item.since, item.day, item.due, item.time, item.place),
            *(item.state, item.outcome or "", item.touched, thread.closed_by),
        )


def _relationship_rows(opened: OpenWorld) -> Iterator[Cells]:
    for item in opened.relationships:
        said = item.regard
        yield (
            *(item.agent, item.other, said.relationship_type, said.trust_level, said.emotional_tone, said.rationale),
            *(said.interaction_count, said.first_met_at),
        )


def _call_rows(opened: OpenWorld) -> Iterator[Cells]:
    traces = TraceReader(opened.layout.traces, opened.layout.asks)
    prices = Prices(opened.world.settings.prices)
    for day in traces.days():
        for kept in traces.of_day(day):
            call = parse_call(kept.record)
            used = call.usage
            yield (
                *(str(kept.place), day, kept.place.scene, call.who, call.purpose, call.backend, call.asked, call.model),
                *(used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens),
                *(call.usd(prices), kept.rejected, call.batch, call.asks_again),
            )


_SCENE = Column("scene", TEXT, "the scene, such as day-003/scene-04")
_DAY = Column("day", WHOLE, "story day, from 1; 0 = before the story")
_NUMBER = Column("number", WHOLE, "number of the scene within its day, from 1; 0 = outside of scenes")

TABLES: Mapping[str, DataTable] = {
    table.name: table
    for table in (
        DataTable(
            "memories",
            (
                Column("agent", TEXT, "id of the one who remembers"),
                Column("id", TEXT, "id of the memory, such as vera-042"),
                Column("home", TEXT, "where it is kept: archive, summaries or stream"),
                Column("created", TEXT, "the scene or day in which it was made"),
                _DAY,
                _NUMBER,
                Column("type", TEXT, "observation, reflection, plan, artifact or conversation"),
                Column("depth", WHOLE, "0 = lived, 1 and more = layers of reflection"),
                Column("importance", WHOLE, "1 (routine) to 10 (pivotal)"),
                Column("description", TEXT, "what is remembered"),
                Column("tags", TEXTS, "key words"),
                Column("evidence", TEXTS, "ids of the memories that it rests on"),
                Column("copied_from", TEXT, "id of the memory that it copies, another's; empty = its own"),
            ),
            _memory_rows,
        ),
        DataTable(
            "scenes",
            (
                _SCENE,
                _DAY,
                _NUMBER,
                Column("type", TEXT, "ARRIVAL, ENCOUNTER, WORK, …"),
                Column("time_of_day", TEXT, "morning, noon, afternoon or evening"),
                Column("place", TEXT, "where it began; may be empty"),
                Column("participants", TEXTS, "ids of those who took part; may include names that are not agents"),
                Column("director", TEXT, "who chose it: rules, llm, script or asked"),
                Column("premise", TEXT, "its opening sentence"),
                Column("summary", TEXT, "what was done"),
                Column("artifacts", TEXTS, "paths of the pieces made in it"),
            ),
            _scene_rows,
        ),
        DataTable(
            "lines",
            (
                _SCENE,
                _DAY,
                _NUMBER,
                Column("turn", WHOLE, "number of the turn within the scene, from 1"),
                Column("round", WHOLE, "turns of one round were simultaneous, from 1; missing = unknown"),
                Column("speaker", TEXT, "id of the one who speaks"),
                Column("to", TEXT, "id of the one who is addressed; empty = all present"),
                Column("text", TEXT, "what was said"),
            ),
            _line_rows,
        ),
        DataTable(
            "threads",
            (
                Column("id", TEXT, "id of the thread, such as thread-007"),
                Column("kind", TEXT, "promise, question, appointment or silence"),
                Column("by", TEXT, "id of the one who opened it"),
                Column("to", TEXTS, "ids of those who were addressed"),
                Column("text", TEXT, "what was promised, asked or arranged"),
                Column("since", TEXT, "the scene in which it was opened"),
                _DAY,
                Column("due", WHOLE, "story day on which it is due; missing = none was named"),
                Column("time", TEXT, "when on that day; may be empty"),
                Column("place", TEXT, "where; may be empty"),
                Column("state", TEXT, "open, today (due), overdue or settled"),
                Column("outcome", TEXT, "how it ended; empty = it is open"),
                Column("touched", TEXT, "the scene in which something happened to it last"),
                Column("closed_by", TEXT, "id of the one who closed it; empty = no one has"),
            ),
            _thread_rows,
        ),
        DataTable(
            "relationships",
            (
                Column("agent", TEXT, "id of the one who thinks so"),
                Column("other", TEXT, "of whom, as spelled in the file"),
                Column("type", TEXT, "what the other is to the agent"),
                Column("trust", NUMBER, "-1 (none) to 1 (full)"),
                Column("tone", TEXT, "how it feels"),
                Column("rationale", TEXT, "why, in the words of the agent"),
                Column("interactions", WHOLE, "number of scenes that they shared while relationships were on"),
                Column("first_met_at", TEXT, "the first of these scenes; may be empty"),
            ),
            _relationship_rows,
        ),
        DataTable(
            "calls",
            (
                _SCENE,
                _DAY,
                _NUMBER,
                Column("who", TEXT, "for whom the model answered: an agent, or the Game Master"),
                Column("purpose", TEXT, "what was asked for"),
                Column("backend", TEXT, "the service that was asked"),
                Column("asked", TEXT, "the model that was asked for"),
                Column("model", TEXT, "the model that answered, as it names itself"),
                Column("input_tokens", WHOLE, "tokens of the prompt that no cache gave"),
                Column("cache_read_tokens", WHOLE, "tokens of the prompt read from the cache"),
                Column("cache_write_tokens", WHOLE, "tokens of the prompt written to the cache"),
                Column("output_tokens", WHOLE, "tokens of the answer"),
                Column("usd", NUMBER, "US dollars; missing = unknown price"),
                Column("rejected", FLAG, "whether the answer was never of use (it is paid all the same)"),
                Column("batch", FLAG, "whether it was asked in a batch"),
                Column("asked_again", FLAG, "whether it was asked since the answer before it had problems"),
            ),
            _call_rows,
        ),
    )
}
"""The tables by name."""


def memories_table(opened: OpenWorld) -> DataFrame:
    """Return all memories: a row for each of archive, summaries and stream, agent by agent.

    Raises:
        GmError: pandas or pyarrow is not installed, or a value does not fit its column; so for all tables.

    Examples:
        >>> memories = gm.memories_table(opened)
        >>> memories.groupby("agent")["importance"].max().to_dict()
        {'alex': 9, 'casey': 10, 'jordan': 9}
    """
    return _make_frame("memories", opened)


def scenes_table(opened: OpenWorld) -> DataFrame:
    """Return all scenes, oldest first.

    Examples:
        >>> gm.scenes_table(opened)["type"].head(2).to_list()
        ['ARRIVAL', 'MEETING']
    """
    return _make_frame("scenes", opened)


def lines_table(opened: OpenWorld) -> DataFrame:
    """Return all spoken lines with speaker and addressee, in the order of the turns.

    Examples:
        >>> list(gm.lines_table(opened).columns)
        ['scene', 'day', 'number', 'turn', 'round', 'speaker', 'to', 'text']
    """
    return _make_frame("lines", opened)


def threads_table(opened: OpenWorld) -> DataFrame:
    """Return all threads, in the order of opening.

    Examples:
        >>> gm.threads_table(opened)[["id", "kind", "by", "state"]].iloc[0].to_list()
        ['thread-001', 'promise', 'alex', 'settled']
    """
    return _make_frame("threads", opened)


def relationships_table(opened: OpenWorld) -> DataFrame:
    """Return what each agent thinks of each other one; no rows where a world keeps no relationships.

    Examples:
        >>> len(gm.relationships_table(opened))
        0
    """
    return _make_frame("relationships", opened)


def calls_table(opened: OpenWorld) -> DataFrame:
    """Return all answers of models, those to questions out of scene included; their texts stay in the traces.

    Examples:
        >>> gm.calls_table(opened)["backend"].unique().tolist()
        ['rehearsal']
    """
    return _make_frame("calls", opened)


def write_parquet(opened: OpenWorld, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write every table as ``<folder>/<name>.parquet``, and return the paths. Existing files are replaced.

    What ``publish.private`` names is in them too.

    Raises:
        GmError: As for the tables, or the disk refused.

    Examples:
        >>> [path.name for path in gm.write_parquet(opened, folder / "tables")][:2]
        ['memories.parquet', 'scenes.parquet']
    """
    frames = {name: _make_frame(name, opened) for name in TABLES}
    written = {
        f"{name}.parquet": render_parquet(partial(_convert_frame, frame=frame), CORRECT) or b""
        for name, frame in frames.items()
    }
    return _write_all(Path(folder), written)


def write_csv(opened: OpenWorld, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
    """Write every table as ``<folder>/<name>.csv``, and return the paths; needs no extra. Existing files are replaced.

    The items of a list have spaces between them; a missing value is an empty cell. What ``publish.private`` names is in
    the files too.

    Raises:
        GmError: The disk refused.

    Examples:
        >>> [path.name for path in gm.write_csv(opened, folder / "csv")][:2]
        ['memories.csv', 'scenes.csv']
    """
    written = {f"{table.name}.csv": _render_csv(table, opened) for table in TABLES.values()}
    return _write_all(Path(folder), written)


def _render_csv(table: DataTable, opened: OpenWorld) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(column.name for column in table.columns)
    for row in table.rows(opened):
        writer.writerow(" ".join(cell) if isinstance(cell, tuple) else cell for cell in row)
    return text.getvalue().encode("utf-8", "replace")


def _write_all(folder: Path, files: Mapping[str, bytes]) -> tuple[Path, ...]:
    with disk.explained(folder):
        disk.make_folder(folder)
        for name, data in files.items():
            disk.replace(folder / name, data)
    return tuple(folder / name for name in files)


def _convert_frame(pyarrow: Any, frame: DataFrame) -> Any:
    # pandas cannot read its own note on columns of lists
    return pyarrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


def _make_frame(name: str, opened: OpenWorld) -> DataFrame:
    try:
        import pandas
        import pyarrow
    except ImportError as error:
        raise GmError(f"tables need pandas and pyarrow: {pip_install('data')}") from error
    table = TABLES[name]
    rows = [tuple(map(_cell, row)) for row in table.rows(opened)]
    series = {}
    for at, column in enumerate(table.columns):
        kind = pandas.ArrowDtype(pyarrow.list_(pyarrow.string())) if column.type == TEXTS else column.type
        try:
            series[column.name] = pandas.Series([row[at] for row in rows], dtype=kind)
        except (OverflowError, TypeError, ValueError) as error:
            message = f"table {name}, column {column.name}: a value does not fit {column.type}: {error}"
            raise GmError(message, CORRECT) from error
    return pandas.DataFrame(series)


def _cell(value: object) -> object:
    """Return a value as a cell; halves of characters, which neither pandas nor Parquet takes, become question marks."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    return [_cell(item) for item in value] if isinstance(value, tuple) else value
