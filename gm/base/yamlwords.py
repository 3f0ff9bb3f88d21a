"""YAML errors in plain words, at the place of the mistake."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import NamedTuple

import yaml

from gm.base.errors import Problem, say

LINE_ENDS = re.compile("\r\n|[\r\n\x85\u2028\u2029]")
_SCANNER: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_QUOTES = 'put the text in quotes: "…"'
_HINTS = {
    "nested too deeply": "write it flatter",
    "aliases stand for": "write the values out, or use fewer aliases (*name)",
    "an alias stands inside": "write the value out instead of *name",
    "too many digits": "write a shorter number, or put it in quotes",
    "that can be read": _QUOTES,
    "escape": "between double quotes write \\\\ for a backslash; between single quotes it stands for itself",
}


class Mistake(NamedTuple):
    """A mistake in a YAML text; line and column from 1, column 0 = the whole line."""

    line: int
    column: int
    message: str
    hint: str

    @property
    def placed(self) -> str:
        """The message behind its place, for texts that are not files of their own."""
        return f"line {self.line}, column {self.column}: {self.message}"

    def problem(self, shown: str, first_line: int = 1) -> Problem:
        """Return the problem of a file whose YAML begins on a line."""
        line, message = self.line + first_line - 1, say("not YAML: {part}", self.message)
        return Problem(shown, line, self.column, "error", "yaml-syntax", message, self.hint)


def explain_yaml(error: Exception, text: str) -> Mistake:
    """Explain an error that PyYAML raised on a text."""
    if isinstance(error, yaml.reader.ReaderError):
        return _character(error, text)
    problem = " ".join(str(getattr(error, "problem", None) or error).split()) or type(error).__name__
    if "maximum nesting depth" in problem:  # libyaml's own limit, of 1,000: it reads ahead, so it may come before ours
        problem = "nested too deeply"
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is None:
        return Mistake(1, 0, problem, "")
    began = getattr(error, "context_mark", None) or mark
    lines = LINE_ENDS.split(text)
    line = lines[mark.line] if mark.line < len(lines) else ""
    here, start = (mark.line + 1, mark.column + 1), (began.line + 1, began.column + 1)
    tab = re.match(r" *\t", line)
    if tab and mark.column <= len(tab[0]) and "end of stream" not in problem:
        return Mistake(here[0], len(tab[0]), "found a tab, expected spaces", "indent with spaces")
    if unclosed := _find_unclosed_quote(lines, mark.line, mark.column):
        return unclosed
    if "mapping values are not allowed" in problem:
        return _second_colon(lines, mark.line, mark.column)
    if "could not find expected ':'" in problem:
        return _no_colon(lines, began.line)
    context = str(getattr(error, "context", ""))
    if re.search("end of stream|document (indicator|separator)", problem) and "quoted scalar" in context:
        quote = lines[began.line][began.column : began.column + 1]
        return Mistake(
            *start, say("the text that begins here with {quote} never ends", quote), say("close it with {sign}", quote)
        )
    if "flow sequence" in context or "flow mapping" in context:
        return _describe_unclosed(lines, *start)
    if "node content" in problem and not any(rest.strip() for rest in (line[mark.column :], *lines[mark.line + 1 :])):
        opened = [(n, at) for n, one in enumerate(lines) for at in (max(one.rfind("["), one.rfind("{")),) if at >= 0]
        if opened:
            return _describe_unclosed(lines, opened[-1][0] + 1, opened[-1][1] + 1)
    if "cannot start any token" in problem:
        return Mistake(*here, f"no value begins with {line[mark.column : mark.column + 1]}", _QUOTES)
    if re.search("did not find expected key|expected <block end>|did not find expected '-'", problem):
        return _out_of_place(line, here)
    if "undefined alias" in problem:
        return Mistake(*here, "a value that begins with * is an alias, and nothing has that name", _QUOTES)
    if "constructor for the tag" in problem:
        return Mistake(*here, "a value that begins with ! has a kind of its own, which is not read", _QUOTES)
    if "found another document" in problem:
        hint = "take the line out: the file is one document"
        return Mistake(*here, "a second document begins here", hint)
    hint = next((hint for part, hint in _HINTS.items() if part in problem), "look at this place or just before it")
    return Mistake(*here, problem, hint)


def _find_unclosed_quote(lines: list[str], at: int, column: int) -> Mistake | None:
    """Find the quote before an error that was closed, lines later, by the quote that opens another text."""
    before = [*lines[:at], "".join(lines[at : at + 1])[:column].rstrip()]
    scalars: list[yaml.ScalarToken] = []
    with suppress(yaml.YAMLError):
        tokens = yaml.scan("\n".join(before), Loader=_SCANNER)
        scalars.extend(token for token in tokens if isinstance(token, yaml.ScalarToken))
    if not scalars or scalars[-1].style not in ('"', "'"):
        return None
    began, ended = scalars[-1].start_mark, scalars[-1].end_mark
    if began.line == at or (ended.line, ended.column) != (at, len(before[-1])):
        return None
    quote = lines[began.line][began.column]
    message = say("the text that begins here with {quote} ends lines later, before more text", quote)
    return Mistake(began.line + 1, began.column + 1, message, say("close it with {sign}", quote))


def _describe_unclosed(lines: list[str], line: int, column: int) -> Mistake:
    closing = "]" if lines[line - 1][column - 1 : column] == "[" else "}"
    hint = say("close it with {sign}, and put commas between what is in it", closing)
    return Mistake(line, column, say("what begins here has no {sign} where one is expected", closing), hint)


def _character(error: yaml.reader.ReaderError, text: str) -> Mistake:
    """PyYAML's position may be in bytes or in characters, so search."""
    found = error.character if isinstance(error.character, int) else 0
    at = text.find(chr(found))
    before = LINE_ENDS.split(text[: max(at, 0)])
    column = len(before[-1]) + 1 if at >= 0 else 0
    return Mistake(len(before), column, f"the character U+{found:04X} is not allowed here", "take it out")


def _second_colon(lines: list[str], at: int, column: int) -> Mistake:
    line = lines[at]
    indent = len(line) - len(line.lstrip(" "))
    above = next((n for n in range(at - 1, -1, -1) if lines[n].strip() and lines[n].lstrip()[0] != "#"), None)
    if ": " in line[:column] or above is None:
        return Mistake(at + 1, column + 1, "a second colon in one line", _QUOTES)
    if re.search(r":(\s|\Z)", lines[above]):
        message = "this line is indented further than the one above, which has a value already"
        return Mistake(at + 1, indent + 1, message, "indent both lines alike, or put the value above in quotes")
    return _no_colon(lines, above)


def _no_colon(lines: list[str], at: int) -> Mistake:
    line = lines[at]
    indent = len(line) - len(line.lstrip(" "))
    if tight := re.match(r"\s*[\w.-]+:(?=\S)", line):
        return Mistake(at + 1, tight.end() + 1, "no space behind the colon", "write name: value")
    return Mistake(at + 1, indent + 1, "no colon in this line", "write name: value")


def _out_of_place(line: str, here: tuple[int, int]) -> Mistake:
    if line[: here[1] - 1].strip():
        return Mistake(*here, "more text behind a value that has ended", "put the whole value in quotes")
    if line[here[1] - 1 :].startswith("-"):
        message, hint = "a list item among names with values", "indent the item below the name it belongs to"
        return Mistake(*here, message, hint)
    message = "this line is indented like none of the lines above"
    return Mistake(*here, message, "give lines that belong together the same number of spaces")
