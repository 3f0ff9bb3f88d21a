"""Help: the documentation beside the pages of a world."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from gm.base.markup.html import render_html
from gm.base.packed import read_packed
from gm.cli.reference import PAGES_OF_COMMANDS
from gm.faces.web.pages.help import _read_pages, plain_markdown
from gm.faces.web.publish import prepare_site
from gm.files.layout import Layout
from tests.docs.pages import DOCS, anchors_of, doc_pages
from tests.faces.web.conftest import Browse
from tests.faces.web.links import read_page

NAMES = [path.relative_to(DOCS).with_suffix("").as_posix() for path in doc_pages()]


def test_help_is_in_the_menu_and_lists_every_page(dinner: Layout, browse: Browse) -> None:
    client = browse(dinner)
    assert 'href="help/index.html"' in client.get("/index.html").text
    linked = {normpath(join("help", unquote(link))) for _, link in read_page(client.get("/help/index.html").text).links}
    assert {f"help/{name}.html" for name in NAMES} <= linked


def test_every_page_is_shown_and_every_link_of_it_answers(dinner: Layout, browse: Browse) -> None:
    client = browse(dinner)
    pages = {}
    for name in NAMES:
        answer = client.get(f"/help/{name}.html")
        assert answer.status_code == 200, name
        assert "<!--" not in answer.text.partition("<main")[2]
        pages[f"help/{name}.html"] = read_page(answer.text)
    answered = set(pages)
    for path, page in pages.items():
        assert page.inline == []
        assert page.headings[0] == 1
        assert {place for place in page.places if page.places.count(place) > 1} == set(), path
        assert anchors_of(DOCS / path.removeprefix("help/").replace(".html", ".md")) <= {*page.places}
        for tag, link in page.links:
            parts = urlsplit(link)
            if tag != "a" or parts.scheme:
                continue
            target = normpath(join(dirname(path), unquote(parts.path))) if parts.path else path
            if target not in answered:
                assert client.get(f"/{target}").status_code == 200, (path, link)
                answered.add(target)
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].places, (path, link)


@pytest.mark.parametrize(
    "path", ["none", "how-to/none", "none/none", "reference/..%2fcommands", "..%2fREADME", "conf", "reference/none/x"]
)
def test_a_page_that_there_is_not_is_not_found(path: str, dinner: Layout, browse: Browse) -> None:
    assert browse(dinner).get(f"/help/{path}.html").status_code == 404


def test_a_published_site_has_no_help(dinner: Layout, tmp_path: Path) -> None:
    contents = prepare_site(dinner, tmp_path / "site", frozenset()).contents
    assert not any("help/" in path for path in contents)
    assert b"help/index.html" not in contents["index.html"]


def test_help_is_english_also_in_a_german_world(studio: Layout, browse: Browse) -> None:
    page = browse(studio).get("/help/reference/settings.html").text
    assert '<html lang="de">' in page
    assert '<div class="manual" lang="en">' in page
    assert ">Hilfe</a>" in page


def test_what_only_sphinx_reads_is_left_out_and_code_stays() -> None:
    text = "# A\n\n<!-- not run: key -->\n```console\n$ cat <!-- x -->\n```\n\n```{toctree}\n:glob:\na/*\n```\n\nEnd\n"
    assert plain_markdown(text).split() == ["#", "A", "```console", "$", "cat", "<!--", "x", "-->", "```", "End"]


def test_headings_have_anchors_only_where_that_is_asked_for() -> None:
    assert render_html("# A `b` c\n# A b c\n", base_level=0, anchors=True) == (
        '<h1 id="a-b-c">A <code>b</code> c</h1>\n<h1 id="a-b-c-1">A b c</h1>\n'
    )
    assert "id=" not in render_html("# A", base_level=0)
    assert "<script" not in render_html("# A <script>", anchors=True)


def test_pages_that_do_not_come_with_an_installed_gm_are_made_the_same(tmp_path: Path, monkeypatch: Any) -> None:
    spec = spec_from_file_location("hatch_build", DOCS.parent / "hatch_build.py")
    assert spec
    assert spec.loader
    build = module_from_spec(spec)
    spec.loader.exec_module(build)
    packed = tmp_path / "docs.tar.xz"
    packed.write_bytes(build.pack(DOCS, "*.md"))
    monkeypatch.setattr("gm.faces.web.pages.help.shipped_docs", lambda: read_packed(packed, tmp_path / "no"))
    monkeypatch.setattr("gm.faces.web.pages.help.COMMAND_PAGES", PAGES_OF_COMMANDS)
    made = _read_pages.__wrapped__()
    assert {*made} == {*NAMES}
    assert {name: text for name, text in made.items() if f"{name}.md" in build.MADE} == {
        name.removesuffix(".md"): (DOCS / name).read_text(encoding="utf-8") for name in build.MADE
    }
