"""Pages of a world in which every text is an attack: all of it is shown, and none of it does anything."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page

from gm.files.layout import Layout
from tests.browser.asking import ask
from tests.browser.attacked import CANARY
from tests.browser.attacks import ATTACKS, LONG, requests_by_hand
from tests.browser.conftest import Serve
from tests.browser.crawling import PATTERNS, crawl
from tests.browser.samples import find_samples
from tests.browser.serving import gm
from tests.browser.watching import Watch

FEW = {**dict.fromkeys(PATTERNS, 4), "piece": 16, "memories": 10}
FULL = ("memories", "threads", "day")
"""Kinds of pages on which each attack has to be read as it was written."""
ASKING = ("search", "memories", "tree", "changes")
"""Kinds of pages that take much with their address."""
ASKED = ("q", "tag", "type", "agent", "day", "page", "sort", "kind", "saved")
ARMED = """() => {
    const found = [];
    const forbidden = "script:not([src]):not([type='application/json']), style, iframe, object, embed, base,"
        + "meta[http-equiv=refresh]";
    for (const element of document.querySelectorAll(forbidden)) found.push(element.outerHTML.slice(0, 200));
    for (const element of document.querySelectorAll("*")) {
        for (const {name, value} of element.attributes) {
            const plain = value.replace(/[\\s\\u0000-\\u001f]/g, "");
            const address = /^(href|src|action|formaction|data|xlink:href|srcset|poster)$/i.test(name);
            const styled = name === "style" && !element.closest("[data-place]");  // drawings are scripts' own
            if (/^on/i.test(name) || styled || (address && /^(javascript|vbscript|data):/i.test(plain)))
                found.push(`${element.tagName} ${name}=${value}`.slice(0, 200));
        }
    }
    return found;
}"""
TEXT = "document.title + ' ' + document.body.textContent"


class Reader:
    """Looks at each page that is opened, and keeps what it says."""

    def __init__(self, watch: Watch, page: Page) -> None:
        self.watch = watch
        self.page = page
        self.said: dict[str, list[str]] = {}

    def look(self, kind: str, address: str) -> None:
        self.watch.faults.extend(f"{address}: armed: {item}" for item in self.page.evaluate(ARMED))
        text = str(self.page.evaluate(TEXT))
        if CANARY in text or "root:x:" in text:
            self.watch.faults.append(f"{address}: shows a file from outside of the world")
        self.said.setdefault(kind, []).append(text)


def plain(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


@pytest.fixture
def opened(attacked: Layout, serve: Serve, watch: Watch) -> Reader:
    """All pages of the attacked world, after they were opened live."""
    root = serve(attacked)
    watch.allow(root)
    reader = Reader(watch, watch.page())
    crawl(watch, reader.page, root, reader.look, FEW)
    return reader


def test_no_live_page_lets_an_attack_loose_and_all_are_readable(opened: Reader) -> None:
    assert set(opened.said) >= {"today"}
    readable = {kind: plain(" ".join(opened.said[kind])) for kind in FULL if kind in opened.said}
    missing = {
        kind: [attack.name for attack in ATTACKS if attack.kind != "control" and plain(attack.text) not in text]
        for kind, text in readable.items()
    }
    assert {kind: names for kind, names in missing.items() if names and names != [LONG.name]} == {}


def test_no_published_page_lets_an_attack_loose(attacked: Layout, watch: Watch, tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(gm("publish", site, "-w", attacked.root, "--all"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    root = f"{site.as_uri()}/"
    watch.allow(root)
    reader = Reader(watch, watch.page())
    crawl(watch, reader.page, root, reader.look, dict.fromkeys(PATTERNS, 3))
    for path in site.rglob("*"):
        assert not path.is_symlink()
        assert path.is_dir() or CANARY not in path.read_text(encoding="utf-8", errors="replace")


def test_no_request_is_answered_with_a_file_from_outside(attacked: Layout, serve: Serve) -> None:
    root = serve(attacked)
    served = []
    for path in requests_by_hand():
        told = ask(root, path)
        if not 400 <= told.status < 500 or any(secret in told.body for secret in (CANARY, "root:x:", "scenes_total")):
            served.append((path, told.status))
        assert "x-attacked" not in told.headers
    assert served == []


def test_what_is_asked_for_is_data_too(month: Layout, serve: Serve) -> None:
    """Filters and searches show what they were asked for as text, and fail over nothing."""
    root = serve(month)
    firsts = find_samples(month, root)
    wrong = []
    for number, attack in enumerate(item for item in ATTACKS if len(item.text) < 2000):
        text = quote(attack.text, safe="")
        query = "&".join(f"{name}={text}" for name in (*ASKED, text[:40]))
        kinds = list(firsts) if number % 40 == 0 else [ASKING[number % len(ASKING)]]
        for kind in kinds:
            told = ask(root, f"{urlsplit(firsts.get(kind, root)).path}?{query}")
            if told.status >= 500 or (attack.raw and "alert(1)" in attack.text and attack.text in told.body):
                wrong.append((kind, attack.name, told.status))
    assert wrong == []
