"""Reading a published site the way a link checker does: from its files alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, join
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "script": "src", "img": "src", "form": "action", "source": "src", "iframe": "src"}


@dataclass
class Page:
    """What one page refers to, and which places it has.

    Attributes:
        links: Addresses as written, with the element that has each.
        places: Values of ``id``, as often as they occur.
        inline: Scripts, styles and handlers that stand in the page itself.
        headings: Levels of headings in order.
    """

    links: list[tuple[str, str]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in LINKS and LINKS[tag] in given:
            self.page.links.append((tag, given[LINKS[tag]]))
        if "id" in given:
            self.page.places.append(given["id"])
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.page.headings.append(int(tag[1]))
        is_data = tag == "script" and given.get("type") == "application/json"
        if tag == "style" or (tag == "script" and "src" not in given and not is_data):
            self.page.inline.append(tag)
        self.page.inline += [name for name in given if name.startswith("on") or name == "style"]


def read_page(text: str) -> Page:
    """Read one page."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.page


def check_links(folder: Path) -> tuple[dict[str, Page], list[str]]:
    """Follow every link of a site.

    Returns:
        The pages by path, and every fault: a link that leads nowhere or elsewhere, a place that does not exist or
        exists twice, a page that nobody can reach from the first one.
    """
    paths = sorted(path for path in folder.rglob("*.html") if "files" not in path.relative_to(folder).parts)
    pages = {path.relative_to(folder).as_posix(): read_page(path.read_text(encoding="utf-8")) for path in paths}
    faults: list[str] = []
    leads_to: dict[str, set[str]] = {}
    find = cache(partial(_find, folder, folder.resolve()))  # pages of one folder share most of their links
    for name, page in pages.items():
        faults += [f"{name}: two places called {place}" for place in {*page.places} if page.places.count(place) > 1]
        leads_to[name] = set()
        for tag, address in page.links:
            target, fault = _follow(find, pages, name, tag, address)
            faults += [fault] if fault else []
            leads_to[name] |= {target} if target else set()
    reached, ahead = {"index.html"}, ["index.html"]
    while ahead:
        for target in leads_to.get(ahead.pop(), set()) - reached:
            reached.add(target)
            ahead.append(target)
    faults += [f"{name}: nothing leads there" for name in pages if name not in reached]
    return pages, faults


def _follow(find: Callable[[str], str], pages: dict[str, Page], name: str, tag: str, address: str) -> tuple[str, str]:
    parts = urlsplit(address)
    if parts.scheme in ("http", "https", "mailto") and tag == "a":
        return "", ""  # a text in the world may link out; nothing is loaded from there
    if parts.scheme or parts.netloc or parts.path.startswith("/"):
        return "", f"{name}: <{tag}> leads out of the site: {address}"
    found = find(join(dirname(name), unquote(parts.path)) if parts.path else name)
    if not found:
        return "", f"{name}: <{tag}> leads nowhere: {address}"
    if parts.fragment and found in pages and unquote(parts.fragment) not in pages[found].places:
        return found, f"{name}: there is no place {parts.fragment} in {found}"
    return found, ""


def _find(folder: Path, real: Path, path: str) -> str:
    """Return where a path from the first page leads to; "" when it is not a file of the site."""
    resolved = (folder / path).resolve()
    return resolved.relative_to(real).as_posix() if resolved.is_relative_to(real) and resolved.is_file() else ""
