"""The forms that change the world. ``ACTIONS`` lists them all; only a server that may write offers them."""

from __future__ import annotations

from gm.web.actions import board, calendar, memories, threads
from gm.web.actions.action import Action

ACTIONS: tuple[Action, ...] = (
    memories.CHANGE,
    memories.NEW,
    board.BRIEF,
    board.END,
    board.POST,
    board.FEEDBACK,
    threads.SETTLE,
    calendar.EVENT,
)
