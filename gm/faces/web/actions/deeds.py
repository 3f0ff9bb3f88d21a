"""Forms that act without a preview: answers to the mailbox, questions out of scene, guests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gm.api.answers.document import as_json
from gm.api.playing.ask import CharacterQuestion, ask_character
from gm.api.playing.forecast.make import forecast_answer
from gm.api.playing.forecast.report import describe_forecast
from gm.api.playing.mailbox import answer_letter, open_letters
from gm.api.reports.models import choose_for
from gm.api.views.cast import ShownAgent
from gm.api.worlds.parts import Guest, invite
from gm.base.errors import GmError, WaitingError
from gm.faces.web.actions.flow import SiteToChange
from gm.faces.web.actions.sent import TOKEN, answer_sent, check_token, refusal
from gm.faces.web.fields import Fields, day_in, model_in
from gm.faces.web.pages import BY_NAME
from gm.faces.web.pages.kind import PageKind, read_params
from gm.faces.web.pages.taking_part import letter_of
from gm.faces.web.rendering import page_path, render_page
from gm.faces.web.site import Site

_asking = Lock()
"""A second click waits for the answer to the first, which is kept: the same question costs nothing then."""


@dataclass(frozen=True, slots=True)
class DeedResult:
    """Where the browser goes, or what the page shows besides if ``kind`` is empty."""

    kind: str = ""
    params: Mapping[str, object] = field(default_factory=dict)
    shown: Mapping[str, Any] = field(default_factory=dict)
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done with the form of a kind of page.

    Attributes:
        name: Key of the words that say that it is done (``edit.<name>.saved``); empty = nothing is said.
        do: Takes the site, the fields and the parameters of the path by name. Raises ``GmError``.
    """

    name: str
    kind: PageKind
    do: Callable[..., DeedResult]


def answer_deed(site_to_change: SiteToChange, deed: Deed) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler that takes the form of a page."""

    def take(request: Request, sent: Fields) -> Response:
        site, params = site_to_change(), dict(request.path_params)
        fields = {name: text for name, text in sent.items() if name != TOKEN}

        def page(status: int, **more: object) -> Response:
            now = site_to_change()
            # a page that renewed itself would be that of an empty form
            shown = {**deed.kind.show(now, params, {}), "values": fields, "renews": False, **more}
            return HTMLResponse(render_page(now, deed.kind, request.url.path.lstrip("/"), shown), status)

        try:
            check_token(sent, site.token)
            done = deed.do(site, fields, **read_params(site, params))
        except WaitingError as error:
            return page(200, waiting=error)
        except GmError as error:
            status, notice = refusal(error)
            return page(status, error=error, notice=notice)
        if not done.kind:
            return page(200, **done.shown)
        query = f"?{urlencode({'saved': deed.name})}" if deed.name else ""
        return RedirectResponse(f"/{quote(page_path(done.kind, **done.params))}{query}{done.anchor}", 303)

    return answer_sent(take)


def _answer_letter(site: Site, fields: Fields, letter: str) -> DeedResult:
    """The next letter without an answer follows; the same character's comes first."""
    found = replace(letter_of(site, letter), identity=fields.get("identity", ""))
    answer_letter(site.layout, found, fields.get("whole", "").strip() or fields)
    left = [one for one in open_letters(site.layout) if one.is_open and one.name != letter]
    following = next((one for one in left if one.who == found.who), next(iter(left), None))
    return DeedResult("letter", {"letter": following.name}) if following else DeedResult("mailbox")


def _ask_character(site: Site, fields: Fields, agent: ShownAgent) -> DeedResult:
    notes: list[str] = []
    is_forecast = fields.get("step") == "forecast"
    choice = choose_for(site.layout, model_in(site, fields) or None, notes.append, asking=not is_forecast)
    author = fields.get("author", "").strip() or None
    question = CharacterQuestion(agent.id, fields.get("text", ""), author, remember=bool(fields.get("remember")))
    if is_forecast:
        return DeedResult(
            shown={"forecast": as_json(describe_forecast(forecast_answer(site.layout, choice, question)))}
        )
    with _asking:
        answered = ask_character(site.layout, choice, question, notes.append)
    return DeedResult(shown={"answered": answered, "notes": notes})


def _invite(site: Site, fields: Fields) -> DeedResult:
    day = day_in(site, fields, "day")
    guest = Guest(fields.get("name", ""), fields.get("text", ""), day, fields.get("place", ""))
    return DeedResult("agent", {"agent": invite(site.layout, guest)})


DEEDS: tuple[Deed, ...] = (
    Deed("letter", BY_NAME["letter"], _answer_letter),
    Deed("ask", BY_NAME["ask"], _ask_character),
    Deed("visitor", BY_NAME["visitor"], _invite),
)
