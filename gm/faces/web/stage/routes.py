"""The form of the stage: start, forecast, stop, and the commands of a run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from secrets import compare_digest
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from gm.base.errors import GmError, LockedError, UsageError
from gm.faces.web.actions.flow import Look, read_fields
from gm.faces.web.pages.kind import PageKind, number_in
from gm.faces.web.rendering import render_page
from gm.faces.web.site import Site
from gm.faces.web.stage.orders import Fields, read_command, read_wish
from gm.faces.web.stage.run import Run

SETTLE_S = 1.5
"""How long a browser waits for the answer to a command before it is shown how things stand."""


def answer_stage(look: Look, run: Run, kind: PageKind) -> Callable[[Request], Awaitable[Response]]:
    """Return the handler of the form; each of its buttons is a ``step``."""

    async def answer(request: Request) -> Response:
        sent = await read_fields(request)
        return await run_in_threadpool(take, sent)

    def take(sent: Fields) -> Response:
        site = look()
        if not compare_digest(sent.get("token", "").encode(), site.token.encode()):
            return told(sent, 403, strange=True)
        try:
            found = _take(site, run, sent)
        except LockedError as error:
            return told(sent, 423, error=error)
        except UsageError as error:
            return told(sent, 400, error=error)
        except GmError as error:
            return told(sent, 409, error=error)
        if found is not None:
            return told(sent, 200, forecast=found)
        state = run.state
        place = "#decide" if state.choices and (state.told or state.refused or state.plan) else ""
        return RedirectResponse(f"/{kind.pattern}{place}", 303)

    def told(sent: Fields, status: int, **more: Any) -> Response:
        site = look()
        shown = {**kind.show(site, {}, {}), "values": sent, "renews": False, **more}
        return HTMLResponse(render_page(site, kind, kind.pattern, shown), status)

    return answer


def _take(site: Site, run: Run, sent: Fields) -> Mapping[str, Any] | None:
    """Do what was asked; return a forecast, if that was it."""
    step = sent.get("step", "")
    if step == "forecast":
        return run.foresee(read_wish(site, sent))
    if step == "start":
        run.start(read_wish(site, sent))
    elif step == "stop":
        run.stop()
    elif step in site.stage.state.choices:
        run.send(read_command(site, step, sent), number_in(sent.get("turn", "")) or 0)
        run.settle(SETTLE_S)
    else:
        raise GmError(site.words("stage.stale"))
    return None
