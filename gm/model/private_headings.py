"""Finds lines of a persona that look like a private heading but are not one: the text below them is published."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from gm.base.languages import all_languages
from gm.base.markup.parse import heading_key

LEAST_LIKENESS = 0.9
"""From here on, two headings differ by a slip of the pen: "what you tell nobdy" (0.97), not "everybody" (0.84)."""
MOST_CHARACTERS = 80
"""Longer lines are not headings."""
_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|\Z)")
_BOLD = re.compile(r"\s*(\*\*|__)(?P<text>.+?)\1\s*(?:\Z|:)|\s*(\*\*|__)(?P<label>.+?:)\3")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)\s*\Z")
_MARKS = str.maketrans("", "", "*_`")
_HYPHENS = re.compile(r"[-‐‑‒–—\s]+")


@dataclass(frozen=True, slots=True)
class NearHeading:
    """A line that looks like a private heading.

    Attributes:
        line: From 1.
        text: Without its marks.
        meant: The private heading that is most like it.
    """

    line: int
    text: str
    meant: str


def find_near_headings(prose: str, private: Sequence[str]) -> Iterator[NearHeading]:
    """Yield headings, lines in bold and labels that resemble a private heading and keep nothing back.

    Args:
        private: The headings that do (``publish.headings``).
    """
    keys = {heading_key(heading) for heading in private}
    lines = prose.split("\n")
    for number, (above, line, below) in enumerate(zip(["", *lines], lines, [*lines[1:], ""], strict=False), 1):
        if len(line) > MOST_CHARACTERS:
            continue
        text, is_heading, is_marked = _read_title(line, below)
        both = heading_key(f"{above} {line}") if _UNDERLINE.match(below) else ""  # an underlined heading of two lines
        is_same = not keys.isdisjoint({heading_key(text), both})
        if (is_same and not is_heading) or (not is_same and is_marked and _is_near(text, private)):
            yield NearHeading(number, text, _find_meant(text, private))


def _read_title(line: str, below: str) -> tuple[str, bool, bool]:
    """Return the text of a line, whether it is a heading of Markdown, and whether it is marked in any way."""
    bare, bold = line.strip(), _BOLD.match(line)
    is_heading = bool(_HEADING.match(line) or (bare and _UNDERLINE.match(below)))
    text = (bold["text"] or bold["label"]) if bold else bare.strip("#")
    return text.translate(_MARKS).strip(), is_heading, bool(is_heading or bold or bare.startswith("#"))


def _is_near(text: str, private: Sequence[str]) -> bool:
    plain = _plain(text)
    says_so = any(language.private_headings.search(plain) for language in all_languages())
    return bool(private) and (says_so or any(_likeness(text, one) >= LEAST_LIKENESS for one in private))


def _find_meant(text: str, private: Sequence[str]) -> str:
    """Return the likest private heading, of those in the language of the text if there are any."""
    patterns = [one.private_headings for one in all_languages() if one.private_headings.search(_plain(text))]
    spoken = [one for one in private if any(pattern.search(_plain(one)) for pattern in patterns)]
    return max(spoken or private, key=lambda one: _likeness(text, one))


def _plain(text: str) -> str:
    return _HYPHENS.sub(" ", text).strip(" .:!?…").lower()


def _likeness(text: str, other: str) -> float:
    return SequenceMatcher(None, _plain(text), _plain(other)).ratio()
