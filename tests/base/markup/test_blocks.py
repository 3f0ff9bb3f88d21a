"""The same Markdown as values."""

from dataclasses import fields, is_dataclass
from typing import Any

from hypothesis import given

from gm.base.markup.blocks import (
    BlockQuote,
    Break,
    Code,
    CodeBlock,
    Emphasis,
    Heading,
    Link,
    Listing,
    Paragraph,
    Picture,
    Rule,
    Strong,
    Struck,
    Table,
    TextRun,
    parse_blocks,
)
from tests.base.markup.test_html import MARKUP


def leaves(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in leaves(part)]
    if is_dataclass(value):
        return [leaf for part in fields(value) for leaf in leaves(getattr(value, part.name))]
    return [value]


def test_a_text_with_everything_is_read() -> None:
    text = "# A\n\nein *b* **c** ~~d~~ `e`\\\n[f](https://example.org) ![g](h.png)\n\n> q\n\n---\n\n```py\nx\n```\n"
    assert parse_blocks(text) == (
        Heading(1, (TextRun("A"),)),
        Paragraph(
            (
                TextRun("ein "),
                Emphasis((TextRun("b"),)),
                TextRun(" "),
                Strong((TextRun("c"),)),
                TextRun(" "),
                Struck((TextRun("d"),)),
                TextRun(" "),
                Code("e"),
                Break(),
                Link("https://example.org", (TextRun("f"),)),
                TextRun(" "),
                Picture("h.png", "g"),
            )
        ),
        BlockQuote((Paragraph((TextRun("q"),)),)),
        Rule(),
        CodeBlock("x", "py"),
    )


def test_lists_and_tables_are_read() -> None:
    assert parse_blocks("3. a\n4. b\n   - c\n") == (
        Listing(
            3,
            (
                (Paragraph((TextRun("a"),)),),
                (Paragraph((TextRun("b"),)), Listing(None, ((Paragraph((TextRun("c"),)),),))),
            ),
        ),
    )
    assert parse_blocks("|a|b|\n|:-|-:|\n|1|2|\n") == (
        Table(("left", "right"), ((TextRun("a"),), (TextRun("b"),)), (((TextRun("1"),), (TextRun("2"),)),)),
    )


def test_a_link_that_leads_nowhere_allowed_keeps_its_words() -> None:
    assert parse_blocks("[x](datei.md)") == (Paragraph((Link("", (TextRun("x"),)),)),)


@given(MARKUP)
def test_any_text_is_read_into_clean_words(text: str) -> None:
    for leaf in leaves(parse_blocks(text)):
        if isinstance(leaf, str):
            leaf.encode("utf-8")
            assert not set(leaf) & set("\x00\x1b\u202e\u2066\u200b\ufeff")
