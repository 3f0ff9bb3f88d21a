"""Calls as their traces tell them, today's and older ones."""

from __future__ import annotations

from typing import Any

import pytest

from gm.llm.asker import render_trace
from gm.llm.base import Answer, Block, Request, Usage
from gm.llm.calls import Call, calibrate_counters, call_of, parse_call
from gm.llm.prices import Prices

REQUEST = Request(
    "vera-turn-2",
    "scene",
    (Block("Welt"), Block("Vera")),
    (("user", "Und?"),),
    {},
    500,
    place="day-001/scene-02",
    who="vera",
)
ANSWER = Answer(
    "Ja.", "claude-opus-5-20260724", usage=Usage(10, 20, 30, 40, 5), backend="anthropic", asked="claude-opus-5"
)


def trace(**other: Any) -> dict[str, Any]:
    return render_trace(REQUEST, ANSWER, reads_facts=False) | other


def parsed(record: dict[str, Any]) -> Call:
    return parse_call(record)


def test_a_trace_tells_the_same_call_as_the_answer_itself() -> None:
    class Api:
        name = "anthropic"
        model = "claude-opus-5"
        reads_facts = False

        def ask(self, request: Request) -> Answer:
            return ANSWER

    assert parsed(trace()) == call_of(REQUEST, ANSWER, Api())
    assert parsed(trace()).characters == len("WeltVeraUnd?")
    assert parsed(trace()).usage == Usage(10, 20, 30, 40, 5)


@pytest.mark.parametrize(
    ("label", "who"),
    [("vera", "vera"), ("vera-turn-2", "vera"), ("vera-again", "vera"), ("vera-turn-2-again", "vera"), ("d-1", "d-1")],
)
def test_an_older_trace_names_who_was_asked_in_its_label(label: str, who: str) -> None:
    record = trace(label=label)
    del record["who"], record["asked"]
    call = parsed(record)
    assert (call.who, call.asked) == (who, "claude-opus-5-20260724")


def test_the_oldest_traces_of_a_rehearsal_are_free_as_well() -> None:
    record = trace(model="rehearsal")
    del record["backend"], record["asked"]
    assert parsed(record).usd(Prices()) == 0


def test_a_call_of_a_batch_costs_half() -> None:
    whole, half = parsed(trace()).usd(Prices()), parsed(trace(tier="batch")).usd(Prices())
    assert whole is not None
    assert half == pytest.approx(whole / 2)


def test_what_the_provider_says_that_a_call_has_cost_counts() -> None:
    paid = parsed(trace(usd=0.5))
    counted, whole = parsed(trace()).usd(Prices()), parsed(trace()).uncached_usd(Prices())
    assert counted is not None
    assert whole is not None
    assert paid.usd(Prices()) == 0.5
    assert paid.uncached_usd(Prices()) == pytest.approx(0.5 + whole - counted), "the cache has saved as much"
    unknown = parsed(trace(usd=0.5, asked="new", model="new"))
    assert unknown.usd(Prices()) == unknown.uncached_usd(Prices()) == 0.5
    assert parsed(trace(usd=0.5, backend="replay")).usd(Prices()) == 0, "paid for when it was recorded"


@pytest.mark.parametrize("broken", [None, "0.5", True, -1, float("nan"), float("inf"), 10**400])
def test_a_cost_that_is_none_is_not_counted(broken: object) -> None:
    assert parsed(trace(usd=broken)).usd(Prices()) == parsed(trace()).usd(Prices())


@pytest.mark.parametrize("broken", [None, [], {"input_tokens": "many"}, {"input_tokens": -5}, {"input_tokens": True}])
def test_a_usage_that_is_none_counts_nothing(broken: object) -> None:
    assert parsed(trace(usage=broken)).usage == Usage()


@pytest.mark.parametrize("broken", [None, [], {"system": 5, "messages": [5, {}]}])
def test_a_question_that_cannot_be_read_has_no_length(broken: object) -> None:
    assert parsed(trace(request=broken)).characters == 0


def call(backend: str, asked: str, characters: int, usage: Usage, purpose: str = "scene") -> Call:
    return Call("vera", purpose, backend, asked, asked, usage, characters)


def test_counters_are_measured_on_what_a_real_model_counted_each_for_itself() -> None:
    counters, answers = calibrate_counters(
        [
            call("anthropic", "one", 1000, Usage(100, 50, 150, 50)),
            call("anthropic", "one", 1000, Usage(300, 70), "reflection"),
            call("anthropic", "two", 1000, Usage(500, 90)),
            call("anthropic", "none", 1000, Usage()),
            call("rehearsal", "rehearsal", 1000, Usage(999, 999)),
            call("mailbox", "mailbox", 1000, Usage()),
        ]
    )
    assert {model: (float(item.tokens_per_character), item.samples) for model, item in counters.items()} == {
        "one": (0.3, 2),
        "two": (0.5, 1),
    }
    assert answers == {"one": {"reflection": 70, "scene": 50}, "two": {"scene": 90}}
