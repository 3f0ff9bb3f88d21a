"""Files in the editor of a real browser: what is typed is what stands in the files, by mouse and by keyboard alone."""

from __future__ import annotations

from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from gm.faces.web.paths import fill_path, piece_key
from gm.files.layout import Layout
from tests.browser.conftest import Keep, Serve
from tests.browser.test_editing import press
from tests.browser.watching import Watch
from tests.handmade import fingerprint

PERSONA = "state/personas/vera.md"
ADDED = "Sie sagt „nie“ & <b>zögert</b>; {{ 7 * 7 }}."
EDITOR = ".cm-content"
IN_EDITOR = "document.activeElement.shadowRoot !== null"


@pytest.fixture
def root(played: Layout, serve: Serve, watch: Watch) -> str:
    """A studio after its first day, served, and free to be changed."""
    address = serve(played)
    watch.allow(address)
    return address


def form_of(root: str, path: str) -> str:
    return urljoin(root, fill_path("edit/file/{key}.html", {"key": piece_key(path)}))


def type_at_the_end(page: Page, text: str) -> None:
    page.locator(EDITOR).click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text(text)


def others(layout: Layout, path: str) -> dict[str, str]:
    """All files but one and those that gm keeps for itself."""
    return {name: mark for name, mark in fingerprint(layout.root).items() if "/.gm/" not in name and name != path}


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_a_persona_has_the_bytes_that_an_editor_would_save(
    scripts: bool, end: str, root: str, played: Layout, watch: Watch
) -> None:
    path = played.persona("vera")
    path.write_bytes(path.read_bytes().replace(b"\n", end.encode()))
    before, rest = path.read_bytes(), others(played, PERSONA)
    page = watch.page(java_script_enabled=scripts)
    watch.visit(page, urljoin(root, "agents/vera.html"))
    page.get_by_role("link", name="Persona bearbeiten").click()
    if scripts:
        type_at_the_end(page, f"{ADDED}\n")
    else:
        page.fill("[name=text]", page.input_value("[name=text]") + f"{ADDED}\n")
    press(page, "look")
    assert ADDED in page.locator("ins").all_inner_texts()
    assert path.read_bytes() == before
    press(page, "write")
    expect(page.locator(".notice.good")).to_be_visible()
    assert path.read_bytes() == before + f"{ADDED}{end}".encode()
    assert others(played, PERSONA) == rest


def test_settings_that_could_not_be_played_are_marked_as_they_are_typed_and_refused(
    root: str, played: Layout, watch: Watch
) -> None:
    watch.expect_status(409)
    before = played.settings.read_bytes()
    page = watch.page()
    watch.visit(page, form_of(root, "gm.yaml"))
    type_at_the_end(page, "gallery: [unfinished\n")
    expect(page.locator(".cm-lint-marker-error")).to_be_visible()
    expect(page.locator("[data-problems] .error")).to_have_count(1)
    lines = len(before.decode().splitlines())
    expect(page.locator("[data-problems] .error code")).to_have_text(f"{lines + 1}:10")
    assert played.settings.read_bytes() == before
    press(page, "look")
    assert "gm.yaml" in page.locator("[role=alert]").inner_text()
    assert page.locator("[name=despite]").is_visible()
    page.locator(EDITOR).click()
    page.keyboard.press("Control+End")
    for _ in "gallery: [unfinished\n":
        page.keyboard.press("Backspace")
    page.keyboard.insert_text("diary: off\n")
    expect(page.locator("[data-problems] .error")).to_have_count(0)
    press(page, "look")
    press(page, "write")
    assert played.settings.read_bytes() == before + b"diary: off\n"


def test_keys_values_and_names_are_completed(root: str, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, form_of(root, "gm.yaml"))
    type_at_the_end(page, "")
    option = page.locator(".cm-tooltip-autocomplete li")
    page.keyboard.type("shar")
    option.filter(has_text="share").first.click()
    page.keyboard.press("Enter")
    page.keyboard.type("  ena")
    option.filter(has_text="enabled").first.click()
    page.keyboard.press("Control+Space")
    option.filter(has_text="true").first.click()
    expect(page.locator(".cm-activeLine")).to_have_text("  enabled: true")
    watch.visit(page, form_of(root, PERSONA))
    page.locator(EDITOR).click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("\nhome: kon")
    option.filter(has_text="kontor").first.click()
    expect(page.locator(".cm-activeLine")).to_have_text("home: kontor")


