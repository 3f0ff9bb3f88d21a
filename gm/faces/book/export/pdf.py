"""A book as PDF, typeset by typst from a template that reads it as data; also the cover of an EPUB."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.faces.book.export.html import part_name, read_template
from gm.faces.book.values import Image, Manuscript, SpokenLine
from gm.files.uncommitted.temporary import temporary_folder

Tell = Callable[[str], object]
"""Called with each degradation, as a sentence."""

TIMESTAMP = 0  # output must not depend on the clock
ACCESSIBLE = "ua-1"
FOREIGN = "some letters are in none of the fonts that gm brings: fonts of this machine were used, another may differ"
BARE = "with these letters the PDF is tagged and does not fulfil PDF/UA-1"
COVER_PPI = 200.0
_LONG_WORD = re.compile(r"\S{32}(?=\S{8})")
MAY_BREAK = "\u200b"  # zero width space


def tell_nobody(_notice: str) -> None:
    """Ignore a notice."""


class TypesetError(Exception):
    """typst could not compile its input."""


def typeset(root: Path, source: str, *, system_fonts: bool = False, **options: Any) -> bytes:
    """Return a compiled document; the same source, files and fonts give the same bytes.

    Args:
        root: Folder of the files that the source reads; typst cannot leave it, and downloads no packages.
        source: Typst code of ours; never a text of the world.

    Raises:
        TypesetError: typst could not compile it.
        GmError: The package typst is not installed.
    """
    try:
        import typst
    except ImportError as error:
        raise GmError("the typst package is not installed", pip_install("book")) from error

    main = root / "main.typ"
    main.write_text(source, encoding="utf-8")
    try:
        data: bytes = typst.compile(
            main,
            root=root,
            font_paths=typst.Fonts(include_system_fonts=system_fonts),
            timestamp=TIMESTAMP,
            package_path=root,
            package_cache_path=root,
            **options,
        )
    except typst.TypstError as error:
        raise TypesetError(str(error)) from error
    return data


def bind_pdf(book: Manuscript, paper: str = "a5", tell: Tell = tell_nobody) -> bytes:
    """Typeset a book as tagged PDF with outline.

    It fulfils PDF/UA-1 unless a text makes that impossible. Fonts of the machine only supply letters that typst's own
    lack (emoji, Chinese). A picture that typst cannot read is replaced by its description.

    Raises:
        GmError: The package typst is not installed.
    """
    with temporary_folder("book") as root:
        readable = tuple(image.key for image in book.images if _is_readable(image, root))
        _write_sources(root, book, readable)
        template, inputs = read_template("book.typ"), {"paper": paper}
        accessible = {"pdf_standards": [ACCESSIBLE]}
        ways: tuple[tuple[dict[str, Any], str], ...] = (
            (accessible, ""),
            ({**accessible, "system_fonts": True}, FOREIGN),
        )
        for way, notice in ways:
            with suppress(TypesetError):
                data = typeset(root, template, format="pdf", sys_inputs=inputs, **way)
                if notice:
                    tell(notice)
                return data
        data = typeset(root, template, format="pdf", sys_inputs=inputs, system_fonts=True)
        tell(FOREIGN)
        tell(BARE)
        return data


def paint_cover(book: Manuscript) -> bytes:
    """Return the cover of a book as PNG; raises as ``typeset``."""
    with temporary_folder("book") as root:
        _write_sources(root, book)
        return typeset(root, read_template("cover.typ"), format="png", ppi=COVER_PPI)


def _write_sources(root: Path, book: Manuscript, pictures: tuple[str, ...] = ()) -> None:
    data = {"book": replace(book, images=()), "pictures": pictures}
    (root / "book.json").write_text(json.dumps(_as_json(data), ensure_ascii=False), encoding="utf-8")


def _as_json(value: object) -> Any:
    """Return a part of a book as a mapping with its ``kind``; long words may break, addresses may not."""
    if isinstance(value, str):
        return _LONG_WORD.sub(lambda match: match[0] + MAY_BREAK, value)
    if isinstance(value, tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, SpokenLine):
        value = replace(value, text=value.quotable)
    if is_dataclass(value) and not isinstance(value, type):
        value = {"kind": part_name(type(value))} | {item.name: getattr(value, item.name) for item in fields(value)}
    if isinstance(value, Mapping):
        return {key: item if key == "href" else _as_json(item) for key, item in value.items()}
    return value


def _is_readable(image: Image, root: Path) -> bool:
    (root / image.key).write_bytes(image.data)
    try:
        typeset(root, f'#image("{image.key}")', format="pdf")
    except TypesetError:
        return False
    return True
