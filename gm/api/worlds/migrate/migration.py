"""Plan a migration by the steps from any earlier format, show it, and write it as one commit.

A new format is one more step at the end of ``STEPS``, and its number in ``gm.base.config.settings.FORMAT``. All steps
run on a world of any format: an older line may come later, by hand or by a merge, and a setting may go without a new
format.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypedDict

import yaml

from gm.api.answers.document import part, written_as
from gm.base.casefold import casefold
from gm.base.config import FORMAT, Settings
from gm.base.config.declare import SettingsSection, setting_key
from gm.base.errors import GmError
from gm.base.frontmatter import load_safely
from gm.files.check.fix import NO_NEWLINE
from gm.files.commits.snapshot import snapshot
from gm.files.commits.steps import line_at, read_exactly, replace_lines, replace_step
from gm.files.commits.writer import writing
from gm.files.formats.jsonl import scan_lines
from gm.files.formats.splice import is_same_value
from gm.files.formats.text import BOM, is_there
from gm.files.formats.yamledit import set_yaml
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.model.calendar import render_day
from gm.model.ids import WORLD
from gm.model.node import NODE_KEYS, Node, is_older_record, node_from_record, render_node

_KEY = "format"
_FIRST = re.compile(r"^(?![ \t]*(?:#|\r?$)|---|%)", re.MULTILINE)
"""Beginning of the first line that is neither a comment nor a mark of the document."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A new text.

    Attributes:
        lines: How many lines of the old text it replaces or leaves out.
        left: Places that stay as they are, each with the reason.
    """

    text: str
    lines: int = 0
    left: tuple[str, ...] = ()


def rewrite_memories(path: str, text: str) -> Rewritten:
    """Rewrite the lines of a stream that have the older shape; one that is not a valid memory stays."""
    agent = PurePosixPath(path).stem
    changed: dict[int, str] = {}
    left: list[str] = []
    for line in scan_lines(text.removeprefix(BOM), path).lines:
        if is_older_record(line.record):
            try:
                changed[line.number] = migrate_line(line_at(text, line.number), agent)
            except ValueError as error:
                left.append(f"{path}:{line.number}: stays as it is: {error}")
    return Rewritten(replace_lines(text, changed) if changed else text, len(changed), tuple(left))


def migrate_line(line: str, agent: str) -> str:
    """Convert a line of the older shape to today's.

    ``content`` becomes ``description``, ``day`` 4 becomes ``day-004``, ``agent`` is dropped (it is in the id); all
    other keys move into ``metadata``.

    Raises:
        ValueError: The line is not a valid node, or has a duplicate key.
    """
    pairs: list[tuple[str, Any]] = json.loads(line, object_pairs_hook=list)
    record: dict[str, Any] = json.loads(line)
    if len(pairs) != len(record):
        twice = next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))
        raise ValueError(f"the key {twice!r} stands in it twice, expected once; delete the wrong one")
    node = node_from_record(record)
    return render_node(replace(node, metadata=_metadata(record, node, agent)))


def _metadata(record: Mapping[str, Any], node: Node, agent: str) -> dict[str, Any]:
    metadata = dict(node.metadata)
    for key, value in record.items():
        if key in NODE_KEYS or key == "content":
            continue
        if key == "agent" and isinstance(value, str) and casefold(value) == casefold(agent):
            continue
        if key == "day" and isinstance(value, int) and node.created == render_day(value):
            continue
        metadata[_make_free_key(key, metadata)] = value
    return metadata


def _make_free_key(key: str, taken: Mapping[str, Any]) -> str:
    while key in taken:
        key = f"older_{key}"
    return key


def remove_gone(path: str, text: str) -> Rewritten:
    """Remove the settings of earlier versions that can no longer be set (``SettingsSection.GONE``)."""
    count, left = 0, []
    for above, name in [*_find_gone_settings(Settings, _settings_in(text))]:
        held: Any = _settings_in(text)
        for key in above:
            held = held[key]
        try:
            text = set_yaml(text, above, {key: value for key, value in held.items() if key != name})
            count += 1
        except ValueError as error:
            left.append(f"{path}: {'.'.join((*above, name))} stays as it is: {error}")
    return Rewritten(text, count, tuple(left))


def write_format(path: str, text: str) -> Rewritten:
    """Write the present format into ``gm.yaml``, above all other settings; a number that is there is replaced."""
    data = _settings_in(text)
    if _KEY not in data:
        mark = BOM if text.startswith(BOM) else ""
        body = text.removeprefix(BOM)
        first = _FIRST.search(body)
        at = first.start() if first else len(body)
        line = f"{_KEY}: {FORMAT}" + ("\r\n" if "\r\n" in body else "\n")
        longer = f"{mark}{body[:at]}{line}{body[at:]}"
        if is_same_value(_settings_in(longer), {_KEY: FORMAT, **data}):
            return Rewritten(longer, 1)
    try:
        return Rewritten(set_yaml(text, (_KEY,), FORMAT), 1)
    except ValueError as error:
        return Rewritten(text, 0, (f"{path}: {_KEY} is not written: {error}",))


def _settings_in(text: str) -> Mapping[Any, Any]:
    try:
        data = load_safely(text.removeprefix(BOM))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _find_gone_settings(
    kind: type[SettingsSection], data: Mapping[Any, Any], above: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], str]]:
    inner = {setting_key(item.name): item.metadata.get("section") for item in fields(kind)}
    for key, value in data.items():
        if key in kind.GONE:
            yield above, key
        elif isinstance(value, dict) and (section := inner.get(key)) is not None:
            yield from _find_gone_settings(section, value, (*above, key))


@dataclass(frozen=True, slots=True)
class FormatStep:
    """A change of the format.

    Attributes:
        name: A word for it, unique.
        sentence: What it does.
        paths: The files that it looks at; absent ones are passed over.
        rewrite: From the path inside the world and the text of a file to its new text, without reading anything else.
            What it has rewritten it leaves as it is.
    """

    name: str
    sentence: str
    paths: Callable[[Layout], Iterable[Path]]
    rewrite: Callable[[str, str], Rewritten]


def _files_of_memories(layout: Layout) -> Iterator[Path]:
    yield layout.gifted(WORLD)
    for name in layout.agent_names():
        yield from (layout.stream(name), layout.archived(name), layout.summarised(name), layout.gifted(name))


STEPS: tuple[FormatStep, ...] = (
    FormatStep(
        "memories",
        "Memories of the older shape (content, day, agent) take the nine keys of today.",
        _files_of_memories,
        rewrite_memories,
    ),
    FormatStep(
        "settings", "Settings that can no longer be set leave gm.yaml.", lambda layout: (layout.settings,), remove_gone
    ),
)


class RewriteShown(TypedDict):
    """A file that changes."""

    path: str
    lines: Annotated[int, "how many lines change"]
    steps: Annotated[Sequence[str], "the names of the steps that change it; format writes the number"]
    difference: Annotated[str, "in the form of diff -u"]


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A file before and after.

    Attributes:
        lines: How many lines change.
        steps: The names of the steps that change it; ``format`` writes the number.
    """

    path: str
    old: str
    new: str
    lines: int
    steps: tuple[str, ...] = ()

    @property
    def difference(self) -> str:
        """The change as a unified diff."""
        return render_difference(self.path, self.old, self.new)


