"""Scene types, read from the front matter of their templates."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from gm.config import RagSettings, parse_settings
from gm.errors import PromptError
from gm.frontmatter import load_safely, split_front_matter
from gm.model.calendar import is_time_of_day
from gm.model.scene import SceneType

DEFAULT_RAG = 7  # memories, where a type says nothing but that it wants some
_KEYS = ("type", "play", "cast", "times", "rounds", "max_turns", "reply", "plan", "disperse", "rag")


def parse_scene_type(path: Path, name: str) -> SceneType:
    """Read one scene type.

    Args:
        path: The template.
        name: Its name, as in ``scenes/encounter.j2``.

    Raises:
        PromptError: The front matter is missing or says something that no scene can be.
    """
    front, _, _ = split_front_matter(read_prompt(path))
    data = read_prompt_yaml(path, front or "")
    if not isinstance(data, dict):
        raise PromptError(
            f"{path}: no front matter", "a scene type begins with --- and says type, play, cast, times, reply"
        )
    unknown = sorted(str(key) for key in data if key not in _KEYS)
    if unknown:
        raise PromptError(f"{path}: unknown key {unknown[0]!r} in the front matter", "known: " + ", ".join(_KEYS))
    play = _choice(path, data, "play", ("parallel", "sequential", "solo"), "parallel")
    reply = _choice(path, data, "reply", ("scene", "reflection"), "scene")
    times = data.get("times") or []
    if not isinstance(times, list) or not all(isinstance(time, str) and is_time_of_day(time) for time in times):
        raise PromptError(f"{path}: times is {times!r}, expected some of morning, noon, afternoon, evening")
    return SceneType(
        name=str(data.get("type") or path.stem).upper(),
        template=name,
        play=play,
        reply=reply,
        cast=_span(path, data, "cast", (1, 99)),
        times=tuple(times),
        rounds=_span(path, data, "rounds", (1, 1)),
        max_turns=_count(path, data, "max_turns"),
        plan=data.get("plan") is True,
        disperse=data.get("disperse") is True,
        rag=_rag(path, data),
    )


def _rag(path: Path, data: dict[str, Any]) -> RagSettings | None:
    """Read which memories come to mind: the same keys as in the settings, and ``enabled``."""
    found = data.get("rag")
    if found is None:
        return None
    if found is False or (isinstance(found, dict) and found.get("enabled") is False):
        return RagSettings(limit=0)
    if not isinstance(found, dict):
        raise PromptError(f"{path}: rag is {found!r}, expected a mapping: {{limit: 7, query_template: ...}}")
    settings, problems = parse_settings({"rag": {key: value for key, value in found.items() if key != "enabled"}})
    for problem in problems:
        raise PromptError(f"{path}: rag is not understood: {problem.message}", problem.hint)
    return settings.rag if "limit" in found else replace(settings.rag, limit=DEFAULT_RAG)


def read_prompt(path: Path) -> str:
    """Read a file of the prompts.

    Raises:
        PromptError: It is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8", "save the file as UTF-8") from error


def read_prompt_yaml(path: Path, text: str) -> Any:
    """Read YAML out of a file of the prompts.

    Raises:
        PromptError: It is malformed; says where.
    """
    try:
        return load_safely(text)
    except yaml.YAMLError as error:
        raise PromptError(f"{path}: {' '.join(str(error).split())}") from error


def _choice(path: Path, data: dict[str, Any], key: str, choices: tuple[str, ...], default: str) -> Any:
    value = data.get(key, default)
    if value not in choices:
        raise PromptError(f"{path}: {key} is {value!r}, expected one of {', '.join(choices)}")
    return value


def _count(path: Path, data: dict[str, Any], key: str) -> int | None:
    value = data.get(key)
    if value is None or (type(value) is int and value >= 1):
        return value
    raise PromptError(f"{path}: {key} is {value!r}, expected a whole number, at least 1")


def _span(path: Path, data: dict[str, Any], key: str, default: tuple[int, int]) -> tuple[int, int]:
    value = data.get(key, list(default))
    if isinstance(value, list) and [type(item) for item in value] == [int, int] and 1 <= value[0] <= value[1]:
        return (value[0], value[1])
    raise PromptError(f"{path}: {key} is {value!r}, expected two whole numbers [from, to], at least 1")
