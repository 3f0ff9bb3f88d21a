"""Render pages. All that a template shows is escaped, unless ``gm.base.markup`` made it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache, partial
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from jinja2 import DictLoader, Environment, FileSystemBytecodeCache, StrictUndefined, compiler
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from gm.api.answers.speech import Words
from gm.api.views.graphs.base import COLOURS
from gm.base.markup.clean import js_value
from gm.base.markup.html import render_prose
from gm.base.packed import read_packed
from gm.faces.web.pages import BY_NAME
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.paths import anchor_of, file_path, fill_path, piece_key, portrait_path, relative
from gm.faces.web.site import Site
from gm.faces.web.translated_errors import retell, translate_problem
from gm.files.experiments.sweeps.folder import sweep_of
from gm.layers import LAYERS

TEMPLATES = Path(__file__).with_name("templates")
"""A folder in a checkout, one packed file in a wheel (``hatch_build.py``)."""
_HALVES = re.compile("[\ud800-\udfff]")
"""Lone surrogates: possible in JSON (``\\ud83d``) and file names, not in a page."""
PUBLISHED_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'"
)
"""The part of ``app.POLICY`` that a page can state itself, without a server."""
PRIMARY = ("today", "play", "days", "agents")
MORE = (
    ("mailbox", "threads", "arcs", "gallery"),
    ("graphs", "changes", "history", "logbook", "search"),
    ("evaluation", "experiment", "cost"),
    ("make", "files", "help"),
)
"""Entries of the navigation, by the page that each leads to: those in sight, and the groups of those in the menu."""


def render_page(site: Site, kind: PageKind, path: str, variables: Mapping[str, Any]) -> str:
    """Render one page."""
    own = {"section": kind.section, "watches": _list_watched(site, kind)}
    return render_template(site, kind.file, path, {**variables, **own})


def _list_watched(site: Site, kind: PageKind) -> list[str]:
    layout, layers = site.layout, {layer.name: layer for layer in LAYERS}
    return [
        layout.shown(layout.layer_folder(layers[name]) if name in layers else getattr(layout, name))
        for name in kind.watches
    ]


def render_template(site: Site, template: str, path: str, variables: Mapping[str, Any]) -> str:
    """Render a template that is not a kind of page: an error, an answer to a form."""
    around = {
        "site": site,
        "frame": site.frame,
        "t": site.words,
        "live": site.live,
        "editable": site.editable,
        "link": partial(_make_link, site, path),
        "file": partial(relative, start=path),
        "has_page": partial(has_page, site),
        "memory_link": partial(_memory_link, site, path),
        "tag_link": partial(_tag_link, site, path),
        "form": partial(_form, path),
        "colour": partial(_colour, site),
        "place": site.place,
        "logged": site.logged,
        "type_name": site.type_name,
        "time_name": partial(site.words.known, "time_of_day"),
        "place_name": site.frame.place_name,
        "signed": partial(format_signed, site.words),
        "pieces": {},
        "primary": [name for name in PRIMARY if has_page(site, name)],
        "more": [names for group in MORE if (names := [name for name in group if _is_listed(site, name)])],
        "picture_of": partial(_picture_of, site, path),
        "path": path,
        "policy": PUBLISHED_POLICY,
        "section": "",
        "watches": (),
        "renews": site.live,
        "saved": "",
    }
    return _HALVES.sub("\ufffd", _environment().get_template(template).render({**around, **variables}))


def render_bare(template: str, words: Words, variables: Mapping[str, Any]) -> str:
    """Render a template that is about no world."""
    return _HALVES.sub("\ufffd", _environment().get_template(template).render({"t": words, **variables}))


def page_path(name: str, **params: object) -> str:
    """Return the canonical path of a page by the name of its kind; a day is a number, other parameters are texts."""
    return fill_path(BY_NAME[name].pattern, params)


def has_page(site: Site, name: str) -> bool:
    """Return whether a site has pages of a kind: some exist only live, some are hidden."""
    kind = BY_NAME.get(name)
    return kind is not None and (site.live or not kind.is_live) and kind.private not in site.hidden


def _is_listed(site: Site, name: str) -> bool:
    """Return whether the menu has a page: that of the experiment only in a run of one."""
    return has_page(site, name) and (name != "experiment" or sweep_of(site.layout) is not None)


def _make_link(site: Site, here: str, name: str, anchor: str = "", **params: object) -> str:
    if not has_page(site, name):
        raise LookupError(f"this site has no pages of the kind {name!r}")
    return relative(page_path(name, **params), here) + (f"#{anchor}" if anchor else "")


def _memory_link(site: Site, here: str, identifier: str) -> str:
    """To the memory's own page, or its place in a list; empty without either."""
    owner = site.owner_of(identifier)
    if owner is None:
        return ""
    if has_page(site, "memory"):
        return relative(page_path("memory", agent=owner, node=identifier), here)
    page = site.page_of(owner, identifier)
    if page is None or not has_page(site, "memories"):
        return ""
    return f"{relative(page_path('memories', agent=owner, page=page), here)}#{anchor_of(identifier)}"


