"""Scene types, read from the front matter of their templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gm.config import RagSettings, parse_settings
from gm.errors import PromptError
from gm.frontmatter import load_safely, split_front_matter
from gm.model.calendar import is_time_of_day
from gm.model.scene import SceneType
from gm.regular import DOCUMENT_BYTES, hint_for, read_regular
from gm.scene.focus import check_tags
from gm.yamlwords import explain

_PLAYED = ("play", "rounds", "max_turns", "chair", "answer_addressed")
_KEYS = ("type", "cast", "times", "reply", "plan", "disperse", "library", "tag", "tags", "rag", *_PLAYED, "raised")


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
    _refuse_unknown(path, data, _KEYS)
    reply = _choice(path, data, "reply", ("scene", "reflection"), "scene")
    times = data.get("times") or []
    if not isinstance(times, list) or not all(isinstance(time, str) and is_time_of_day(time) for time in times):
        raise PromptError(f"{path}: times is {times!r}, expected some of morning, noon, afternoon, evening")
    return SceneType(
        name=str(data.get("type") or path.stem).upper(),
        template=name,
        reply=reply,
        cast=_span(path, data, "cast", (1, 99)),
        times=tuple(times),
        plan=_flag(path, data, "plan"),
        disperse=_flag(path, data, "disperse"),
        library=_flag(path, data, "library"),
        tag=_tag(path, data, "tag"),
        tags=_tags(path, data, "tags"),
        raised=_raised(path, data),
        rag=_rag(path, data),
        **{key: _played(path, data, key) for key in _PLAYED},
    )


def _played(path: Path, data: dict[str, Any], key: str, inside: str = "") -> Any:
    """Read a value that says how a scene is played: these may be others when the moment is important."""
    if key == "play":
        return _choice(path, data, key, ("parallel", "sequential", "solo"), "parallel", inside)
    if key == "rounds":
        return _span(path, data, key, (1, 1), inside)
    if key == "max_turns":
        return _count(path, data, key, inside)
    return _flag(path, data, key, inside)


def _raised(path: Path, data: dict[str, Any]) -> dict[str, Any]:
    found = data.get("raised", {})
    if not isinstance(found, dict):
        raise PromptError(f"{path}: raised is {found!r}, expected a mapping: {{max_turns: 14}}")
    _refuse_unknown(path, found, _PLAYED, "raised.")
    return {key: _played(path, found, key, "raised.") for key in found}


def _refuse_unknown(path: Path, data: dict[str, Any], known: tuple[str, ...], inside: str = "") -> None:
    unknown = sorted(str(key) for key in data if key not in known)
    if unknown:
        message = f"{path}: unknown key '{inside}{unknown[0]}' in the front matter"
        raise PromptError(message, "known: " + ", ".join(known))


def _rag(path: Path, data: dict[str, Any]) -> RagSettings | None:
    """Read which memories come to mind: the same keys as in the settings, but switched on unless it says otherwise."""
    found = data.get("rag")
    if found is None:
        return None
    if found is False:
        return RagSettings(enabled=False)
    if not isinstance(found, dict):
        raise PromptError(f"{path}: rag is {found!r}, expected a mapping: {{limit: 7, query_template: ...}}")
    settings, problems = parse_settings({"rag": {"enabled": True, **found}})
    for problem in problems:
        raise PromptError(f"{path}: rag is not understood: {problem.message}", problem.hint)
    return settings.rag


def read_prompt(path: Path) -> str:
    """Read a file of the prompts.

    Raises:
        PromptError: It cannot be read, or is not UTF-8.
    """
    try:
        text = read_regular(path, DOCUMENT_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(f"{path}: not UTF-8", "save the file as UTF-8") from error
    except OSError as error:
        raise PromptError(f"{path}: cannot be read: {error.strerror}", hint_for(error)) from error
    if "\0" in text:
        raise PromptError(f"{path}: a null byte found: this is no text", "take it out, or move the file away")
    return text


def read_prompt_yaml(path: Path, text: str) -> Any:
    """Read YAML out of a file of the prompts.

    Raises:
        PromptError: It is malformed; says where.
    """
    try:
        return load_safely(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain(error, text)
        raise PromptError(f"{path}: line {found.line} of the YAML: {found.message}", found.hint) from error


def _choice(
    path: Path, data: dict[str, Any], key: str, choices: tuple[str, ...], default: str, inside: str = ""
) -> Any:
    value = data.get(key, default)
    if value not in choices:
        raise PromptError(f"{path}: {inside}{key} is {value!r}, expected one of {', '.join(choices)}")
    return value


def _flag(path: Path, data: dict[str, Any], key: str, inside: str = "") -> bool:
    value = data.get(key, False)
    if isinstance(value, bool):
        return value
    raise PromptError(f"{path}: {inside}{key} is {value!r}, expected true or false")


def _tag(path: Path, data: dict[str, Any], key: str) -> str:
    value = data.get(key, "")
    if isinstance(value, str) and value == "-".join(value.lower().split()):
        return value
    raise PromptError(f"{path}: {key} is {value!r}, expected a tag: lower case, hyphens for spaces")


def _tags(path: Path, data: dict[str, Any], key: str) -> tuple[str, ...]:
    value = data.get(key, [])
    tags = [value] if isinstance(value, str) else value
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise PromptError(f"{path}: {key} is {value!r}, expected a list of texts: [bone-towers]")
    if wrong := check_tags(tags):
        raise PromptError(f"{path}: {key}: {wrong}", f"{key}: [bone-towers]")
    return tuple(tags)


def _count(path: Path, data: dict[str, Any], key: str, inside: str = "") -> int | None:
    value = data.get(key)
    if value is None or (type(value) is int and value >= 1):
        return value
    raise PromptError(f"{path}: {inside}{key} is {value!r}, expected a whole number, at least 1")


def _span(path: Path, data: dict[str, Any], key: str, default: tuple[int, int], inside: str = "") -> tuple[int, int]:
    value = data.get(key, list(default))
    if isinstance(value, list) and [type(item) for item in value] == [int, int] and 1 <= value[0] <= value[1]:
        return (value[0], value[1])
    raise PromptError(f"{path}: {inside}{key} is {value!r}, expected two whole numbers [from, to], at least 1")
