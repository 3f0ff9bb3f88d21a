"""The forms that change the world; only a server that may write offers them. ``forms.ACTIONS`` lists them all."""

from __future__ import annotations

from gm.faces.web.actions.forms import ACTIONS

__all__ = ["ACTIONS"]
