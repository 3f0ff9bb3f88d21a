"""The first page of a folder without a world: make a world, or open one of several; from then on that one is served."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from starlette.applications import Starlette
from starlette.datastructures import State
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from gm.api.views.worlds import find_worlds
from gm.base.errors import GmError, UsageError
from gm.faces.web import app, new_world_forms, newworld
from gm.faces.web.actions.sent import answer_sent, check_token
from gm.faces.web.fields import Fields
from gm.faces.web.standalone import FIRST_PAGE, BarePages, explain_status, make_standalone, words_for
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
        around = {"around": "beginning/frame.html", "back": FIRST_PAGE, "home": self._home}
        self._pages = BarePages("beginning", around)
        self._making = Lock()
        self._world: Starlette | None = None
        self._forms = newworld.WorldForms(
            self._home,
            FOLDER,
            self._pages.token,
            within=False,
            language=lambda request: words_for(request).language,
            render=self._pages.render,
            answer=self._make,
        )
        routes = [
            Route(f"/{FIRST_PAGE}", self._show_first, methods=["GET"]),
            Route(f"/{FOLDER}/open.html", answer_sent(self._open_world), methods=["POST"]),
            *self._forms.routes(),
        ]
        self._first = make_standalone(routes, {HTTPException: self._answer_missing})

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
        return self._pages.render(request, "first", shown, status)

    def _answer_missing(self, request: Request, error: Exception) -> Response:
        status, sentence = explain_status(request, error)
        return self._show_first(request, status, None if status == 404 else UsageError(sentence))

    def _open_world(self, request: Request, sent: Fields) -> Response:
        try:
            check_token(sent, self._pages.token)
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


def _redirect_to_index() -> Response:
    return RedirectResponse(f"/{FIRST_PAGE}", 303)
