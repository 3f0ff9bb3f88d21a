"""Play days again with kept answers alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gm.api.mind.minds import SceneMinds
from gm.api.provenance.pack import Changes
from gm.base.errors import BackendError, GmError
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


def lay_down(root: Path, files: Changes) -> None:
    """Write files of a world, and take away those that are None.

    Raises:
        GmError: The disk refused.
    """
    with disk.explained(root):
        make_private(Layout(root).derived)
        for path, data in files.items():
            if data is None:
                disk.remove(root / path)
            else:
                disk.make_folder((root / path).parent)
                disk.replace(root / path, data)


def repeat(
    layout: Layout,
    answers: Recordings,
    days: Sequence[int],
    seed: int,
    before: Callable[[int], Mapping[str, bytes | None]],
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
        lay_down(layout.root, before(day))
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
