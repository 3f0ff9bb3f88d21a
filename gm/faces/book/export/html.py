"""A book as one self-contained HTML file: no scripts, no requests, pictures inline."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gm.ask.prompt.render import inner_quotes
from gm.faces.book.values import BookEntry, BookPiece, BookScene, BookSection, CastMember, Manuscript, SpokenLine

MARK = "gm-export"
"""Stands in every file made here, so that a later run may replace it."""
KINDS: Mapping[type, str] = {
    BookEntry: "entry",
    BookPiece: "piece",
    BookScene: "scene",
    BookSection: "section",
    CastMember: "person",
    SpokenLine: "line",
}
"""How templates call a part of a book, where that is not its class name in lower case."""


def is_ours(data: bytes) -> bool:
    """Return whether gm made a file."""
    return MARK.encode() in data


def as_data(value: object) -> Any:
    """Return a frozen value as a mapping without bytes; ``kind`` is its own, its name in ``KINDS``, or its class name.

    Each form puts quotation marks around a line, so those within it become inner ones.
    """
    if isinstance(value, SpokenLine):
        value = replace(value, text=inner_quotes(value.text))
    if is_dataclass(value) and not isinstance(value, type):
        inner = {item.name: as_data(getattr(value, item.name)) for item in fields(value)}
        return {"kind": KINDS.get(type(value)) or type(value).__name__.lower()} | {
            name: part for name, part in inner.items() if not isinstance(part, bytes)
        }
    if isinstance(value, tuple | list):
        return [as_data(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): as_data(part) for name, part in value.items()}
    return value


def bind_html(book: Manuscript) -> bytes:
    """Return a book as HTML, UTF-8, for screen and print."""
    return render_book_template(
        "book.html", book, picture_sources(book), css=Markup(read_template("book.css")), styled=True, top=3
    ).encode()


def render_book_template(name: str, book: Manuscript, sources: Mapping[str, str], **values: Any) -> str:
    """Render a template with a book; all texts are escaped."""
    template = _environment().get_template(name)
    return template.render(**as_data(book), source=sources.__getitem__, **values) + "\n"


def read_template(name: str) -> str:
    """Return a file of the templates folder."""
    return files("gm.faces.book.export").joinpath("templates", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("gm.faces.book.export", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["filled"] = _fill
    return environment


def _fill(pattern: str, number: int) -> str:
    return pattern.format(number=number)


def picture_sources(book: Manuscript) -> dict[str, str]:
    """Return the ``data:`` address of each picture, by its key."""
    return {image.key: f"data:{image.media_type};base64,{b64encode(image.data).decode()}" for image in book.images}
