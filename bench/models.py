"""The backends beside each other: what is told twice of a reply's form, and the CPU time of a call.

Both ask the questions of a whole day of the dinner, over HTTP, of the strict stand-ins of the tests, with the usual
settings. The CPU time is that of the thread that asks; the stand-ins answer in threads of their own.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.table import Row
from gm.api.worlds.create import create_world
from gm.base.config import LlmSettings
from gm.base.tokens import estimate_tokens
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.choose import Choice
from gm.llm.openai_api import OpenAiApi
from gm.llm.packaged import words
from gm.llm.providers import MAIN, providers
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.master import game_master
from gm.play.report import Report
from tests.llm.chat_api import ChatApi, Said, serving_chat, whole
from tests.llm.messages_api import Body, MessagesApi, Reply, serving

ROUNDS = 5
AIM_TWICE = 0.0
AIM_CPU = 1.25


@dataclass
class Noting:
    """A rehearsal that notes what it is asked."""

    asked: list[tuple[Request, str]] = field(default_factory=list)
    name: str = "bench"
    model: str = "bench"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        """Answer as the rehearsal would."""
        answer = Rehearsal().ask(request)
        self.asked.append((request, answer.text))
        return answer


def run() -> tuple[Row, ...]:
    """Ask the questions of a day at both backends, and compare."""
    noting = Noting()
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "dinner", "dinner")
        with game_master(layout, Choice(noting, "bench"), Report(), command="bench") as master:
            master.play_day()
    requests = [request for request, _ in noting.asked]
    said = sorted((text for _, text in noting.asked), key=len)[len(noting.asked) // 2]
    messages, chat = MessagesApi(lambda _body, _number: Reply(said)), ChatApi(lambda _body: Said(said), is_strict=True)
    with serving(messages), serving_chat(chat):
        # a server of one's own is asked as the real APIs are
        settings = LlmSettings(cache="5m", structured="schema")
        asked = AnthropicApi("m", settings, {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": messages.url})
        openai = replace(providers()[MAIN], base=chat.url)
        own = OpenAiApi("m", openai, Surroundings(environment={"OPENAI_API_KEY": "none"}))
        cpu_ms = [statistics.median(times) for times in zip(*_rounds((own, asked), requests), strict=True)]
    assert not messages.faults
    assert not chat.faults
    print(f"{len(requests)} questions, {ROUNDS} times; an answer has {len(said):,} characters")
    texts = [whole(body) for body in chat.requests if "response_format" in body]
    texts += [_whole(body) for body in messages.requests if "output_config" in body]
    twice, tokens = sum(map(_told, texts)), sum(map(estimate_tokens, texts))
    return (
        Row(
            "tokens of a reply's form told twice, both backends",
            f"{twice:,} tokens",
            f"{tokens:,} tokens of {len(texts)} enforced questions",
            twice / tokens,
            AIM_TWICE,
        ),
        Row(
            "CPU of a call by chat completions",
            f"{cpu_ms[0]:.2f} ms",
            f"Messages API {cpu_ms[1]:.2f} ms",
            cpu_ms[0] / cpu_ms[1],
            AIM_CPU,
            why="the schema is rendered by the strict rules anew for each call, and the other SDK does the rest",
        ),
    )


def _rounds(backends: Sequence[Backend], requests: Sequence[Request]) -> Iterator[list[float]]:
    """Yield the mean CPU milliseconds of a call of each backend, in turns; the first round only warms up."""
    for number in range(ROUNDS + 1):
        took = [_cpu_ms(backend, requests) for backend in backends]
        if number:
            yield took


def _cpu_ms(backend: Backend, requests: Sequence[Request]) -> float:
    began = time.thread_time()
    for request in requests:
        backend.ask(request)
    return 1000 * (time.thread_time() - began) / len(requests)


def _whole(body: Body) -> str:
    """Return all texts of a request to the Messages API."""
    return "\n\n".join(
        [*(block["text"] for block in body["system"]), *(str(one["content"]) for one in body["messages"])]
    )


def _told(text: str) -> int:
    """Return the tokens of a schema in words."""
    _, marked, schema = text.partition(words()["schema"])
    return estimate_tokens(marked + schema) if marked else 0


if __name__ == "__main__":
    run()
