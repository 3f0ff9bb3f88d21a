"""The pages of a world of thirty days, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from pypdf import PdfReader

from gm.api.answers.speech import load_words
from gm.faces.web.pages import KINDS
from gm.files.layout import Layout
from tests.browser.conftest import Keep, Serve
from tests.browser.crawling import FORM, crawl
from tests.browser.samples import expected, find_samples
from tests.browser.watching import Watch

WIDTHS = {390: 844, 834: 1112, 1440: 900}
MOST = {"memory": 10, "piece": 10, "trees": 4, "diary_page": 4}
RULES: dict[str, dict[str, object]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {
        "resultTypes": ["violations"],
        "runOnly": ["color-contrast", "link-in-text-block"],
    },
}
"""What is looked for; the other theme differs in nothing but colours."""
PRINTED = ("today", "day", "agent", "piece", "graphs", "memories")
TABS = 60
OVERFLOWING = """() => {
    const clipped = element => element.parentElement
        && (getComputedStyle(element.parentElement).overflowX !== "visible" || clipped(element.parentElement));
    return [...document.body.querySelectorAll("*")]
        .filter(element => element.getBoundingClientRect().right > innerWidth + 1 && !clipped(element))
        .map(element => `${element.tagName}.${element.className} ${element.textContent.trim().slice(0, 40)}`).slice(-3);
}"""
FOCUSED = """() => {
    const element = document.activeElement;
    // the mark may be drawn around a whole card, by what stands behind its link, or within the editor around its text
    const styles = [null, "::before", "::after"].map(part => getComputedStyle(element, part));
    for (let inner = element.shadowRoot?.activeElement; inner; inner = inner.parentElement) {
        styles.push(getComputedStyle(inner));
    }
    const box = element.getBoundingClientRect();
    return {
        what: `${element.tagName} ${(element.textContent || element.name || "").trim().slice(0, 40)}`,
        where: element.closest("main") ? "main" : element.closest("nav") ? "nav" : "frame",
        body: element === document.body,
        skip: element.matches("a.skip, a[href='#main']"),
        shown: box.width > 0 && box.height > 0 && box.right > 0 && box.bottom > 0,
        marked: styles.some(style => style.boxShadow !== "none"
            || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0)),
    };
}"""

UNPAINTED = """[...document.querySelectorAll('main svg rect')]
    .filter(part => part.classList.length && getComputedStyle(part).fill === 'rgb(0, 0, 0)')
    .map(part => part.parentElement.outerHTML)"""
"""Bars of our own drawings that no style sheet paints: they would be black."""


@pytest.fixture
def root(month: Layout, serve: Serve, watch: Watch) -> str:
    """The month, served, and watched pages that may ask for it."""
    address = serve(month)
    watch.allow(address)
    return address


@pytest.fixture
def samples(month: Layout, root: str) -> dict[str, str]:
    """A page of each kind."""
    found = find_samples(month, root)
    assert pages_of(found) == existing(month)
    return found


def pages_of(kinds: Iterable[str]) -> set[str]:
    """Leave out forms."""
    return {name for name in kinds if not name.startswith(FORM)}


def existing(layout: Layout) -> set[str]:
    """Name the kinds of pages that a world has."""
    listed = expected(layout)
    return {kind.name for kind in KINDS if listed.get(kind.name, True)}


def test_every_page_opens_without_a_fault_and_is_reached_by_links(month: Layout, root: str, watch: Watch) -> None:
    opened = crawl(watch, watch.page(), root, most=MOST)
    assert pages_of(opened) == existing(month)
    reached = {name: {address.removeprefix(root) for address in found} for name, found in opened.items()}
    for name, paths in expected(month).items():
        assert len(set(paths) & reached.get(name, set())) == min(len(paths), MOST.get(name, len(paths))), name


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_kind_of_page_has_a_serious_barrier(theme: str, samples: dict[str, str], watch: Watch) -> None:
    page = watch.page(color_scheme=theme)
    axe = Axe()
    barriers = []
    for kind, address in samples.items():
        watch.visit(page, address)
        for found in axe.run(page, options=RULES[theme]).response["violations"]:
            if found["impact"] in ("serious", "critical"):
                places = [" ".join(map(str, node["target"])) for node in found["nodes"][:3]]
                barriers.append(f"{kind}: {found['id']} ({found['impact']}, {len(found['nodes'])}): {places}")
    assert barriers == []


def test_pages_fit_phones_tablets_and_desks(samples: dict[str, str], watch: Watch, keep: Keep) -> None:
    page = watch.page()
    wide = []
    plain = []
    for kind, address in samples.items():
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            if width == min(WIDTHS):
                watch.visit(page, address)
            wide += too_wide(page, f"{kind} at {width}")
            keep(page, f"{kind}-{width}")
        plain += [f"{kind}: {found}" for found in page.evaluate(UNPAINTED)]
    assert wide == []
    assert plain == []


def too_wide(page: Page, what: str) -> list[str]:
    if page.evaluate("document.documentElement.scrollWidth <= innerWidth"):
        return []
    return [f"{what}: {page.evaluate(OVERFLOWING)}"]


SAID = """() => {
    const main = document.querySelector("main").cloneNode(true);
    // what a drawing says, and what steers it, is said by the text beside it
    const steering = "svg, canvas, script, template, label, select, button, [hidden], [data-place]";
    for (const element of main.querySelectorAll(steering)) element.remove();
    return main.textContent;
}"""


def words(page: Page) -> set[str]:
    return set(re.findall(r"\w+", str(page.evaluate(SAID))))


SAYS = load_words("en", "gm.faces.web")
OF_THE_EDITOR = set(re.findall(r"\w+", f"{SAYS('edit.file.keys')} {SAYS('editor.none')} {SAYS('editor.label')}"))
"""What only the editor says, which needs scripts: the keys that it takes, and what it has found."""


def test_pages_say_everything_without_scripts(samples: dict[str, str], watch: Watch) -> None:
    scripted, bare = watch.page(), watch.page(java_script_enabled=False)
    missing = {}
    for kind, address in samples.items():
        watch.visit(scripted, address)
        bare.goto(address)
        assert bare.inner_text("main").strip(), kind
        missing[kind] = sorted(words(scripted) - words(bare) - (OF_THE_EDITOR if kind == f"{FORM}file" else set()))[:20]
    assert {kind: found for kind, found in missing.items() if found} == {}


def test_everything_is_reached_by_keyboard_and_seen_there(samples: dict[str, str], watch: Watch) -> None:
    page = watch.page()
    for kind, address in samples.items():
        watch.visit(page, address)
        page.keyboard.press("Tab")
        first = page.evaluate(FOCUSED)
        assert first["skip"], (kind, first)
        assert first["shown"], (kind, first)
        way = []
        for _ in range(TABS):
            page.keyboard.press("Tab")
            found = page.evaluate(FOCUSED)
            if found["body"] or found["skip"]:
                break
            assert found["shown"], (kind, found)
            if not found["marked"]:  # the editor marks itself a moment after it has the focus
                page.wait_for_function(f"() => ({FOCUSED})().marked")  # a function: pages forbid eval
            way.append(found["where"])
        assert "nav" in way, kind
        assert "main" not in way or way.index("nav") < way.index("main"), kind
        if page.locator("main :is(a[href], button, input, select)").count():
            assert "main" in way, kind


def test_the_skip_link_leads_to_what_the_page_is_about(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, root)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('header.top') === null")


def test_light_and_dark_can_be_chosen_and_are_kept(root: str, samples: dict[str, str], watch: Watch) -> None:
    page = watch.page(color_scheme="light")
    watch.visit(page, root)
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("[data-theme-switch]")
    dark = page.evaluate(background)
    assert dark != light
    watch.visit(page, samples["gallery"])
    assert page.evaluate(background) == dark
    page.click("[data-theme-switch]")
    assert page.evaluate(background) == light


def test_who_wants_no_motion_gets_none(samples: dict[str, str], watch: Watch) -> None:
    page = watch.page(reduced_motion="reduce")
    for kind, address in samples.items():
        watch.visit(page, address)
        moving = page.evaluate(
            "document.getAnimations().filter(one => one.effect.getComputedTiming().duration > 20).length"
        )
        assert moving == 0, kind
        assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto", kind


def test_pages_can_be_printed(samples: dict[str, str], watch: Watch) -> None:
    page = watch.page()
    for kind, address in samples.items():
        watch.visit(page, address)
        page.emulate_media(media="print")
        assert not page.locator("header.top nav").is_visible(), kind
        assert page.locator("main").is_visible(), kind
        if kind in PRINTED:
            heading = page.inner_text("h1")
            text = " ".join(PdfReader(BytesIO(page.pdf())).pages[0].extract_text().split())
            assert heading.split()[0] in text, kind
        page.emulate_media(media="screen")
