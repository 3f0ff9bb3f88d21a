"""Asking in batches, so that no batch is forgotten and no question is paid for twice.

A note is on disk before a batch is sent, and again with its id. If gm stops in between, the next run looks for a newer
batch with these identities; while one may be ours, nothing is sent again. A note, in ``state/traces/day-003/``::

    {"after": "<newest batch before>", "batch": "<id, or empty>", "collected": false,
     "questions": {"<identity>": "day-003/scene-07 vera"}, "failed": {"<identity>": "why"}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Unpack

from gm.base.errors import Awaited, BackendError, WaitingError
from gm.llm import base
from gm.llm.asker import Asker, AskerOptions, Gate, PendingQuestion, sign

BATCH_HINT = "a batch may take up to a day; run the same command again later: it goes on from here"
GIVE_UP_HINT = "to give its answers up and have the questions asked anew (and paid for again), delete the note {note}"
NOT_NOTED = "whose id was not learned yet"


def make_asker(
    backend: base.Backend,
    limit: int,
    notes: base.BatchNotes,
    notice: Callable[[str], None],
    gate: Gate | None = None,
    *,
    batch: bool = False,
    **options: Unpack[AskerOptions],
) -> Asker:
    """Make an asker.

    Args:
        notice: Called when questions are asked in another way than requested.
        batch: Send questions that can wait in batches. Without it, batches under way are still waited for.
    """
    if isinstance(backend, base.BatchBackend):
        return BatchingAsker(backend, limit, notes, notice, gate, submits=batch, **options)
    if batch:
        notice(f"{backend.name} has no batches: every question is asked directly")
    return Asker(backend, limit, gate, notice, **options)


class BatchingAsker(Asker):
    """An ``Asker`` that batches questions that can wait; ``submits``: new ones are sent.

    ``notice`` is also called for questions that a batch did not answer.
    """

    def __init__(
        self,
        backend: base.Backend,
        limit: int,
        notes: base.BatchNotes,
        notice: Callable[[str], None],
        gate: Gate | None = None,
        *,
        submits: bool,
        **options: Unpack[AskerOptions],
    ) -> None:
        super().__init__(backend, limit, gate, notice, **options)
        assert isinstance(backend, base.BatchBackend)
        self._batches: base.Batches = backend.batches()
        self._notes = notes
        self._submits = submits

    def _ask_together(
        self,
        asked: Sequence[PendingQuestion],
        answers: list[base.Answer | None],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        by_hand = [item for item in asked if item.request.model == base.MAILBOX]
        if by_hand and len(by_hand) < len(asked):
            self._ask_apart(by_hand, [item for item in asked if item not in by_hand], answers, progress)
            return
        if by_hand or not all(_can_wait(item.request) for item in asked):
            super()._ask_together(asked, answers, progress)
            return
        awaited, failed = self._collect(asked, answers)
        left = [item for item in asked if answers[item.place] is None and item.name not in awaited]
        fresh = {item.name: item.request for item in left if item.name not in failed}
        if self._submits and fresh:
            sent = self._submit(fresh)
            awaited |= sent
            left = [item for item in left if item.name not in sent]
        if left:
            super()._ask_together(left, answers, progress)
        if awaited:
            raise WaitingError([Awaited(who, note) for who, note in sorted(set(awaited.values()))], BATCH_HINT)

    def _ask_apart(
        self,
        by_hand: Sequence[PendingQuestion],
        others: Sequence[PendingQuestion],
        answers: list[base.Answer | None],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        # What people are asked is in no batch, and they are asked while one is under way.
        awaited: list[Awaited] = []
        hint = ""
        for group in (others, by_hand):
            try:
                self._ask_together(group, answers, progress)
            except WaitingError as error:
                awaited += error.awaited
                hint = hint or error.hint
        if awaited:
            raise WaitingError(awaited, hint)

    def _collect(
        self, asked: Sequence[PendingQuestion], answers: list[base.Answer | None]
    ) -> tuple[dict[str, tuple[str, str]], set[str]]:
        # The identities still awaited, with what is awaited, and those that a batch could not answer.
        open_names = {item.name for item in asked}
        awaited: dict[str, tuple[str, str]] = {}
        failed: set[str] = set()
        for note, record in self._list_noted(item.request for item in asked):
            owed = open_names & set(record["questions"])
            if record.get("collected"):
                failed |= owed & set(record.get("failed", ()))
                continue
            if not owed:
                continue
            try:
                record, results = self._results(note, record)
            except base.UnreadableAnswerError as error:
                raise asked[0].keep_unreadable(error) from error
            if results is None:
                awaited |= dict.fromkeys(owed, (f"batch {record['batch'] or NOT_NOTED}", note))
                continue
            for item in asked:
                result = results.get(item.name)
                if isinstance(result, base.UnreadableAnswerError):
                    item.keep_unreadable(result)
                if isinstance(result, base.Answer) and answers[item.place] is None:
                    answers[item.place] = self._take(item, result)
            failed |= owed & self._close(note, record, results)
        return awaited, failed

    def _list_noted(self, requests: Iterator[base.Request]) -> Iterator[tuple[str, dict[str, Any]]]:
        for day in sorted({request.place.partition("/")[0] for request in requests}):
            for note, record in self._notes.of_day(day).items():
                yield note, dict(record)

    def _results(
        self, note: str, record: dict[str, Any]
    ) -> tuple[dict[str, Any], Mapping[str, base.Answer | BackendError] | None]:
        # None while the batch may still be ours, empty when there never was one.
        try:
            if record["batch"]:
                return record, self._batches.collect(record["batch"])
            may_come = False
            for batch in self._batches.since(record["after"], len(record["questions"])):
                results = self._batches.collect(batch)
                if results is None:
                    may_come = True
                elif set(results) == set(record["questions"]):
                    record["batch"] = batch
                    self._notes.change(note, record)
                    return record, results
            return record, None if may_come else {}
        except base.UnreadableAnswerError:
            raise
        except BackendError as error:
            raise BackendError(error.message, error.hint or GIVE_UP_HINT.format(note=note)) from error

    def _take(self, asked: PendingQuestion, answer: base.Answer) -> base.Answer:
        asked.reserve()
        answer = sign(answer, asked.request, self.backend)
        asked.keep(answer, reads_facts=self.backend.reads_facts)
        if self._gate:
            self._gate.count(asked.request, answer, batch=True)
        return answer

    def _close(self, note: str, record: dict[str, Any], results: Mapping[str, base.Answer | BackendError]) -> set[str]:
        failed = {}
        if record["batch"]:
            for name, question in record["questions"].items():
                result = results.get(name)
                if not isinstance(result, base.Answer):
                    failed[name] = result.message if result else "not in the results"
                    self._notice(f"{question}: {failed[name]}; asked directly")
        self._notes.change(note, record | {"collected": True, "failed": failed})
        return set(failed)

    def _submit(self, requests: Mapping[str, base.Request]) -> dict[str, tuple[str, str]]:
        try:
            after = self._batches.newest()
        except base.NoBatchesError as error:
            self._submits = False
            self._notice(f"{error.message}: every question is asked directly")
            return {}
        if self._gate:
            self._gate.admit_batch(requests.values())
        questions = {name: f"{request.place} {request.label}" for name, request in requests.items()}
        record = {"after": after, "batch": "", "collected": False, "questions": questions, "failed": {}}
        day = next(iter(requests.values())).place.partition("/")[0]
        note = self._notes.add(day, record)
        batch = self._batches.submit(requests)
        self._notes.change(note, record | {"batch": batch})
        return dict.fromkeys(requests, (f"batch {batch}", note))


def _can_wait(request: base.Request) -> bool:
    # The second question after a malformed reply does not wait again.
    return request.purpose in base.CAN_WAIT and len(request.messages) == 1
