"""What lies in the gallery, whoever put it there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gm.errors import Problem
from gm.store.layout import Layout
from gm.store.text import files_below
from gm.store.yamlfile import read_front_matter

PICTURES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
MARKDOWN = (".md", ".markdown")
TEXTS = (*MARKDOWN, ".txt", ".csv", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".ink", ".twee")
LONGEST = 1_000_000
_NAME = re.compile(r"(?:day-(?P<day>[0-9]{3,9})_)?(?P<stem>.*?)(?:_v(?P<version>[0-9]{1,9}))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PieceFile:
    """A file of the gallery, by its name alone.

    Attributes:
        path: Inside the gallery, with forward slashes.
        kind: Its folder; empty at the top.
        stem: Its name without day, version and ending: what the versions of one piece share.
        day: Story day in its name; None when there is none.
        version: From 1.
        media: What it is: ``picture``, ``markdown``, ``text`` or ``other``.
    """

    path: str
    kind: str
    stem: str
    day: int | None
    version: int
    media: str

    @property
    def ending(self) -> str:
        """Its ending in lower case, with the dot."""
        return Path(self.path).suffix.lower()


def list_pieces(layout: Layout) -> tuple[PieceFile, ...]:
    """List the files of the gallery by path. A link that leads out of it is none of them."""
    return tuple(_pieces(layout))


def _pieces(layout: Layout) -> Iterator[PieceFile]:
    inside = layout.gallery.resolve()
    for path in files_below(layout.gallery):
        if path.is_file() and path.resolve().is_relative_to(inside):
            yield parse_piece(path.relative_to(layout.gallery).as_posix())


def parse_piece(path: str) -> PieceFile:
    """Read what the name of a file in the gallery says."""
    folder, _, name = path.rpartition("/")
    ending = Path(name).suffix
    found = _NAME.match(name.removesuffix(ending))
    assert found is not None  # every text matches
    media = "picture" if ending.lower() in PICTURES else "markdown" if ending.lower() in MARKDOWN else "other"
    media = "text" if media == "other" and ending.lower() in TEXTS else media
    day = int(found["day"]) if found["day"] else None
    return PieceFile(path, folder, found["stem"], day, int(found["version"] or 1), media)


def read_piece(layout: Layout, piece: PieceFile) -> tuple[Mapping[str, Any], str, list[Problem]]:
    """Read a piece of text: its front matter, what comes after it, and what is wrong with it."""
    path = layout.gallery / piece.path
    shown = layout.shown(path)
    if path.stat().st_size > LONGEST:
        message = f"longer than {LONGEST} bytes"
        return {}, "", [Problem(shown, 1, 1, "warning", "piece-long", message, "open the file itself")]
    return read_front_matter(path, shown)


def read_bytes(layout: Layout, piece: PieceFile) -> bytes:
    """Read a piece as it is."""
    return (layout.gallery / piece.path).read_bytes()
