"""Pages on which people judge pairs of texts, blind (``gm judge DIR --page``).

Nothing that a browser is sent says which condition a text comes from: a pair is named by a digest, and the folder not at
all. Which text is shown first, and the order of the pairs, follow from the judge and the pair, so they stay.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock
from typing import Any
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from gm.base.casefold import casefold
from gm.base.errors import GmError, UsageError
from gm.faces.web.actions.sent import answer_sent, check_token, refusal
from gm.faces.web.app import STATIC, Guard
from gm.faces.web.beginning import words_for
from gm.faces.web.fields import Fields, FormError
from gm.faces.web.paths import relative
from gm.faces.web.rendering import render_bare
from gm.files.judging import append_verdict, read_pairs, read_verdicts
from gm.model.verdict import CHOICES, TURNED, Pair, Verdict

FIRST_PAGE, PAIR_PAGE = "index.html", "pair.html"
LONGEST_NAME, LONGEST_REASON = 80, 2000


@dataclass(frozen=True, slots=True)
class Shown:
    """A pair as one judge sees it; ``name`` and the order say nothing to others."""

    pair: Pair
    name: str
    swapped: bool

    @property
    def texts(self) -> tuple[str, str]:
        first, second = self.pair.first_text, self.pair.second_text
        return (second, first) if self.swapped else (first, second)

    def verdict(self, judge: str, choice: str, reason: str) -> Verdict:
        stored = TURNED[choice] if self.swapped else choice
        return Verdict(pair=self.pair.key, judge=judge, swapped=self.swapped, choice=stored, reason=reason)


def show(pair: Pair, judge: str) -> Shown:
    """Return a pair as a judge sees it, always the same."""
    digest = hashlib.sha256(f"{casefold(judge)}\0{pair.key}".encode("utf-8", "surrogatepass")).hexdigest()
    return Shown(pair, digest[:24], digest[-1] in "13579bdf")


class Judging:
    """An ASGI application's handlers; ``make_judging`` makes the application."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._token = token_urlsafe()
        self._writing = Lock()

    def first(self, request: Request) -> Response:
        return self._render(request, "first", {"pairs": len(self._pairs())})

    def pair(self, request: Request) -> Response:
        return self._show(request, request.query_params.get("judge", ""))

    def take(self, request: Request, sent: Fields) -> Response:
        judge = sent.get("judge", "")
        try:
            check_token(sent, self._token)
            judge = _named(request, judge)
            if sent.get("choice") not in CHOICES:
                raise FormError(words_for(request)("judge.choose"))
            with self._writing:  # a second click is a second verdict otherwise
                _, left = self._left(judge)
                asked = next((shown for shown in left if shown.name == sent.get("pair")), None)
                if asked:
                    reason = " ".join(sent.get("reason", "").split())[:LONGEST_REASON]
                    append_verdict(self._folder, asked.verdict(judge, sent["choice"], reason))
        except GmError as error:
            return self._show(request, judge, error)
        return RedirectResponse(f"/{PAIR_PAGE}?{urlencode({'judge': judge})}", 303)

    def missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        words = words_for(request)
        told = FormError(words.sentences.get(f"error.{status}", words("error.other")))
        return self._render(request, "first", {"pairs": 0, "error": told}, status)

    def refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, GmError)
        return self._render(request, "first", {"pairs": 0, "error": error})

    def _show(self, request: Request, judge: str, error: GmError | None = None) -> Response:
        try:
            judge = _named(request, judge)
        except FormError as wrong:
            return self._render(request, "first", {"pairs": len(self._pairs()), "error": error or wrong})
        done, left = self._left(judge)
        around = {"judge": judge, "done": done, "count": done + len(left), "error": error}
        if not left:
            return self._render(request, "done", around)
        return self._render(request, "pair", {**around, "shown": left[0]})

    def _pairs(self) -> tuple[Pair, ...]:
        pairs, problems = read_pairs(self._folder)
        if not pairs:
            raise UsageError("there are no pairs to judge here", "make them first: gm judge DIR", problems)
        return pairs

    def _left(self, judge: str) -> tuple[int, list[Shown]]:
        """Return how many pairs a judge has judged, and the others in the judge's order."""
        pairs, same = self._pairs(), casefold(judge)
        judged = {verdict.pair for verdict in read_verdicts(self._folder)[0] if casefold(verdict.judge) == same}
        left = sorted((show(pair, judge) for pair in pairs if pair.key not in judged), key=lambda shown: shown.name)
        return len(pairs) - len(left), left

    def _render(self, request: Request, template: str, shown: Mapping[str, Any], status: int = 0) -> Response:
        error = shown.get("error")
        refused, notice = refusal(error) if error else (200, "")
        path = request.url.path.lstrip("/")
        around = {"token": self._token, "notice": notice, "file": lambda place: relative(place, path)}
        most = {"longest_name": LONGEST_NAME, "longest_reason": LONGEST_REASON}
        page = render_bare(f"judging/{template}.html", words_for(request), {**around, **most, "error": None, **shown})
        return HTMLResponse(page, status or refused)


def make_judging(folder: Path) -> Starlette:
    """Return the application on which people judge the pairs of a folder."""
    pages = Judging(folder)
    return Starlette(
        routes=[
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
            Route("/", lambda _request: RedirectResponse(f"/{FIRST_PAGE}"), methods=["GET"]),
            Route(f"/{FIRST_PAGE}", pages.first, methods=["GET"]),
            Route(f"/{PAIR_PAGE}", pages.pair, methods=["GET"]),
            Route(f"/{PAIR_PAGE}", answer_sent(pages.take), methods=["POST"]),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: pages.missing, GmError: pages.refused},
    )


def _named(request: Request, judge: str) -> str:
    """Return the name of a judge with single spaces.

    Raises:
        FormError: It is empty, too long, or holds what cannot be printed.
    """
    name = " ".join(judge.split())
    if not name or len(name) > LONGEST_NAME or not name.isprintable():
        raise FormError(words_for(request)("judge.name_wrong", most=LONGEST_NAME))
    return name
