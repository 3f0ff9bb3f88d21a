"""Follow links from page to page, live or published."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Callable, Mapping
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from playwright.sync_api import Page

from gm.faces.web.actions import ACTIONS
from gm.faces.web.pages import KINDS
from tests.browser.watching import Watch

FORM = "form-"
"""How names of forms begin here; those of pages are their own."""
WRITTEN = {kind.name: kind.pattern for kind in KINDS} | {f"{FORM}{action.name}": action.pattern for action in ACTIONS}
PATTERNS = {
    name: re.compile("[^/]+".join(map(re.escape, re.split(r"\{\w+\}", pattern))) + r"\Z")
    for name, pattern in WRITTEN.items()
}
QUERIES = 4
"""How many addresses with a query are opened of each kind: filters link to filters without end."""
FORMS = 2
"""How many forms are opened of each kind, unless something else is said: they differ in what is filled in."""
ALL = 10**6


def kind_of(address: str, root: str) -> str | None:
    """Name the kind of page that has an address; None = no page: a file, or elsewhere."""
    plain = urlsplit(address)._replace(query="", fragment="").geturl()
    if not plain.startswith(root):
        return None
    path = unquote(plain.removeprefix(root)) or "index.html"
    fitting = [name for name, pattern in PATTERNS.items() if pattern.match(path)]
    # a pattern without parameters is more exact than one with them
    return min(fitting, key=lambda name: WRITTEN[name].count("{"), default=None)


def crawl(
    watch: Watch,
    page: Page,
    root: str,
    look: Callable[[str, str], None] | None = None,
    most: Mapping[str, int] | None = None,
) -> dict[str, list[str]]:
    """Open every page that can be reached by links from the first one.

    Args:
        watch: What sees faults.
        page: Is used for all of them.
        root: The address of the site: of a server or a folder, with a slash at its end.
        look: Is called with the kind and the address of each page that was opened.
        most: By kind, the number of pages to open, if not all.

    Returns:
        The addresses of each kind, in the order in which they were found; with queries after those without.
    """
    opened: dict[str, list[str]] = {}
    queries: Counter[str] = Counter()
    first = urljoin(root, "index.html")
    seen, waiting = {first}, deque([first])
    while waiting:
        address = waiting.popleft()
        kind = kind_of(address, root)
        if kind is None:
            continue
        queries[kind] += "?" in address
        limit = (most or {}).get(kind, FORMS if kind.startswith(FORM) else ALL)
        if queries[kind] > QUERIES if "?" in address else len(opened.get(kind, ())) >= limit:
            continue
        try:
            watch.visit(page, address)
        except AssertionError:  # it is among the faults; the others are of interest too
            continue
        opened.setdefault(kind, []).append(address)
        if look:
            look(kind, address)
        for link in page.eval_on_selector_all("a[href]", "links => links.map(link => link.href)"):
            target = urldefrag(link).url
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return opened
