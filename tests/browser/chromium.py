"""The browser of this machine: found, started, and one window for each test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""The shell comes first: for each window, the others draw the parts around the page too, which costs half a second."""
FLAGS = (
    "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip


def find_chromium() -> str | None:
    """Find a Chromium: the one that ``GM_BROWSER`` names, else one on the path; None = there is none."""
    named = os.environ.get("GM_BROWSER")
    found = (shutil.which(name) for name in ((named,) if named else NAMES))
    return next((path for path in found if path), None)


@contextmanager
def started(path: str) -> Iterator[Browser]:
    """Start a browser without a window of its own.

    While it runs, this thread counts as one with a running event loop: nothing else may start one in it.
    """
    alone = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *alone])
        try:
            yield browser
        finally:
            browser.close()
