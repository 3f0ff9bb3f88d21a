"""What a memory stream of 100,000 lines costs: looked at first and later, planned with, searched, checked.

Another number of lines: ``python -m bench.long 1000000``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bench.check import PER_DAY, write_stream
from bench.table import Row, render_table
from gm.api.worlds.create import create_world
from gm.files.layout import Layout

NAME = "vera"
LINES = 100_000
LATER = 3
MOST_MB = 200
MOST_START = 8
SEARCHED_MS, PLANNED_S = 300, 2
MATCHED = "each line is matched, its encoding checked and its bytes digested; starting takes the rest"
RANKED = "starting takes most; every memory with a word of the question is weighed"
COMMANDS = {"status": ("status",), "plan": ("plan",), "recall": ("recall", NAME, "turm"), "check": ("check",)}


class Took(NamedTuple):
    """What a command took: seconds on the wall, and the peak of its memory."""

    seconds: float
    megabytes: float


def run(lines: int = LINES) -> tuple[Row, ...]:
    """Measure each command, the first time and later."""
    with tempfile.TemporaryDirectory() as folder:
        layout = _make_world(Path(folder) / "long", lines)
        parsed = _parse(layout.stream(NAME))
        bare = _best(["-c", "pass"])
        first, later = {}, {}
        for name, command in COMMANDS.items():
            arguments = ["-m", "gm", command[0], "-w", str(layout.root), "--json", *command[1:]]
            first[name], later[name] = _run(arguments), _best(arguments)
            told = (f"{took.seconds:.2f} s, {took.megabytes:.0f} MB" for took in (first[name], later[name]))
            print(f"{name} of {lines:,} lines: {'; later '.join(told)}", flush=True)
    bound, of = f"{MOST_MB} MB", f"{lines:,} lines"
    status, start = first["status"].seconds, later["status"].seconds
    heavy = {"recall": RANKED}
    return (
        Row(f"first status of {of}", f"{status:.2f} s", f"json.loads {parsed:.2f} s", status / parsed, 2, why=MATCHED),
        Row(f"later status of {of}", f"{start:.2f} s", f"bare {bare.seconds:.2f} s", start / bare.seconds, MOST_START),
        Row(f"plan of {of}", f"{later['plan'].seconds:.2f} s", f"{PLANNED_S} s", later["plan"].seconds, PLANNED_S),
        Row(
            f"later recall of {of}",
            f"{1000 * later['recall'].seconds:.0f} ms",
            f"{SEARCHED_MS} ms",
            1000 * later["recall"].seconds,
            SEARCHED_MS,
            why=RANKED,
        ),
        *(
            Row(
                f"memory of first {name}",
                f"{took.megabytes:.0f} MB",
                bound,
                took.megabytes,
                MOST_MB,
                why=heavy.get(name, ""),
            )
            for name, took in first.items()
        ),
    )


def _make_world(folder: Path, lines: int) -> Layout:
    layout = create_world(folder, "studio")
    layout.memories.mkdir(parents=True, exist_ok=True)
    write_stream(layout, NAME, lines)
    clock = json.loads(layout.world.read_text(encoding="utf-8")) | {"day": lines // PER_DAY + 1}
    layout.world.write_text(json.dumps(clock, ensure_ascii=False), encoding="utf-8")
    time.sleep(2.1)  # until then gm takes no file to be as it was
    return layout


def _parse(path: Path) -> float:
    began = time.perf_counter()
    with path.open(encoding="utf-8") as file:
        for line in file:
            json.loads(line)
    return time.perf_counter() - began


def _best(arguments: list[str]) -> Took:
    return min(_run(arguments) for _ in range(LATER))


def _run(arguments: list[str]) -> Took:
    # as installed: gm has its byte code
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return Took(time.perf_counter() - began, used.ru_maxrss / 1024)


if __name__ == "__main__":
    print(render_table(run(*map(int, sys.argv[1:]))))
