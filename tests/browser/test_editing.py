"""Forms and live updates in a real browser: what is filled in is what stands in the files, and nothing else changes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Page, expect

from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.serving import gm
from tests.browser.watching import Watch

NEW = "Der Turm <b>steht</b> schief, & „keiner“ sagt's; `Ende`."
THEIRS = "Das hat inzwischen jemand anders geschrieben."


@pytest.fixture
def root(played: Layout, serve: Serve, watch: Watch) -> str:
    """A studio after its first day, served, and free to be changed."""
    address = serve(played)
    watch.allow(address)
    return address


def first_memory(layout: Layout) -> dict[str, object]:
    record = json.loads(layout.stream("vera").read_text(encoding="utf-8").splitlines()[0])
    assert isinstance(record, dict)
    return record


def form_of(root: str, layout: Layout) -> str:
    return urljoin(root, f"edit/vera/memory/{first_memory(layout)['id']}.html")


def press(page: Page, step: str) -> None:
    """Press the button of a form that goes on with a step, and wait for what comes then."""
    with page.expect_navigation():
        page.click(f"main form button[name=step][value={step}]")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without"])
def test_a_memory_is_changed_as_it_was_shown(scripts: bool, root: str, played: Layout, watch: Watch) -> None:
    before = played.stream("vera").read_bytes().splitlines(keepends=True)
    page = watch.page(java_script_enabled=scripts)
    watch.visit(page, form_of(root, played))
    page.fill("[name=description]", NEW)
    press(page, "look")
    assert played.stream("vera").read_bytes() == b"".join(before)
    assert "steht</b>" in " ".join(page.locator("ins").all_inner_texts())
    press(page, "write")
    expect(page.locator(".notice.good")).to_be_visible()
    after = played.stream("vera").read_bytes().splitlines(keepends=True)
    assert after[1:] == before[1:]
    assert json.loads(after[0]) == {**json.loads(before[0]), "description": NEW}


def change_by_hand(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_who_changes_what_another_has_changed_sees_both_and_chooses(root: str, played: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.expect_status(409)
    watch.visit(page, form_of(root, played))
    page.fill("[name=description]", NEW)
    written = json.dumps(first_memory(played)["description"], ensure_ascii=False)
    change_by_hand(played.stream("vera"), written, json.dumps(THEIRS, ensure_ascii=False))
    theirs = played.stream("vera").read_bytes()
    press(page, "look")
    told = page.inner_text("main")
    assert THEIRS in told
    assert "steht</b> schief" in told
    assert page.locator("[role=alert]").first.is_visible()
    assert played.stream("vera").read_bytes() == theirs
    press(page, "mine")
    press(page, "look")
    press(page, "write")
    assert first_memory(played)["description"] == NEW


def test_a_brief_is_put_up(root: str, played: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, urljoin(root, "edit/brief.html"))
    page.fill("[name=text]", NEW)
    press(page, "look")
    press(page, "write")
    board = json.loads(played.bulletin.read_text(encoding="utf-8"))
    assert board["posts"][-1]["content"] == NEW


def test_a_page_renews_itself_while_a_day_is_played(root: str, played: Layout, watch: Watch) -> None:
    page = watch.page()
    with page.expect_response("**/events?*"):
        watch.visit(page, root)
    page.evaluate("""() => {
        window.kept = true;
        window.renewed = 0;
        document.addEventListener("gm-renewed", () => window.renewed++);
    }""")
    command = gm("advance-day", "-w", played.root, "--model", "rehearsal")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    expect(page.locator("header .world")).to_contain_text("Tag 2")
    expect(page.locator("[data-said]")).not_to_be_empty()
    assert page.evaluate("window.kept && window.renewed > 0")


def test_what_is_filled_in_is_not_lost_when_files_change(root: str, played: Layout, watch: Watch) -> None:
    page = watch.page()
    watch.visit(page, form_of(root, played))
    page.fill("[name=description]", NEW)
    other = watch.page()
    with other.expect_response("**/events?*"):
        watch.visit(other, root)
    state = json.loads(played.agent("vera").read_text(encoding="utf-8"))
    change_by_hand(played.agent("vera"), json.dumps(state["mood"], ensure_ascii=False), '"turmhoch"')
    expect(other.locator("main")).to_contain_text("turmhoch")
    assert page.input_value("[name=description]") == NEW


def test_who_may_only_look_gets_no_form(played: Layout, serve: Serve, watch: Watch) -> None:
    root = serve(played, "--read-only")
    watch.allow(root)
    page = watch.page()
    watch.visit(page, root)
    assert page.locator("form[method=post], a[href*='edit/']").count() == 0
    watch.expect_status(404)
    answer = page.goto(form_of(root, played))
    assert answer is not None
    assert answer.status == 404
