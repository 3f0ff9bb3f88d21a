"""A browser, pages that are watched, and worlds to look at.

``GM_BROWSER`` names a Chromium, ``GM_ARTIFACTS`` a folder for pictures of pages, ``GM_BROWSER_WORLDS`` one in which the
worlds are kept from run to run.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from gm.files.layout import Layout
from tests.browser import worlds
from tests.browser.chromium import find_chromium, started
from tests.browser.serving import served
from tests.browser.watching import Watch
from tests.sharing import folder_of_all, once

Serve = Callable[..., str]
Keep = Callable[[Page, str], None]
TALLEST = 3000
"""Pixels of a page that are kept in a picture."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One for all tests of this folder; it must be gone before tests that run event loops of their own."""
    path = find_chromium()
    if path is None:
        pytest.skip("NO BROWSER: install Chromium (make browser) or name one in GM_BROWSER")
    with started(path) as running:
        yield running


@pytest.fixture
def watch(browser: Browser) -> Iterator[Watch]:
    """Pages that must not do what no page should; at the end the test fails if one did."""
    watching = Watch(browser)
    yield watching
    watching.close()
    assert not watching.faults, "\n".join([f"{len(watching.faults)} faults, of which:", *watching.faults[:20]])


@contextmanager
def _serving() -> Iterator[Serve]:
    addresses: dict[tuple[Path, tuple[str, ...]], str] = {}
    with ExitStack() as stack:

        def address_of(layout: Layout, *more: str) -> str:
            key = (layout.root, more)
            if key not in addresses:
                addresses[key] = stack.enter_context(served(layout.root, *more))
            return addresses[key]

        yield address_of


@pytest.fixture(scope="package")
def _serve_for_all() -> Iterator[Serve]:
    with _serving() as serve:
        yield serve


@pytest.fixture
def serve(_serve_for_all: Serve, tmp_path: Path) -> Iterator[Serve]:
    """Serve a world with the real ``gm view``, once; give the address of its first page.

    The server of a test's own world ends with the test: the world's folder goes with it.
    """
    with _serving() as serve:
        yield lambda layout, *more: (serve if layout.root.is_relative_to(tmp_path) else _serve_for_all)(layout, *more)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run have in common.

    Who works on pages and not on how days are played names one in ``GM_BROWSER_WORLDS``: it is kept from run to run.
    """
    folder = Path(os.environ.get("GM_BROWSER_WORLDS") or folder_of_all(tmp_path_factory))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def month(shared: Path) -> Layout:
    """A world of thirty days with everything switched on, for the soak. Shared: read it, do not write into it."""
    return once(shared / "month", worlds.make_month)


@pytest.fixture(scope="session")
def week(shared: Path) -> Layout:
    """A German world of seven after three days with everything on. Shared: read it, do not write into it."""
    return once(shared / "week", worlds.make_week)


@pytest.fixture(scope="session")
def attacked(shared: Path, two_full_days: Layout) -> Layout:
    """A world in which every text that can be written is an attack. Shared: read it, do not write into it."""
    return once(shared / "attacked", lambda folder: worlds.make_attacked(folder, two_full_days))


@pytest.fixture(scope="session")
def keep() -> Keep:
    """Keep a picture of a page under a name, where ``GM_ARTIFACTS`` names a folder for it; no test needs one.

    Of a very long page, it shows the beginning.
    """
    named = os.environ.get("GM_ARTIFACTS")

    def take(page: Page, name: str) -> None:
        if not named:
            return
        width, height = page.evaluate("[innerWidth, Math.max(innerHeight, document.documentElement.scrollHeight)]")
        page.screenshot(
            path=Path(named) / f"{name}.png",
            full_page=True,
            clip={"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)},
        )

    return take
