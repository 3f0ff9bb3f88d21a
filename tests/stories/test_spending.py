"""Days with a budget: they stop before the call that could exceed it, and go on when it is raised."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from gm.base.errors import BudgetError
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.llm.base import Request, Usage
from gm.llm.choose import Choice
from gm.llm.replay import Replay
from gm.play.master import run_days
from gm.play.report import Report
from tests.stories.paying import Paid
from tests.stories.playing import Scripted, copied, play, tree


def limit(layout: Layout, text: str) -> None:
    """Set the budget in ``gm.yaml``, as a person would."""
    kept = layout.settings.read_text(encoding="utf-8").partition("\nbudget:")[0].rstrip("\n")
    layout.settings.write_text(f"{kept}\nbudget: {text}\n", encoding="utf-8")


def state_of(layout: Layout) -> dict[str, bytes]:
    """Everything but the settings."""
    return {path: data for path, data in tree(layout.root, traces=False).items() if path != "gm.yaml"}


def questions(backend: Paid) -> Counter[tuple[str, str]]:
    return Counter((request.place, request.label) for request in backend.asked)


@pytest.mark.matrix
@pytest.mark.parametrize("budget", ["{calls: 4}", "{day_usd: 0.25}", "{day_tokens: 30000}"])
def test_a_budget_used_up_in_the_middle_of_a_scene_stops_the_day_and_raising_it_repeats_nothing(
    studio: Layout, tmp_path: Path, budget: str
) -> None:
    undisturbed = Paid()
    layout = studio
    copy = copied(layout, tmp_path / "copy")
    play(copy, backend=undisturbed)
    backend = Paid()
    limit(layout, budget)
    with pytest.raises(BudgetError, match="day 1"):
        play(layout, backend=backend)
    begun = len(backend.asked)
    assert 0 < begun < 7, "ARRIVAL asks seven at once"
    with pytest.raises(BudgetError):
        play(layout, backend=backend)
    assert len(backend.asked) == begun, "nothing is begun as long as the limit stands"
    limit(layout, "{calls: 500}")
    play(layout, backend=backend)
    assert questions(backend) == questions(undisturbed)
    assert set(questions(backend).values()) == {1}
    assert state_of(layout) == state_of(copy)


def test_what_was_spent_survives_a_restart_and_the_next_day_begins_anew(dinner: Layout) -> None:
    limit(dinner, "{calls: 2}")
    backend = Paid()
    for _ in range(2):
        with pytest.raises(BudgetError, match="2 of 2 calls spent"):
            play(dinner, backend=backend)
    limit(dinner, "{calls: 500}")
    play(dinner, backend=backend)
    first = len(backend.asked)
    limit(dinner, "{calls: 5}")
    with pytest.raises(BudgetError, match=r"budget.calls of day 2 .* 5 of 5 calls spent"):
        play(dinner, backend=backend)
    assert len(backend.asked) == first + 5


def test_answers_that_were_rejected_and_second_questions_count(dinner: Layout) -> None:
    limit(dinner, "{calls: 9}")
    backend = Scripted(lambda _request, _reply: "nonsense")
    with pytest.raises(Exception, match="stays unusable"):
        play(dinner, backend=backend)
    paid = len(backend.asked)
    assert paid == 6, "three are asked, and each of them once more"
    with pytest.raises(BudgetError, match="9 of 9 calls spent"):
        play(dinner, backend=backend)
    assert len(backend.asked) == 9


def test_dollars_are_refused_before_the_first_call_when_a_model_has_no_price(dinner: Layout) -> None:
    limit(dinner, "{day_usd: 5}")
    backend = Paid("qwen3")
    before = tree(dinner.root)
    with pytest.raises(BudgetError, match="no price is known for qwen3"):
        play(dinner, backend=backend)
    assert backend.asked == []
    assert tree(dinner.root) == before


def test_a_rehearsal_costs_no_dollars(dinner: Layout) -> None:
    limit(dinner, "{day_usd: 0}")
    assert play(dinner)[0].scenes > 0


def test_a_replay_asks_no_model_and_is_stopped_by_nothing(dinner: Layout, tmp_path: Path) -> None:
    again = copied(dinner, tmp_path / "again")
    play(dinner, backend=Paid())
    limit(again, "{calls: 0, day_usd: 0}")
    play(again, backend=Replay(TraceReader(dinner.traces)))
    assert state_of(again) == state_of(dinner)
    assert list(TraceReader(again.traces).of_day(1)) == [], "what was recorded once is not paid for twice"


def test_the_model_of_a_character_needs_a_price_too(dinner: Layout) -> None:
    limit(dinner, "{day_usd: 5}")
    persona = dinner.persona("alex")
    text = persona.read_text(encoding="utf-8")
    persona.write_text(text.replace("---\n", "---\nmodel: qwen3\n", 1), encoding="utf-8")
    backend = Paid()
    with pytest.raises(BudgetError, match="no price is known for qwen3"):
        run_days(dinner, Choice(backend, "a test", own_models=True), Report(), 1, command="test")
    assert backend.asked == []


def free_of_tokens(request: Request, text: str) -> Usage:
    return Usage()


def test_a_server_that_counts_nothing_is_limited_by_calls_all_the_same(dinner: Layout) -> None:
    limit(dinner, "{calls: 3}")
    backend = Paid("qwen3", free_of_tokens)
    with pytest.raises(BudgetError, match="3 of 3 calls spent"):
        play(dinner, backend=backend)
    assert len(backend.asked) == 3