def _tag_link(site: Site, here: str, tag: str, agent: str = "") -> str:
    if agent and site.live and has_page(site, "memories"):
        return f"{relative(page_path('memories', agent=agent, page=1), here)}?{urlencode({'tag': tag})}"
    if not has_page(site, "search"):
        return ""
    return f"{relative(page_path('search'), here)}?{urlencode({'tag': tag})}"


def _form(here: str, pattern: str, **params: object) -> str:
    return relative(fill_path(pattern, params), here)


def _colour(site: Site, agent: str) -> str:
    character = site.frame.shown_agent(agent)
    if character is None:
        return "agent-0"
    return f"agent-{character.number if character.colour else (character.number - 1) % COLOURS + 1}"


def _picture_of(site: Site, here: str, agent: str) -> str:
    """To a character's picture; empty without one."""
    character = site.frame.shown_agent(agent)
    path = portrait_path(character) if character else ""
    return relative(path, here) if path else ""


def format_signed(words: Words, value: float) -> str:
    """Return a number with its sign and at most two digits after the point."""
    digits = 0 if float(value).is_integer() else 1 if float(value * 10).is_integer() else 2
    return words.signed(value, digits)


def json_block(value: object) -> Markup:
    """Return data for ``<script type="application/json">``; no text in it can end the element."""
    return Markup(js_value(value))


def mark_spans(text: str, spans: Sequence[tuple[int, int]]) -> Markup:
    """Return escaped text with marked spans: begin and end in characters, in order."""
    pieces, at = [], 0
    for begin, end in spans:
        pieces += [escape(text[at:begin]), Markup("<mark>{}</mark>").format(text[begin:end])]
        at = end
    return Markup("").join([*pieces, escape(text[at:])])


def make_ready(pause: Callable[[], object] = lambda: None) -> None:
    """Compile all templates ahead of the first request; ``pause`` is called before each."""
    for name in _environment().list_templates(extensions=["html"]):
        pause()
        _environment().get_template(name)


class _ByteCode(FileSystemBytecodeCache):
    """Byte code of templates, kept beside this module's own, as Python keeps that: not where it is told to keep none.

    It is taken for the same text, compiler and environment only.
    """

    def __init__(self) -> None:
        super().__init__(str(Path(cache_from_source(__file__)).parent), "template-%s.cache")
        self._made_by = "-".join(str(Path(file).stat().st_mtime_ns) for file in (compiler.__file__, __file__))

    def get_source_checksum(self, source: str) -> str:
        return f"{super().get_source_checksum(source)}-{self._made_by}"

    def dump_bytecode(self, bucket: Bucket) -> None:
        if not sys.dont_write_bytecode:
            with suppress(OSError):  # a folder that only an administrator may write to: each process compiles
                super().dump_bytecode(bucket)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=DictLoader(read_packed(TEMPLATES.with_name("templates.tar.xz"), TEMPLATES, ends=".html")),
        bytecode_cache=_ByteCode(),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["json_block"] = json_block
    environment.filters["marked"] = mark_spans
    environment.filters["retell"] = retell
    environment.filters["sum_up"] = translate_problem
    environment.filters["prose"] = lambda text: Markup(render_prose(text))  # sanitised by gm.base.markup
    environment.globals |= {"key": piece_key, "file_path": file_path}
    return environment
