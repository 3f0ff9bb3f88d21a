"""Pages that are there only while a world is served, attacked: by its files, by a run, by what a person fills in."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from urllib.parse import urljoin

import pytest
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from starlette.applications import Starlette

from gm.api.views.threads import known_threads
from gm.faces.web.actions import ACTIONS
from gm.faces.web.app import make_app
from gm.faces.web.beginning import Beginning
from gm.faces.web.new_world_forms import WAYS
from gm.faces.web.pages import KINDS
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.paths import fill_path, piece_key
from gm.faces.web.serve import Server
from gm.faces.web.stage.run import StageRun
from gm.faces.web.stage.state import RunState
from gm.files.layout import Layout
from gm.files.media.pieces import list_pieces
from tests.browser.attacked import LETTER, STRANGERS, run_events
from tests.browser.attacks import ATTACKS, HTML
from tests.browser.crawling import FORM
from tests.browser.samples import expected
from tests.browser.test_attacked import Reader
from tests.browser.test_pages import OVERFLOWING, RULES
from tests.browser.watching import Watch

PHONE = {"width": 390, "height": 844}
TEXT = "\"'><svg onload=alert(1)><img src=x onerror=alert(1)> {{7*7}} \u202e\u2067 ../../secret.md"
SAID_NO = (400, 403, 404, 409)
KINDS_OF_BOX = "main form :is(input:not([type]), input[type=text], textarea):visible"
SEARCHED = [attack.text for attack in HTML[:4]] + [
    "__proto__",
    "{{7*7}}",
    "\u202e",
    "../../etc/passwd",
    "%s%n",
    "javascript:",
]
TOLD = ("arc", "life", "pair", "search")
"""Kinds of published pages in which axe looks for barriers here; of others, in a world without attacks."""


@contextmanager
def within(app: Starlette | Beginning) -> Iterator[str]:
    """Serve an application by this process; give the address of its first page."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        server = Server(uvicorn.Config(app, log_level="warning", server_header=False, timeout_graceful_shutdown=1), app)
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join()


@pytest.fixture
def root(attacked: Layout, watch: Watch) -> Iterator[str]:
    """The attacked world, served."""
    with within(make_app(attacked)) as address:
        watch.allow(address)
        yield address


