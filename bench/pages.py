"""What the live pages take in a world of 7 × 15,000 memories and a year: processor time of a request, fresh and warm.

Each figure stands beside a raw limit of the same run: plain JSON parsing of the lines of the files that it is about.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from bench.check import AGENTS, NODES, PER_DAY, make_world, parse_all, seconds
from bench.table import Row
from gm.files.layout import Layout
from gm.model.calendar import render_day

FRESH, WARM = 3, 7
"""Fresh processes for each page, and further requests in each of them."""
OWNER = AGENTS[-1]
DAYS, SCENES, THREADS = 365, 8, 2000
LAST = 1 + (NODES - 1) // PER_DAY
"""The day of the last memories; the logbooks are those of the year before."""


class Aim(NamedTuple):
    """A page, and the processor time that it is meant to take.

    Attributes:
        name: What is asked for.
        path: Its address.
        fresh_ms: For the first request of a process; 0 = only told.
        warm_ms: For the same request again.
        of: Whose streams are the raw limit: one character's, or everybody's; none = the logbooks.
    """

    name: str
    path: str
    fresh_ms: int
    warm_ms: int
    of: tuple[str, ...]


PAGES = (
    Aim("first page", "/index.html", 300, 300, AGENTS),
    Aim("memories", f"/agents/{OWNER}/memories-1.html", 300, 300, (OWNER,)),
    Aim("memories, filtered", f"/agents/{OWNER}/memories-1.html?q=br%C3%BCcken&type=plan&least=7", 300, 200, (OWNER,)),
    Aim("one memory", f"/agents/{OWNER}/memory/{OWNER}-7000.html", 300, 300, (OWNER,)),
    Aim("reflections", f"/agents/{OWNER}/reflections.html", 300, 300, (OWNER,)),
    Aim("play", "/play.html", 300, 300, ()),
    Aim("days", "/days/index.html", 0, 300, ()),
    Aim("stories", "/arcs.html", 0, 300, ()),
    Aim("one story", "/arcs/thread-1000.html", 0, 300, ()),
    Aim("one life", f"/agents/{OWNER}/days.html", 300, 300, ()),
    Aim("two people", f"/agents/{AGENTS[0]}/with/{OWNER}.html", 0, 300, ()),
    Aim("history", "/history.html", 300, 300, ()),
    Aim("files", "/files.html", 300, 300, ()),
    Aim("what can be made", "/make.html", 300, 300, ()),
    Aim("mailbox", "/mailbox.html", 300, 300, ()),
    Aim("search, a rare word", "/search.html?q=turm-60+glut-60", 0, 200, AGENTS),
    Aim("search, a word of every second memory", "/search.html?q=schwelle&least=7", 0, 200, AGENTS),
    Aim("search, a word of nearly all", "/search.html?q=schwelle", 0, 0, AGENTS),
)


def run() -> tuple[Row, ...]:
    """Print what each page takes, beside its raw limits and its aims."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        layout = make_world(Path(folder))
        play_year(layout)
        ask(layout.root, "/index.html", 1)  # counts what is in the streams once, as the first command in a world does
        for page in PAGES:
            fresh, warm = map(median, zip(*(ask(layout.root, page.path, WARM) for _ in range(FRESH)), strict=True))
            limit = parsing(layout, page.of)
            print(f"{page.name}: fresh {told(fresh, page.fresh_ms)}, ratio {fresh / limit:.2f};", end=" ")
            print(f"warm {told(warm, page.warm_ms)}, ratio {warm / limit:.2f} (json.loads: {limit:.0f} ms)")
            rows += rows_of(page, fresh, warm, limit)
    return tuple(rows)


