"""What every backend keeps to. A new one joins with a function below and a line in ``BACKEND_CASES``."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.ask.reply.parse import parse_reply
from gm.base.config import LlmSettings
from gm.base.errors import EXIT_WAITING, GmError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder, sweep_mailbox
from gm.files.questions.traces import TraceFolder, TraceReader
from gm.llm import choose
from gm.llm.asker import Asker
from gm.llm.base import Answer, Backend, Recordings, Request, Surroundings, Usage
from gm.llm.choose import Choice, choose_backend
from gm.llm.identity import identity
from gm.llm.providers import STRICT, WORDS, providers
from gm.model.scene import SUMMARY
from gm.model.scene_reply import PlanningReply, SceneReply
from gm.model.solo_replies import ReflectionReply
from gm.play.master import run_days
from tests.llm.chat_api import ChatApi, serving_chat
from tests.llm.messages_api import Body, Reply, serving
from tests.llm.postman import Postman
from tests.llm.reader import compose
from tests.llm.standin import StandIn
from tests.stories.playing import Counting, Heard, play, records, set_sections

MOST_LETTERS = 60
ARRIVAL = "day-001/scene-01"
KINDS: dict[str, type[SceneReply] | type[ReflectionReply]] = {
    "planning": PlanningReply,
    "scene": SceneReply,
    "reflection": ReflectionReply,
}


@dataclass(frozen=True)
class Place:
    """What a backend is tried in: a world before its first day, and that day as the rehearsal has played it."""

    layout: Layout
    asked: tuple[Request, ...]
    recordings: Recordings

    def question(self, kind: str) -> Request:
        """Return a question of the rehearsed day."""
        purpose = "reflection" if kind == "reflection" else "scene"
        return next(
            request
            for request in self.asked
            if request.purpose == purpose and (request.place == ARRIVAL) == (kind == "planning")
        )


@dataclass(frozen=True)
class BackendCase:
    """A backend, ready to be asked.

    Attributes:
        choice: The backend, chosen by its name as everywhere.
        unanswerable: Makes a question that it fails at, or a reason to fail, out of one that it answers; None if it
            cannot fail.
        settle: Answers from outside where answers are awaited.
    """

    choice: Choice
    unanswerable: Callable[[Request], Request] | None = None
    settle: Callable[[], object] = lambda: None

    @property
    def backend(self) -> Backend:
        return self.choice.backend

    def ask(self, request: Request) -> Answer:
        """Ask, and wait for answers from outside."""
        try:
            return self.backend.ask(request)
        except WaitingError:
            self.settle()
            return self.backend.ask(request)


Maker = Callable[[Place, pytest.MonkeyPatch], Iterator[BackendCase]]


def _choice(name: str, place: Place, **environment: str) -> Choice:
    around = Surroundings(
        settings=LlmSettings(cache="5m", structured="schema"),  # as at the real API, wherever it is
        environment=environment,
        postbox=PostFolder(place.layout),
        recordings=place.recordings,
    )
    return choose_backend(name, "--model", around)


def _anthropic(place: Place, _patch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    def answer(body: Body, _number: int) -> Reply:
        texts = [block["text"] for block in body["system"]] + [message["content"] for message in body["messages"]]
        return Reply(json.dumps(compose("\n\n".join(texts)), ensure_ascii=False))

    with serving(StandIn(answer)) as api:
        choice = _choice("claude-sonnet-5", place, ANTHROPIC_API_KEY="secret", ANTHROPIC_BASE_URL=api.url)
        yield BackendCase(choice, unanswerable=lambda request: replace(request, messages=(("user", " "),)))
        refused = [fault for fault in api.faults if "an empty message" not in fault]
        assert refused == []


def _chat(place: Place, patch: pytest.MonkeyPatch, *, form: str) -> Iterator[BackendCase]:
    with serving_chat(ChatApi(is_strict=form == STRICT)) as api:
        there = replace(providers()["openai"], base=api.url, base_from="", form=form)
        patch.setattr("gm.llm.providers.providers", lambda: {**providers(), "openai": there})
        choice = _choice("openai:gpt-x", place, OPENAI_API_KEY="secret")
        yield BackendCase(choice, unanswerable=lambda request: replace(request, max_tokens=0))
        assert [fault for fault in api.faults if fault != "no limit of tokens"] == []
        assert {headers["authorization"] for headers in api.headers} <= {"Bearer secret"}


def _mailbox(place: Place, _patch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    postman = Postman(place.layout.root)
    yield BackendCase(_choice("mailbox", place), lambda request: request, settle=postman.answer_all)


def _rehearsal(place: Place, _patch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    yield BackendCase(_choice("rehearsal", place))


def _replay(place: Place, _patch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    yield BackendCase(_choice("replay", place), lambda request: replace(request, label="nobody"))


def _toy(place: Place, patch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    patch.setitem(choose.BACKENDS, "toy", "tests.llm.toy")
    yield BackendCase(_choice("toy", place), lambda request: replace(request, max_tokens=21_001))


BACKEND_CASES: dict[str, Maker] = {
    "anthropic": _anthropic,
    "openai-strict": partial(_chat, form=STRICT),
    "openai-words": partial(_chat, form=WORDS),
    "mailbox": _mailbox,
    "rehearsal": _rehearsal,
    "replay": _replay,
    "toy": _toy,
}
FALLIBLE = tuple(name for name in BACKEND_CASES if name != "rehearsal")


@pytest.fixture(scope="session")
def _rehearsed(tmp_path_factory: pytest.TempPathFactory, _fresh: Path) -> tuple[Layout, tuple[Request, ...]]:
    """A short first day that everybody ends with a look back."""
    root = tmp_path_factory.mktemp("rehearsed") / "studio"
    shutil.copytree(_fresh / "studio", root)
    layout = Layout(root)
    set_sections(layout.settings, "day: {scenes: [2, 3]}\nreflection: {threshold: 5}")
    backend = Counting()
    play(layout, backend=backend)
    return layout, tuple(backend.asked)


@pytest.fixture
def place(_rehearsed: tuple[Layout, tuple[Request, ...]], studio: Layout) -> Place:
    layout, asked = _rehearsed
    shutil.copy(layout.settings, studio.settings)
    return Place(studio, asked, TraceReader(layout.traces))


@pytest.fixture
def case(request: pytest.FixtureRequest, place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[BackendCase]:
    with contextmanager(BACKEND_CASES[request.param])(place, monkeypatch) as made:
        yield made


every = pytest.mark.parametrize("case", BACKEND_CASES, indirect=True)


@every
def test_it_says_what_it_is(case: BackendCase, request: pytest.FixtureRequest) -> None:
    name, model, reads_facts = case.backend.name, case.backend.model, case.backend.reads_facts
    assert name in request.node.callspec.id
    assert isinstance(model, str)
    assert model
    assert reads_facts is (name == "rehearsal")


@every
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_fits_what_was_asked_for(case: BackendCase, place: Place, kind: str) -> None:
    question = place.question(kind)
    answer = case.ask(question)
    parsed = parse_reply(answer.text, KINDS[kind])
    assert parsed.problems == ()
    assert isinstance(parsed.reply, KINDS[kind])
    assert question.check(answer.text) == ()
    assert answer.stop == "end_turn"
    assert answer.model


@every
def test_usage_is_a_number_of_tokens_and_never_negative(case: BackendCase, place: Place) -> None:
    usage = case.ask(place.question("scene")).usage
    counts = [getattr(usage, name) for name in Usage.__slots__]
    assert all(type(count) is int and count >= 0 for count in counts)
    assert usage.cache_write_1h_tokens <= usage.cache_write_tokens


@every
def test_the_same_question_has_the_same_name_and_another_has_another(case: BackendCase, place: Place) -> None:
    question = place.question("scene")
    same = replace(question, check=lambda _text: ("bad",), label="other", place="day-009/scene-09", who="nobody")
    assert identity(same, case.backend) == identity(question, case.backend)
    other = replace(question, messages=(("user", "Und sonst?"),))
    assert identity(other, case.backend) != identity(question, case.backend)


class Watched:
    """Counts what it passes on."""

    def __init__(self, case: BackendCase) -> None:
        self._case = case
        self.name = case.backend.name
        self.model = case.backend.model
        self.reads_facts = case.backend.reads_facts
        self.count = 0

    def ask(self, request: Request) -> Answer:
        self.count += 1
        return self._case.ask(request)


@every
def test_an_answer_is_kept_with_its_usage_and_not_asked_for_again(case: BackendCase, place: Place) -> None:
    question, watched = place.question("reflection"), Watched(case)
    asker = Asker(watched, 2)
    traces = [TraceFolder(place.layout.traces, question.place)]
    try:
        first = asker.ask_all([question], traces)
        assert asker.ask_all([question], traces) == first
    finally:
        asker.close()
    # what was recorded before is recorded already: it may be looked up there again
    assert watched.count == asker.calls == 1 or case.backend.name == "replay"
    assert first[0].made_with


@every
def test_it_is_asked_from_several_threads_at_once(case: BackendCase, place: Place) -> None:
    questions = [request for request in place.asked if request.place == place.asked[0].place]
    assert len(questions) == 7
    with ThreadPoolExecutor(7) as pool:
        for future in [pool.submit(case.backend.ask, question) for question in questions]:
            try:
                future.result()
            except WaitingError:
                continue
        case.settle()
        answers = list(pool.map(case.backend.ask, questions))
    assert [question.check(answer.text) for question, answer in zip(questions, answers, strict=True)] == [()] * 7
    assert len({answer.text for answer in answers}) == 7


@pytest.mark.parametrize("case", FALLIBLE, indirect=True)
def test_a_failure_says_what_to_do(case: BackendCase, place: Place) -> None:
    assert case.unanswerable is not None
    with pytest.raises(GmError) as caught:
        case.backend.ask(case.unanswerable(place.question("scene")))
    assert caught.value.message
    assert caught.value.hint


@every
def test_a_whole_day_is_played_through_it(case: BackendCase, place: Place) -> None:
    report = Heard()
    waited = 0
    for _ in range(MOST_LETTERS):
        try:
            (day,) = run_days(place.layout, case.choice, report, 1, command="test")
        except WaitingError as error:
            assert error.exit_code == EXIT_WAITING
            waited += 1
            case.settle()
        else:
            break
    else:
        pytest.fail(f"the day did not end; waited {waited} times")
    log = records(place.layout.day_log(1))
    assert log[-1]["type"] == SUMMARY
    assert [entry["type"] for entry in log].count("REFLECTION") == 7
    assert day.scenes == len(log) - 1
    assert (waited > 0) is (case.backend.name == "mailbox")
    assert report.notices == []
    sweep_mailbox(place.layout)
    assert check_world(place.layout).problems == ()
