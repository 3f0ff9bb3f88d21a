"""Markdown written by models and people, as sanitised HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote

from gm.base.errors import GmError
from gm.base.installed import pip_install
from gm.base.markup.clean import neutralise
from gm.base.markup.parse import name_headings, parse_tokens, parser, picture_path, plain_text, safe_link

if TYPE_CHECKING:
    from markdown_it.token import Token

Lookup = Callable[[str], str | None]

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_TAGS = {
    *_HEADINGS,
    *("p", "em", "strong", "s", "code", "pre", "blockquote", "hr", "br"),
    *("ul", "ol", "li", "a", "img", "table", "thead", "tbody", "tr", "th", "td"),
}
_ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt", "loading"},
    "ol": {"start"},
    "th": {"class"},
    "td": {"class"},
}
_ALIGNED = {f"text-align:{side}": f"align-{side}" for side in ("left", "center", "right")}
_DEEPEST = 6
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]", re.MULTILINE)
_PROSE = 3


def nothing(path: str) -> None:
    """A lookup that finds nothing."""


def render_html(
    text: str, *, base_level: int = 1, pictures: Lookup = nothing, links: Lookup = nothing, anchors: bool = False
) -> str:
    """Render Markdown as harmless HTML: no script, no style, no resource from elsewhere.

    Args:
        text: Untrusted CommonMark with tables and ~~strikethrough~~; HTML is shown as text.
        base_level: Level (0 to 6) of the heading above; ``#`` becomes the level below.
        pictures: Path as written → trusted address, or None to show the alternative text.
        links: Relative path as written → address, or None to show only the words. ``http``, ``https``, ``mailto`` and
            ``#places`` need no lookup.
        anchors: Whether headings get the ids of ``name_headings``; only for texts of gm itself, since an id could
            be taken for one of the page around it.

    Returns:
        A fragment. Aligned cells have the class ``align-left``, ``align-center`` or ``align-right``.

    Raises:
        GmError: The package nh3 is not installed.
    """
    try:
        import nh3
    except ImportError as error:
        raise GmError("the nh3 package is not installed", pip_install("web", "book")) from error
    tokens = parse_tokens(text)
    known: set[str] = set()
    for token, name in name_headings(tokens) if anchors else ():
        token.attrs["id"] = name
    for token in tokens:
        _shift(token, base_level)
        _align(token)
        if token.children:
            token.children = list(_inline(token.children, pictures, links, known))
    raw = str(parser().renderer.render(tokens, parser().options, {}))

    def keep(tag: str, name: str, value: str) -> str | None:
        if (tag, name) in (("a", "href"), ("img", "src")):
            return value if value in known else None
        if name == "class":
            return value if value in _ALIGNED.values() else None
        return value

    schemes = {"http", "https", "mailto", "data"}
    allowed = {**_ATTRIBUTES, **{tag: {"id"} for tag in _HEADINGS}} if anchors else _ATTRIBUTES
    return nh3.clean(raw, tags=_TAGS, attributes=allowed, attribute_filter=keep, url_schemes=schemes)


def render_prose(text: str) -> str:
    """Render Markdown below a heading of level 2."""
    highest = min((len(found) for found in _HEADING.findall(text)), default=1)
    return render_html(text, base_level=max(0, _PROSE - highest))


def _shift(token: Token, base_level: int) -> None:
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(_DEEPEST, max(1, int(token.tag[1:]) + base_level))}"


def _align(token: Token) -> None:
    if token.type in ("th_open", "td_open"):
        side = _ALIGNED.get(str(token.attrs.pop("style", "")))
        if side:
            token.attrs["class"] = side


def _inline(tokens: Iterable[Token], pictures: Lookup, links: Lookup, known: set[str]) -> Iterable[Token]:
    from markdown_it.token import Token

    kept: list[bool] = []
    for token in tokens:
        if token.type == "image":
            address = pictures(picture_path(token))
            alt = plain_text(token.children)
            if address is None:
                yield Token("text", "", 0, content=alt)
            else:
                known.add(address)
                yield Token("image_kept", "img", 0, attrs={"src": address, "alt": alt, "loading": "lazy"})
        elif token.type == "link_open":
            href = str(token.attrGet("href") or "")
            target = safe_link(href) or links(neutralise(unquote(href)))
            kept.append(target is not None)
            if target is not None:
                known.add(target)
                yield Token("link_open", "a", 1, attrs={"href": target})
        elif token.type == "link_close":
            if kept.pop():
                yield token
        else:
            yield token
