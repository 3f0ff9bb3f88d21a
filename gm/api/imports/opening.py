"""Open files of other tools within limits: the only place that reads untrusted bytes."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath

from gm.api.imports import png
from gm.api.imports.archive import SIGNATURES, read_zip
from gm.api.imports.arrival import ImportSource
from gm.api.imports.fields import decode_text, parse_json, parse_lines, read_json
from gm.base.errors import UsageError
from gm.base.regular import read_regular

MOST_BYTES = 30_000_000
"""Of one file."""
MOST_FILES = 2000
MOST_IN_ALL = 150_000_000
"""Bytes of all files of a folder."""
DEEPEST_FOLDER = 6
"""Levels of folders in a folder."""
CARD_TEXTS = ("ccv3", "chara")
"""Keywords of texts in a PNG that hold a character card, the newer one first."""
CARD = PurePosixPath("card.json")
"""The document of an archive."""
LISTED = (
    *("*.agent.json", "*.fragment.json", "scratch.json", "nodes.json", "meta.json", "spatial_memory.json", "*.csv"),
    "documents.jsonl",
)
"""Names of the files that are read of a folder; all others stay closed."""
ENDINGS = ("*.png", "*.json", "*.jsonl", "*.charx")
"""Names of the files of a folder that may be cards, lorebooks or chats."""
_OTHER_PICTURES: Mapping[bytes, str] = {b"\xff\xd8\xff": "JPEG", b"RIFF": "WEBP", b"GIF8": "GIF"}


def open_source(path: Path) -> ImportSource:
    """Open a file or a folder of another tool.

    Raises:
        UsageError: It is missing, a link, no regular file, too large, or no JSON, JSONL, text, PNG with a card, or ZIP.
    """
    shown = str(path)
    if path.is_symlink():
        raise UsageError(f"{shown} is a link", "name the file itself")
    if path.is_dir():
        return _open_folder(path, shown)
    return _open_bytes(read_source(path, shown), shown, path.suffix.lower())


def _open_bytes(data: bytes, shown: str, ending: str) -> ImportSource:
    source = ImportSource(shown, whole=data)
    if data.startswith(png.SIGNATURE):
        return _open_picture(source)
    if data.startswith(SIGNATURES) or ending in (".charx", ".zip"):
        return _open_archive(source)
    for beginning, kind in _OTHER_PICTURES.items():
        if data.startswith(beginning):
            if SIGNATURES[0] in data:  # a self-extracting card
                return _open_archive(source)
            raise UsageError(f"{shown} is a {kind}, which cannot hold a card", "export it as PNG or JSON")
    if not data.strip():
        raise UsageError(f"{shown} is empty", "export it again")
    if b"\0" in data and SIGNATURES[0] in data:
        return _open_archive(source)
    whole, problems = _without_cut_line(data, shown) if ending == ".jsonl" else (data, ())
    return replace(source, data=_parse_document(decode_text(whole, shown), shown, ending), raw=data, problems=problems)


def _without_cut_line(data: bytes, shown: str) -> tuple[bytes, tuple[str, ...]]:
    """Return lines without a last one that breaks off, since a program ended while it wrote, and what was left out."""
    before, newline, last = data.rpartition(b"\n")
    if before.strip() and last.strip():
        try:
            read_json(last, shown)
        except UsageError:
            return before + newline, (f"line {before.count(newline) + 2} breaks off and was left out",)
    return data, ()


def _parse_document(text: str, shown: str, ending: str) -> object:
    if ending == ".jsonl" or (ending != ".json" and _has_lines(text)):
        return parse_lines(text, shown)
    if ending == ".json" or text.lstrip()[:1] in ("{", "["):
        return parse_json(text, shown)
    return text


def _has_lines(text: str) -> bool:
    first, _, rest = text.strip().partition("\n")
    return first.startswith("{") and first.rstrip().endswith("}") and rest.lstrip().startswith("{")


def _open_picture(source: ImportSource) -> ImportSource:
    try:
        texts = png.read_text_chunks(source.whole)
        portrait = png.without_texts(source.whole)
    except ValueError as error:
        raise UsageError(f"{source.name}: {error}", "the picture is damaged; export it again") from error
    keyword = next((name for name in CARD_TEXTS if name in texts), None)
    if keyword is None:
        raise UsageError(
            f"{source.name} is a picture without a card", "programs that shrink or convert pictures remove it"
        )
    try:
        raw = base64.b64decode(texts[keyword].strip(), validate=True)
    except (binascii.Error, ValueError) as error:
        raise UsageError(f"{source.name}: its text {keyword} is not base64: {error}", "export it again") from error
    shown = f"{source.name} ({keyword})"
    return replace(source, data=parse_json(decode_text(raw, shown), shown), raw=raw, portrait=portrait)


def _open_archive(source: ImportSource) -> ImportSource:
    files = read_zip(source.whole, source.name)
    raw = files.get(CARD)
    if raw is None:
        if listed := {path: data for path, data in sorted(files.items()) if _is_listed(path.name)}:
            return replace(source, files=listed)  # a folder that was packed
        raise UsageError(f"{source.name} has no {CARD}", "archives can be cards (CHARX) or packed folders")
    shown = f"{source.name}/{CARD}"
    return replace(source, data=parse_json(decode_text(raw, shown), shown), raw=raw, files=files)


def _open_folder(folder: Path, shown: str) -> ImportSource:
    files: dict[PurePosixPath, bytes] = {}
    problems: list[str] = []
    left = MOST_IN_ALL
    for path in _walk_folder(folder):
        inside = PurePosixPath(path.relative_to(folder).as_posix())
        if path.is_symlink():
            problems.append(f"{inside} is a link and was not read")
            continue
        files[inside] = read_source(path, f"{shown}/{inside}")
        left -= len(files[inside])
        if len(files) > MOST_FILES or left < 0:
            raise UsageError(
                f"{shown} holds more than {MOST_FILES} files or {MOST_IN_ALL:,} bytes", "name a single file in it"
            )
    if not files:
        raise UsageError(
            f"{shown} holds no file that can be read", "folders are searched for: " + ", ".join(ENDINGS + LISTED)
        )
    first = next(iter(files))
    shown_first = f"{shown}/{first}"
    text = decode_text(files[first], shown_first)
    data = _parse_document(text, shown_first, first.suffix)
    return ImportSource(shown, data, files[first], files=files, problems=tuple(problems))


def files_of_folder(folder: Path) -> list[Path]:
    """Return the files of a folder that may be cards, lorebooks or chats, by their endings.

    Raises:
        UsageError: There are too many.
    """
    found = [path for path in _walk_folder(folder, ENDINGS) if not path.is_symlink()]
    if len(found) > MOST_FILES:
        raise UsageError(f"{folder} holds more than {MOST_FILES} files", "name files in it")
    return found


def _walk_folder(folder: Path, patterns: Sequence[str] = LISTED) -> Iterator[Path]:
    for here, folders, names in os.walk(folder):
        depth = len(Path(here).relative_to(folder).parts)
        # hidden folders and links are not entered
        folders[:] = sorted(
            name
            for name in folders
            if depth < DEEPEST_FOLDER and name[0] != "." and not os.path.islink(f"{here}/{name}")
        )
        for name in sorted(names):
            if _is_listed(name, patterns):
                yield Path(here) / name


def _is_listed(name: str, patterns: Sequence[str] = LISTED) -> bool:
    return name[0] != "." and any(fnmatchcase(name, pattern) for pattern in patterns)


def read_source(path: Path, shown: str, most: int | None = None) -> bytes:
    """Read a file from outside, of at most ``most`` bytes; None = ``MOST_BYTES``.

    Raises:
        UsageError: It is missing, no regular file, or too large.
    """
    try:
        return read_regular(path, MOST_BYTES if most is None else most)
    except FileNotFoundError as error:
        hint = "gm fetches nothing: save it and name the file" if ":/" in shown else "name a file that exists"
        raise UsageError(f"there is no {shown}", hint) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{shown} cannot be read: {reason}", "name another file") from error
