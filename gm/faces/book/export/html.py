"""A book as one HTML file that needs nothing else: no script, no request, pictures inside."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from gm.faces.book.values import Book

MARK = "gm-export"
"""Stands in every file that is made here, so that a later run knows it again and may replace it."""


def is_ours(data: bytes) -> bool:
    """Return whether gm made a file."""
    return MARK.encode() in data


def plain(value: Any) -> Any:
    """Return a frozen value as a mapping, with its class in lower case as ``kind``.

    A chapter says of itself of which kind it is. Bytes are left out.
    """
    if is_dataclass(value) and not isinstance(value, type):
        inner = {item.name: plain(getattr(value, item.name)) for item in fields(value)}
        return {"kind": type(value).__name__.lower()} | {
            name: part for name, part in inner.items() if not isinstance(part, bytes)
        }
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    return value


def bind_html(book: Book) -> bytes:
    """Return a book as HTML, UTF-8, for the screen and for paper."""
    return render_template(
        "book.html", book, picture_sources(book), css=Markup(read_template("book.css")), styled=True, top=3
    ).encode()


def render_template(name: str, book: Book, sources: Mapping[str, str], **values: Any) -> str:
    """Fill a template of ours with a book; every text of the book is escaped.

    Args:
        sources: Where each picture is, by its key.
        values: What else the template asks for.
    """
    template = _environment().get_template(name)
    return template.render(**plain(book), source=sources.__getitem__, **values) + "\n"


def read_template(name: str) -> str:
    """Return a file beside the templates."""
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
    environment.filters["filled"] = _filled
    return environment


def _filled(pattern: str, number: int) -> str:
    return pattern.format(number=number)


def picture_sources(book: Book) -> dict[str, str]:
    """Return each picture of a book as a ``data:`` address, by its key."""
    return {image.key: f"data:{image.media_type};base64,{b64encode(image.data).decode()}" for image in book.images}
