"""Asking: every answer is kept before it is used, no question is paid for twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from gm.base.errors import BackendError, GmError
from gm.files.questions.traces import NoTraces, TraceFolder
from gm.llm.asker import Asker, parse_answer, render_trace
from gm.llm.base import Answer, Block, Request, UnreachedError, UnreadableAnswerError, Usage
from gm.llm.identity import identity
from gm.llm.rehearsal.facts import RatingFacts

WAIT_S = 10  # only a failing test waits that long


@dataclass
class Parrot:
    """Repeats the question; some questions it cannot answer."""

    name: str = "parrot"
    model: str = "grey"
    reads_facts: bool = False
    mute: tuple[str, ...] = ()
    asked: list[str] = field(default_factory=list)

    def ask(self, request: Request) -> Answer:
        self.asked.append(request.label)
        if request.label in self.mute:
            raise BackendError(f"{request.label} got no answer")
        return Answer(f"re: {request.messages[-1][1]}", "grey-2", "end_turn", Usage(10, 20, 30, 40))


@dataclass
class Round:
    """Answers only when a number of questions are asked at the same time."""

    together: threading.Barrier
    name: str = "round"
    model: str = "round"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        self.together.wait(WAIT_S)
        return Answer(request.label, "round")


def question(label: str, text: str = "Wie geht's?") -> Request:
    return Request(label, "scene", (Block("Welt", cache=True),), (("user", text),), {"type": "object"}, 500)


LABELS = ("darius", "emre", "finn", "leo", "nami", "tobi", "vera")
QUESTIONS = [question(label, f"{label}?") for label in LABELS]


@pytest.fixture
def traces(tmp_path: Path) -> TraceFolder:
    return TraceFolder(tmp_path / "traces", "day-001/scene-01")


def ask(backend: Parrot | Round, traces: TraceFolder, questions: list[Request] = QUESTIONS) -> list[str]:
    asker = Asker(backend, limit=16)
    try:
        return [answer.text for answer in asker.ask_all(questions, [traces] * len(questions))]
    finally:
        asker.close()


def test_answers_come_in_the_order_of_the_questions(traces: TraceFolder) -> None:
    assert ask(Parrot(), traces) == [f"re: {label}?" for label in LABELS]


def test_a_question_that_was_answered_is_not_asked_again(traces: TraceFolder) -> None:
    first = ask(Parrot(), traces)
    parrot = Parrot()
    assert ask(parrot, traces) == first
    assert parrot.asked == []


def test_the_kept_answer_is_the_same_answer_with_its_usage(traces: TraceFolder) -> None:
    asker = Asker(Parrot(), limit=2)
    (fresh,) = asker.ask_all([QUESTIONS[0]], [traces])
    (kept,) = asker.ask_all([QUESTIONS[0]], [traces])
    asker.close()
    assert kept == fresh
    assert kept.usage == Usage(10, 20, 30, 40)
    assert asker.calls == 1


@pytest.mark.parametrize(
    "changed",
    [
        replace(QUESTIONS[0], messages=(("user", "anders?"),)),
        replace(QUESTIONS[0], system=(Block("andere Welt", cache=True),)),
        replace(QUESTIONS[0], schema={"type": "array"}),
        replace(QUESTIONS[0], max_tokens=501),
        replace(QUESTIONS[0], label="vera"),
    ],
    ids=["messages", "system", "schema", "max_tokens", "label"],
)
def test_a_question_that_changed_is_asked_anew(traces: TraceFolder, changed: Request) -> None:
    ask(Parrot(), traces, [QUESTIONS[0]])
    parrot = Parrot()
    ask(parrot, traces, [changed])
    assert parrot.asked == [changed.label]


def test_another_model_is_asked_anew(traces: TraceFolder) -> None:
    ask(Parrot(), traces, [QUESTIONS[0]])
    parrot = Parrot(model="green")
    ask(parrot, traces, [QUESTIONS[0]])
    assert parrot.asked == ["darius"]


def test_facts_count_only_for_a_backend_that_reads_them() -> None:
    other = replace(QUESTIONS[0], facts=RatingFacts("rating", "de", {}, ("müde",), together=False))
    assert identity(QUESTIONS[0], Parrot()) == identity(other, Parrot())
    assert identity(QUESTIONS[0], Parrot(reads_facts=True)) != identity(other, Parrot(reads_facts=True))


def test_where_the_cache_mark_stands_does_not_change_the_question() -> None:
    other = replace(QUESTIONS[0], system=(Block("Welt"),))
    assert identity(QUESTIONS[0], Parrot()) == identity(other, Parrot())


def test_an_answer_of_no_use_is_asked_anew(traces: TraceFolder) -> None:
    ask(Parrot(), traces)
    traces.reject("emre", identity(QUESTIONS[1], Parrot()))
    parrot = Parrot()
    ask(parrot, traces)
    assert parrot.asked == ["emre"]


def test_one_call_that_fails_loses_no_other_answer(traces: TraceFolder) -> None:
    with pytest.raises(BackendError, match="finn got no answer"):
        ask(Parrot(mute=("vera", "finn")), traces)
    parrot = Parrot()
    assert ask(parrot, traces) == [f"re: {label}?" for label in LABELS]
    assert sorted(parrot.asked) == ["finn", "vera"]


def test_a_server_that_is_away_is_not_asked_the_questions_that_wait_for_their_turn(traces: TraceFolder) -> None:
    class Away(Parrot):
        at_once = 1

        def ask(self, request: Request) -> Answer:
            self.asked.append(request.label)
            raise UnreachedError("nothing answers")

    away = Away()
    with pytest.raises(UnreachedError, match="nothing answers"):
        ask(away, traces)
    assert len(away.asked) == 1


def test_seven_calls_are_under_way_at_the_same_time(traces: TraceFolder) -> None:
    assert ask(Round(threading.Barrier(7)), traces) == list(LABELS)


def test_no_more_calls_are_under_way_than_the_limit_allows(traces: TraceFolder) -> None:
    most = Counting()
    asker = Asker(most, limit=2)
    asker.ask_all(QUESTIONS, [traces] * len(QUESTIONS))
    asker.close()
    assert 1 <= most.peak <= 2


@dataclass
class Counting:
    """Counts how many ask at the same time."""

    name: str = "counting"
    model: str = "counting"
    reads_facts: bool = False
    now: int = 0
    peak: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, request: Request) -> Answer:
        with self.lock:
            self.now += 1
            self.peak = max(self.peak, self.now)
        answer = Answer(identity(request, self), "counting")
        with self.lock:
            self.now -= 1
        return answer


def test_progress_counts_up_to_the_number_of_questions(traces: TraceFolder) -> None:
    ask(Parrot(), traces, QUESTIONS[:3])
    told: list[tuple[int, int]] = []
    asker = Asker(Parrot(), limit=4)
    asker.ask_all(QUESTIONS, [traces] * 7, lambda done, of: told.append((done, of)))
    asker.close()
    assert told[0] == (3, 7)
    assert told[-1] == (7, 7)
    assert told == sorted(told)


@dataclass
class Patient:
    """Answers when the asking thread has done so much meanwhile."""

    done: threading.Event
    name: str = "patient"
    model: str = "patient"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        assert self.done.wait(WAIT_S)
        return Answer(request.label, "patient")


def test_what_can_be_done_in_advance_is_done_while_no_answer_has_come(traces: TraceFolder) -> None:
    done = threading.Event()
    here = []

    def work() -> Iterator[None]:
        for step in range(3):
            here.append(threading.current_thread())
            if step == 2:
                done.set()
            yield

    asker = Asker(Patient(done), limit=4, meanwhile=work())
    answers = asker.ask_all(QUESTIONS[:2], [traces] * 2)
    asker.close()
    assert [answer.text for answer in answers] == ["darius", "emre"]
    assert here == [threading.current_thread()] * 3


def test_work_in_advance_rests_as_soon_as_an_answer_has_come(traces: TraceFolder) -> None:
    steps = iter(range(10**9))
    asker = Asker(Parrot(), limit=4, meanwhile=steps)
    asker.ask_all(QUESTIONS, [traces] * 7)
    asker.close()
    assert next(steps) > 0


class Full(NoTraces):
    """A disk without room."""

    def reserve(self, label: str, identity: str, size: int) -> None:
        raise GmError("no room")


def test_nothing_is_asked_when_no_answer_could_be_kept() -> None:
    parrot = Parrot()
    asker = Asker(parrot, limit=2)
    with pytest.raises(GmError, match="no room"):
        asker.ask_all(QUESTIONS, [Full()] * 7)
    asker.close()
    assert parrot.asked == []


def test_a_trace_says_what_was_asked_and_answered_and_carries_no_key(tmp_path: Path, traces: TraceFolder) -> None:
    ask(Parrot(), traces, [QUESTIONS[0]])
    (path,) = (tmp_path / "traces").rglob("darius.*.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    assert list(record) == [
        "identity",
        "label",
        "purpose",
        "who",
        "backend",
        "asked",
        "reads_facts",
        "model",
        "answer",
        "usage",
        "request",
    ]
    assert record["model"] == "grey-2"
    assert record["request"]["messages"] == [{"role": "user", "content": "darius?"}]
    assert record["answer"] == {"text": "re: darius?", "stop": "end_turn"}


def test_an_answer_survives_the_way_through_a_trace() -> None:
    answer = Answer("Grüße \u2028\n```", "grey-2", "max_tokens", Usage(1, 2, 3, 4), "parrot", "grey")
    assert parse_answer(json.loads(json.dumps(render_trace(QUESTIONS[0], answer, reads_facts=False)))) == answer
    assert answer.made_with == "parrot:grey"


def test_questions_that_are_only_looked_at_leave_nothing() -> None:
    asker = Asker(Parrot(), limit=1)
    asker.ask_all([QUESTIONS[0]], [NoTraces()])
    asker.ask_all([QUESTIONS[0]], [NoTraces()])
    asker.close()
    assert asker.calls == 2


def test_an_interruption_keeps_what_was_already_under_way(traces: TraceFolder) -> None:
    asker = Asker(Parrot(), limit=1)

    def interrupt(done: int, of: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        asker.ask_all(QUESTIONS, [traces] * 7, interrupt)
    kept = [
        label for label, item in zip(LABELS, QUESTIONS, strict=True) if traces.find(label, identity(item, Parrot()))
    ]
    assert kept
    parrot = Parrot()
    ask(parrot, traces)
    assert sorted(parrot.asked) == sorted(set(LABELS) - set(kept))


def test_an_interruption_while_a_call_begins_waits_for_it_too(
    traces: TraceFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted = threading.Event()

    class Held(Parrot):
        def ask(self, request: Request) -> Answer:
            assert interrupted.wait(20)
            return super().ask(request)

    class BegunUnseen(threading.Thread):
        def start(self) -> None:
            super().start()
            raise KeyboardInterrupt

    class Closing(Asker):
        def close(self) -> None:
            super().close()
            interrupted.set()

    asker = Closing(Held(), limit=1)
    monkeypatch.setattr("threading.Thread", BegunUnseen)
    with pytest.raises(KeyboardInterrupt):
        asker.ask_all(QUESTIONS, [traces] * 7)
    monkeypatch.undo()
    kept = [traces.find(label, identity(item, Parrot())) for label, item in zip(LABELS, QUESTIONS, strict=True)]
    assert sum(record is not None for record in kept) == 1


@pytest.mark.parametrize("limits", [(1, None), (16, 1)], ids=["limit", "at_once"])
def test_who_waits_for_answers_when_a_run_is_stopped_waits_for_those_under_way_alone(
    traces: TraceFolder, limits: tuple[int, int | None]
) -> None:
    begun, go_on, failed = threading.Event(), threading.Event(), list[BaseException]()

    class Held(Parrot):
        at_once = limits[1]

        def ask(self, request: Request) -> Answer:
            begun.set()
            assert go_on.wait(WAIT_S)
            return super().ask(request)

    held, notices = Held(), list[str]()
    asker = Asker(held, limit=limits[0], notice=notices.append)

    def wait() -> None:
        try:
            asker.ask_all(QUESTIONS, [traces] * 7)
        except BaseException as error:  # looked at below
            failed.append(error)

    waiting = threading.Thread(target=wait)
    waiting.start()
    assert begun.wait(WAIT_S)
    threading.Timer(0.01, go_on.set).start()
    asker.stop()
    waiting.join(WAIT_S)
    assert not waiting.is_alive()
    assert [type(error) for error in failed] == [CancelledError]
    assert len(held.asked) == 1, "what was under way is kept, nothing else is begun"
    assert notices == ["answers under way: 1; they are waited for and kept, and Ctrl-C again gives them up"]
    asked = QUESTIONS[LABELS.index(held.asked[0])]
    assert traces.find(asked.label, identity(asked, held))


DAMAGED: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b'{"identity": ',
    "no UTF-8": b"\xff\xfe",
    "NUL": b"\x00" * 100,
    "null": b"null",
    "a list": b"[]",
    "a text": b'"x"',
    "deep": b"[" * 100_000,
    "a long number": b'{"identity": ' + b"1" * 5000 + b"}",
    "another identity": b'{"identity": "0", "answer": {"text": "x", "stop": "end_turn"}, "model": "m"}',
}
ODD: dict[str, dict[str, object]] = {
    "no answer": {"answer": None},
    "an answer of a text": {"answer": "x"},
    "no text": {"answer": {"stop": "end_turn"}},
    "a text that is a number": {"answer": {"text": 7, "stop": "end_turn"}},
    "no stop": {"answer": {"text": "x"}},
    "a model of a list": {"model": []},
}


@pytest.mark.parametrize("data", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_trace_is_set_aside_and_its_question_asked_anew(
    data: bytes, traces: TraceFolder, tmp_path: Path
) -> None:
    ask(Parrot(), traces)
    (path,) = tmp_path.rglob("vera.*.json")
    path.write_bytes(data)
    assert_asked_anew(traces, path, data)


@pytest.mark.parametrize("values", ODD.values(), ids=ODD)
def test_a_trace_of_an_odd_shape_is_set_aside_and_its_question_asked_anew(
    values: dict[str, object], traces: TraceFolder, tmp_path: Path
) -> None:
    ask(Parrot(), traces)
    (path,) = tmp_path.rglob("vera.*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | values))
    assert_asked_anew(traces, path, path.read_bytes())


def assert_asked_anew(traces: TraceFolder, path: Path, data: bytes) -> None:
    parrot, said = Parrot(), list[str]()
    asker = Asker(parrot, limit=2, notice=said.append)
    answers = asker.ask_all(QUESTIONS, [traces] * len(QUESTIONS))
    asker.close()
    assert [answer.text for answer in answers] == [f"re: {label}?" for label in LABELS]
    assert parrot.asked == ["vera"]
    (notice,) = said
    assert "vera: the kept answer cannot be read; set aside as " in notice
    (aside,) = path.parent.glob("vera.*.rejected-1.json")
    assert str(aside) in notice
    assert aside.read_bytes() == data


def test_a_folder_in_the_place_of_a_trace_is_set_aside(traces: TraceFolder, tmp_path: Path) -> None:
    ask(Parrot(), traces)
    (path,) = tmp_path.rglob("vera.*.json")
    path.unlink()
    path.mkdir()
    assert ask(Parrot(), traces)[-1] == "re: vera?"
    assert path.is_file()


@pytest.mark.parametrize("usage", [None, [], {"input_tokens": 10**400}, {"input_tokens": -1}, {"input_tokens": True}])
def test_absurd_usage_in_a_trace_counts_as_nothing(usage: object, traces: TraceFolder) -> None:
    record = render_trace(QUESTIONS[0], Answer("Ja.", "m"), reads_facts=False) | {"usage": usage}
    answer = parse_answer(record)
    assert answer is not None
    assert answer.usage == Usage()


@dataclass
class Broken:
    """Gets bytes that are not an answer."""

    name: str = "broken"
    model: str = "broken"
    reads_facts: bool = False

    def ask(self, request: Request) -> Answer:
        raise UnreadableAnswerError("the server sent nothing at all", b"\xff\x00", "try again")


def test_the_bytes_of_an_answer_that_is_none_are_kept_before_anything_is_said(
    traces: TraceFolder, tmp_path: Path
) -> None:
    for number in (1, 2):
        asker = Asker(Broken(), limit=1)
        with pytest.raises(
            BackendError, match="vera: the server sent nothing at all; its 2 bytes are kept in "
        ) as raised:
            asker.ask_all([QUESTIONS[-1]], [traces])
        asker.close()
        (kept,) = tmp_path.rglob(f"vera.*.raw-{number}.bin")
        assert str(kept) in raised.value.message
        assert kept.read_bytes() == b"\xff\x00"
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".bin"] == [
        tmp_path / "traces/.gitignore"
    ]
