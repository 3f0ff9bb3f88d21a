"""A character's working memory: one page of the running day.

In the evening, lines with a lesson's prefix become memories; everything else stays. In the morning it is shown as an
earlier day's, to be written anew. The documents leave this open.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gm.base.casefold import casefold
from gm.base.config import kinds
from gm.base.languages import language_of
from gm.base.texts import shorten_at_word
from gm.base.untyped import as_list
from gm.layers import declare
from gm.layers.rules import LINE_CHARACTERS, Finding, LayerFiles, by_form
from gm.model.record import Key, Record

if TYPE_CHECKING:
    from gm.model.layer_replies import PageEntry

SUBGOAL, KNOWN, INSIGHTS = "current_subgoal", "known", "recent_insights"
KNOWN_NAMES = (KNOWN, "known_interfaces")
HIDDEN = "_"
"""Prefix of keys that belong to a person or a program: never shown, never moved."""
SINGLE = (SUBGOAL,)
"""Keys with one text; all others that a character writes have a list."""


@dataclass(frozen=True, slots=True)
class Page:
    """The contents of ``state/working/<name>.yaml``: texts, lists of texts, and other values, in file order."""

    values: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageChange:
    """New values by key, and removed keys."""

    new: Mapping[str, object] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line as shown and written."""

    key: str
    text: str


def change_page(page: Page, change: PageChange) -> Page:
    """Return a page after a change."""
    kept = {key: value for key, value in page.values.items() if key not in change.gone}
    return Page({**kept, **change.new})


def page_lines(page: Page) -> tuple[PageLine, ...]:
    """Return a page's lines, nested values flattened, without hidden keys."""
    return tuple(
        PageLine(key, text)
        for key, value in page.values.items()
        if not key.startswith(HIDDEN)
        for item in as_list(value)
        if (text := _in_words(item))
    )


def is_plain(value: object) -> bool:
    """Return whether a character can write a value: a text, a number, or a list of them."""
    return all(not isinstance(item, dict | list) for item in as_list(value))


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        parts = ((str(key), _in_words(item)) for key, item in value.items() if not str(key).startswith(HIDDEN))
        return "; ".join(f"{key}: {text}" if text else key for key, text in parts)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_in_words, value)))
    return "" if value is None else " ".join(str(value).split())


NO_CHANGE = PageChange()


def rewrite_page(page: Page, entries: Sequence[PageEntry], most: int) -> tuple[PageChange | None, list[str]]:
    """Turn a new page of at most ``most`` lines into a change of the old one; no entries change nothing.

    Hidden keys and nested values stay: a character cannot write them.

    Returns:
        The change, None when there is none; and warnings about omitted lines.
    """
    if not entries:
        return None, []
    nested = {key: _nested(value) for key, value in page.values.items() if not key.startswith(HIDDEN)}
    shown = {shorten_at_word(line.text, LINE_CHARACTERS) for line in page_lines(Page(nested))}
    lines = [PageLine(entry.key, shorten_at_word(entry.text, LINE_CHARACTERS)) for entry in entries]
    lines = [PageLine(_key(page, line.key), line.text) for line in lines if line.text and line.text not in shown]
    wanted = list(dict.fromkeys(line for line in lines if not line.key.startswith(HIDDEN)))
    warnings = []
    if len(wanted) > most:
        warnings.append(f"the page has room for {most} lines; {len(wanted) - most} were left out")
    new: dict[str, Any] = {key: value for key, value in nested.items() if value}
    for line in wanted[:most]:
        if line.key in SINGLE:
            new.setdefault(line.key, line.text)
        else:
            held = new.get(line.key, [])
            new[line.key] = [*as_list(held), line.text]
    new = {key: _as_before(page.values.get(key), value) for key, value in new.items()}
    change = _change(page, new, [key for key in nested if key not in new])
    return (None if change == NO_CHANGE else change), warnings


def page_now(page: Page, written: Sequence[Sequence[PageEntry]], most: int) -> Page:
    """Return a page after the scene's last rewrite."""
    last = next((entries for entries in reversed(written) if entries), ())
    change, _ = rewrite_page(page, last, most)
    return change_page(page, change) if change else page


def _nested(value: object) -> object:
    if isinstance(value, list):
        return [item for item in value if not is_plain(item)]
    return None if is_plain(value) else value


