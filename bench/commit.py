"""How long it takes to bring a scene into the files, against one synced write of the same bytes (aim: at most 2)."""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.model.node import Node, render_node
from gm.store.layout import Layout
from gm.store.steps import Append, SetValues, Step
from gm.store.writer import writing
from gm.tools.create import create_world

SCENES = 60
CAST = ("emre", "leo", "vera")
TEXT = "Der Turm steht schief, und niemand hat es bisher gesagt. " * 3
AIM = 2.0


def run() -> tuple[Row, ...]:
    """Commit scenes of three, each beside a raw write, and print the medians."""
    with tempfile.TemporaryDirectory(dir=".") as folder:  # where worlds lie, not in memory
        layout = create_world(Path(folder) / "studio", "studio")
        raw: list[float] = []
        commits: list[float] = []
        with writing(layout, "bench") as writer, open(Path(folder) / "raw", "ab", buffering=0) as file:
            for number in range(1, SCENES + 1):
                steps = steps_of(layout, number)
                data = b"x" * sum(len(step.text.encode()) for step in steps if isinstance(step, Append))
                began = time.perf_counter()
                file.write(data)
                os.fdatasync(file.fileno())
                synced = time.perf_counter()
                writer.commit(steps)
                raw.append(synced - began)
                commits.append(time.perf_counter() - synced)
    limit, took = median(raw), median(commits)
    print(f"commit of a scene: {1000 * took:.2f} ms; one fdatasync: {1000 * limit:.2f} ms")
    return (Row("commit of a scene", f"{1000 * took:.2f} ms", f"fdatasync {1000 * limit:.2f} ms", took / limit, AIM),)


def steps_of(layout: Layout, number: int) -> list[Step]:
    """Make what a scene of three writes: a memory and a state each, and a line in the logbook."""
    steps: list[Step] = []
    for name in CAST:
        stream, agent = layout.stream(name), layout.agent(name)
        node = Node(f"{name}-{number:03d}", f"day-001/scene-{number:02d}", "observation", 0, TEXT, 5, ("turm",))
        at = stream.stat().st_size if stream.exists() else 0
        steps.append(Append(layout.shown(stream), at, render_node(node) + "\n"))
        old = json.loads(agent.read_text(encoding="utf-8"))
        new = {"mood": f"wach {number}", "importance_accumulator": 5 * number}
        steps.append(SetValues(layout.shown(agent), {key: old[key] for key in new}, new))
    log = layout.day_log(1)
    line = json.dumps(
        {"scene": number, "type": "WORK", "participants": list(CAST), "summary": TEXT}, ensure_ascii=False
    )
    steps.append(Append(layout.shown(log), log.stat().st_size if log.exists() else 0, line + "\n"))
    return steps


if __name__ == "__main__":
    run()
