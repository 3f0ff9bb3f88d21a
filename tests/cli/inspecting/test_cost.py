"""``gm cost`` and ``gm advance-day --dry-run``: what they print."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from gm.api.playing.forecast.make import make_forecast
from gm.api.views.cost import view_cost
from gm.base.config import BudgetSettings, Settings
from gm.files.commits.runnote import note_speed
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.play.spending import make_limits
from tests.cli.running import Run
from tests.llm.messages_api import MessagesApi, serving
from tests.stories.paying import Paid
from tests.stories.playing import play, tree

FIGURES = ["calls", "rejected", "tokens", "usd", "saved_usd", "unpriced_calls", "asked_again"]


def test_cost_as_a_document(run: Run, played: Layout) -> None:
    outcome = run("cost", "-w", played.root, "--json")
    assert outcome.code == 0
    assert list(outcome.document) == [
        "totals",
        "days",
        "scenes",
        "agents",
        "models",
        "unpriced_models",
        "prices",
    ]
    assert list(outcome.document["totals"]) == FIGURES
    assert list(outcome.document["totals"]["tokens"]) == ["input", "cache_read", "cache_write", "output"]


def test_cost_in_words(run: Run, dinner: Layout) -> None:
    play(dinner, backend=Paid(), days=2)
    by_day = run("cost", "-w", dinner.root)
    assert by_day.code == 0
    assert re.search(r"^day-001 +\d+ +[\d,]+ +0 +0 +[\d,]+ +\$\d+\.\d\d$", by_day.out, re.M)
    assert "claude-opus-5, scene" in by_day.out
    assert re.search(r"^total: \d+ calls, [\d,]+ tokens in, [\d,]+ out, \$\d", by_day.out, re.M)
    assert re.search(r"^counter: claude-opus-5 counts 0\.25\d tokens a character", by_day.out, re.M)
    assert re.search(r"^prices: 20\d\d-\d\d-\d\d, https://", by_day.out, re.M)
    by_scene = run("cost", "-w", dinner.root, "--day", 2).out
    assert "day-002/scene-01" in by_scene
    assert "day-001" not in by_scene
    by_agent = run("cost", "-w", dinner.root, "--agents").out
    assert re.search(r"^casey +\d+", by_agent, re.M)


def test_questions_out_of_scene_are_in_no_scene_and_free_ones_have_no_price_list(run: Run, dinner: Layout) -> None:
    run("advance-day", "-w", dinner.root)
    scenes = run("cost", "-w", dinner.root, "--day", "1", "--json").document["scenes"]
    assert run("ask", "-w", dinner.root, "alex", "Who cooks?").code == 0
    asked = run("cost", "-w", dinner.root, "--day", "1", "--json").document["scenes"]
    assert {name: own["calls"] for name, own in asked.items()} == {
        **{name: own["calls"] for name, own in scenes.items()},
        "day-001": 1,
    }
    shown = run("cost", "-w", dinner.root, "--day", "1").out
    assert "\nday-001, outside of scenes " in shown
    assert "prices:" not in shown


def test_cost_says_openly_that_a_price_is_unknown_and_how_to_give_it(run: Run, dinner: Layout) -> None:
    play(dinner, backend=Paid("qwen3"))
    out = run("cost", "-w", dinner.root).out
    assert re.search(r"^day-001 .* unknown$", out, re.M)
    assert re.search(r"^\d+ calls have an unknown price and are in no sum", out, re.M)
    assert "prices: {qwen3: {input: …, output: …}}" in out
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nprices: {{qwen3: {{input: 0, output: 0}}}}\n", encoding="utf-8")
    out = run("cost", "-w", dinner.root).out
    assert re.search(r"^day-001 .* \$0\.00$", out, re.M)
    assert "unknown" not in out


def test_the_name_of_a_model_cannot_write_to_the_terminal(run: Run, dinner: Layout) -> None:
    play(dinner, backend=Paid("evil\x1b[2J"))
    assert "\x1b[2J" not in run("cost", "-w", dinner.root).out
    assert "\x1b" not in run("cost", "-w", dinner.root, "--json").out


def test_cost_before_the_first_day(run: Run, dinner: Layout) -> None:
    assert run("cost", "-w", dinner.root).out == "no calls are recorded\n"
    assert run("cost", "-w", dinner.root, "--day", 3).out == "no calls are recorded for day 3\n"


def test_a_dry_run_shows_scenes_models_and_price_and_needs_no_key(run: Run, dinner: Layout) -> None:
    before = tree(dinner.root)
    outcome = run("advance-day", "-w", dinner.root, "--dry-run", "--model", "claude-opus-5")
    assert outcome.code == 0
    assert re.search(r"^day-001/scene-01 ARRIVAL \(alex, casey, jordan\) +3 ", outcome.out, re.M)
    assert re.search(r"^claude-opus-5, scene +\d+ ", outcome.out, re.M)
    assert re.search(r"^about \d+ calls, [\d,]+ tokens in \(\d+ % likely read", outcome.out, re.M)
    assert "claude-opus-5 is not calibrated yet" in outcome.out
    assert "there is no key yet" in outcome.err
    assert tree(dinner.root) == before


def test_a_question_is_forecast_and_not_asked(run: Run, dinner: Layout) -> None:
    dinner.settings.write_text(dinner.settings.read_text(encoding="utf-8") + "\nbudget: {calls: 0}\n", encoding="utf-8")
    before = tree(dinner.root)
    question = ("ask", "-w", dinner.root, "casey", "Who?", "--dry-run", "--model", "claude-opus-5")
    outcome = run(*question)
    assert outcome.code == 0
    assert re.search(r"^day-000/scene-01 ASK \(casey\) +1 ", outcome.out, re.M)
    assert re.search(r"^about 1 call, [\d,]+ tokens in, \d+ out, \$0\.\d\d$", outcome.out, re.M)
    assert re.search(r"^budget\.calls: 0 of 0 calls left for day 0: not enough, it will be refused$", outcome.out, re.M)
    assert outcome.out.endswith("Nothing was asked, and nothing was changed.\n")
    assert "there is no key yet" in outcome.err
    assert run(*question, "--json").document["totals"]["calls"] == 1
    assert tree(dinner.root) == before


def test_a_dry_run_as_a_document(run: Run, dinner: Layout) -> None:
    document = run("advance-day", "-w", dinner.root, "--dry-run", "--days", 2, "--json").document
    assert list(document) == [
        "backend",
        "model",
        "days",
        "scenes",
        "models",
        "totals",
        "cached",
        "error",
        "counters",
        "answers",
        "unpriced_models",
        "budget",
        "prices",
        "seconds",
    ]
    assert [day["day"] for day in document["days"]] == [1, 2]
    assert sum(day["calls"] for day in document["days"]) == document["totals"]["calls"]
    assert sum(scene["calls"] for scene in document["scenes"]) == document["totals"]["calls"]
    assert list(document["scenes"][0]) == ["scene", "type", "cast", *FIGURES]


def test_a_dry_run_says_how_long_it_takes_once_answers_were_measured(run: Run, dinner: Layout) -> None:
    options = ("advance-day", "-w", dinner.root, "--dry-run", "--model", "claude-opus-5")
    assert "time: not known before answers of this model were measured; gm advance-day --scenes 1" in run(*options).out
    assert "time: as long as the service takes for its batches" in run(*options, "--batch").out
    assert run(*options, "--json").document["seconds"] is None
    note_speed(dinner, {"anthropic:claude-opus-5": (4, 90.0)})
    note_speed(dinner, {"anthropic:claude-opus-5": (6, 60.0), "anthropic:other": (1, 900.0)})
    document = run(*options, "--json").document
    assert document["seconds"] == 15 * document["totals"]["calls"]
    assert re.search(r"^time: about [567] min at the pace of earlier answers$", run(*options).out, re.M)
    dinner.speed_note.write_text('{"anthropic:claude-opus-5": [0, 3], "anthropic:other": "soon"}', encoding="utf-8")
    assert run(*options, "--json").document["seconds"] is None


def test_a_dry_run_says_when_the_budget_will_not_do(run: Run, dinner: Layout) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nbudget: {{day_usd: 0.01, calls: 900}}\n", encoding="utf-8")
    out = run("advance-day", "-w", dinner.root, "--dry-run", "--model", "claude-opus-5").out
    assert re.search(r"^budget\.day_usd: \$0\.01 of \$0\.01 left for day 1: not enough", out, re.M)
    assert re.search(r"^budget\.calls: 900 of 900 calls left for day 1$", out, re.M)


@pytest.mark.parametrize(
    ("address", "cached"),
    [("http://127.0.0.1:9", False), ("https://api.anthropic.com", True)],
    ids=["local server", "the API"],
)
def test_a_dry_run_counts_on_a_cache_only_where_there_is_one(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch, address: str, cached: bool
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    document = run("advance-day", "-w", dinner.root, "--dry-run", "--model", "qwen3", "--json").document
    assert (document["totals"]["tokens"]["cache_read"] > 0) is cached


def test_a_free_run_says_nothing_of_prices(run: Run, dinner: Layout) -> None:
    outcome = run("advance-day", "-w", dinner.root)
    assert outcome.code == 0
    assert "forecast" not in outcome.err + outcome.out


@pytest.mark.parametrize(("model", "price"), [("claude-opus-5", r"\$\d+\.\d\d"), ("qwen3", "price unknown for qwen3")])
def test_a_paid_run_begins_with_one_line_of_forecast(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch, model: str, price: str
) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")  # as at the real API, whatever the address
    dinner.settings.write_text(f"{settings}\nllm: {{cache: 5m, structured: schema}}\n", encoding="utf-8")
    with serving(MessagesApi()) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        outcome = run("advance-day", "-w", dinner.root, "--model", model)
    assert outcome.code == 0
    lines = [line for line in outcome.err.splitlines() if line.startswith("forecast: ")]
    assert len(lines) == 1
    assert re.fullmatch(
        rf"forecast: about \d+ calls, [\d,]+ tokens in \(\d+ % cached\), [\d,]+ out, {price} "
        r"\(the counter is not calibrated yet\)",
        lines[0],
    )
    assert api.requests


def test_one_question_says_how_long_a_model_took_and_how_much_it_wrote(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")  # as at the real API, whatever the address
    dinner.settings.write_text(f"{settings}\nllm: {{cache: 5m, structured: schema}}\n", encoding="utf-8")
    with serving(MessagesApi()) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        question = ("ask", "alex", "Who", "cooks?", "-w", dinner.root, "--model", "claude-opus-5")
        first, again = run(*question), run(*question)
    assert (first.code, again.code) == (0, 0), first.err
    line = r"^note: anthropic:claude-opus-5: 1 answer in [\d.]+ s, [\d,.]+ tokens a second$"
    assert re.search(line, first.err, re.M)
    assert "1 answer in" not in again.err, "the answer was kept"
    assert "answer in" not in run("ask", "alex", "Why?", "-w", dinner.root, "--model", "rehearsal").err


def test_an_event_of_a_paid_run_is_the_line_and_the_report_of_its_forecast(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(MessagesApi()) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        foreseen = run("advance-day", "-w", dinner.root, "--dry-run", "--model", "claude-opus-5", "--json").document
        out = run("advance-day", "-w", dinner.root, "--events", "--scenes", "1", "--model", "claude-opus-5").out
    (event,) = (event for event in map(json.loads, out.splitlines()) if event["event"] == "forecast")
    assert event["report"] == foreseen
    assert event["line"].startswith(f"forecast: about {foreseen['totals']['calls']} calls, ")


def test_a_budget_that_is_used_up_ends_the_command_with_what_to_do(run: Run, dinner: Layout) -> None:
    settings = dinner.settings.read_text(encoding="utf-8")
    dinner.settings.write_text(f"{settings}\nbudget: {{calls: 2}}\n", encoding="utf-8")
    outcome = run("advance-day", "-w", dinner.root)
    assert outcome.code == 1
    assert "budget.calls of day 1 does not allow the next call: 2 of 2 calls spent" in outcome.err
    assert "raise budget.calls in gm.yaml" in outcome.err


def test_check_names_a_wrong_budget_and_a_wrong_price_with_their_places(run: Run, dinner: Layout) -> None:
    settings = dinner.settings.read_text(encoding="utf-8").rstrip("\n")
    lines = settings.count("\n") + 1
    dinner.settings.write_text(
        f"{settings}\nbudget:\n  day_usd: much\nprices:\n  qwen3: {{input: 1}}\n", encoding="utf-8"
    )
    outcome = run("check", "-w", dinner.root, "--json")
    found = [(item["line"], item["code"], item["severity"]) for item in outcome.document["problems"]]
    assert (lines + 2, "setting-value", "error") in found
    assert any(code == "setting-value" and line in (lines + 3, lines + 4) for line, code, _ in found)
    assert outcome.code == 1


def test_answers_that_a_branch_took_along_are_in_no_budget_and_on_no_page_of_costs(run: Run, played: Layout) -> None:
    whole = run("cost", "-w", played.root, "--json").document["totals"]["calls"]
    taken = played.traces / "day-002" / "scene-01"
    shutil.copytree(played.traces / "day-001" / "scene-01", taken)
    paths = [path.relative_to(played.traces).as_posix() for path in taken.iterdir()]
    played.carried.write_text(json.dumps({"paths": paths}), encoding="utf-8")
    assert run("cost", "-w", played.root, "--json").document["totals"]["calls"] == whole
    assert view_cost(played).total.calls == whole
    budget = make_limits(played, Settings(budget=BudgetSettings(calls=900)), Choice(Paid(), "a test"), [])
    assert budget is not None
    assert budget.spent_on(2).calls == 0
    assert make_forecast(played, Choice(Paid(), "a test")).spent.calls == 0
