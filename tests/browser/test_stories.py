"""The pages that read like a book, in a real browser, on a telephone and at a desk, by day and by night."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from tests.api.views.story import make_story
from tests.browser.conftest import Serve

PATHS = ("arcs.html", "arcs/thread-001.html", "agents/ada/days.html", "agents/bo/with/cy.html", "days/004.html")


@pytest.mark.parametrize(("width", "scheme"), [(390, "dark"), (1440, "light")])
def test_stories_fit_and_have_no_serious_findings(
    browser: Browser, serve: Serve, tmp_path: Path, width: int, scheme: str
) -> None:
    first = serve(make_story(tmp_path / "story"))
    page = browser.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)  # type: ignore[arg-type]
    for path in PATHS:
        page.goto(first + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [item["id"] for item in found if item["impact"] in ("serious", "critical")] == [], path
    page.goto(first + "threads.html")
    page.get_by_role("link", name="the whole story").first.press("Enter")
    assert "/arcs/thread-" in page.url
    page.close()
