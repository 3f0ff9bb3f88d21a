"""A window that remembers what a page should not have done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Error, Page, Request, Response

ABORTED = "net::ERR_ABORTED"
GONE = ("CONNECTION_REFUSED", "CONNECTION_RESET", "EMPTY_RESPONSE", "INCOMPLETE_CHUNKED_ENCODING")
"""What a browser says of a server that is not there."""
SOON_MS = 120_000
"""Only what hangs takes so long; how fast an answer is is not what these tests are for."""


class Watch:
    """Opens pages and collects faults: errors on the console, attacks that got loose, requests to elsewhere.

    Attributes:
        faults: One sentence each, with the page where it was seen.
    """

    def __init__(self, browser: Browser, *origins: str) -> None:
        """Watch a browser.

        Args:
            browser: A running one.
            origins: How addresses begin that may be asked: of a server, or of a folder (``file:///…/``).
        """
        self._browser = browser
        self._origins = list(origins)
        self._contexts: list[BrowserContext] = []
        self._expected: set[int] = set()
        self._may_be_gone = False
        self.faults: list[str] = []

    def allow(self, origin: str) -> None:
        """Let pages ask a server or a folder."""
        self._origins.append(origin)

    def expect_status(self, status: int) -> None:
        """Accept answers with this status, which would be a fault otherwise."""
        self._expected.add(status)

    def expect_gone(self) -> None:
        """Accept that a server does not answer, which would be a fault otherwise."""
        self._may_be_gone = True

    def page(self, **options: Any) -> Page:
        """Open an empty page in a context of its own; ``options`` are those of ``Browser.new_context``."""
        context = self._browser.new_context(**options)
        self._contexts.append(context)
        context.set_default_timeout(SOON_MS)
        context.on("request", self._asked)
        context.on("requestfailed", self._failed)
        context.on("response", self._answered)
        context.on("console", self._said)
        context.on("weberror", lambda error: self._add(_where(error.page), f"uncaught: {error.error}"))
        context.on("dialog", self._opened)
        return context.new_page()

    def visit(self, page: Page, address: str) -> None:
        """Go to a page, and see whether something was set loose in it.

        Raises:
            AssertionError: There is no such page, or it cannot be shown.
        """
        answer = page.goto(address, wait_until="load")
        assert answer is None or answer.status < 400, f"{answer.status} for {address}"
        self.look(page)

    def look(self, page: Page) -> None:
        """Record a fault if an attack ran in a page."""
        try:
            mark = page.evaluate("window.__attacked || Object.keys(Object.prototype).join(' ')")
        except Error:  # the page has gone elsewhere meanwhile
            mark = "the page went away"
        if mark:
            self._add(page.url, f"an attack ran: {mark}")

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()
        self._contexts.clear()

    def _add(self, where: str, what: str) -> None:
        self.faults.append(f"{where}: {what}")

    def _allowed(self, address: str) -> bool:
        inside = ("about:", "blob:", "data:", *self._origins)
        return address.startswith(inside)

    def _asked(self, request: Request) -> None:
        if not self._allowed(request.url):
            self._add(_of(request), f"asks {request.url[:200]}")

    def _failed(self, request: Request) -> None:
        if request.failure != ABORTED and not self._is_gone(
            request.failure
        ):  # who leaves a page ends what it waits for
            self._add(_of(request), f"{request.url[:200]} failed: {request.failure}")

    def _answered(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self._expected:
            self._add(_of(response.request), f"{response.status} for {response.url[:200]}")

    def _said(self, message: ConsoleMessage) -> None:
        expected = any(f"status of {status} " in message.text for status in self._expected)
        if message.type in ("error", "warning") and not expected and not self._is_gone(message.text):
            self._add(_where(message.page), f"{message.type} on the console: {message.text[:500]}")

    def _is_gone(self, what: str | None) -> bool:
        return self._may_be_gone and any(f"net::ERR_{reason}" in (what or "") for reason in GONE)

    def _opened(self, dialog: Dialog) -> None:
        self._add(_where(dialog.page), f"a dialog: {dialog.message[:200]}")
        dialog.dismiss()


Watching = Callable[..., Page]


def _where(page: Page | None) -> str:
    return page.url if page else "?"


def _of(request: Request) -> str:
    try:
        return request.frame.url or request.url
    except Error:  # a request of no page
        return request.url
