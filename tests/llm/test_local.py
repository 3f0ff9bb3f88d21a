"""Servers on this machine: who answers, what is installed there, and what is said of a name that is not."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import cast

import pytest

from gm.base.errors import BackendError
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from gm.llm.base import Surroundings
from gm.llm.choose import choose_backend
from gm.llm.local import LocalServer, check_installed, explain_bare, find_servers, local_providers
from gm.llm.providers import Provider, find_provider, providers
from tests.cli.running import Run
from tests.llm.chat_api import ChatApi, Said, answer_well, serving_chat
from tests.stories.playing import set_sections

NOWHERE = "http://127.0.0.1:9/v1"


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatApi]:
    """A stand-in in the place of Ollama; no other server answers on this machine."""
    with serving_chat(ChatApi()) as api:
        api.known = listing("qwen3:8b", "llama3.1:latest", "nomic-embed-text:latest")
        declared = cast("dict[str, Provider]", providers())
        for one in local_providers({}):
            monkeypatch.setitem(declared, one.name, replace(one, base=api.url if one.name == "ollama" else NOWHERE))
        yield api


def listing(*names: str) -> dict[str, object]:
    return {"/v1/models": {"object": "list", "data": [{"id": name} for name in names]}}


def contents(world: Path) -> dict[str, bytes]:
    """Return the files of a world, without what gm derives from them and the mark of the folder of traces."""
    files = (path for path in sorted(world.rglob("*")) if path.is_file() and ".gm" not in path.parts)
    files = (path for path in files if path.parts[-2:] != ("traces", ".gitignore"))
    return {str(path.relative_to(world)): path.read_bytes() for path in files}


def test_the_local_providers_are_those_on_loopback() -> None:
    assert [one.name for one in local_providers({})] == ["ollama", "llamacpp", "lmstudio", "vllm"]
    named = find_provider("http://127.0.0.1:9000/v1#m", {})
    assert named is not None
    assert not named[0].is_local, "an address is asked only when it is named"


def test_a_server_that_answers_tells_what_is_installed_and_no_key_is_sent(ollama: ChatApi) -> None:
    (found,) = find_servers(local_providers({}))
    address = ollama.url.removesuffix("/v1")
    assert found == LocalServer("ollama", address, ("ollama:qwen3:8b", "ollama:llama3.1")), "no embedder"
    assert ollama.looked_up == ["/v1/models"]


def test_only_this_machine_is_asked(ollama: ChatApi) -> None:
    away = replace(providers()["ollama"], name="away", base=ollama.url.replace("127.0.0.1", "gm.invalid"))
    assert find_servers([away]) == ()


@pytest.mark.parametrize("body", ["nothing", {"models": 3}, b"<html>", [["x"] * 3]])
def test_what_is_no_list_of_models_is_no_server_of_models(ollama: ChatApi, body: object) -> None:
    ollama.known = {"/v1/models": body}
    assert [name for server in find_servers(local_providers({})) for name in server.models] == []


def test_odd_names_are_not_offered(ollama: ChatApi) -> None:
    ollama.known = listing("\x1b[31mred", "x" * 300, "good", *(f"m{number}" for number in range(200)))
    (found,) = find_servers(local_providers({}))
    assert found.models[0] == "ollama:good"
    assert len(found.models) == 100


OLLAMA = providers()["ollama"]


@pytest.mark.parametrize("name", ["", "qwen3:8b", "QWEN3:8B", "llama3.1", "llama3.1:latest"])
def test_an_installed_model_is_found_by_each_of_its_names(name: str) -> None:
    check_installed(OLLAMA, name, ["qwen3:8b", "llama3.1:latest"])


@pytest.mark.parametrize(
    ("name", "listed", "hint"),
    [
        ("qwen3", ["qwen3:8b", "phi4:latest"], "did you mean ollama:qwen3:8b? to install it: ollama pull qwen3"),
        ("llama3", ["llama3.1:latest"], "did you mean ollama:llama3.1?"),
        ("mistral", ["qwen3:8b", "phi4:latest"], "there are ollama:qwen3:8b, ollama:phi4; to install it:"),
        ("x; rm -rf y", [], "to install it: ollama pull 'x; rm -rf y'"),
    ],
)
def test_a_model_that_is_not_installed_is_refused_with_the_nearest(name: str, listed: list[str], hint: str) -> None:
    with pytest.raises(BackendError) as caught:
        check_installed(OLLAMA, name, listed)
    assert caught.value.hint.startswith(hint)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("qwen3:8b", "it is installed here: ollama:qwen3:8b."),
        ("ollama/llama3.1", "it is installed here: ollama:llama3.1."),
        ("qwen3", "did you mean ollama:qwen3:8b?"),
        ("mistral", "name the provider: ollama:mistral (ollama at http://127.0.0.1:"),
    ],
)
def test_a_name_without_a_provider_is_told_what_to_write(ollama: ChatApi, name: str, said: str) -> None:
    assert explain_bare(name, {})[0].startswith(said)
    with pytest.raises(BackendError, match="needs a key or a server") as caught:
        choose_backend(name, "--model", Surroundings())
    assert caught.value.hint.startswith(said)


@pytest.mark.usefixtures("ollama")
def test_without_a_server_it_says_that_none_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Provider]", providers()), "ollama", replace(OLLAMA, base=NOWHERE))
    assert explain_bare("qwen3", {})[0] == ("name the provider: ollama:qwen3 (no server answers on this machine).")


def test_a_good_suggestion_stands_without_a_list_of_providers(ollama: ChatApi) -> None:
    for name in ("qwen3", "ollama"):
        with pytest.raises(BackendError) as caught:
            choose_backend(name, "--model", Surroundings())
        assert " ollama:qwen3:8b" in caught.value.hint
        assert "ANTHROPIC" not in caught.value.hint
    assert ollama.requests == []


@pytest.mark.parametrize(
    ("named", "address"),
    [
        ("box", "http://box:11434/v1"),
        ("box:9000", "http://box:9000/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        (":9000", "http://127.0.0.1:9000/v1"),
        ("http://0.0.0.0:9000/", "http://127.0.0.1:9000/v1"),
        ("[::1]:9000", "http://[::1]:9000/v1"),
        ("::1", "http://[::1]:11434/v1"),
        ("::", "http://127.0.0.1:11434/v1"),
        ("HTTP://H:5", "http://h:5/v1"),
        ("https://box", "https://box:443/v1"),
        ("https://box/models/v1", "https://box:443/models/v1"),
        ("", "http://localhost:11434/v1"),
    ],
)
def test_ollama_is_asked_where_its_own_variable_says(named: str, address: str) -> None:
    assert OLLAMA.at({"OLLAMA_HOST": named}).base == address


@pytest.mark.parametrize("named", ["box:port", "http://[::1", "box:1:2"])
def test_a_variable_that_holds_no_address_is_refused(named: str) -> None:
    with pytest.raises(BackendError, match="OLLAMA_HOST names no address"):
        find_provider("ollama:m", {"OLLAMA_HOST": named})


def test_a_variable_that_holds_no_address_takes_away_its_own_server_alone(
    run: Run, ollama: ChatApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"OLLAMA_HOST": "box:port"}
    monkeypatch.setenv("OLLAMA_HOST", environment["OLLAMA_HOST"])
    assert [one.name for one in local_providers(environment)] == ["llamacpp", "lmstudio", "vllm"]
    assert find_servers(local_providers(environment)) == ()
    listed = run("models").out
    assert re.search(r"^ollama +OLLAMA_HOST names no address +needs no key$", listed, re.MULTILINE)
    assert all(re.search(rf"^{name} ", listed, re.MULTILINE) for name in providers())
    with pytest.raises(BackendError, match="qwen3 needs a key or a server"):
        choose_backend("qwen3", "--model", Surroundings(environment=environment))
    with pytest.raises(BackendError, match="OLLAMA_HOST names no address"):
        choose_backend("ollama", "--model", Surroundings(environment=environment))
    assert ollama.looked_up == []


def test_the_scheme_of_an_address_may_be_in_capitals() -> None:
    named = find_provider("HTTP://127.0.0.1:9000/v1#m", {})
    assert named is not None
    assert named[0].is_by_hand
    assert providers()["openai"].at({"OPENAI_BASE_URL": "HTTPS://box/v1"}).needs_key


def test_the_variable_of_ollama_moves_commands_and_what_is_found_here(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_chat(ChatApi()) as api:
        api.known = listing("qwen3:8b")
        address = api.url.removesuffix("/v1").removeprefix("http://")
        monkeypatch.setenv("OLLAMA_HOST", address)
        found = find_servers(local_providers({"OLLAMA_HOST": address}))
        assert [server.models for server in found if server.provider == "ollama"] == [("ollama:qwen3:8b",)]
        assert "qwen3:8b" in run("models", "ollama").out
        set_sections(dinner.settings, "day: {scenes: [1, 1]}")
        assert run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b").code == 0
        assert api.requests


def test_an_address_of_this_machine_is_not_called_that_of_openai(run: Run) -> None:
    said = run("models", "http://127.0.0.1:9/v1").err
    assert "the server at http://127.0.0.1:9/v1 cannot be reached" in said
    assert "does a server run at this address?" in said
    assert "openai" not in said


def test_an_address_without_its_path_is_told_which_one_is_meant(run: Run, ollama: ChatApi) -> None:
    address = ollama.url.removesuffix("/v1")
    said = run("models", address).err
    assert f"its address mostly ends in /v1: {address}/v1, or ollama:NAME" in said


def test_an_address_with_a_wrong_path_is_named_with_the_usual_one(run: Run, ollama: ChatApi) -> None:
    wrong = ollama.url.replace("/v1", "/v2")
    said = run("models", wrong).err
    assert f"error: {wrong} answered: no reason (status 404)" in said
    assert f"the path /v2 may be wrong: write {ollama.url}" in said
    assert "openai" not in said


@pytest.mark.usefixtures("ollama")
@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("lama:qwen3", "did you mean ollama:qwen3 or llamacpp:qwen3?"),
        ("lmstudo:my-model", "did you mean lmstudio:my-model?"),
        ("127.0.0.1:8080", "an address: http://127.0.0.1:8080/v1"),
        ("localhost:8080/v1#m", "an address: http://localhost:8080/v1#m"),
        ("codellama:7b", "name the provider: ollama:codellama:7b"),
        ("codellama:latest", "name the provider: ollama:codellama:latest"),
        ("llama3.2:vision", "did you mean ollama:llama3.1?"),
    ],
)
def test_a_misspelt_provider_or_address_is_told_what_was_meant(name: str, hint: str) -> None:
    with pytest.raises(BackendError) as caught:
        choose_backend(name, "--model", Surroundings())
    assert caught.value.hint.startswith(hint)


def test_an_address_without_a_scheme_is_not_asked_for_as_a_model() -> None:
    with pytest.raises(BackendError, match="names no provider and no model"):
        choose_backend("127.0.0.1:8080", "--model", Surroundings(environment={"ANTHROPIC_API_KEY": "k"}))


def test_the_models_of_a_provider_are_listed_with_one_colon(run: Run, ollama: ChatApi) -> None:
    assert ollama.url
    assert run("models", "ollama:").out.startswith("ollama:qwen3:8b ")
    assert run("models", "ollama:").out == run("models", "ollama").out


def test_an_address_without_a_model_is_called_by_its_address(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}")
    address = ollama.url.removesuffix("/v1")
    said = run("advance-day", "-w", dinner.root, "--model", ollama.url).err
    assert f"model: {address} (asked for by --model)" in said
    assert f"price unknown for {address}" in said
    assert {body["model"] for body in ollama.requests} == {"qwen3:8b"}
    ollama.known = listing()
    said = run("advance-day", "-w", dinner.root, "--model", ollama.url).err
    assert f"{address} has no model loaded" in said
    assert f"name it: {ollama.url}#NAME" in said


def test_a_day_with_a_model_that_is_not_installed_writes_nothing(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    before = contents(dinner.root)
    outcome = run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3")
    assert outcome.code == 1
    assert "has no model qwen3; nothing was asked or written" in outcome.err
    assert "did you mean ollama:qwen3:8b?" in outcome.err
    assert (contents(dinner.root), ollama.requests) == (before, [])


def test_llama_cpp_is_not_asked_for_a_model_that_it_would_answer_for_with_another(
    run: Run, dinner: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving_chat(ChatApi()) as api:
        api.known = listing("smollm2")
        declared = cast("dict[str, Provider]", providers())
        monkeypatch.setitem(declared, "llamacpp", replace(declared["llamacpp"], base=api.url))
        before = contents(dinner.root)
        refused = run("advance-day", "-w", dinner.root, "--model", "llamacpp:qwen3")
        assert refused.code == 1
        address = api.url.removesuffix("/v1")
        assert f"llamacpp at {address} has smollm2, not qwen3; nothing was asked or written" in refused.err
        assert "write llamacpp:smollm2" in refused.err
        assert (contents(dinner.root), api.requests) == (before, [])
        api.known = listing()
        assert "has no model, not qwen3" in run("advance-day", "-w", dinner.root, "--model", "llamacpp:qwen3").err
        api.known = listing("smollm2")
        set_sections(dinner.settings, "day: {scenes: [1, 1]}")
        assert run("advance-day", "-w", dinner.root, "--model", "llamacpp:").code == 0
        assert api.requests


def test_an_address_that_does_not_list_a_model_is_asked_and_that_is_noted(run: Run, dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}")
    with serving_chat(ChatApi()) as api:
        api.known = listing("smollm2")
        played = ("advance-day", "-w", dinner.root, "--model")
        outcome = run(*played, f"{api.url}#qwen3")
        address = api.url.removesuffix("/v1")
        assert outcome.code == 0
        assert f"the server at {address} has smollm2, not qwen3; another model may answer" in outcome.err
        assert "another model may answer" not in run(*played, f"{api.url}#smollm2").err
        api.known["/v1/models"] = "no list"
        assert "another model may answer" not in run(*played, f"{api.url}#qwen3").err


def test_a_model_of_one_purpose_or_character_is_checked_too(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    set_sections(dinner.settings, "model: ollama:qwen3:8b\nmodels: {reflection: 'ollama:deep'}\n")
    outcome = run("advance-day", "-w", dinner.root)
    assert outcome.code == 1
    assert "has no model deep" in outcome.err
    assert ollama.requests == []
    set_sections(dinner.settings, "model: ollama:qwen3:8b\nmodels: {reflection: 'ollama:llama3.1'}\n")
    said = run("advance-day", "-w", dinner.root, "--scenes", "1").err
    assert "model: qwen3:8b (asked for by gm.yaml; also ollama:llama3.1)" in said


def test_an_installed_model_plays_a_day(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}")
    outcome = run("advance-day", "-w", dinner.root, "--model", "ollama:llama3.1")
    assert outcome.code == 0, outcome.err
    assert {body["model"] for body in ollama.requests} == {"llama3.1"}
    cost = run("cost", "-w", dinner.root).out
    assert "total:" in cost
    assert "prices:" not in cost, "a server that costs nothing has no page of prices"
    assert "nine in ten were off by" in cost


def test_a_model_that_is_not_loaded_is_loaded_for_its_window_before_the_day(
    run: Run, dinner: Layout, ollama: ChatApi
) -> None:
    ollama.loads["/api/generate"] = {"/api/ps": {"models": [{"name": "llama3.1:latest", "context_length": 4096}]}}
    play = ("advance-day", "-w", dinner.root, "--model", "ollama:llama3.1")
    assert "the window of llama3.1 holds" not in run(*play, "--dry-run").err, "a forecast loads nothing"
    outcome = run(*play)
    assert outcome.code == 1
    assert "note: ollama loads llama3.1" in outcome.err
    assert "(the window of llama3.1 holds 4096, and its answer may take 1024)" in outcome.err
    assert ollama.requests == []
    assert "ollama loads" not in run(*play).err, "it is loaded"


def test_a_grammar_lets_no_plan_be_left_out_where_one_is_asked_for(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    assert run("advance-day", "-w", dinner.root, "--model", "ollama:llama3.1", "--scenes", "2").code == 0
    required = [body["response_format"]["json_schema"]["schema"]["required"] for body in ollama.requests]
    assert all("plan" in keys for keys in required[:3]), "an arrival of three"
    assert not any("plan" in keys for keys in required[3:])


@pytest.mark.parametrize("refusal", [Said(status=401, body={"error": "no"}), Said(status=404, body={"error": "gone"})])
@pytest.mark.parametrize("command", [("advance-day",), ("scene", "work", "--with", "alex")])
def test_a_first_call_that_fails_opens_no_day(
    run: Run, dinner: Layout, ollama: ChatApi, refusal: Said, command: tuple[str, ...]
) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}\nllm: {max_retries: 0}")
    before, well = contents(dinner.root), ollama.script
    ollama.script = lambda _body: refusal
    played = (*command, "-w", dinner.root, "--model", "ollama:qwen3:8b", "--seed", "5")
    assert run(*played).code == 1
    assert ollama.requests
    assert contents(dinner.root) == before
    assert "day 0" in run("status", "-w", dinner.root).out.lower()
    ollama.script = well
    assert run(*played).code == 0
    assert run("check", "-w", dinner.root).code == 0


@pytest.mark.usefixtures("ollama")
@pytest.mark.parametrize("model", [f"{NOWHERE}#m", NOWHERE, "llamacpp:m", "lmstudio:", "vllm:m"])
def test_a_server_that_is_away_opens_no_day_and_nothing_of_it_is_shown(run: Run, dinner: Layout, model: str) -> None:
    before = contents(dinner.root)
    outcome = run("advance-day", "-w", dinner.root, "--model", model)
    assert outcome.code == 1
    assert outcome.out == ""
    assert re.fullmatch(r"error: the server\b.* at http://127.0.0.1:9/v1 cannot be reached\n.*\n", outcome.err)
    assert contents(dinner.root) == before


def test_a_later_day_that_fails_at_its_first_call_leaves_the_days_before(
    run: Run, dinner: Layout, ollama: ChatApi
) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}\nllm: {max_retries: 0}")
    first = ("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b")
    assert run(*first).code == 0
    before = contents(dinner.root)
    ollama.script = lambda _body: Said(status=500, body={"error": "broken"})
    assert run(*first, "--days", "2").code == 1
    assert contents(dinner.root) == before


def test_an_answer_that_stops_the_day_is_shown_with_its_file(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    ollama.script = lambda _body: Said("I am \x1b[31mred\nerror: and no JSON " + "…" * 1000)
    outcome = run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b")
    assert outcome.code == 1
    (told,) = (line for line in outcome.err.splitlines() if "it says" in line)
    assert 'it says "I am [31mred error: and no JSON …' in told
    assert "run the same command again to ask anew, or name another model" in told
    assert "too small" not in told
    assert "\x1b" not in outcome.err
    path = Path(told.partition("the whole of it: ")[2].partition(")")[0])
    assert path.is_relative_to(dinner.traces)
    assert "and no JSON" in path.read_text(encoding="utf-8")
    assert len(told) < 700 + len(os.fspath(path))


def test_an_answer_that_was_cut_off_is_shown_with_its_file(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    ollama.script = lambda _body: Said('{"dialogue": "On and', finish="length", usage={"completion_tokens": 4096})
    outcome = run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b")
    assert "was cut off at max_tokens" in outcome.err
    assert "a small model that repeats itself does not end with more tokens" in outcome.err
    assert "lower reply.most_items and reply.most_characters" in outcome.err
    assert 'it says "{\\"dialogue\\": \\"On and" (the whole of it: ' in outcome.err


def test_a_model_that_fails_run_after_run_is_doubted_and_teaches_the_forecast_nothing(
    run: Run, dinner: Layout, ollama: ChatApi
) -> None:
    played = ("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b")
    forecast = (*played, "--dry-run", "--json")
    unlearned = run(*forecast).document["totals"]
    numbers = count()
    ollama.script = lambda _body: Said(f"no JSON {next(numbers)} " + "…" * 9000)
    told = [run(*played).err for _ in range(3)]
    assert ["the model may be too small" in said for said in told] == [False, False, True]
    assert "3 runs have failed here" in told[-1]
    assert run(*forecast).document["totals"] == unlearned


def test_a_rehearsal_says_which_model_played_the_last_day(run: Run, dinner: Layout, ollama: ChatApi) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 1]}")
    asked = ("ask", "alex", "How are you?", "-w", dinner.root)
    assert "played by" not in run(*asked).err
    assert run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b").code == 0
    assert ollama.requests
    hint = "the last day was played by ollama:qwen3:8b; to keep it: model: ollama:qwen3:8b in gm.yaml"
    assert hint in run(*asked).err
    set_sections(dinner.settings, "model: rehearsal")
    assert "played by" not in run(*asked).err, "a world that wants the rehearsal has it"


def test_a_world_that_is_being_written_to_is_refused_before_a_forecast(
    run: Run, dinner: Layout, ollama: ChatApi
) -> None:
    with locked(dinner.lock, "gm scene"):
        refused = run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b")
    assert "the world is being written to: gm scene" in refused.err
    assert "forecast" not in refused.err
    assert ollama.requests == []


@pytest.mark.parametrize("scenes", [1, 2])
def test_the_status_names_a_day_that_was_begun_and_has_no_scene_yet(
    run: Run, dinner: Layout, ollama: ChatApi, scenes: int
) -> None:
    shown = ("status", "-w", dinner.root)
    assert "begun" not in run(*shown).out
    ollama.script = lambda _body: Said("no JSON")
    assert run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b").code == 1
    assert "day 1 was begun, and interrupted in its first scene: gm advance-day goes on with it" in run(*shown).out
    ollama.script = answer_well
    set_sections(dinner.settings, f"day: {{scenes: [{scenes}, {scenes}]}}")
    assert run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b").code == 0
    assert "begun" not in run(*shown).out
    assert run("rewind", "day-000", "--yes", "-w", dinner.root).code == 0
    assert "begun" not in run(*shown).out, "of a day that was rewound the traces are kept"
    for name in dinner.agent_names():
        with dinner.persona(name).open("a", encoding="utf-8") as persona:
            persona.write("\nLikes tea.\n")
    ollama.script = lambda _body: Said("no JSON")
    assert run("advance-day", "-w", dinner.root, "--model", "ollama:qwen3:8b").code == 1
    assert "day 1 was begun, and interrupted in its first scene" in run(*shown).out, "it began again"