def addresses(layout: Layout) -> tuple[dict[str, str], dict[str, str]]:
    """Name the path of a page of each kind, and of a form of each, in the attacked world."""
    known = {"agent": "alex", "node": "alex-2001", "number": 1, "moment": "day-001/scene-01", "part": "diary", "day": 2}
    threads = [thread.id for thread in known_threads(layout)[0] if thread.is_open]
    known |= {
        "section": "reference",
        "topic": "index",
        "thread": threads[0],
        "piece": piece_key(list_pieces(layout)[0].path),
        "key": "state/personas/alex.md",
    }
    found = {name: paths[len(paths) // 2] for name, paths in expected(layout).items() if paths}
    live = {kind.name: fill_path(kind.pattern, {**known, "letter": LETTER}) for kind in KINDS if is_of_one(kind)}
    forms = {f"{FORM}{action.name}": fill_path(action.pattern, known) for action in ACTIONS}
    return {**found, **live, "compare": "compare.html?a=day-001&b=now"}, forms


def is_of_one(kind: PageKind) -> bool:
    return kind.is_live and kind.first == 1


@contextmanager
def telling(layout: Layout, watch: Watch, *, deciding: bool) -> Iterator[tuple[StageRun, str]]:
    """Serve a run that has told its attacks; give it, and the address of its page."""
    run = StageRun(layout, state=RunState("playing", is_running=True))
    for event in run_events(layout.agent_names(), deciding=deciding):
        run.fold_line(json.dumps(event))
    with within(make_app(layout, run=run)) as address:
        watch.allow(address)
        yield run, urljoin(address, "play.html")


@pytest.fixture
def playing(attacked: Layout, watch: Watch) -> Iterator[tuple[StageRun, str]]:
    """A run that plays on."""
    with telling(attacked, watch, deciding=False) as found:
        yield found


@pytest.fixture
def deciding(attacked: Layout, watch: Watch) -> Iterator[tuple[StageRun, str]]:
    """A run that waits for a decision."""
    with telling(attacked, watch, deciding=True) as found:
        yield found


def test_every_kind_of_page_and_form_keeps_its_attacks_in(
    attacked: Layout, root: str, playing: tuple[StageRun, str], deciding: tuple[StageRun, str], watch: Watch
) -> None:
    """None runs, none asks elsewhere, none is wider than a phone, and none is a barrier."""
    page = watch.page(viewport=PHONE)
    pages, forms = addresses(attacked)
    assert {kind.name for kind in KINDS if kind.first == 1} <= set(pages)
    samples = {name: urljoin(root, path) for name, path in {**pages, **forms}.items()}
    reader, axe, faults = Reader(watch, page), Axe(), []
    looked_at = {
        *forms,
        *TOLD,
        *(kind.name for kind in KINDS if kind.is_live and kind.name not in ("play", "changes_of")),
    }
    for kind, address in {**samples, "playing": playing[1], "deciding": deciding[1]}.items():
        watch.visit(page, address)
        reader.look(kind, address)
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            faults.append(f"{kind} is too wide: {page.evaluate(OVERFLOWING)}")
        found = axe.run(page, options=RULES["light"]).response["violations"] if kind in looked_at else ()
        faults += [
            f"{kind}: {item['id']} {item['nodes'][0]['target']} ({len(item['nodes'])})"
            for item in found
            if item["impact"] in ("serious", "critical")
        ]
    assert faults == []


def test_what_a_run_writes_is_text_while_it_is_written(playing: tuple[StageRun, str], watch: Watch) -> None:
    """Who is named like what every object of a script has writes only when they write."""
    run, address = playing
    page = watch.page()
    with page.expect_response("**/events?*"):
        watch.visit(page, address)
    text = f"{TEXT} {''.join(attack.text for attack in HTML)}"
    event = {"event": "writing", "who": "__proto__", "characters": 7, "words": text}
    run.fold_line(json.dumps(event))
    words = page.locator('[data-writer="__proto__"] [data-words] bdi')
    expect(words).to_be_visible()
    expect(words).to_have_text(re.compile(re.escape("<svg onload=alert(1)>")))
    expect(page.locator('[data-writer="constructor"]')).to_be_hidden()
    Reader(watch, page).look("play", page.url)


def fill(page: Page, text: str) -> int:
    boxes = page.locator(KINDS_OF_BOX).all()
    for box in boxes:
        box.fill(text)
    return len(boxes)


def test_what_a_person_fills_in_is_text_wherever_it_is_shown_again(attacked: Layout, root: str, watch: Watch) -> None:
    for status in SAID_NO:
        watch.expect_status(status)
    page = watch.page(viewport=PHONE)
    reader, wide, filled = Reader(watch, page), [], 0
    paths = {"letter": f"mailbox/{LETTER}.html", "visitor": "visitor.html", **addresses(attacked)[1]}
    for kind, path in paths.items():
        watch.visit(page, urljoin(root, path))
        filled += fill(page, TEXT)
        page.evaluate("for (const form of document.querySelectorAll('main form')) form.noValidate = true")
        with page.expect_navigation():
            page.locator("main form button.main:visible").first.click()
        watch.look(page)
        reader.look(kind, page.url)
        wide += [kind] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []
    assert wide == []
    assert filled > len(paths)


def test_what_is_sought_in_the_header_is_text(root: str, watch: Watch) -> None:
    page = watch.page()
    reader = Reader(watch, page)
    watch.visit(page, urljoin(root, "make.html"))
    box = page.locator("header.top [name=q]")
    for text in SEARCHED:
        with page.expect_response("**/search.html?*"):
            box.fill(text)
        reader.look("search", page.url)
    with page.expect_response("**/search.html?*"):
        box.fill("alert")
    expect(page.locator("header.top [data-hit], header.top [role=option], header.top li a").first).to_be_visible()
    reader.look("search", page.url)


def test_the_first_page_shows_worlds_with_hostile_names_as_text(watch: Watch, tmp_path: Path) -> None:
    home = tmp_path / "around"
    for name in STRANGERS:
        (home / name / "state").mkdir(parents=True)
        title = json.dumps({"world": {"title": "\n".join(attack.text for attack in ATTACKS[:60])}})
        (home / name / "gm.yaml").write_text(title, encoding="utf-8")
        (home / name / "state" / "world.json").write_text("{}", encoding="utf-8")
    for status in SAID_NO:
        watch.expect_status(status)
    with within(Beginning(home, lambda _layout: None)) as root:
        watch.allow(root)
        page = watch.page(viewport=PHONE)
        reader, axe = Reader(watch, page), Axe()
        for path in ("index.html", *(f"begin/{way.name}.html" for way in WAYS)):
            watch.visit(page, urljoin(root, path))
            if path != "index.html":
                fill(page, TEXT)
                page.evaluate("for (const form of document.forms) form.noValidate = true")
                with page.expect_navigation():
                    page.locator("main form button.main:visible").first.click()
            reader.look(path, page.url)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
            found = axe.run(page, options=RULES["light"]).response["violations"]
            assert [item["id"] for item in found if item["impact"] in ("serious", "critical")] == [], path
        assert len(list(home.iterdir())) == len(STRANGERS)
