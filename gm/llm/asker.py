"""Asking with records: answers are on disk before use, and none is paid for twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from threading import Condition, Event, Semaphore
from time import monotonic
from typing import Any, Protocol, TypedDict

from gm.base.errors import BackendError, WaitingError
from gm.base.plugins import call
from gm.base.untyped import text_at
from gm.llm import base
from gm.llm.content import parse_calls, plain_call, plain_content, plain_tool
from gm.llm.identity import identity

BYTES_PER_TOKEN = 6
TRACE_FRAME = 2_000


class Traces(Protocol):
    """Stores the questions and answers of one scene."""

    def find(self, label: str, identity: str) -> Mapping[str, Any] | None:
        """Return a request's trace, if any."""
        ...

    def reserve(self, label: str, identity: str, size: int) -> None:
        """Reserve ``size`` bytes for an answer before it is paid for."""
        ...

    def release(self, label: str, identity: str) -> None:
        """Release the room of an answer that did not come."""
        ...

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Write a trace; returns once on disk."""
        ...

    def keep_raw(self, label: str, identity: str, data: bytes) -> str:
        """Write an answer that no trace can hold; return its path once on disk."""
        ...

    def reject(self, label: str, identity: str) -> tuple[str, int] | None:
        """Set aside an unusable answer, so that it is asked again.

        Returns:
            Its new path, and how many answers to this question were unusable; None without one.
        """
        ...


class Gate(Protocol):
    """Decides when a call may begin."""

    def admitted(self, request: base.Request) -> AbstractContextManager[Callable[[base.Answer], None]]:
        """Wait until a call may begin; the yielded function takes its answer."""
        ...

    def admit_batch(self, requests: Iterable[base.Request]) -> None:
        """Let a batch be sent, or raise a ``GmError``."""
        ...

    def count(self, request: base.Request, answer: base.Answer, *, batch: bool) -> None: ...

    def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question among others; ``place`` is its index, ``name`` its identity."""

    place: int
    request: base.Request
    name: str
    traces: Traces

    @property
    def where(self) -> str:
        return f"{self.request.place} {self.request.label}".strip()

    def reserve(self) -> None:
        self.traces.reserve(self.request.label, self.name, trace_size(self.request))

    def release(self) -> None:
        self.traces.release(self.request.label, self.name)

    def keep(self, answer: base.Answer, *, reads_facts: bool) -> None:
        if answer.raw:
            self.traces.keep_raw(self.request.label, self.name, answer.raw)
        self.traces.keep(self.request.label, self.name, render_trace(self.request, answer, reads_facts=reads_facts))

    def keep_unreadable(self, error: base.UnreadableAnswerError) -> BackendError:
        """Keep the bytes of an answer; return an error with their path."""
        path = self.traces.keep_raw(self.request.label, self.name, error.raw)
        return BackendError(f"{self.where}: {error.message}; its {len(error.raw)} bytes are kept in {path}", error.hint)


