"""A book as PDF, typeset by typst from a template of ours that reads the book as data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from gm.binding.data import plain
from gm.binding.html import read_template
from gm.errors import GmError
from gm.tools.book.values import Book, Image

TIMESTAMP = 0  # a date on the wall is no part of a world
ACCESSIBLE = "ua-1"


def bind_pdf(book: Book, paper: str = "a5") -> bytes:
    """Typeset a book as tagged PDF with outline; fonts are those that typst brings along.

    It fulfils PDF/UA-1; should a text make that impossible, it is tagged all the same.

    typst sees a folder with the template, the book as JSON and the pictures, and nothing beside it. A picture that it
    cannot read is left out, and its description stands in its place.

    Args:
        book: The book.
        paper: Name of a paper that typst knows.

    Raises:
        GmError: The package typst is not installed.
    """
    try:
        import typst
    except ImportError as error:
        raise GmError("the typst package is not installed", "pip install 'gm[book]'") from error

    with TemporaryDirectory(prefix="gm-book-") as name:
        root = Path(name)

        def compile_file(source: str, **options: Any) -> bytes:
            (root / "main.typ").write_text(source, encoding="utf-8")
            fonts = typst.Fonts(include_system_fonts=False)
            data: bytes = typst.compile(
                root / "main.typ",
                root=root,
                font_paths=fonts,
                format="pdf",
                timestamp=TIMESTAMP,
                package_path=root,
                package_cache_path=root,
                **options,
            )
            return data

        readable = [image.key for image in book.images if _is_readable(image, root, compile_file, typst.TypstError)]
        data = {**plain(book), "pictures": readable}
        (root / "book.json").write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
        template, inputs = read_template("book.typ"), {"paper": paper}
        try:
            return compile_file(template, sys_inputs=inputs, pdf_standards=[ACCESSIBLE])
        except typst.TypstError:
            return compile_file(template, sys_inputs=inputs)


def _is_readable(image: Image, root: Path, compile_file: Callable[..., bytes], wrong: type[Exception]) -> bool:
    """Try a picture alone: one that is broken must not stop the book."""
    (root / image.key).write_bytes(image.data)
    try:
        compile_file(f'#image("{image.key}")')
    except wrong:
        return False
    return True
