"""The live pages as an ASGI application.

The server listens on loopback only, but a page of another site can make a browser send requests: through a name that it
points at 127.0.0.1 (so ``Host`` is checked), or by a form (so changes need our ``Origin``).
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
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
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gm.base.errors import GmError
from gm.base.texts import clip, one_line
from gm.faces.web import colours
from gm.faces.web.actions import ACTIONS
from gm.faces.web.actions.deeds import DEEDS, answer_deed
from gm.faces.web.actions.editor import answer_check
from gm.faces.web.actions.flow import answer_filled, answer_form
from gm.faces.web.actions.making import CHECK
from gm.faces.web.actions.sent import refusal
from gm.faces.web.live import Watcher, answer_events
from gm.faces.web.newworld import FOLDER as NEW_WORLD
from gm.faces.web.newworld import WorldForms
from gm.faces.web.pages import KINDS
from gm.faces.web.pages.kind import PageKind
from gm.faces.web.paths import FOLDER, PORTRAITS, find_by_path, headers_for
from gm.faces.web.portraits import portrait
from gm.faces.web.rendering import render_page, render_template
from gm.faces.web.site import NoPageError, Query, Site, open_site
from gm.faces.web.stage.deed import stage_deed
from gm.faces.web.stage.page import view_told
from gm.faces.web.stage.run import StageRun
from gm.faces.web.staticfiles import mount_static
from gm.files.layout import Layout, is_world
from gm.files.media.pieces import read_bytes
from gm.files.streams.memories import Memories

HOSTS = ("127.0.0.1", "localhost", "::1")
READING = ("GET", "HEAD")
LASTING, LASTING_S = ("/static/fonts/", "/static/vendor/"), 7 * 24 * 3600
"""Paths of files that change with a release of others only, and how long browsers keep them."""
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

LONGEST_ASKED = 80
"""Characters of an address that a page of an error shows."""
COMMANDS = tuple((action.name, action.pattern) for action in ACTIONS if "{" not in action.pattern)
Handler = Callable[[Request, Exception], Response | Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class SharedState:
    """Shared state of one server.

    Attributes:
        token: In the forms of this server; unknown to pages of other sites.
    """

    layout: Layout
    memories: Memories
    run: StageRun
    environment: Mapping[str, str] = field(repr=False)
    read_only: bool = False
    token: str = field(default_factory=token_urlsafe, repr=False)

    def site(self) -> Site:
        as_of = time_ns()
        return replace(
            open_site(self.layout, memories=self.memories),
            read_only=self.read_only,
            token="" if self.read_only else self.token,
            commands=() if self.read_only else COMMANDS,
            as_of=as_of,
            stage=self.run.stage(),
            environment=self.environment,
        )

    def site_to_change(self) -> Site:
        """Return the site for a form.

        Raises:
            GmError: The world was taken away while it was served; a form would begin another one in its place.
        """
        if not is_world(self.layout.root):
            raise GmError(f"{self.layout.root} is not a world any more", "put it back; nothing was written")
        return self.site()


def make_app(
    layout: Layout, *, read_only: bool = False, memories: Memories | None = None, run: StageRun | None = None
) -> Starlette:
    """Return the application, with its ``Watcher`` as ``state.watcher`` and its ``StageRun`` as ``state.run``."""
    watcher, run = Watcher(layout), run or StageRun(layout)
    run.on_change = watcher.announce
    shared = SharedState(layout, memories or Memories(layout), run, os.environ, read_only)
    app = Starlette(
        routes=[
            mount_static(),
            Route("/", _redirect_to_index, methods=["GET"]),
            Route(f"/{FOLDER}/{{name}}", _answer_file(shared), methods=["GET"]),
            Route(f"/{PORTRAITS}/{{name}}", _portrait(shared), methods=["GET"]),
            Route(f"/{colours.PATH}", _colours(shared), methods=["GET"]),
            *(Route(f"/{kind.pattern}", _page(shared, kind), methods=["GET"]) for kind in KINDS),
            *([] if read_only else _forms(shared)),
            Route("/events", answer_events(watcher, lambda: view_told(run.state)), methods=["GET"]),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={
            HTTPException: _answer_missing(shared),
            NoPageError: _answer_missing(shared),
            GmError: _answer_refusal(shared),
        },
    )
    app.state.watcher, app.state.run = watcher, run
    return app


def _forms(shared: SharedState) -> list[Route]:
    site_to_change = shared.site_to_change
    return [
        Route(f"/{CHECK}", answer_check(site_to_change), methods=["POST"]),
        *(
            Route(f"/{deed.kind.pattern}", answer_deed(site_to_change, deed), methods=["POST"])
            for deed in (*DEEDS, stage_deed(shared.run))
        ),
        *(Route(f"/{action.pattern}", answer_form(site_to_change, action), methods=["GET"]) for action in ACTIONS),
        *(Route(f"/{action.pattern}", answer_filled(site_to_change, action), methods=["POST"]) for action in ACTIONS),
        *_world_forms(shared).routes(),
    ]


def _world_forms(shared: SharedState) -> WorldForms:
    """Return the forms that make another world, in a folder beside this one."""

    def render(request: Request, template: str, shown: Mapping[str, Any]) -> Response:
        site, error = shared.site_to_change(), shown.get("error")
        status, notice = refusal(error) if error else (200, "")
        around = {"around": "base.html", "title": site.words("make.world"), "section": "make", "back": "make.html"}
        said = {"home": site.layout.root.parent, "token": site.token, "notice": notice, "renews": False}
        page = render_template(site, f"beginning/{template}.html", _path(request), {**around, **said, **shown})
        return HTMLResponse(page, status)

    def answer(make: Callable[[], Layout]) -> Response:
        make()
        return RedirectResponse("/history.html?saved=world", 303)

    home, language = shared.layout.root.parent, lambda _request: shared.site().frame.language
    return WorldForms(home, NEW_WORLD, shared.token, within=True, language=language, render=render, answer=answer)


def _redirect_to_index(_request: Request) -> Response:
    return RedirectResponse("/index.html")


def _page(shared: SharedState, kind: PageKind) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        site = shared.site()
        query = {name: request.query_params.getlist(name) for name in request.query_params}
        variables = {"saved": read_saved_action(query), **kind.show(site, dict(request.path_params), query)}
        return HTMLResponse(render_page(site, kind, _path(request), variables))

    return answer


def read_saved_action(query: Query) -> str:
    """Return the action that the query names as just done; empty = none."""
    names = (*(action.name for action in ACTIONS), *(deed.name for deed in DEEDS), "world")
    return next((name for name in names if query.get("saved") == [name]), "")


def _answer_file(shared: SharedState) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        piece = find_by_path(shared.layout, _path(request))
        if piece is None:
            raise NoPageError(_path(request))
        return Response(read_bytes(shared.layout, piece), headers=headers_for(piece))

    return answer


def _portrait(shared: SharedState) -> Callable[[Request], Response]:
    def answer(request: Request) -> Response:
        data, headers = portrait(shared.site(), _path(request))
        return Response(data, headers=headers)

    return answer


def _colours(shared: SharedState) -> Callable[[Request], Response]:
    return lambda _request: Response(colours.stylesheet(shared.site().frame.cast), media_type="text/css")


def _path(request: Request) -> str:
    return request.url.path.lstrip("/") or "index.html"


def _answer_missing(shared: SharedState) -> Handler:
    def answer(request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        return _answer_error(shared, request, status, {"error": None})

    return answer


def _answer_refusal(shared: SharedState) -> Handler:
    def answer(request: Request, error: Exception) -> Response:
        assert isinstance(error, GmError)
        status, notice = refusal(error)
        return _answer_error(shared, request, status, {"error": error, "notice": notice})

    return answer


def _answer_error(shared: SharedState, request: Request, status: int, variables: Mapping[str, Any]) -> Response:
    site = shared.site()
    title = site.words.sentences.get(f"error.{status}", site.words("error.other"))
    asked = clip(one_line(request.scope["path"]), LONGEST_ASKED)
    shown = {"title": title, "status": status, "asked": asked, **variables}
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
                headers.setdefault("Cache-Control", _cache_control(scope["path"]))
            await send(message)

        answer = self._app if refusal is None else PlainTextResponse(refusal + "\n", 403)
        await answer(scope, receive, send_guarded)


def _cache_control(path: str) -> str:
    """Return how long a browser may keep an answer: what is released with its own name, some days; pages, never."""
    if path.startswith(LASTING):
        return f"max-age={LASTING_S}"
    return "no-cache" if path.startswith("/static/") else "no-store"


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
