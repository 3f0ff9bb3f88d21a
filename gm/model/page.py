"""The working memory of a character: one page of the running day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SUBGOAL, KNOWN, INSIGHTS = "current_subgoal", "known", "recent_insights"
KNOWN_NAMES = (KNOWN, "known_interfaces")
HIDDEN = "_"
"""What a key begins with that belongs to a person or a program: nobody is shown it, nothing of it is moved."""


@dataclass(frozen=True, slots=True)
class Page:
    """All that stands in ``state/working/<name>.yaml``.

    Attributes:
        values: Its keys in their order: texts, lists of texts, and other values that people have put there.
        present: Whether there is a file.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    present: bool = False


NO_PAGE = Page()


@dataclass(frozen=True, slots=True)
class PageChange:
    """What changes on a page: new values by key, and keys that go."""

    new: Mapping[str, object] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page as it is shown and written: under which key, and the words."""

    key: str
    text: str


def change_page(page: Page, change: PageChange) -> Page:
    """Return a page as it is after a change."""
    kept = {key: value for key, value in page.values.items() if key not in change.gone}
    return Page({**kept, **change.new}, present=True)


def page_lines(page: Page) -> tuple[PageLine, ...]:
    """Read a page line by line, with what is nested in it put into words; hidden keys are left out."""
    return tuple(
        PageLine(key, text)
        for key, value in page.values.items()
        if not key.startswith(HIDDEN)
        for item in (value if isinstance(value, list) else [value])
        if (text := _in_words(item))
    )


def is_plain(value: object) -> bool:
    """Return whether a value is what a character can write itself: a text, a number, or a list of such."""
    return all(not isinstance(item, dict | list) for item in (value if isinstance(value, list) else [value]))


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        parts = ((str(key), _in_words(item)) for key, item in value.items() if not str(key).startswith(HIDDEN))
        return "; ".join(f"{key}: {text}" if text else key for key, text in parts)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_in_words, value)))
    return "" if value is None else " ".join(str(value).split())
