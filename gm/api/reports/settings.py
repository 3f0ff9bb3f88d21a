"""The settings of a world: values and sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

from gm.api.answers.document import part
from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.config.manual import SettingEntry, all_settings, value_at
from gm.base.errors import Problem, UsageError, say
from gm.files.formats.places import yaml_lines
from gm.files.formats.text import read_text
from gm.files.layout import Layout
from gm.files.story.now import load_settings

DEFAULT = "default"
NEAREST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """A setting with its effective value; ``source`` is ``gm.yaml:LINE`` or ``default``."""

    entry: SettingEntry = part(inline=True)
    value: Any
    source: str


@dataclass(frozen=True, slots=True)
class SettingsFound:
    """Settings of a world."""

    settings: tuple[Setting, ...]


def describe_settings(
    layout: Layout | None, names: Sequence[str] = (), *, own: bool = False
) -> tuple[SettingsFound, list[Problem]]:
    """Return settings with their values, and problems of ``gm.yaml``.

    Args:
        names: Names, sections, or parts of names; empty = all.

    Raises:
        UsageError: A name is unknown; the hint names the nearest.
    """
    settings = Settings()
    problems, lines = list[Problem](), dict[tuple[str, ...], int]()
    shown = "gm.yaml"
    if layout is not None:
        settings, problems = load_settings(layout)
        shown = layout.shown(layout.settings)
        lines = yaml_lines(read_text(layout.settings, shown)[0].body)
    defaults = Settings(language=settings.language)
    unusable = {(problem.line, problem.code) for problem in problems}
    found = []
    for entry in _select_named(all_settings(), names):
        line = lines.get(tuple(entry.name.split(".")), 0)
        value = value_at(settings, entry.name)
        # a value that cannot be read is not the effective one
        is_own = bool(line) and (line, "setting-value") not in unusable
        if is_own or not own:
            source = f"{shown}:{line}" if is_own else DEFAULT
            # the default names of the weekdays depend on the language
            default = value_at(Settings() if entry.name == "language" else defaults, entry.name)
            entry = replace(entry, default=_json(default))
            found.append(Setting(entry=entry, value=_json(value), source=source))
    return SettingsFound(tuple(found)), problems


def _select_named(entries: Sequence[SettingEntry], names: Sequence[str]) -> list[SettingEntry]:
    wanted: set[str] = set()
    for name in names:
        hits = _matches(entries, casefold(name.strip().strip(".")))
        if not hits:
            raise UsageError(say("no setting is called {name}", repr(name)), _hint(entries, name))
        wanted |= hits
    return [entry for entry in entries if entry.name in wanted or not names]


def _matches(entries: Sequence[SettingEntry], name: str) -> set[str]:
    known = {entry.name for entry in entries}
    if name in known:
        return {name}
    return {known_name for known_name in known if known_name.startswith(f"{name}.")} or {
        known_name for known_name in known if name in known_name
    }


def _hint(entries: Sequence[SettingEntry], name: str) -> str:
    by_end = {entry.name.rpartition(".")[2]: entry.name for entry in reversed(entries)}
    known = [entry.name for entry in entries]
    near = get_close_matches(name, known, NEAREST, 0.6)
    near += [by_end[end] for end in get_close_matches(name.rpartition(".")[2], by_end, NEAREST, 0.6)]
    near = list(dict.fromkeys(near))[:NEAREST]
    return f"the nearest: {', '.join(near)}" if near else "all of them: gm settings"


def _json(value: object) -> Any:
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    if isinstance(value, dict):
        return {key: _json(item) for key, item in value.items()}
    # YAML knows dates; JSON does not
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)
