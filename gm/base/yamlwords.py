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
_BY_WORDS = {
    "undefined alias": ("a value that begins with * is an alias, and nothing has that name", _QUOTES),
    "constructor for the tag": ("a value that begins with ! has a kind of its own, which is not read", _QUOTES),
    "found another document": ("a second document begins here", "take the line out: the file is one document"),
    "nested too deeply": ("", "write it flatter"),
    "aliases stand for": ("", "write the values out, or use fewer aliases (*name)"),
    "an alias stands inside": ("", "write the value out instead of *name"),
    "too many digits": ("", "write a shorter number, or put it in quotes"),
    "that can be read": ("", _QUOTES),
    "escape": ("", "between double quotes write \\\\ for a backslash; between single quotes it stands for itself"),
}
"""Message and hint by a part of PyYAML's own message; "" = that one stays."""


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


class _Fault(NamedTuple):
    """What PyYAML says of a text: lines and columns of its two places count from 0."""

    problem: str
    context: str
    lines: list[str]
    at: tuple[int, int]
    began: tuple[int, int]
    before: str
    rest: str

    def here(self, message: str, hint: str) -> Mistake:
        return Mistake(self.at[0] + 1, self.at[1] + 1, message, hint)


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
    places = (mark.line, mark.column), (began.line, began.column)
    lines = LINE_ENDS.split(text)
    line = lines[mark.line] if mark.line < len(lines) else ""
    parts = line[: mark.column], line[mark.column :]
    fault = _Fault(problem, str(getattr(error, "context", "")), lines, *places, *parts)
    found = (explain(fault) for explain in (_tab, _find_unclosed_quote, _colon, _open_quote, _unclosed, _misplaced))
    known = (said for part, said in _BY_WORDS.items() if part in problem)
    message, hint = next(known, ("", "look at this place or just before it"))
    return next(filter(None, found), None) or fault.here(message or problem, hint)


def _tab(fault: _Fault) -> Mistake | None:
    tab = re.match(r" *\t", fault.before + fault.rest)
    if tab is None or fault.at[1] > len(tab[0]) or "end of stream" in fault.problem:
        return None
    return Mistake(fault.at[0] + 1, len(tab[0]), "found a tab, expected spaces", "indent with spaces")


def _colon(fault: _Fault) -> Mistake | None:
    if "mapping values are not allowed" in fault.problem:
        return _second_colon(fault.lines, *fault.at)
    return _no_colon(fault.lines, fault.began[0]) if "could not find expected ':'" in fault.problem else None


def _open_quote(fault: _Fault) -> Mistake | None:
    ends = re.search("end of stream|document (indicator|separator)", fault.problem)
    if not ends or "quoted scalar" not in fault.context:
        return None
    line, column = fault.began
    quote = fault.lines[line][column : column + 1]
    message = say("the text that begins here with {quote} never ends", quote)
    return Mistake(line + 1, column + 1, message, say("close it with {sign}", quote))


def _unclosed(fault: _Fault) -> Mistake | None:
    if "flow sequence" in fault.context or "flow mapping" in fault.context:
        return _describe_unclosed(fault.lines, *fault.began)
    after = (fault.rest, *fault.lines[fault.at[0] + 1 :])
    if "node content" not in fault.problem or any(rest.strip() for rest in after):
        return None
    opened = [(n, at) for n, one in enumerate(fault.lines) if (at := max(one.rfind("["), one.rfind("{"))) >= 0]
    return _describe_unclosed(fault.lines, *opened[-1]) if opened else None


def _misplaced(fault: _Fault) -> Mistake | None:
    if "cannot start any token" in fault.problem:
        return fault.here(f"no value begins with {fault.rest[:1]}", _QUOTES)
    if not re.search("did not find expected key|expected <block end>|did not find expected '-'", fault.problem):
        return None
    if fault.before.strip():
        return fault.here("more text behind a value that has ended", "put the whole value in quotes")
    if fault.rest.startswith("-"):
        message, hint = "a list item among names with values", "indent the item below the name it belongs to"
        return fault.here(message, hint)
    message = "this line is indented like none of the lines above"
    return fault.here(message, "give lines that belong together the same number of spaces")


def _find_unclosed_quote(fault: _Fault) -> Mistake | None:
    """Find the quote before an error that was closed, lines later, by the quote that opens another text."""
    lines, at = fault.lines, fault.at[0]
    before = [*lines[:at], fault.before.rstrip()]
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
    closing = "]" if lines[line][column : column + 1] == "[" else "}"
    hint = say("close it with {sign}, and put commas between what is in it", closing)
    return Mistake(line + 1, column + 1, say("what begins here has no {sign} where one is expected", closing), hint)


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
