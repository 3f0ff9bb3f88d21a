"""What one act of one agent costs the engine: CPU time, model calls, and how long the prompt gets with age.

An act is one turn of one agent in one scene. The CPU time is that of the whole process while it plays, less the time
that the stand-in for the model takes, so it holds everything: choosing scenes, assembling and rendering prompts,
parsing, folding, writing files and traces.
"""

import json
import tempfile
import threading
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from statistics import fmean

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.content import text_of
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import game_master
from gm.play.report import Report

DAYS = 50
YOUNG_DAY = 5
WINDOW = 50
AIM_CPU_MS = 5.0
AIM_GROWTH = 1.1
REFLECTIONS_FROM, REFLECTIONS_TO = "## Was du verstanden hast", "## Was zuletzt war"


class Watched(Rehearsal):
    """A rehearsal that notes what it is asked and how much CPU time it takes itself."""

    def __init__(self) -> None:
        super().__init__()
        self.own_cpu_s = 0.0
        self.raw_cpu_s = 0.0
        self.day = 0
        self.calls: defaultdict[int, int] = defaultdict(int)
        self.acts: defaultdict[int, int] = defaultdict(int)
        self.characters: defaultdict[int, list[int]] = defaultdict(list)
        self._lock = threading.Lock()

    def ask(self, request: Request) -> Answer:
        """Answer, and note."""
        began = time.thread_time()
        answer = super().ask(request)
        took = time.thread_time() - began
        began = time.thread_time()
        encode_and_decode(request, answer)
        raw = time.thread_time() - began
        with self._lock:
            self.raw_cpu_s += raw
            self.own_cpu_s += took + raw
            self.calls[self.day] += 1
            # a second question after a bad reply is a call, and no act
            self.acts[self.day] += not request.label.endswith("-again")
            self.characters[self.day].append(_length(request))
        return answer


def encode_and_decode(request: Request, answer: Answer) -> None:
    """Do what everybody has to who asks a model: write the question as JSON, and read the answer."""
    json.dumps([[block.text for block in request.system], request.messages, request.schema])
    with suppress(ValueError):  # a stand-in may answer in plain words
        json.loads(answer.text)


def _length(request: Request) -> int:
    """Characters of a prompt, older reflections aside."""
    text = "".join(block.text for block in request.system) + "".join(
        text_of(content) for _, content in request.messages
    )
    begin, end = text.find(REFLECTIONS_FROM), text.find(REFLECTIONS_TO)
    return len(text) - (end - begin if 0 <= begin < end else 0)


def run() -> tuple[Row, ...]:
    """Play fifty days of the studio and print the figures."""
    backend = Watched()
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        full_day = 0
        cpu: dict[int, float] = {}
        with game_master(layout, Choice(backend, "bench"), Report(), command="bench") as master:
            for day in range(1, DAYS + 1):
                backend.day = day
                began, own = time.process_time(), backend.own_cpu_s
                master.play_day()
                cpu[day] = time.process_time() - began - (backend.own_cpu_s - own)
                if not full_day and all(len(agent.stream) >= WINDOW for agent in master.world.agents.values()):
                    full_day = day + 1
    return _print(backend, cpu, full_day)


def _print(backend: Watched, cpu: dict[int, float], full_day: int) -> tuple[Row, ...]:
    acts = sum(backend.acts.values())
    each = 1000 * sum(cpu.values()) / acts
    print(f"{DAYS} days, {acts} acts of 7 agents")
    print(f"engine CPU per act: {each:.2f} ms (aim: at most {AIM_CPU_MS:g})")
    for day in (YOUNG_DAY, DAYS):
        print(f"  day {day}: {1000 * cpu[day] / backend.acts[day]:.2f} ms")
    print(f"model calls per act: {sum(backend.calls.values()) / acts:.2f} (aim: 1.0)")
    young, full, old = (fmean(backend.characters[day]) for day in (YOUNG_DAY, full_day, DAYS))
    print("prompt characters per act, older reflections aside:")
    print(f"  day {YOUNG_DAY}: {young:.0f}, day {full_day} (windows full): {full:.0f}, day {DAYS}: {old:.0f}")
    print(f"  day {DAYS} / day {YOUNG_DAY}: {old / young:.2f}")
    print(f"  day {DAYS} / day {full_day}: {old / full:.2f} (aim: at most {AIM_GROWTH:g})")
    calls = sum(backend.calls.values()) / acts
    raw = 1000 * backend.raw_cpu_s / acts
    print(f"an act's question as JSON, and its answer read: {raw:.2f} ms, ratio {each / raw:.0f}")
    why = (
        f"writing an act's question as JSON and reading its answer takes {raw:.2f} ms; {each - raw:.2f} ms go into "
        "choosing scenes, making prompts, folding replies and writing files. Processor time grows when others use the "
        "machine."
    )
    against = f"bound in ms (JSON of it {raw:.2f} ms)"
    return (
        Row("engine CPU per act", f"{each:.2f} ms", against, each, AIM_CPU_MS, why=why),
        Row("model calls per act", f"{calls:.2f}", "acts", calls, 1.0),
        Row(
            f"prompt of an act, day {DAYS} / day {full_day}",
            f"{old:.0f}",
            f"{full:.0f} characters",
            old / full,
            AIM_GROWTH,
        ),
    )


if __name__ == "__main__":
    run()
