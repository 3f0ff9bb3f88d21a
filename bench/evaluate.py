"""How long measuring 10, 30 and 60 rehearsed days of the studio takes, and how it grows with the days.

Every measure of ``gm evaluate`` is taken in this process, the world read anew each time; processor time, best of some
runs. The limit is that of reading the same bytes of memories, logbooks and traces as JSON and nothing else.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.table import Row
from gm.api.experiments.evaluate.evaluation import MEASURES, evaluate
from gm.api.experiments.evaluate.material import read_material
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import game_master
from gm.play.report import Report

DAYS = (10, 30, 60)
MONTH = 30
RUNS = 3
AIM_S = 10.0
AIM_GROWTH = 1.3
"""Times that a day may cost more in the longest world than in the shortest."""


def run() -> list[Row]:
    """Play, measure after each number of days, and print what each measure takes."""
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        seconds: dict[int, float] = {}
        rows = []
        for days in DAYS:
            _play_until(layout, days)
            copy = Layout(Path(folder) / f"after-{days}")
            shutil.copytree(layout.root, copy.root)
            seconds[days] = _best(lambda copy=copy: evaluate(read_material(copy), MEASURES))  # type: ignore[misc]
            raw = _best(lambda copy=copy: _read(copy))  # type: ignore[misc]
            print(
                f"{days} days: {seconds[days]:.2f} s, {1000 * seconds[days] / days:.0f} ms a day; as JSON {raw:.2f} s"
            )
            _describe(copy)
            if days == MONTH:
                limit = f"a fixed bound; as JSON {raw:.2f} s"
                rows.append(Row("evaluating a month", f"{seconds[days]:.2f} s", limit, seconds[days], AIM_S))
    few, many = DAYS[0], DAYS[-1]
    growth = (seconds[many] / many) / (seconds[few] / few)
    figure, limit = (f"{1000 * seconds[days] / days:.0f} ms a day" for days in (many, few))
    return [*rows, Row(f"evaluating {many} days, beside {few}", figure, limit, growth, AIM_GROWTH)]


def _play_until(layout: Layout, days: int) -> None:
    with game_master(layout, Choice(Rehearsal(), "bench"), Report(), command="bench") as master:
        while master.world.clock.day < days:
            master.play_day()


def _best(task: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.process_time()
        task()
        times.append(time.process_time() - began)
    return min(times)


def _read(layout: Layout) -> None:
    for path in sorted(
        (*layout.memories.glob("*.jsonl"), *layout.logbook.glob("*.jsonl"), *layout.traces.rglob("*.json"))
    ):
        for line in path.read_bytes().splitlines() if path.suffix == ".jsonl" else (path.read_bytes(),):
            json.loads(line)


def _describe(layout: Layout) -> None:
    material = read_material(layout)
    for measure in MEASURES:
        began = time.process_time()
        evaluate(material, (measure,))
        print(f"  {measure.name:12} {time.process_time() - began:>7.3f} s")


if __name__ == "__main__":
    run()
