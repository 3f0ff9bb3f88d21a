"""The Anthropic backend against a stand-in for the Messages API, from the command line down to the socket."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.layers.soul import SOUL
from gm.layers.working import WORKING
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run, runner
from tests.llm.messages_api import (
    USAGE,
    Body,
    MessagesApi,
    Reply,
    Script,
    answer_well,
    find_faults,
    good_reply,
    serving,
    who,
)
from tests.stories.playing import records, set_sections, tree

KEY = "sk-very-secret"
NO_WAIT = {"retry-after": "0", "retry-after-ms": "1"}
PROSE = "Vera kommt herein und legt den Gips ab. Dann schweigt sie."


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    return runner(capsys)


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    with serving(MessagesApi()) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        yield served


@pytest.fixture
def studio(studio: Layout) -> Layout:
    """The studio with few scenes, retries that end soon, and asking as if the stand-in were the real API."""
    set_sections(studio.settings, "day: {scenes: [2, 3]}\nllm: {max_retries: 2, cache: 5m, structured: schema}")
    return studio


def advance(run: Run, layout: Layout) -> Outcome:
    return run("advance-day", "-w", layout.root, "--model", "some-model")


def only(name: str, reply: Reply, times: int = 99) -> Script:
    """Answer one character with another reply, a number of times."""
    given: list[int] = []

    def script(body: Body, number: int) -> Reply:
        if who(body) == name and len(given) < times:
            given.append(number)
            return reply
        return answer_well(body, number)

    return script


def assert_nothing_half_written(layout: Layout) -> None:
    """The day has not begun, and no scene of it is in any file."""
    clock = json.loads(layout.world.read_text(encoding="utf-8"))
    assert (clock["day"], clock["day_open"], clock["scenes_today"]) == (0, False, 0)
    assert not layout.logbook.exists()
    assert not any(path.stat().st_size for path in layout.memories.iterdir())
    assert not layout.gallery.exists()


def assert_day_is_done(outcome: Outcome, layout: Layout, api: MessagesApi) -> None:
    assert outcome.code == 0, outcome.err
    assert api.faults == []
    assert records(layout.day_log(1))[-1]["type"] == SUMMARY


def asked_twice(api: MessagesApi) -> list[str]:
    seen: set[str] = set()
    twice = []
    for body in api.requests:
        shown = json.dumps((body["system"], body["messages"]), ensure_ascii=False)
        if shown in seen:
            twice.append(who(body))
        seen.add(shown)
    return twice


def trace_files(layout: Layout, pattern: str) -> list[Path]:
    return sorted((layout.traces / "day-001/scene-01").glob(pattern))


HEADERS = {"x-api-key": KEY, "anthropic-version": "2023-06-01"}
FORM: Body = {"type": "json_schema", "schema": {"type": "object", "additionalProperties": False, "properties": {}}}
GOOD: Body = {
    "model": "some-model",
    "max_tokens": 100,
    "system": [{"type": "text", "text": "Welt", "cache_control": {"type": "ephemeral"}}],
    "messages": [{"role": "user", "content": "Und?"}],
    "output_config": {"format": FORM},
}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"model": ""}, "no model"),
        ({"max_tokens": 0}, "no max_tokens"),
        ({"system": "Welt"}, "no list of blocks"),
        ({"system": [{"type": "text", "text": "Welt"}]}, "0 cache marks"),
        ({"messages": []}, "no messages"),
        ({"messages": [{"role": "assistant", "content": "Ja."}]}, "roles"),
        ({"messages": [{"role": "user", "content": " "}]}, "an empty message"),
        ({"output_config": {}}, "no json_schema"),
        ({"output_config": {"format": FORM | {"schema": {"type": "object"}}}}, "additionalProperties"),
        ({"temperature": 1}, "temperature"),
    ],
)
def test_the_stand_in_refuses_what_the_real_one_refuses(change: Body, fault: str) -> None:
    assert list(find_faults("/v1/messages", HEADERS, GOOD)) == []
    assert fault in "; ".join(find_faults("/v1/messages", HEADERS, GOOD | change))


def test_the_stand_in_refuses_another_path_and_a_request_without_a_key() -> None:
    assert list(find_faults("/v1/complete", {}, GOOD)) == ["POST /v1/complete", "no x-api-key", "no anthropic-version"]


def test_a_whole_day_is_played_and_the_seven_arrivals_overlap(
    studio: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(MessagesApi(hold=7)) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        outcome = advance(run, studio)
        assert_day_is_done(outcome, studio, api)
        assert api.peak == 7
        assert {who(body) for body in api.requests[:7]} == set(studio.agent_names())
        assert asked_twice(api) == []
    assert "model: some-model (asked for by --model, ANTHROPIC_API_KEY is set)" in outcome.err
    log = records(studio.day_log(1))
    assert log[0]["type"] == "ARRIVAL"
    (path,) = [path for entry in log for path in entry.get("artifacts", ())]
    assert "made_with: anthropic:some-model\n" in (studio.root / path).read_text(encoding="utf-8")
    assert run("check", "-w", studio.root, "--json").document["problems"] == []


def test_the_beginning_of_the_request_stays_the_same_for_everybody(studio: Layout, run: Run, api: MessagesApi) -> None:
    advance(run, studio)
    assert len({body["system"][0]["text"] for body in api.requests}) == 1
    for name in studio.agent_names():
        assert len({body["system"][1]["text"] for body in api.requests if who(body) == name}) == 1


def test_no_file_of_the_world_and_no_line_on_the_terminal_carries_the_key(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    outcome = advance(run, studio)
    assert KEY not in outcome.out + outcome.err
    for path, data in tree(studio.root).items():
        assert KEY.encode() not in data, path
        assert api.url.encode() not in data, path


def test_a_trace_keeps_the_usage_that_the_provider_reports(studio: Layout, run: Run, api: MessagesApi) -> None:
    advance(run, studio)
    record = json.loads(trace_files(studio, "vera.*.json")[0].read_text(encoding="utf-8"))
    assert record["usage"] == {
        "input_tokens": 100,
        "output_tokens": 50,
        "cache_read_tokens": 2000,
        "cache_write_tokens": 700,
        "cache_write_1h_tokens": 300,
    }


def test_a_key_that_is_refused_stops_with_a_hint_and_without_retries(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    api.script = lambda _body, _number: Reply(status=401, text="invalid x-api-key")
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert "invalid x-api-key (status 401)" in outcome.err
    assert "check ANTHROPIC_API_KEY" in outcome.err
    assert "Traceback" not in outcome.err
    assert len(api.requests) == 7
    assert_nothing_half_written(studio)


def test_a_rate_limit_is_waited_out(studio: Layout, run: Run, api: MessagesApi) -> None:
    api.script = only("vera", Reply(status=429, headers=NO_WAIT), times=2)
    outcome = advance(run, studio)
    assert_day_is_done(outcome, studio, api)
    assert asked_twice(api) == ["vera", "vera"]
    assert outcome.err.count("rate limit reached (status 429)") == 1, "told once"


def test_an_overload_that_lasts_stops_keeps_the_other_answers_and_the_same_command_goes_on(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    api.script = only("vera", Reply(status=529, headers=NO_WAIT))
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert "(status 529)" in outcome.err
    assert "overloaded" in outcome.err
    assert len([body for body in api.requests if who(body) == "vera"]) == 3
    assert_nothing_half_written(studio)
    api.requests.clear()
    api.script = answer_well
    assert_day_is_done(advance(run, studio), studio, api)
    assert [who(body) for body in api.requests][:1] == ["vera"]
    assert "Ankommen" in api.questions()[0]
    assert not [text for text in api.questions()[1:] if "# Szene: Ankommen" in text]


def without_retries(layout: Layout, more: str = "") -> None:
    settings = layout.settings.read_text(encoding="utf-8").replace("max_retries: 2", f"max_retries: 0{more}")
    layout.settings.write_text(settings, encoding="utf-8")


def test_a_connection_that_is_cut_stops_cleanly_and_the_same_command_goes_on(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    without_retries(studio)
    api.script = only("vera", Reply(text="{", cut=True))
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert "broke off, or does not speak HTTP: " in outcome.err
    assert "Traceback" not in outcome.err
    assert_nothing_half_written(studio)
    api.script = answer_well
    assert_day_is_done(advance(run, studio), studio, api)


def test_a_server_that_does_not_answer_in_time_is_given_up(studio: Layout, run: Run, api: MessagesApi) -> None:
    without_retries(studio, ", timeout_s: 1")
    given_up = threading.Event()

    def slow(body: Body, number: int) -> Reply:
        if who(body) == "vera":
            given_up.wait(30)
        return answer_well(body, number)

    api.script = slow
    outcome = advance(run, studio)
    given_up.set()
    assert outcome.code == 1
    assert "did not answer in time" in outcome.err
    assert_nothing_half_written(studio)


def test_a_server_that_is_not_there_is_a_clear_error(studio: Layout, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}")
    settings = studio.settings.read_text(encoding="utf-8").replace("max_retries: 2", "max_retries: 0")
    studio.settings.write_text(settings, encoding="utf-8")
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert "cannot be reached" in outcome.err
    assert "ANTHROPIC_BASE_URL" in outcome.err
    assert "Traceback" not in outcome.err
    assert_nothing_half_written(studio)


@pytest.mark.parametrize(
    ("reply", "said", "hint"),
    [
        (Reply("", stop="refusal"), "the answer of vera was refused by the model", "look at the prompt"),
        (
            Reply('{"mood": "w', stop="max_tokens", usage=USAGE | {"output_tokens": 4096}),
            "the answer of vera was cut off at max_tokens",
            "raise llm.max_tokens",
        ),
    ],
    ids=["refusal", "max_tokens"],
)
def test_an_answer_that_the_model_did_not_finish_stops_and_is_kept_raw(
    studio: Layout, run: Run, api: MessagesApi, reply: Reply, said: str, hint: str
) -> None:
    api.script = only("vera", reply)
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert said in outcome.err
    assert hint in outcome.err
    assert len(api.requests) == 7, "it is not asked again"
    assert_nothing_half_written(studio)
    (rejected,) = trace_files(studio, "vera.*.rejected-1.json")
    assert json.loads(rejected.read_text(encoding="utf-8"))["answer"] == {"text": reply.text, "stop": reply.stop}
    api.requests.clear()
    api.script = answer_well
    assert_day_is_done(advance(run, studio), studio, api)
    assert len([text for text in api.questions() if "# Szene: Ankommen" in text]) == 1


def test_prose_is_shown_its_problems_and_a_good_second_answer_is_taken(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    api.script = only("vera", Reply(PROSE), times=1)
    outcome = advance(run, studio)
    assert_day_is_done(outcome, studio, api)
    (again,) = [body for body in api.requests if len(body["messages"]) == 3]
    assert who(again) == "vera"
    assert again["messages"][1] == {"role": "assistant", "content": PROSE}
    assert "kein JSON-Objekt gefunden" in again["messages"][2]["content"]
    assert "note: day-001/scene-01 vera: asked again (no JSON object found" in outcome.err


def test_each_problem_of_a_reply_is_named_in_the_second_question(studio: Layout, run: Run, api: MessagesApi) -> None:
    def script(body: Body, number: int) -> Reply:
        reply = good_reply(body)
        if who(body) == "vera" and len(body["messages"]) == 1 and "plan" in reply and reply["plan"]:
            reply["plan"]["work"] = []
            del reply["mood"]
        return Reply(json.dumps(reply))

    api.script = script
    assert_day_is_done(advance(run, studio), studio, api)
    (again,) = [body for body in api.requests if len(body["messages"]) == 3]
    assert "mood: fehlt" in again["messages"][2]["content"]
    assert "plan.work" in again["messages"][2]["content"]


def test_prose_twice_stops_keeps_both_answers_raw_and_the_same_command_asks_only_that_one_anew(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    api.script = only("vera", Reply(PROSE))
    outcome = advance(run, studio)
    assert outcome.code == 1
    assert "the reply of vera stays unusable" in outcome.err
    assert "Traceback" not in outcome.err
    assert len(api.requests) == 8
    assert_nothing_half_written(studio)
    rejected = trace_files(studio, "vera*.rejected-1.json")
    assert len(rejected) == 2
    assert all(json.loads(path.read_text(encoding="utf-8"))["answer"]["text"] == PROSE for path in rejected)
    kept = {path.name.partition(".")[0] for path in trace_files(studio, "*.json") if "rejected" not in path.name}
    assert kept == set(studio.agent_names()) - {"vera"}
    api.requests.clear()
    api.script = answer_well
    assert_day_is_done(advance(run, studio), studio, api)
    arrivals = [body for body in api.requests if "# Szene: Ankommen" in body["messages"][0]["content"]]
    assert [(who(body), len(body["messages"])) for body in arrivals] == [("vera", 1)]


def test_an_empty_answer_is_asked_again_with_a_valid_request(studio: Layout, run: Run, api: MessagesApi) -> None:
    api.script = only("vera", Reply(""), times=1)
    assert_day_is_done(advance(run, studio), studio, api)


def test_half_a_character_in_a_reply_is_a_problem_of_the_reply_and_not_of_gm(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    def script(body: Body, number: int) -> Reply:
        text = json.dumps(good_reply(body))
        return Reply(
            text.replace("ruhig", "ruhig \\ud83d") if who(body) == "vera" and len(body["messages"]) == 1 else text
        )

    api.script = script
    assert_day_is_done(advance(run, studio), studio, api)


def test_answers_with_evidence_that_does_not_exist_lose_only_the_evidence(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    def script(body: Body, number: int) -> Reply:
        reply = good_reply(body)
        reply["memories"][0] |= {"type": "reflection", "evidence": ["vera-999", "../../etc"]}
        return Reply(json.dumps(reply))

    api.script = script
    outcome = advance(run, studio)
    assert_day_is_done(outcome, studio, api)
    assert "evidence 'vera-999' does not exist and was dropped" in outcome.err
    nodes = [node for name in studio.agent_names() for node in records(studio.stream(name))]
    assert {(node["depth"], tuple(node["evidence"])) for node in nodes if node["type"] == "reflection"} == {(1, ())}


def test_a_local_server_needs_no_key(
    studio: Layout, run: Run, api: MessagesApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY")
    outcome = advance(run, studio)
    assert_day_is_done(outcome, studio, api)
    assert "ANTHROPIC_BASE_URL is set" in outcome.err


def test_layers_of_minds_fit_into_the_schema_also_when_they_are_switched_on_while_a_day_is_played(
    studio: Layout, run: Run, api: MessagesApi
) -> None:
    def script(body: Body, number: int) -> Reply:
        for folder, file in (
            (studio.layer_folder(SOUL), studio.layer(SOUL, "vera")),
            (studio.layer_folder(WORKING), studio.layer(WORKING, "vera")),
        ):
            folder.mkdir(exist_ok=True)
            if not file.exists():
                file.write_text("{}\n")
        return answer_well(body, number)

    api.script = script
    assert_day_is_done(advance(run, studio), studio, api)
    scenes = [body["output_config"]["format"]["schema"] for body in api.requests]
    scenes = [schema for schema in scenes if "action" in schema["properties"]]
    assert not {"soul", "working"} & set(scenes[0]["properties"])
    assert {"soul", "working"} <= set(scenes[-1]["required"])
