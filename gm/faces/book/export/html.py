"""A book as one self-contained HTML file: no scripts, no requests, pictures inline."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from gm.base.markup.blocks import Block, Inline
from gm.base.packed import read_packed
from gm.faces.book.values import Item, Manuscript

_TEMPLATES = Path(__file__).with_name("templates")
MARK = "gm-export"
"""Stands in every file made here, so that a later run may replace it."""


def is_ours(data: bytes) -> bool:
    """Return whether gm made a file."""
    return MARK.encode() in data


def part_name(part: type) -> str:
    """Return how templates call a class of parts: its name in lower case, without ``Book``."""
    return part.__name__.removeprefix("Book").lower()


def bind_html(book: Manuscript) -> bytes:
    """Return a book as HTML, UTF-8, for screen and print."""
    return render_book_template(
        "book.html", book, picture_sources(book), css=Markup(read_template("book.css")), styled=True, top=3
    ).encode()


def render_book_template(name: str, book: Manuscript, sources: Mapping[str, str], **values: Any) -> str:
    """Render a template with a book; Jinja escapes all texts."""
    template = _environment().get_template(name)
    return template.render(book=book, words=book.words, source=sources.__getitem__, **values) + "\n"


def read_template(name: str) -> str:
    """Return a file of the templates folder."""
    return _read_templates()[name]


@cache
def _read_templates() -> dict[str, str]:
    return read_packed(_TEMPLATES.with_name("templates.tar.bz2"), _TEMPLATES)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader(_read_templates()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.tests |= {part_name(part): part.__instancecheck__ for part in get_args(Item | Block | Inline)}
    return environment


def picture_sources(book: Manuscript) -> dict[str, str]:
    """Return the ``data:`` address of each picture, by its key."""
    return {image.key: f"data:{image.media_type};base64,{b64encode(image.data).decode()}" for image in book.images}
