"""Safe loading of YAML that people edit: settings and front matter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gm.base.errors import Problem
from gm.base.frontmatter import FENCE, load_safely, split_front_matter
from gm.files.formats.text import read_text, report_empty_file


def load_yaml(text: str, shown: str, first_line: int = 1) -> tuple[Any, list[Problem]]:
    """Load YAML; None and a problem if malformed. ``first_line`` is where it begins in its file."""
    try:
        return load_safely(text), []
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        from gm.base.yamlwords import explain_yaml  # most files have no mistake

        return None, [explain_yaml(error, text).problem(shown, first_line)]


def read_yaml(path: Path, shown: str) -> tuple[Any, str, list[Problem]]:
    """Read a YAML file: data (None if absent), text, problems."""
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return None, text.body, problems
    if text.is_blank:
        return None, text.body, [report_empty_file(shown)]
    data, problems = load_yaml(text.body, shown)
    return data, text.body, problems


def read_front_matter(path: Path, shown: str) -> tuple[dict[str, Any], str, list[Problem]]:
    """Read a text file with YAML front matter: front matter, body with LF line ends, problems."""
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
        message = f"front matter is {type(data).__name__}, expected keys with values"
        return {}, body, [Problem(shown, 2, 1, "error", "front-matter-type", message)]
    return {str(key): value for key, value in data.items()}, body, []
