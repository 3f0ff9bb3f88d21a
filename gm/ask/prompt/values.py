"""Values as prompts show them: views in a sandbox, printed on one line, without headings of their own.

Every printed value passes through ``one_line``. ``Lines`` are made only here, so that no line of them can be taken for
the prompt's own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from jinja2.sandbox import ImmutableSandboxedEnvironment

View = SimpleNamespace
"""Values that a template reads as attributes; an undefined attribute is an error."""

PERSONA_LEVEL, PREMISE_LEVEL = 2, 3
"""The highest headings in a persona and in a world's premise."""

_BREAK = "\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"  # all at which str.splitlines breaks
_BREAKS = re.compile(rf"[^\S{_BREAK}]*[{_BREAK}]\s*")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_BLOCK = re.compile(r"#{1,6}(?:\s|$)|[-*+](?:\s|$)|\d+[.)](?:\s|$)|[>`~|]")  # what begins one in Markdown


class Lines(str):
    """A text that is printed with its lines."""

    __slots__ = ()

    def strip(self, chars: str | None = None, /) -> Lines:
        return Lines(super().strip(chars))


def one_line(value: Any) -> Any:
    """Return a value as a template prints it: text on one line that is not a heading; anything else unchanged."""
    if not isinstance(value, str) or isinstance(value, Lines):
        return value
    if value.isprintable():  # no line break is printable: most values are done here
        return _unheaded(value) if "#" in value else value
    if not _BREAKS.search(value):
        return _unheaded(value) if "#" in value else value
    text = _BREAKS.sub(" ", value).strip(" ")
    return f"\\{text}" if value.lstrip(" \t")[:1] in _BREAK and _BLOCK.match(text) else _unheaded(text)


def quoted(text: str) -> Lines:
    """Return text as a Markdown quotation; the template prints the first ``>`` itself."""
    return Lines("\n> ".join(text.splitlines()))


def quoted_lines(text: str) -> list[Lines]:
    """Return the lines of text that a template quotes itself, line by line."""
    return list(map(Lines, text.strip().splitlines()))


def indented(text: str, width: int = 4) -> Lines:
    """Indent all lines but the first, as for an item of a list; blank lines stay blank."""
    first, *others = text.splitlines() or [""]
    return Lines("\n".join((_unheaded(first), *(" " * width + line if line else "" for line in others))))


@lru_cache(maxsize=128)
def prose(text: str, level: int) -> Lines:
    """Return a text of the user with its lines, its headings lowered to ``level`` (2–6) or below."""
    return Lines("\n".join(_lowered(line, level) for line in text.strip().splitlines()))


def _lowered(line: str, level: int) -> str:
    bare = line.strip()
    if bare and set(bare) <= set("=-"[: level - 1]):
        return f"\\{bare}"  # underlines of headings of the first level and the second
    if not _HEADING.match(bare):
        return line
    return "#" * max(0, level - len(bare) + len(bare.lstrip("#"))) + bare


def _unheaded(line: str) -> str:
    return f"\\{bare}" if _HEADING.match(bare := line.lstrip()) else line


class Sandbox(ImmutableSandboxedEnvironment):
    """Lets templates read values and do nothing else."""

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Views come first: they are the most frequent values."""
        if type(obj) is View:
            return not attr.startswith("_")
        return super().is_safe_attribute(obj, attr, value)


def inner_quotes(text: str) -> str:
    """Replace the quotation marks inside a quoted text by single ones."""
    return text.translate(_INNER)


_INNER = str.maketrans({"»": "›", "«": "‹", "„": "‚", "“": "‘", "”": "’"})
FILTERS: Mapping[str, Callable[..., str]] = {"inner": inner_quotes, "quoted": quoted, "indent": indented}
"""Filters for templates besides those of Jinja; ``indent`` replaces Jinja's."""
