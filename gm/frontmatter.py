"""Text files that begin with YAML between two lines of three hyphens: personas, prompts, artifacts."""

from __future__ import annotations

from typing import Any

import yaml

FENCE = "---"
DEEPEST = 100
_BEGINNING = " \t?:-\ufeff"
_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_BASE):  # type: ignore[misc]
    """Reads plain data; numbers are no longer than those that can be written again."""

    def whole(self, node: Any) -> int:
        value = int(self.construct_yaml_int(node))
        if value.bit_length() > 1000:
            raise yaml.constructor.ConstructorError(None, None, "a number of too many digits", node.start_mark)
        return value


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.whole)


def load_safely(text: str) -> Any:
    """Read YAML as plain data, by libyaml where it is there.

    Raises:
        yaml.YAMLError: It is malformed.
    """
    _refuse_depths(text)
    return yaml.load(text, _Loader)


def compose(text: str) -> Any:
    """Parse YAML into nodes that know their places.

    Raises:
        yaml.YAMLError: It is malformed.
    """
    _refuse_depths(text)
    return yaml.compose(text, Loader=_Loader)


def _refuse_depths(text: str) -> None:
    """Refuse what is nested so deeply that libyaml would overflow the stack, which ends the whole process."""
    # what opens without a bracket stands further right than what it is in, but for a list below its name
    furthest = max((len(line) - len(line.lstrip(_BEGINNING)) for line in text.splitlines()), default=0)
    if 2 * (text.count("[") + text.count("{") + furthest + 1) <= DEEPEST:  # the least that can get that deep
        return
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            mark: Any = event.start_mark  # libyaml's marks are of another class than its type hints know
            raise yaml.composer.ComposerError(None, None, "nested too deeply", mark)


def split_front_matter(text: str) -> tuple[str | None, str, int]:
    """Split a text into its YAML front matter and what follows.

    Returns:
        The front matter (None when there is none), the rest, and the line on which the rest begins.
    """
    lines = text.split("\n")
    if lines[0].rstrip("\r ") != FENCE:
        return None, text, 1
    for number, line in enumerate(lines[1:], 1):
        if line.rstrip("\r ") == FENCE:
            return "\n".join(lines[1:number]) + "\n", "\n".join(lines[number + 1 :]), number + 2
    return None, text, 1
