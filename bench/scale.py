"""What a world of 7 to 1,000 people costs: processor time of an act, memory, plan, status, first page.

Such a world is the studio many times over: each seven people have names, homes and rooms of their own and speak of each
other, and all share the board, the calendar and the rooms where everybody meets.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from bench.act import Watched
from bench.pages import ask
from bench.table import Row, render_table
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.choose import Choice
from gm.play.master import game_master
from gm.play.report import Report

SIZES = (7, 30, 100, 300, 1000)
DAYS = 2
AIM = 1.3
PAGE, PLAY = "/index.html", "play"
FIRST = ("Al", "Ber", "Dor", "Eli", "Fri", "Gun", "Hed", "Ing", "Kar", "Lud", "Mar", "Nor", "Ott", "Pau", "Ros", "Sven")
LAST = ("bert", "dine", "fried", "gard", "hild", "land", "lieb", "mine", "mund", "rike", "run", "tha", "trud", "wald")
FAMILY = ("acker", "bach", "berg", "feld", "hof", "kamp", "moor", "rode", "stein", "tal", "wald", "weiler")
RULE = "Es gibt genau sieben Leute"


class Figures(NamedTuple):
    """What a world of some size took.

    Attributes:
        acts: Acts of each day.
        act_ms: Processor time of an act on each day, without that of the stand-in for the model.
        memory_mb: Peak of the process that played.
        plan_s: Processor time of ``gm plan``, as those of ``gm status`` and of a fresh first page.
    """

    acts: list[int]
    act_ms: list[float]
    memory_mb: float
    plan_s: float
    status_s: float
    page_s: float


def run(sizes: Sequence[int] = SIZES) -> tuple[Row, ...]:
    """Measure each size, and print it beside the smallest."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for size in sizes:
            found[size] = measure(make_village(Path(folder) / str(size), size))
            print(f"{size} agents: {told(found[size])}", flush=True)
    base = min(found)
    return tuple(row for size in found if size != base for row in rows_of(size, found[size], base, found[base]))


def told(figures: Figures) -> str:
    """Return figures as a line."""
    days = ", ".join(
        f"day {day}: {acts} acts of {took:.1f} ms"
        for day, (acts, took) in enumerate(zip(figures.acts, figures.act_ms, strict=True), 1)
    )
    others = f"plan {figures.plan_s:.2f} s, status {figures.status_s:.2f} s, first page {figures.page_s:.2f} s"
    return f"{days}; {figures.memory_mb:.0f} MB; {others}"


def rows_of(size: int, figures: Figures, base: int, smallest: Figures) -> list[Row]:
    """Put a size into the table: what an act takes is meant to stay, everything else to grow with the cast at most."""
    grown = size / base
    acts = zip(figures.act_ms, smallest.act_ms, strict=True)
    rows = [
        Row(f"act of {size} agents, day {day}", f"{took:.1f} ms", f"{least:.1f} ms of {base}", took / least, AIM)
        for day, (took, least) in enumerate(acts, 1)
    ]
    for what in ("memory_mb", "plan_s", "status_s", "page_s"):
        name, unit = what.split("_")
        took, least = getattr(figures, what), getattr(smallest, what)
        limit = f"{least:.2f} {unit.upper() if unit == 'mb' else unit} of {base}"
        rows.append(Row(f"{name} of {size} agents", f"{took:.2f}", limit, took / least, grown))
    return rows


def make_village(folder: Path, size: int) -> Layout:
    """Create a world of so many people at day 0."""
    layout = create_world(folder, "studio")
    names = layout.agent_names()
    agents = load_world(layout).world.agents
    called = {name: agents[name].name.split() for name in names}
    told = {name: layout.persona(name).read_text(encoding="utf-8") for name in names}
    homes = {agent.home for agent in agents.values()}
    settings = layout.settings.read_text(encoding="utf-8")
    rooms: list[str] = []
    for number in range(1, -(-size // len(names))):
        renamed = dict(_renamed(called, number))
        for name in names[: size - number * len(names)]:
            text = _say_with(told[name], renamed)
            layout.persona(renamed[name]).write_text(_move(text, homes, number), encoding="utf-8")
        rooms += [_move(line, homes, number) for line in settings.splitlines() if _room_of(line) in homes]
    cut = settings.index("places:\n") + len("places:\n")
    more = "".join(f"{line}\n" for line in rooms)
    kept = "".join(line for line in (settings[:cut] + more + settings[cut:]).splitlines(True) if RULE not in line)
    layout.settings.write_text(kept, encoding="utf-8")
    return layout


def _renamed(called: dict[str, list[str]], number: int) -> list[tuple[str, str]]:
    """Name each id, call name and family name of the studio anew, for the people of a number."""
    made = []
    for place, (name, (call, *family)) in enumerate(called.items()):
        turn = (number - 1) * len(called) + place
        first = FIRST[turn % len(FIRST)] + LAST[turn // len(FIRST) % len(LAST)]
        first += "" if turn < len(FIRST) * len(LAST) else FAMILY[turn // (len(FIRST) * len(LAST)) - 1]
        last = LAST[turn % len(LAST)].capitalize() + FAMILY[turn % len(FAMILY)]
        made += [(name, first.lower()), (call, first), *((word, last) for word in family)]
    return made


def _say_with(text: str, renamed: dict[str, str]) -> str:
    return re.sub(rf"\b({'|'.join(renamed)})(s?)\b", lambda found: renamed[found[1]] + found[2], text)


def _move(text: str, homes: set[str], number: int) -> str:
    return re.sub(rf"^(home: |  )({'|'.join(homes)})\b(:?)", rf"\g<1>\g<2>-{number}\g<3>", text, flags=re.MULTILINE)


def _room_of(line: str) -> str:
    return line.strip().partition(":")[0]


def measure(layout: Layout) -> Figures:
    """Play days in a process of its own, and ask commands and the first page."""
    played = json.loads(_python("bench.scale", PLAY, str(layout.root)))
    plan, status = (seconds(command, layout.root) for command in ("plan", "status"))
    return Figures(**played, plan_s=plan, status_s=status, page_s=ask(layout.root, PAGE, 1)[0] / 1000)


def play(root: Path) -> None:
    """Play the days in this process, and print what they took."""
    backend = Watched()
    acts, act_ms = [], []
    for day in range(1, DAYS + 1):
        backend.day = day
        own, began = backend.own_cpu_s, time.process_time()
        with game_master(Layout(root), Choice(backend, "bench"), Report(), command="bench") as master:
            master.play_day()
        spent = time.process_time() - began - (backend.own_cpu_s - own)
        acts.append(backend.acts[day])
        act_ms.append(1000 * spent / backend.acts[day])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"acts": acts, "act_ms": act_ms, "memory_mb": peak}))


def seconds(command: str, root: Path) -> float:
    """Measure the processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _python("gm", command, "-w", str(root), "--json")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _python(module: str, *arguments: str) -> str:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout


if __name__ == "__main__":
    if sys.argv[1:2] == [PLAY]:
        play(Path(sys.argv[2]))
    else:
        print(render_table(run([int(size) for size in sys.argv[1:]] or SIZES)))
