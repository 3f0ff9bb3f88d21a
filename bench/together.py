"""What scenes at the same time are worth in a village of a hundred, when every call takes 200 ms and 64 are under way.

Beside the wall time stand two ideals: the longest chain of calls where all scenes of one step wait for the slowest of
them, and the longest chain where a scene waits for nothing but those before it that share a person with it, or a place
if neither is of one alone.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.scale import make_village
from bench.table import Row
from bench.wall import CALL_S, Slow
from gm.files.layout import Layout
from gm.llm.asker import Traces
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.master import GameMaster, game_master
from gm.play.report import Report
from tests.stories.playing import set_sections

SIZE, WORKERS = 100, 64
SPEED_UP, CHAIN = 15, 1.1
SETTINGS = f"day: {{scenes: [{SIZE // 2}, {SIZE}], together: %s}}\nllm: {{concurrency: {WORKERS}}}\n"


class Rounds(Report):
    """Counts the rounds of calls of each scene, and which scenes were played in one step."""

    def __init__(self) -> None:
        self.rounds: Counter[str] = Counter()
        self.scenes: list[Scene] = []
        self.steps: list[list[str]] = []
        self._landed = True

    def scene_begins(self, world: World, scene: Scene) -> None:
        """Note the scene, in a new step if one has landed since the last began."""
        if self._landed:
            self.steps.append([])
        self._landed = False
        self.steps[-1].append(str(scene.ref))
        self.scenes.append(scene)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        """Note that the step is over."""
        self._landed = True


class Played(NamedTuple):
    """Seconds of a day by the clock and of the processor, of the two ideals, and its calls."""

    wall: float
    processor: float
    steps: float
    chain: float
    calls: int
    scenes: int


def run() -> tuple[Row, ...]:
    """Print both days, and the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        village = make_village(Path(folder) / "village", SIZE)
        one_by_one, together = (_play(village, stated) for stated in ("1", "auto"))
    for name, day in (("one after another", one_by_one), ("at the same time", together)):
        print(
            f"{SIZE} people, {name}: {day.scenes} scenes, {day.calls} calls: wall {day.wall:.1f} s, of the processor "
            f"{day.processor:.1f} s; ideal step by step {day.steps:.1f} s, by people and places {day.chain:.1f} s"
        )
    calls, wall = together.calls / one_by_one.calls, one_by_one.wall / together.wall
    print(f"  speed-up {wall:.1f} (aim: at least {SPEED_UP}); calls beside one after another {calls:.2f}")
    what = f"wall over critical path with {SIZE} people and {WORKERS} workers"
    return (Row(what, f"{together.wall:.1f} s", f"path {together.chain:.1f} s", together.wall / together.chain, CHAIN),)


def _play(village: Layout, together: str) -> Played:
    copy = Layout(village.root.with_name(f"copy-{together}"))
    shutil.copytree(village.root, copy.root)
    set_sections(copy.settings, SETTINGS % together)
    report, began, began_cpu = Rounds(), time.perf_counter(), time.process_time()
    with game_master(copy, Choice(Slow(), "bench"), report, command="bench") as master:
        _count_rounds(master, report)
        master.play_day()
        calls = master.table.asker.calls
    wall, processor = time.perf_counter() - began, time.process_time() - began_cpu
    steps = CALL_S * sum(max(report.rounds[ref] for ref in step) for step in report.steps)
    return Played(wall, processor, steps, CALL_S * _chain(report), calls, len(report.scenes))


def _count_rounds(master: GameMaster, report: Rounds) -> None:
    ask_all: Callable[..., list[Answer]] = master.table.asker.ask_all

    def counted(requests: Sequence[Request], traces: Sequence[Traces], progress: object = None) -> list[Answer]:
        report.rounds.update({request.place for request in requests})
        return ask_all(requests, traces, progress)

    master.table.asker.ask_all = counted  # type: ignore[method-assign]  # looks on, and asks as before


def _chain(report: Rounds) -> int:
    ends: list[int] = []
    taken = [{*scene.cast, *([scene.place] if scene.place and len(scene.cast) > 1 else [])} for scene in report.scenes]
    for number, scene in enumerate(report.scenes):
        before = (end for end, others in zip(ends, taken[:number], strict=True) if taken[number] & others)
        ends.append(max(before, default=0) + report.rounds[str(scene.ref)])
    return max(ends)


if __name__ == "__main__":
    run()
