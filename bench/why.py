"""How long ``gm why`` takes in a world of a year (seven agents, 15,000 memories each), against a bare Python."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.model.node import Node, NodeType, render_node

MEMORIES = 15_000
PER_SCENE = 7
RUNS = 15
AIM = 16


def run() -> tuple[Row, ...]:
    """Time ``gm why`` for an early, a late and an unknown memory, and print the ratio to bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        for name in layout.agent_names():
            fill(layout, name)
        bare = [time_python(["-c", "pass"]) for _ in range(RUNS)]
        print(f"bare Python: {1000 * median(bare):.0f} ms")
        rows = []
        for wanted in ("vera-012", "vera-14995", "vera-99999"):
            found = [time_python(["-m", "gm", "why", wanted, "-w", str(layout.root), "--json"]) for _ in range(RUNS)]
            ratio = median(found) / median(bare)
            print(f"gm why {wanted}: {1000 * median(found):.0f} ms, ratio {ratio:.1f} (aim: {AIM})")
            limit = f"bare Python {1000 * median(bare):.0f} ms"
            rows.append(Row(f"gm why {wanted}", f"{1000 * median(found):.0f} ms", limit, ratio, AIM))
    return tuple(rows)


def fill(layout: Layout, name: str) -> None:
    """Write a stream of a year; every tenth memory is a reflection on the five before it."""
    with open(layout.stream(name), "w", encoding="utf-8") as file:
        for number in range(1, MEMORIES + 1):
            scene = number // PER_SCENE
            created = f"day-{scene // PER_SCENE + 1:03d}/scene-{scene % PER_SCENE + 1:02d}"
            cited = tuple(f"{name}-{number - back:03d}" for back in range(1, 6)) if number % 10 == 0 else ()
            kind: NodeType = "reflection" if cited else "observation"
            text = f"{number}: " + "Der Turm steht schief, und niemand hat es bisher gesagt. " * 4
            node = Node(f"{name}-{number:03d}", created, kind, int(bool(cited)), text, 5, ("turm",), cited)
            file.write(render_node(node) + "\n")


def time_python(arguments: list[str]) -> float:
    """Run Python once and tell how many seconds it took."""
    began = time.perf_counter()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *arguments], check=False, capture_output=True, env=environment)
    return time.perf_counter() - began


if __name__ == "__main__":
    run()
