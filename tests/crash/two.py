"""Let two processes play the same world at once, many times, and compare with one that plays alone.

    python -m tests.crash.two FOLDER ROUNDS

Prints one JSON document.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

from gm.api.worlds.create import create_world
from gm.base.errors import LockedError
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import run_days
from gm.play.report import Report
from tests.crash.runner import SHORT, tree
from tests.stories.playing import set_sections

RAN, REFUSED = 0, 7


def play(world: Path) -> None:
    """Play one day."""
    run_days(Layout(world), Choice(Rehearsal(), "test"), Report(), 1, command="gm advance-day")


def start(world: Path, go: int) -> int:
    """Fork a process that plays one day as soon as ``go`` is closed; returns its number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.read(go, 1)
        play(world)
        code = RAN
    except LockedError as error:
        code = REFUSED if "gm advance-day" in error.message or "another process" in error.message else 1
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def both(world: Path) -> list[int]:
    """Start two processes at the same moment; returns their exit codes."""
    go, closing = os.pipe()
    children = []
    for _ in range(2):
        child = start(world, go)
        children.append(child)
    # the children hold copies of the writing end, so that the moment has to be written
    os.write(closing, b"gg")
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    os.close(go)
    os.close(closing)
    return sorted(codes)


def main(folder: Path, rounds: int) -> None:
    """Play, compare, print."""
    for name in ("one", "two", "warm"):
        set_sections(create_world(folder / name, "dinner").settings, SHORT)
    play(folder / "warm")  # what a process reads and compiles once is then there for all children
    codes = [both(folder / "two") for _ in range(rounds)]
    days = sum(code == RAN for pair in codes for code in pair)
    for _ in range(days):
        go, closing = os.pipe()
        child = start(folder / "one", go)
        os.write(closing, b"g")
        os.waitpid(child, 0)
        os.close(go)
        os.close(closing)
    print(
        json.dumps(
            {
                "rounds": rounds,
                "one_ran": sum(pair == [RAN, REFUSED] for pair in codes),
                "one_after_the_other": sum(pair == [RAN, RAN] for pair in codes),
                "same": tree(folder / "two") == tree(folder / "one"),
            }
        )
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
