"""How long the commands that people run most take to start, against a bare Python in the same run."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.api.worlds.create import create_world

RUNS = 15
AIMS = {"--help": 6, "status": 8}


def run() -> tuple[Row, ...]:
    """Time each command and print its ratio to bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        world = Path(folder) / "studio"
        create_world(world, "studio")
        commands = {
            "--help": ["-m", "gm", "--help"],
            "status": ["-m", "gm", "status", "-w", str(world)],
        }
        bare: list[float] = []
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            bare.append(_time(["-c", "pass"]))
            for name, arguments in commands.items():
                times[name].append(_time(arguments))
    print(f"bare Python: {1000 * median(bare):.0f} ms")
    for name, found in times.items():
        print(f"gm {name}: {1000 * median(found):.0f} ms, ratio {median(found) / median(bare):.1f} (aim: {AIMS[name]})")
    limit = f"bare Python {1000 * median(bare):.0f} ms"
    return tuple(
        Row(f"gm {name}", f"{1000 * median(found):.0f} ms", limit, median(found) / median(bare), AIMS[name])
        for name, found in times.items()
    )


def _time(arguments: list[str]) -> float:
    began = time.perf_counter()
    # byte code may be kept: an installed gm has it
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment)
    return time.perf_counter() - began


if __name__ == "__main__":
    run()
