"""The formats of books."""

from __future__ import annotations

from pathlib import PurePath

from gm.base.errors import UsageError
from gm.faces.book.export.pdf import Tell, tell_nobody
from gm.faces.book.values import Manuscript

_ENDINGS = {".md": "md", ".markdown": "md", ".html": "html", ".htm": "html", ".epub": "epub", ".pdf": "pdf"}

_TABLES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".xlsx")


def format_of(target: str | None, named: str | None) -> str:
    """Return the named format, else that of the file's ending, else Markdown.

    Raises:
        UsageError: Unknown ending.
    """
    if named is not None:
        return named
    if target is None:
        return "md"
    ending = PurePath(target).suffix.lower()
    if ending not in _ENDINGS:
        hint = "end it in .md, .html, .epub or .pdf"
        if ending in _TABLES:
            hint += "; a card: --card FILE; data: --json of most commands, JSON Lines in state/, or gm.write_csv"
        raise UsageError(f"{target!r} does not name a format", hint)
    return _ENDINGS[ending]


def bind_book(book: Manuscript, form: str, paper: str = "a5", tell: Tell = tell_nobody) -> bytes:
    """Return a book as the bytes of a file; the same book gives the same bytes.

    Args:
        tell: Called with each degradation.

    Raises:
        GmError: A package of the extra ``gm-worlds[book]`` is not installed.
    """
    if form == "html":
        from gm.faces.book.export.html import bind_html

        return bind_html(book)
    if form == "epub":
        from gm.faces.book.export.epub import bind_epub

        return bind_epub(book)
    if form == "pdf":
        from gm.faces.book.export.pdf import bind_pdf

        return bind_pdf(book, paper, tell)
    from gm.faces.book.export.markdown import bind_markdown

    return bind_markdown(book)
