"""What the editor of a file needs besides the text: its syntax, schema and names; and checks as a person types."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from gm.api.editing.check.variables import sample_variables
from gm.api.editing.textfiles import check_text, schema_for
from gm.api.views.scenes import scene_kinds
from gm.base.errors import Problem
from gm.faces.web.actions.flow import SiteToChange
from gm.faces.web.actions.sent import FormTokenError, answer_sent, check_token
from gm.faces.web.fields import Fields
from gm.faces.web.pages.kind import read_params
from gm.faces.web.paths import find_editable
from gm.faces.web.site import Site
from gm.faces.web.translated_errors import retell, translate_problem
from gm.files.editable import PROMPT, SCENE_TYPE, EditableFile
from gm.files.story.now import load_settings

WORDS = {name: name for name in ("label", "none", "some", "unknown", "character", "place", "layer", "scene_type")}
WORDS["one"] = "some.one"
SYNTAXES = {".yaml": "yaml", ".md": "markdown", ".j2": "jinja", ".json": "json", ".jsonl": "json"}


def editor_data(site: Site, file: EditableFile) -> Mapping[str, Any]:
    """Return the data of an editor: ``syntax``, ``schema`` (or None), ``names`` of the world by kind, ``variables``."""
    ending = file.path[file.path.rindex(".") :] if "." in file.path else ""
    settings = load_settings(site.layout)[0]
    return {
        "syntax": SYNTAXES.get(ending, "text"),
        "schema": schema_for(file),
        "names": {
            "character": {character.id: character.name for character in site.frame.cast},
            "place": dict(settings.places),
            "layer": {name: site.words.known("switch", name) for name in settings.switches},
            "scene_type": {name: kind.title for name, kind in scene_kinds(site.layout, site.frame.language).items()},
        },
        "variables": _variables(file),
        "words": {key: site.words.sentences[f"editor.{said}"] for key, said in WORDS.items()},
    }


def _variables(file: EditableFile) -> list[str]:
    if file.kind not in (PROMPT, SCENE_TYPE):
        return []
    name = "scene" if file.kind == SCENE_TYPE else file.path.rpartition("/")[2]
    return sorted(sample_variables().get(name, ()))


def answer_check(site_to_change: SiteToChange) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler that says what ``gm check`` would say of a text; nothing is written."""

    def check(request: Request, sent: Fields) -> Response:
        site = site_to_change()
        try:
            check_token(sent, site.token)
        except FormTokenError as error:
            raise HTTPException(403) from error
        file = find_editable(site.layout, read_params(site, request.path_params)["key"])
        if file is None:
            raise HTTPException(404)
        found = check_text(site.layout, file, sent.get("text", ""))
        return JSONResponse({"problems": [_problem_values(problem, site.frame.language) for problem in found]})

    return answer_sent(check)


def _problem_values(problem: Problem, language: str) -> dict[str, object]:
    kind = translate_problem(problem, language)
    texts = {"message": problem.message, "hint": problem.hint}
    known = {name: translated for name, text in texts.items() if (translated := retell(text, language))}
    english = [name for name in texts if kind and name not in known]
    place = {"severity": problem.severity, "line": problem.line, "column": problem.column}
    return {"kind": kind, **place, **texts, **known, "english": english}
