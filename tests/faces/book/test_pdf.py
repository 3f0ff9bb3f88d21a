"""Any document at all can be typeset, and stays accessible as long as the fonts have its letters."""

from __future__ import annotations

import io

from hypothesis import example, given
from pypdf import PdfReader

from gm.api.answers.speech import load_words
from gm.base.markup.blocks import parse_blocks
from gm.faces.book.export.pdf import bind_pdf, paint_cover
from gm.faces.book.texts import Pictures, align_levels
from gm.faces.book.values import Chapter, Manuscript, Plate
from gm.files.media.pieces import LoadedPiece
from tests.base.markup.test_html import MARKUP
from tests.faces.book.hostile import png

LATIN = 0x17F


def book_of(text: str, title: str = "T") -> Manuscript:
    pictures = Pictures(lambda path: LoadedPiece(path, {}, None, png()) if path.endswith("b") else None)
    plate = Plate(1, title, "", "", align_levels(pictures.settle(parse_blocks(text), "gallery")))
    chapter = Chapter("plates", "", title, "", (plate,))
    words = load_words("de", "gm.faces.book")
    return Manuscript(title, "", "", "de", "urn:uuid:0", (), (chapter,), words, tuple(pictures.images))


@given(MARKUP)
@example("#\n\n# ![](b)\n\n###### a\n\n## b\n\n![](b)")
@example("|a|\n|-|\n\n1. \n2. \n\n> \n\n```\n```")
def test_any_document_of_latin_letters_is_accessible(text: str) -> None:
    latin = "".join(letter if ord(letter) <= LATIN else "x" for letter in text)
    assert b"pdfuaid" in bind_pdf(book_of(latin))


def test_a_book_that_is_set_as_it_should_be_says_nothing() -> None:
    told: list[str] = []
    bind_pdf(book_of("Türme, Straßen, »Glut«"), tell=told.append)
    assert told == []


def test_letters_that_no_font_has_do_not_stop_a_book() -> None:
    told: list[str] = []
    data = bind_pdf(book_of("日本 😀 \U0001f468\u200d\U0001f680 \ue000 עברית ٖ"), tell=told.append)
    assert "fonts of this machine" in told[0]
    assert len(PdfReader(io.BytesIO(data)).pages) >= 4


def test_a_title_of_any_length_has_a_cover_and_a_title_page() -> None:
    for title in ("", "x" * 10_000, "Wort " * 2_000):
        assert paint_cover(book_of("a", title)).startswith(b"\x89PNG")
        assert bind_pdf(book_of("a", title)).startswith(b"%PDF")
