"""How long ``gm diff``, ``gm log`` and ``gm status`` take in a world of a year, against a bare Python."""

import subprocess
import tempfile
from pathlib import Path
from statistics import median

from bench.why import fill, time_python
from gm.api.editing.memory import MemoryCorrection, correct_memory
from gm.api.worlds.create import create_world
from gm.files.layout import Layout

RUNS = 7


def run() -> None:
    """Time the commands and print their ratios to bare Python."""
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        for name in layout.agent_names():
            fill(layout, name)
        _git(layout, "init", "-q", "-b", "main")
        _git(layout, "add", "-A")
        _git(layout, "-c", "user.name=Bench", "-c", "user.email=bench@example.org", "commit", "-qm", "a year")
        correct_memory(layout, "vera-012", MemoryCorrection(importance=9))
        bare = median(time_python(["-c", "pass"]) for _ in range(RUNS))
        print(f"bare Python: {1000 * bare:.0f} ms")
        for arguments in (["diff"], ["log", "-n", "1"], ["status"]):
            took = median(time_python(["-m", "gm", *arguments, "-w", str(layout.root)]) for _ in range(RUNS))
            print(f"gm {' '.join(arguments)}: {1000 * took:.0f} ms, ratio {took / bare:.1f}")


def _git(layout: Layout, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=layout.root, check=True, capture_output=True)


if __name__ == "__main__":
    run()
