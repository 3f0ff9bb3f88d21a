"""How long people wait for the first page of a server that has just been started, in a long world and in a wide one.

Each request goes to a ``gm view`` of its own: as soon as it says its address, and a second later. The raw limit beside
it is plain JSON parsing of the lines that the page is about.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.check import PER_DAY, make_world
from bench.pages import parsing, play_year
from bench.table import Row
from gm.api.views.stream import PAGE_SIZE
from gm.files.layout import Layout

AIM_MS = 300
TIMES = 3
PAUSES = {"at once": 0.0, "after 1 s": 1.0}
WIDE, EACH = [f"agent{number:02d}" for number in range(100)], 1000
"""The characters of the wide world, and how many memories each has."""
TICK_MS = 1000 / os.sysconf("SC_CLK_TCK")


class Page(NamedTuple):
    """A page, and whose streams it is about; none = the logbooks."""

    name: str
    path: str
    of: tuple[str, ...]


class Taken(NamedTuple):
    """Milliseconds of a request: by the clock, and of the server's processor meanwhile."""

    wall: float
    processor: float


def pages(day: int, middle: int, owner: str, other: str, everybody: tuple[str, ...]) -> tuple[Page, ...]:
    """Return one page of each kind that reads much; ``middle`` is the number of a page of memories."""
    return (
        Page("first page", "/index.html", ()),
        Page("play", "/play.html", ()),
        Page("day", f"/days/{day}.html", ()),
        Page("days", "/days/index.html", ()),
        Page("people", "/agents/index.html", ()),
        Page("one person", f"/agents/{owner}.html", (owner,)),
        Page("memories", f"/agents/{owner}/memories-1.html", (owner,)),
        Page("memories of the middle", f"/agents/{owner}/memories-{middle}.html", (owner,)),
        Page("one memory", f"/agents/{owner}/memory/{owner}-700.html", (owner,)),
        Page("reflections", f"/agents/{owner}/reflections.html", (owner,)),
        Page("one life", f"/agents/{owner}/days.html", ()),
        Page("two people", f"/agents/{other}/with/{owner}.html", ()),
        Page("threads", "/threads.html", ()),
        Page("stories", "/arcs.html", ()),
        Page("one story", "/arcs/thread-1000.html", ()),
        Page("logbook", "/logbook.html", ()),
        Page("graphs", "/graphs.html", ()),
        Page("search, a rare word", "/search.html?q=turm-60+glut-60", everybody),
        Page("search, a word of nearly all", "/search.html?q=schwelle", everybody),
    )


def run() -> tuple[Row, ...]:
    """Print for both worlds what the first request of each page takes."""
    return measure_both(measure)


def measure_both(measure: Callable[[str, Layout], list[Row]]) -> tuple[Row, ...]:
    """Make the long world and the wide one, and return the rows of both."""
    with tempfile.TemporaryDirectory() as folder:
        worlds = (("long", make_long(Path(folder, "long"))), ("wide", make_wide(Path(folder, "wide"))))
        return tuple(row for what, layout in worlds for row in measure(what, layout))


def measure(what: str, layout: Layout, only: str = "") -> list[Row]:
    """Print what the first request of each page of a world takes; ``only`` names pages by a part of their name."""
    names = layout.agent_names()
    rows: list[Row] = []
    ask_fresh(layout.root, "/agents/index.html", 0.0)  # counts the lines of streams once, as the first command does
    lines = layout.stream(names[-1]).read_bytes().count(b"\n")
    for page in pages(layout.logged_days()[-1], 1 + lines // PAGE_SIZE // 2, names[-1], names[0], names):
        if only in page.name:
            limit = parsing(layout, page.of)
            found = {when: first_of(layout, page.path, pause) for when, pause in PAUSES.items()}
            told = ", ".join(f"{when} {one.wall:.0f} ms ({one.processor:.0f} ms)" for when, one in found.items())
            print(f"{what} world, {page.name}: {told}; json.loads {limit:.0f} ms", flush=True)
            rows += [
                Row(f"{what} world, {page.name}, {when}", f"{one.wall:.0f} ms", "bound in ms", one.wall, AIM_MS)
                for when, one in found.items()
            ]
    return rows


def first_of(layout: Layout, path: str, pause_s: float) -> Taken:
    """Start servers, ask each for one page, and return the median."""
    taken = [ask_fresh(layout.root, path, pause_s) for _ in range(TIMES)]
    return Taken(median(one.wall for one in taken), median(one.processor for one in taken))


def ask_fresh(root: Path, path: str, pause_s: float) -> Taken:
    """Start a server, wait, and ask it for one page."""
    with serving(root) as (process, connection):
        time.sleep(pause_s)
        used, begin = processor_ms(process), time.perf_counter()
        get(connection, path)
        return Taken(1000 * (time.perf_counter() - begin), processor_ms(process) - used)


@contextmanager
def serving(root: Path) -> Iterator[tuple[int, HTTPConnection]]:
    """Start a server of a world, and return its process and a connection as soon as it says its address."""
    command = [sys.executable, "-m", "gm", "view", "--world", str(root), "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = next(found for line in server.stderr if (found := re.search(r"http://([^/]+):(\d+)/", line)))
            yield server.pid, HTTPConnection(address[1], int(address[2]))
        finally:
            server.terminate()


def get(connection: HTTPConnection, path: str) -> str:
    """Return a page."""
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()  # the next request opens it anew: the server ends those that are quiet for some seconds
    assert answer.status == 200, text
    return text


def processor_ms(process: int) -> float:
    """Return what a process has used of the processor."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return TICK_MS * (int(fields[11]) + int(fields[12]))


def make_long(root: Path) -> Layout:
    """Make a world of seven long streams and a year of logbooks."""
    layout = make_world(root)
    play_year(layout)
    return layout


def make_wide(root: Path) -> Layout:
    """Make a world of many characters, each with a persona of its own and the memories of some months."""
    layout = make_world(root, WIDE, EACH)
    play_year(layout, WIDE, 1 + (EACH - 1) // PER_DAY)
    told = "Hält fest, was an der Schwelle geschieht. " * 40
    layout.personas.mkdir()
    for name in WIDE:
        front = f'---\nid: {name}\nname: "{name.capitalize()}"\nage: 30\ncolor: "#2f6b5e"\n---\n'
        layout.persona(name).write_text(f"{front}\n# {name}\n\n{told}\n", encoding="utf-8")
    return layout


if __name__ == "__main__":
    run()
