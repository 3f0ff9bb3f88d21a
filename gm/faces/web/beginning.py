"""The first page of a folder without a world: make a world, or open one of several; from then on that one is served."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from secrets import token_urlsafe
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send

from gm.api.answers.speech import Words, load_words
from gm.api.views.worlds import find_worlds
from gm.base.errors import GmError, UsageError
from gm.base.languages import ENGLISH
from gm.base.languages import languages as declared
from gm.faces.web import app, fields, new_world_forms, newworld, paths, rendering
from gm.faces.web.actions.sent import answer_sent, check_token, refusal
from gm.files.layout import Layout

FOLDER = "begin"


class Beginning:
    """An ASGI application: the first page until there is a world, then the pages of that world.

    Args:
        home: A folder that is not a world.
        opened: Called with the world once it is chosen.
    """

    def __init__(self, home: Path, opened: Callable[[Layout], None]) -> None:
        self._home = home.resolve()
        self._opened = opened
        self._token = token_urlsafe()
        self._making = Lock()
        self._world: Starlette | None = None
        self._forms = newworld.WorldForms(
            self._home,
            FOLDER,
            self._token,
            within=False,
            language=lambda request: words_for(request).language,
            render=self._render_page,
            answer=self._make,
        )
        self._first = Starlette(
            routes=[
                Mount("/static", StaticFiles(directory=app.STATIC), name="static"),
                Route("/", lambda _request: RedirectResponse("/index.html"), methods=["GET"]),
                Route("/index.html", self._show_first, methods=["GET"]),
                Route(f"/{FOLDER}/open.html", answer_sent(self._open_world), methods=["POST"]),
                *self._forms.routes(),
            ],
            middleware=[Middleware(app.Guard)],
            exception_handlers={HTTPException: self._answer_missing},
        )

    @property
    def state(self) -> State:
        """The state of the application that answers now."""
        return (self._world or self._first).state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._world or self._first
        if self._world and scope["type"] == "http" and scope["path"].startswith(f"/{FOLDER}/"):
            answer = app.Guard(_redirect_to_index())  # a second click, or a tab that was left open
        await answer(scope, receive, send)

    def _show_first(self, request: Request, status: int = 0, error: GmError | None = None) -> Response:
        shown = {
            "worlds": find_worlds(self._home),
            "error": error,
            "forms": [(way, self._forms.path(way)) for way in new_world_forms.WAYS],
        }
        return self._render_page(request, "first", shown, status)

    def _answer_missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        words = words_for(request)
        told = UsageError(words.sentences.get(f"error.{status}", words("error.other")))
        return self._show_first(request, status, None if status == 404 else told)

    def _open_world(self, request: Request, sent: fields.Fields) -> Response:
        try:
            check_token(sent, self._token)
        except GmError as error:
            return self._show_first(request, error=error)
        found = next((world for world in find_worlds(self._home) if world.name == sent.get("world")), None)
        if found is None:
            return self._show_first(request, 404, UsageError(words_for(request)("begin.gone")))
        with self._making:
            return self._serve(found.layout)

    def _make(self, make: Callable[[], Layout]) -> Response:
        with self._making:
            return _redirect_to_index() if self._world else self._serve(make())

    def _serve(self, layout: Layout) -> Response:
        if self._world is None:
            self._world = app.make_app(layout)
            self._opened(layout)
        return _redirect_to_index()

    def _render_page(self, request: Request, template: str, shown: Mapping[str, Any], status: int = 0) -> Response:
        path, error = request.url.path.lstrip("/"), shown.get("error")
        refused, notice = refusal(error) if error else (200, "")
        around = {
            "around": "beginning/frame.html",
            "back": "index.html",
            "home": self._home,
            "token": self._token,
            "notice": notice,
            "file": lambda place: paths.relative(place, path),
        }
        page = rendering.render_bare(f"beginning/{template}.html", words_for(request), {**around, **shown})
        return HTMLResponse(page, status or refused)


def _redirect_to_index() -> Response:
    return RedirectResponse("/index.html", 303)


def words_for(request: Request) -> Words:
    """Return the words in the language that the browser asks for."""
    wanted = [part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    plain = (part.partition("-")[0].lower() for part in wanted)
    return load_words(next((part for part in plain if part in declared()), ENGLISH), "gm.faces.web")
