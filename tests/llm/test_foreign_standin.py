"""Days against stand-ins that others wrote (PyPI: llmock, mockllm): what they understand, and how they fail."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from gm.files.layout import Layout
from gm.llm.base import Usage
from gm.llm.prices import Prices, cost_usd
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run, runner
from tests.llm.foreign import LLMOCK, MOCKLLM, serving_foreign
from tests.stories.playing import records, set_sections

MODEL = "claude-sonnet-5"
GPT = "openai:gpt-5"
MODELS = pytest.mark.parametrize("model", [MODEL, GPT])
REPLY = {
    "action": "Alex nods.",
    "dialogue": [{"to": None, "text": "Well. Größer wird er nicht."}],
    "mood": "calm",
    "memories": [
        {"type": "observation", "description": "There was soup.", "importance": 4, "tags": ["soup"], "evidence": []}
    ],
    "plan": {"work": ["the soup"], "talk_to": [], "library": None, "importance": 4},
    "done": True,
}


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    return runner(capsys)


@dataclass(frozen=True)
class Judge:
    """A stand-in that fails as it is told, and judges how that was taken."""

    url: str

    def fails(self, status: int, times: int | None = None, **more: object) -> None:
        """Let it fail the next questions, all by default."""
        self.does({"type": "fail", "status": status, "times": times, **more})

    def does(self, behaviour: Mapping[str, object]) -> None:
        """Let it do something else than answer."""
        httpx.post(f"{self.url}/_llmock/scenario", json={"behaviors": [behaviour]}).raise_for_status()

    def asked(self) -> list[dict[str, Any]]:
        """What it was asked, and answered, for models to speak."""
        found = httpx.get(f"{self.url}/_llmock/requests").raise_for_status().json()
        return [one for one in found["requests"] if one["method"] == "POST"]

    def wrong(self) -> list[str]:
        """What its clients did wrong."""
        return [one["code"] for one in httpx.get(f"{self.url}/_llmock/verdict").raise_for_status().json()["findings"]]


@pytest.fixture(scope="module")
def _llmock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_foreign(LLMOCK, tmp_path_factory.mktemp("llmock"), {"LLMOCK_TOOL_MODE": "off"}) as url:
        yield url


@pytest.fixture
def judge(_llmock: str, monkeypatch: pytest.MonkeyPatch) -> Judge:
    httpx.post(f"{_llmock}/_llmock/reset").raise_for_status()
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"{_llmock}/anthropic")
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{_llmock}/v1")
    return Judge(_llmock)


@pytest.fixture(scope="module")
def mockllm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("mockllm")
    responses = folder / "responses.yml"
    said = json.dumps(REPLY, ensure_ascii=True)
    responses.write_text(yaml.safe_dump({"responses": {}, "defaults": {"unknown_response": said}}), encoding="utf-8")
    with serving_foreign(MOCKLLM, folder, {"MOCKLLM_RESPONSES_FILE": str(responses)}) as url:
        yield url


@pytest.fixture
def world(dinner: Layout) -> Layout:
    """The dinner, with few scenes and one retry."""
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\nllm: {max_retries: 1}")
    return dinner


def advance(run: Run, world: Layout, model: str) -> Outcome:
    return run("advance-day", "-w", world.root, "--model", model)


def answers(world: Layout) -> list[str]:
    """Everything that was answered, used or rejected."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(world.traces.rglob("*.json"))]
    return [item["answer"]["text"] for item in found]


@pytest.mark.parametrize("path", ["v1", "mistral/v1", "groq/openai/v1", "together/v1", "xai/v1"])
def test_a_day_is_played_at_each_provider_by_its_schema(world: Layout, run: Run, judge: Judge, path: str) -> None:
    outcome = advance(run, world, f"{judge.url}/{path}#gpt-5")
    assert outcome.code == 0, outcome.err
    assert records(world.day_log(1))[-1]["type"] == SUMMARY
    assert {one["path"] for one in judge.asked()} == {f"/{path}/chat/completions"}
    assert {one["status"] for one in judge.asked()} == {200}
    assert len(judge.asked()) == len(answers(world)), "no answer was asked for twice"
    assert judge.wrong() == []