class AskerOptions(TypedDict, total=False):
    """Options of an ``Asker``."""

    person_backend: base.Backend | None
    meanwhile: Iterator[object] | None
    waiting: Callable[[], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class AnswerTimes:
    """Answers, the seconds that were waited for them, and the tokens that they have."""

    answers: int = 0
    seconds: float = 0.0
    tokens: int = 0


class Asker:
    """Asks one backend, several questions at a time.

    Args:
        gate: None = calls begin at once.
        notice: Called for each kept answer that cannot be read, and when a stop has to wait for answers.
        person_backend: Answers the questions to people; None = the backend does.
        meanwhile: Work in small steps, done until the first answer comes; None = no work.
        waiting: Entered while answers are waited for.

    Attributes:
        took: By ``Answer.made_with``.
    """

    def __init__(
        self,
        backend: base.Backend,
        limit: int,
        gate: Gate | None = None,
        notice: Callable[[str], None] = lambda _text: None,
        *,
        person_backend: base.Backend | None = None,
        meanwhile: Iterator[object] | None = None,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self.backend = backend
        self.calls = 0
        self.took: dict[str, AnswerTimes] = {}
        self._person_backend = person_backend
        self._meanwhile = meanwhile or iter(())
        self._waiting = waiting
        self._is_stopped = False
        self._limit = limit
        self._gate = gate
        self._notice = notice
        self._pool: ThreadPoolExecutor | None = None
        most = backend.at_once if isinstance(backend, base.QueuedBackend) else None
        self._turn: AbstractContextManager[Any] = Semaphore(most) if most else nullcontext()
        self._under_way = 0
        self._ended = Condition()

    def ask_all(
        self,
        requests: Sequence[base.Request],
        traces: Sequence[Traces],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[base.Answer]:
        """Ask questions at the same time, and return the answers in their order.

        Answers in a trace are taken from there. When a call fails, the others are still waited for and kept; when the
        server is away, no other call begins.

        Args:
            progress: Called in this thread with the number of answers and of questions.

        Raises:
            BackendError: The first failure, after all calls have ended.
        """
        asked = [
            PendingQuestion(place, request, identity(request, self.backend), where)
            for place, (request, where) in enumerate(zip(requests, traces, strict=True))
        ]
        answers = [self._find_kept(item) for item in asked]
        left = [item for item in asked if answers[item.place] is None]
        self.calls += len(left)
        if progress:
            progress(len(requests) - len(left), len(requests))
        if left:
            self._ask_together(left, answers, progress)
        if progress:
            progress(len(requests), len(requests))
        return [answer for answer in answers if answer is not None]

    def _find_kept(self, asked: PendingQuestion) -> base.Answer | None:
        # An unreadable trace is set aside.
        record = asked.traces.find(asked.request.label, asked.name)
        answer = parse_answer(record) if record is not None else None
        if answer is None and (aside := asked.traces.reject(asked.request.label, asked.name)):
            self._notice(f"{asked.where}: the kept answer cannot be read; set aside as {aside[0]}, and asked anew")
        return answer

    def stop(self) -> None:
        """Begin nothing new; what is under way is waited for and kept."""
        # a cancelled future would wake none of the tasks that wait for it: each call not begun fails by itself
        self._is_stopped = True
        if self._gate:
            self._gate.stop()
        if self._under_way:
            text = f"answers under way: {self._under_way}; they are waited for and kept, and Ctrl-C again gives them up"
            self._notice(text)
        self.close()
        # an interrupt may have come while a thread began, which the pool then does not know
        with self._ended:
            self._ended.wait_for(lambda: not self._under_way)

    def close(self) -> None:
        """Wait for the calls under way; the asker can be used again."""
        if self._pool:
            self._pool.shutdown(wait=True)
            self._pool = None

    def _ask_together(
        self,
        asked: Sequence[PendingQuestion],
        answers: list[base.Answer | None],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self._pool = self._pool or ThreadPoolExecutor(self._limit, thread_name_prefix="gm-ask")
        failed: dict[int, BaseException] = {}
        began = monotonic()
        try:
            futures = self._begin(self._pool, asked)
            self._use_the_wait(futures)
            left = {*futures}
            while left:
                with self._waiting():
                    done, left = wait(left, return_when=FIRST_COMPLETED)
                for future in done:
                    place = futures[future]
                    error = future.exception()
                    if error:
                        failed[place] = error
                    else:
                        answers[place] = future.result()
                    if progress:
                        progress(sum(answer is not None for answer in answers), len(answers))
        except KeyboardInterrupt:
            self.stop()
            raise
        if failed:
            raise choose_failure(failed)
        seconds = (monotonic() - began) / len(asked)
        for item in asked:
            if answer := answers[item.place]:
                took = self.took.get(answer.made_with, AnswerTimes())
                self.took[answer.made_with] = AnswerTimes(
                    took.answers + 1, took.seconds + seconds, took.tokens + answer.usage.output_tokens
                )

    def _begin(self, pool: ThreadPoolExecutor, asked: Iterable[PendingQuestion]) -> dict[Future[base.Answer], int]:
        try:
            away = Event()
            return {pool.submit(self._ask, item, away): item.place for item in asked}
        except RuntimeError as closed:
            if not self._is_stopped:
                raise
            raise CancelledError from closed  # the pool was closed meanwhile; what is under way is waited for there

    def _use_the_wait(self, futures: Iterable[Future[base.Answer]]) -> None:
        for _ in self._meanwhile:
            if any(future.done() for future in futures):
                break

    def _ask(self, asked: PendingQuestion, away: Event) -> base.Answer:
        backend = self._person_backend if self._person_backend and asked.request.model == base.MAILBOX else self.backend
        with self._turn if backend is self.backend else nullcontext():
            if away.is_set():
                raise CancelledError
            try:
                return self._ask_now(asked, backend)
            except base.UnreachedError:
                away.set()
                raise

    def _ask_now(self, asked: PendingQuestion, backend: base.Backend) -> base.Answer:
        with self._ended:
            if self._is_stopped:
                raise CancelledError
            self._under_way += 1
        try:
            if self._gate is None:
                return self._ask_and_keep(asked, backend, lambda _answer: None)
            with self._gate.admitted(asked.request) as count:
                return self._ask_and_keep(asked, backend, count)
        finally:
            with self._ended:
                self._under_way -= 1
                self._ended.notify_all()

    def _ask_and_keep(
        self, asked: PendingQuestion, backend: base.Backend, count: Callable[[base.Answer], None]
    ) -> base.Answer:
        asked.reserve()
        try:
            answer = call(backend.ask, asked.request)
        except base.UnreadableAnswerError as error:
            asked.release()
            raise asked.keep_unreadable(error) from error
        except BaseException:
            asked.release()
            raise
        if answer.kept:
            asked.release()
            return answer
        answer = sign(answer, asked.request, backend)
        count(answer)
        asked.keep(answer, reads_facts=backend.reads_facts)
        return answer


def sign(answer: base.Answer, request: base.Request, backend: base.Backend) -> base.Answer:
    """Return the answer with its backend and model, unless set."""
    return replace(answer, backend=answer.backend or backend.name, asked=answer.asked or request.model or backend.model)


def choose_failure(failed: Mapping[int, BaseException]) -> BaseException:
    """Return the failure that ends a run: the first one, or if answers are merely awaited, all that are."""
    failed = {place: error for place, error in failed.items() if not isinstance(error, CancelledError)} or failed
    waiting = [error for error in failed.values() if isinstance(error, WaitingError)]
    if len(waiting) == len(failed):
        return WaitingError((item for error in waiting for item in error.awaited), waiting[0].hint)
    return failed[min(place for place, error in failed.items() if not isinstance(error, WaitingError))]


def trace_size(request: base.Request) -> int:
    """Return an estimate of a request's largest trace, in bytes."""
    return 2 * base.length_of(request) + BYTES_PER_TOKEN * request.max_tokens + TRACE_FRAME


def render_trace(request: base.Request, answer: base.Answer, *, reads_facts: bool) -> dict[str, Any]:
    """Render a question and its answer, without key, address and wall-clock time."""
    return {
        "label": request.label,
        "purpose": request.purpose,
        "who": request.who,
        "backend": answer.backend,
        "asked": answer.asked,
        "reads_facts": reads_facts,
        "model": answer.model,
        "answer": {
            "text": answer.text,
            "stop": answer.stop,
            **({"calls": [plain_call(call) for call in answer.calls]} if answer.calls else {}),
        },
        "usage": {name: getattr(answer.usage, name) for name in base.Usage.__slots__},
        **({"tier": answer.tier} if answer.tier else {}),
        **({"usd": answer.usd} if answer.usd is not None else {}),
        **({"server": answer.server} if answer.server else {}),
        "request": {
            "system": [block.text for block in request.system],
            "messages": [{"role": role, "content": plain_content(content)} for role, content in request.messages],
            "max_tokens": request.max_tokens,
            **({"tools": [plain_tool(tool) for tool in request.tools]} if request.tools else {}),
        },
    }


def parse_answer(record: Mapping[str, Any]) -> base.Answer | None:
    """Read an answer from its trace; None when damaged."""
    said, model = record.get("answer"), record.get("model")
    if not isinstance(said, Mapping) or not isinstance(model, str):
        return None
    text, stop = said.get("text"), said.get("stop")
    if not isinstance(text, str) or not isinstance(stop, str):
        return None
    return base.Answer(
        text=text,
        model=model,
        stop=stop,
        usage=base.read_usage(record.get("usage")),
        backend=text_at(record, "backend"),
        asked=text_at(record, "asked") or model,
        tier=text_at(record, "tier"),
        usd=base.read_usd(record.get("usd")),
        calls=parse_calls(said.get("calls")),
        server=text_at(record, "server"),
    )
