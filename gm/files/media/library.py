"""The library: texts in ``library/`` split into passages. Read only."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from gm.base.errors import Problem
from gm.base.frontmatter import load_safely, split_front_matter
from gm.base.texts import LEFT_OUT, cut_at_sentence
from gm.base.untyped import items_of
from gm.base.yamlwords import explain_yaml
from gm.files.formats.text import read_text
from gm.files.layout import Layout
from gm.memory.search import rank_texts
from gm.model.passage import Passage

ENDINGS = (".md", ".txt")
MOST_TEXT_BYTES = 1_000_000
MOST_PASSAGES = 4
PASSAGE_CHARACTERS = 1_200
LEAST_SHARE = 0.3
"""Minimum score of a passage, as a share of the best one; below, it merely shares a word with the query."""

_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>\S.*?)\s*#*\Z")


def find_passages(layout: Layout, query: str, language: str) -> tuple[tuple[Passage, ...], list[Problem]]:
    """Return at most ``MOST_PASSAGES`` passages that match a query, best first; and problems of unreadable texts."""
    passages, problems = read_library(layout)
    texts = [f"{passage.title}\n{' '.join(passage.tags)}\n{passage.text}" for passage in passages]
    ranked = rank_texts(query, texts, language)[:MOST_PASSAGES]
    return tuple(passages[place] for place, score in ranked if score >= LEAST_SHARE * ranked[0][1]), problems


def read_library(layout: Layout) -> tuple[list[Passage], list[Problem]]:
    """Read all passages in the order of paths; unreadable texts are reported."""
    passages: list[Passage] = []
    problems: list[Problem] = []
    for path in _walk_library(layout):
        found = _problem_of(layout, path)
        if found:
            problems.append(found)
            continue
        text, unreadable = read_text(path, layout.shown(path))
        if unreadable or "\0" in text.body:
            problems.append(_unreadable(layout, path, [] if "\0" in text.body else unreadable))
            continue
        read, wrong = parse_text(text.body, layout.shown(path))
        passages += read
        problems += wrong
    return passages, problems


def has_texts(layout: Layout) -> bool:
    """Return whether the library has a readable text, without reading any."""
    return any(_problem_of(layout, path) is None for path in _walk_library(layout))


def list_texts(layout: Layout) -> list[Path]:
    """Return the texts of the library that are readable, judged without reading them."""
    return [path for path in _walk_library(layout) if _problem_of(layout, path) is None]


def parse_text(body: str, shown: str) -> tuple[list[Passage], list[Problem]]:
    """Split a text, with or without front matter (``title``, ``author``, ``tags``), into paragraphs.

    A heading belongs to the paragraph below it.
    """
    front, rest, first = split_front_matter(body)
    data, tags, problems = _read_front(front, shown)
    lines = rest.split("\n")
    headings = (match["text"] for line in lines if (match := _HEADING.match(line.strip())))
    title = data.get("title") or next(headings, "") or Path(shown).stem.replace("-", " ").replace("_", " ")
    found = [
        Passage(
            shown,
            first + start,
            first + end,
            title,
            _cut_passage("\n".join(lines[start : end + 1])),
            data["author"],
            tags,
        )
        for start, end in _find_paragraphs(lines, title)
    ]
    return found, problems


def _find_paragraphs(lines: list[str], title: str) -> Iterator[tuple[int, int]]:
    start: int | None = None
    has_text = False
    for number, line in enumerate((*lines, "")):
        heading = _HEADING.match(line.strip())
        if has_text and start is not None and (heading or not line.strip()):
            yield start, number - 1
            start, has_text = None, False
        if heading and heading["text"] == title:
            continue  # the passage has the title anyway
        if heading:
            start = number
        elif line.strip():
            start, has_text = number if start is None else start, True


def _cut_passage(text: str) -> str:
    text = "\n".join(line.rstrip() for line in text.strip("\n").split("\n"))
    if len(text) <= PASSAGE_CHARACTERS:
        return text
    kept = cut_at_sentence(text, PASSAGE_CHARACTERS) or text[:PASSAGE_CHARACTERS].rsplit(" ", 1)[0].rstrip()
    return f"{kept} {LEFT_OUT}"


def _read_front(front: str | None, shown: str) -> tuple[dict[str, str], tuple[str, ...], list[Problem]]:
    empty = {"title": "", "author": ""}
    try:
        data = load_safely(front or "")
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        found = explain_yaml(error, front or "")
        line, column = found.line + 1, found.column
        message = f"front matter cannot be read: {found.message}"
        hint = "the text is read all the same; write title: … and author: … between two lines of ---"
        return empty, (), [Problem(shown, line, column, "warning", "library-front", message, hint)]
    if not isinstance(data, dict):
        return empty, (), []
    tags = data.get("tags")
    listed = items_of(tags)
    texts = {key: " ".join(value.split()) if isinstance(value := data.get(key), str) else "" for key in empty}
    return texts, tuple(tag for tag in listed if isinstance(tag, str)), []


def _walk_library(layout: Layout) -> Iterator[Path]:
    """Linked folders are not entered."""
    for folder, folders, names in os.walk(layout.library):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted((*names, *(name for name in folders if os.path.islink(f"{folder}/{name}")))):
            if not name.startswith("."):
                yield Path(folder) / name


def _problem_of(layout: Layout, path: Path) -> Problem | None:
    shown = layout.shown(path)
    if not _is_inside(layout, path):
        message = "leads out of the library and is not read"
        return Problem(shown, 0, 0, "warning", "library-outside", message, "put a copy of the text here instead")
    if path.is_symlink() and path.is_dir():
        return Problem(shown, 0, 0, "info", "library-kind", "a linked folder is not entered")
    if path.suffix.lower() not in ENDINGS:
        message = f"only texts ({', '.join(ENDINGS)}) are read"
        return Problem(shown, 0, 0, "info", "library-kind", message)
    try:
        size = path.stat().st_size if path.is_file() else -1
    except OSError:
        size = -1
    if size < 0:
        return Problem(shown, 0, 0, "warning", "library-unreadable", "is not a file that can be read")
    if size > MOST_TEXT_BYTES:
        message = f"{size:,} bytes are too many and are not read"
        hint = f"split it into texts of at most {MOST_TEXT_BYTES:,} bytes"
        return Problem(shown, 0, 0, "warning", "library-size", message, hint)
    return None


def _is_inside(layout: Layout, path: Path) -> bool:
    # up to Python 3.12, Path.resolve raises on circular links
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(layout.root) + os.sep + layout.library.name)


def _unreadable(layout: Layout, path: Path, problems: list[Problem]) -> Problem:
    if not problems:
        message = "holds a null byte: this is not text"
        return Problem(layout.shown(path), 0, 0, "warning", "library-binary", message, "move it out of the library")
    worst = problems[0]
    return Problem(worst.path, worst.line, worst.column, "warning", "library-unreadable", worst.message, worst.hint)
