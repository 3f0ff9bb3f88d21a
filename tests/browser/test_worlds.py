"""Worlds of every kind in a real browser: German, new, made by hand, broken in one file, published to a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from gm.files.layout import Layout
from tests.browser.conftest import Serve
from tests.browser.crawling import PATTERNS, crawl
from tests.browser.samples import Links, expected
from tests.browser.serving import gm
from tests.browser.watching import Watch
from tests.handmade import BROKEN_BULLETIN, make_handmade

SOME = dict.fromkeys(PATTERNS, 2)


def open_some(layout: Layout, serve: Serve, watch: Watch) -> set[str]:
    """Open two pages of each kind on a phone; tell the languages that they say they are in."""
    root = serve(layout)
    watch.allow(root)
    page = watch.page(viewport={"width": 390, "height": 844})
    languages = set()

    def look(kind: str, address: str) -> None:
        languages.add(str(page.get_attribute("html", "lang")))
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            watch.faults.append(f"{address}: wider than a phone")

    crawl(watch, page, root, look, SOME)
    return languages


def test_a_german_world_of_seven(week: Layout, serve: Serve, watch: Watch) -> None:
    assert open_some(week, serve, watch) == {"de"}


def test_a_world_before_its_first_day(studio: Layout, serve: Serve, watch: Watch) -> None:
    assert open_some(studio, serve, watch) == {"de"}


def test_a_world_made_by_hand(serve: Serve, watch: Watch, tmp_path: Path) -> None:
    assert open_some(make_handmade(tmp_path / "by hand"), serve, watch)


def test_a_world_with_a_broken_file_still_shows_the_rest(serve: Serve, watch: Watch, tmp_path: Path) -> None:
    assert open_some(make_handmade(tmp_path / "broken", bulletin=BROKEN_BULLETIN), serve, watch)


def published(layout: Layout, folder: Path) -> str:
    done = subprocess.run(gm("publish", folder, "-w", layout.root, "--all"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return f"{folder.as_uri()}/"


def test_a_published_world_opens_from_the_disk(month: Layout, watch: Watch, tmp_path: Path) -> None:
    root = published(month, tmp_path / "mein Ordner")
    watch.allow(root)
    opened = crawl(watch, watch.page(), root, most=SOME)
    assert set(opened) == {name for name, paths in expected(month, live=False).items() if paths}


def test_no_link_of_a_published_world_leads_nowhere(month: Layout, tmp_path: Path) -> None:
    folder = tmp_path / "site"
    root = published(month, folder)
    pages = {
        f"{root}{path.relative_to(folder).as_posix()}": Links(path.read_text("utf-8"))
        for path in folder.rglob("*.html")
    }
    nowhere, linked = [], {urljoin(root, "index.html")}
    for address, links in pages.items():
        for target in [*links.targets, *links.files]:
            link, place = urldefrag(urljoin(address, target))
            found = pages.get(link)
            linked.add(link)
            if not Path(unquote(urlsplit(link).path)).is_file() or (found and place and place not in found.places):
                nowhere.append((address.removeprefix(root), target))
    assert nowhere == []
    assert linked >= set(pages)
