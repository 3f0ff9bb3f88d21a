"""Safe corrections: the final newline, CRLF, decomposed Unicode, duplicate tags, an importance in quotes.

Only the affected characters are rewritten. A line with another error stays, because its meaning is unknown.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from gm.base.casefold import composed
from gm.files.check.files import StreamFile
from gm.files.check.rest import text_files
from gm.files.check.streams import read_stream
from gm.files.check.text import is_composed
from gm.files.commits.steps import Replace
from gm.files.formats.places import ValueSpan, find_spot, walk
from gm.files.formats.text import BOM, read_text, sha256
from gm.files.layout import Layout
from gm.model.node import is_older_record

_QUOTED = re.compile(r'"importance"\s*:\s*"')
_IMPORTANCES = frozenset(str(number) for number in range(1, 11))
NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class CorrectedFile:
    """A file before and after; ``path`` is relative to the world."""

    path: str
    before: str
    after: str

    @property
    def step(self) -> Replace:
        """The step that writes the correction, unless the file has been changed since."""
        return Replace(self.path, sha256(self.before.encode()), self.after)

    def diff(self) -> str:
        """Return a unified diff; a carriage return is shown as ``\\r``."""
        before, after = _shown_lines(self.before), _shown_lines(self.after)
        return "\n".join(difflib.unified_diff(before, after, f"a/{self.path}", f"b/{self.path}", lineterm="")) + "\n"


def corrections(layout: Layout) -> list[CorrectedFile]:
    """Return the possible corrections in a world. Nothing is written."""
    found = []
    streams = {layout.stream(name): name for name in layout.agent_names()}
    for path in text_files(layout):
        shown = layout.shown(path)
        text, problems = read_text(path, shown)
        if problems or not text.body:
            continue
        after = text.content.replace("\r\n", "\n")
        if path in streams:
            after = "\n".join(map(_unquote_importance, after.split("\n")))
            after = _correct_stream(read_stream(path, shown, streams[path]), after)
        if not after.endswith("\n") and _is_whole(after, path.suffix):
            after += "\n"
        if after != text.content:
            found.append(CorrectedFile(shown, text.content, after))
    return found


def _is_whole(text: str, suffix: str) -> bool:
    """A truncated line must not get a line end."""
    if suffix not in (".jsonl", ".json"):
        return True
    body = text.removeprefix(BOM)
    try:
        json.loads(body.rpartition("\n")[2] if suffix == ".jsonl" else body)
    except (ValueError, RecursionError):
        return False
    return True


def _correct_stream(stream: StreamFile, text: str) -> str:
    if not stream.suspected and is_composed(text):
        return text
    head = BOM if text.startswith(BOM) else ""
    lines = text.removeprefix(BOM).split("\n")
    for line in stream.again():
        key = "content" if is_older_record(line.record) else "description"
        tags = line.record.get("tags", [])
        distinct = list(dict.fromkeys(composed(tag) for tag in tags))
        if distinct != tags or not is_composed(line.record[key]):
            lines[line.number - 1] = _correct_line(lines[line.number - 1], key)
    return head + "\n".join(lines)


def _unquote_importance(line: str) -> str:
    if not _QUOTED.search(line):
        return line
    spot = find_spot(line, ("importance",))
    is_quoted = spot is not None and spot.keys and isinstance(spot.data, str) and spot.data in _IMPORTANCES
    return f"{line[: spot.begin]}{spot.data}{line[spot.end :]}" if spot and is_quoted else line


def _correct_line(line: str, key: str) -> str:
    edits: list[tuple[int, int, str]] = []
    spot = find_spot(line, (key,))
    if spot is not None and spot.keys:
        edits += _composed_text(line, spot)
    edits += _distinct_items(line)
    for begin, end, new in sorted(edits, reverse=True):
        line = line[:begin] + new + line[end:]
    return line


def _composed_text(line: str, spot: ValueSpan) -> Iterator[tuple[int, int, str]]:
    if isinstance(spot.data, str) and not is_composed(spot.data):
        raw = line[spot.begin : spot.end]
        yield spot.begin, spot.end, json.dumps(composed(spot.data), ensure_ascii=raw.isascii())


def _distinct_items(line: str) -> Iterator[tuple[int, int, str]]:
    seen: set[str] = set()
    end = 0
    for spot in walk(line):
        if len(spot.keys) != 2 or spot.keys[0] != "tags":
            continue
        tag = composed(spot.data)
        if tag in seen:
            yield end, spot.end, ""
        else:
            yield from _composed_text(line, spot)
        seen.add(tag)
        end = spot.end


def _shown_lines(text: str) -> list[str]:
    *lines, last = (line.replace("\r", "\\r") for line in text.split("\n"))
    return [*lines, f"{last}\n{NO_NEWLINE}"] if last else lines
