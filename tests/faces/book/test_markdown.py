"""Anything said is read back from the Markdown unchanged."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gm.api.answers.speech import load_words
from gm.base.markup.blocks import Heading, Paragraph, TextRun, parse_blocks
from gm.base.markup.clean import neutral_line
from gm.faces.book.export.html import bind_html
from gm.faces.book.export.markdown import bind_markdown
from gm.faces.book.values import BookScene, BookSection, BookTurn, Chapter, Manuscript, Points, SpokenLine

MARKS = st.lists(
    st.one_of(st.sampled_from([*"\\`*_[]<>|~&#+-=!.)(:1 ab", "&amp;", "\n", "***", "http://a.b"]), st.characters())
)
TEXTS = MARKS.map("".join).map(neutral_line).filter(bool)


def book_with(*items: BookScene | Points | BookSection) -> Manuscript:
    chapter = Chapter("day", "", "T", "", items)
    return Manuscript("B", "S", "", "de", "urn:uuid:0", (), (chapter,), load_words("de", "gm.faces.book"))


@given(TEXTS)
@example("a #")
@example("a ###")
@example("1. a")
@example("a&amp;b")
@example("[a]: http://b.example 'c'")
@example("~~a~~ **b** <br> `c`")
@example("=== --- ***")
def test_a_line_is_only_words(text: str) -> None:
    turns = (BookTurn("", text, (SpokenLine(text),), text), BookTurn(text, "", (SpokenLine(text, text),), text))
    scene = BookScene(1, text, text, text, text, (text,), text, (text,), turns, (text,))
    data = bind_markdown(book_with(scene, Points(text, (text,)))).decode()
    told = [block.inner for block in parse_blocks(data) if isinstance(block, Paragraph)]
    assert (TextRun(text),) in [joined(inner) for inner in told]
    heading = next(block for block in parse_blocks(data) if isinstance(block, Heading) and block.level == 3)
    assert joined(heading.inner) == (TextRun(f"1. {text}"),)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Morning all, “Seven sentences” and I.", "»Morning all, ‘Seven sentences’ and I.«"),
        ("Morgen, »Sieben Sätze« und ich.", "»Morgen, ›Sieben Sätze‹ und ich.«"),
        ("Morgen, „Sieben Sätze“ und ich.", "»Morgen, ‚Sieben Sätze‘ und ich.«"),
    ],
)
def test_quotation_marks_in_what_is_said_are_inner_ones(said: str, told: str) -> None:
    book = book_with(BookScene(1, "T", "", "", "", (), "", (), (BookTurn("Ada", said, (SpokenLine(said),), ""),), ()))
    for data in (bind_markdown(book), bind_html(book)):
        text = data.decode()
        assert told in text
        assert text.count(said) == 1, "what is told without marks around it stays as it is"


def joined(inner: tuple[object, ...]) -> tuple[object, ...]:
    if all(isinstance(item, TextRun) for item in inner):
        return (TextRun("".join(item.text for item in inner if isinstance(item, TextRun))),)
    return inner
