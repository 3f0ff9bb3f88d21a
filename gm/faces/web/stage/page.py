"""The page of the stage: what is being played, and what can be done about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from gm.api.reports.models import known_models
from gm.api.views.day import view_day
from gm.api.views.gallery import named_pieces
from gm.api.views.reading import view_draft
from gm.api.views.scenes import SceneView
from gm.base.config import TIMES_OF_DAY
from gm.faces.web.fields import CAST
from gm.faces.web.pages.kind import PageKind, Shown
from gm.faces.web.pages.world import money
from gm.faces.web.site import Site
from gm.faces.web.stage.orders import MOST_DAYS, NEXT_SCENE
from gm.faces.web.stage.state import RunRequest, RunState
from gm.files.uncommitted.writing import find_writers
from gm.llm.local import find_servers, local_providers

PLAIN = ("continue", "skip", "end", "quit", "candidates")
"""Commands without a text, in the order of their buttons."""


def show_play(site: Site) -> Shown:
    """Show the run of this server, that of a terminal, or the form that starts one."""
    stage, frame = site.stage, site.frame
    view = view_day(site.layout, frame.day) if frame.day else None
    known = known_models(site.layout, site.environment)
    servers = find_servers(local_providers(site.environment)) if site.editable and not stage.is_busy else ()
    request = stage.state.request
    offered = (*known.others, *(name for server in servers for name in server.models))
    if stage.state.kind == "failed" and request.model not in offered:
        request = replace(request, model="")  # a name that may be misspelt is not offered
    return {
        "title": site.words("stage.title"),
        "view": view,
        "state": stage.state,
        "holder": stage.holder,
        "speaking": find_writers(site.layout) if stage.holder else (),
        "takes": tuple(_takes(site, stage.state)),
        "known": known,
        "servers": servers,
        "values": fill_form(request),
        "pieces": named_pieces(site.layout, view.artifacts if view else ()),
        "money": partial(money, site.words),
        "times": TIMES_OF_DAY,
        "with_name": CAST,
        "most_days": MOST_DAYS,
        "plain": [name for name in PLAIN if name in stage.state.choices],
        "forecast": None,
        "follows": True,
    }


def _takes(site: Site, state: RunState) -> Iterator[tuple[int, str, SceneView]]:
    for take in state.takes:
        scene = view_draft(site.layout, state.day or 0, take.log, take.memories, take.threads)
        yield take.number, take.note, scene


def fill_form(request: RunRequest) -> dict[str, str]:
    """Return the fields of the form that asks for a run."""
    return {
        "much": NEXT_SCENE if request.scenes else "days",
        "days": str(request.days),
        "model": request.model,
        "plays": request.plays,
        **({"decides": "on"} if request.decides else {}),
    }


def view_told(state: RunState) -> Mapping[str, Any]:
    """Return what open pages hear of a run as it changes."""
    return {
        "running": state.is_running,
        "version": state.version,
        "answered": state.answered,
        "writing": [{"who": one.who, "characters": one.characters, "words": one.words} for one in state.writing],
    }


PLAY = PageKind("play", "play.html", "play", show_play, is_live=True)
