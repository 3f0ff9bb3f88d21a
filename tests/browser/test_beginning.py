"""A person makes a world, opens its pages, goes back and apart: by mouse, and by keyboard alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gm.api.worlds.new import Sketch, new_world, read_named
from gm.files.layout import Layout
from tests.browser.conftest import Keep
from tests.browser.hands import Keyboard, Mouse
from tests.browser.serving import served
from tests.browser.test_pages import RULES, WIDTHS, too_wide
from tests.browser.watching import Watch
from tests.handmade import fingerprint
from tests.stories.playing import play


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "worlds"
    folder.mkdir()
    return folder


@pytest.fixture
def root(place: Path, watch: Watch) -> Iterator[str]:
    """A folder without a world, served."""
    with served(place) as address:
        watch.allow(address)
        yield address
        watch.close()  # before the server ends, and with it the events of its pages


def english(watch: Watch, **options: object) -> Page:
    return watch.page(locale="en-GB", **options)


@pytest.mark.parametrize("way", [Mouse, Keyboard])
def test_a_world_of_ones_own_is_made_and_opened(
    way: type[Mouse], root: str, place: Path, watch: Watch, tmp_path: Path
) -> None:
    page = english(watch)
    watch.visit(page, root)
    hand = way(page)
    hand.press("Begin")
    hand.write("Title", "Orbit")
    hand.write("Premise", "Two people keep a <b>station</b>.")
    hand.write("People", "Mira: pilot, laughs too early\nOno")
    hand.write("Folder", "orbit")
    hand.press("Preview")
    expect(page.locator("main")).to_contain_text(str(place / "orbit"))
    assert list(place.iterdir()) == []
    hand.press("Make this world")
    expect(page.locator("header .world")).to_contain_text("Orbit")
    with page.expect_navigation():
        page.locator("nav").get_by_role("link", name="People").press("Enter")
    expect(page.locator("main")).to_contain_text("Mira")
    sketch = Sketch(
        "en",
        "Orbit",
        "Two people keep a <b>station</b>.",
        characters=(read_named("Mira: pilot, laughs too early", "character"), read_named("Ono", "character")),
    )
    assert fingerprint(place / "orbit") == fingerprint(new_world(tmp_path / "twin" / "orbit", sketch).root)


@pytest.mark.parametrize("way", [Mouse, Keyboard])
def test_a_world_that_comes_along_is_chosen_played_taken_back_and_branched(
    way: type[Mouse], root: str, place: Path, watch: Watch
) -> None:
    page = english(watch)
    watch.visit(page, root)
    hand = way(page)
    hand.press("Choose one")
    hand.tick("Dinner for Noor")
    hand.write("Folder", "dinner")
    hand.press("Preview")
    hand.press("Make this world")
    world = Layout(place / "dinner")
    play(world, days=2)
    after_two = fingerprint(world.root)

    watch.visit(page, urljoin(root, "history.html"))
    hand.press("Go back here Day 1")
    hand.press("Preview")
    assert fingerprint(world.root) == after_two
    hand.press("Go back")
    expect(page.locator(".notice.good")).to_be_visible()
    expect(page.locator("header .world")).to_contain_text("Day 1")
    assert fingerprint(world.root) != after_two

    hand.press("Bring back")
    hand.press("Preview")
    hand.press("Bring it back")
    assert fingerprint(world.root) == after_two

    hand.press("Branch from here Day 1")
    hand.write("Name", "what-if")
    hand.press("Preview")
    hand.press("Make it")
    expect(page.locator("main")).to_contain_text("dinner-what-if")
    assert Layout(place / "dinner-what-if").logged_days() == (1,)
    hand.press("Compare")
    expect(page.locator("main")).to_contain_text("They part at Day 2, scene 1")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_one_of_several_worlds_is_opened(scripts: bool, place: Path, watch: Watch) -> None:
    for name in ("one", "two"):
        new_world(place / name, Sketch("de", f"Welt {name}"))
    with served(place) as address:
        watch.allow(address)
        page = watch.page(locale="de-DE", java_script_enabled=scripts)
        watch.visit(page, address)
        Mouse(page).press("Öffnen two")
        expect(page.locator("header .world")).to_contain_text("Welt two")
        watch.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_page_of_the_beginning_or_the_way_back_has_a_barrier_or_is_too_wide(
    theme: str, dinner: Layout, place: Path, watch: Watch, keep: Keep
) -> None:
    play(dinner, days=2)
    faults: list[str] = []
    page = english(watch, color_scheme=theme)
    hand = Mouse(page)

    def look(name: str) -> None:
        watch.look(page)
        for found in Axe().run(page, options=RULES[theme]).response["violations"]:
            if found["impact"] in ("serious", "critical"):
                faults.append(f"{name}: {found['id']} {[node['target'] for node in found['nodes'][:3]]}")
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            faults.extend(too_wide(page, f"{name} at {width}"))
            if theme == "light":
                keep(page, f"{name}-{width}")

    with served(dinner.root.parent) as first, served(dinner.root) as world:
        watch.allow(first)
        watch.allow(world)
        watch.visit(page, first)
        look("first")
        for name, path in (("template", "begin/template.html"), ("own", "begin/own.html")):
            watch.visit(page, urljoin(first, path))
            look(f"begin-{name}")
        watch.expect_status(400)
        hand.write("Folder", "../x")
        hand.press("Preview")
        look("begin-refused")
        hand.write("Folder", "own")
        hand.press("Preview")
        look("begin-preview")
        watch.visit(page, urljoin(world, "history.html"))
        look("history-git")
        hand.press("Go back here Day 1")
        look("rewind")
        hand.press("Preview")
        look("rewind-preview")
        hand.press("Go back")
        look("history-rewound")
        hand.press("Bring back")
        hand.press("Preview")
        look("undo-preview")
        watch.visit(page, urljoin(world, "edit/branch/now.html"))
        hand.write("Name", "what-if")
        look("branch")
        hand.press("Preview")
        look("branch-preview")
        watch.visit(page, urljoin(world, "compare.html?a=day-001&b=now"))
        look("compare-days")
        watch.close()
    assert faults == []