def _key(page: Page, key: str) -> str:
    if key in KNOWN_NAMES:
        key = next((name for name in KNOWN_NAMES if isinstance(page.values.get(name), list | str)), KNOWN)
    return INSIGHTS if isinstance(page.values.get(key), dict) else key


def _as_before(old: object, new: object) -> object:
    return new[0] if isinstance(old, str) and isinstance(new, list) and len(new) == 1 else new


def _change(page: Page, new: Mapping[str, object], gone: Sequence[str]) -> PageChange:
    return PageChange({key: value for key, value in new.items() if page.values.get(key) != value}, tuple(gone))


def prefixes_of(listed: Sequence[str], language: str) -> tuple[str, ...]:
    """Return the prefixes of lessons (``working.migrate_prefixes``), case folded and without colon, also in the
    world's language.
    """
    plain = [casefold(prefix.strip().rstrip(":")) for prefix in listed]
    own = language_of(language).lessons
    return tuple(dict.fromkeys(filter(None, (*plain, *(own[prefix] for prefix in plain if prefix in own)))))


def shown_prefixes(listed: Sequence[str], language: str) -> list[str]:
    """Return the prefixes shown to a character, in the world's language."""
    own = language_of(language).lessons
    plain = (prefix.strip().rstrip(":").strip() for prefix in listed)
    return [f"{own.get(casefold(word), word).upper()}:" for word in plain if word]


def clear_page(page: Page, prefixes: Sequence[str]) -> tuple[list[PageLine], PageChange | None]:
    """Extract lessons at the end of a day.

    Returns:
        The lessons, each with the path of its keys; and the page's change, or None.
    """
    lessons: list[PageLine] = []
    new: dict[str, object] = {}
    gone = []
    for key, value in page.values.items():
        alone = isinstance(value, str) and is_lesson(f"{key}: {value}", prefixes)  # ``LESSON: …`` on a line of its own
        left = _without_lessons(key, f"{key}: {value}" if alone else value, prefixes, lessons)
        if left is _NOTHING:
            gone.append(key)
        else:
            new[key] = left
    change = _change(page, new, gone)
    return lessons, (None if change == NO_CHANGE else change)


_NOTHING = object()


def _without_lessons(path: str, value: object, prefixes: Sequence[str], found: list[PageLine]) -> object:
    # ``_NOTHING`` if nothing is left.
    if path.rpartition(".")[2].startswith(HIDDEN):
        return value
    if isinstance(value, str):
        if not is_lesson(value, prefixes):
            return value
        found.append(PageLine(path, " ".join(value.split())))
        return _NOTHING
    if isinstance(value, list):
        items = [_without_lessons(path, item, prefixes, found) for item in value]
        return [item for item in items if item is not _NOTHING]
    return _mapping_without(path, value, prefixes, found) if isinstance(value, dict) else value


def _mapping_without(path: str, value: Mapping[str, object], prefixes: Sequence[str], found: list[PageLine]) -> object:
    # YAML reads an unquoted line ``- LESSON: …`` as a mapping.
    left = {}
    for key, item in value.items():
        if isinstance(item, str) and is_lesson(f"{key}: {item}", prefixes):
            found.append(PageLine(path, f"{key}: {' '.join(item.split())}"))
            continue
        kept = _without_lessons(f"{path}.{key}", item, prefixes, found)
        if kept is not _NOTHING:
            left[key] = kept
    return left if left or not value else _NOTHING


def is_lesson(text: str, prefixes: Sequence[str]) -> bool:
    """Return whether a line is a prefix, a colon and a text."""
    head, colon, rest = text.partition(":")
    return bool(colon and rest.strip()) and casefold(head) in prefixes


def _fold(played: declare.PlayedScene, page: Page) -> declare.Folded[PageChange]:
    written = [entries for entries in played.said if entries]
    if not written:
        return declare.Folded()
    change, warnings = rewrite_page(page, written[-1], played.world.settings.working.lines)
    return declare.Folded(change, warnings)


def _yield(before: Page, now: Page, change: PageChange) -> tuple[PageChange, list[declare.KeptValue]]:
    keys = sorted(key for key in {*change.new, *change.gone} if before.values.get(key) != now.values.get(key))
    new = {key: value for key, value in change.new.items() if key not in keys}
    left = PageChange(new, tuple(key for key in change.gone if key not in keys))
    return left, [declare.KeptValue(key, change.new.get(key), now.values.get(key)) for key in keys]


