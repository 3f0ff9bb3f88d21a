"""Searching, filtering, leafing and unfolding, as a person does it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import expect

from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.serving import gm
from tests.browser.watching import Watch

WHO = "casey"


@pytest.fixture
def root(two_full_days: Layout, serve: Serve, watch: Watch) -> str:
    """Two days, served."""
    address = serve(two_full_days)
    watch.allow(address)
    return address


def said(layout: Layout) -> str:
    """Return words of a memory that no other one has."""
    texts: list[str] = [
        json.loads(line)["description"] for line in layout.stream(WHO).read_text(encoding="utf-8").splitlines()
    ]
    return max(texts, key=len)[:60].rsplit(" ", 1)[0]


def test_a_search_finds_a_memory_by_its_words(root: str, two_full_days: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "search.html"))
    page.fill("main [name=q]", said(two_full_days))
    page.keyboard.press("Enter")
    expect(page.locator("ol.memories")).to_contain_text(said(two_full_days)[:20])
    watch.look(page)


def test_a_published_search_finds_it_without_a_server(two_full_days: Layout, watch: Watch, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(gm("publish", site, "-w", two_full_days.root, "--all"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    watch.allow(f"{site.as_uri()}/")
    page = watch.page()
    watch.visit(page, f"{site.as_uri()}/search.html")
    page.fill("main [name=q]", said(two_full_days))
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_contain_text(said(two_full_days)[:20])


def test_a_list_of_memories_is_filtered_and_all_are_shown_again(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, f"agents/{WHO}/memories-1.html"))
    everything = page.inner_text(".count >> nth=0")
    page.click(".filter details summary")
    page.fill(".filter [name=least]", "8")
    page.keyboard.press("Enter")
    expect(page.locator(".chosen a").first).to_be_visible()
    assert page.inner_text(".count >> nth=0") != everything
    page.click(".chosen a >> nth=0")
    expect(page.locator(".count").first).to_have_text(everything)


def test_a_tree_opens_down_to_what_was_lived(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, f"agents/{WHO}/reflections.html"))
    below = page.locator(".forest details").first
    expect(below.locator("ul").first).to_be_hidden()
    page.click("[data-tree-open]")
    expect(below.locator("ul").first).to_be_visible()
    page.click("[data-tree-close]")
    expect(below.locator("ul").first).to_be_hidden()
    page.locator(".forest details > summary").first.focus()
    page.keyboard.press("Enter")
    expect(below.locator("ul").first).to_be_visible()


def test_the_contents_of_a_day_mark_the_scene_that_is_read(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "days/001.html"))
    current = page.locator(".contents [aria-current]")
    last = page.locator(".contents a").last
    page.locator(f"[id='{(last.get_attribute('href') or '')[1:]}']").evaluate(
        "scene => window.scrollTo(0, scene.getBoundingClientRect().top + window.scrollY - window.innerHeight / 5)"
    )
    expect(current).to_have_count(1)
    expect(last).to_have_attribute("aria-current", "true")
    page.evaluate("window.scrollTo(0, 0)")
    first = page.locator(".contents a").first
    first.click()
    page.mouse.wheel(0, -60)
    expect(first).to_have_attribute("aria-current", "true")
    expect(current).to_have_count(1)
    watch.look(page)
