"""Rules for all other files of a world, seed memories included: they must be readable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path

from gm.base.errors import Problem, say
from gm.files.check.files import Doc, Files, each_line_file
from gm.files.check.text import TextForm, check_composed, check_duplicate_keys, check_form
from gm.files.formats import document, jsonl, places, splice, yamlfile
from gm.files.formats.text import locate_offset, read_text
from gm.files.layout import Layout
from gm.files.media.library import read_library
from gm.files.media.pieces import list_pieces, read_piece
from gm.files.media.portraits import MOST_PORTRAIT_BYTES, find_unshown
from gm.files.reading import front_problems
from gm.files.streams.gifted import GIVE, lessons_not_given, read_gifted
from gm.layers import LAYERS
from gm.model.ids import WORLD
from gm.model.piece import PIECE

_ENDINGS = (".json", ".jsonl", ".yaml", ".yml", ".md")
_INDENTS: tuple[int | str | None, ...] = (None, 0, 1, 2, 3, 4, 8, "\t")
_SEPARATORS = (None, (",", ":"))


def text_files(layout: Layout, *, history: bool = True) -> Iterator[Path]:
    """Yield the text files that people edit, without derived ones; ``history`` = memories and logbooks too."""
    left_out = {layout.derived, layout.traces, layout.imported}
    if not history:
        left_out |= {layout.memories, layout.archive, layout.summaries, layout.gifted_folder, layout.logbook}
    if layout.settings.is_file():
        yield layout.settings
    folders = [layout.state, *(path for path in sorted(layout.state.glob("*")) if path.is_dir())]
    for folder in (*folders, *((layout.logbook,) if layout.logbook not in folders else ())):
        if folder not in left_out:
            yield from (path for path in text_files_in(folder) if path.is_file())


def check_syntax(files: Files) -> Iterator[Problem]:
    """Files in folders of ``state/`` are valid JSON, JSON lines or YAML, by their ending."""
    for folder in (files.layout.gifted_folder, *map(files.layout.layer_folder, LAYERS)):
        for path in text_files_in(folder):
            shown = files.layout.shown(path)
            text, problems = read_text(path, shown)
            yield from problems
            if problems:
                continue
            if path.suffix == ".jsonl":
                yield from jsonl.scan_lines(text.body, shown).problems
            elif path.suffix == ".json":
                found, problems = document.read_document(path, shown)
                yield from problems
                if found.data:
                    yield from document.find_duplicate_keys(text.body, shown)
            elif path.suffix in (".yaml", ".yml"):
                yield from yamlfile.load_yaml(text.body, shown)[1]
            else:
                yield from yamlfile.read_front_matter(path, shown)[2]


def check_strangers(files: Files) -> Iterator[Problem]:
    """A file named after a character belongs to an existing agent."""
    layout = files.layout
    minds = map(layout.layer_folder, LAYERS)
    for folder in (layout.gifted_folder, *minds, layout.summaries, layout.archive):
        for path in text_files_in(folder):
            name = path.name.split(".")[0]
            if name not in files.names and (folder, name) != (layout.gifted_folder, WORLD):
                message = f"{name!r} is not an agent: no agent file, persona or memories have this name"
                hint = "rename the file, or delete it"
                yield Problem(files.layout.shown(path), 0, 0, "warning", "agent-unknown", message, hint)


def check_forms(files: Files) -> Iterator[Problem]:
    """Files end in one LF, have no CRLF and no byte order mark; text is composed Unicode."""
    read = {file.shown: file for file in each_line_file(files)}
    for path in text_files(files.layout, history=files.history):
        shown = files.layout.shown(path)
        if shown in read:
            yield from check_form(read[shown].form, shown, read[shown].blank)
            continue
        text, problems = read_text(path, shown)
        if not problems:
            blank = jsonl.scan_lines(text.body, shown).blank if path.suffix == ".jsonl" else None
            yield from check_form(TextForm.of(text), shown, blank)
            yield from check_composed(text.body, shown)


def check_keys(files: Files) -> Iterator[Problem]:
    """Keys in a YAML file are unique."""
    for path in text_files(files.layout, history=files.history):
        if path.suffix in (".yaml", ".yml"):
            shown = files.layout.shown(path)
            yield from check_duplicate_keys(read_text(path, shown)[0].body, shown)


def check_constants(files: Files) -> Iterator[Problem]:
    """NaN and Infinity are not JSON, though some programs write them."""
    for path in text_files(files.layout, history=files.history):
        if path.suffix == ".json":
            shown = files.layout.shown(path)
            body = read_text(path, shown)[0].body
            for name, at in places.constants(body) if "NaN" in body or "Infinity" in body else ():
                hint = "write null, or a number; other programs refuse the whole file"
                yield Problem(shown, *locate_offset(body, at), "warning", "json-constant", f"{name} is not JSON", hint)


def check_layouts(files: Files) -> Iterator[Problem]:
    """Report documents with a layout of no JSON writer."""
    for doc in (files.world, files.bulletin, *files.agents.values()):
        if doc.data and not document.find_duplicate_keys(doc.body, doc.shown):
            yield from _own_layout(doc)


def _own_layout(doc: Doc) -> Iterator[Problem]:
    text = doc.body.replace("\r\n", "\n").rstrip("\n")
    furthest = 0
    for indent, separators, ascii_only in product(_INDENTS, _SEPARATORS, (False, True)):
        written = json.dumps(doc.data, ensure_ascii=ascii_only, indent=indent, separators=separators)
        if written == text:
            return
        furthest = max(furthest, splice.count_common(written, text))
    message = "laid out by hand from here on; gm changes single values and keeps the rest"
    yield Problem(doc.shown, *locate_offset(text, furthest), "info", "json-layout", message)


def check_library(files: Files) -> Iterator[Problem]:
    """Texts in the library are readable."""
    yield from read_library(files.layout)[1]


def check_gallery(files: Files) -> Iterator[Problem]:
    """Texts in the gallery are readable, with front matter as declared."""
    for piece in list_pieces(files.layout):
        if piece.media == "markdown":
            front, _, problems = read_piece(files.layout, piece)
            for problem in problems:
                yield replace(problem, severity="warning")
            path = files.layout.gallery / piece.path
            yield from front_problems(path, files.layout.shown(path), PIECE, front)


def check_portraits(files: Files) -> Iterator[Problem]:
    """The pictures of characters can be shown."""
    hint = f"put a PNG, JPEG or WebP of at most {MOST_PORTRAIT_BYTES:,} bytes in its place"
    for path, why in find_unshown(files.layout):
        if path.stem in files.names:
            message = say("no page shows this picture: {reason}", why)
            yield Problem(files.layout.shown(path), 0, 0, "warning", "portrait-unshown", message, hint)


def check_gifted(files: Files) -> Iterator[Problem]:
    """Seed memories are readable, with ids of their own file."""
    for name in (*files.names, WORLD):
        if files.layout.gifted(name).is_file():
            yield from read_gifted(files.layout, name).problems


def check_lessons(files: Files) -> Iterator[Problem]:
    """All characters have the lessons of ``seeds.lessons``."""
    count, message = lessons_not_given(files.layout, files.settings.seeds.lessons)
    if count:
        shown = files.layout.shown(files.layout.settings)
        place = places.yaml_place(read_text(files.layout.settings, shown)[0].body, ("seeds", "lessons"))
        yield Problem(shown, *place, "warning", "lessons-not-given", message, GIVE)


def text_files_in(folder: Path) -> list[Path]:
    """Return the text files of a folder; empty when it is absent."""
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if path.suffix in _ENDINGS and path.name[0] != ".")


RULES = (
    check_syntax,
    check_strangers,
    check_forms,
    check_keys,
    check_constants,
    check_layouts,
    check_library,
    check_gallery,
    check_portraits,
    check_gifted,
    check_lessons,
)