def join_changes(first: PageChange | None, second: PageChange | None) -> PageChange | None:
    """Join two successive changes."""
    if first is None or second is None:
        return first or second
    new = {key: value for key, value in first.new.items() if key not in second.gone} | dict(second.new)
    return PageChange(new, tuple(key for key in dict.fromkeys((*first.gone, *second.gone)) if key not in new))


def page_words(page: Page) -> dict[str, list[str]]:
    """Return a page's lines by key."""
    found: dict[str, list[str]] = {}
    for line in page_lines(page):
        found.setdefault(line.key, []).append(line.text)
    return found


def _lines_now(shown: declare.ShownMoment, page: Page) -> tuple[PageLine, ...]:
    return page_lines(page_now(page, [reply.working for reply in shown.own], shown.world.settings.working.lines))


def _show(shown: declare.ShownMoment, page: Page) -> dict[str, object]:
    most = shown.world.settings.working.lines
    lines = _lines_now(shown, page)
    groups: dict[str, list[str]] = {}
    for line in lines[:most]:
        key = KNOWN if line.key in KNOWN_NAMES else line.key
        groups.setdefault(key, []).append(shorten_at_word(line.text, LINE_CHARACTERS))
    return {
        "earlier": bool(shown.scene and shown.scene.type.plan and not any(reply.working for reply in shown.own)),
        "groups": [{"key": key, "lines": texts} for key, texts in groups.items()],
        "more": max(0, len(lines) - most),
    }


def _facts(shown: declare.ShownMoment, page: Page) -> dict[str, object]:
    settings = shown.world.settings
    lines = [{"key": line.key, "text": line.text} for line in _lines_now(shown, page)]
    lesson = next(iter(shown_prefixes(settings.working.migrate_prefixes, settings.language)), "")
    return {"lines": lines, "room": settings.working.lines, "lesson": lesson}


def _write(_data: Mapping[str, object], change: PageChange) -> list[declare.Keys]:
    return [declare.Keys((*change.new, *change.gone), change.new)]


_HINT = "write current_subgoal: with a text, known: and recent_insights: with a list of texts below each"


_LINES = kinds.Kind(
    "a list of texts", lambda value: isinstance(value, str | list | dict), {"type": ["string", "array", "object"]}
)
"""Nested values are shown in one line."""
PAGE_FORM = Record(
    dict[str, object],
    "a page",
    Key(SUBGOAL, kinds.text, "what the character is at, in one text", default="", null=True),
    *(Key(name, _LINES, "what the character knows", default=(), null=True) for name in KNOWN_NAMES),
    Key(INSIGHTS, _LINES, "what the character has come to see", default=(), null=True),
    code="page-form",
    hint=_HINT,
)
"""The file ``state/working/<id>.yaml``; other keys are shown as they are called."""


def _check(found: LayerFiles) -> Iterator[Finding]:
    yield from by_form(PAGE_FORM, found.data)
    shown = len(page_lines(Page(found.data))) if isinstance(found.data, dict) else 0
    if found.settings and shown > found.settings.working.lines:
        message = f"the page has {shown} lines, {found.settings.working.lines} of them are shown"
        yield Finding((), "page-long", message, "raise working.lines in gm.yaml, or shorten the page", "info")


WORKING: declare.Layer[Page, PageChange] = declare.Layer(
    name="working",
    empty=Page(),
    file=declare.File("working", declare.YAML, Page, _write, check=_check, form=PAGE_FORM),
    advance=change_page,
    reply=declare.LayerReply("working", _fold),
    view=declare.PromptView("page", _show, None),
    words=page_words,
    facts=_facts,
    about="The page that a character keeps for itself.",
    example="current_subgoal: Find out who has the saw.\n",
    sample=Page({"known": ["Text."]}),
    commands=("gm mind working show {agent}",),
    yields=_yield,
    is_plan=True,
    without={
        "export": "books tell what a character is and lives through, and no notes for a day",
        "card": "a card tells who a character is, and no notes for a day",
        "mcp": "the memory tools are those of the documents, and none of them is for the page",
    },
)
