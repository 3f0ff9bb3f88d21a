"""What a world has cost, by its traces."""

from __future__ import annotations

from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.reports.cost import describe_cost
from gm.base.config import Settings, parse_settings
from gm.files.layout import Layout
from gm.files.questions.traces import TraceFolder, TraceReader
from gm.llm.asker import render_trace
from gm.llm.base import Answer, Block, Request, Usage
from tests.stories.paying import Paid
from tests.stories.playing import play

PRICE = {"prices": {"dear": {"input": 10, "output": 100}, "cheap": {"input": 1, "output": 10}}}
MILLION = 1_000_000


def keep(
    layout: Layout,
    place: str,
    who: str,
    usage: Usage,
    *,
    model: str = "dear",
    purpose: str = "scene",
    rejected: bool = False,
    backend: str = "anthropic",
    **other: Any,
) -> None:
    """Lay a trace into a world."""
    request = Request(who, purpose, (Block("x" * 400),), (("user", ""),), {}, 100, place=place, who=who)
    answer = Answer("Ja.", model, usage=usage, backend=backend, asked=model)
    folder = TraceFolder(layout.traces, place)
    name = f"{len(list(layout.traces.rglob('*.json'))):064d}"[::-1]
    folder.reserve(who, name, 10)
    folder.keep(who, name, render_trace(request, answer, reads_facts=False) | other)
    if rejected:
        folder.reject(who, name)


def cost(layout: Layout, day: int | None = None, settings: dict[str, Any] | None = None) -> dict[str, Any]:
    parsed, problems = parse_settings(settings or PRICE)
    assert not problems
    document: dict[str, Any] = as_json(describe_cost(TraceReader(layout.traces), parsed, day))
    return document


@pytest.fixture
def paid(dinner: Layout) -> Layout:
    keep(dinner, "day-001/scene-01", "alex", Usage(1000, 100))
    keep(dinner, "day-001/scene-01", "casey", Usage(1000, 100, 4000, 2000), rejected=True)
    keep(dinner, "day-001/scene-02", "alex", Usage(1000, 100), model="cheap", purpose="reflection")
    keep(dinner, "day-002/scene-01", "alex", Usage(1000, 100))
    return dinner


def test_days_scenes_and_agents_add_up(paid: Layout) -> None:
    document = cost(paid)
    one, cached, cheap = 0.02, (10_000 + 10_000 + 4_000 + 25_000) / MILLION, 0.002
    assert document["totals"]["usd"] == pytest.approx(2 * one + cached + cheap)
    assert {name: sums["usd"] for name, sums in document["days"].items()} == {
        "day-001": pytest.approx(one + cached + cheap),
        "day-002": pytest.approx(one),
    }
    assert {name: sums["calls"] for name, sums in document["scenes"].items()} == {
        "day-001/scene-01": 2,
        "day-001/scene-02": 1,
        "day-002/scene-01": 1,
    }
    assert {name: sums["usd"] for name, sums in document["agents"].items()} == {
        "alex": pytest.approx(2 * one + cheap),
        "casey": pytest.approx(cached),
    }
    assert document["models"]["cheap"]["purposes"]["reflection"]["usd"] == pytest.approx(cheap)
    assert document["totals"]["tokens"] == {"input": 4000, "cache_read": 4000, "cache_write": 2000, "output": 400}


def test_a_second_question_is_counted_as_asked_again(paid: Layout) -> None:
    keep(paid, "day-002/scene-01", "alex", Usage(1000, 100), label="alex-again")
    document = cost(paid)
    assert (document["totals"]["asked_again"], document["totals"]["rejected"]) == (1, 1)
    assert document["agents"]["alex"]["asked_again"] == document["days"]["day-002"]["asked_again"] == 1


def test_an_answer_that_was_rejected_was_paid(paid: Layout) -> None:
    document = cost(paid)
    assert (document["totals"]["calls"], document["totals"]["rejected"]) == (4, 1)
    assert document["agents"]["casey"]["calls"] == document["agents"]["casey"]["rejected"] == 1


def test_what_the_cache_saved_is_told_against_paying_all_in_full(paid: Layout) -> None:
    document = cost(paid)
    assert document["agents"]["casey"]["saved_usd"] == pytest.approx((4000 * 9 - 2000 * 2.5) / MILLION)
    assert document["agents"]["alex"]["saved_usd"] == 0


def test_writing_to_a_cache_that_is_not_read_saves_less_than_nothing(dinner: Layout) -> None:
    keep(dinner, "day-001/scene-01", "alex", Usage(0, 0, 0, 1000))
    assert cost(dinner)["totals"]["saved_usd"] == pytest.approx(-1000 * 2.5 / MILLION)


def test_one_day_alone(paid: Layout) -> None:
    document = cost(paid, day=2)
    assert list(document["days"]) == ["day-002"]
    assert document["totals"]["calls"] == 1
    assert cost(paid, day=9)["totals"]["calls"] == 0


def test_an_unknown_price_is_said_openly_and_in_no_sum(paid: Layout) -> None:
    keep(paid, "day-002/scene-01", "casey", Usage(5000, 500), model="qwen3")
    document = cost(paid)
    assert document["unpriced_models"] == ["qwen3"]
    assert document["models"]["qwen3"]["usd"] is None
    assert document["models"]["qwen3"]["saved_usd"] is None
    assert document["days"]["day-002"]["usd"] == pytest.approx(0.02)
    assert document["days"]["day-002"]["unpriced_calls"] == document["totals"]["unpriced_calls"] == 1


def test_a_rehearsal_is_free(dinner: Layout) -> None:
    keep(dinner, "day-001/scene-01", "alex", Usage(1000, 100), model="rehearsal", backend="rehearsal")
    document = cost(dinner)
    assert (document["totals"]["calls"], document["totals"]["usd"], document["unpriced_models"]) == (1, 0, [])


def test_the_counter_is_measured_for_each_model_that_counted(paid: Layout) -> None:
    keep(paid, "day-002/scene-01", "casey", Usage(), model="mailbox", backend="mailbox")
    models = cost(paid)["models"]
    assert models["cheap"]["counter"] == {"tokens_per_character": 2.5, "error": 0, "samples": 1}
    assert models["dear"]["counter"]["samples"] == 3
    assert models["mailbox"]["counter"] is None


def test_a_played_day_is_counted_call_by_call(dinner: Layout) -> None:
    backend = Paid()
    play(dinner, backend=backend)
    document = as_json(describe_cost(TraceReader(dinner.traces), Settings()))
    assert document["totals"]["calls"] == len(backend.asked)
    assert document["totals"]["usd"] > 0
    assert set(document["agents"]) == {"alex", "casey", "jordan"}


def test_without_traces_nothing_is_known(dinner: Layout) -> None:
    document = cost(dinner)
    assert document["totals"]["calls"] == 0
    assert document["days"] == document["models"] == {}


@pytest.mark.parametrize("wrong", [10**400, -5, True, "7", 1.5, None, [1]])
def test_absurd_numbers_in_a_trace_are_no_tokens(dinner: Layout, wrong: object) -> None:
    keep(dinner, "day-001/scene-01", "alex", Usage(wrong, 100))  # type: ignore[arg-type]
    totals = cost(dinner)["totals"]
    assert totals["tokens"] == {"input": 0, "cache_read": 0, "cache_write": 0, "output": 100}
