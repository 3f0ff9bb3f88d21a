"""One address of each kind of page, found without a browser."""

from __future__ import annotations

import json
import re
from collections import deque
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

from gm.api.playing.mailbox import open_letters
from gm.faces.web.actions import ACTIONS
from gm.faces.web.pages import KINDS
from gm.faces.web.paths import fill_path
from gm.faces.web.rendering import page_path
from gm.faces.web.site import open_site
from gm.files.layout import Layout
from tests.browser.asking import ask
from tests.browser.crawling import FORM, PATTERNS, kind_of


class Links(HTMLParser):
    """Collects what a page links to, and the names of its places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.files: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.places.update(values[name] for name in ("id",) if name in values)
        if tag == "a" and "href" in values:
            self.targets.append(values["href"])
        elif tag in ("link", "script", "img", "source", "image", "use"):
            self.files += [values[name] for name in ("href", "src") if name in values]


def expected(layout: Layout, *, live: bool = True) -> dict[str, list[str]]:
    """List the paths of all pages that a site has, by kind; live kinds without a list of their own are left out."""
    site = open_site(layout, live=live)
    letters = {"letter": [page_path("letter", letter=letter.name) for letter in open_letters(layout)]} if live else {}
    return letters | {
        kind.name: [page_path(kind.name, **params) for params in kind.every(site)] for kind in KINDS if not kind.is_live
    }


def plain_forms(layout: Layout) -> dict[str, str]:
    """Find the paths of forms about a character, the first memory of one, or nobody."""
    agent = next(name for name in layout.agent_names() if layout.stream(name).is_file())
    first = json.loads(layout.stream(agent).read_text(encoding="utf-8").splitlines()[0])
    known: dict[str, object] = {"agent": agent, "node": first["id"]}
    return {
        f"{FORM}{action.name}": fill_path(action.pattern, known)
        for action in ACTIONS
        if set(re.findall(r"\{(\w+)\}", action.pattern)) <= set(known)
    }


def find_samples(layout: Layout, root: str) -> dict[str, str]:
    """Find a page and a form of each kind in a served world: the middle one of those that are listed, else the first.

    Args:
        layout: The world.
        root: Where it is served.
    """
    listed = {name: paths[len(paths) // 2] for name, paths in expected(layout).items() if paths}
    found = {name: urljoin(root, path) for name, path in {**listed, **plain_forms(layout)}.items()}
    waiting = deque(found.values())
    while waiting and len(found) < len(PATTERNS):
        address = waiting.popleft()
        for target in Links(ask(root, urlsplit(address).path).body).targets:
            link = urldefrag(urljoin(address, target)).url
            name = kind_of(link, root)
            if name is not None and name not in found:
                found[name] = link
                waiting.append(link)
    return found
