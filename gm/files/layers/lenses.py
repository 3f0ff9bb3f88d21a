"""Problems of lenses, located in a persona or in ``gm.yaml``."""

from __future__ import annotations

from pathlib import Path

from gm.base.errors import Problem
from gm.base.frontmatter import split_front_matter
from gm.files.forms.places import yaml_place
from gm.files.forms.text import read_text
from gm.memory.lens_form import parse_lenses
from gm.model.record import RecordError


def persona_lens_problems(path: Path, shown: str, value: object) -> list[Problem]:
    """Return all problems of the lenses of a persona."""
    head, _, _ = split_front_matter(read_text(path, shown)[0].body)
    return [_problem(head or "", shown, item, 1) for item in parse_lenses(value)[1]]


def settings_lens_problems(text: str, shown: str, value: object) -> list[Problem]:
    """Return all problems of the lenses of the settings."""
    return [_problem(text, shown, item, 0) for item in parse_lenses(value, shared=True)[1]]


def _problem(text: str, shown: str, item: RecordError, lines_before: int) -> Problem:
    line, column = yaml_place(text, ("lenses", *item.place))
    return Problem(shown, line + lines_before, column, "error", item.code, item.message, item.hint)
