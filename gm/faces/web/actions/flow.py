"""From a submitted form to its preview, its commit, and the page of the result.

Each step answers a plain form, so that all works without scripts. Only the functions of ``gm.api`` write.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gm.api.editing.confirm import ChangedMeanwhileError, Preview, compare, confirm, preview
from gm.api.editing.memory import StaleError
from gm.api.editing.textfiles import StaleTextError
from gm.api.views.worddiff import Segment, Segments, mark_words, merge_words, show_changes
from gm.base.errors import GmError
from gm.faces.web.actions.forms import Action, SealedCall
from gm.faces.web.actions.sent import TOKEN, answer_sent, check_token, refusal
from gm.faces.web.fields import Fields, FormError
from gm.faces.web.pages import BY_NAME
from gm.faces.web.pages.kind import Params, read_params
from gm.faces.web.paths import name_pieces
from gm.faces.web.rendering import render_template
from gm.faces.web.site import Site
from gm.files.commits.lock import find_holder
from gm.files.editable import body_of
from gm.files.streams.find import line_print
from gm.model.node import node_from_record
from gm.model.record import RecordError

OURS = ("step", "seal", TOKEN)
"""Fields for the flow itself; ``step``: look (default), write, edit, again, mine."""
FRESH = ("print", "was")
"""Fields with what was read when the form was first filled in."""

IN_CONFLICT = ("description", "importance", "tags")
"""Fields of a memory that are compared when two edits conflict."""

SiteToChange = Callable[[], Site]
"""Opens the site for a form; refuses where nothing may be changed."""


def answer_form(site_to_change: SiteToChange, action: Action) -> Callable[[Request], Response]:
    """Return the handler that shows an empty form."""

    def answer(request: Request) -> Response:
        desk = _Desk(site_to_change(), action, dict(request.path_params))
        return desk.form(action.first(desk.site, desk.read))

    return answer


def answer_filled(site_to_change: SiteToChange, action: Action) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler that takes a filled-in form."""

    def take(request: Request, sent: Fields) -> Response:
        desk = _Desk(site_to_change(), action, dict(request.path_params))
        fields = {name: text for name, text in sent.items() if name not in OURS}
        is_writing = sent.get("step") == "write"
        try:
            check_token(sent, desk.site.token)
            return desk.take(sent.get("step", "look"), fields, sent.get("seal", ""))
        except StaleTextError as error:
            return desk.changed(fields, error, is_writing=is_writing)
        except StaleError as error:
            return desk.conflict(fields, error, is_writing=is_writing)
        except GmError as error:
            status, notice = refusal(error)
            return desk.form(fields, status, error=error, notice=notice)

    return answer_sent(take)


