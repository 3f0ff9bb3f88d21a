"""The files of the gallery, made by characters or by people."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml

from gm.base.errors import GmError, Problem, UsageError
from gm.base.frontmatter import load_safely, split_front_matter
from gm.base.regular import DOCUMENT_BYTES, read_regular
from gm.files.formats.text import files_below, read_data
from gm.files.formats.yamlfile import read_front_matter
from gm.files.layout import GALLERY, Layout, lies_in_gallery

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
LONGEST = 1_000_000  # maximum bytes of a text shown on a page
MOST_PIECE_BYTES = 20_000_000  # maximum bytes of a file set in a book
_NAME = re.compile(r"(?:day-(?P<day>[0-9]{3,9})_)?(?P<stem>.*?)(?:_v(?P<version>[0-9]{1,9}))?\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PieceFile:
    """A file of the gallery, as described by its name.

    Attributes:
        stem: Its name without day, version and ending, shared by all versions.
    """

    path: str
    kind: str
    stem: str
    day: int | None
    version: int
    media: str

    @property
    def ending(self) -> str:
        return Path(self.path).suffix.lower()


def list_pieces(layout: Layout) -> tuple[PieceFile, ...]:
    """Return the files of the gallery by path, without links that lead out of it."""
    return tuple(_walk_pieces(layout))


def _walk_pieces(layout: Layout) -> Iterator[PieceFile]:
    for path in files_below(layout.gallery):
        if path.is_file() and lies_in_gallery(layout, path):
            yield parse_piece(path.relative_to(layout.gallery).as_posix())


def parse_piece(path: str) -> PieceFile:
    """Parse the path of a file inside the gallery."""
    folder, _, name = path.rpartition("/")
    ending = Path(name).suffix
    found = _NAME.match(name.removesuffix(ending))
    assert found is not None  # every text matches
    media = "picture" if ending.lower() in PICTURES else "markdown" if ending.lower() in MARKDOWN else "other"
    media = "text" if media == "other" and ending.lower() in TEXTS else media
    day = int(found["day"]) if found["day"] else None
    return PieceFile(path, folder, found["stem"], day, int(found["version"] or 1), media)


def has_piece(layout: Layout, path: str) -> bool:
    """Return whether a path inside the world is a file of the gallery, links resolved."""
    try:
        target = layout.root / path
        return target.is_file() and lies_in_gallery(layout, target)
    except (OSError, ValueError):
        return False


def read_piece(layout: Layout, piece: PieceFile) -> tuple[Mapping[str, Any], str, list[Problem]]:
    """Read a text: front matter, body, and problems."""
    path = layout.gallery / piece.path
    shown = layout.shown(path)
    if path.stat().st_size > LONGEST:
        message = f"longer than {LONGEST} bytes"
        return {}, "", [Problem(shown, 1, 1, "warning", "piece-long", message, "open the file itself")]
    return read_front_matter(path, shown)


def read_bytes(layout: Layout, piece: PieceFile) -> bytes:
    """Return the contents of a file."""
    return read_regular(layout.gallery / piece.path)


@dataclass(frozen=True, slots=True)
class LoadedPiece:
    """A file of the gallery, whole.

    Attributes:
        text: Without the front matter; None for other files.
    """

    path: str
    front: Mapping[str, Any]
    text: str | None
    data: bytes = field(repr=False)


def load_piece(layout: Layout, path: str) -> LoadedPiece | None:
    """Read a file of the gallery; None when it is absent or larger than ``MOST_PIECE_BYTES``.

    Args:
        path: From the world's folder or from the gallery; untrusted.
    """
    inside = layout.gallery.resolve()
    for target in (layout.root / path, layout.gallery / path):
        try:
            real = target.resolve()
            if not lies_in_gallery(layout, target) or not real.is_file() or real.stat().st_size > MOST_PIECE_BYTES:
                continue
            data = read_data(real)
        except (OSError, ValueError, RuntimeError):
            continue  # not a valid file name, or a circular link
        return LoadedPiece(f"{GALLERY}/{real.relative_to(inside).as_posix()}", *_split_piece(data), data)
    return None


def _split_piece(data: bytes) -> tuple[Mapping[str, Any], str | None]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return {}, None
    front, body, _ = split_front_matter(text)
    try:
        values = load_safely(front) if front else {}
    except (yaml.YAMLError, ValueError, RecursionError):
        values = {}
    return values if isinstance(values, dict) else {}, body.strip()


NEAREST = 3


def read_artifact(layout: Layout, path: str) -> str | None:
    """Return the text of an artifact without front matter, or None."""
    target = layout.root / path
    if not target.is_file() or not lies_in_gallery(layout, target):
        return None
    try:
        text = read_regular(target, DOCUMENT_BYTES).decode("utf-8-sig")
    except (UnicodeDecodeError, OSError):
        return None  # a picture, or another file that is not a text
    return split_front_matter(text)[1].strip() or None


def is_taken(layout: Layout, path: str) -> bool:
    """Return whether a path ``gallery/<kind>/<name>`` is in use, regardless of case.

    Raises:
        GmError: A link leads the folder out of the gallery.
    """
    target = layout.root / path
    if not lies_in_gallery(layout, target.parent):
        raise GmError(
            f"{layout.shown(target.parent)} leads out of the gallery, to {target.parent.resolve()}",
            "nothing was written; remove the link",
        )
    if not target.parent.is_dir():
        return False
    wanted = target.name.casefold()
    return any(entry.name.casefold() == wanted for entry in target.parent.iterdir())


def find_artifact(layout: Layout, name: str) -> str:
    """Return the path ``gallery/…`` of an artifact inside the world.

    Args:
        name: Its path from the world's folder, the gallery, or the current folder.

    Raises:
        UsageError: There is no such file; names the nearest ones.
    """
    inside = layout.gallery.resolve()
    for path in (layout.root / name, layout.gallery / name, Path(name).absolute()):
        if _is_file(path) and lies_in_gallery(layout, path):
            return f"{GALLERY}/{path.resolve().relative_to(inside).as_posix()}"
    known = sorted(layout.shown(path) for path in files_below(layout.gallery) if _is_file(path))
    if not known:
        raise UsageError(f"there is no {name!r}: the gallery is empty", "play a day first: gm advance-day")
    ends = {path.rpartition("/")[2]: path for path in known}
    near = get_close_matches(name, known, NEAREST, 0.5) or [
        ends[end] for end in get_close_matches(name.rpartition("/")[2], ends, NEAREST, 0.4)
    ]
    raise UsageError(f"there is no {name!r} in the gallery", "the nearest: " + ", ".join(near or known[-NEAREST:]))


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False  # not a valid file name: too long, or with a null character
