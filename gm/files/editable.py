"""The text files of a world that a person edits, by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gm.base.errors import Problem
from gm.files import relative_paths
from gm.files.formats.text import BOM, files_below, read_text
from gm.files.layout import Layout, is_nameable
from gm.files.media.library import ENDINGS as TEXTS
from gm.layers import LAYERS
from gm.layers.declare import YAML

SETTINGS, PERSONA, SCENE_TYPE, SCRIPT, BOARD, CALENDAR, LIBRARY, PROMPT = (
    *("settings", "persona", "scene-type", "script", "board", "calendar", "library", "prompt"),
)
LAYER = "layer"
KINDS = (SETTINGS, PERSONA, LAYER, SCENE_TYPE, SCRIPT, BOARD, CALENDAR, LIBRARY, PROMPT)
SCENES, TEMPLATE = "scenes", ".j2"
MOST_EDITED_BYTES = 250_000
"""Longer files are not edited in a form: a browser sends a byte as up to three characters."""


@dataclass(frozen=True, slots=True)
class EditableFile:
    """A text file that a person edits.

    Attributes:
        path: Inside the world.
        name: Id of the character of a persona or layer, else the file's name without its ending.
    """

    kind: str
    path: str
    name: str
    layer: str = ""


def editable_files(layout: Layout) -> tuple[EditableFile, ...]:
    """Return the files of a world that a person edits, by kind and path; no links."""
    return tuple(file for file in _list_all(layout) if _is_own(layout, file.path))


def read_editable(layout: Layout, file: EditableFile) -> tuple[str, list[Problem]]:
    """Return the exact text of a file; it is empty when there are problems: unreadable, no UTF-8, or too long."""
    text, problems = read_text(layout.root / file.path, file.path)
    size = len(text.content.encode())
    if not text.exists and not problems:
        problems = [Problem(file.path, 0, 0, "error", "file-gone", "the file is gone", "look at the list of files")]
    elif size > MOST_EDITED_BYTES:
        message = f"{size:,} bytes, at most {MOST_EDITED_BYTES:,} are edited here"
        problems = [Problem(file.path, 0, 0, "error", "file-long", message, "edit it in an editor of your own")]
    return ("" if problems else text.content), problems


def body_of(text: str) -> str:
    """Return a text as a form shows it: with LF line ends, and without byte order mark."""
    return text.removeprefix(BOM).replace("\r\n", "\n").replace("\r", "\n")


def _list_all(layout: Layout) -> Iterator[EditableFile]:
    yield _make_file(layout, SETTINGS, layout.settings)
    yield from (_make_file(layout, PERSONA, layout.persona(name), name) for name in layout.agent_names())
    for layer in LAYERS:
        for path in sorted(layout.layer_folder(layer).glob(f"*{layer.file.ending}")):
            yield _make_file(layout, LAYER, path, path.stem, layer.name)
    prompts = [path for path in files_below(layout.prompts) if path.suffix in (TEMPLATE, YAML)]
    types = [path for path in prompts if path.suffix == TEMPLATE and path.parent.name == SCENES]
    yield from _list_files(layout, SCENE_TYPE, types)
    yield from _list_files(layout, SCRIPT, (path for path in files_below(layout.scripts) if path.suffix == YAML))
    yield _make_file(layout, BOARD, layout.bulletin)
    yield _make_file(layout, CALENDAR, layout.world)
    yield from _list_files(layout, LIBRARY, (path for path in files_below(layout.library) if path.suffix in TEXTS))
    yield from _list_files(layout, PROMPT, (path for path in prompts if path not in types))


def _list_files(layout: Layout, kind: str, paths: Iterable[Path]) -> Iterator[EditableFile]:
    return (_make_file(layout, kind, path) for path in paths)


def _make_file(layout: Layout, kind: str, path: Path, name: str = "", layer: str = "") -> EditableFile:
    return EditableFile(kind, layout.shown(path), name or path.stem, layer)


def _is_own(layout: Layout, path: str) -> bool:
    """A link is edited where it leads, if that is a file of the world at all."""
    parts = path.split("/")
    places = [layout.root / "/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    is_linked = any(place.is_symlink() for place in places)
    return not is_linked and places[-1].is_file() and is_nameable(parts[-1]) and relative_paths.is_written(path)
