"""A person takes part, in a real browser: plays a character by its letters, asks another, invites a guest."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gm.api.playing.mailbox import open_letters
from gm.files.layout import Layout
from tests.browser.conftest import Keep, Serve
from tests.browser.serving import gm
from tests.browser.watching import Watch
from tests.stories.playing import records, set_sections

LETTER = "day-001-scene-01-alex"
WIDTHS = (390, 834, 1440)
PHONE = 390
MOST_TABS = 60
SERIOUS = ("serious", "critical")


def advance(layout: Layout) -> int:
    """Go on with the day, Alex by hand; return the exit code."""
    command = gm("advance-day", "-w", layout.root, "--model", "rehearsal", "--as", "alex")
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).returncode


@pytest.fixture
def world(dinner: Layout) -> Layout:
    """A dinner that waits for what Alex does in the morning."""
    set_sections(dinner.settings, "model: rehearsal\nday: {scenes: [1, 2]}\n")
    assert advance(dinner) == 75
    return dinner


@pytest.fixture
def root(world: Layout, serve: Serve, watch: Watch) -> str:
    address = serve(world)
    watch.allow(address)
    return address


def tab_to(page: Page, name: str) -> None:
    """Press Tab until a field, or a button or link with these words, has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        if page.evaluate("([name]) => document.activeElement.name === name", [name]) or (
            page.evaluate("() => document.activeElement.innerText || ''").strip().startswith(name)
        ):
            return
    pytest.fail(f"the keyboard does not reach {name}")


def fill_by_keyboard(page: Page, fields: dict[str, str]) -> None:
    for name, text in fields.items():
        tab_to(page, name)
        page.keyboard.type(text)


def test_a_character_is_played_for_a_scene_by_keyboard_alone(root: str, world: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "mailbox.html"))
    tab_to(page, "Answer")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    fill_by_keyboard(
        page,
        {
            "action": "Alex hangs the coat over the wrong chair.",
            "mood": "wide awake",
            "memories.0.description": "I hung my coat over the wrong chair.",
            "plan.work": "Write the list",
        },
    )
    tab_to(page, "done")
    page.keyboard.press("Space")
    tab_to(page, "Answer")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".notice.good")).to_be_visible()
    assert open_letters(world)[0].is_answered
    assert advance(world) in (0, 75)
    arrival = records(world.day_log(1))[0]
    assert "over the wrong chair" in json.dumps(arrival["actions"])
    assert any("wrong chair" in node["description"] for node in records(world.stream("alex")))


def test_a_letter_appears_on_an_open_page_when_it_is_written(root: str, world: Layout, watch: Watch) -> None:
    page = watch.page()
    with page.expect_response("**/events?*"):
        watch.visit(page, urljoin(root, "mailbox.html"))
    plan = {"mood": "calm", "plan": {"work": ["The list"]}}
    (world.mailbox / f"{LETTER}.answer.json").write_text(json.dumps(plan), encoding="utf-8")
    expect(page.locator(".letters .answered")).to_have_count(1)
    assert advance(world) == 75
    expect(page.locator(".letters li:not(.answered)")).to_have_count(1)
    expect(page.locator(".letters")).not_to_contain_text("Scene 1")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_another_is_asked_and_says_what_came_to_mind(scripts: bool, root: str, world: Layout, watch: Watch) -> None:
    page = watch.page(java_script_enabled=scripts)
    watch.visit(page, urljoin(root, "agents/casey.html"))
    page.click("text=Ask Casey")
    page.fill("[name=text]", "What do you think of <b>garlic</b>?")
    with page.expect_navigation():
        page.click("main form button.main")
    expect(page.locator(".question-put")).to_contain_text("<b>garlic</b>")
    expect(page.locator(".said-here .turn")).to_be_visible()


def test_a_guest_is_invited(root: str, world: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "mailbox.html"))
    page.click("text=Invite a guest")
    page.fill("[name=name]", "Mira Sol")
    page.fill("[name=text]", "You are Mira, the neighbour from below.")
    page.fill("[name=day]", "2")
    with page.expect_navigation():
        page.click("main form button.main")
    expect(page.locator("h1")).to_contain_text("Mira Sol")
    assert "visits:\n- 2" in world.persona("mira-sol").read_text(encoding="utf-8")


def asked(page: Page) -> None:
    """Put a question, and open everything that is folded."""
    page.fill("[name=text]", "What about the oven?")
    with page.expect_navigation():
        page.click("main form button.main")


def unfolded(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true; })")


@pytest.mark.parametrize(
    ("path", "act"),
    [
        ("mailbox.html", unfolded),
        (f"mailbox/{LETTER}.html", unfolded),
        ("ask/casey.html", asked),
        ("visitor.html", unfolded),
    ],
    ids=["mailbox", "letter", "ask", "visitor"],
)
def test_pages_can_be_read_by_all_and_fit_every_screen(
    path: str, act: Callable[[Page], None], root: str, watch: Watch, keep: Keep
) -> None:
    for width in WIDTHS:
        for theme in ("light", "dark") if width == PHONE else ("light",):
            page = watch.page(viewport={"width": width, "height": 900}, color_scheme=theme)
            watch.visit(page, urljoin(root, path))
            act(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            found = Axe().run(page).response["violations"]
            assert not [f"{one['id']}: {one['nodes'][0]['html']}" for one in found if one["impact"] in SERIOUS]
            keep(page, f"taking-part-{path.split('/')[0]}-{width}-{theme}")
