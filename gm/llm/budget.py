"""A budget for each story day: a call that could exceed it is not begun.

Spending is read from traces, so it survives restarts. Concurrent calls count at their worst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Condition

from gm.base.config import BudgetSettings
from gm.base.errors import BudgetError, say
from gm.base.tokens import TokenCounter, calibrate
from gm.llm.base import FORECAST, MAILBOX, REPLAY, Answer, Backend, Request, length_of
from gm.llm.calls import Call, call_of
from gm.llm.prices import MILLION, Price, Prices
from gm.model.calendar import parse_ref

NOT_COUNTED = (REPLAY, FORECAST)
"""Backends that cost nothing or only forecast: no budget stops them."""

ROUNDING = 1e-9
GO_ON = "run the same command again: it goes on from here, and nothing is asked twice"


@dataclass(frozen=True, slots=True)
class Amount:
    """Costs of calls in every measure that can be limited."""

    day_usd: float = 0.0
    day_tokens: int = 0
    calls: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.day_usd + other.day_usd, self.day_tokens + other.day_tokens, self.calls + other.calls)


@dataclass(slots=True)
class _Day:
    # Batches and calls under way count at their worst.
    spent: Amount = Amount()
    sent: Amount = Amount()
    under_way: dict[int, Amount] = field(default_factory=dict)
    unpriced: str | None = None
    samples: dict[str, list[tuple[int, int]]] = field(default_factory=dict)


class Budget:
    """Lets calls begin as long as their day can pay. Thread-safe.

    Args:
        calls_of: Reads a day's earlier calls; called once for each.
        hour: Whether the cache is kept for an hour, which costs more to write.
    """

    def __init__(
        self,
        limits: BudgetSettings,
        prices: Prices,
        backend: Backend,
        calls_of: Callable[[int], Iterable[Call]],
        *,
        hour: bool = False,
    ) -> None:
        self._limits = limits
        self._prices = prices
        self._backend = backend
        self._calls_of = calls_of
        self._hour = hour
        self._days: dict[int, _Day] = {}
        self._changed = Condition()
        self._stopped = False
        self._tickets = 0

    def require_prices(self, models: Iterable[str]) -> None:
        """Check that dollars can be counted.

        Raises:
            BudgetError: ``budget.day_usd`` is set, and a model has no known price.
        """
        if self._limits.day_usd is not None:
            for model in models:
                if self._prices.ahead(self._backend, model) is None:
                    raise _no_price(model)

    @contextmanager
    def admitted(self, request: Request) -> Iterator[Callable[[Answer], None]]:
        """Wait until a call may begin; the yielded function takes its answer.

        A call that does not fit waits for those under way, which may take less than their worst.

        Raises:
            BudgetError: The call could exceed its day's budget, and none is under way.
        """
        day, ticket = self._admit(request)
        answers: list[Answer] = []
        try:
            yield answers.append
        finally:
            with self._changed:
                del day.under_way[ticket]
                for answer in answers:
                    self._add(day, call_of(request, answer, self._backend))
                self._changed.notify_all()

    def admit_batch(self, requests: Iterable[Request]) -> None:
        """Let a batch be sent if it fits at its worst. Does not wait.

        Raises:
            BudgetError: It could exceed its day's budget.
        """
        requests = list(requests)
        with self._changed:
            before = {number: self._open(number).sent for number in {_day_of(request) for request in requests}}
            for request in requests:
                day = self._open_priced_day(_day_of(request))
                worst = self._worst(request, day, batch=True)
                limit = self._find_exceeded(_sum_taken(day) + worst)
                if limit is not None:
                    for number, sent in before.items():
                        self._days[number].sent = sent
                    raise self._refusal(limit, _day_of(request), day.spent, worst, request)
                day.sent += worst

    def count(self, request: Request, answer: Answer, *, batch: bool) -> None:
        with self._changed:
            self._add(self._open(_day_of(request)), call_of(request, answer, self._backend, batch=batch))

    def stop(self) -> None:
        """Refuse all further calls, also those that wait."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    def spent_on(self, day: int) -> Amount:
        with self._changed:
            return self._open(day).spent

    def _admit(self, request: Request) -> tuple[_Day, int]:
        with self._changed:
            day = self._open_priced_day(_day_of(request))
            while not self._stopped:
                worst = self._worst(request, day)
                limit = self._find_exceeded(_sum_taken(day) + worst)
                if limit is None:
                    self._tickets += 1
                    day.under_way[self._tickets] = worst
                    return day, self._tickets
                if not day.under_way:
                    raise self._refusal(limit, _day_of(request), day.spent, worst, request)
                self._changed.wait()
            raise BudgetError("the run was interrupted before this call began", GO_ON)

    def _open_priced_day(self, number: int) -> _Day:
        day = self._open(number)
        if self._limits.day_usd is not None and day.unpriced is not None:
            raise _no_price(day.unpriced)
        return day

    def _open(self, number: int) -> _Day:
        if number not in self._days:
            day = _Day()
            for call in self._calls_of(number):
                self._add(day, call)
            self._days[number] = day
        return self._days[number]

    def _add(self, day: _Day, call: Call) -> None:
        usd = call.usd(self._prices)
        if usd is None:
            day.unpriced = call.asked
        tokens = call.usage.prompt_tokens + call.usage.output_tokens
        day.spent += Amount(usd or 0.0, tokens, 1)
        if call.is_counted:
            day.samples.setdefault(call.asked, []).append((call.characters, call.usage.prompt_tokens))

    def _worst(self, request: Request, day: _Day, *, batch: bool = False) -> Amount:
        model = request.model or self._backend.model
        if model == MAILBOX:
            return Amount(calls=1)
        samples = day.samples.get(model)
        counter = calibrate(samples) if samples else TokenCounter()
        asked = counter.at_worst(length_of(request))
        price = self._prices.ahead(self._backend, model)
        if price is None and self._limits.day_usd is not None:
            raise _no_price(model)
        usd = self._dearest_usd(price, asked, request) * (price.batch if batch else 1.0) if price else 0.0
        return Amount(usd, asked + request.max_tokens, 1)

    def _dearest_usd(self, price: Price, asked: int, request: Request) -> float:
        dearest = price.input
        if any(block.cache for block in request.system):
            dearest = max(dearest, price.cache_write_1h if self._hour else price.cache_write_5m)
        return (asked * dearest + request.max_tokens * price.output) / MILLION

    def _find_exceeded(self, amount: Amount) -> str | None:
        for name in Amount.__slots__:
            limit = getattr(self._limits, name)
            if limit is not None and getattr(amount, name) > limit + ROUNDING:
                return name
        return None

    def _refusal(self, limit: str, number: int, spent: Amount, worst: Amount, request: Request) -> BudgetError:
        asked = f"{request.place} {request.label}".strip()
        had = _figure(limit, getattr(spent, limit))
        most, next_one = (_say_amount(limit, getattr(item, limit)) for item in (self._limits, worst))
        needs = "is one more" if limit == "calls" else f"could take up to {next_one}"
        values = limit, number, had, most, asked, needs
        return BudgetError(
            say(
                "budget.{limit} of day {day} does not allow the next call: {had} of {most} spent, and {asked} {needs}",
                *values,
            ),
            say("raise budget.{limit} in gm.yaml, then {then}", limit, GO_ON),
        )


def _sum_taken(day: _Day) -> Amount:
    return sum(day.under_way.values(), day.spent + day.sent)


def _day_of(request: Request) -> int:
    place = parse_ref(request.place)
    return place.day if place else 0


def _say_amount(limit: str, amount: float) -> str:
    return _figure(limit, amount) + {"day_usd": "", "day_tokens": " tokens", "calls": " calls"}[limit]


def _figure(limit: str, amount: float) -> str:
    if limit == "day_usd":
        return f"${amount:,.4f}" if 0 < amount < 0.1 else f"${amount:,.2f}"
    return f"{amount:,}"


def _no_price(model: str) -> BudgetError:
    return BudgetError(
        say("budget.day_usd is set, but no price is known for {model}", model),
        f"write it into gm.yaml, in US dollars for a million tokens (0 for a model of your own): "
        f"prices: {{{model}: {{input: …, output: …}}}}; or limit budget.day_tokens instead",
    )
