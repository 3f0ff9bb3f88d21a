"""How much of a day's input a provider's prompt cache would give back: share of tokens read from it, scene by scene.

Seven agents who remember at least fifty things each play a day of six scenes. Every question goes over HTTP, through
the real backend, to the strict stand-in of the tests, which charges it by the documented rules
(``tests.llm.prefix_cache``) and answers what the rehearsal would. The clock is the bench's own: all calls that are sent
together come at the same moment, and the next ones a fixed time later.
"""

from __future__ import annotations

import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.base.config import LlmSettings
from gm.files.layout import Layout
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.asker import Asker, Traces
from gm.llm.base import Answer, Request, Usage
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import GameMaster, game_master
from gm.play.report import Report
from tests.llm.messages_api import Body, Reply, serving
from tests.llm.prefix_cache import Charge, PrefixCache
from tests.llm.standin import StandIn

MODEL = "claude-sonnet-5"
NODES = 50
SCENES = 6
SETTINGS = f"\nday: {{scenes: [{SCENES - 1}, {SCENES}]}}\n"  # beside ARRIVAL, and in all
CALL_S = 15
OTHER_CALLS_S = (5, 30, 60)
AIM = 0.70


@dataclass
class Clock:
    """Time that passes when the bench says so."""

    now_s: float = 0.0

    def __call__(self) -> float:
        """Return the time in seconds."""
        return self.now_s


def tick(asker: Asker, clock: Clock) -> None:
    """Let time pass before each round of questions; those of one round are asked at the same moment."""
    ask_all = asker.ask_all

    def wait_and_ask(
        requests: Sequence[Request],
        traces: Sequence[Traces],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Answer]:
        clock.now_s += CALL_S
        return ask_all(requests, traces, progress)

    asker.ask_all = wait_and_ask  # type: ignore[method-assign]  # asks as before


@dataclass
class Prompted:
    """Asks the real backend, after it has told the stand-in what the rehearsal would answer.

    The stand-in sees nothing but HTTP, and the rehearsal reads facts that are not sent: so the answer is laid out under
    the text of the question, where the stand-in looks it up.
    """

    real: AnthropicApi
    answers: dict[str, tuple[str, str]] = field(default_factory=dict)
    usages: defaultdict[str, list[Usage]] = field(default_factory=lambda: defaultdict(list))
    name: str = "anthropic"
    model: str = MODEL
    reads_facts: bool = False
    lock: Lock = field(default_factory=Lock)

    def ask(self, request: Request) -> Answer:
        """Lay the answer out, and ask for it."""
        system = [block.text for block in request.system]
        messages = [{"role": role, "content": text} for role, text in request.messages]
        self.answers[_key(system, messages)] = (request.place, Rehearsal().ask(request).text)
        answer = self.real.ask(request)
        with self.lock:
            self.usages[request.place].append(answer.usage)
        return answer

    def place_of(self, body: Body) -> str:
        """Return the scene in which a request was made."""
        return self.answers[_key_of(body)][0]

    def reply(self, body: Body, _number: int) -> Reply:
        """Look the answer to a request up."""
        return Reply(self.answers[_key_of(body)][1])


def _key_of(body: Body) -> str:
    return _key([block["text"] for block in body["system"]], body["messages"])


def _key(system: Sequence[str], messages: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps([list(system), list(messages)])


def run() -> tuple[Row, ...]:
    """Grow a world, play its next day against the stand-in, and print what the cache gave back."""
    clock, api = Clock(), StandIn()
    with tempfile.TemporaryDirectory() as folder, serving(api):
        layout = create_world(Path(folder) / "studio", "studio")
        layout.settings.write_text(layout.settings.read_text(encoding="utf-8") + SETTINGS, encoding="utf-8")
        grow(layout)
        environment = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": api.url}
        backend = Prompted(AnthropicApi(MODEL, LlmSettings(cache="5m", structured="schema"), environment))
        api.script, api.clock = backend.reply, clock
        with game_master(layout, Choice(backend, "bench"), Report(), command="bench") as master:
            tick(master.table.asker, clock)
            before = [len(agent.stream) for agent in master.world.agents.values()]
            master.play_day()
            types = types_of(master)
    print(f"a day of {len(types)} scenes, 7 agents with {min(before)} to {max(before)} memories, {MODEL}")
    print(f"{len(api.charges)} calls, {len(api.faults)} of them refused; {CALL_S} s from one round to the next")
    share = _print_scenes(backend, types)
    requests = [(now_s / CALL_S, body) for now_s, body, _ in api.charges]
    _print_others(requests, backend, types)
    what = "input of a day read from the cache, from its second scene on"
    return (Row(what, f"{share:.1%}", "all input tokens", share, AIM, at_least=True),)


def grow(layout: Layout) -> None:
    """Rehearse days until everybody has enough to remember."""
    with game_master(layout, Choice(Rehearsal(), "bench"), Report(), command="bench") as master:
        while any(len(agent.stream) < NODES for agent in master.world.agents.values()):
            master.play_day()


def types_of(master: GameMaster) -> dict[str, str]:
    """Name the types of the day's scenes by the places where they were played."""
    entries = master.world.scenes_of(master.world.clock.day)
    return {str(entry.ref): entry.type for entry in entries}


def _print_scenes(backend: Prompted, types: Mapping[str, str]) -> float:
    print("scene                          calls    input  from cache  written  in full")
    for place, kind in types.items():
        sums = _sum(backend.usages[place])
        share = sums["read"] / sums["all"]
        print(
            f"{place} {kind:<14}{len(backend.usages[place]):>5}{sums['all']:>9}"
            f"{share:>11.0%}{sums['written']:>10}{sums['plain']:>9}"
        )
    later = [usage for place in list(types)[1:] for usage in backend.usages[place]]
    played = [usage for place in list(types)[1:] if types[place] != "REFLECTION" for usage in backend.usages[place]]
    print(f"from the second scene on: {_share(later):.1%} of the input read from the cache (aim: at least {AIM:.0%})")
    print(f"  without reflections: {_share(played):.1%}")
    print(f"  the whole day: {_share([usage for found in backend.usages.values() for usage in found]):.1%}")
    return _share(later)


def _sum(usages: Sequence[Usage]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for usage in usages:
        sums.update(
            all=usage.prompt_tokens,
            read=usage.cache_read_tokens,
            written=usage.cache_write_tokens,
            plain=usage.input_tokens,
        )
    return sums


def _share(usages: Sequence[Usage]) -> float:
    sums = _sum(usages)
    return sums["read"] / sums["all"]


def _print_others(requests: Sequence[tuple[float, Body]], backend: Prompted, types: Mapping[str, str]) -> None:
    """Charge the same requests under other circumstances."""
    first = next(iter(types))

    def share(call_s: float, cache: PrefixCache, model: str = MODEL) -> float:
        charges: list[Charge] = []
        for round_number, body in requests:
            charge = cache.charge(body | {"model": model}, round_number * call_s)
            if backend.place_of(body) != first:
                charges.append(charge)
        return sum(charge.read for charge in charges) / sum(charge.total for charge in charges)

    print("the same requests, from the second scene on, with")
    for call_s in OTHER_CALLS_S:
        print(f"  {call_s} s from one round to the next: {share(call_s, PrefixCache()):.1%}")
    for model in ("claude-opus-5", "claude-opus-4-7", "claude-haiku-4-5"):
        print(f"  the minimum of {model}: {share(CALL_S, PrefixCache(), model):.1%}")
    print(f"  one reply format for all questions: {share(CALL_S, PrefixCache(format_counts=False)):.1%}")


if __name__ == "__main__":
    run()
