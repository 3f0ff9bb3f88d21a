"""The documentation, beside the pages of the world. Live only.

Its pages are looked up among those that come with gm: no part of an address ever becomes a path.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from posixpath import dirname, join, normpath, split

from markupsafe import Markup

from gm.base.markup.html import render_html
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.paths import relative
from gm.faces.web.site import NoPageError, Site
from gm.files.packaged.shipped import shipped_docs

FIRST = "index"
COMMAND_PAGES: dict[str, Callable[[], str]] = {}
"""The pages about commands and their answers, by name; the command that serves pages puts them here."""
PARTS = ("", "how-to", "explanation", "reference", "adr")
"""Folders of the documentation, in the order of the list of pages."""
_FENCED = re.compile(r"^(?P<fence>```+|~~~+)(?P<info>.*)\n(?:.*\n)*?(?P=fence)[ \t]*$", re.MULTILINE)
_COMMENT = re.compile(r"^<!--.*?-->[ \t]*$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"^# +(.+)$", re.MULTILINE)


def show_help(_site: Site, section: str = "", topic: str = FIRST) -> Shown:
    """Show one page, and the list of all."""
    name = join(section, topic)
    texts = _read_pages()
    if name not in texts and name != FIRST:
        raise NoPageError(name)
    here = _path(name)
    groups = [
        (
            group.capitalize().replace("-", " "),
            [(relative(_path(one), here), _find_title(one, texts[one])) for one in names],
        )
        for group in PARTS
        if (names := [one for one in texts if dirname(one) == group])
    ]
    return {
        "title": _find_title(name, texts.get(name, "# Help")),
        "body": _render_help(name) if name in texts else "",
        "groups": groups,
        "here": relative(here, here),
        "renews": False,
    }


@cache
def _read_pages() -> Mapping[str, str]:
    """Return all pages by name (``how-to/in-git``), indexes first."""
    texts = {path.removesuffix(".md"): text for path, text in shipped_docs().items() if dirname(path) in PARTS}
    if "reference/files" not in texts:
        texts |= _make_pages()
    return {name: texts[name] for name in sorted(texts, key=_rank)}


def _make_pages() -> Mapping[str, str]:
    """Return the pages that do not come with an installed gm (``hatch_build.py``), since it can make them."""
    from gm.api.reference.filepages import render_files, render_personas, render_schemas
    from gm.api.reference.manual import render_manual
    from gm.api.reference.public import render_api

    made = {
        "api": render_api,
        "files": render_files,
        "personas": render_personas,
        "schemas": render_schemas,
        "settings": render_manual,
    }
    return {f"reference/{name}": render() for name, render in {**made, **COMMAND_PAGES}.items()}


def _rank(name: str) -> tuple[int, bool, str]:
    part, stem = split(name)
    return PARTS.index(part), stem != FIRST, stem


@cache
def _render_help(name: str) -> Markup:
    """Return a page without what only Sphinx reads: tables of contents, comments."""
    links = partial(_link, name)
    html = render_html(plain_markdown(_read_pages()[name]), base_level=0, links=links, anchors=True)
    return Markup(html)  # sanitised by gm.base.markup


def plain_markdown(text: str) -> str:
    """Return Markdown without directives and comments; code stays as it is."""
    pieces, at = [], 0
    for found in _FENCED.finditer(text):
        pieces.append(_COMMENT.sub("", text[at : found.start()]))
        pieces.append("" if found["info"].lstrip().startswith("{") else found[0])
        at = found.end()
    return "".join([*pieces, _COMMENT.sub("", text[at:])])


def _find_title(name: str, text: str) -> str:
    found = _TITLE.search(text)
    return found[1].replace("`", "").strip() if found else name


def _link(page: str, written: str) -> str | None:
    path, _, anchor = written.partition("#")
    target = normpath(join(dirname(page), path)).removesuffix(".md")
    if not path.endswith(".md") or target not in _read_pages():
        return None
    return relative(_path(target), _path(page)) + (f"#{anchor}" if anchor else "")


def _path(name: str) -> str:
    return f"help/{name}.html"


_KIND = PageKind("help", f"help/{FIRST}.html", "help", show_help, is_live=True)
HELP = (
    _KIND,
    PageKind("help_topic", "help/{topic}.html", "help", show_help, is_live=True, template="help.html"),
    PageKind("help_part", f"help/{{section}}/{FIRST}.html", "help", show_help, is_live=True, template="help.html"),
    PageKind("help_in_part", "help/{section}/{topic}.html", "help", show_help, is_live=True, template="help.html"),
)
"""Routes are tried in this order."""
