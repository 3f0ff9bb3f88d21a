"""Play days of the dinner world with a kill or a fault at many points, and compare with days that nothing disturbed.

    python -m tests.crash.runner kill  FOLDER FIRST STRIDE PLAYED    every STRIDE-th point from FIRST on
    python -m tests.crash.runner fault FOLDER FIRST STRIDE PLAYED

Points are counted through both days; each day begins from the files of the undisturbed day before. FIRST may be counted
from the end: -40. A last word says what is played:

short      days of few scenes
full       days as the world has them
minds      short ones; souls and pages of working memory are on, and there is a lesson on every page to begin with
everything short ones; whatever can be switched on is
night      short ones, both by one command; the points around the end of the first are tried

Each run is a forked child, so that the interpreter and the modules are loaded once. Prints one JSON document.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from gm.api.playing.mind.minds import SceneMinds
from gm.api.worlds.create import create_world
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.questions.traces import TraceFolder
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.identity import identity
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import run_days
from gm.play.report import Report
from tests.crash.points import Points, install
from tests.everything import everything_on
from tests.stories.playing import set_sections

DAYS = 2
NIGHT = 24
SHORT = "day: {times: [morning, evening], lunch: kitchen, scenes: [2, 3], busy: 0}"
CARE_AT_ONCE = """
day: {scenes: [1, 2], busy: 0}
selfcare: {enabled: true, min: 2, token_ceiling: 1000, post_ceiling: 500, summary_ceiling: 4000}
retrieval: {strategy: hybrid, last: 3}
retention: {strategy: importance_weighted, max_observations: 6, max_reflections: 2}
reflection: {threshold: 20, method: questions, reset: before}
"""
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)


class Span(NamedTuple):
    """What one command plays, and the points of it that are tried."""

    start: Path
    days: int
    before: int
    points: range
    expected: dict[str, str]

    @property
    def last(self) -> int:
        return self.points[-1]


class LoggedRehearsal(Rehearsal):
    """A rehearsal that notes every question in a file outside of the world."""

    def __init__(self, log: Path) -> None:
        super().__init__()
        self._log = log

    def ask(self, request: Request) -> Answer:
        note(self._log, f"ask {identity(request, self)}")
        return super().ask(request)


def note(log: Path, text: str) -> None:
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(handle, f"{text}\n".encode())
    os.close(handle)


def play(world: Path, log: Path, days: int) -> None:
    """Play days with one command, noting what is asked and what is kept."""
    real_keep = TraceFolder.keep

    def keep(self: TraceFolder, label: str, name: str, record: dict[str, object]) -> None:
        real_keep(self, label, name, record)
        note(log, f"kept {name}")

    TraceFolder.keep = keep  # type: ignore[method-assign, assignment]
    run_days(Layout(world), Choice(LoggedRehearsal(log), "test"), Report(), days, command="test", minds=SceneMinds)


def in_child(work: Callable[[], None]) -> int:
    """Do something in a forked child; returns its exit code, negative for the signal that killed it."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except GmError as error:
            code = 11  # a clean stop
            print(f"stopped: {error.message}", file=sys.stderr)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def disturbed(world: Path, log: Path, days: int, at: int, error: int | None) -> int:
    """Play with a kill or a fault at one point."""

    def work() -> None:
        install(Points(at, error))
        play(world, log, days)

    return in_child(work)


def tree(world: Path) -> dict[str, str]:
    """Name every file of a world with its content, what is derived aside."""
    return {
        path.relative_to(world).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(world.rglob("*"))
        if path.is_file() and ".gm" not in path.relative_to(world).parts
    }


def repeated(log: Path) -> int:
    """Count questions that were asked although their answer had been kept."""
    kept: set[str] = set()
    count = 0
    for line in log.read_text().splitlines() if log.exists() else ():
        what, name = line.split()
        if what == "kept":
            kept.add(name)
        elif name in kept:
            count += 1
    return count


def count_points(folder: Path, start: Path, days: int = 1) -> tuple[int, dict[str, str]]:
    """Play days undisturbed; return the number of points and the tree."""
    world, log = fresh(folder, "undisturbed", start)
    counter = folder / "count"

    def work() -> None:
        points = Points()
        install(points)
        play(world, log, days)
        counter.write_text(str(points.count))

    assert in_child(work) == 0
    return int(counter.read_text()), tree(world)


