"""Markdown of any origin becomes HTML that can do nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gm.base.markup.html import render_html

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](&#106;avascript:alert(1))",
    "<javascript:alert(1)>",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](//evil.example/a)",
    "![x](http://evil.example/a.png)",
    "![x](//evil.example/a.png)",
    "![x](/etc/passwd)",
    "![x](../../secret.png)",
    "![x](file:///etc/passwd)",
    '[x](http://a.example "\\" onmouseover=\\"alert(1)")',
    "`<script>`\n\n    <script>\n\n```<script>\n<script>\n```",
    "a\u202eb\u2066c\u200bd\x00e\x1b[31m \ud800 &#x202e; &#0;",
    "{{ 7 * 7 }} {% raw %}",
    "> " * 300 + "tief",
    "*a **b " * 300,
    "[" * 400 + "](",
    "x" * 10_000,
    "|a|b|\n|:-|-:|\n|<b>|`<i>`|\n",
    "<style>*{color:red}</style><iframe src='http://a.example'></iframe>",
    "<svg onload=alert(1)><a xlink:href='javascript:alert(1)'>",
]


class Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


ALLOWED = {
    *("p", "h2", "h3", "h4", "h5", "h6", "em", "strong", "s", "code", "pre", "blockquote", "ul", "ol", "li", "hr"),
    *("br", "a", "table", "thead", "tbody", "tr", "th", "td"),
}
MARKUP = st.lists(
    st.one_of(
        st.sampled_from(
            [*ATTACKS, "# ", "\n", "\n\n", "> ", "- ", "1. ", "*", "**", "`", "```\n", "|", "|-|-|\n", "](", "!["]
        ),
        st.text(max_size=12),
    ),
    max_size=12,
).map("".join)


@given(MARKUP)
@example("".join(ATTACKS))
def test_no_text_gets_anything_but_harmless_tags_through(text: str) -> None:
    html = render_html(text)
    html.encode("utf-8")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]", html)
    for tag, attributes in Reader(html).tags:
        assert tag in ALLOWED
        assert set(attributes) <= {"href", "rel", "start", "class"}
        href = attributes.get("href") or "#"
        assert href.lower().startswith(("http://", "https://", "mailto:", "#"))
        assert (tag == "a") <= (attributes.get("rel") == "noopener noreferrer")
        assert attributes.get("class") in (None, "align-left", "align-center", "align-right")


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_alone_becomes_text(attack: str) -> None:
    tags = Reader(render_html(attack)).tags
    assert not {tag for tag, _ in tags} & {"script", "img", "iframe", "svg", "style"}
    assert not any("javascript:" in str(attributes.get("href", "")).lower() for _, attributes in tags)


def test_raw_html_is_shown_as_it_was_written() -> None:
    assert render_html("ein <b>Wort</b>") == "<p>ein &lt;b&gt;Wort&lt;/b&gt;</p>\n"


def test_headings_stand_below_the_heading_of_the_page() -> None:
    assert render_html("# A\n\n## B") == "<h2>A</h2>\n<h3>B</h3>\n"
    assert render_html("# A\n\n###### B", base_level=3) == "<h4>A</h4>\n<h6>B</h6>\n"


def test_a_picture_is_shown_only_when_the_caller_knows_it() -> None:
    known = {"bild ä.png": "../gallery/bild.png"}
    assert render_html("![Ein *Bild*](<bild ä.png>)", pictures=known.get) == (
        '<p><img src="../gallery/bild.png" alt="Ein Bild" loading="lazy"></p>\n'
    )
    assert render_html("![Ein *Bild*](anderes.png)", pictures=known.get) == "<p>Ein Bild</p>\n"


def test_an_address_the_caller_gives_is_no_way_out_of_its_attribute() -> None:
    html = render_html("![a](b)", pictures=lambda _: '"><script>alert(1)</script>')
    assert all(tag in ("p", "img") for tag, _ in Reader(html).tags)


def test_a_link_leads_only_where_it_may() -> None:
    assert 'href="https://example.org/"' in render_html("[x](https://example.org/)")
    assert 'href="#ort"' in render_html("[x](#ort)")
    assert render_html("[x](andere.md)") == "<p>x</p>\n"
    assert 'href="../a.html"' in render_html("[x](andere.md)", links={"andere.md": "../a.html"}.get)


def test_tables_keep_their_alignment_as_a_class() -> None:
    assert '<td class="align-right">1</td>' in render_html("|a|\n|-:|\n|1|")


def test_emoji_keep_their_joiners_and_words_lose_them() -> None:
    assert "👩\u200d🎨" in render_html("👩\u200d🎨")
    assert render_html("Wo\u200drt") == "<p>Wort</p>\n"