def test_a_file_is_edited_by_keyboard_alone(root: str, played: Layout, watch: Watch) -> None:
    before = played.persona("vera").read_bytes()
    page = watch.page()
    watch.visit(page, form_of(root, PERSONA))
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate(IN_EDITOR):
            break
    assert page.evaluate(IN_EDITOR)
    page.keyboard.press("Control+End")
    page.keyboard.type("- ein Zettel")
    page.keyboard.press("Tab")
    assert page.evaluate(IN_EDITOR)
    page.keyboard.press("Control+z")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert not page.evaluate(IN_EDITOR)
    assert page.evaluate("document.activeElement.value") == "look"
    assert "Esc" in page.inner_text("#f-text-help")
    with page.expect_navigation():
        page.keyboard.press("Enter")
    page.locator("main").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.value === 'write'"):
            break
    with page.expect_navigation():
        page.keyboard.press("Enter")
    expect(page.locator(".notice.good")).to_be_visible()
    assert played.persona("vera").read_bytes() == before + b"- ein Zettel"


def test_what_another_editor_saved_stays_until_a_person_has_chosen(root: str, played: Layout, watch: Watch) -> None:
    watch.expect_status(409)
    path = played.persona("vera")
    before = path.read_text(encoding="utf-8")
    page = watch.page()
    watch.visit(page, form_of(root, PERSONA))
    type_at_the_end(page, "Von mir.\n")
    path.write_text(before + "Von anderer Hand.\n", encoding="utf-8")
    press(page, "look")
    assert "Von anderer Hand." in page.inner_text("main")
    assert path.read_text(encoding="utf-8") == before + "Von anderer Hand.\n"
    press(page, "again")
    assert page.input_value("[name=text]") == before + "Von anderer Hand.\n"
    type_at_the_end(page, "Von mir.\n")
    press(page, "look")
    press(page, "write")
    assert path.read_text(encoding="utf-8") == before + "Von anderer Hand.\nVon mir.\n"


@pytest.mark.parametrize("keyboard", [False, True], ids=["by mouse", "by keyboard"])
def test_a_character_a_place_and_a_switch_are_made(keyboard: bool, root: str, played: Layout, watch: Watch) -> None:
    page = watch.page()

    def go(step: str) -> None:
        if not keyboard:
            press(page, step)
            return
        page.locator(f"main form button[name=step][value={step}]").focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")

    watch.visit(page, urljoin(root, "make.html"))
    page.get_by_role("link", name="Eine neue Figur").click()
    page.fill("[name=name]", "Ada Lind")
    page.fill("[name=text]", "Pilotin, lacht zu früh")
    page.select_option("[name=place]", "kontor")
    go("look")
    go("write")
    expect(page.locator("h1")).to_contain_text("Ada Lind")
    assert played.persona("ada-lind").is_file()
    watch.visit(page, urljoin(root, "edit/place.html"))
    page.fill("[name=name]", "Dachboden")
    page.fill("[name=text]", "Staub und Licht")
    go("look")
    go("write")
    assert "\n  dachboden: Staub und Licht\n" in played.settings.read_text(encoding="utf-8")
    watch.visit(page, urljoin(root, "edit/switch/diary.html"))
    go("look")
    go("write")
    assert '\ndiary: "on"\n' in played.settings.read_text(encoding="utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_editor_lists_and_forms_have_no_serious_barrier_and_fit_a_phone(
    theme: str, root: str, played: Layout, watch: Watch, keep: Keep
) -> None:
    played.persona("tobi").write_text("---\nname: [Tobi\n---\nDu bist Tobi.\n", encoding="utf-8")
    page = watch.page(color_scheme=theme, viewport={"width": 390, "height": 844})
    found = []
    for name in ("files.html", "make.html", "edit/character.html", "edit/scene-type.html", "edit/switch/diary.html"):
        watch.visit(page, urljoin(root, name))
        found += barriers(page, name)
    for path in ("gm.yaml", "state/personas/tobi.md", "state/bulletin.json"):
        watch.visit(page, form_of(root, path))
        expect(page.locator(EDITOR)).to_be_visible()
        found += barriers(page, path)
        for width in (390, 834, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            keep(page, f"editor-{path.rpartition('/')[2]}-{width}-{theme}")
        page.set_viewport_size({"width": 390, "height": 844})
    assert found == []


def barriers(page: Page, what: str) -> list[str]:
    wide = [] if page.evaluate("document.documentElement.scrollWidth <= innerWidth") else [f"{what} is too wide"]
    violations = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    return wide + [
        f"{what}: {item['id']}: {item['nodes'][0]['target']}"
        for item in violations
        if item["impact"] in ("serious", "critical")
    ]