def play_year(layout: Layout, names: Sequence[str] = AGENTS, last: int = LAST) -> None:
    """Write logbooks and threads of the year up to a day, of scenes between two."""
    layout.logbook.mkdir(parents=True)
    pairs = [(one, other) for one in names for other in names if one < other]
    first = max(1, last - DAYS + 1)
    for day in range(first, last + 1):
        scenes = [scene_record(scene, pairs[(day * SCENES + scene) % len(pairs)]) for scene in range(1, SCENES + 1)]
        closing = {"scene": 0, "type": "DAY_SUMMARY", "summary": f"Tag {day}.", "carried": []}
        layout.day_log(day).write_text(
            "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in (*scenes, closing)), encoding="utf-8"
        )
    days = [first + number * (last - first - 5) // THREADS for number in range(1, THREADS + 1)]
    events = [event for number, day in enumerate(days, 1) for event in thread_events(number, day, pairs)]
    layout.threads.write_text(
        "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events), encoding="utf-8"
    )
    layout.world.write_text(json.dumps({"day": last, "day_open": False}), encoding="utf-8")


def scene_record(scene: int, cast: tuple[str, str]) -> dict[str, object]:
    """Return the logbook line of a scene."""
    said = [{"agent": cast[turn % 2], "text": "Die Schwelle zählt, das Licht kommt später. " * 4} for turn in range(12)]
    return {"scene": scene, "type": "MEETING", "participants": list(cast), "dialogue": said, "memories": []}


def thread_events(number: int, day: int, pairs: list[tuple[str, str]]) -> list[dict[str, object]]:
    """Return the events of a thread that is kept some days later."""
    by, to = pairs[number % len(pairs)]
    about = {"id": f"thread-{number:03d}", "by": by}
    opened = {"at": f"{render_day(day)}/scene-01", "event": "open", "kind": "promise", "to": [to], "due": day + 3}
    closed = {"at": f"{render_day(day + 3)}/scene-02", "event": "close", "outcome": "kept", "text": "Gehalten."}
    return [{**about, **opened, "text": f"Die Schwelle {number} ist bis dahin fertig."}, {**about, **closed}]


def rows_of(page: Aim, fresh: float, warm: float, limit: float) -> list[Row]:
    """Put a page into the table, once for each of its aims."""
    against = f"bound in ms (json.loads {limit:.0f} ms)"
    why = (
        f"plain JSON parsing of the same lines takes {limit:.0f} ms. A first request reads and checks every line once "
        "and looks through the other streams for what rests on these memories."
    )
    kinds = (("first request", fresh, page.fresh_ms), ("asked again", warm, page.warm_ms))
    what = f"page of 7 × {NODES:,} memories, {page.name}"
    return [Row(f"{what}, {kind}", f"{took:.0f} ms", against, took, aim, why=why) for kind, took, aim in kinds if aim]


def told(milliseconds: float, aim: int) -> str:
    """Return a time as text, with its aim where there is one."""
    return f"{milliseconds:.0f} ms" + (f" (aim: {aim})" if aim else "")


def parsing(layout: Layout, names: tuple[str, ...]) -> float:
    """Measure the raw limit of some streams, without names of all logbooks: parsing each line, in milliseconds."""
    files = [layout.stream(name) for name in names] or [layout.day_log(day) for day in layout.logged_days()]
    lines = [line for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return 1000 * min(seconds(lambda: parse_all(lines)) for _ in range(3))


def ask(root: Path, path: str, times: int) -> tuple[float, float]:
    """Ask a fresh server for a page, and again.

    Returns:
        Milliseconds of the processor for the first request, and the median of the others.
    """
    command = [sys.executable, "-m", "bench.pages", str(root), path, str(times)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    first, others = json.loads(done.stdout)
    return float(first), float(others)


def serve(root: Path, path: str, times: int) -> None:
    """Ask the application itself, in this process, and print the times."""
    from starlette.testclient import TestClient

    from gm.faces.web.app import make_app

    client = TestClient(make_app(Layout(root)), base_url="http://127.0.0.1:8765")
    client.get("/static/site.css")  # the client's own first request
    taken = []
    for _ in range(times + 1):
        begin = time.process_time()
        answer = client.get(path)
        taken.append(1000 * (time.process_time() - begin))
        assert answer.status_code == 200, answer.text
    print(json.dumps([taken[0], median(taken[1:])]))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        serve(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
    else:
        run()
