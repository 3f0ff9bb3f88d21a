"""What a world calls its types of scenes: the words stand in the templates that ask for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from gm.day.prompts import open_prompts
from gm.errors import GmError
from gm.frontmatter import split_front_matter
from gm.prompt.scenetypes import parse_scene_type
from gm.store.forms.look import Look, look_of
from gm.store.forms.text import read_text
from gm.store.layout import Layout

_HEAD = re.compile(r"^# [^:\n]+: *(?P<title>.+?) *$", re.MULTILINE)
_OTHERWISE = re.compile(r'\{\{[^{}]* or "(?P<title>[^"{}]+)" *\}\}\Z')


@dataclass(frozen=True, slots=True)
class SceneKind:
    """A type of scenes.

    Attributes:
        name: As the logbook names it.
        title: What the world's own template calls it; empty when that depends on the scene.
        can_be_raised: Whether it is played otherwise when the moment is important.
    """

    name: str
    title: str
    can_be_raised: bool


def scene_kinds(layout: Layout, language: str) -> Mapping[str, SceneKind]:
    """Read the types of scenes; one whose template cannot be read is left out, ``gm check`` names it."""
    kinds: dict[str, SceneKind] = {}
    try:
        prompts = open_prompts(layout, language)
        paths = [(name, prompts.find(name)) for name in prompts.names() if name.startswith("scenes/")]
    except GmError:
        return kinds
    for name, path in paths:
        if path is None:
            continue
        look = look_of(path)
        kind = _kept(path, name, look) if look else _read(path, name)
        if kind:
            kinds[kind.name] = kind
    return kinds


@lru_cache(maxsize=256)
def _kept(path: Path, name: str, _look: Look) -> SceneKind | None:
    return _read(path, name)


def _read(path: Path, name: str) -> SceneKind | None:
    try:
        known = parse_scene_type(path, name)
        text = split_front_matter(read_text(path, name)[0].body)[1]
    except (GmError, OSError, ValueError):
        return None
    return SceneKind(known.name, _title(text), bool(known.raised))


def _title(template: str) -> str:
    """Find the heading under which characters are asked; of an expression, what it says when it has nothing to say."""
    found = _HEAD.search(template)
    title = found["title"] if found else ""
    otherwise = _OTHERWISE.match(title)
    return otherwise["title"] if otherwise else "" if "{" in title else title
