"""The budget of a story day: a call that could exceed it is not begun."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import pytest

from gm.base.config import BudgetSettings, parse_settings
from gm.base.errors import BackendError, BudgetError
from gm.files.questions.traces import NoTraces
from gm.llm.asker import Asker
from gm.llm.base import Answer, Block, Request, Usage
from gm.llm.budget import Amount, Budget
from gm.llm.calls import Call
from gm.llm.prices import Prices

WAIT_S = 20  # only a failing test waits that long
TAKES = 100
MOST = 500
LABELS = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")


@dataclass
class Paid:
    """Takes 100 tokens for each answer, and counts who asks at the same time."""

    name: str = "anthropic"
    model: str = "claude-opus-5"
    reads_facts: bool = False
    mute: tuple[str, ...] = ()
    together: threading.Barrier | None = None
    asked: list[str] = field(default_factory=list)
    now: int = 0
    peak: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Request) -> Answer:
        with self.lock:
            self.asked.append(request.label)
            self.now += 1
            self.peak = max(self.peak, self.now)
        if self.together:
            self.together.wait(WAIT_S)
        with self.lock:
            self.now -= 1
        if request.label in self.mute:
            raise BackendError("no answer")
        return Answer("Ja.", self.model, usage=Usage(10, TAKES - 10))


def question(label: str, day: int = 1, text: str = "x" * 32) -> Request:
    return Request(
        label, "scene", (Block(text),), (("user", ""),), {}, MOST, place=f"day-{day:03d}/scene-01", who=label
    )


WORST = 10 + MOST
"""Most tokens that ``question`` can take."""


def nothing_yet(day: int) -> Iterable[Call]:
    return ()


def budget(
    limits: BudgetSettings, backend: Paid, calls_of: object = nothing_yet, prices: Prices | None = None
) -> Budget:
    assert callable(calls_of)
    return Budget(limits, prices or Prices(), backend, calls_of)


def ask(backend: Paid, gate: Budget, *questions: Request, threads: int = 16) -> list[str]:
    asker = Asker(backend, threads, gate)
    try:
        return [answer.text for answer in asker.ask_all(questions, [NoTraces()] * len(questions))]
    finally:
        asker.close()


def test_within_the_budget_everybody_is_asked() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(calls=7, day_tokens=7 * WORST, day_usd=1.0), backend)
    assert len(ask(backend, gate, *map(question, LABELS))) == 7
    spent = gate.spent_on(1)
    assert (spent.calls, spent.day_tokens) == (7, 700)
    assert spent.day_usd == pytest.approx(7 * (10 * 5 + 90 * 25) / 1_000_000)


def test_the_call_that_would_be_one_too_many_is_not_begun() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(calls=5), backend)
    with pytest.raises(BudgetError, match=r"budget\.calls of day 1 does not allow .*: 5 of 5 calls spent") as caught:
        ask(backend, gate, *map(question, LABELS))
    assert len(backend.asked) == 5
    assert "raise budget.calls in gm.yaml" in caught.value.hint
    assert "same command again" in caught.value.hint


def test_a_call_counts_at_its_worst_before_it_begins() -> None:
    backend = Paid()
    with pytest.raises(BudgetError, match=r"0 of 509 tokens spent, and .* could take up to 510 tokens"):
        ask(backend, budget(BudgetSettings(day_tokens=WORST - 1), backend), question("vera"))
    assert backend.asked == []
    assert ask(backend, budget(BudgetSettings(day_tokens=WORST), backend), question("vera")) == ["Ja."]


def test_calls_wait_for_those_under_way_and_fit_when_they_took_less() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(day_tokens=2 * WORST + 200), backend)
    assert len(ask(backend, gate, *map(question, LABELS))) == 7
    assert 1 <= backend.peak <= 2, "a third one at its worst would not have fitted"


def test_many_threads_together_never_exceed_the_budget() -> None:
    backend = Paid()
    limit = 12 * TAKES
    gate = budget(BudgetSettings(day_tokens=limit), backend)
    with pytest.raises(BudgetError):
        ask(backend, gate, *(question(f"agent-{number}") for number in range(40)), threads=16)
    spent = gate.spent_on(1)
    assert spent.day_tokens == TAKES * len(backend.asked)
    assert limit - WORST < spent.day_tokens <= limit


def test_calls_that_fit_the_budget_are_under_way_at_the_same_time() -> None:
    backend = Paid(together=threading.Barrier(7))
    assert len(ask(backend, budget(BudgetSettings(day_tokens=7 * WORST), backend), *map(question, LABELS))) == 7


def test_a_call_that_fails_takes_nothing_and_makes_room() -> None:
    backend = Paid(mute=LABELS[:6])
    gate = budget(BudgetSettings(calls=1), backend)
    with pytest.raises(BackendError, match="no answer"):
        ask(backend, gate, *map(question, LABELS), threads=1)
    assert backend.asked == list(LABELS)
    assert gate.spent_on(1).calls == 1


def test_the_next_day_has_a_budget_of_its_own() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(calls=1), backend)
    assert ask(backend, gate, question("vera", day=1)) == ["Ja."]
    with pytest.raises(BudgetError, match="day 1"):
        ask(backend, gate, question("emre", day=1))
    assert ask(backend, gate, question("vera", day=2)) == ["Ja."]


def earlier(usage: Usage, model: str = "claude-opus-5", backend: str = "anthropic") -> Call:
    return Call("vera", "scene", backend, model, model, usage, 32)


def test_what_was_spent_before_counts_and_is_read_once_for_each_day() -> None:
    read: list[int] = []

    def calls_of(day: int) -> Iterator[Call]:
        read.append(day)
        yield from [earlier(Usage(10, 990))] * (2 if day == 1 else 0)

    backend = Paid()
    gate = budget(BudgetSettings(day_tokens=2000 + WORST), backend, calls_of)
    assert ask(backend, gate, question("vera")) == ["Ja."]
    with pytest.raises(BudgetError, match="2,100 of 2,510 tokens spent"):
        ask(backend, gate, question("emre"))
    ask(backend, gate, question("vera", day=2))
    assert read == [1, 2]


def test_dollars_count_the_dearest_way_a_call_can_go() -> None:
    backend = Paid()
    plain = question("vera", text="x" * 3200)
    marked = replace(plain, system=(Block("x" * 3200, cache=True),))
    read, written = (1000 * 5 + MOST * 25) / 1_000_000, (1000 * 6.25 + MOST * 25) / 1_000_000
    assert ask(backend, budget(BudgetSettings(day_usd=read), backend), plain) == ["Ja."]
    with pytest.raises(BudgetError, match=r"\$0\.00 of \$0\.0175 spent, .* vera could take up to \$0\.0187"):
        ask(backend, budget(BudgetSettings(day_usd=read), backend), marked)
    assert ask(backend, budget(BudgetSettings(day_usd=written), backend), marked) == ["Ja."]


def test_the_worst_of_a_question_follows_what_the_model_has_counted_today() -> None:
    backend = Paid()
    many = [earlier(Usage(320, 1))]  # ten tokens a character
    limit = 321 + 320 + MOST
    assert ask(backend, budget(BudgetSettings(day_tokens=limit), backend, lambda _: many), question("vera"))
    with pytest.raises(BudgetError, match="could take up to 820 tokens"):
        ask(backend, budget(BudgetSettings(day_tokens=limit - 1), backend, lambda _: many), question("vera"))


def test_dollars_cannot_be_limited_without_a_price_and_the_error_says_how_to_give_one() -> None:
    backend = Paid(model="qwen3")
    gate = budget(BudgetSettings(day_usd=1.0), backend)
    with pytest.raises(BudgetError, match="no price is known for qwen3") as caught:
        gate.require_prices(["claude-opus-5", "qwen3"])
    assert "prices: {qwen3: {input: …, output: …}}" in caught.value.hint
    with pytest.raises(BudgetError, match="no price is known for qwen3"):
        ask(backend, gate, question("vera"))
    assert backend.asked == []
    own = budget(BudgetSettings(day_usd=1.0), backend, prices=Prices({"qwen3": {"input": 0, "output": 0}}))
    assert ask(backend, own, question("vera")) == ["Ja."]
    assert ask(backend, budget(BudgetSettings(calls=1), backend), question("vera")) == ["Ja."], "no dollars, no price"


def test_an_unknown_price_among_what_was_spent_is_not_taken_for_nothing() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(day_usd=1.0), backend, lambda _: [earlier(Usage(1, 1), "qwen3")])
    with pytest.raises(BudgetError, match="no price is known for qwen3"):
        ask(backend, gate, question("vera"))


def test_a_run_that_is_interrupted_begins_no_call_that_was_waiting() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(day_tokens=WORST), backend)
    refused: list[BudgetError] = []

    def wait_for_room() -> None:
        try:
            with gate.admitted(question("emre")):
                raise AssertionError("must not begin")
        except BudgetError as error:
            refused.append(error)

    with gate.admitted(question("vera")):
        waiting = threading.Thread(target=wait_for_room)
        waiting.start()
        gate.stop()
        waiting.join(WAIT_S)
    assert "interrupted" in refused[0].message


def test_a_batch_takes_half_the_dollars_and_is_counted_when_its_answers_come() -> None:
    backend = Paid()
    worst = (10 * 5 + MOST * 25) / 1_000_000
    gate = budget(BudgetSettings(day_usd=worst), backend)
    gate.admit_batch([question("vera"), question("emre")])
    with pytest.raises(BudgetError, match="leo"):
        gate.admit_batch([question("leo")])
    gate.count(question("vera"), backend.ask(question("vera")), batch=True)
    assert gate.spent_on(1).day_usd == pytest.approx((10 * 5 + 90 * 25) / 2_000_000)


def test_a_batch_is_sent_whole_or_not_at_all() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(calls=2), backend)
    with pytest.raises(BudgetError):
        gate.admit_batch(map(question, LABELS[:3]))
    gate.admit_batch(map(question, LABELS[:2]))


def test_a_direct_call_does_not_wait_for_a_batch() -> None:
    backend = Paid()
    gate = budget(BudgetSettings(calls=1), backend)
    gate.admit_batch([question("vera")])
    with pytest.raises(BudgetError):
        ask(backend, gate, question("emre"))


def test_a_cache_that_is_kept_for_an_hour_is_dearer_to_write() -> None:
    backend = Paid()
    marked = replace(question("vera"), system=(Block("x" * 3200, cache=True),))
    five_minutes = BudgetSettings(day_usd=(1000 * 6.25 + MOST * 25) / 1_000_000)
    with pytest.raises(BudgetError), Budget(five_minutes, Prices(), backend, nothing_yet, hour=True).admitted(marked):
        pass
    an_hour = BudgetSettings(day_usd=(1000 * 10 + MOST * 25) / 1_000_000)
    with Budget(an_hour, Prices(), backend, nothing_yet, hour=True).admitted(marked):
        pass


def test_amounts_add_up() -> None:
    assert sum([Amount(0.5, 2, 1), Amount(0.25, 3, 1)], Amount()) == Amount(0.75, 5, 2)


@pytest.mark.parametrize("value", [-1, "1", True, float("nan")])
@pytest.mark.parametrize("name", ["day_usd", "day_tokens", "calls"])
def test_a_limit_that_is_no_number_is_a_problem(name: str, value: object) -> None:
    settings, (problem,) = parse_settings({"budget": {name: value}})
    assert (problem.keys, problem.is_error) == (("budget", name), True)
    assert settings.budget == BudgetSettings()


def test_no_limit_is_the_default_and_null_says_so() -> None:
    assert parse_settings({"budget": {"day_usd": None, "calls": None}}) == parse_settings({})
