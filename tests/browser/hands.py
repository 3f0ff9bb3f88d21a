"""The two hands of a person: one points, the other knows nothing but keys. Both go by the words on the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

MOST_TABS = 200
EDITOR = ".cm-content"
STATE = """() => {
    const element = document.activeElement;
    const text = (element.textContent || "").trim().replace(/\\s+/g, " ");
    const named = element.getAttribute("aria-label")
        || (element.labels && element.labels[0] ? element.labels[0].textContent : "");
    return {
        tag: element.tagName,
        text,
        label: named.trim().replace(/\\s+/g, " "),
        type: element.type || "",
        on: element.checked === true,
        place: element.closest("main") ? "main" : element.closest("nav") ? "nav" : "",
        editor: element.shadowRoot !== null,
        chosen: element.tagName === "SELECT" ? element.selectedOptions[0].textContent.trim() : "",
    };
}"""
State = dict[str, Any]


class Mouse:
    """Fills in and presses by pointing."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def press(self, name: str) -> None:
        """Press the first link or button of the content whose words begin so, and wait for the page that follows."""
        place = self._named(name)
        expect(place).to_be_visible()
        with self._page.expect_navigation():
            self._press(place, name)

    def go(self, name: str) -> None:
        """Go to a page by the navigation."""
        link = self._page.locator("nav").get_by_role("link", name=name, exact=True)
        if not link.is_visible():
            self._open_menu()
        with self._page.expect_navigation():
            self._follow(link, name)

    def open(self, name: str) -> None:
        """Open what is folded."""
        self._page.locator("main summary", has_text=name).first.click()

    def write(self, label: str, text: str) -> None:
        self._labelled(label).fill(text)

    def tick(self, label: str, *, on: bool = True) -> None:
        self._labelled(label).set_checked(on)

    def choose(self, label: str, option: str) -> None:
        self._labelled(label).select_option(label=option)

    def write_at_the_end(self, text: str, *, instead_of: str = "") -> None:
        """Go to the end of the text in the editor, take some words away there, and write others."""
        self._enter_editor()
        self._page.keyboard.press("ControlOrMeta+End")
        for _ in instead_of:
            self._page.keyboard.press("Backspace")
        self._page.keyboard.type(text)

    def _named(self, name: str) -> Locator:
        main, begins = self._page.locator("main"), re.compile(rf"^\s*{re.escape(name)}")
        return main.get_by_role("link", name=begins).or_(main.get_by_role("button", name=begins)).first

    def _labelled(self, label: str) -> Locator:
        return self._page.locator("main").get_by_label(label, exact=True).first

    def _press(self, place: Locator, _name: str) -> None:
        place.click()

    def _follow(self, link: Locator, _name: str) -> None:
        link.click()

    def _open_menu(self) -> None:
        self._page.locator("nav summary").click()

    def _enter_editor(self) -> None:
        self._page.locator(EDITOR).click()


class Keyboard(Mouse):
    """Does the same with Tab, letters, arrows, Space and Enter."""

    def open(self, name: str) -> None:
        self._go_to(lambda at: at["tag"] == "SUMMARY" and name in at["text"], name)
        self._page.keyboard.press("Enter")

    def write(self, label: str, text: str) -> None:
        self._go_to(lambda at: at["label"] == label, label)
        self._page.keyboard.press("ControlOrMeta+a")
        for number, line in enumerate(text.split("\n")):
            if number:
                self._page.keyboard.press("Enter")
            self._page.keyboard.type(line)

    def tick(self, label: str, *, on: bool = True) -> None:
        kind = self._labelled(label).get_attribute("type")
        # the radio buttons of a group are one stop of the tabulator; arrows go through them
        self._go_to(lambda at: at["type"] == kind and (kind == "radio" or at["label"] == label), label)
        for _ in range(MOST_TABS):
            at = self._state()
            if at["label"] == label:
                if at["on"] != on:
                    self._page.keyboard.press("Space")
                return
            self._page.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow leads to {label}")

    def choose(self, label: str, option: str) -> None:
        self._go_to(lambda at: at["label"] == label, label)
        self._page.keyboard.press("Home")
        for _ in range(MOST_TABS):
            if self._state()["chosen"] == option:
                return
            self._page.keyboard.press("ArrowDown")
        raise AssertionError(f"no arrow leads to {option}")

    def write_at_the_end(self, text: str, *, instead_of: str = "") -> None:
        super().write_at_the_end(text, instead_of=instead_of)
        # the first closes what is offered to complete the word, the second gives Tab back to the page
        self._page.keyboard.press("Escape")
        self._page.keyboard.press("Escape")

    def _press(self, place: Locator, name: str) -> None:
        self._go_to(lambda at: at["tag"] in ("A", "BUTTON") and at["text"].startswith(name), name)
        self._page.keyboard.press("Enter")

    def _follow(self, link: Locator, name: str) -> None:
        self._go_to(lambda at: at["text"] == name, name, "nav")
        self._page.keyboard.press("Enter")

    def _open_menu(self) -> None:
        self._go_to(lambda at: at["tag"] == "SUMMARY", "the menu", "nav")
        self._page.keyboard.press("Enter")

    def _enter_editor(self) -> None:
        expect(self._page.locator(EDITOR)).to_be_visible()
        self._go_to(lambda at: at["editor"], "the editor")

    def _go_to(self, is_there: Callable[[State], bool], name: str, place: str = "main") -> None:
        passed = []
        for _ in range(MOST_TABS):
            self._page.keyboard.press("Tab")
            at = self._state()
            if at["place"] == place and is_there(at):
                return
            passed.append(at["label"] or at["text"][:30] or at["tag"])
        raise AssertionError(f"no Tab leads to {name}, but to {json.dumps(passed)}")

    def _state(self) -> State:
        found: State = self._page.evaluate(STATE)
        return found
