"""Scenes against stand-ins that others wrote (PyPI: mock-ai-api, mockllm): what they understand, and how they fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from gm.files.layout import Layout
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run, runner
from tests.llm.foreign import MOCK_AI_API, MOCKLLM, serving_foreign
from tests.stories.playing import records, set_sections

MODEL = "claude-sonnet-5"
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


@pytest.fixture(scope="module")
def mock_ai_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_foreign(MOCK_AI_API, tmp_path_factory.mktemp("mock-ai-api")) as url:
        yield url


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


@pytest.mark.parametrize(
    ("scenario", "status", "said", "notices"),
    [
        ("mock-400", 400, "the API refused the request itself", 0),
        ("mock-401", 401, "check ANTHROPIC_API_KEY", 0),
        ("mock-429", 429, "wait, or lower llm.concurrency", 6),
        ("mock-500", 500, "try again later", 0),
        ("mock-503", 503, "try again later", 6),
    ],
)
def test_each_error_stops_with_what_to_do_and_leaves_nothing_half_written(
    world: Layout,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    mock_ai_api: str,
    scenario: str,
    status: int,
    said: str,
    notices: int,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mock_ai_api)
    outcome = advance(run, world, f"{MODEL}:{scenario}")
    assert outcome.code == 1
    assert f"(status {status})" in outcome.err
    assert f"Mock scenario {scenario} triggered" in outcome.err
    assert said in outcome.err
    assert "Traceback" not in outcome.err
    # three are asked, and each is asked once more after an error that may pass
    told = [line for line in outcome.err.splitlines() if line.startswith("note:") and f"(status {status})" in line]
    assert len(told) == notices
    assert not world.logbook.exists()
    assert answers(world) == []


@pytest.mark.parametrize("scenario", ["mock-text", "mock-tool-use"])
def test_an_answer_that_is_no_reply_is_asked_for_once_more_and_kept(
    world: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, mock_ai_api: str, scenario: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mock_ai_api)
    outcome = advance(run, world, f"{MODEL}:{scenario}")
    assert outcome.code == 1
    assert "stays unusable" in outcome.err
    kept = answers(world)
    assert len(kept) == 6
    assert len(set(kept)) == 1
    assert bool(kept[0]) is (scenario == "mock-text")
    assert not world.logbook.exists()


def test_a_whole_day_is_played(world: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, mockllm: str) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mockllm)
    outcome = advance(run, world, MODEL)
    assert outcome.code == 0, outcome.err
    log = records(world.day_log(1))
    assert log[-1]["type"] == SUMMARY
    assert {line["text"] for entry in log for line in entry.get("dialogue", ())} == {"Well. Größer wird er nicht."}
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(world.traces.rglob("*.json"))]
    assert all(item["usage"]["input_tokens"] > 0 and item["usage"]["output_tokens"] > 0 for item in traces)
    assert {item["model"] for item in traces} == {MODEL}
    assert run("check", "-w", world.root, "--json").document["problems"] == []


def test_a_day_that_a_rate_limit_stopped_goes_on_where_there_is_none(
    world: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, mock_ai_api: str, mockllm: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mock_ai_api)
    assert advance(run, world, f"{MODEL}:mock-429").code == 1
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mockllm)
    outcome = advance(run, world, f"{MODEL}:mock-429")
    assert outcome.code == 0, outcome.err
    assert records(world.day_log(1))[-1]["type"] == SUMMARY


def test_it_is_one_character_that_is_not_answered(
    world: Layout, run: Run, monkeypatch: pytest.MonkeyPatch, mock_ai_api: str
) -> None:
    """Others are waited for and kept; who has no model of their own is not concerned."""
    persona: Path = world.persona("casey")
    text = persona.read_text(encoding="utf-8")
    persona.write_text(text.replace("---\n", f'---\nmodel: "{MODEL}:mock-503"\n', 1), encoding="utf-8")
    settings = world.settings.read_text(encoding="utf-8")
    world.settings.write_text(f"{settings}\nmodel: {MODEL}:mock-text\n", encoding="utf-8")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", mock_ai_api)
    outcome = run("advance-day", "-w", world.root)
    assert outcome.code == 1
    assert "(status 503)" in outcome.err
    assert len(answers(world)) == 2