@MODELS
@pytest.mark.parametrize(
    ("status", "said"),
    [(400, "the API refused the request itself"), (401, "_API_KEY"), (402, ""), (403, ""), (404, "")],
)
def test_what_will_not_pass_is_asked_once_and_said_in_a_line(
    world: Layout, run: Run, judge: Judge, model: str, status: int, said: str
) -> None:
    judge.fails(status)
    outcome = advance(run, world, model)
    assert outcome.code == 1
    assert f"(status {status})" in outcome.err
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    assert judge.wrong() == []
    assert not world.logbook.exists()
    assert answers(world) == []


@MODELS
@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_what_may_pass_is_waited_for_and_the_day_goes_on(
    world: Layout, run: Run, judge: Judge, model: str, status: int
) -> None:
    judge.fails(status, times=1, retry_after=0.2, match={"path": "*/messages" if model == MODEL else "*/completions"})
    if model == MODEL:  # it knows no schemas there
        judge.does({"type": "reply", "text": json.dumps(REPLY), "times": None})
    outcome = advance(run, world, model)
    assert outcome.code == 0, outcome.err
    assert records(world.day_log(1))[-1]["type"] == SUMMARY
    assert [one["status"] for one in judge.asked()].count(status) == 1
    assert judge.wrong() == []


@MODELS
def test_an_answer_that_is_no_reply_is_asked_for_once_more_and_kept(
    world: Layout, run: Run, judge: Judge, model: str
) -> None:
    judge.does({"type": "reply", "text": "Good morning.", "times": None})
    outcome = advance(run, world, model)
    assert outcome.code == 1
    assert "stays unusable" in outcome.err
    assert answers(world) == ["Good morning."] * 6
    assert not world.logbook.exists()


def test_a_whole_day_is_played(world: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, mockllm: str) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mockllm)
    set_sections(world.settings, "llm: {max_retries: 1, stream: off}")  # its events are not those of the Messages API
    outcome = advance(run, world, MODEL)
    assert outcome.code == 0, outcome.err
    log = records(world.day_log(1))
    assert log[-1]["type"] == SUMMARY
    assert {line["text"] for entry in log for line in entry.get("dialogue", ())} == {"Well. Größer wird er nicht."}
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(world.traces.rglob("*.json"))]
    assert all(item["usage"]["input_tokens"] > 0 and item["usage"]["output_tokens"] > 0 for item in traces)
    assert {item["model"] for item in traces} == {MODEL}
    assert run("check", "-w", world.root, "--json").document["problems"] == []


def test_a_day_that_a_rate_limit_stopped_goes_on_where_there_is_none(world: Layout, run: Run, judge: Judge) -> None:
    judge.fails(429, retry_after=0.1)
    stopped = advance(run, world, GPT)
    assert stopped.code == 1
    assert "wait, or lower llm.concurrency" in stopped.err
    httpx.post(f"{judge.url}/_llmock/reset").raise_for_status()
    outcome = advance(run, world, GPT)
    assert outcome.code == 0, outcome.err
    assert records(world.day_log(1))[-1]["type"] == SUMMARY


def test_it_is_one_character_that_is_not_answered(world: Layout, run: Run, judge: Judge) -> None:
    """Others are waited for and kept; who has no model of their own is not concerned."""
    persona: Path = world.persona("casey")
    text = persona.read_text(encoding="utf-8")
    persona.write_text(text.replace("---\n", f'---\nmodel: "{MODEL}-ill"\n', 1), encoding="utf-8")
    set_sections(world.settings, f"model: {MODEL}")
    judge.fails(503, match={"model": "*-ill"})
    outcome = run("advance-day", "-w", world.root)
    assert outcome.code == 1
    assert "(status 503)" in outcome.err
    assert len(answers(world)) == 2


CHEAP = "openai:gpt-5-mini"


def statuses(judge: Judge) -> list[int]:
    return [one["status"] for one in judge.asked()]


def spent(run: Run, world: Layout) -> float:
    found: float = run("cost", "-w", world.root, "--json").document["totals"]["usd"]
    return found


@pytest.mark.parametrize("kind", ["disconnect", "stall", "malformed"])
def test_a_stream_with_a_fault_is_asked_for_once_more_at_most_and_the_day_goes_on(
    world: Layout, run: Run, judge: Judge, kind: str
) -> None:
    set_sections(world.settings, "llm: {max_retries: 1, timeout_s: 1}")
    judge.does({"type": "stream_fault", "kind": kind, "after_chunks": 3})
    outcome = advance(run, world, CHEAP)
    assert outcome.code == 0, outcome.err
    lost = kind == "malformed"  # nothing shows what it held, so the answer is kept and its bytes are named
    assert len(judge.asked()) == len(answers(world)) + (not lost)
    assert ("a piece that is not JSON, text may be missing" in outcome.err) is lost
    assert judge.wrong() == ["malformed_chunk_ignored"] * lost


