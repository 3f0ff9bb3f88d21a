"""Safe loading of YAML that people edit: settings and front matter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import yaml

from gm.base.errors import Problem, Severity, errors_in
from gm.base.frontmatter import FENCE, load_safely, split_front_matter, yaml_place
from gm.base.texts import clip, suggest
from gm.base.yamlwords import explain
from gm.files.formats.places import Keys, yaml_twice
from gm.files.formats.text import read_text, report_empty_file

T = TypeVar("T")


def load_yaml(text: str, shown: str, first_line: int = 1) -> tuple[Any, list[Problem]]:
    """Load YAML; None and a problem if malformed. ``first_line`` is where it begins in its file."""
    try:
        return load_safely(text), []
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return None, [explain(error, text).problem(shown, first_line)]


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


class PlacedReader:
    """Collects the problems of a small YAML file that people write, each at its place."""

    def __init__(self, text: str, shown: str) -> None:
        self.problems: list[Problem] = []
        self.text = text
        self.shown = shown

    def parse(self, read: Callable[[Any], T]) -> tuple[T | None, list[Problem]]:
        """Return what ``read`` makes of the data, None if there are errors; and all problems in order."""
        data, problems = load_yaml(self.text, self.shown)
        if problems:
            return None, problems
        value = read(data)
        return (None if errors_in(self.problems) else value), sorted(self.problems)

    def say_twice(self) -> None:
        """Report the keys that occur twice."""
        for name, line, column in yaml_twice(self.text):
            message = f"the key {name!r} occurs twice"
            self.problems.append(Problem(self.shown, line, column, "error", "key-twice", message, "delete one of them"))

    def say_unknown(self, data: Mapping[Any, Any], known: Sequence[str], code: str, whole: str) -> None:
        """Report the top keys that are not known; ``whole`` names the file, such as "a sweep"."""
        for key in map(str, data):
            if key not in known:
                self.say((key,), code, f"{whole} has no {clip(key)!r}", suggest(key, known), key=True)

    def say(
        self, place: Keys, code: str, message: str, hint: str = "", severity: Severity = "error", *, key: bool = False
    ) -> None:
        """Report a problem at a value, or with ``key`` at its key; the same one only once."""
        problem = Problem(self.shown, *yaml_place(self.text, place, key=key), severity, code, message, hint)
        if problem not in self.problems:
            self.problems.append(problem)
