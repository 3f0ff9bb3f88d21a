"""How long a day takes beside the longest chain of calls that wait for each other, when every call takes 200 ms.

A scene that all answer at once counts one call, one that is played turn by turn counts its turns, all reflections of an
evening count one. The rest of the wall time is the engine's own: choosing, rendering, parsing, folding, writing.

Then a hundred calls at once, through the real backend and over HTTP, to a stand-in in a process of its own that holds
each answer back for 200 ms.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.base.config import LlmSettings
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.questions.traces import TraceFolder
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.asker import Asker, Traces
from gm.llm.base import Answer, Block, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.voice import load_pack
from gm.play.master import game_master
from gm.play.report import Report

CALL_S = 0.2
OLD_DAY = 12  # by then every window is full
AIM = 1.1
AT_ONCE = 100
ROUNDS = 3
PROMPT_CHARACTERS = 24_000


class Slow(Rehearsal):
    """Answers as the rehearsal does, exactly so long after it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self._never = threading.Event()
        load_pack("de")  # a model takes 200 ms from the first call on

    def ask(self, request: Request) -> Answer:
        """Answer, and wait until the time is over."""
        began = time.perf_counter()
        answer = super().ask(request)
        self._never.wait(max(0.0, CALL_S - (time.perf_counter() - began)))
        return answer


class Counting:
    """Counts the rounds of an asker: calls of one round overlap, and the next round needs their answers."""

    def __init__(self, asker: Asker) -> None:
        self.rounds = 0
        self.longest = 0
        self._asker, self._ask_all = asker, asker.ask_all
        asker.ask_all = self.ask_all  # type: ignore[method-assign]  # looks on, and asks as before

    @property
    def calls(self) -> int:
        """Calls so far."""
        return self._asker.calls

    def ask_all(
        self,
        requests: Sequence[Request],
        traces: Sequence[Traces],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Answer]:
        """Ask, and count a round when a call was made."""
        before = self.calls
        answers = self._ask_all(requests, traces, progress)
        self.rounds += self.calls > before
        self.longest = max(self.longest, self.calls - before)
        return answers


def run() -> tuple[Row, ...]:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "studio", "studio")
        first = _play(layout, "the first day")
        with game_master(layout, Choice(Rehearsal(), "bench"), Report(), command="bench") as master:
            for _ in range(1, OLD_DAY):
                master.play_day()
        later = _play(layout, f"day {OLD_DAY}")
        _ask_at_once(Path(folder) / "traces")
    return first, later


def _play(layout: Layout, name: str) -> Row:
    """Play the next day of copies of a world, and print the best of several tries: the machine may have other work."""
    tries = []
    for number in range(ROUNDS):
        copy = Layout(layout.root.with_name(f"copy-{layout.root.name}-{number}"))
        shutil.copytree(layout.root, copy.root)
        tries.append(_time(copy))
        shutil.rmtree(copy.root)
    wall, cpu, asker, limit = min(tries, key=lambda item: item[0])
    path = asker.rounds * CALL_S
    ratios = ", ".join(f"{item[0] / path:.3f}" for item in tries)
    print(
        f"{name}: {asker.calls} calls in {asker.rounds} rounds, at most {asker.longest} at once (limit {limit}): "
        f"wall {wall:.2f} s, critical path {path:.2f} s, ratio {ratios} (aim: at most {AIM:g})"
    )
    over = 1000 * (wall - path) / asker.rounds
    print(
        f"  beside the calls {over:.1f} ms a round; CPU of the whole process {1000 * cpu / asker.calls:.1f} ms a call"
    )
    what = f"wall over critical path at {1000 * CALL_S:.0f} ms a call, {name}"
    return Row(what, f"{wall:.2f} s", f"path {path:.2f} s", wall / path, AIM)


def _time(layout: Layout) -> tuple[float, float, Counting, int]:
    backend = Slow()
    began, began_cpu = time.perf_counter(), time.process_time()
    with game_master(layout, Choice(backend, "bench"), Report(), command="bench") as master:
        limit = master.world.settings.llm.concurrency
        asker = Counting(master.table.asker)
        master.play_day()
    return time.perf_counter() - began, time.process_time() - began_cpu, asker, limit


def _ask_at_once(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.llm.standin", str(CALL_S)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parent.parent,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        url = server.stdout.readline().strip()
        settings = LlmSettings(max_retries=0, concurrency=AT_ONCE, cache="5m", structured="schema")
        backend = AnthropicApi("claude-sonnet-5", settings, {"ANTHROPIC_BASE_URL": url})
        asker = Asker(backend, AT_ONCE)
        walls, errors = [], 0
        for number in range(ROUNDS):
            traces = TraceFolder(folder, f"day-{number + 1:03d}/scene-01")
            began = time.perf_counter()
            try:
                asker.ask_all(_questions(number), [traces] * AT_ONCE)
            except GmError as error:
                errors += 1
                print(f"  {error.message}")
            walls.append(time.perf_counter() - began)
        asker.close()
        told, _ = server.communicate()
    peak, seen, *faults = told.split(maxsplit=2)
    shown = ", ".join(f"{wall:.2f}" for wall in walls)
    print(
        f"{AT_ONCE} calls at once, {ROUNDS} times: wall {shown} s, ideal {CALL_S:.2f} s, "
        f"ratio {median(walls) / CALL_S:.2f} (median); errors {errors}, refused {len(faults)}, "
        f"{seen} seen, at most {peak} under way at the same time"
    )


def _questions(number: int) -> list[Request]:
    world = Block("Welt " * (PROMPT_CHARACTERS // 5), cache=True)
    schema = {"title": "Reply", "type": "object", "properties": {"mood": {"type": "string"}}, "required": ["mood"]}
    return [
        Request(f"agent-{place}", "scene", (world,), (("user", f"Runde {number}: Und du, {place}?"),), schema, 500)
        for place in range(AT_ONCE)
    ]


if __name__ == "__main__":
    run()
