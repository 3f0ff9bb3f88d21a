"""Play days again with kept answers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.api.mind.minds import SceneMinds
from gm.api.provenance.pack import Changes, Files
from gm.base.errors import BackendError, GmError
from gm.files.commits.steps import restore_step
from gm.files.commits.writer import writing
from gm.files.forms import disk
from gm.files.forms.disk import make_private
from gm.files.layout import Layout
from gm.files.load import load_settings
from gm.llm.base import Recordings, Surroundings
from gm.llm.choose import Choice
from gm.llm.replay import Replay
from gm.llm.replay import make as make_replay
from gm.model.calendar import render_day
from gm.play.master import play_days
from gm.play.report import Report

COMMAND = "gm replay"
BY_HAND = (
    "its answer is gone; or the day goes another way here: what people did while it was open (wished scenes, choices,"
    " posts, edits) is not repeated, and another --seed, another gm or other prompts ask otherwise"
)


@dataclass(frozen=True, slots=True)
class Repeated:
    """How it went: questions asked, those of them that read otherwise than recorded, and how."""

    asked: int
    asked_otherwise: int
    notes: tuple[str, ...]


def lay_down(root: Path, files: Files) -> None:
    """Write files of a world.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(root):
        make_private(Layout(root).derived)
        for path, data in files.items():
            disk.make_folder((root / path).parent)
            disk.replace(root / path, data)


def _change(layout: Layout, files: Changes) -> None:
    steps = [restore_step(path, disk.read(layout.root / path), data) for path, data in files.items()]
    with disk.explained(layout.root), writing(layout, COMMAND) as writer:
        writer.commit(steps)  # so that the new world's record knows of it


def repeat(
    layout: Layout,
    answers: Recordings,
    days: Sequence[int],
    seed: int,
    before: Callable[[int], Changes],
    after: Callable[[int], None],
) -> Repeated:
    """Play days in a world without asking anybody.

    Args:
        before: Returns what people changed before a day.
        after: Called after each day.

    Raises:
        GmError: A question has no answer, or another day comes next.
    """
    notes: dict[str, None] = {}
    backends: list[Replay] = []
    for day in days:
        if changes := before(day):
            _change(layout, changes)
        settings, _ = load_settings(layout)
        around = Surroundings(settings.llm, settings.reply, notice=notes.setdefault, recordings=answers)
        backends.append(make_replay("", around))
        try:
            (played,) = play_days(
                layout,
                Choice(backends[-1], COMMAND),
                Report(),
                1,
                command=COMMAND,
                seed=seed,
                minds=SceneMinds,
                embeds=False,  # that could ask a server
            )
        except BackendError as error:
            raise GmError(f"{render_day(day)} cannot be repeated: {error.message}", BY_HAND) from error
        if played.day != day:
            raise GmError(f"day {played.day} came where day {day} was expected", "the world's calendar differs")
        after(day)
    asked, other = (sum(counts) for counts in ([one.asked for one in backends], [one.other for one in backends]))
    return Repeated(asked, other, tuple(notes))
