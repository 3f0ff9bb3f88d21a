"""The forms that change the world; not offered by a read-only server."""

from __future__ import annotations

from gm.faces.web.actions.forms import ACTIONS as FORMS
from gm.faces.web.actions.making import MAKING

ACTIONS = (*FORMS, *MAKING)

__all__ = ["ACTIONS"]
