"""What a character's context costs when its stream is a thousand times longer (aim: at most twice, memory flat)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.model.node import Node, NodeType, render_node

SIZES = (1_000, 1_000_000)
RUNS = 3
PER_DAY = 9
AIM = 2.0
CONTEXT = """
import contextlib, io, json, resource, sys, time
from gm.cli import gm
began = time.process_time()
with contextlib.redirect_stdout(io.StringIO()):
    gm.main(["context", "vera", "-w", sys.argv[1], "--json"], standalone_mode=False)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": time.process_time() - began, "peak": peak / 1024}))
"""


def run() -> tuple[Row, ...]:
    """Ask for the context in a young and in a very old stream."""
    found = {size: _measure(size) for size in SIZES}
    for size, figures in found.items():
        print(f"context at {size:,} memories: {figures['seconds']:.2f} s, {figures['peak']:.0f} MB at most")
    young, old = (found[size] for size in SIZES)
    what = "context of an agent, 1M memories against 1k"
    return (
        Row(
            f"{what}: time",
            f"{old['seconds']:.2f} s",
            f"{young['seconds']:.2f} s",
            old["seconds"] / young["seconds"],
            AIM,
        ),
        Row(f"{what}: memory", f"{old['peak']:.0f} MB", f"{young['peak']:.0f} MB", old["peak"] / young["peak"], AIM),
    )


def _measure(size: int) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        fill(layout, size)
        _fresh(layout)  # what is derived is made once
        runs = [_fresh(layout) for _ in range(RUNS)]
    return {name: median(run[name] for run in runs) for name in ("seconds", "peak")}


def fill(layout: Layout, size: int) -> None:
    """Write a stream in which every hundredth memory is a reflection, up to a hundred of them; the clock follows."""
    each = max(100, size // 100)
    with open(layout.stream("vera"), "w", encoding="utf-8") as file:
        for number in range(1, size + 1):
            created = f"day-{number // PER_DAY + 1:03d}/scene-{number % PER_DAY + 1:02d}"
            cited = (f"vera-{number - 1:03d}",) if number % each == 0 else ()
            kind: NodeType = "reflection" if cited else "observation"
            text = f"{number}: Der Turm steht schief, und niemand hat es bisher gesagt."
            file.write(render_node(Node(f"vera-{number:03d}", created, kind, len(cited), text, 5, ("turm",), cited)))
            file.write("\n")
    clock = json.loads(layout.world.read_text(encoding="utf-8"))
    clock["day"] = size // PER_DAY + 1
    layout.world.write_text(json.dumps(clock, ensure_ascii=False), encoding="utf-8")


def _fresh(layout: Layout) -> dict[str, Any]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", CONTEXT, str(layout.root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    run()
