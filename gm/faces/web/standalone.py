"""Applications whose pages belong to no world: they speak the language that the browser asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from secrets import token_urlsafe
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from gm.api.answers.speech import Words, load_words
from gm.base.languages import ENGLISH
from gm.base.languages import languages as declared
from gm.faces.web.actions.sent import refusal
from gm.faces.web.app import Guard
from gm.faces.web.paths import relative
from gm.faces.web.rendering import render_bare
from gm.faces.web.staticfiles import mount_static

FIRST_PAGE = "index.html"


class BarePages:
    """Renders the pages of one application.

    Args:
        templates: Their folder.
        around: Variables of all pages.
    """

    def __init__(self, templates: str, around: Mapping[str, Any]) -> None:
        self.token = token_urlsafe()
        self._templates = templates
        self._around = around

    def render(self, request: Request, template: str, shown: Mapping[str, Any], status: int = 0) -> Response:
        """Return a page; its ``error``, if any, decides its status unless one is given."""
        path, error = request.url.path.lstrip("/"), shown.get("error")
        refused, notice = refusal(error) if error else (200, "")
        own = {"token": self.token, "notice": notice, "file": lambda place: relative(place, path)}
        page = render_bare(f"{self._templates}/{template}.html", words_for(request), {**self._around, **own, **shown})
        return HTMLResponse(page, status or refused)


def make_standalone(
    routes: Sequence[BaseRoute], handlers: Mapping[Any, Callable[[Request, Any], Response]]
) -> Starlette:
    """Return an application of some routes, guarded as all pages are; ``/`` leads to the first page."""
    return Starlette(
        routes=[
            mount_static(),
            Route("/", lambda _request: RedirectResponse(f"/{FIRST_PAGE}"), methods=["GET"]),
            *routes,
        ],
        middleware=[Middleware(Guard)],
        exception_handlers=dict(handlers),
    )


def explain_status(request: Request, error: Exception) -> tuple[int, str]:
    """Return the status of a request that no route answers, and a sentence about it."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    words = words_for(request)
    return status, words.sentences.get(f"error.{status}", words("error.other"))


def words_for(request: Request) -> Words:
    """Return the words in the language that the browser asks for."""
    wanted = [part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    plain = (part.partition("-")[0].lower() for part in wanted)
    return load_words(next((part for part in plain if part in declared()), ENGLISH), "gm.faces.web")
