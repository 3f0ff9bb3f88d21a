"""Play the dinner world with a kill or a fault at many points, and compare with a run that nothing disturbed.

    python -m tests.crash.runner kill  FOLDER FIRST STRIDE      every STRIDE-th point from FIRST on
    python -m tests.crash.runner fault FOLDER FIRST STRIDE
    python -m tests.crash.runner count FOLDER

FIRST may be counted from the end: -40. With a last word ``minds``, souls and pages of working memory are on, and there
is a lesson on every page to begin with; with ``everything`` whatever can be switched on is.

Each run is a forked child, so that the interpreter and the modules are loaded once. Prints one JSON document.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from gm.api.create import create_world
from gm.api.mind.minds import SceneMinds
from gm.ask.prompt.render import Prompts
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.shipped import shipped_prompts
from gm.files.traces import TraceFolder
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.identity import identity
from gm.llm.rehearsal import Rehearsal
from gm.play.master import play_days
from gm.play.report import Report
from tests.crash.points import Points, install
from tests.everything import everything_on

DAYS = 2
CARE_AT_ONCE = """
day: {scenes: [1, 2], busy: 0}
selfcare: {enabled: true, min: 2, token_ceiling: 1000, post_ceiling: 500, summary_ceiling: 4000}
retrieval: {strategy: hybrid, last: 3}
retention: {strategy: importance_weighted, max_observations: 6, max_reflections: 2}
reflection: {threshold: 20, method: questions, reset: before}
"""
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)


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


def play(world: Path, log: Path) -> None:
    """Play the days, noting what is asked and what is kept."""
    real_keep = TraceFolder.keep

    def keep(self: TraceFolder, label: str, name: str, record: dict[str, object]) -> None:
        real_keep(self, label, name, record)
        note(log, f"kept {name}")

    TraceFolder.keep = keep  # type: ignore[method-assign, assignment]
    play_days(Layout(world), Choice(LoggedRehearsal(log), "test"), Report(), DAYS, command="test", minds=SceneMinds)


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
            import traceback

            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def disturbed(world: Path, log: Path, at: int, error: int | None) -> int:
    """Play with a kill or a fault at one point."""

    def work() -> None:
        install(Points(at, error))
        play(world, log)

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


def count_points(folder: Path) -> tuple[int, dict[str, str]]:
    """Play undisturbed; returns the number of points and the tree."""
    world, log = fresh(folder, "undisturbed")
    counter = folder / "count"

    def work() -> None:
        points = Points()
        install(points)
        play(world, log)
        counter.write_text(str(points.count))

    assert in_child(work) == 0
    return int(counter.read_text()), tree(world)


def fresh(folder: Path, name: str) -> tuple[Path, Path]:
    world, log = folder / name, folder / f"{name}.log"
    if world.exists():
        shutil.rmtree(world)
    log.unlink(missing_ok=True)
    shutil.copytree(folder / "template", world)
    return world, log


def try_point(folder: Path, expected: dict[str, str], at: int, error: int | None) -> str:
    """Disturb at one point, again early in what follows, then let it run; says what was wrong, or nothing."""
    world, log = fresh(folder, "disturbed")
    first = disturbed(world, log, at, error)
    if first not in ((-9,) if error is None else (11,)):
        return f"point {at}: ended with {first}"
    second = disturbed(world, log, 1 + at % 23, error)
    if second not in ((-9, 0) if error is None else (11, 0)):
        return f"point {at}, again while it goes on: ended with {second}"
    if second != 0 and in_child(lambda: play(world, log)) != 0:
        return f"point {at}: does not go on"
    if repeated(log):
        return f"point {at}: {repeated(log)} answered questions were asked again"
    found = tree(world)
    if found != expected:
        different = sorted(name for name in {*found, *expected} if found.get(name) != expected.get(name))
        return f"point {at}: other files than an undisturbed run: {different[:5]}"
    return ""


def with_minds(layout: Layout) -> None:
    """Switch the layers of minds on, and put something into them."""
    with layout.settings.open("a") as file:
        file.write("\nsoul: on\nworking: {enabled: on}\n")
    for folder in (layout.layer_folder(SOUL), layout.layer_folder(WORKING)):
        folder.mkdir()
    for name in layout.agent_names():
        layout.layer(SOUL, name).write_text(f"beliefs:\n  - {name} stays.  # by hand\n")
        layout.layer(WORKING, name).write_text(f"known:\n  - 'LESSON: From {name}'\n  - stays\n")


def main(mode: str, folder: Path, first: int = 1, stride: int = 1, *, layers: str = "") -> None:
    """Run one part of the suite."""
    folder.mkdir(parents=True, exist_ok=True)
    for _ in Prompts(folder, shipped_prompts(), "en").compile_ahead():  # compiled once, for all children
        pass
    if not (folder / "template").exists():
        layout = create_world(folder / "template", "dinner")
        if layers == "minds":
            with_minds(layout)
        elif layers == "everything":
            # care is due on the first evening, and there is little else to do on the way there
            everything_on(layout, more=CARE_AT_ONCE)
    total, expected = count_points(folder)
    tried = 0
    wrong: list[str] = []
    if mode != "count":
        for at in range(first if first > 0 else max(1, total + 1 + first), total + 1, stride):
            error = None if mode == "kill" else ERRORS[at % len(ERRORS)]
            tried += 1
            problem = try_point(folder, expected, at, error)
            if problem:
                wrong.append(problem)
    print(json.dumps({"points": total, "tried": tried, "files": len(expected), "wrong": wrong[:20], "bad": len(wrong)}))


if __name__ == "__main__":
    numbers = [int(value) for value in sys.argv[3:5]]
    main(sys.argv[1], Path(sys.argv[2]), *numbers, layers="".join(sys.argv[5:]))
