"""The search box in the header and the menu, by keyboard, by touch and without scripts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.serving import gm
from tests.browser.watching import Watch

PHONE = {"width": 390, "height": 844}
FOUND_MS = 30_000
"""A machine with much to do may take long for the first search."""


@pytest.fixture
def root(two_full_days: Layout, serve: Serve, watch: Watch) -> str:
    """Two days, served."""
    address = serve(two_full_days)
    watch.allow(address)
    return address


@pytest.mark.parametrize("key", ["Control+k", "/"])
def test_a_key_opens_the_box_and_arrows_and_enter_lead_to_what_is_found(key: str, root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "days/index.html"))
    page.keyboard.press(key)
    page.keyboard.type("casey")
    first = page.locator(".hits [role=option]").first
    expect(first).to_contain_text("Casey", timeout=FOUND_MS)
    expect(page.locator(".hits p")).to_contain_text(["People", "Scenes"])
    page.keyboard.press("ArrowDown")
    expect(first).to_have_attribute("aria-selected", "true")
    expect(page.locator("#seek")).to_have_attribute("aria-activedescendant", "seek-hit-1")
    page.keyboard.press("Enter")
    page.wait_for_url("**/agents/casey.html")


def test_escape_closes_the_list_and_enter_alone_shows_everything(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, root)
    page.click("#seek")
    page.keyboard.type("casey")
    expect(page.locator(".hits")).to_be_visible(timeout=FOUND_MS)
    page.keyboard.press("Escape")
    expect(page.locator(".hits")).to_be_hidden()
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=casey")
    expect(page.locator("#people")).to_be_visible()


def test_a_slash_in_a_field_is_a_slash(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "search.html"))
    page.click("#filter-q")
    page.keyboard.type("a/b")
    expect(page.locator("#filter-q")).to_have_value("a/b")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_phone_shows_all_entries_and_the_rest_in_a_menu(scripts: bool, root: str, watch: Watch) -> None:
    page = watch.page(viewport=PHONE, java_script_enabled=scripts)
    page.goto(root)
    entries = page.locator(".top nav > ul > li > :is(a, details)")
    assert entries.count() <= 5
    for entry in entries.all():
        box = entry.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
        assert box["height"] >= 40
    page.click(".top .more summary")
    expect(page.locator(".top .more a").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"] if scripts else True
    first = page.locator(".top .more a").first
    target = first.get_attribute("href") or ""
    first.click()
    page.wait_for_url(re.compile(re.escape(target)))


@pytest.mark.parametrize("scripts", [True, False])
def test_the_box_opens_on_a_phone_and_is_sent_without_scripts(scripts: bool, root: str, watch: Watch) -> None:
    page = watch.page(viewport=PHONE, java_script_enabled=scripts)
    page.goto(root)
    page.click(".seek label")
    page.keyboard.type("casey")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=casey")


def test_a_published_box_leads_to_the_search_of_the_site(two_full_days: Layout, watch: Watch, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(gm("publish", site, "-w", two_full_days.root), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    watch.allow(f"{site.as_uri()}/")
    page = watch.page()
    watch.visit(page, f"{site.as_uri()}/days/index.html")
    page.keyboard.press("/")
    page.keyboard.type("casey")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=casey")
    expect(page.locator("[data-search-people] a").first).to_have_text(re.compile("Casey"))
    expect(page.locator("[data-search-scenes] a").first).to_be_visible()


def test_what_is_found_is_listed_as_text_only(attacked: Layout, serve: Serve, watch: Watch) -> None:
    root = serve(attacked)
    watch.allow(root)
    page = watch.page()
    watch.visit(page, root)
    page.click("#seek")
    for wanted in ("script", "img", "onerror", "svg"):
        page.fill("#seek", wanted)
        page.wait_for_function("wanted => document.querySelector('.hits > a')?.href.endsWith('=' + wanted)", arg=wanted)
        assert page.locator(".hits :is(script, img, svg, iframe, style)").count() == 0
    watch.look(page)
