"""Names in a world for shell completion: bounded in time, unreadable files are skipped silently."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from gm.base.regular import open_regular
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_prompts

ONE_TAIL, EACH_TAIL = 8_000_000, 64_000
"""Bytes read from the end of a file: of a single stream, and of each of several files."""

MOST_FILES = 2_000
_ID = re.compile(rb'"id"\s*:\s*"([^"\\]{1,80})"')


def newest_ids(layout: Layout, beginning: str, most: int) -> list[str]:
    """Return ids of memories with a prefix, at most ``most`` from each stream, newest first."""
    names = [name for name in layout.agent_names() if _may_begin(f"{name}-", beginning)]
    tail = ONE_TAIL if len(names) == 1 else EACH_TAIL
    found: list[str] = []
    for name in names:
        ids = (item for item in reversed(_find_ids(layout.stream(name), tail)) if item.startswith(beginning))
        found += islice(dict.fromkeys(ids), most)
    return found


def thread_ids(layout: Layout, most: int) -> list[str]:
    """Return the ids of the newest threads, newest first."""
    return list(islice(dict.fromkeys(reversed(_find_ids(layout.threads, EACH_TAIL))), most))


def gallery_files(layout: Layout) -> list[str]:
    """Return the files of the gallery as ``gallery/…``, sorted."""
    return sorted(layout.shown(path) for path in islice(_walk_files(layout.gallery), MOST_FILES))


def scene_type_names(layout: Layout | None) -> list[str]:
    """Return the scene types of the world and of the program, in lower case."""
    folders = [shipped_prompts(), *([layout.prompts] if layout else [])]
    return sorted({path.stem.lower() for folder in folders for path in (folder / "scenes").glob("*.j2")})


def _may_begin(stem: str, beginning: str) -> bool:
    return stem.startswith(beginning) or beginning.startswith(stem)


def _find_ids(path: Path, tail: int) -> list[str]:
    try:
        with open(path, "rb", opener=open_regular) as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - tail))
            return [item.decode() for item in _ID.findall(file.read(tail))]
    except (OSError, UnicodeDecodeError):
        return []


def _walk_files(folder: Path) -> Iterator[Path]:
    for parent, _, names in os.walk(folder):
        yield from (Path(parent, name) for name in names if not name.startswith("."))
