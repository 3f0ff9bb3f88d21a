"""Days played on the page: what stands in the files is what the commands would have written."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gm.files.commits.lock import locked
from gm.files.layout import Layout
from tests.browser.conftest import Keep, Serve
from tests.browser.serving import gm
from tests.browser.test_pages import OVERFLOWING, RULES, WIDTHS
from tests.browser.watching import Watch
from tests.stories.playing import tree

DAYS = 3
NOTE = "Leiser, „bitte“ <b>; und # kein Wort über Türen."
START, STOP = "button[value=start]", "button[value=stop]"
SOON_MS = 60_000
"""Days take longer on a busy machine."""
PLAYWRIGHT_MS = 5_000
"""Playwright's own."""


@pytest.fixture(autouse=True, scope="module")
def _patience() -> Iterator[None]:
    expect.set_options(timeout=SOON_MS)
    yield
    expect.set_options(timeout=PLAYWRIGHT_MS)


@pytest.fixture
def root(studio: Layout, serve: Serve, watch: Watch) -> str:
    """A studio before its first day, served, and free to be changed."""
    address = serve(studio)
    watch.allow(address)
    return address


@pytest.fixture
def copy(studio: Layout, tmp_path: Path) -> Layout:
    """The same studio, for the commands."""
    shutil.copytree(studio.root, tmp_path / "copy" / "studio")
    return Layout(tmp_path / "copy" / "studio")


def command(layout: Layout, *more: str, script: str = "") -> None:
    """Play as a command does."""
    line = gm("advance-day", "-w", layout.root, "--model", "rehearsal", *more)
    done = subprocess.run(line, input=script, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


def stage(root: str) -> str:
    return urljoin(root, "play.html")


def begin(page: Page, watch: Watch, root: str, *, days: int = 1, decides: bool = False) -> None:
    """Fill in the form and press its button."""
    watch.visit(page, stage(root))
    page.fill("[name=days]", str(days))
    page.set_checked("[name=decides]", decides)
    page.select_option("[name=model]", "rehearsal")
    page.click(START)


def press(page: Page, step: str, at: int = 0) -> None:
    """Press a button, and wait until the next decision is asked for."""
    turn = page.locator("input[name=turn]").first.input_value()
    page.locator(f"main button[value={step}]").nth(at).click()
    expect(page.locator("input[name=turn]").first).not_to_have_value(turn)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_days_are_played_stopped_and_gone_on_with(
    scripts: bool, root: str, studio: Layout, copy: Layout, watch: Watch
) -> None:
    page = watch.page(java_script_enabled=scripts)
    begin(page, watch, root, days=DAYS)
    page.click(STOP)
    again(page, scripts, START)
    assert page.locator(".notice", has_text="Angehalten").is_visible()
    assert f"Tag {DAYS}" not in page.inner_text(".world")
    expect(page.locator("[name=days]")).to_have_value(str(DAYS))
    page.click(START)
    again(page, scripts, START)
    expect(page.locator(".notice.good")).to_contain_text("Zu Ende gespielt")
    expect(page.locator(".world")).to_contain_text(f"Tag {DAYS}")
    command(copy, "--days", str(DAYS))
    assert tree(studio.root) == tree(copy.root)


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_keys_find_how_it_stands_after_each_step(scripts: bool, root: str, watch: Watch) -> None:
    page = watch.page(java_script_enabled=scripts)
    watch.visit(page, stage(root))
    page.select_option("[name=model]", "rehearsal")
    page.locator("button[value=forecast]").press("Enter")
    expect(page.locator(".forecast")).to_be_focused()
    page.fill("[name=days]", str(DAYS))
    page.locator(START).press("Enter")
    expect(page.locator("#standing")).to_be_focused()
    page.locator(STOP).press("Enter")
    expect(page.locator("#standing")).to_be_focused()
    before = page.locator("#standing").inner_text()  # the focus has it said; what changes later is news
    again(page, scripts, START)
    after = page.locator("#standing").inner_text()
    if scripts and after != before:
        expect(page.locator("#news [data-said]")).to_have_text(after)
    page.fill("[name=typed]", "http://127.0.0.1:9/v1#m")
    watch.expect_status(400)
    page.locator(START).press("Enter")
    expect(page.locator("[role=alert]")).to_be_focused()


def test_a_button_that_is_gone_with_the_run_leaves_the_focus_at_how_it_stands(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, stage(root))
    page.check("[value=scene]")
    page.select_option("[name=model]", "rehearsal")
    page.click(START)
    page.locator(STOP).focus()
    expect(page.locator(START)).to_be_visible()
    expect(page.locator("#standing")).to_be_focused()


def again(page: Page, scripts: bool, wanted: str) -> None:
    """Wait for something on a page that renews itself, or look again until it is there."""
    if scripts:
        expect(page.locator(wanted)).to_be_visible()
        return
    for _ in range(200):
        if page.locator(wanted).count():
            return
        with page.expect_navigation():
            page.click(".again a")
    raise AssertionError(f"{wanted} never appeared")


def test_a_take_of_two_lands_and_a_candidate_is_picked(root: str, studio: Layout, copy: Layout, watch: Watch) -> None:
    page = watch.page()
    begin(page, watch, root, decides=True)
    expect(page.locator(".take")).to_have_count(1)
    page.fill("#replay-text", NOTE)
    press(page, "replay")
    expect(page.locator(".take")).to_have_count(2)
    expect(page.locator(".take .slug bdi").first).to_have_text(NOTE)
    boxes = [page.locator(".take").nth(at).bounding_box() for at in (0, 1)]
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] < boxes[1]["x"]
    press(page, "take")
    press(page, "candidates")
    assert page.locator(".candidate").count() > 2
    press(page, "pick", at=1)
    expect(page.locator(".take")).to_have_count(1)
    page.locator("summary", has_text="Jemanden fragen").click()
    page.select_option("#ask-agent", "vera")
    page.fill("#ask-text", "Was hast du heute vor?")
    press(page, "ask")
    expect(page.locator(".answer")).to_contain_text("Vera")
    page.click("button[value=end]")
    expect(page.locator(START)).to_be_visible()
    script = f"replay {NOTE}\ntake 1\ncandidates\npick 2\nask vera Was hast du heute vor?\nend\n"
    command(copy, "--interactive", script=script)
    assert tree(studio.root) == tree(copy.root)


