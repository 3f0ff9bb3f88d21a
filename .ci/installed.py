"""Install the newest wheel in dist/ into an empty environment for each Python found here, and use it.

    python .ci/installed.py

A world of one's own is made and played to its second day, its pages are published, and `gm view --help` ends well (no
server is started). Every Python here is tried; if one fails, the exit code is 1. Missing ones are named.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from matrix import ROOT, pythons, say

COMMANDS = (
    ("--version",),
    ("new", "own", "--language", "en"),
    ("advance-day", "-w", "own", "--model", "rehearsal"),
    ("advance-day", "-w", "own", "--model", "rehearsal"),
    ("status", "-w", "own"),
    ("check", "-w", "own"),
    ("init", "recorded", "--with-days"),
    ("check", "-w", "recorded"),
    ("view", "--help"),
    ("publish", "site", "-w", "own"),
)


def try_on(python: str, wheel: Path) -> str:
    """Return what went wrong with a wheel on a Python; empty = nothing."""
    with tempfile.TemporaryDirectory() as folder:
        venv = Path(folder) / "venv"
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
        uv = (sys.executable, "-m", "uv")
        steps = [
            (*uv, "venv", "--quiet", "--python", python, str(venv)),
            (*uv, "pip", "install", "--quiet", "--python", str(venv / "bin/python"), f"{wheel}[web]"),
            *((str(venv / "bin/gm"), *command) for command in COMMANDS),
        ]
        for step in steps:
            done = subprocess.run(
                step, cwd=folder, env=environment, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
            )
            if done.returncode != 0:
                return f"{' '.join(map(str, step))}\n{done.stdout[-500:]}{done.stderr[-1500:]}"
    return ""


def main() -> int:
    """Try every Python; return the exit code."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    declared = [(int(major), int(minor)) for major, minor in re.findall(r'Python :: (\d+)\.(\d+)"', text)]
    wheel = max((ROOT / "dist").glob("*.whl"), key=os.path.getmtime, default=None)
    if wheel is None:
        say("dist/ has no wheel; make one: make wheel")
        return 1
    found, failed = pythons(), False
    for number, path in sorted(found.items()):
        wrong = try_on(path, wheel)
        failed = failed or bool(wrong)
        print("Python {}.{}: {}".format(*number, wrong or "installed, played, published"), flush=True)
    if missing := [number for number in declared if number not in found]:
        say("NOT HERE, and so not tried: " + ", ".join("Python {}.{}".format(*number) for number in missing))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
