"""The forms that edit files of the world and make new parts of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gm.api.editing.textfiles import StaleTextError, check_text, needs_history, open_text, save_text
from gm.api.worlds.new import Named, add_character, safe_line
from gm.api.worlds.parts import add_place, add_scene_type, scene_type_patterns, switch_part
from gm.base.config.kinds import SWITCHES
from gm.faces.web.actions.editor import editor_data
from gm.faces.web.actions.forms import Act, Action
from gm.faces.web.fields import Fields
from gm.faces.web.paths import find_editable
from gm.faces.web.site import NoPageError, Site
from gm.files.story.now import load_settings

CHECK = "edit/check/{key}.html"
"""Where a text is checked while it is typed."""


def _begin_file(site: Site, key: str) -> Fields:
    file = find_editable(site.layout, key)
    if file is None:
        raise NoPageError(key)
    opened = open_text(site.layout, file)
    return {"text": opened.text, "print": opened.digest}


def _plan_file(site: Site, fields: Fields, key: str) -> Act:
    file = find_editable(site.layout, key)
    if file is None:
        raise StaleTextError(key, None)
    text, read, despite = fields.get("text", ""), fields.get("print", ""), bool(fields.get("despite"))
    return lambda: save_text(site.layout, file, text, read, despite=despite)


def _show_file(site: Site, fields: Fields, key: str) -> Mapping[str, Any]:
    """Show the text that was sent, even if the file is gone."""
    file = find_editable(site.layout, key)
    text = fields.get("text", "")
    return {
        "title": file.path if file else key,
        "closed": open_text(site.layout, file).problems if file and not text else (),
        "found": partial(check_text, site.layout, file, text) if file and not needs_history(file) else None,
        "check": CHECK,
        "key_of_file": key,
        "editor": editor_data(site, file) if file else None,
    }


def _plan_character(site: Site, fields: Fields) -> Act:
    named = Named(safe_line(fields.get("name", "")), safe_line(fields.get("text", "")))
    return partial(add_character, site.layout, named, fields.get("place", ""))


def _call_with(call: Callable[..., object], *names: str) -> Callable[[Site, Fields], Act]:
    """Return the plan that calls a function with these fields."""
    return lambda site, fields: partial(call, site.layout, *(fields.get(name, "") for name in names))


def _show_patterns(site: Site, _fields: Fields) -> Mapping[str, Any]:
    patterns = scene_type_patterns(site.layout)
    return {"patterns": {name: site.type_name(name.upper()) for name in patterns}}


def _begin_switch(site: Site, part: str) -> Fields:
    switches = load_settings(site.layout)[0].switches
    if part not in switches:
        raise NoPageError(part)
    return {"value": "on" if switches[part] != "on" else "off"}


def _plan_switch(site: Site, fields: Fields, part: str) -> Act:
    return partial(switch_part, site.layout, part, fields.get("value", ""))


def _show_switch(site: Site, _fields: Fields, part: str) -> Mapping[str, Any]:
    now = load_settings(site.layout)[0].switches.get(part, "")
    return {
        "title": site.words("edit.switch.of", part=site.words.known("switch", part)),
        "now": now,
        "choices": SWITCHES,
    }


def _made_character(done: object) -> tuple[str, Mapping[str, object]] | None:
    return ("agent", {"agent": done.rpartition("/")[2].removesuffix(".md")}) if isinstance(done, str) else None


MAKING: tuple[Action, ...] = (
    Action("file", "edit/file/{key}.html", "files", _plan_file, back="files", begin=_begin_file, show=_show_file),
    Action(
        "character",
        "edit/character.html",
        "agents",
        _plan_character,
        required=("name",),
        back="make",
        show=lambda site, _fields: {"places": dict(load_settings(site.layout)[0].places)},
        made=_made_character,
    ),
    Action(
        "place",
        "edit/place.html",
        "make",
        _call_with(add_place, "name", "text"),
        required=("name", "text"),
        back="make",
    ),
    Action(
        "scene-type",
        "edit/scene-type.html",
        "make",
        _call_with(add_scene_type, "name", "pattern"),
        required=("name", "pattern"),
        back="files",
        show=_show_patterns,
    ),
    Action(
        "switch",
        "edit/switch/{part}.html",
        "make",
        _plan_switch,
        required=("value",),
        back="make",
        begin=_begin_switch,
        show=_show_switch,
    ),
)
