"""Calls in traces, for bills, budgets and counters."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gm.base.tokens import TokenCounter, calibrate, mean_by_key
from gm.llm.base import BATCH_TIER, LAST_WORD, Answer, Backend, Request, Usage, length_of, read_usage, read_usd
from gm.llm.content import length_of_plain
from gm.llm.prices import FREE_BACKENDS, Prices, cost_usd, uncached_usd
from gm.llm.providers import MAIN, providers

AGAIN = "-again"
FOLLOW_UP_MARKS = ("-turn", LAST_WORD, "-tool", AGAIN)
ASK_PURPOSE = "ask"
"""The purpose of questions to characters outside of scenes, as bills show it; their model is that of scenes."""


@dataclass(frozen=True, slots=True)
class Call:
    """One answered question.

    Attributes:
        who: A character, or the purpose where none was asked.
        model: As the answering model names itself.
        characters: Of the whole question.
        paid: US dollars as the provider says; None = it does not.
        asks_again: It is asked because the answer before it had problems.
    """

    who: str
    purpose: str
    backend: str
    asked: str
    model: str
    usage: Usage
    characters: int
    batch: bool = False
    paid: float | None = None
    asks_again: bool = False

    @property
    def is_counted(self) -> bool:
        return self.backend not in FREE_BACKENDS and self.usage.prompt_tokens > 0

    def usd(self, prices: Prices) -> float | None:
        """Return US dollars; None = unknown price."""
        return self._count_cost(prices, cost_usd) if self.paid is None or self.backend in FREE_BACKENDS else self.paid

    def uncached_usd(self, prices: Prices) -> float | None:
        """Return what ``usd`` would be without a cache."""
        whole = self._count_cost(prices, uncached_usd)
        if self.paid is None or whole is None:
            return whole if self.paid is None else self.paid
        return self.paid + whole - (self._count_cost(prices, cost_usd) or 0.0)

    def _count_cost(self, prices: Prices, count: Callable[..., float]) -> float | None:
        price = prices.for_call(self.backend, self.asked, self.model)
        return count(self.usage, price, batch=self.batch) if price else None


def parse_call(record: Mapping[str, Any]) -> Call:
    """Read a call from a trace, even an older or hand-made one."""
    model = str(record.get("model", ""))
    label = str(record.get("label", ""))
    purpose = str(record.get("purpose", ""))
    # older traces name nobody; of those without a character, the purpose says who was asked
    who = str(record.get("who") or (purpose if "who" in record else "") or _strip_follow_up(label))
    return Call(
        who=who,
        purpose=purpose_of(who, label, purpose),
        # older traces name only the model, and free backends are models of their own name
        backend=str(record.get("backend") or (model if model in FREE_BACKENDS else "")),
        asked=str(record.get("asked") or model),
        model=model,
        usage=read_usage(record.get("usage")),
        characters=_characters(record.get("request")),
        batch=record.get("tier") == BATCH_TIER,
        paid=read_usd(record.get("usd")),
        asks_again=label.endswith(AGAIN),
    )


def purpose_of(who: str, label: str, purpose: str) -> str:
    """Return the purpose of a question as bills and forecasts show it."""
    return ASK_PURPOSE if label.startswith(f"{who}-{ASK_PURPOSE}-") else purpose


def call_of(request: Request, answer: Answer, backend: Backend, *, batch: bool = False) -> Call:
    """Return the call of a question."""
    return Call(
        who=request.who or request.purpose,
        purpose=purpose_of(request.who, request.label, request.purpose),
        backend=answer.backend or backend.name,
        asked=answer.asked or request.model or backend.model,
        model=answer.model,
        usage=answer.usage,
        characters=length_of(request),
        batch=batch,
        paid=answer.usd,
    )


def name_model(call: Call) -> str:
    """Return the model of a call as ``model:`` in ``gm.yaml`` takes it; "" where it needs no model, or an address."""
    if call.backend in (*FREE_BACKENDS, MAIN, ""):
        return ""
    return f"{call.backend}:{call.asked}" if call.backend in providers() else call.asked


def calibrate_counters(calls: Iterable[Call]) -> tuple[dict[str, TokenCounter], dict[str, dict[str, float]]]:
    """Return, by model that counted tokens, a counter, and the mean tokens of an answer by purpose."""
    asked: dict[str, list[tuple[int, int]]] = {}
    answered: dict[str, list[tuple[str, int]]] = {}
    for call in calls:
        if call.is_counted:
            asked.setdefault(call.asked, []).append((call.characters, call.usage.prompt_tokens))
            answered.setdefault(call.asked, []).append((call.purpose, call.usage.output_tokens))
    counters = {model: calibrate(samples) for model, samples in asked.items()}
    return counters, {model: mean_by_key(samples) for model, samples in answered.items()}


def _strip_follow_up(label: str) -> str:
    for mark in FOLLOW_UP_MARKS:
        label = label.partition(mark)[0]
    return label


def _characters(request: object) -> int:
    if not isinstance(request, Mapping):
        return 0
    system = request.get("system")
    messages = request.get("messages")
    tools = request.get("tools")
    whole = sum(len(item) for item in system if isinstance(item, str)) if isinstance(system, list) else 0
    if isinstance(messages, list):
        whole += sum(length_of_plain(item.get("content", "")) for item in messages if isinstance(item, Mapping))
    if isinstance(tools, list):
        whole += sum(len(json.dumps(tool, ensure_ascii=False)) for tool in tools)
    return whole
