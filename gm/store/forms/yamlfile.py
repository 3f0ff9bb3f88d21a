"""YAML that people edit: settings and the front matter of personas, prompts and artifacts. Loaded safely."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from gm.errors import Problem
from gm.frontmatter import FENCE, load_safely, split_front_matter
from gm.store.forms.text import YAML_LINE_ENDS, read_text


def load_yaml(text: str, shown: str, first_line: int = 1) -> tuple[Any, list[Problem]]:
    """Read YAML. Returns None and a problem with its place when it is malformed.

    Args:
        text: The YAML.
        shown: Path for the problem.
        first_line: Line of the file on which the text begins.
    """
    try:
        return load_safely(text), []
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + first_line, mark.column + 1) if mark else (first_line, 0)
        message = " ".join(str(part) for part in (error.context, error.problem) if part)
        return None, [Problem(shown, line, column, "error", "yaml-syntax", f"not YAML: {message}")]
    except yaml.reader.ReaderError as error:
        at = text.find(chr(error.character)) if isinstance(error.character, int) else -1
        before = YAML_LINE_ENDS.split(text[:at]) if at >= 0 else [""]
        line, column = len(before), len(before[-1]) + 1 if at >= 0 else 0
        message = f"not YAML: {error.reason}"
        return None, [Problem(shown, line + first_line - 1, column, "error", "yaml-syntax", message)]
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        return None, [Problem(shown, first_line, 0, "error", "yaml-syntax", f"not YAML: {first}")]


def read_yaml(path: Path, shown: str) -> tuple[Any, str, list[Problem]]:
    """Read a YAML file: its data, its text and what is wrong with it. An absent file is None."""
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return None, text.body, problems
    data, problems = load_yaml(text.body, shown)
    return data, text.body, problems


def place_of(text: str, keys: Sequence[str | int]) -> tuple[int, int]:
    """Find where the value under a path of keys stands in a YAML text; (1, 1) when it cannot be found."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return 1, 1
    mark = node.start_mark if node is not None else None
    for key in keys:
        step = _step(node, key)
        if step is None:
            break
        mark, node = step
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _step(node: Any, key: str | int) -> tuple[Any, Any] | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if isinstance(name, yaml.ScalarNode) and name.value == str(key):
                return name.start_mark, value
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key].start_mark, node.value[key]
    return None


def read_front_matter(path: Path, shown: str) -> tuple[dict[str, Any], str, list[Problem]]:
    """Read a text file with YAML front matter: the front matter, the rest with LF line ends, and what is wrong."""
    text, problems = read_text(path, shown)
    if problems:
        return {}, "", problems
    front, body, _ = split_front_matter(text.body)
    body = body.replace("\r\n", "\n")
    if front is None:
        if text.body.startswith(FENCE):
            hint = "close it with a line that is only ---"
            problem = Problem(shown, 1, 1, "error", "front-matter-open", "front matter begins and never ends", hint)
            return {}, text.body, [problem]
        return {}, text.body, []
    data, problems = load_yaml(front, shown, first_line=2)
    if problems:
        return {}, body, problems
    if data is None:
        return {}, body, []
    if not isinstance(data, dict):
        message = f"front matter is {type(data).__name__}, names and values expected"
        return {}, body, [Problem(shown, 2, 1, "error", "front-matter-type", message)]
    return {str(key): value for key, value in data.items()}, body, []
