"""A book as one Markdown file (CommonMark with tables)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gm.api.answers.speech import Words
from gm.base.markup import blocks as markup
from gm.faces.book import values
from gm.faces.book.export.html import MARK

_SPECIAL = re.compile(r"([\\`*_\[\]<|]|~(?=~)|&(?=#?\w+;)|#(?=#*\Z))")
_BEGINNING = re.compile(r"\A(\s*)([#+=>~-]|\d+[.)](?=\s|\Z))")
DEEPEST_HEADING = 6


def bind_markdown(book: values.Manuscript) -> bytes:
    """Return a book as Markdown, UTF-8; pictures are replaced by their titles."""
    return ("\n\n".join(filter(None, _render_book(book))) + "\n").encode()


def _render_book(book: values.Manuscript) -> Iterator[str]:
    yield f"# {_escape_line(book.title)}"
    if not book.one_day:
        yield f"*{_escape_line(book.subtitle)}*"
    yield _escape_line(book.author)
    yield _block_quote(map(_escape_line, book.epigraph))
    for chapter in book.chapters:
        yield from _chapter(chapter, book.words)
    yield f"<!-- {MARK} -->"


def _chapter(chapter: values.Chapter, words: Words) -> Iterator[str]:
    title = ": ".join(filter(None, (_escape_line(chapter.label), _escape_line(chapter.title))))
    yield f"## {title}"
    if chapter.lead:
        yield f"*{_escape_line(chapter.lead)}*"
    for item in chapter.items:
        yield from _render_item(item, words)


def _render_item(item: values.Item, words: Words) -> Iterator[str]:
    match item:
        case values.BookScene():
            return _render_scene(item, words)
        case values.CastMember():
            return _render_person(item)
        case values.Plate():
            return _plate(item, words)
        case values.BookEntry():
            return _render_entry(item, words)
        case values.BookSection():
            return _render_section(item)
        case values.Points():
            return _render_list(f"### {_escape_line(item.title)}", item.points)


def _render_scene(scene: values.BookScene, words: Words) -> Iterator[str]:
    head = _escape_line(scene.title)
    yield f"### {scene.number}. {head}" if scene.number else f"### {head}"
    setting = (scene.place, scene.type, scene.time)
    yield " · ".join(_escape_line(part) for part in setting if part and part != scene.title)
    if scene.cast:
        yield f"**{_escape_line(', '.join(scene.cast))}**"
    if scene.premise:
        yield f"*{_escape_line(scene.premise)}*"
    yield from map(_escape_line, scene.summary)
    for turn in scene.turns:
        yield from _render_turn(turn, words)
    if scene.insights:
        yield from _render_list(f"**{_escape_line(words('insights'))}**", scene.insights)
    if scene.pieces:
        yield f"{words('made')}: " + ", ".join(_render_piece(piece, words) for piece in scene.pieces)
    if scene.reason:
        yield f"*{words('reason')}: {_escape_line(scene.reason)}*"


def _render_turn(turn: values.BookTurn, words: Words) -> Iterator[str]:
    who = _escape_line(turn.agent)
    if turn.mark:
        yield f"*{_escape_line(turn.mark)}*"
    yield _escape_line(turn.action)
    for line in turn.lines:
        text = f"{words('quote_open')}{_escape_line(line.quotable)}{words('quote_close')}"
        head = f"**{who}** {_escape_line(line.to)}:" if line.to else f"**{who}:**"
        yield f"{head} {text}" if who else text
    if turn.thought:
        yield f"> {f'**{who}** ' if who else ''}{words('thinks')}: *{_escape_line(turn.thought)}*"


def _render_piece(piece: values.BookPiece, words: Words) -> str:
    title = f"{words('quote_open')}{_escape_line(piece.title)}{words('quote_close')}"
    return f"{title} ({words('plate', number=piece.plate)})" if piece.plate else title


def _render_person(person: values.CastMember) -> Iterator[str]:
    yield f"### {_escape_line(person.name)}"
    if person.role:
        yield f"*{_escape_line(person.role)}*"
    yield _escape_line(person.portrait)
    yield "\n".join(f"- {_escape_line(fact.label)}: {_escape_line(fact.value)}" for fact in person.facts)


def _plate(plate: values.Plate, words: Words) -> Iterator[str]:
    yield f"### {words('plate', number=plate.number)}: {_escape_line(plate.title)}"
    yield from (f"*{_escape_line(text)}*" for text in (plate.caption, plate.description) if text)
    if plate.picture:
        yield f"({_escape_line(plate.title)})"
    yield from _blocks(plate.blocks)


def _render_entry(entry: values.BookEntry, words: Words) -> Iterator[str]:
    if entry.head:
        yield f"### {_escape_line(entry.head)}"
    if entry.meta:
        yield f"*{_escape_line(entry.meta)}*"
    yield from _blocks(entry.blocks)
    if entry.rests_on:
        yield _block_quote([f"{words('rests_on')}:", *map(_escape_line, entry.rests_on)])


def _render_section(section: values.BookSection) -> Iterator[str]:
    if section.title:
        yield f"### {_escape_line(section.title)}"
    yield from _blocks(section.blocks)


def _render_list(head: str, texts: Iterable[str]) -> Iterator[str]:
    yield head
    yield "\n".join(f"- {_escape_line(text)}" for text in texts)


def _block_quote(parts: Iterable[str]) -> str:
    return "\n>\n".join("> " + part.replace("\n", "\n> ") for part in parts)


def _blocks(blocks: Iterable[markup.Block]) -> Iterator[str]:
    return map(_block, blocks)


def _block(block: markup.Block) -> str:
    match block:
        case markup.Heading():
            # headings of a text stand below that of its item
            return f"{'#' * min(DEEPEST_HEADING, 3 + block.level)} {_inline(block.inner)}"
        case markup.Listing():
            return "\n".join(_item(block.start, place, item) for place, item in enumerate(block.items))
        case markup.BlockQuote():
            return _block_quote(_blocks(block.blocks))
        case markup.CodeBlock():
            return "\n".join(f"    {line}" for line in block.text.split("\n"))
        case markup.Table():
            ruler = "|" + "|".join({"right": "--:", "center": ":-:"}.get(side, "---") for side in block.aligns) + "|"
            return "\n".join([_render_row(block.head), ruler, *map(_render_row, block.rows)])
        case markup.Rule():
            return "***"
        case markup.Paragraph():
            return _inline(block.inner)


def _item(start: int | None, place: int, item: Iterable[markup.Block]) -> str:
    mark = "- " if start is None else f"{min(start + place, 999_999_999)}. "
    return mark + "\n\n".join(_blocks(item)).replace("\n", "\n" + " " * len(mark))


def _render_row(cells: Iterable[tuple[markup.Inline, ...]]) -> str:
    return "| " + " | ".join(map(_inline, cells)) + " |"


def _inline(inner: Iterable[markup.Inline]) -> str:
    return _escape_beginning(_spans(inner))


def _spans(inner: Iterable[markup.Inline]) -> str:
    return "".join(map(_render_span, inner))


def _render_span(span: markup.Inline) -> str:
    match span:
        case markup.Emphasis():
            return f"*{_spans(span.inner)}*"
        case markup.Strong():
            return f"**{_spans(span.inner)}**"
        case markup.Struck():
            return f"~~{_spans(span.inner)}~~"
        case markup.Code():
            return _escape_code(span.text)
        case markup.Link():
            words = _spans(span.inner)
            return f"[{words}](<{_escape_address(span.href)}>)" if span.href else words
        case markup.Picture():
            return _escape(span.alt)
        case markup.Break():
            return " "
        case markup.TextRun():
            return _escape(span.text)


# All escaping of the world's texts follows.


def _escape_line(text: str) -> str:
    return _escape_beginning(_escape(" ".join(text.split())))


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text.replace("\n", " "))


def _escape_beginning(line: str) -> str:
    """Escape what would make a line a heading, a list, a quotation or a rule."""
    return _BEGINNING.sub(lambda match: f"{match[1]}{match[2][:-1]}\\{match[2][-1]}", line)


def _escape_code(text: str) -> str:
    return f"`{text.replace('`', 'ˋ')}`".replace("\n", " ")


def _escape_address(href: str) -> str:
    return href.replace(">", "%3E")