def test_the_next_scene_alone_is_played(root: str, studio: Layout, copy: Layout, watch: Watch) -> None:
    page = watch.page()
    for count in (1, 2):
        watch.visit(page, stage(root))
        page.check("[name=much][value=scene]")
        page.click(START)
        expect(page.locator(".landed .scene")).to_have_count(count)
        expect(page.locator(START)).to_be_visible()
        command(copy, "--scenes", "1")
        assert tree(studio.root) == tree(copy.root)


def test_a_second_page_sees_the_run_and_leads_to_it(root: str, watch: Watch) -> None:
    page, other = watch.page(), watch.page()
    with other.expect_response("**/events?*"):
        watch.visit(other, root)
    expect(other.locator("#playing a")).to_have_count(0)
    begin(page, watch, root, decides=True)
    other.click("#playing a")
    expect(other.locator(".take")).to_have_count(1)
    page.context.close()
    press(other, "continue")
    expect(other.locator(".landed .scene")).to_have_count(1)
    other.click(STOP)
    expect(other.locator(START)).to_be_visible()


def test_a_run_of_a_terminal_is_seen_as_it_goes_on(root: str, studio: Layout, watch: Watch) -> None:
    page = watch.page()
    with page.expect_response("**/events?*"):
        watch.visit(page, stage(root))
    command(studio, "--scenes", "2")
    expect(page.locator(".landed .scene")).to_have_count(2)
    with locked(studio.lock, "gm advance-day"):
        watch.visit(page, stage(root))
        expect(page.locator("main code")).to_have_text("gm advance-day")
        assert page.locator("main button").count() == 0


def test_each_state_is_free_of_barriers_and_fits_a_phone(root: str, studio: Layout, watch: Watch, keep: Keep) -> None:
    page = watch.page()
    faults: list[str] = []

    def look(name: str) -> None:
        for theme in RULES:
            page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
            found = Axe().run(page, options=RULES[theme]).response["violations"]
            faults.extend(f"{name}, {theme}: {one['id']} {one['nodes'][:2]}" for one in found)
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            faults.extend(f"{name} at {width}: {wide}" for wide in page.evaluate(OVERFLOWING))
            keep(page, f"play-{name}-{width}")

    watch.visit(page, stage(root))
    look("fresh")
    page.click("button[value=forecast]")
    expect(page.locator(".forecast")).to_be_visible()
    look("forecast")
    begin(page, watch, root, decides=True)
    expect(page.locator(".take")).to_have_count(1)
    look("draft")
    page.fill("#replay-text", NOTE)
    press(page, "replay")
    expect(page.locator(".take")).to_have_count(2)
    for summary in page.locator(".deeds summary").all()[1:]:
        summary.click()
    look("takes")
    press(page, "candidates")
    look("candidates")
    page.click(STOP)
    expect(page.locator(START)).to_be_visible()
    look("stopped")
    page.select_option("[name=model]", "mailbox")
    page.click(START)
    expect(page.locator(".notice a.button").first).to_be_visible()
    look("waiting")
    page.click(STOP)
    watch.expect_status(400)
    page.fill("[name=typed]", "http://127.0.0.1:9/v1")
    page.click(START)
    expect(page.locator("[role=alert]")).to_be_visible()
    look("refused")
    page.fill("[name=typed]", "claude-sonnet-4-5")
    page.click(START)
    expect(page.locator(".notice.bad")).to_be_visible()
    assert re.search("ANTHROPIC_API_KEY", page.inner_text(".notice.bad"))
    look("failed")
    with locked(studio.lock, "gm advance-day"):
        watch.visit(page, stage(root))
        look("elsewhere")
    assert faults == []