class _Desk:
    def __init__(self, site: Site, action: Action, params: Params) -> None:
        self.site = site
        self._action = action
        self._params = params
        self.read = read_params(site, params)

    def take(self, step: str, fields: Fields, seal: str) -> Response:
        if step == "write":
            return self._confirm_change(fields, seal)
        if step == "edit":
            return self.form(fields)
        if step in ("again", "mine"):
            fresh = self._action.first(self.site, self.read)
            if step == "again":
                return self.form(fresh, kept=fields)
            return self.form({**fields, **{name: fresh[name] for name in FRESH if name in fresh}})
        missing = [name for name in self._action.required if not fields.get(name, "").strip()]
        if missing:
            words = self.site.words
            raise FormError(words("edit.missing", names=", ".join(words(f"edit.field.{name}") for name in missing)))
        planned = self._action.plan(self.site, fields, **self.read)
        if isinstance(planned, SealedCall):
            return self._preview_sealed(fields, planned)
        found = preview(planned)
        return self._preview(fields, found) if found.changes else self.form(fields, notice="nothing")

    def _confirm_change(self, fields: Fields, seal: str) -> Response:
        planned = self._action.plan(self.site, fields, **self.read)
        if isinstance(planned, SealedCall):
            return self._arrive(planned.act()) if planned.seal == seal else self._preview_sealed(fields, planned, 409)
        try:
            done = confirm(self.site.layout, planned, seal)
        except ChangedMeanwhileError as error:
            if not error.now.changes:
                return self.form(fields, 409, notice="nothing")
            return self._preview(fields, error.now, 409)
        return self._arrive(done)

    def _arrive(self, done: object) -> Response:
        name, more = (self._action.made(done) if self._action.made else None) or (self._action.back, {})
        place = self._fill_pattern(name, **more)
        return RedirectResponse(f"/{quote(place)}?{urlencode({'saved': self._action.name})}", 303)

    def _fill_pattern(self, kind: str, **more: object) -> str:
        return BY_NAME[kind].pattern.format(**self._params, **name_pieces(more))

    def form(
        self,
        fields: Fields,
        status: int = 200,
        *,
        error: GmError | None = None,
        notice: str = "",
        kept: Fields | None = None,
    ) -> Response:
        holder = find_holder(self.site.layout.lock) if notice == "locked" else None
        shown = {"values": fields, "error": error, "notice": notice, "holder": holder, "kept": kept}
        return self._render_page(f"forms/{self._action.name}.html", fields, shown, status)

    def _preview(self, fields: Fields, found: Preview, status: int = 200) -> Response:
        shown = {"values": fields, "seal": found.seal, "changes": show_changes(found.changes), "again": status != 200}
        return self._render_page("forms/preview.html", fields, shown, status)

    def _preview_sealed(self, fields: Fields, call: SealedCall, status: int = 200) -> Response:
        if not call.seal:
            return self.form(fields, status, notice="nothing")
        shown = {"values": fields, "seal": call.seal, "changes": (), "again": status != 200, **call.shown}
        return self._render_page(f"forms/{self._action.name}-preview.html", fields, shown, status)

    def conflict(self, fields: Fields, error: StaleError, *, is_writing: bool) -> Response:
        conflict = show_conflict(fields, error.line)
        if conflict.agrees and is_writing:  # sent twice by a second click
            return self._arrive(None)
        shown = {"values": fields, "conflict": conflict}
        return self._render_page("forms/conflict.html", fields, shown, 409)

    def changed(self, fields: Fields, error: StaleTextError, *, is_writing: bool) -> Response:
        if error.now is None:
            status, notice = refusal(error)
            return self.form(fields, status, error=error, notice=notice)
        now = body_of(error.now)
        if now == fields.get("text") and is_writing:
            return self._arrive(None)
        shown = {"values": fields, "changes": show_changes(compare(error.path, now, fields.get("text", "")))}
        return self._render_page("forms/changed.html", fields, shown, 409)

    def _render_page(self, template: str, fields: Fields, shown: Mapping[str, Any], status: int) -> Response:
        action, site = self._action, self.site
        own = action.pattern.format(**self._params)
        around = {
            "title": site.words(f"edit.{action.name}.title"),
            "action": action.name,
            "section": action.section,
            "own": own,
            "back": self._fill_pattern(action.back),
            "renews": False,
            **action.show(site, fields, **self.read),
        }
        return HTMLResponse(render_template(site, template, own, {**around, **shown}), status)


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of the memory, in segments with changes against the old value marked; None = unknown."""

    name: str
    wanted: Segments
    now: Segments | None
    was: Segments | None

    @property
    def agrees(self) -> bool:
        return self.now is not None and _join_segments(self.now) == _join_segments(self.wanted)


@dataclass(frozen=True, slots=True)
class Conflict:
    """The three versions of a memory.

    Attributes:
        gone: Whether its line is no longer there.
        line: The current line with changes marked; empty when the old one is unknown.
    """

    gone: bool
    rows: tuple[FieldRow, ...]
    line: Segments

    @property
    def agrees(self) -> bool:
        return not self.gone and all(row.agrees for row in self.rows)


def show_conflict(fields: Fields, line: str) -> Conflict:
    """Compare the three versions."""
    sent = fields.get("was", "")
    old = sent if sent and line_print(sent) == fields.get("print") else ""
    was, now = _field_values(old), _field_values(line)
    rows = tuple(_compare_field(name, fields.get(name, ""), now.get(name), was.get(name)) for name in IN_CONFLICT)
    return Conflict(not line, rows, merge_words(old, line) if old and line else ())


def _compare_field(name: str, wanted: str, now: str | None, was: str | None) -> FieldRow:
    return FieldRow(
        name,
        _mark_changes(was, wanted),
        None if now is None else _mark_changes(was, now),
        None if was is None else (Segment(was),),
    )


def _mark_changes(before: str | None, after: str) -> Segments:
    return (Segment(after),) if before is None else mark_words(before, after)[1]


def _join_segments(segments: Segments) -> str:
    return "".join(segment.text for segment in segments)


def _field_values(line: str) -> dict[str, str]:
    try:
        node = node_from_record(json.loads(line))
    except (ValueError, RecordError, RecursionError):
        return {}
    return {"description": node.description, "importance": str(node.importance), "tags": ", ".join(node.tags)}