def test_a_stream_that_ends_too_early_stops_the_day_in_a_line_and_no_other_answer_is_paid_twice(
    world: Layout, run: Run, judge: Judge
) -> None:
    judge.does({"type": "stream_fault", "kind": "truncate", "after_chunks": 3})
    stopped = advance(run, world, CHEAP)
    kept = answers(world)
    assert stopped.code == 1
    assert stopped.err.count("error:") == 1
    assert "gpt-5-mini: the server sent a stream that broke off; its" in stopped.err
    assert len(judge.asked()) == len(kept) + 1
    outcome = advance(run, world, CHEAP)
    assert outcome.code == 0, outcome.err
    assert len(judge.asked()) == len(answers(world)) + 1, "only the one that broke off was asked again"


def test_a_slow_stream_is_waited_for(world: Layout, run: Run, judge: Judge) -> None:
    judge.does({"type": "slow_first_token", "seconds": 0.3, "times": 2})
    outcome = advance(run, world, CHEAP)
    assert outcome.code == 0, outcome.err
    assert len(judge.asked()) == len(answers(world))
    assert judge.wrong() == []


@pytest.mark.parametrize(("status", "code"), [(402, None), (429, "insufficient_quota")])
def test_money_that_runs_out_during_a_day_stops_it_once_and_it_goes_on_when_there_is_more(
    world: Layout, run: Run, judge: Judge, status: int, code: str | None
) -> None:
    late = f"{CHEAP}-late"
    set_sections(world.settings, f"model: {CHEAP}\nmodels: {{diary: {late}}}\ndiary: on")
    judge.fails(status, code=code, match={"model": "*-late"})
    stopped = run("advance-day", "-w", world.root)
    kept, asked = answers(world), statuses(judge)
    assert stopped.code == 1
    assert stopped.err.count("error:") == 1
    assert "says that the account has no money left" in stopped.err
    assert kept, "the scenes before were played"
    assert asked.count(200) == len(kept)
    assert asked.count(status) == 3, "each diary was asked for once"
    assert set(judge.wrong()) <= {"gave_up"}, "it judges a 429 by its status alone"
    httpx.post(f"{judge.url}/_llmock/reset").raise_for_status()
    outcome = run("advance-day", "-w", world.root)
    assert outcome.code == 0, outcome.err
    assert len(judge.asked()) == len(answers(world)) - len(kept), "nothing was asked twice"


def test_what_it_answers_is_counted_with_the_published_price(world: Layout, run: Run, judge: Judge) -> None:
    assert advance(run, world, CHEAP).code == 0
    traces = [json.loads(path.read_text(encoding="utf-8"))["usage"] for path in world.traces.rglob("*.json")]
    calls = [Usage(**usage) for usage in traces]
    price = Prices().of(CHEAP)
    assert price is not None
    assert all(usage.prompt_tokens and usage.output_tokens for usage in calls)
    assert spent(run, world) == pytest.approx(sum(cost_usd(usage, price) for usage in calls), abs=1e-6)


def test_a_budget_in_dollars_stops_the_day_before_the_call_and_it_goes_on_when_it_is_raised(
    world: Layout, run: Run, judge: Judge
) -> None:
    set_sections(world.settings, "budget: {day_usd: 0.01}\nllm: {max_tokens: 2000}")
    stopped = advance(run, world, CHEAP)
    kept = len(answers(world))
    assert stopped.code == 1
    assert "budget.day_usd of day 1 does not allow the next call" in stopped.err
    assert 0 < kept == len(judge.asked())
    assert 0 < spent(run, world) <= 0.01
    set_sections(world.settings, "budget: {day_usd: 1}")
    outcome = advance(run, world, CHEAP)
    assert outcome.code == 0, outcome.err
    assert len(judge.asked()) == len(answers(world))


def test_dollars_are_not_limited_without_a_price(world: Layout, run: Run, judge: Judge) -> None:
    set_sections(world.settings, "budget: {day_usd: 1}")
    outcome = advance(run, world, "openai:unheard-of")
    assert outcome.code == 1
    assert "no price is known for unheard-of" in outcome.err
    assert judge.asked() == []
