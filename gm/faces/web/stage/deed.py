"""The form of the stage: start, forecast, stop, and the commands of a run; each of its buttons is a ``step``."""

from __future__ import annotations

from functools import partial

from gm.faces.web.actions.deeds import Deed, DeedResult
from gm.faces.web.fields import Fields, LateFormError, number_in
from gm.faces.web.site import Site
from gm.faces.web.stage.orders import read_command, read_run_request
from gm.faces.web.stage.page import PLAY
from gm.faces.web.stage.run import StageRun, StaleTurnError

SETTLE_S = 1.5
"""How long a browser waits for the answer to a command before it is shown how things stand."""


def stage_deed(run: StageRun) -> Deed:
    """Return what the form of the stage does with a run."""
    return Deed("", PLAY, partial(_handle_step, run))


def _handle_step(run: StageRun, site: Site, fields: Fields) -> DeedResult:
    step = fields.get("step", "")
    if step == "forecast":
        return DeedResult(shown={"forecast": run.foresee(read_run_request(site, fields))})
    if step == "start":
        run.start(read_run_request(site, fields))
    elif step == "stop":
        run.stop()
    elif step in site.stage.state.choices:
        line = read_command(site, step, fields)
        try:
            run.send(line, number_in(fields.get("turn", "")) or 0)
        except StaleTurnError as error:
            raise LateFormError(site.words("stage.stale")) from error
        run.settle(SETTLE_S)
    else:
        raise LateFormError(site.words("stage.stale"))
    state = run.state
    is_answered = state.choices and (state.answer or state.refused or state.plan)
    return DeedResult(PLAY.name, anchor="#decide" if is_answered else "#standing")
