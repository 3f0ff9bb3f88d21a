"""The working memory of a character: one page of the running day, how it is rewritten, and what the evening leaves.

What the documents leave open is decided here. In the evening lessons and strategies become memories, as they stand;
what is known stays on the page, and so do other insights, which may ripen into a lesson; the subgoal goes, because it
belongs to the day: in the morning a new plan is made, in sight of what is left of the old one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gm.base.casefold import shorten
from gm.layers.declare import YAML, Edited, File, Folded, Keys, Layer, Played, Reply, Shown, View

if TYPE_CHECKING:
    from gm.model.replies import PageEntry

SUBGOAL, KNOWN, INSIGHTS = "current_subgoal", "known", "recent_insights"
KNOWN_NAMES = (KNOWN, "known_interfaces")
HIDDEN = "_"
"""What a key begins with that belongs to a person or a program: nobody is shown it, nothing of it is moved."""
LINE_CHARACTERS = 300
SINGLE = (SUBGOAL,)
"""Keys with one text; all others that a character writes have a list."""
IN_GERMAN = {"lesson": "lektion", "strategy": "strategie", "insight": "einsicht", "note": "notiz"}


@dataclass(frozen=True, slots=True)
class Page:
    """All that stands in ``state/working/<name>.yaml``.

    Attributes:
        values: Its keys in their order: texts, lists of texts, and what else people have put there.
    """

    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageChange:
    """What changes on a page: new values by key, and keys that go."""

    new: Mapping[str, Any] = field(default_factory=dict)
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageLine:
    """One line of a page as it is shown and written: under which key, and the words."""

    key: str
    text: str


def change_page(page: Page, change: PageChange) -> Page:
    """Return a page as it is after a change."""
    kept = {key: value for key, value in page.values.items() if key not in change.gone}
    return Page({**kept, **change.new})


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
    """Tell whether a value is what a character can write itself: a text, a number, or a list of such."""
    return all(not isinstance(item, dict | list) for item in (value if isinstance(value, list) else [value]))


def _in_words(value: object) -> str:
    if isinstance(value, dict):
        parts = ((str(key), _in_words(item)) for key, item in value.items() if not str(key).startswith(HIDDEN))
        return "; ".join(f"{key}: {text}" if text else key for key, text in parts)
    if isinstance(value, list):
        return ", ".join(filter(None, map(_in_words, value)))
    return "" if value is None else " ".join(str(value).split())


NO_CHANGE = PageChange()


def rewrite_page(page: Page, entries: Sequence[PageEntry], most: int) -> tuple[PageChange | None, list[str]]:
    """Turn a whole new page into what changes on the old one.

    What a character cannot write itself stays as it is: hidden keys, and values in which others are nested.

    Args:
        page: As it is in the files now.
        entries: The new page, line by line; empty = it stays as it is.
        most: How many lines it may have.

    Returns:
        The change, None when there is none; and what was left out, in words.
    """
    if not entries:
        return None, []
    nested = {key: _nested(value) for key, value in page.values.items() if not key.startswith(HIDDEN)}
    shown = {shorten(line.text, LINE_CHARACTERS) for line in page_lines(Page(nested))}
    lines = [PageLine(entry.key, shorten(entry.text, LINE_CHARACTERS)) for entry in entries]
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
            new[line.key] = [*new.get(line.key, ()), line.text]
    new = {key: _as_before(page.values.get(key), value) for key, value in new.items()}
    change = _change(page, new, [key for key in nested if key not in new])
    return (None if change == NO_CHANGE else change), warnings


def page_now(page: Page, written: Sequence[Sequence[PageEntry]], most: int) -> Page:
    """Give a page as its owner has rewritten it in the scene: the last one written counts."""
    last = next((entries for entries in reversed(written) if entries), ())
    change, _ = rewrite_page(page, last, most)
    return change_page(page, change) if change else page


def _nested(value: Any) -> Any:
    """Give what is nested in a value, which a character cannot write itself; nothing where it is plain."""
    if isinstance(value, list):
        return [item for item in value if not is_plain(item)]
    return None if is_plain(value) else value


def _key(page: Page, key: str) -> str:
    """Name the key in which a line belongs: what is known may have another name, and what is nested stays nested."""
    if key in KNOWN_NAMES:
        key = next((name for name in KNOWN_NAMES if isinstance(page.values.get(name), list | str)), KNOWN)
    return INSIGHTS if isinstance(page.values.get(key), dict) else key


def _as_before(old: Any, new: Any) -> Any:
    """Write one line the way it stood there: as a text, if it was one."""
    return new[0] if isinstance(old, str) and isinstance(new, list) and len(new) == 1 else new


def _change(page: Page, new: Mapping[str, Any], gone: Sequence[str]) -> PageChange:
    return PageChange({key: value for key, value in new.items() if page.values.get(key) != value}, tuple(gone))


def prefixes_of(listed: Sequence[str], language: str) -> tuple[str, ...]:
    """Give the beginnings by which lessons are known, without the colon and in lower case.

    Args:
        listed: ``working.migrate_prefixes``.
        language: In a German world each of them counts in German too.
    """
    plain = [prefix.strip().rstrip(":").strip().casefold() for prefix in listed]
    german = [IN_GERMAN[prefix] for prefix in plain if prefix in IN_GERMAN] if language == "de" else []
    return tuple(dict.fromkeys(filter(None, (*plain, *german))))


def shown_prefixes(listed: Sequence[str], language: str) -> list[str]:
    """Give the beginnings as a character is told them, each in the language of the world."""
    own = IN_GERMAN if language == "de" else {}
    plain = (prefix.strip().rstrip(":").strip() for prefix in listed)
    return [f"{own.get(word.casefold(), word).upper()}:" for word in plain if word]


def clear_page(page: Page, prefixes: Sequence[str]) -> tuple[list[PageLine], PageChange | None]:
    """Take from a page what becomes a memory in the evening, and what belonged to the day.

    Args:
        page: As the day leaves it.
        prefixes: As ``prefixes_of`` gives them.

    Returns:
        The lessons with the path of keys under which they stood; what changes on the page, None when nothing does.
    """
    lessons: list[PageLine] = []
    new: dict[str, Any] = {}
    gone = []
    for key, value in page.values.items():
        alone = isinstance(value, str) and is_lesson(f"{key}: {value}", prefixes)  # ``LESSON: …`` on a line of its own
        left = _without_lessons(key, f"{key}: {value}" if alone else value, prefixes, lessons)
        if key == SUBGOAL or left is _NOTHING:
            gone.append(key)
        else:
            new[key] = left
    change = _change(page, new, gone)
    return lessons, (None if change == NO_CHANGE else change)


_NOTHING = object()


def _without_lessons(path: str, value: Any, prefixes: Sequence[str], found: list[PageLine]) -> Any:
    """Copy a value without its lessons, which are added to those found; ``_NOTHING`` when it was one itself."""
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


def _mapping_without(path: str, value: Mapping[str, Any], prefixes: Sequence[str], found: list[PageLine]) -> Any:
    """Do the same for a mapping. A line ``- LESSON: …`` that a person wrote without quotes is one, to YAML."""
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
    """Tell whether a line of the page becomes a memory: it begins with one of the words and a colon, and says more."""
    head, colon, rest = text.partition(":")
    return bool(colon and rest.strip()) and head.strip().casefold() in prefixes


def _fold(played: Played, page: Page) -> Folded[PageChange]:
    """Fold the last page that was written: a page is written whole."""
    written = [entries for entries in played.said if entries]
    if not written:
        return Folded()
    change, warnings = rewrite_page(page, written[-1], played.world.settings.working.lines)
    return Folded(change, warnings)


def _yield(before: Page, now: Page, change: PageChange) -> tuple[PageChange, list[Edited]]:
    """Leave those keys as they are that a person has edited."""
    keys = sorted(key for key in {*change.new, *change.gone} if before.values.get(key) != now.values.get(key))
    new = {key: value for key, value in change.new.items() if key not in keys}
    left = PageChange(new, tuple(key for key in change.gone if key not in keys))
    return left, [Edited(key, change.new.get(key), now.values.get(key)) for key in keys]


def page_words(page: Page) -> dict[str, list[str]]:
    """Return the lines of a page by their keys."""
    found: dict[str, list[str]] = {}
    for line in page_lines(page):
        found.setdefault(line.key, []).append(line.text)
    return found


def _show(shown: Shown, page: Page) -> dict[str, Any]:
    """Show a page as its owner has rewritten it in the scene, and how many lines have no room."""
    most = shown.world.settings.working.lines
    lines = page_lines(page_now(page, [reply.working for reply in shown.own], most))
    groups: dict[str, list[str]] = {}
    for line in lines[:most]:
        key = KNOWN if line.key in KNOWN_NAMES else line.key
        groups.setdefault(key, []).append(shorten(line.text, LINE_CHARACTERS))
    return {
        "groups": [{"key": key, "lines": texts} for key, texts in groups.items()],
        "more": max(0, len(lines) - most),
    }


def _write(_data: Mapping[str, Any], change: PageChange) -> list[Keys]:
    return [Keys((*change.new, *change.gone), change.new)]


WORKING: Layer[Page, PageChange] = Layer(
    name="working",
    empty=Page(),
    file=File("working", YAML, Page, _write),
    advance=change_page,
    reply=Reply("working", _fold),
    view=View("page", _show, None),
    words=page_words,
    sample=Page({"known": ["Text."]}),
    private="working",
    commands=("gm working show {agent}",),
    yields=_yield,
    without={
        "export": "books tell what a character is and lives through, and no notes for a day",
        "mcp": "the memory tools are those of the documents, and none of them is for the page",
    },
)
