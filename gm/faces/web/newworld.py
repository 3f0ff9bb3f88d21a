"""Forms that make a new world: filled in, previewed under a seal, then made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gm.api.views.worlds import is_free_folder, make_world, place_for, plan_world
from gm.api.worlds.create import describe_templates
from gm.base.errors import GmError
from gm.faces.web.actions.sent import answer_sent, check_token
from gm.faces.web.fields import Fields
from gm.faces.web.new_world_forms import WAYS, Way
from gm.files.layout import Layout
from gm.files.packaged.shipped import shipped_languages

FOLDER = "edit/world"
"""Begins the paths of the forms on the pages of a world."""


@dataclass(frozen=True, slots=True)
class WorldForms:
    """The forms of one server.

    Attributes:
        home: The folder in which new worlds lie.
        folder: Begins the paths of the forms.
        within: Whether a world always lies in a sub-folder, even if ``home`` is free.
        language: Returns the language that a form begins with.
        render: Renders a template of ``templates/beginning/`` with its variables; an ``error`` among them is a refusal.
        answer: Makes the world by the function that it gets, and answers.
    """

    home: Path
    folder: str
    token: str
    within: bool
    language: Callable[[Request], str]
    render: Callable[[Request, str, Mapping[str, Any]], Response]
    answer: Callable[[Callable[[], Layout]], Response]

    def path(self, way: Way) -> str:
        """Return the canonical path of a form."""
        return f"{self.folder}/{way.name}.html"

    def routes(self) -> list[Route]:
        """Return the routes of all forms."""
        return [
            *(Route(f"/{self.path(way)}", partial(self._begin, way), methods=["GET"]) for way in WAYS),
            *(Route(f"/{self.path(way)}", answer_sent(partial(self._take, way)), methods=["POST"]) for way in WAYS),
        ]

    def _begin(self, way: Way, request: Request) -> Response:
        return self._fill(request, way, {**way.fields, "language": self.language(request)})

    def _take(self, way: Way, request: Request, sent: Fields) -> Response:
        fields = {name: sent.get(name, "") for name in way.fields}
        try:
            check_token(sent, self.token)
            if sent.get("step") == "edit":
                return self._fill(request, way, fields)
            make, name = way.read(fields)
            folder = place_for(self.home, fields["folder"].strip(), name, within=self.within)
            if sent.get("step") == "write":
                return self.answer(lambda: make_world(folder, make, sent.get("seal", "")))
            shown = {"way": way, "own": self.path(way), "values": fields, "plan": plan_world(folder, make)}
            return self.render(request, "preview", shown)
        except GmError as error:
            return self._fill(request, way, fields, error)

    def _fill(self, request: Request, way: Way, values: Fields, error: GmError | None = None) -> Response:
        shown = {
            "way": way,
            "own": self.path(way),
            "values": values,
            "error": error,
            "languages": shipped_languages(),
            "free": not self.within and is_free_folder(self.home),
            "templates": describe_templates(),
        }
        return self.render(request, way.name, shown)
