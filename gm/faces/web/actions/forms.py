"""The forms that change the world: each declares its fields and the ``gm.api`` call behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from gm.api.editing.board import end_brief, put_up_brief, put_up_feedback, put_up_post
from gm.api.editing.calendar import EventOptions, schedule_event
from gm.api.editing.memory import MemoryCorrection, NewMemory, StaleError, add_memory, correct_memory, find_one
from gm.api.editing.threads import NewThread, close_thread, open_thread
from gm.api.views.cast import ShownAgent
from gm.api.views.threads import known_threads
from gm.base.config import TIMES_OF_DAY
from gm.base.errors import require_choice
from gm.faces.web.fields import CAST, Fields, FormError, LateFormError, cast_in, day_in, number_in
from gm.faces.web.paths import find_by_key
from gm.faces.web.site import NoPageError, Site
from gm.files.commits.snapshot import snapshot
from gm.files.layout import GALLERY
from gm.files.story.now import load_clock, load_settings
from gm.files.streams.find import find_memory, line_print, read_memory_line
from gm.model.node import NODE_TYPES, Node
from gm.model.thread import OUTCOMES, THREAD_KINDS, Thread

Act = Callable[[], object]
"""A call of a ``gm.api`` function that commits once."""


@dataclass(frozen=True, slots=True)
class SealedCall:
    """A call that is more than a change of lines, with its own preview (``forms/<name>-preview.html``).

    Attributes:
        seal: Digest of all that the call would do, as things are now; empty = nothing.
        shown: Variables of the preview.
    """

    act: Act
    seal: str
    shown: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Action:
    """A change by a form, previewed before it is written.

    ``plan``, ``show`` and ``begin`` take the site and the parameters of the path by name, as pages do.

    Attributes:
        name: Key of its words (``edit.<name>.title``, ``edit.<name>.saved``) and template (``forms/<name>.html``).
        plan: Returns the call for the submitted fields, as an ``Act`` or a ``SealedCall``. Raises ``UsageError``.
        back: Kind of the page to return to; its parameters are among those of the form.
        begin: Returns initial values that depend on the world. Raises ``NoPageError``.
        show: Returns further variables of the template.
        made: Returns kind and parameters of the page of what was made; replaces ``back``.
    """

    name: str
    pattern: str
    section: str
    plan: Callable[..., Act | SealedCall]
    fields: Fields = field(default_factory=dict)
    required: tuple[str, ...] = ()
    back: str = "today"
    begin: Callable[..., Fields] | None = None
    show: Callable[..., Mapping[str, Any]] = lambda _site, _fields, **_params: {}
    made: Callable[[object], tuple[str, Mapping[str, object]] | None] | None = None

    def first(self, site: Site, params: Mapping[str, Any]) -> Fields:
        return self.begin(site, **params) if self.begin else self.fields


def _put_up(call: Callable[..., object], site: Site, fields: Fields) -> Act:
    return lambda: call(site.layout, fields.get("text", ""), _author(fields))


def _author(fields: Fields) -> str | None:
    return fields.get("author", "").strip() or None


def _begin_end(site: Site, number: int) -> Fields:
    briefs = _briefs(site)
    if number > len(briefs):
        raise NoPageError(str(number))
    return {"brief": briefs[number - 1]}


def _plan_end(site: Site, fields: Fields, number: int) -> Act:
    brief = fields.get("brief", "")
    same = next((at for at, text in enumerate(_briefs(site), 1) if text == brief), None)
    if same is None:
        raise LateFormError(site.words("edit.brief-end.gone"))
    return lambda: end_brief(site.layout, str(same))


def _briefs(site: Site) -> tuple[str, ...]:
    return tuple(map(_as_sent, load_clock(site.layout)[0].active_briefs))


def _as_sent(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _begin_feedback(site: Site, piece: str) -> Fields:
    _require_piece(site, piece)
    return {"text": "", "author": ""}


def _plan_feedback(site: Site, fields: Fields, piece: str) -> Act:
    path = _require_piece(site, piece)
    return lambda: put_up_feedback(site.layout, path, fields.get("text", ""), _author(fields))


def _require_piece(site: Site, key: str) -> str:
    found = find_by_key(site.layout, key)
    if found is None:
        raise NoPageError(key)
    return f"{GALLERY}/{found.path}"


def _begin_event(site: Site) -> Fields:
    clock = load_clock(site.layout)[0]
    return {"text": "", "day": str(clock.coming), "time": "afternoon", "place": ""}


def _plan_event(site: Site, fields: Fields) -> Act:
    day = day_in(site, fields, "day")
    if day is None:
        raise FormError(site.words("edit.wrong.day"))
    place, time = fields.get("place", ""), fields.get("time", "")
    options = EventOptions(fields.get("text", ""), day=day, time=time, place=place, cast=cast_in(site, fields))
    return lambda: schedule_event(site.layout, options)


def _show_event(site: Site, fields: Fields) -> Mapping[str, Any]:
    return {"times": TIMES_OF_DAY, "places": dict(load_settings(site.layout)[0].places), "with_name": CAST}


def _plan_thread(site: Site, fields: Fields) -> Act:
    new = NewThread(
        fields.get("by", ""),
        fields.get("text", ""),
        fields.get("kind", ""),
        cast_in(site, fields),
        day_in(site, fields, "due"),
        fields.get("clock", "").strip() or fields.get("time", ""),
        fields.get("place", ""),
    )
    return lambda: open_thread(site.layout, new)


def _begin_settling(site: Site, thread: str) -> Fields:
    if not _find_thread(site, thread).is_open:
        raise NoPageError(thread)
    return {"outcome": OUTCOMES[0], "text": ""}


def _plan_settling(site: Site, fields: Fields, thread: str) -> Act:
    found = _find_thread(site, thread)
    return lambda: close_thread(site.layout, found.id, fields.get("outcome", ""), fields.get("text", ""))


def _find_thread(site: Site, name: str) -> Thread:
    found = next((thread for thread in known_threads(site.layout)[0] if thread.id == name), None)
    if found is None:
        raise NoPageError(name)
    return found


def _begin_change(site: Site, agent: ShownAgent, node: str) -> Fields:
    with snapshot(site.layout):
        if not find_memory(site.layout, node):
            raise NoPageError(node)
        kept = find_one(site.layout, node)
        line = read_memory_line(site.layout, kept)
    if kept.agent != agent.id:
        raise NoPageError(node)
    return {**_field_values(kept.node), "print": line_print(line), "was": line}


def _plan_change(site: Site, fields: Fields, agent: ShownAgent, node: str) -> Act:
    found = find_memory(site.layout, node)
    if not found:
        raise StaleError(node, "")
    shown = _field_values(found[0].node)
    changed = {name: text for name, text in fields.items() if name in shown and text != shown[name]}
    correction = MemoryCorrection(
        description=changed.get("description"),
        importance=_parse_importance(site, changed["importance"]) if "importance" in changed else None,
        tags=_split(changed["tags"]) if "tags" in changed else None,
    )
    return lambda: correct_memory(site.layout, node, correction, fields.get("print", "-"))


def _show_change(site: Site, fields: Fields, agent: ShownAgent, node: str) -> Mapping[str, Any]:
    kept = next(iter(find_memory(site.layout, node)), None)
    is_same = kept is None or fields.get("importance", "") == str(kept.node.importance)
    return {"agent": agent.id, "kept_at": kept, "weighs_other": not is_same}


def _field_values(node: Node) -> dict[str, str]:
    text = _as_sent(node.description)
    return {"description": text, "importance": str(node.importance), "tags": ", ".join(node.tags)}


def _plan_new(site: Site, fields: Fields, agent: ShownAgent) -> Act:
    new = NewMemory(
        fields.get("description", ""),
        _parse_importance(site, fields.get("importance", "")),
        require_choice(fields.get("type", "observation"), NODE_TYPES, "a type of memory"),
        _split(fields.get("tags", "")),
        _split(fields.get("evidence", "")),
    )
    return lambda: add_memory(site.layout, agent.id, new)


def _made_memory(done: object) -> tuple[str, Mapping[str, object]] | None:
    node = next((item for item in done if isinstance(item, Node)), None) if isinstance(done, tuple) else None
    return ("memory", {"node": node.id}) if node else None


def _split(text: str) -> tuple[str, ...]:
    return tuple(part for part in (piece.strip() for piece in text.split(",")) if part)


def _parse_importance(site: Site, text: str) -> int:
    number = number_in(text.strip())
    if number is None or not 1 <= number <= 10:
        raise FormError(site.words("edit.wrong.importance"), site.words("edit.help.importance"))
    return number


TEXT = {"text": "", "author": ""}
ACTIONS: tuple[Action, ...] = (
    Action(
        "memory",
        "edit/{agent}/memory/{node}.html",
        "agents",
        _plan_change,
        required=("description", "importance"),
        back="memory",
        begin=_begin_change,
        show=_show_change,
    ),
    Action(
        "new",
        "edit/{agent}/memory.html",
        "agents",
        _plan_new,
        {"description": "", "importance": "5", "tags": "", "type": "observation", "evidence": ""},
        ("description", "importance"),
        back="agent",
        show=lambda _site, _fields, agent: {"agent": agent.id, "types": NODE_TYPES},
        made=_made_memory,
    ),
    Action("brief", "edit/brief.html", "today", partial(_put_up, put_up_brief), TEXT, ("text",)),
    Action("brief-end", "edit/brief-{number}/end.html", "today", _plan_end, begin=_begin_end),
    Action("post", "edit/post.html", "today", partial(_put_up, put_up_post), TEXT, ("text",)),
    Action(
        "feedback",
        "edit/feedback/{piece}.html",
        "gallery",
        _plan_feedback,
        required=("text",),
        back="piece",
        begin=_begin_feedback,
        show=lambda site, _fields, piece: {"piece": _require_piece(site, piece)},
    ),
    Action(
        "thread",
        "edit/thread.html",
        "threads",
        _plan_thread,
        required=("text", "by"),
        back="threads",
        begin=lambda site: {
            "text": "",
            "kind": "appointment",
            "by": next((character.id for character in site.frame.cast), ""),
        },
        show=lambda site, fields: {"kinds": THREAD_KINDS, **_show_event(site, fields)},
    ),
    Action(
        "settle",
        "edit/thread/{thread}.html",
        "threads",
        _plan_settling,
        required=("text",),
        back="threads",
        begin=_begin_settling,
        show=lambda site, _fields, thread: {"thread": _find_thread(site, thread), "outcomes": OUTCOMES},
    ),
    Action(
        "event", "edit/event.html", "days", _plan_event, required=("text", "day"), begin=_begin_event, show=_show_event
    ),
)
