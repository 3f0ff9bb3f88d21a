"""The forms that change the world; not offered by a read-only server."""

from __future__ import annotations

from gm.faces.web.actions import forms, history, making

ACTIONS = (*forms.ACTIONS, *making.MAKING, *history.ACTIONS)
