"""Rules for souls and pages of working memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gm.base.errors import Problem
from gm.files.check.files import Files
from gm.files.forms.places import Keys, yaml_place
from gm.files.forms.text import read_text
from gm.files.layers.minds import read_plain
from gm.layers.soul import SOUL, SOUL_KINDS, soul_key
from gm.layers.working import HIDDEN, INSIGHTS, KNOWN_NAMES, SUBGOAL, WORKING, Page, page_lines

_SOUL_HINT = "write beliefs:, values:, fears:, convictions: with sentences below each; one with a colon in quotes"
_PAGE_HINT = "write current_subgoal: with a text, known: and recent_insights: with a list of texts below each"


def soul(agent: str, files: Files) -> Iterator[Problem]:
    """A soul maps beliefs, values, fears, convictions to lists of texts, each sentence once."""
    path = files.layout.layer(SOUL, agent)
    data, text = _read(files, path)
    if data is None:
        return
    at = _Place(files.layout.shown(path), text)
    if not isinstance(data, dict):
        yield at.warn(
            (), "soul-form", f"a soul is {type(data).__name__}, expected names with lists of texts", _SOUL_HINT
        )
        return
    seen: dict[str, str] = {}
    for name, items in data.items():
        if name not in SOUL_KINDS.values():
            message = f"{str(name)!r} is none of the usual kinds; it is shown under this name"
            yield at.warn((str(name),), "soul-kind", message, "known: " + ", ".join(SOUL_KINDS.values()))
        for index, item in enumerate(items if isinstance(items, list) else [items]):
            keys: Keys = (str(name), index) if isinstance(items, list) else (str(name),)
            if item is None and not isinstance(items, list):
                continue  # an empty heading
            if not isinstance(item, str):
                yield at.warn(keys, "soul-form", f"{name} holds {item!r:.40}, expected a text", _SOUL_HINT)
            elif soul_key(item) in seen:
                message = f"the same sentence stands in {seen[soul_key(item)]} already"
                yield at.warn(keys, "soul-twice", message, "take one of them out")
            else:
                seen[soul_key(item)] = str(name)


def page(agent: str, files: Files) -> Iterator[Problem]:
    """A page of working memory maps names to texts; nested values are shown in one line."""
    path = files.layout.layer(WORKING, agent)
    data, text = _read(files, path)
    if data is None:
        return
    at = _Place(files.layout.shown(path), text)
    if not isinstance(data, dict):
        yield at.warn((), "page-form", f"a page is {type(data).__name__}, expected names with texts", _PAGE_HINT)
        return
    yield from _usual_keys(data, at)
    shown, most = len(page_lines(Page(data))), files.settings.working.lines
    if shown > most and files.is_set:
        message = f"the page has {shown} lines, {most} of them are shown"
        yield at.problem((), "info", "page-long", message, "raise working.lines in gm.yaml, or shorten the page")


def _usual_keys(data: Mapping[Any, Any], at: _Place) -> Iterator[Problem]:
    for name, value in data.items():
        if str(name).startswith(HIDDEN):
            continue
        if name == SUBGOAL and not isinstance(value, str | None):
            yield at.warn(
                (SUBGOAL,), "page-form", f"{SUBGOAL} is {type(value).__name__}, expected one text", _PAGE_HINT
            )
        if name in (*KNOWN_NAMES, INSIGHTS) and not isinstance(value, str | list | dict | None):
            yield at.warn((str(name),), "page-form", f"{name} is {value!r:.40}, expected a list of texts", _PAGE_HINT)


def _read(files: Files, path: Path) -> tuple[Any, str]:
    shown = files.layout.shown(path)
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return None, ""
    return read_plain(text.body, shown)[0], text.body


class _Place:
    def __init__(self, shown: str, text: str) -> None:
        self._shown = shown
        self._text = text

    def warn(self, keys: Keys, code: str, message: str, hint: str) -> Problem:
        return self.problem(keys, "warning", code, message, hint)

    def problem(self, keys: Keys, severity: Any, code: str, message: str, hint: str) -> Problem:
        return Problem(self._shown, *yaml_place(self._text, keys), severity, code, message, hint)


RULES = (soul, page)
