"""A year of rehearsed days with self-care: what a prompt and a scene cost on day 365 beside day 60.

The ceilings are low, so that care happens several times for everybody. Processor time is compared at the end, on copies
of the world as it was on both days that are played alternately: so both meet the same noise.
"""

from __future__ import annotations

import gc
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, median

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.load import load_agent
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.node import render_node
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.master import game_master
from gm.play.report import Report

DAYS, EARLY = 365, 60
AIM_TOKENS = 1.2
WINDOW = 10
"""Days that are averaged up to and including each of the two."""
COMPARED = 12
"""Days that are played alternately on both copies."""
SETTINGS = """
selfcare: {enabled: true, token_ceiling: 8000, post_ceiling: 4000, summary_ceiling: 4000}
"""
CONVICTION = "Was steht, muss stehen können."
SOUL = f"# Was Vera nie vergisst.\nbeliefs:\n  - {CONVICTION}\n"


class Counted(Rehearsal):
    """Counts the questions of scenes and their tokens, by story day."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens: dict[str, list[int]] = {}

    def ask(self, request: Request) -> Answer:
        answer = super().ask(request)
        if request.purpose == "scene":
            self.tokens.setdefault(request.place.partition("/")[0], []).append(answer.usage.input_tokens)
        return answer


class Births(Report):
    """Remembers every memory as it was written first."""

    def __init__(self) -> None:
        self.lines: dict[str, str] = {}
        self.twice: list[str] = []
        self.cares = 0

    def _born(self, change: Change) -> None:
        for nodes in (*change.nodes.values(), *change.summaries.values()):
            for node in nodes:
                if node.id in self.lines:
                    self.twice.append(node.id)
                self.lines[node.id] = render_node(node)

    def scene_played(self, world: World, scene: Scene, change: Change) -> None:
        self._born(change)

    def day_ends(self, world: World, change: Change) -> None:
        self._born(change)

    def day_closed(self, world: World, change: Change) -> None:
        self._born(change)

    def cared(self, world: World, name: str, change: Change) -> None:
        self.cares += 1
        self._born(change)


@dataclass
class Year:
    """What a year was like.

    Attributes:
        layout: The world at its end.
        young: A copy of it as it was on the early day.
        births: Every memory as it was written first.
        tokens: Mean estimated tokens of a scene's question up to the early day, and up to the last.
        cpu_s: Median processor time of a question, on both copies.
        scene_s: Median wall time of a scene, likewise.
        load_s: Median processor time of reading all characters, likewise.
    """

    layout: Layout
    young: Layout
    births: Births
    tokens: tuple[float, float] = (0.0, 0.0)
    cpu_s: tuple[float, float] = (0.0, 0.0)
    scene_s: tuple[float, float] = (0.0, 0.0)
    load_s: tuple[float, float] = (0.0, 0.0)
    archived: dict[str, int] = field(default_factory=dict)

    def figures(self) -> list[str]:
        """Return the figures as lines."""
        pairs = (
            ("prompt tokens of an act", self.tokens, 1.0, "{:.0f}"),
            ("processor time of a question, ms", self.cpu_s, 1000.0, "{:.2f}"),
            ("wall time of a scene, ms", self.scene_s, 1000.0, "{:.1f}"),
            ("reading the characters, ms", self.load_s, 1000.0, "{:.1f}"),
        )
        told = [
            f"{name}: {form.format(early * unit)} on day {EARLY}, {form.format(late * unit)} at the end, "
            f"ratio {late / early:.2f}"
            for name, (early, late), unit, form in pairs
        ]
        return [
            *told,
            f"{len(self.births.lines)} memories, {sum(self.archived.values())} of them in the archive, "
            f"put together {self.births.cares} times",
        ]


def live(folder: Path, days: int = DAYS, early: int = EARLY) -> Year:
    """Play a year of the studio.

    Args:
        folder: Where to put it; empty.
        days: How many days.
        early: The day with which the last is compared.
    """
    layout = create_world(folder / "studio", "studio")
    with open(layout.settings, "a", encoding="utf-8") as file:
        file.write(SETTINGS)
    layout.state.joinpath("souls").mkdir(parents=True)
    layout.state.joinpath("souls", "vera.yaml").write_text(SOUL, encoding="utf-8")
    year = Year(layout, Layout(folder / "young"), Births())
    backend = Counted()
    for first, last in ((1, early), (early + 1, days)):
        with game_master(layout, Choice(backend, "bench"), year.births, command="bench") as master:
            for _ in range(first, last + 1):
                master.play_day()
                # a year of questions is half a gigabyte, and nobody asks them again
                shutil.rmtree(layout.traces)
        if last == early:
            shutil.copytree(layout.root, year.young.root)
    year.tokens = (_mean_tokens(backend, early), _mean_tokens(backend, days))
    old = Layout(folder / "old")
    shutil.copytree(layout.root, old.root)
    year.cpu_s, year.scene_s, year.load_s = _compare(year.young, old)
    year.archived = {name: layout.archived(name).read_bytes().count(b"\n") for name in layout.agent_names()}
    return year


def _mean_tokens(backend: Counted, last: int) -> float:
    return fmean(
        tokens for day in range(last - WINDOW + 1, last + 1) for tokens in backend.tokens.get(f"day-{day:03d}", ())
    )


def _compare(*worlds: Layout) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    played: list[list[float]] = [[], []]
    scenes: list[list[float]] = [[], []]
    loaded: list[list[float]] = [[], []]
    for _ in range(COMPARED):
        for place, layout in enumerate(worlds):
            began = time.process_time()
            for name in layout.agent_names():
                load_agent(layout, name)
            loaded[place].append(time.process_time() - began)
            backend = Counted()
            with game_master(layout, Choice(backend, "bench"), Report(), command="bench") as master:
                gc.collect()
                began, clock = time.process_time(), time.perf_counter()
                day = master.play_day()
                spent, passed = time.process_time() - began, time.perf_counter() - clock
            played[place].append(spent / sum(map(len, backend.tokens.values())))
            scenes[place].append(passed / day.scenes)
    return _medians(played), _medians(scenes), _medians(loaded)


def _medians(pair: list[list[float]]) -> tuple[float, float]:
    return median(pair[0]), median(pair[1])


def run() -> tuple[Row, ...]:
    """Play a year and print what it was like."""
    days = int(sys.argv[2]) if len(sys.argv) > 2 and sys.argv[2].isdigit() else DAYS
    with tempfile.TemporaryDirectory() as folder:
        year = live(Path(folder), days)
    for line in year.figures():
        print(line)
    young, old = year.tokens
    what = f"prompt of an act, day {days} / day {EARLY}"
    return (Row(what, f"{old:.0f} tokens", f"{young:.0f} tokens", old / young, AIM_TOKENS),)


if __name__ == "__main__":
    run()
