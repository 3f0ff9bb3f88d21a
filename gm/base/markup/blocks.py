"""Markdown as frozen values, for media that are not HTML."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gm.base.markup.parse import parse_tokens, picture_path, plain_text, safe_link

if TYPE_CHECKING:
    from markdown_it.token import Token


@dataclass(frozen=True, slots=True)
class TextRun:
    """Running text."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Inline code."""

    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """A hard line break inside a paragraph."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture; ``path`` as written, ``alt`` may be empty."""

    path: str
    alt: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Stressed words."""

    inner: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Strong:
    """Strongly stressed words."""

    inner: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Struck:
    """Words struck through."""

    inner: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link; ``href`` is ``http:``, ``https:``, ``mailto:`` or ``#place``, empty for a target that is not allowed."""

    href: str
    inner: tuple[Inline, ...]


Inline = TextRun | Code | Break | Picture | Emphasis | Strong | Struck | Link


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    inner: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; ``level`` is 1 to 6, as written."""

    level: int
    inner: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A list. ``start`` is the number of the first item, None for an unnumbered list."""

    start: int | None
    items: tuple[tuple[Block, ...], ...]


@dataclass(frozen=True, slots=True)
class BlockQuote:
    """A block quotation."""

    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """A code block; ``language`` is the word behind the fence, or empty."""

    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``rows`` are as long as ``head``.

    Attributes:
        aligns: ``left``, ``center``, ``right`` or empty, one for each column.
    """

    aligns: tuple[str, ...]
    head: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


Block = Paragraph | Heading | Listing | BlockQuote | CodeBlock | Table | Rule
_SPANS: dict[str, type[Emphasis | Strong | Struck]] = {"em_open": Emphasis, "strong_open": Strong, "s_open": Struck}


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Parse Markdown (CommonMark, tables, ~~strikethrough~~) into neutralised texts; HTML is ordinary text."""
    return tuple(_blocks(iter(parse_tokens(text))))


def _blocks(tokens: Iterator[Token]) -> Iterator[Block]:
    for token in tokens:
        kind = token.type
        if kind in ("paragraph_open", "heading_open"):
            inner = _inlines(iter(next(tokens).children or ()))
            next(tokens)
            yield Paragraph(inner) if kind == "paragraph_open" else Heading(int(token.tag[1:]), inner)
        elif kind in ("bullet_list_open", "ordered_list_open"):
            start = None if kind == "bullet_list_open" else int(token.attrs.get("start", 1))
            yield Listing(start, tuple(_items(tokens)))
        elif kind == "blockquote_open":
            yield BlockQuote(tuple(_blocks(tokens)))
        elif kind in ("fence", "code_block"):
            yield CodeBlock(token.content.rstrip("\n"), (token.info.split() or [""])[0])
        elif kind == "table_open":
            yield _table(tokens)
        elif kind == "hr":
            yield Rule()
        elif token.nesting < 0:
            return


def _items(tokens: Iterator[Token]) -> Iterator[tuple[Block, ...]]:
    for token in tokens:
        if token.type != "list_item_open":
            return
        yield tuple(_blocks(tokens))


def _table(tokens: Iterator[Token]) -> Table:
    aligns: list[str] = []
    rows: list[list[tuple[Inline, ...]]] = []
    for token in tokens:
        if token.type == "table_close":
            break
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            if token.type == "th_open":
                aligns.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            rows[-1].append(_inlines(iter(next(tokens).children or ())))
    head, *others = (tuple(row) for row in rows)
    return Table(tuple(aligns), head, tuple(others))


def _inlines(tokens: Iterator[Token]) -> tuple[Inline, ...]:
    return tuple(_inline(tokens))


def _inline(tokens: Iterator[Token]) -> Iterator[Inline]:
    for token in tokens:
        if token.type in _SPANS:
            yield _SPANS[token.type](_inlines(tokens))
        elif token.type == "link_open":
            yield Link(safe_link(str(token.attrs.get("href", ""))) or "", _inlines(tokens))
        elif token.type == "code_inline":
            yield Code(token.content)
        elif token.type == "image":
            yield Picture(picture_path(token), plain_text(token.children))
        elif token.type == "hardbreak":
            yield Break()
        elif token.type == "softbreak":
            yield TextRun(" ")
        elif token.nesting < 0:
            return
        elif token.content:
            yield TextRun(token.content)
