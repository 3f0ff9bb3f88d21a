"""Play days or a scene, with the memory tools of the characters, and go on as soon as answers from outside arrive."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar, Unpack

from gm.api.playing.mind.minds import SceneMinds
from gm.api.reports.models import choose_for
from gm.base.errors import Awaited, UsageError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.llm.base import Backend
from gm.llm.choose import Choice
from gm.model.scene import LogEntry
from gm.play import master
from gm.play.master import DayResult, PlayOptions, game_master
from gm.play.report import Report
from gm.scene.directing.choosing import SceneRequest

NOTEBOOK = "a notebook"
LOOK_EVERY_S = 0.5
ASK_SERVER_EVERY_S = 30.0
Result = TypeVar("Result")


def play_days(
    layout: Layout,
    choice: Choice | Backend | str | None = None,
    report: Report | None = None,
    days: int = 1,
    *,
    command: str = NOTEBOOK,
    **options: Unpack[PlayOptions],
) -> list[DayResult]:
    """Play days (``gm advance-day``), or go on with an open one, and return those that were closed.

    Args:
        choice: A model as for ``--model``, what ``choose_for`` returned, or a backend; None = as ``gm.yaml`` says.
        report: Is told what happens; None = nothing is reported.
        days: How many, from 1.
        command: Name of the caller, which other processes that meet the lock are told.
        options: ``seed``, and what else ``PlayOptions`` lists.

    Raises:
        UsageError: ``days`` is below 1.
        WaitingError: Answers are awaited from outside.
        LockedError: Another process writes to the world.
        GmError: The run cannot go on; everything so far is kept.

    Examples:
        >>> [day] = gm.play_days(layout, "rehearsal", days=1, seed=7)
        >>> day.day, day.scenes > 0
        (3, True)
    """
    if days < 1:
        raise UsageError(f"days is {days}: nothing would be played", "give a whole number from 1")
    report = report or Report()
    choice = resolve_choice(layout, choice, report.notice)
    options.setdefault("minds", SceneMinds)
    return master.run_days(layout, choice, report, days, command=command, **options)


def play_scene(
    layout: Layout,
    choice: Choice | Backend | str | None,
    request: SceneRequest,
    report: Report | None = None,
    *,
    command: str = NOTEBOOK,
    **options: Unpack[PlayOptions],
) -> LogEntry:
    """Play one scene now (``gm scene``), in the open day or a new one, which stays open; return its logbook line.

    Other arguments and errors are those of ``play_days``.

    Raises:
        UsageError: No such scene type, or the cast does not fit it.

    Examples:
        >>> gm.play_scene(layout, "rehearsal", gm.SceneRequest("work", ("casey",))).participants
        ('casey',)
    """
    report = report or Report()
    choice = resolve_choice(layout, choice, report.notice)
    options.setdefault("minds", SceneMinds)
    with game_master(layout, choice, report, command=command, **options) as table:
        change = table.play_requested(request)
    return LogEntry(change.day, change.log or {})


def resolve_choice(layout: Layout, choice: Choice | Backend | str | None, notice: Callable[[str], None]) -> Choice:
    """Return a choice as it is, and one of a backend; errors for a name as for ``choose_for``."""
    if choice is None or isinstance(choice, str):
        return choose_for(layout, choice, notice)
    return choice if isinstance(choice, Choice) else Choice(choice, "given from Python")


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


def play_in_person(play: Callable[[], Result], answer: Callable[[Awaited], None]) -> Result:
    """Play, with a person at hand who answers what is asked, letter by letter.

    Raises:
        WaitingError: What is awaited comes from elsewhere, or the person leaves.
    """
    while True:
        try:
            return play()
        except WaitingError as error:
            letters = [item for item in error.awaited if item.answer]
            if not letters:
                raise
            for item in letters:
                answer(item)


def _wait_for_answers(box: PostFolder, before: dict[str, tuple[int, int]], sleep: Callable[[float], None]) -> None:
    last = before
    while True:
        now = box.answers()
        if now != before and now == last:
            return
        last = now
        sleep(LOOK_EVERY_S)
