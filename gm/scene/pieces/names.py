"""File names for artifacts: no part of a model's title is trusted as a path."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from gm.base.casefold import spell_out
from gm.model.calendar import render_day
from gm.model.piece import GALLERY

_DAY, _VERSION = re.compile(r"\Aday-[0-9]{3,}_"), re.compile(r"_v[0-9]+\Z")
_RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"com{n}" for n in range(1, 10)),
    *(f"lpt{n}" for n in range(1, 10)),
}
MOST_CHARACTERS = 60


def slug(text: str, fallback: str) -> str:
    """Return a part of a file name: lower-case ASCII letters, digits and single hyphens.

    Args:
        text: Any text, ``../../x`` included.
        fallback: For a text without such characters, or a name reserved on some system.
    """
    plain = unicodedata.normalize("NFKD", spell_out(text)).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if len(words) > MOST_CHARACTERS:
        words = words[:MOST_CHARACTERS].rsplit("-", 1)[0]
    return fallback if not words or words in _RESERVED else words


def artifact_path(day: int, kind: str, title: str, taken: Callable[[str], bool]) -> str:
    """Return a new artifact's path: ``gallery/<kind>/day-003_<slug>_v1.md``.

    Args:
        kind: Any text; becomes the folder.
        taken: Whether a path is in use; the version counts up until it is free.
    """
    stem = f"{GALLERY}/{slug(kind, 'misc')}/{render_day(day)}_{slug(title, 'untitled')}"
    version = 1
    while taken(f"{stem}_v{version}.md"):
        version += 1
    return f"{stem}_v{version}.md"


def piece_name(path: str) -> str:
    """Return a readable name from an artifact's path: ``stille meile``."""
    stem = path.rpartition("/")[2].rpartition(".")[0] or path.rpartition("/")[2]
    plain = _VERSION.sub("", _DAY.sub("", stem)).replace("-", " ").replace("_", " ").strip()
    return plain or stem
