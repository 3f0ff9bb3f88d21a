"""Ask a backend so that no answer is ever paid for twice: every answer is on disk before it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Protocol

from gm.base.errors import BackendError, WaitingError
from gm.llm.base import Answer, Backend, Request, UnreadableError, Usage, read_usage
from gm.llm.content import length_of_tools, parse_calls, plain_call, plain_content, plain_tool, text_of
from gm.llm.identity import identity

BYTES_PER_TOKEN = 6
TRACE_FRAME = 2_000


class Traces(Protocol):
    """Where the questions and answers of one scene are kept."""

    def find(self, label: str, identity: str) -> Mapping[str, Any] | None:
        """Look up the trace of a request; None when it has not been answered yet."""
        ...

    def reserve(self, label: str, identity: str, size: int) -> None:
        """Make sure that an answer of so many bytes can be kept, before it is paid for."""
        ...

    def release(self, label: str, identity: str) -> None:
        """Give back the room of an answer that did not come."""
        ...

    def keep(self, label: str, identity: str, record: Mapping[str, Any]) -> None:
        """Write a trace; returns when it is on the disk."""
        ...

    def keep_raw(self, label: str, identity: str, data: bytes) -> str:
        """Write the bytes of an answer that no trace can hold; returns where, when they are on the disk."""
        ...

    def reject(self, label: str, identity: str) -> str:
        """Set a trace aside because its answer is of no use, so that the question is asked anew next time.

        Returns:
            Where it lies now; empty when there was none.
        """
        ...


class Gate(Protocol):
    """Says when a call may begin: a budget."""

    def admitted(self, request: Request) -> AbstractContextManager[Callable[[Answer], None]]:
        """Wait until a call may begin; what is yielded is called with its answer, as soon as it is there."""
        ...

    def admit_batch(self, requests: Iterable[Request]) -> None:
        """Let a batch be sent.

        Raises:
            GmError: It may not.
        """
        ...

    def count(self, request: Request, answer: Answer, *, batch: bool) -> None:
        """Take an answer into account that came later."""
        ...

    def stop(self) -> None:
        """Let no further call begin."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that is asked together with others.

    Attributes:
        place: Its number among them.
        request: The question.
        name: Its identity.
        traces: Where it is kept.
    """

    place: int
    request: Request
    name: str
    traces: Traces

    @property
    def where(self) -> str:
        """Scene and label, for messages."""
        return f"{self.request.place} {self.request.label}".strip()

    def reserve(self) -> None:
        """Make sure that the answer can be kept."""
        self.traces.reserve(self.request.label, self.name, trace_size(self.request))

    def release(self) -> None:
        """Give back the room of an answer that did not come."""
        self.traces.release(self.request.label, self.name)

    def keep(self, answer: Answer, *, reads_facts: bool) -> None:
        """Write the trace; returns when it is on the disk."""
        if answer.raw:
            self.traces.keep_raw(self.request.label, self.name, answer.raw)
        self.traces.keep(self.request.label, self.name, render_trace(self.request, answer, reads_facts=reads_facts))

    def keep_unreadable(self, error: UnreadableError) -> BackendError:
        """Keep the bytes of an answer that is none; return the error that says where they lie."""
        path = self.traces.keep_raw(self.request.label, self.name, error.raw)
        return BackendError(f"{self.where}: {error.message}; its {len(error.raw)} bytes are kept in {path}", error.hint)


class Asker:
    """Asks one backend, several questions at a time.

    Args:
        backend: Who is asked.
        limit: Most calls under way at the same time.
        gate: Says when a call may begin; None = always.
        notice: Told about each kept answer that cannot be read.

    Attributes:
        meanwhile: Work in small steps that is done in the asking thread while no answer has come yet.
    """

    def __init__(
        self,
        backend: Backend,
        limit: int,
        gate: Gate | None = None,
        notice: Callable[[str], None] | None = None,
    ) -> None:
        self.backend = backend
        self.calls = 0
        self.meanwhile: Iterator[object] = iter(())
        self._limit = limit
        self._gate = gate
        self._notice = notice or _say_nothing
        self._pool: ThreadPoolExecutor | None = None

    def ask_all(
        self,
        requests: Sequence[Request],
        traces: Sequence[Traces],
        progress: Callable[[int, int], None] | None = None,
    ) -> list[Answer]:
        """Ask several questions at the same time.

        Answers that a trace already holds are taken from there. When a call fails, the others are still waited
        for and kept.

        Args:
            requests: The questions.
            traces: Where each of them is kept.
            progress: Told how many of how many are answered, in this thread.

        Returns:
            The answers in the order of the questions.

        Raises:
            BackendError: The first failure, after all calls have ended.
        """
        asked = [
            Asked(place, request, identity(request, self.backend), where)
            for place, (request, where) in enumerate(zip(requests, traces, strict=True))
        ]
        answers = [self._kept(item) for item in asked]
        left = [item for item in asked if answers[item.place] is None]
        self.calls += len(left)
        if progress:
            progress(len(requests) - len(left), len(requests))
        if left:
            self._ask_together(left, answers, progress)
        if progress:
            progress(len(requests), len(requests))
        return [answer for answer in answers if answer is not None]

    def _kept(self, asked: Asked) -> Answer | None:
        """Look up an answer; a trace that cannot be read is set aside, and its question asked anew."""
        record = asked.traces.find(asked.request.label, asked.name)
        answer = parse_answer(record) if record is not None else None
        if answer is None and (aside := asked.traces.reject(asked.request.label, asked.name)):
            self._notice(f"{asked.where}: the kept answer cannot be read; set aside as {aside}, and asked anew")
        return answer

    def close(self) -> None:
        """Let go of the threads."""
        if self._pool:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _ask_together(
        self, asked: Sequence[Asked], answers: list[Answer | None], progress: Callable[[int, int], None] | None
    ) -> None:
        """Ask what no trace answers, and put each answer into its place of ``answers``."""
        self._pool = self._pool or ThreadPoolExecutor(self._limit, thread_name_prefix="gm-ask")
        futures: dict[Future[Answer], int] = {self._pool.submit(self._ask, item): item.place for item in asked}
        failed: dict[int, BaseException] = {}
        try:
            self._use_the_wait(futures)
            for future in as_completed(futures):
                place = futures[future]
                error = future.exception()
                if error:
                    failed[place] = error
                else:
                    answers[place] = future.result()
                if progress:
                    progress(sum(answer is not None for answer in answers), len(answers))
        except KeyboardInterrupt:
            # nothing new is begun; what is under way is waited for and kept
            if self._gate:
                self._gate.stop()
            self.close()
            raise
        if failed:
            raise _what_stops(failed)

    def _use_the_wait(self, futures: Iterable[Future[Answer]]) -> None:
        for _ in self.meanwhile:
            if any(future.done() for future in futures):
                break

    def _ask(self, asked: Asked) -> Answer:
        with nullcontext(_count_nothing) if self._gate is None else self._gate.admitted(asked.request) as count:
            return self._ask_and_keep(asked, count)

    def _ask_and_keep(self, asked: Asked, count: Callable[[Answer], None]) -> Answer:
        asked.reserve()
        try:
            answer = self.backend.ask(asked.request)
        except UnreadableError as error:
            asked.release()
            raise asked.keep_unreadable(error) from error
        except BaseException:
            asked.release()
            raise
        if answer.kept:
            asked.release()
            return answer
        answer = sign(answer, asked.request, self.backend)
        count(answer)
        asked.keep(answer, reads_facts=self.backend.reads_facts)
        return answer


def _say_nothing(_text: str) -> None:
    """Stand in for a notice."""


def _count_nothing(_answer: Answer) -> None:
    """Stand in for a gate."""


def sign(answer: Answer, request: Request, backend: Backend) -> Answer:
    """Note on an answer who was asked, unless the backend did so itself."""
    return replace(answer, backend=answer.backend or backend.name, asked=answer.asked or request.model or backend.model)


def _what_stops(failed: Mapping[int, BaseException]) -> BaseException:
    """Choose what to tell of several failures: the first one that is more than waiting; else all that is awaited."""
    waiting = [error for error in failed.values() if isinstance(error, WaitingError)]
    if len(waiting) == len(failed):
        return WaitingError((item for error in waiting for item in error.awaited), waiting[0].hint)
    return failed[min(place for place, error in failed.items() if not isinstance(error, WaitingError))]


def trace_size(request: Request) -> int:
    """Most bytes that the trace of a request is likely to need."""
    asked = sum(len(block.text) for block in request.system) + sum(
        len(text_of(content)) for _, content in request.messages
    )
    asked += length_of_tools(request.tools)
    return 2 * asked + BYTES_PER_TOKEN * request.max_tokens + TRACE_FRAME


def render_trace(request: Request, answer: Answer, *, reads_facts: bool) -> dict[str, Any]:
    """Put a question and its answer into the form of a trace. Carries no key, no address and no wall-clock time."""
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
        "usage": {name: getattr(answer.usage, name) for name in Usage.__slots__},
        **({"tier": answer.tier} if answer.tier else {}),
        "request": {
            "system": [block.text for block in request.system],
            "messages": [{"role": role, "content": plain_content(content)} for role, content in request.messages],
            "max_tokens": request.max_tokens,
            **({"tools": [plain_tool(tool) for tool in request.tools]} if request.tools else {}),
        },
    }


def parse_answer(record: Mapping[str, Any]) -> Answer | None:
    """Read an answer back from its trace; None when a crash or a stranger has damaged it."""
    said, model = record.get("answer"), record.get("model")
    if not isinstance(said, Mapping) or not isinstance(model, str):
        return None
    text, stop = said.get("text"), said.get("stop")
    if not isinstance(text, str) or not isinstance(stop, str):
        return None
    return Answer(
        text=text,
        model=model,
        stop=stop,
        usage=read_usage(record.get("usage")),
        backend=_text(record, "backend", ""),
        asked=_text(record, "asked", model),
        tier=_text(record, "tier", ""),
        calls=parse_calls(said.get("calls")),
    )


def _text(record: Mapping[str, Any], key: str, otherwise: str) -> str:
    value = record.get(key)
    return value if isinstance(value, str) else otherwise
