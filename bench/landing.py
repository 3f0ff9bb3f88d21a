"""How long after a scene has landed a page that is open shows it, in a long world and in a wide one.

A rehearsed day is played by a command of its own; the page does what a browser does: it listens to the events of the
server, and asks for itself again when files have changed.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from statistics import median

from bench.first import get, measure_both, serving
from bench.table import Row
from gm.files.layout import Layout

AIM_MS = 1000
SCENES = 4
PATH = "/play.html"
NEWEST = re.compile(r'href="days/(\d+)\.html">[^<]*</a></h2>.*?<span class="count">(\d+)<', re.DOTALL)
"""The day that the page shows, and the number of its last scene."""
SINCE = re.compile(r'data-as-of="(\d+)" data-version="(\d*)"')


def run() -> tuple[Row, ...]:
    """Print for both worlds how long after a scene has landed it is seen."""
    return measure_both(measure)


def measure(what: str, layout: Layout) -> list[Row]:
    """Print how long after each scene of a day has landed it is seen."""
    with serving(layout.root) as (_, connection), ThreadPoolExecutor(1) as pool:
        first = get(connection, PATH)
        found = SINCE.search(first)
        assert found is not None
        listening = HTTPConnection(connection.host, connection.port)
        listening.request("GET", f"/events?since={found[1]}&version={found[2]}")
        events = listening.getresponse()
        playing = pool.submit(play, layout.root)
        seen = follow(events, connection, newest(first)[0], playing)
    waits = [1000 * (shown - at) for shown, at in zip(seen, playing.result(), strict=True)]
    print(f"{what} world: {', '.join(f'{wait:.0f}' for wait in waits)} ms after each landing", flush=True)
    middle, worst = median(waits), max(waits)
    return [
        Row(f"{what} world, a landing is seen, median", f"{middle:.0f} ms", "bound in ms", middle, AIM_MS),
        Row(f"{what} world, a landing is seen, worst", f"{worst:.0f} ms", "bound in ms", worst, AIM_MS),
    ]


def play(root: Path) -> list[float]:
    """Play the first scenes of a day, and return when each has landed."""
    landed: list[float] = []
    line = ("advance-day", "--world", str(root), "--model", "rehearsal", "--events", "--scenes", str(SCENES))
    with subprocess.Popen([sys.executable, "-m", "gm", *line], stdout=subprocess.PIPE, text=True) as command:
        assert command.stdout is not None
        for text in command.stdout:
            if json.loads(text)["event"] == "scene_played":
                landed.append(time.perf_counter())
    assert command.returncode == 0
    return landed


def newest(text: str) -> tuple[int, int]:
    """Return the day that a page shows and the number of its last scene; zeros without one."""
    found = NEWEST.search(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def follow(events: HTTPResponse, connection: HTTPConnection, before: int, playing: Future[list[float]]) -> list[float]:
    """Ask for the page whenever files have changed, and return when each scene after a day was there first."""
    seen: list[float] = []
    while not playing.done() or len(seen) < len(playing.result()):
        line = events.readline()  # the server says at least now and then that it is there
        assert line, "the server has ended"
        if line.startswith(b"event: changed"):
            day, number = newest(get(connection, PATH))
            if day > before:
                seen += [time.perf_counter()] * (number - len(seen))
    return seen
