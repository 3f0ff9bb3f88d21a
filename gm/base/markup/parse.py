"""Parse Markdown into neutralised tokens of markdown-it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import unquote

from gm.base.casefold import casefold
from gm.base.markup.clean import neutralise

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


LINK_SCHEMES = ("http://", "https://", "mailto:")
MOST_PLAIN = 400
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")
_SHOWN_MARKS = ("text", "code_inline", "code_block", "fence")


@cache
def parser() -> MarkdownIt:
    """Return the parser: CommonMark, tables, strikethrough, no HTML."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def parse_tokens(text: str) -> list[Token]:
    """Parse CommonMark with tables and ~~strikethrough~~; HTML is ordinary text.

    Nesting deeper than 20 is ignored. Character references (``&#x202e;``) are neutralised like characters.
    """
    tokens = parser().parse(neutralise(text))
    for token in every_token(tokens):
        if token.type in _SHOWN_MARKS:
            token.content = neutralise(token.content)
    return tokens


def every_token(tokens: Iterable[Token]) -> Iterator[Token]:
    """Iterate over tokens and their descendants."""
    for token in tokens:
        yield token
        yield from every_token(token.children or ())


def safe_link(href: str) -> str | None:
    """Return a web, mail or same-page link; None for any other."""
    return href if href.lower().startswith(LINK_SCHEMES) or href.startswith("#") else None


def picture_path(token: Token) -> str:
    """Return an image's path, percent-decoded and neutralised."""
    return neutralise(unquote(str(token.attrGet("src") or "")))


def plain_text(tokens: Iterable[Token] | None) -> str:
    """Return the text of inline tokens without marks."""
    parts = (" " if token.type in ("softbreak", "hardbreak") else token.content for token in every_token(tokens or ()))
    return " ".join("".join(parts).split())


def name_headings(tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    """Yield headings with the anchors that GitHub gives them: lower case, hyphens for spaces, ``-1`` for the second."""
    taken: Counter[str] = Counter()
    for token, inside in pairwise(tokens):
        if token.type == "heading_open":
            name = _NOT_IN_ANCHORS.sub("", plain_text(inside.children).lower()).replace(" ", "-")
            taken[name] += 1
            yield token, f"{name}-{taken[name] - 1}" if taken[name] > 1 else name


class Part(NamedTuple):
    """A heading, underlined or with number signs, and the text up to the next one; the first part has no heading.

    Attributes:
        is_named: Whether it stands below one of the headings that were asked for, to the end of its level.
    """

    title: str
    heading: list[str]
    lines: list[str]
    is_named: bool


def divide(text: str, titles: Collection[str]) -> Iterator[Part]:
    """Divide Markdown at its headings, and mark the parts below some of them.

    Case, spacing and a final ``.`` or ``:`` are ignored.
    """
    wanted = {heading_key(title) for title in titles}
    lines, title, at, below, level = neutralise(text).split("\n"), "", 0, 0, 0
    for token, inside in pairwise(parse_tokens(text)):
        if token.type != "heading_open" or token.map is None:
            continue
        yield Part(title, lines[at:below], lines[below : token.map[0]], level > 0)
        (at, below), title, depth = token.map, plain_text(inside.children), int(token.tag[1:])
        if not level or depth <= level:
            level = depth if heading_key(title) in wanted else 0
    yield Part(title, lines[at:below], lines[below:], level > 0)


def without_parts(text: str, titles: Collection[str]) -> str:
    """Drop the parts below some headings; see ``divide``."""
    return part_prose(text, titles)[0]


def part_prose(text: str, titles: Collection[str]) -> tuple[str, str]:
    """Return a text without the parts below some headings, and those parts; see ``divide``."""
    kept: list[str] = []
    dropped: list[str] = []
    for part in divide(text, titles):
        (dropped if part.is_named else kept).extend((*part.heading, *part.lines))
    return "\n".join(kept), "\n".join(dropped).strip()


def heading_key(title: str) -> str:
    """Return a heading for comparison: case, spacing and a final ``.`` or ``:`` do not count."""
    return " ".join(casefold(title).split()).rstrip(".:")


def render_plain(text: str) -> str:
    """Return the first ``MOST_PLAIN`` characters of Markdown as plain lines."""
    lines: list[str] = []
    for token in parse_tokens(text[:MOST_PLAIN]):
        if token.type == "inline":
            lines.append(plain_text(token.children))
        elif token.type in ("fence", "code_block"):
            lines += token.content.splitlines()
    return "\n".join(line for line in lines if line.strip())