@dataclass(frozen=True, slots=True)
class Migration:
    """What a migration would change.

    Attributes:
        format: The world's format now.
        target: The format that it has when all is written; as now if something has to be corrected by hand first, or
            without a ``gm.yaml`` that could say it.
        lines: How many lines change, in all files.
        left: Places that stay as they are, with reasons.
    """

    written: bool
    format: int
    target: int
    lines: int
    files: tuple[Rewrite, ...] = part(by=written_as(RewriteShown))
    left: tuple[str, ...] = part()


def plan_migration(layout: Layout, steps: Sequence[FormatStep] = STEPS) -> Migration:
    """Return what all steps would change; steps already applied change nothing.

    Raises:
        NewerWorldError: The world has a newer format.
    """
    with snapshot(layout):
        return _plan_steps(layout, steps)


def _plan_steps(layout: Layout, steps: Sequence[FormatStep]) -> Migration:
    now = load_settings(layout)[0].format
    files: dict[str, Rewrite] = {}
    left: list[str] = []
    for step in steps:
        for path in step.paths(layout):
            if is_there(path):
                left += _add_rewrite(files, layout, path, step.name, step.rewrite)
    target = now
    if not left and now < FORMAT and is_there(layout.settings):
        left += _add_rewrite(files, layout, layout.settings, "format", write_format)
        target = now if left else FORMAT
    changed = tuple(files.values())
    return Migration(False, now, target, sum(item.lines for item in changed), changed, tuple(left))


def _add_rewrite(
    files: dict[str, Rewrite], layout: Layout, path: Path, name: str, rewrite: Callable[[str, str], Rewritten]
) -> tuple[str, ...]:
    """Add what a step makes of a file to what the steps before made of it; return what it leaves."""
    shown = layout.shown(path)
    before = files.get(shown)
    try:
        old = before.old if before else read_exactly(path)
    except (OSError, ValueError) as error:
        return (f"{shown}: stays as it is: {error}",)
    found = rewrite(shown, before.new if before else old)
    if found.text != (before.new if before else old):
        lines, steps = (before.lines, before.steps) if before else (0, ())
        files[shown] = Rewrite(shown, old, found.text, lines + found.lines, (*steps, name))
    return found.left


def write_migration(layout: Layout, migration: Migration) -> list[str]:
    """Write what was planned, and return notes.

    Raises:
        GmError: A file has changed since it was planned; it was left alone.
    """
    with writing(layout, "gm migrate") as writer:
        steps = [replace_step(layout, layout.root / item.path, item.old, item.new) for item in migration.files]
        overruled = writer.commit(steps)
    if overruled:
        edited = ", ".join(item.path for item in overruled)
        raise GmError(
            f"edited meanwhile and not changed: {edited}", "run the command again: it shows what is left to do"
        )
    return writer.notes


def render_difference(path: str, old: str, new: str) -> str:
    """Return the unified diff of a file; empty when nothing changes."""
    if old == new:
        return ""
    lines: list[str] = []
    for line in difflib.unified_diff(
        _split_keeping_ends(old), _split_keeping_ends(new), f"a/{path}", f"b/{path}", lineterm="\n"
    ):
        lines.append(line.removesuffix("\n"))
        if not line.endswith("\n"):
            lines.append(NO_NEWLINE)
    return "\n".join(lines) + "\n"


def _split_keeping_ends(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]
