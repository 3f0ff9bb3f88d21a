"""What the forms of the stage mean: the request for a run, and the lines that steer it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gm.base.config import TIMES_OF_DAY
from gm.faces.web.fields import Fields, FormError, cast_in, model_in, number_in
from gm.faces.web.site import Site
from gm.faces.web.stage.state import RunRequest

MOST_DAYS = 100
NEXT_SCENE = "scene"


def read_run_request(site: Site, fields: Fields) -> RunRequest:
    """Return the run that a form asks for.

    Raises:
        FormError: A field makes no sense.
    """
    model = model_in(site, fields)
    decides = bool(fields.get("decides"))
    plays = fields.get("plays", "")
    if plays and site.frame.shown_agent(plays) is None:
        raise FormError(site.words("stage.wrong.name"))
    if plays and decides:
        raise FormError(site.words("stage.wrong.both"))
    is_scene = fields.get("much", "") == NEXT_SCENE and not decides
    days = number_in(fields.get("days", "1").strip() or "1") if not is_scene else 1
    if not days or days > MOST_DAYS:
        raise FormError(site.words("stage.wrong.days", most=MOST_DAYS))
    return RunRequest(days, 1 if is_scene else None, model, decides, plays)


def read_command(site: Site, name: str, fields: Fields) -> str:
    """Return the line of a command.

    Args:
        name: One of those that the run offers.

    Raises:
        FormError: A field makes no sense.
    """
    argument = _ARGUMENTS[name](site, fields) if name in _ARGUMENTS else ""
    return f"{name} {argument}".strip()


def _require_text(site: Site, fields: Fields) -> str:
    text = " ".join(fields.get("text", "").split())
    if not text:
        raise FormError(site.words("stage.wrong.text"))
    return text


def _read_event(site: Site, fields: Fields) -> str:
    time = fields.get("time", "")
    if time not in TIMES_OF_DAY:
        raise FormError(site.words("stage.wrong.time"))
    return f"{time} {_require_text(site, fields)}"


def _call_order(site: Site, fields: Fields) -> str:
    names = cast_in(site, fields)
    if len(names) < 2:
        raise FormError(site.words("stage.wrong.two"))
    return f"{','.join(names)} {' '.join(fields.get('text', '').split())}"


def _ask_order(site: Site, fields: Fields) -> str:
    character = site.frame.shown_agent(fields.get("agent", ""))
    if character is None:
        raise FormError(site.words("stage.wrong.name"))
    return f"{character.id} {_require_text(site, fields)}"


def _require_number(site: Site, fields: Fields) -> str:
    number = number_in(fields.get("number", ""))
    if not number:
        raise FormError(site.words("stage.wrong.number"))
    return str(number)


_ARGUMENTS: Mapping[str, Callable[[Site, Fields], str]] = {
    "brief": _require_text,
    "post": _require_text,
    "replay": _require_text,
    "event": _read_event,
    "call": _call_order,
    "ask": _ask_order,
    "pick": _require_number,
    "take": _require_number,
}
