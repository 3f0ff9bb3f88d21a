"""Batches: what can wait is sent at once, noted before and after, fetched later, and never paid for twice."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import EXIT_WAITING, BackendError, GmError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.traces import BatchFolder, TraceFolder
from gm.layers.diary import DIARY
from gm.llm.anthropic_api import AnthropicApi
from gm.llm.asker import Asker
from gm.llm.base import Block, Request
from gm.llm.identity import identity
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.waiting import BatchingAsker, make_asker
from gm.model.scene import SUMMARY
from tests.cli.running import Outcome, Run, runner
from tests.llm.batch_api import EXPIRED, BatchApi, errored, serving_batches
from tests.llm.messages_api import Body, Reply, answer_well, asks_for, who
from tests.stories.playing import records, set_sections

SETTINGS = LlmSettings(max_retries=2, cache="5m", structured="schema")
PLACE = "day-001/scene-09"
LABELS = ("vera", "emre", "finn")
NOTE = "state/traces/day-001/batch-1.json"


class Power(BaseException):
    """The process dies here."""


class Failing(BatchFolder):
    """Notes of batches; the process dies where one is added or changed."""

    def __init__(self, layout: Layout, *, add: bool = False, change: bool = False) -> None:
        super().__init__(layout)
        self._dies_adding = add
        self._dies_changing = change

    def add(self, day: str, note: Mapping[str, Any]) -> str:
        name = super().add(day, note)
        if self._dies_adding:
            raise Power
        return name

    def change(self, name: str, note: Mapping[str, Any]) -> None:
        if self._dies_changing:
            raise Power
        super().change(name, note)


def question(label: str, purpose: str = "reflection") -> Request:
    schema = {"title": "Reply", "type": "object", "properties": {}}
    return Request(
        label, purpose, (Block("Welt", cache=True),), (("user", f"{label}?"),), schema, 500, place=PLACE, who=label
    )


QUESTIONS = [question(label) for label in LABELS]


def echo(body: Body, _number: int) -> Reply:
    return Reply(f"re: {body['messages'][-1]['content']}")


@pytest.fixture
def api() -> Iterator[BatchApi]:
    with serving_batches(BatchApi(echo)) as served:
        yield served
        assert served.faults == []


class Desk:
    """A world's folder, and an asker that starts anew each time as after a command that ended."""

    def __init__(self, root: Path, api: BatchApi) -> None:
        self.layout = Layout(root)
        self.api = api
        self.said: list[str] = []
        self.backend = AnthropicApi(
            "some-model", SETTINGS, {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk"}, self.said.append
        )

    @property
    def traces(self) -> TraceFolder:
        return TraceFolder(self.layout.traces, PLACE)

    def ask(
        self, questions: Sequence[Request] = QUESTIONS, notes: BatchFolder | None = None, *, batch: bool = True
    ) -> list[str]:
        asker = make_asker(self.backend, 4, notes or BatchFolder(self.layout), self.said.append, batch=batch)
        try:
            return [answer.text for answer in asker.ask_all(questions, [self.traces] * len(questions))]
        finally:
            asker.close()

    def wait(self, questions: Sequence[Request] = QUESTIONS) -> WaitingError:
        with pytest.raises(WaitingError) as caught:
            self.ask(questions)
        return caught.value

    def record(self, name: str = NOTE) -> dict[str, Any]:
        found = json.loads((self.layout.root / name).read_text(encoding="utf-8"))
        assert isinstance(found, dict)
        return found

    @property
    def singles(self) -> list[str]:
        return [body["messages"][-1]["content"] for body in self.api.requests]


@pytest.fixture
def desk(tmp_path: Path, api: BatchApi) -> Desk:
    (tmp_path / "world/state").mkdir(parents=True)
    return Desk(tmp_path / "world", api)


ANSWERS = [f"re: {label}?" for label in LABELS]


def test_a_batch_is_awaited_and_its_answers_are_taken_in_the_order_of_the_questions(desk: Desk, api: BatchApi) -> None:
    error = desk.wait()
    assert error.exit_code == EXIT_WAITING
    assert [(item.who, item.question) for item in error.awaited] == [("batch msgbatch_1", NOTE)]
    assert desk.record()["batch"] == "msgbatch_1"
    assert list(desk.record()["questions"].values()) == [f"{PLACE} {label}" for label in LABELS]
    desk.wait()
    api.finish()
    assert desk.ask() == ANSWERS
    assert len(api.seen.created) == 1
    assert desk.singles == []


def test_an_answer_of_a_batch_is_kept_as_every_answer_and_says_that_it_was_cheaper(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    api.finish()
    desk.ask()
    record = desk.traces.find("vera", identity(QUESTIONS[0], desk.backend))
    assert record is not None
    assert (record["backend"], record["asked"], record["tier"]) == ("anthropic", "some-model", "batch")
    assert record["usage"]["cache_read_tokens"] == 2000
    assert desk.record()["collected"] is True
    assert desk.ask() == ANSWERS
    assert api.seen.collected == ["msgbatch_1"], "what lies in the traces is not fetched again"


def test_a_batch_carries_what_a_single_call_would(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    (first, *_) = api.seen.created[0].requests
    assert first["custom_id"] == identity(QUESTIONS[0], desk.backend)
    assert first["params"] == desk.backend.render(QUESTIONS[0])


def test_what_cannot_wait_is_asked_directly(desk: Desk, api: BatchApi) -> None:
    assert desk.ask([question("vera", "scene"), question("emre")]) == ["re: vera?", "re: emre?"]
    assert api.seen.created == []


def test_a_second_question_to_a_character_is_asked_directly(desk: Desk, api: BatchApi) -> None:
    turns = (("user", "vera?"), ("assistant", "Prosa."), ("user", "Noch einmal?"))
    assert desk.ask([replace(question("vera"), messages=turns)]) == ["re: Noch einmal?"]
    assert api.seen.created == []


def test_without_the_wish_nothing_is_sent_as_a_batch(desk: Desk, api: BatchApi) -> None:
    assert desk.ask(batch=False) == ANSWERS
    assert api.seen.created == []


def test_a_batch_under_way_is_waited_for_also_without_the_wish(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    with pytest.raises(WaitingError):
        desk.ask(batch=False)
    api.finish()
    assert desk.ask(batch=False) == ANSWERS
    assert desk.singles == []


def test_what_failed_or_expired_is_asked_anew_as_single_calls(desk: Desk, api: BatchApi) -> None:
    fates = {"vera?": errored("too long"), "finn?": EXPIRED}
    api.fate = lambda params: fates.get(params["messages"][-1]["content"])
    desk.wait()
    api.finish()
    assert desk.ask() == ANSWERS
    assert sorted(desk.singles) == ["finn?", "vera?"]
    assert f"{PLACE} vera: refused in the batch: too long; asked directly" in desk.said
    assert f"{PLACE} finn: expired in the batch; asked directly" in desk.said
    assert len(api.seen.created) == 1


def test_what_failed_stays_a_single_call_when_that_call_fails_too(desk: Desk, api: BatchApi) -> None:
    api.fate = lambda params: EXPIRED if params["messages"][-1]["content"] == "vera?" else None
    desk.wait()
    api.finish()
    api.script = lambda body, number: (
        Reply(status=400, text="no")
        if body["messages"][-1]["content"] == "vera?" and api.requests
        else echo(body, number)
    )
    with pytest.raises(BackendError, match="no"):
        desk.ask()
    api.script = echo
    assert desk.ask() == ANSWERS
    assert desk.singles == ["vera?", "vera?"]
    assert len(api.seen.created) == 1


def test_stopped_between_the_batch_and_its_note_it_is_found_again(desk: Desk, api: BatchApi) -> None:
    with pytest.raises(Power):
        desk.ask(notes=Failing(desk.layout, change=True))
    assert desk.record()["batch"] == ""
    error = desk.wait()
    assert [item.question for item in error.awaited] == [NOTE]
    api.finish()
    assert desk.ask() == ANSWERS
    assert desk.record()["batch"] == "msgbatch_1"
    assert len(api.seen.created) == 1
    assert desk.singles == []


def test_an_answer_to_the_creation_that_is_lost_does_not_pay_twice(desk: Desk, api: BatchApi) -> None:
    api.wrong.lose_created = True
    with pytest.raises(BackendError, match="broke off, or does not speak HTTP"):
        desk.ask()
    api.wrong.lose_created = False
    assert len(api.seen.created) == 1, "the creation is not repeated"
    desk.wait()
    api.finish()
    assert desk.ask() == ANSWERS
    assert len(api.seen.created) == 1


def test_stopped_before_the_batch_it_is_sent_once(desk: Desk, api: BatchApi) -> None:
    with pytest.raises(Power):
        desk.ask(notes=Failing(desk.layout, add=True))
    assert api.seen.created == []
    desk.wait()
    assert desk.record()["collected"] is True, "an intent that came to nothing is closed"
    api.finish()
    assert desk.ask() == ANSWERS
    assert len(api.seen.created) == 1


def test_a_batch_of_another_program_is_not_taken_for_ours(desk: Desk, api: BatchApi) -> None:
    with pytest.raises(Power):
        desk.ask(notes=Failing(desk.layout, add=True))
    other = [question(label) for label in ("nami", "leo", "tobi")]
    desk.backend.batches().submit({identity(item, desk.backend): item for item in other})
    desk.wait()
    assert len(api.seen.created) == 1, "while it may be ours, nothing is sent"
    api.finish()
    desk.wait()
    assert [len(batch.requests) for batch in api.seen.created] == [3, 3]
    api.finish()
    assert desk.ask() == ANSWERS


def test_batches_from_before_are_not_looked_at(desk: Desk, api: BatchApi) -> None:
    desk.backend.batches().submit({identity(item, desk.backend): item for item in QUESTIONS})
    api.finish()
    with pytest.raises(Power):
        desk.ask(notes=Failing(desk.layout, add=True))
    assert desk.record()["after"] == "msgbatch_1"
    desk.wait()
    assert len(api.seen.created) == 2


def test_stopped_while_answers_are_kept_the_rest_is_taken_later(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    api.finish()
    with pytest.raises(Power):
        desk.ask(notes=Failing(desk.layout, change=True))
    desk.layout.traces.joinpath(PLACE, f"vera.{identity(QUESTIONS[0], desk.backend)[:12]}.json").unlink()
    assert desk.ask() == ANSWERS
    assert len(api.seen.created) == 1
    assert desk.singles == []


def test_questions_that_a_person_changed_meanwhile_are_sent_anew_and_the_others_are_not(
    desk: Desk, api: BatchApi
) -> None:
    desk.wait()
    changed = [*QUESTIONS[:2], question("nami")]
    error = desk.wait(changed)
    assert [item.who for item in error.awaited] == ["batch msgbatch_1", "batch msgbatch_2"]
    assert [len(batch.requests) for batch in api.seen.created] == [3, 1]
    api.finish()
    assert desk.ask(changed) == ["re: vera?", "re: emre?", "re: nami?"]


def test_results_that_break_off_are_fetched_again(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    api.finish()
    api.wrong.cut = True
    with pytest.raises(BackendError, match="broke off"):
        desk.ask()
    api.wrong.cut = False
    assert desk.ask() == ANSWERS
    assert desk.singles == []


def test_a_batch_that_is_gone_is_never_silently_paid_for_again(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    api.seen.created.clear()
    with pytest.raises(BackendError, match="batch msgbatch_1 is not known") as caught:
        desk.ask()
    assert f"delete the note {NOTE}" in caught.value.hint
    (desk.layout.root / NOTE).unlink()
    desk.wait()
    assert len(api.seen.created) == 1


def test_an_answer_of_no_use_is_asked_in_a_new_batch(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    api.finish()
    desk.ask()
    desk.traces.reject("vera", identity(QUESTIONS[0], desk.backend))
    error = desk.wait()
    assert [item.who for item in error.awaited] == ["batch msgbatch_2"]
    assert len(api.seen.created[1].requests) == 1


def test_equal_questions_under_two_labels_are_paid_for_once(desk: Desk, api: BatchApi) -> None:
    twice = [question("vera"), replace(question("vera"), label="vera-2")]
    desk.wait(twice)
    assert len(api.seen.created[0].requests) == 1
    api.finish()
    assert desk.ask(twice) == ["re: vera?", "re: vera?"]


def test_a_server_without_batches_is_asked_directly_and_says_so_once(desk: Desk, api: BatchApi) -> None:
    api.wrong.none = True
    assert desk.ask() == ANSWERS
    assert desk.said == ["this server has no batches (status 404): every question is asked directly"]
    assert not (desk.layout.root / NOTE).exists()


def test_a_backend_without_batches_asks_directly_and_says_so(tmp_path: Path) -> None:
    said: list[str] = []
    asker = make_asker(Rehearsal(), 2, BatchFolder(Layout(tmp_path)), said.append, batch=True)
    assert type(asker) is Asker
    assert said == ["rehearsal has no batches: every question is asked directly"]
    assert not isinstance(make_asker(Rehearsal(), 2, BatchFolder(Layout(tmp_path)), said.append), BatchingAsker)
    assert len(said) == 1


def test_a_note_that_cannot_be_read_stops_before_anything_is_asked(desk: Desk, api: BatchApi) -> None:
    desk.wait()
    (desk.layout.root / NOTE).write_text("{", encoding="utf-8")
    with pytest.raises(GmError, match=r"batch-1\.json cannot be read") as caught:
        desk.ask()
    assert "delete it" in caught.value.hint
    assert len(api.seen.created) == 1


def reflective(body: Body, number: int) -> Reply:
    """Answer well; insights cite what the question shows."""
    if "insights" not in asks_for(body):
        return answer_well(body, number)
    ids = re.findall(rf"{who(body)}-[0-9]+", body["messages"][0]["content"])
    insight = {"description": "So ist es also.", "importance": 7, "tags": ["insight"], "evidence": ids[:2]}
    return Reply(json.dumps({"insights": [insight] * 3, "thoughts": "", "mood": None}))


def test_a_whole_day_stops_for_its_reflections_and_goes_on_with_the_same_command(
    studio: Layout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "day: {scenes: [2, 3]}\nreflection: {threshold: 9}\nllm: {cache: 5m, structured: schema}"
    set_sections(studio.settings, more)
    run: Run = runner(capsys)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")

    def advance() -> Outcome:
        return run("advance-day", "-w", studio.root, "--model", "some-model", "--batch")

    with serving_batches(BatchApi(reflective)) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        first = advance()
        assert first.code == EXIT_WAITING, first.err
        scenes = len(api.requests)
        assert scenes
        assert advance().code == EXIT_WAITING
        assert len(api.requests) == scenes
        api.finish()
        done = advance()
        assert done.code == 0, done.err
        assert len(api.requests) == scenes
        assert len(api.seen.created) == 1
        assert api.faults == []
    log = records(studio.day_log(1))
    assert log[-1]["type"] == SUMMARY
    assert "REFLECTION" in [entry["type"] for entry in log]
    assert run("check", "-w", studio.root, "--json").document["problems"] == []


def writing_diaries(body: Body, number: int) -> Reply:
    """Answer well; in the evening with an entry, in a scene with nothing new about other characters."""
    if {"text", "mood", "tags"} <= asks_for(body):
        return Reply(json.dumps({"text": f"{who(body)} schreibt.", "mood": "müde", "tags": ["day"]}))
    return Reply(json.dumps({**json.loads(answer_well(body, number).text), "relationships": []}))


def test_a_whole_day_stops_for_its_diaries_and_closes_with_the_same_command(
    studio: Layout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "day: {scenes: [1, 2]}\nreflection: {enabled: false}\nllm: {cache: 5m, structured: schema}"
    set_sections(studio.settings, f"{more}\nrelationships: on\ndiary: on")
    run: Run = runner(capsys)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk")

    def advance() -> Outcome:
        return run("advance-day", "-w", studio.root, "--model", "some-model", "--batch")

    with serving_batches(BatchApi(writing_diaries)) as api:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        assert advance().code == EXIT_WAITING
        scenes = len(api.requests)
        assert not studio.layer_folder(DIARY).exists()
        assert advance().code == EXIT_WAITING
        api.finish()
        done = advance()
        assert done.code == 0, done.err
        assert len(api.requests) == scenes
        assert len(api.seen.created) == 1
        assert api.faults == []
    assert [records(studio.layer(DIARY, name))[0]["text"] for name in ("leo", "vera")] == [
        "leo schreibt.",
        "vera schreibt.",
    ]
    assert run("check", "-w", studio.root, "--json").document["problems"] == []


NONSENSE = (
    b"",
    b"null",
    b"[]",
    b"{}",
    b"<html>",
    b"\xff",
    b"[" * 5000,
    b'{"data": 7}',
    b'{"data": [null]}',
    b'{"id": 7}',
)


@pytest.mark.parametrize("data", NONSENSE)
def test_nonsense_about_batches_is_said_in_words_and_goes_by(
    data: bytes, desk: Desk, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(api, "get", lambda *_: (200, data))
        with pytest.raises(BackendError, match="what the server says about its batches cannot be read"):
            desk.ask()
    desk.wait()
    api.finish()
    with monkeypatch.context() as patch:
        patch.setattr(api, "get", lambda *_: (200, data))
        with pytest.raises(BackendError, match=r"cannot be read; its \d+ bytes are kept in "):
            desk.ask()
    assert desk.ask() == ANSWERS
    assert desk.singles == []


RESULTS: tuple[Body, ...] = (
    {},
    {"type": "succeeded"},
    {"type": "succeeded", "message": None},
    {"type": "succeeded", "message": {"content": None}},
    {"type": "succeeded", "message": {"content": [7]}},
    {"type": "errored", "error": "no"},
    {"type": ["expired"]},
)


@pytest.mark.parametrize("result", RESULTS)
def test_a_result_that_cannot_be_read_is_kept_and_its_question_asked_directly(
    result: Body, desk: Desk, api: BatchApi
) -> None:
    desk.wait()
    api.finish()
    api.fate = lambda params: result or {"type": None} if "emre" in params["messages"][0]["content"] else None
    assert desk.ask() == ANSWERS
    assert desk.singles == ["emre?"]
    kept = list(desk.layout.traces.rglob("emre.*.raw-1.bin"))
    assert len(kept) == ("message" in result or result.get("type") == "succeeded")


def test_results_without_a_name_stop_the_run_and_are_kept(
    desk: Desk, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.wait()
    api.finish()
    with monkeypatch.context() as patch:
        patch.setattr(api, "results", lambda _batch: [{"custom_id": 7}])
        with pytest.raises(BackendError, match="broke off on their way; its 16 bytes are kept in "):
            desk.ask()
    assert desk.ask() == ANSWERS


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/results", "https://evil.example/results", "http://[::1"])
def test_no_key_goes_to_another_server_for_results(
    url: str, desk: Desk, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.wait()
    api.finish()
    describe = api.describe
    monkeypatch.setattr(api, "describe", lambda batch: describe(batch) | {"results_url": url})
    with pytest.raises(BackendError, match="keeps its answers "):
        desk.ask()


def test_a_list_of_batches_without_end_is_read_to_where_it_repeats(
    desk: Desk, api: BatchApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.wait()
    page = api.page
    asked: list[str | None] = []

    def endless(after: str | None, limit: int) -> Body:
        asked.append(after)
        return page(None, limit) | {"has_more": True}

    monkeypatch.setattr(api, "page", endless)
    assert desk.backend.batches().since("msgbatch_0", 3) == ["msgbatch_1"]
    assert asked == [None, "msgbatch_1"]
