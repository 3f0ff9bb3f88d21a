"""Graphs are drawn under the strict policy, follow the window, and can be gone through by keyboard."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from playwright.sync_api import Locator, Page, expect

from gm.faces.web.paths import fill_path
from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.watching import Watch

WORLD = ("relationships", "meetings", "accumulators", "importance", "tags")


@pytest.fixture
def root(week: Layout, serve: Serve, watch: Watch) -> str:
    address = serve(week)
    watch.allow(address)
    return address


@pytest.fixture
def graphs(root: str, watch: Watch) -> Page:
    page = watch.page(viewport={"width": 1200, "height": 900})
    watch.visit(page, f"{root}graphs.html")
    all_drawn(page)
    return page


def all_drawn(page: Page) -> None:
    expect(page.locator("figure[data-chart]:not([data-drawn=yes])")).to_have_count(0)


def heard(figure: Locator) -> str:
    return figure.locator("[aria-live]").inner_text()


def test_every_graph_is_drawn_and_its_table_steps_back(graphs: Page) -> None:
    for kind in WORLD:
        figure = graphs.locator(f"#{kind}")
        assert figure.locator("svg text").count() > 3, kind
        expect(figure.locator("details[data-numbers]")).not_to_have_attribute("open", "")


def test_a_drawing_follows_the_width_of_the_window(graphs: Page) -> None:
    graphs.set_viewport_size({"width": 500, "height": 900})
    for kind in WORLD:
        place, picture = graphs.locator(f"#{kind} [data-place]"), graphs.locator(f"#{kind} svg")
        wide = place.evaluate("element => element.clientWidth")
        expect(picture).to_have_attribute("width", str(wide))


def test_arrow_keys_say_what_is_drawn_and_enter_goes_there(graphs: Page) -> None:
    meetings = graphs.locator("#meetings")
    meetings.locator(".chart-canvas").focus()
    graphs.keyboard.press("ArrowRight")
    first = heard(meetings)
    graphs.keyboard.press("ArrowRight")
    assert "Szene" in first
    assert heard(meetings) not in ("", first)
    people = graphs.locator("#relationships")
    people.locator(".chart-canvas").focus()
    graphs.keyboard.press("ArrowDown")
    assert heard(people).startswith("Darius")
    graphs.keyboard.press("Enter")
    graphs.wait_for_url("**/agents/darius.html")


def test_fewer_days_show_fewer_meetings(graphs: Page) -> None:
    def total() -> int:
        texts = graphs.locator("#meetings svg text").all_text_contents()
        return sum(int(text) for text in texts if text.isdigit())

    whole = total()
    graphs.locator("#meetings select").last.select_option("0")
    assert 0 < total() < whole


def test_a_characters_view_shows_what_is_said(graphs: Page) -> None:
    figure = graphs.locator("#relationships")
    figure.locator("select").select_option(label="was Vera von anderen hält")
    said = " ".join(figure.locator("svg text").all_text_contents())
    assert "+0,30" in said


def test_insights_fold_and_unfold_and_lead_to_memories(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, f"{root}agents/vera/graphs.html")
    all_drawn(page)
    tree = page.locator("#tree-vera")
    lines = tree.locator("svg text")
    before = lines.count()
    tree.locator(".chart-canvas").focus()
    page.keyboard.press("ArrowDown")
    name = heard(tree).partition(":")[0]
    page.keyboard.press(" ")
    expect(lines).not_to_have_count(before)
    page.keyboard.press("Enter")
    page.wait_for_url("**/memory/**")
    assert name in unquote(page.url)


def test_texts_that_attack_are_drawn_as_texts(attacked: Layout, serve: Serve, watch: Watch) -> None:
    address = serve(attacked)
    watch.allow(address)
    page = watch.page()
    own = [fill_path("agents/{agent}/graphs.html", {"agent": agent}) for agent in attacked.agent_names()]
    for path in ("graphs.html", *own):
        watch.visit(page, f"{address}{path}")
        all_drawn(page)
        for figure in page.locator("figure[data-chart] .chart-canvas").all():
            figure.focus()
            for _ in range(3):
                page.keyboard.press("ArrowRight")
        watch.look(page)
