"""The live pages as an ASGI application.

The server listens on loopback only, but a page of another site can make a browser send requests: through a name that it
points at 127.0.0.1 (so ``Host`` is checked), or by a form (so changes need our ``Origin``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from secrets import token_urlsafe
from time import time_ns
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gm.base.errors import GmError, LockedError, UsageError
from gm.faces.web.actions import ACTIONS
from gm.faces.web.actions.flow import answer_filled, answer_form
from gm.faces.web.live import Watcher, answer_events
from gm.faces.web.pages import KINDS
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.paths import FOLDER, find_by_path, headers_for
from gm.faces.web.rendering import render_page, render_template
from gm.faces.web.site import NoPageError, Query, Site, open_site
from gm.files.layout import Layout
from gm.files.pieces import read_bytes
from gm.files.streams.memories import Memories

STATIC = Path(str(files("gm.faces.web") / "static"))
HOSTS = ("127.0.0.1", "localhost", "::1")
READING = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Desk:
    """Shared state of one server.

    Attributes:
        token: In the forms of this server; unknown to pages of other sites.
    """

    layout: Layout
    memories: Memories
    read_only: bool = False
    token: str = field(default_factory=token_urlsafe, repr=False)

    def site(self) -> Site:
        token = "" if self.read_only else self.token
        as_of = time_ns()
        site = open_site(self.layout, memories=self.memories)
        return replace(site, read_only=self.read_only, token=token, as_of=as_of)


def make_app(layout: Layout, *, read_only: bool = False, memories: Memories | None = None) -> Starlette:
    """Return the application, with its ``Watcher`` as ``state.watcher``."""
    desk = Desk(layout, memories or Memories(layout), read_only)
    watcher = Watcher(layout)
    app = Starlette(
        routes=[
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
            Route("/", _first, methods=["GET"]),
            Route(f"/{FOLDER}/{{name}}", _file(desk), methods=["GET"]),
            *(Route(f"/{kind.pattern}", _page(desk, kind), methods=["GET"]) for kind in KINDS),
            *([] if read_only else _forms(desk)),
            Route("/events", answer_events(watcher), methods=["GET"]),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: _missing(desk), NoPageError: _missing(desk), GmError: _refused(desk)},
    )
    app.state.watcher = watcher
    return app


def _forms(desk: Desk) -> list[Route]:
    return [
        route
        for action in ACTIONS
        for route in (
            Route(f"/{action.pattern}", answer_form(desk.site, action), methods=["GET"]),
            Route(f"/{action.pattern}", answer_filled(desk.site, action), methods=["POST"]),
        )
    ]


def _first(_request: Request) -> Response:
    return RedirectResponse("/index.html")


def _page(desk: Desk, kind: PageKind) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        site = desk.site()
        query = {name: request.query_params.getlist(name) for name in request.query_params}
        variables = {"saved": saved_in(query), **kind.show(site, dict(request.path_params), query)}
        return HTMLResponse(render_page(site, kind, _path(request), variables))

    return answer


def saved_in(query: Query) -> str:
    """Return the action that the query names as just done; empty = none."""
    return next((action.name for action in ACTIONS if query.get("saved") == [action.name]), "")


def _file(desk: Desk) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        piece = find_by_path(desk.layout, _path(request))
        if piece is None:
            raise NoPageError(_path(request))
        return Response(read_bytes(desk.layout, piece), headers=headers_for(piece))

    return answer


def _path(request: Request) -> str:
    return request.url.path.lstrip("/") or "index.html"


Handler = Callable[[Request, Exception], Response | Awaitable[Response]]


def _missing(desk: Desk) -> Handler:
    def answer(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        return _told(desk, request, status, {"error": None})

    return answer


def _refused(desk: Desk) -> Handler:
    def answer(request: Request, error: Exception) -> Response:
        status = 400 if isinstance(error, UsageError) else 423 if isinstance(error, LockedError) else 409
        return _told(desk, request, status, {"error": error})

    return answer


def _told(desk: Desk, request: Request, status: int, variables: Mapping[str, Any]) -> Response:
    site = desk.site()
    title = site.words.sentences.get(f"error.{status}", site.words("error.other"))
    shown = {"title": title, "status": status, **variables}
    return HTMLResponse(render_template(site, "error.html", _path(request), shown), status)


class Guard:
    """Middleware that refuses requests from pages of other sites, and adds security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refusal(scope["method"], Headers(scope=scope))

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        answer = self._app if refusal is None else PlainTextResponse(refusal + "\n", 403)
        await answer(scope, receive, send_guarded)


def _refusal(method: str, headers: Headers) -> str | None:
    hosts = headers.getlist("host")
    if len(hosts) != 1 or not is_own_host(hosts[0]):
        return "gm view answers to 127.0.0.1 and localhost only"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{hosts[0]}":
        return "this request comes from a page of another site"
    if method not in READING and origin is None:
        return "a change has to come from one of gm's own pages"
    return None


def is_own_host(host: str) -> bool:
    """Return whether a ``Host`` header names this machine."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname in HOSTS and parts.username is None and not parts.path and parts.port != 0
    except ValueError:
        return False
