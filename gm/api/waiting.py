"""Continue playing as soon as external answers arrive."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from gm.base.errors import WaitingError
from gm.files.layout import Layout
from gm.files.mailbox import PostFolder

LOOK_EVERY_S = 0.5
ASK_SERVER_EVERY_S = 30.0

Result = TypeVar("Result")


def play_patiently(
    layout: Layout,
    play: Callable[[], Result],
    waiting: Callable[[WaitingError], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Result:
    """Play until no answer is awaited; other commands can use the world meanwhile."""
    box = PostFolder(layout)
    while True:
        before = box.answers()
        try:
            return play()
        except WaitingError as error:
            waiting(error)
            if all(item.answer for item in error.awaited):
                _wait_for_answers(box, before, sleep)
            else:
                sleep(ASK_SERVER_EVERY_S)


def _wait_for_answers(box: PostFolder, before: dict[str, tuple[int, int]], sleep: Callable[[float], None]) -> None:
    last = before
    while True:
        now = box.answers()
        if now != before and now == last:
            return
        last = now
        sleep(LOOK_EVERY_S)