def fresh(folder: Path, name: str, start: Path) -> tuple[Path, Path]:
    world, log = folder / name, folder / f"{name}.log"
    if world.exists():
        shutil.rmtree(world)
    log.unlink(missing_ok=True)
    shutil.copytree(start, world)
    return world, log


def try_point(folder: Path, span: Span, at: int, error: int | None) -> str:
    """Disturb at one point, again early in what follows, then let it run; return what was wrong, or nothing."""
    world, log = fresh(folder, "disturbed", span.start)
    first = disturbed(world, log, span.days, at, error)
    if first not in ((-9,) if error is None else (11,)):
        return f"point {at}: ended with {first}"
    second = disturbed(world, log, span.days, 1 + at % 23, error)
    if second not in ((-9, 0) if error is None else (11, 0)):
        return f"point {at}, again while it goes on: ended with {second}"
    if second != 0 and in_child(lambda: play(world, log, span.days)) != 0:
        return f"point {at}: does not go on"
    if repeated(log):
        return f"point {at}: {repeated(log)} answered questions were asked again"
    found = tree(world)
    if found != span.expected:
        different = sorted(name for name in {*found, *span.expected} if found.get(name) != span.expected.get(name))
        return f"point {at}: other files than an undisturbed run: {different[:5]}"
    return ""


def day_by_day(folder: Path) -> list[Span]:
    """Play the days, each with a command of its own; return each with the points before it and in it."""
    spans: list[Span] = []
    start = folder / "template"
    for day in range(1, DAYS + 1):
        count, expected = count_points(folder, start)
        before = spans[-1].last if spans else 0
        spans.append(Span(start, 1, before, range(before + 1, before + count + 1), expected))
        start = (folder / "undisturbed").rename(folder / f"after-{day}")
    return spans


def one_night(folder: Path) -> list[Span]:
    """Play two days with one command; return it with the points around the end of the first."""
    start = folder / "template"
    evening, _expected = count_points(folder, start)
    _total, expected = count_points(folder, start, 2)
    return [Span(start, 2, 0, range(evening - NIGHT, evening + NIGHT), expected)]


def with_minds(layout: Layout) -> None:
    """Switch the layers of minds on, and put something into them."""
    with layout.settings.open("a") as file:
        file.write("\nsoul: on\nworking: {enabled: on}\n")
    for folder in (layout.layer_folder(SOUL), layout.layer_folder(WORKING)):
        folder.mkdir()
    for name in layout.agent_names():
        layout.layer(SOUL, name).write_text(f"beliefs:\n  - {name} stays.  # by hand\n")
        layout.layer(WORKING, name).write_text(f"known:\n  - 'LESSON: From {name}'\n  - stays\n")


def main(mode: str, folder: Path, first: int, stride: int, played: str) -> None:
    """Run one part of the suite."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "template").exists():
        layout = create_world(folder / "template", "dinner")
        if played == "everything":
            # care is due on the first evening, and there is little else to do on the way there
            everything_on(layout, more=CARE_AT_ONCE)
        elif played != "full":
            set_sections(layout.settings, SHORT)
        if played == "minds":
            with_minds(layout)
    # what a process reads and compiles once is then there for all children
    play(*fresh(folder, "warm", folder / "template"), 1)
    spans = one_night(folder) if played == "night" else day_by_day(folder)
    total = spans[-1].last
    tried = 0
    wrong: list[str] = []
    for span in spans:
        for number in range(first if first > 0 else max(1, total + 1 + first), total + 1, stride):
            if number in span.points:
                error = None if mode == "kill" else ERRORS[number % len(ERRORS)]
                tried += 1
                problem = try_point(folder, span, number - span.before, error)
                if problem:
                    wrong.append(f"from {span.start.name}: {problem}")
    print(
        json.dumps(
            {"points": total, "tried": tried, "files": len(spans[-1].expected), "wrong": wrong[:20], "bad": len(wrong)}
        )
    )


if __name__ == "__main__":
    kind, place, begin, step, what = sys.argv[1:]
    main(kind, Path(place), int(begin), int(step), what)
