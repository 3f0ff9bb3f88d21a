"""The YAML files of minds: read tolerantly, changed key by key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gm.errors import GmError, Problem
from gm.store.commits.steps import SetYaml, UnreadableError, carry_out
from gm.store.forms import disk
from gm.store.forms.text import read_text
from gm.store.forms.yamlfile import load_yaml
from gm.store.forms.yamlmap import plain
from gm.store.layout import Layout


def read_mind_file(layout: Layout, path: Path) -> tuple[dict[str, Any], bool, list[Problem]]:
    """Read a file of a mind.

    Returns:
        What it says, as plain data, empty where it is no mapping; whether it is there; why it cannot be read.
    """
    shown = layout.shown(path)
    text, problems = read_text(path, shown)
    if problems or not text.exists:
        return {}, text.exists, problems
    data, problems = read_plain(text.body, shown)
    return (data if isinstance(data, dict) else {}), True, problems


def read_plain(text: str, shown: str) -> tuple[Any, list[Problem]]:
    """Read YAML as data that JSON has as well; None and why, when it cannot be read."""
    data, problems = load_yaml(text, shown)
    try:
        return plain(data), problems
    except (ValueError, RecursionError):
        hint = "write it without & and *"
        return None, [Problem(shown, 1, 1, "error", "yaml-size", "values that stand for each other without end", hint)]


def mapping_step(layout: Layout, path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> SetYaml:
    """Make the step that changes keys of a file, having tried whether it can be carried out.

    Args:
        layout: The world's files.
        path: The file; need not be there yet.
        old: What the keys say now, as plain data; a key that is not in ``new`` goes.
        new: What they are to say.

    Raises:
        GmError: The file is not such that single values can be changed in it.
    """
    step = SetYaml(layout.shown(path), dict(old), dict(new))
    try:
        carry_out(step, disk.read(path))
    except UnreadableError as error:
        raise GmError(
            str(error),
            "write it as names with plain lists below each, without & and *; then run the same command again",
        ) from error
    return step
