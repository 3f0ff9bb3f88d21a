"""Recorded days: play them again from their traces, and lay down what is shipped.

    python -m tests.stories.record studio TRACES   after a change of what the Game Master writes; then read ``git diff``

``TRACES`` is the folder with the traces of the days: that of a world in which they were played, or the shipped one.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.packaged.recorded import AFTER, FOLDER, TRACES
from gm.files.questions.traces import TraceReader
from gm.llm.base import Surroundings
from gm.llm.choose import choose_backend
from gm.play.master import game_master
from tests.stories.playing import Heard

SETTINGS = "relationships: on\ndiary: on\nnarrator: on\nchapters: on\n"
"""What the days were played with, beside the template's settings."""
SNAPSHOTS = {"studio": (1, 3), "dinner": (1,)}
"""After how many days a template is shipped."""
LEFT_OUT = (".gm", "traces", "mailbox", "personas")


def traces_of(template: str) -> list[Path]:
    """Return the folders with the traces of the shipped days."""
    return sorted((FOLDER / template / TRACES).iterdir())


def before_the_days(folder: Path, template: str, traces: list[Path]) -> Layout:
    """Make the world in which they were played, with their traces."""
    layout = create_world(folder, template)
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write(SETTINGS)
    for day in traces:
        shutil.copytree(day, layout.traces / day.name)
    return layout


def play_again(layout: Layout, heard: Heard, days: int = 1) -> None:
    """Play days from the traces alone."""
    around = Surroundings(recordings=TraceReader(layout.traces), notice=heard.notice)
    with game_master(layout, choose_backend("replay", "a recording", around), heard, command="record") as master:
        for _ in range(days):
            master.play_day()


def files(layout: Layout) -> dict[str, bytes]:
    """Return what the days left behind, by path."""
    paths = [path for folder in (layout.state, layout.gallery) for path in folder.rglob("*") if path.is_file()]
    found = {path.relative_to(layout.root): path.read_bytes() for path in paths}
    return {path.as_posix(): data for path, data in found.items() if not set(LEFT_OUT) & set(path.parts)}


def record(template: str, traces: Path) -> None:
    """Play all days again, and write the worlds after some of them and the traces of all into the package."""
    target = FOLDER / template
    days = sorted(path for path in traces.iterdir() if path.is_dir())
    with tempfile.TemporaryDirectory() as folder:
        layout = before_the_days(Path(folder) / template, template, days)
        for number, _ in enumerate(days, 1):
            play_again(layout, Heard())
            if number in SNAPSHOTS[template]:
                after = target / f"{AFTER}{number}"
                shutil.rmtree(after, ignore_errors=True)
                for path, data in files(layout).items():
                    (after / path).parent.mkdir(parents=True, exist_ok=True)
                    (after / path).write_bytes(data)
        if traces.resolve() != (target / TRACES).resolve():
            shutil.rmtree(target / TRACES, ignore_errors=True)
            for day in days:
                shutil.copytree(day, target / TRACES / day.name)
    (target / "gm.yaml").write_text(SETTINGS, encoding="utf-8")


if __name__ == "__main__":
    record(sys.argv[1], Path(sys.argv[2]))
