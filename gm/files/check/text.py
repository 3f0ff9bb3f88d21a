"""Rules for files as texts: byte order marks, line ends, blank lines, the final newline, composed Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gm.base.errors import Problem, Severity, say
from gm.base.texts import clip, suggest, suggest_close
from gm.files.formats.places import yaml_twice
from gm.files.formats.text import BLOCK, BOM, Text, locate_offset

FIX = "gm check --fix corrects it"


@dataclass(slots=True)
class TextForm:
    """The form of a text file, independent of its lines; its parts may be added one after another.

    Attributes:
        has_mark: Whether it begins with a byte order mark.
        is_empty: Whether nothing else is in it.
        lines: Number of line ends; ``crlf`` of them are CRLF.
        first_crlf: Line and column of the first CRLF.
        end: Line and column behind its last character; line 0 = it ends with a line end.
    """

    has_mark: bool = False
    is_empty: bool = True
    lines: int = 0
    crlf: int = 0
    first_crlf: tuple[int, int] = (0, 0)
    end: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, text: Text) -> TextForm:
        form = cls(has_mark=text.content.startswith(BOM))
        form.add(text.body)
        return form

    def add(self, body: str) -> None:
        """Add a part that begins with a line."""
        if not body:
            return
        self.is_empty = False
        if "\r" in body and (crlf := body.count("\r\n")):
            if not self.crlf:
                line, column = locate_offset(body, body.index("\r\n"))
                self.first_crlf = self.lines + line, column
            self.crlf += crlf
        feeds = body.count("\n")
        self.end = (0, 0) if body.endswith("\n") else (self.lines + feeds + 1, len(body) - body.rfind("\n"))
        self.lines += feeds


def check_form(form: TextForm, shown: str, blank: Sequence[int] | None = None) -> Iterator[Problem]:
    """Yield problems of a file as a text; ``blank`` lines, if each line is an entry, make the rules stricter."""
    if form.is_empty:
        return
    severity: Severity = "info" if blank is None else "warning"
    if form.has_mark:
        hint = "save the file as UTF-8 without BOM"
        yield Problem(shown, 1, 1, severity, "byte-order-mark", "the file begins with a byte order mark", hint)
    if form.crlf:
        others = ", the others in LF" if form.crlf != form.lines else ""
        message = f"{form.crlf} lines end in CRLF{others}" if form.crlf > 1 else "a line ends in CRLF"
        yield Problem(shown, *form.first_crlf, severity, "line-end", f"{message}, expected LF", FIX)
    if blank:
        more = f" ({len(blank)} in this file, first here)" if len(blank) > 1 else ""
        hint = "it is skipped; take it out"
        yield Problem(shown, blank[0], 1, "warning", "blank-line", f"a blank line{more}", hint)
    if form.end[0]:
        yield Problem(shown, *form.end, severity, "final-newline", "the last line has no line end", FIX)


def check_composed(body: str, shown: str) -> Iterator[Problem]:
    """Report the first place with decomposed characters (NFD)."""
    if is_composed(body):
        return
    lines = [number for number, line in enumerate(body.split("\n"), 1) if not is_composed(line)]
    line = body.split("\n")[lines[0] - 1]
    column = first_decomposed(line) + 1
    more = f" ({len(lines)} lines like this, first here)" if len(lines) > 1 else ""
    message = f"written with combining marks (NFD); it is matched all the same{more}"
    yield Problem(shown, lines[0], column, "info", "text-nfd", message)


def check_duplicate_keys(text: str, shown: str, lines_before: int = 0) -> Iterator[Problem]:
    """Report duplicate keys of a YAML text that begins below other lines."""
    for name, line, column in yaml_twice(text):
        message = say("the key {key} occurs twice; the last one counts", repr(name))
        yield Problem(shown, line + lines_before, column, "warning", "key-twice", message, "delete one of the two")


def unknown_place(what: str, place: str, places: Iterable[str]) -> tuple[Severity, str, str, str]:
    """Return severity, code, message and hint for a place that is none of the world's."""
    near = suggest_close(place, places)
    message = say("{what} {place} is not a place of gm.yaml", what, repr(place))
    return "warning" if near else "info", "place-unknown", message, near or suggest(place, places)


def is_composed(text: str) -> bool:
    """Return whether a text is composed Unicode (NFC)."""
    try:
        for start in range(0, len(text), BLOCK):
            text[start : start + BLOCK].encode("latin-1")  # Latin-1 is always composed; a faster test
    except UnicodeEncodeError:
        return unicodedata.is_normalized("NFC", text)
    return True


def first_decomposed(line: str) -> int:
    """Return the offset of the first character that composes with the next one."""
    for index in range(1, len(line)):
        if unicodedata.combining(line[index]) and not is_composed(line[index - 1 : index + 1]):
            return index - 1
    return 0


def figure(value: object) -> str:
    """Format a number; ``:g`` overflows for very large ones."""
    return clip(f"{value:g}" if isinstance(value, float) else str(value))
