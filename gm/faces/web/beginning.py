"""The first page of a folder without a world: make a world, or open one of several; from then on that one is served."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
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
from gm.api.views.worlds import Make, find_worlds, is_free, make_world, place_for, plan_world
from gm.api.worlds.create import create_world, describe_templates
from gm.api.worlds.new import Sketch, languages, new_world, read_named
from gm.base.errors import GmError, UsageError
from gm.base.languages import ENGLISH
from gm.base.languages import languages as declared
from gm.faces.web.actions.sent import answer_sent, check_token, refusal
from gm.faces.web.app import STATIC, Guard, make_app
from gm.faces.web.fields import Fields
from gm.faces.web.paths import relative
from gm.faces.web.rendering import render_bare
from gm.files.layout import Layout

FOLDER = "begin"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make a world: a form with its fields; ``read`` returns the maker and a name for the folder."""

    name: str
    fields: Fields
    read: Callable[[Fields], tuple[Make, str]]

    @property
    def path(self) -> str:
        return f"{FOLDER}/{self.name}.html"


def _read_template(fields: Fields) -> tuple[Make, str]:
    known = {each.key: each for each in describe_templates()}
    chosen = known.get(fields["template"])
    if chosen is None:
        raise UsageError("choose one of the worlds")
    return (lambda folder: create_world(folder, chosen.template, days=chosen.days)), chosen.template


def _read_own(fields: Fields) -> tuple[Make, str]:
    title, premise, brief = (fields[name].strip() for name in ("title", "premise", "brief"))
    places, people = (
        tuple(read_named(line, what) for line in fields[name].splitlines() if line.strip())
        for name, what in (("places", "place"), ("people", "character"))
    )
    sketch = Sketch(fields["language"], title, premise, brief, places, people)
    return (lambda folder: new_world(folder, sketch)), title


WAYS = (
    Way("template", {"template": "", "folder": ""}, _read_template),
    Way(
        "own",
        {"title": "", "premise": "", "people": "", "places": "", "brief": "", "language": "", "folder": ""},
        _read_own,
    ),
)


class Beginning:
    """An ASGI application: the first page until there is a world, then the pages of that world.

    Args:
        home: A folder that is no world.
        opened: Called with the world once it is chosen.
    """

    def __init__(self, home: Path, opened: Callable[[Layout], None]) -> None:
        self._redirect_to_index = home.resolve()
        self._opened = opened
        self._token = token_urlsafe()
        self._making = Lock()
        self._world: Starlette | None = None
        self._first = Starlette(
            routes=[
                Mount("/static", StaticFiles(directory=STATIC), name="static"),
                Route("/", lambda _request: RedirectResponse("/index.html"), methods=["GET"]),
                Route("/index.html", self._show_first, methods=["GET"]),
                Route(f"/{FOLDER}/open.html", answer_sent(self._open_world), methods=["POST"]),
                *(Route(f"/{way.path}", partial(self._form, way), methods=["GET"]) for way in WAYS),
                *(Route(f"/{way.path}", answer_sent(partial(self._handle_way, way)), methods=["POST"]) for way in WAYS),
            ],
            middleware=[Middleware(Guard)],
            exception_handlers={HTTPException: self._answer_missing},
        )

    @property
    def state(self) -> State:
        """The state of the application that answers now."""
        return (self._world or self._first).state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: ASGIApp = self._world or self._first
        if self._world and scope["type"] == "http" and scope["path"].startswith(f"/{FOLDER}/"):
            answer = Guard(_redirect_to_index())  # a second click, or a tab that was left open
        await answer(scope, receive, send)

    def _show_first(self, request: Request, status: int = 0, error: GmError | None = None) -> Response:
        shown = {"worlds": find_worlds(self._redirect_to_index), "error": error, "ways": WAYS}
        return self._render_page(request, "first", shown, status)

    def _answer_missing(self, request: Request, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 404
        words = words_for(request)
        told = UsageError(words.sentences.get(f"error.{status}", words("error.other")))
        return self._show_first(request, status, None if status == 404 else told)

    def _form(self, way: Way, request: Request) -> Response:
        return self._fill(request, way, {**way.fields, "language": words_for(request).language})

    def _open_world(self, request: Request, sent: Fields) -> Response:
        try:
            check_token(sent, self._token)
        except GmError as error:
            return self._show_first(request, error=error)
        found = next((world for world in find_worlds(self._redirect_to_index) if world.name == sent.get("world")), None)
        if found is None:
            return self._show_first(request, 404, UsageError(words_for(request)("begin.gone")))
        with self._making:
            return self._serve(found.layout)

    def _handle_way(self, way: Way, request: Request, sent: Fields) -> Response:
        fields = {name: sent.get(name, "") for name in way.fields}
        try:
            check_token(sent, self._token)
            if sent.get("step") == "edit":
                return self._fill(request, way, fields)
            make, name = way.read(fields)
            folder = place_for(self._redirect_to_index, fields["folder"].strip(), name)
            if sent.get("step") == "write":
                return self._make(folder, make, sent.get("seal", ""))
            shown = {"way": way, "values": fields, "plan": plan_world(folder, make)}
            return self._render_page(request, "preview", shown)
        except GmError as error:
            return self._fill(request, way, fields, error)

    def _make(self, folder: Path, make: Make, seal: str) -> Response:
        with self._making:
            return _redirect_to_index() if self._world else self._serve(make_world(folder, make, seal))

    def _serve(self, layout: Layout) -> Response:
        if self._world is None:
            self._world = make_app(layout)
            self._opened(layout)
        return _redirect_to_index()

    def _fill(self, request: Request, way: Way, values: Fields, error: GmError | None = None) -> Response:
        shown = {
            "way": way,
            "values": values,
            "error": error,
            "languages": languages(),
            "free": is_free(self._redirect_to_index),
        }
        return self._render_page(request, way.name, {**shown, "templates": describe_templates()})

    def _render_page(self, request: Request, template: str, shown: Mapping[str, Any], status: int = 0) -> Response:
        path, error = request.url.path.lstrip("/"), shown.get("error")
        refused, notice = refusal(error) if error else (200, "")
        around = {
            "home": self._redirect_to_index,
            "token": self._token,
            "notice": notice,
            "file": lambda place: relative(place, path),
        }
        page = render_bare(f"beginning/{template}.html", words_for(request), {**around, **shown})
        return HTMLResponse(page, status or refused)


def _redirect_to_index() -> Response:
    return RedirectResponse("/index.html", 303)


def words_for(request: Request) -> Words:
    """Return the words in the language that the browser asks for."""
    wanted = [part.partition(";")[0].strip() for part in request.headers.get("accept-language", "").split(",")]
    plain = (part.partition("-")[0].lower() for part in wanted)
    return load_words(next((part for part in plain if part in declared()), ENGLISH), "gm.faces.web")
