"""Worlds to look at, each made once in a run, whichever worker needs it first."""

from __future__ import annotations

import json
from pathlib import Path

from gm.api.editing.board import put_up_brief, put_up_feedback
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from tests.browser.attacked import attack_everything
from tests.everything import everything_on
from tests.stories.playing import copied, play

DAYS = 30
FEW = "day: {scenes: [2, 3]}\n"


def make_month(folder: Path) -> Layout:
    """Thirty days of the dinner (English) with everything on; now and then the host writes."""
    layout = everything_on(create_world(folder / "Löwen dinner", "dinner"), more=FEW)
    for day in range(DAYS):
        if day % 6 == 2:
            put_up_brief(layout, f"After day {day}: let me see one thing less than yesterday.")
            put_up_feedback(layout, _pieces(layout)[-1], "Too smooth; where is the dirt at the edges?")
        play(layout)
    return layout


def make_week(folder: Path) -> Layout:
    """Three days of the studio (German, seven people) with everything on."""
    layout = everything_on(create_world(folder / "studio", "studio"), more=FEW)
    play(layout, days=3)
    return layout


def make_attacked(folder: Path, days: Layout) -> Layout:
    """Take a copy of days of the dinner, with attacks wherever a text can stand."""
    layout = copied(days, folder / "attacked")
    attack_everything(layout)
    return layout


def _pieces(layout: Layout) -> list[str]:
    """Name everything that was made, in order."""
    lines = [line for day in layout.logged_days() for line in layout.day_log(day).read_text("utf-8").splitlines()]
    return [path for line in lines for path in json.loads(line).get("artifacts", [])]
