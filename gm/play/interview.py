"""Ask characters and parse their answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from gm.ask.prompt.context import Assembler
from gm.ask.reply.parse import Parsed, clean_texts
from gm.base.errors import BackendError, ReplyError, WaitingError
from gm.base.texts import clip, one_line
from gm.llm.asker import Asker
from gm.llm.base import Answer
from gm.llm.identity import identity
from gm.model.consulted import Consulted
from gm.play.fitting import NoRoomError
from gm.play.question import SentQuestion

Progress = Callable[[int, int], None]
"""Called with the number of answered questions and of all questions."""

MOST_SHOWN = 100_000
"""Characters of a bad reply that are quoted back, at most."""

MOST_TOLD = 300
"""Characters of a bad reply that the user is shown."""
LEAST_QUOTED = 200
"""Characters of an unreadable reply that a second question quotes."""
QUOTED_FRAME = 8
"""Characters that join an answer and a further question to a prompt; of an answer, at least as many are quoted."""

DOUBTED = 3
"""Useless replies to one question after which the model itself is doubted."""
TOO_SMALL = "the model may be too small for these questions, or its server ignores the form of the reply"

UNUSABLE_STOPS = {
    "max_tokens": (
        "was cut off at max_tokens",
        "raise llm.max_tokens in gm.yaml and run the same command again; a small model that repeats itself does not "
        "end with more tokens: lower reply.most_items and reply.most_characters",
    ),
    "refusal": ("was refused by the model", "look at the prompt in the trace; change it, or ask another model"),
    "model_context_window_exceeded": ("did not fit into the model's window", "set context.prompt_tokens in gm.yaml"),
}


@dataclass(frozen=True, slots=True)
class Replied:
    """A reply, the backend and model that made it, and its lookups.

    Attributes:
        question: What was asked, after its lookups.
        text: The reply as it came.
    """

    reply: BaseModel
    made_with: str
    consulted: tuple[Consulted, ...] = ()
    question: SentQuestion | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """The problems of an unusable reply."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Second:
    """A question that was asked again, and what was answered then."""

    question: SentQuestion
    answer: Answer


class Interviewer:
    """Asks, parses, and asks once more where a reply has problems.

    Args:
        notice: Called with each repair.
    """

    def __init__(self, asker: Asker, assembler: Assembler, notice: Callable[[str], None]) -> None:
        self._asker = asker
        self._assembler = assembler
        self._notice = notice

    def ask(self, questions: Sequence[SentQuestion], progress: Progress | None = None) -> list[Replied]:
        """Ask characters at the same time; return replies in the order of the questions.

        Raises:
            ReplyError: A reply stayed unusable; the raw answers are kept in the traces.
            BackendError: The model could not be asked, or its answer was cut off or refused.
            WaitingError: Answers are awaited from outside.
        """
        questions, answers, parsed, second = self._ask_twice(questions, progress)
        failed = [place for place in second if parsed[place].reply is None]
        kept = [(self._reject(second[place].question)[0], self._reject(questions[place])[1]) for place in failed]
        if failed:
            place = failed[0]
            bad, last = questions[place], second[place].answer
            path, times = kept[0]
            doubt = f"{times} runs have failed here: {TOO_SMALL}; " if times >= DOUBTED else ""
            raise ReplyError(
                f"{bad.scene.ref}: the reply of {bad.agent} stays unusable: {'; '.join(parsed[place].problems)}",
                f"{_as_said(last, path)}; {doubt}run the same command again to ask anew, or name another model",
            )
        return self._make_replies(questions, answers, parsed, second)

    def attempt(self, questions: Sequence[SentQuestion]) -> list[Replied | Unusable]:
        """Ask what can be done without; unusable answers, cut off and refused ones too, are not asked for again.

        Raises:
            BackendError: The model could not be asked.
            WaitingError: As ``ask``.
        """
        asked, answers, parsed, second = self._ask_twice(questions, None, is_needed=False)
        replies = iter(self._make_replies(asked, answers, parsed, second))
        last = _last_answers(answers, second)
        return [
            Unusable(_problems(item, answer)) if item.reply is None else next(replies)
            for item, answer in zip(parsed, last, strict=True)
        ]

    def _make_replies(
        self,
        questions: Sequence[SentQuestion],
        answers: Sequence[Answer],
        parsed: Sequence[Parsed[Any]],
        second: Mapping[int, Second],
    ) -> list[Replied]:
        for question, item in zip(questions, parsed, strict=True):
            for repair in item.repairs if item.reply is not None else ():
                self._notice(f"{_label(question)}: {repair}")
        return [
            Replied(item.reply, answer.made_with, question.consulted, question, final.text)
            for item, answer, question, final in zip(
                parsed, answers, questions, _last_answers(answers, second), strict=True
            )
            if item.reply is not None
        ]

    def _ask_twice(
        self, questions: Sequence[SentQuestion], progress: Progress | None, *, is_needed: bool = True
    ) -> tuple[list[SentQuestion], list[Answer], list[Parsed[Any]], dict[int, Second]]:
        questions, answers = self._answers_at_last(questions, progress)
        if is_needed:
            self._refuse_cut(questions, answers)
        parsed = [_read(question, answer) for question, answer in zip(questions, answers, strict=True)]
        repairs = {
            place: self._repair(questions[place], answers[place], item.problems)
            for place, item in enumerate(parsed)
            if item.reply is None and answers[place].stop not in UNUSABLE_STOPS
        }
        for place in repairs:
            question = questions[place]
            self._notice(f"{_label(question)}: asked again ({'; '.join(parsed[place].problems)})")
        mended = self._answers(list(repairs.values()), None) if repairs else []
        if is_needed:
            self._refuse_cut(list(repairs.values()), mended)
        second = {}
        for (place, question), answer in zip(repairs.items(), mended, strict=True):
            parsed[place] = _read(question, answer)
            second[place] = Second(question, answer)
        return questions, answers, parsed, second

    def _look_up(
        self, questions: Sequence[SentQuestion], answers: Sequence[Answer]
    ) -> tuple[list[SentQuestion], list[Answer]]:
        asked, answered = list(questions), list(answers)
        number = 0
        while open_places := [place for place, item in enumerate(answered) if _is_lookup(asked[place], item)]:
            number += 1
            for place in open_places:
                asked[place] = _further(asked[place], answered[place], number)
            found = self._answers([asked[place] for place in open_places], None)
            for place, answer in zip(open_places, found, strict=True):
                answered[place] = answer
        return asked, answered

    def _answers_at_last(
        self, questions: Sequence[SentQuestion], progress: Progress | None
    ) -> tuple[list[SentQuestion], list[Answer]]:
        try:
            return self._look_up(questions, self._answers(questions, progress))
        except WaitingError as waiting:
            if not any(question.consultation for question in questions):
                raise
            raise self._all_awaited(questions, waiting) from waiting

    def _all_awaited(self, questions: Sequence[SentQuestion], waiting: WaitingError) -> WaitingError:
        awaited = list(waiting.awaited)
        for question in questions:
            try:
                self._look_up([question], self._answers([question], None))
            except WaitingError as more:
                awaited += more.awaited
        return WaitingError(dict.fromkeys(awaited), waiting.hint)

    def _repair(self, question: SentQuestion, answer: Answer, problems: Sequence[str]) -> SentQuestion:
        again = follow_up(question, answer.text, self._assembler.repair(problems, question.request.purpose), "again")
        exact = again.request.exact
        return replace(again, request=replace(again.request, schema=exact)) if exact else again

    def _answers(self, questions: Sequence[SentQuestion], progress: Progress | None) -> list[Answer]:
        requests = [question.request for question in questions]
        return self._asker.ask_all(requests, [question.traces for question in questions], progress)

    def _refuse_cut(self, questions: Sequence[SentQuestion], answers: Sequence[Answer]) -> None:
        unusable = [
            (question, answer)
            for question, answer in zip(questions, answers, strict=True)
            if answer.stop in UNUSABLE_STOPS
        ]
        kept = [self._reject(question) for question, _ in unusable]
        for (question, answer), (path, _) in zip(unusable, kept, strict=True):
            what, hint = UNUSABLE_STOPS[answer.stop]
            raise BackendError(
                f"{question.scene.ref}: the answer of {question.agent} {what}", f"{hint}; {_as_said(answer, path)}"
            )

    def _reject(self, question: SentQuestion) -> tuple[str, int]:
        aside = question.traces.reject(question.request.label, identity(question.request, self._asker.backend))
        return aside or ("", 0)


def _last_answers(answers: Sequence[Answer], second: Mapping[int, Second]) -> list[Answer]:
    return [second[place].answer if place in second else answer for place, answer in enumerate(answers)]


def _problems(item: Parsed[Any], answer: Answer) -> tuple[str, ...]:
    return (f"the answer {UNUSABLE_STOPS[answer.stop][0]}",) if answer.stop in UNUSABLE_STOPS else item.problems


def _read(question: SentQuestion, answer: Answer) -> Parsed[Any]:
    if answer.stop in UNUSABLE_STOPS:
        return Parsed(None)
    return question.read(answer.text)


def _label(question: SentQuestion) -> str:
    return question.agent if question.scene.is_asked else f"{question.scene.ref} {question.agent}"


def follow_up(question: SentQuestion, said: str, text: str, label: str, reserved: int = 0) -> SentQuestion:
    """Return a question that goes on after an answer to it.

    Args:
        text: What is asked then.
        label: The end of its label.
        reserved: Characters kept free in a limited prompt.

    Raises:
        NoRoomError: The prompt has no room for it.
    """
    # an empty assistant turn is not a valid message
    said = clean_texts(said[:MOST_SHOWN])[0].strip() or "…"
    question, said = _with_room(question, said, len(text) + reserved)
    request = question.request
    messages = (*request.messages, ("assistant", said), ("user", text))
    again = replace(request, label=f"{request.label}-{label}", messages=messages, must_answer=bool(request.tools))
    return replace(question, request=again)


def _as_said(answer: Answer, path: str) -> str:
    # quoted on one line: none of its lines can pass for one of ours
    said = clip(one_line(answer.text[:MOST_SHOWN]), MOST_TOLD)
    text = f"it says {json.dumps(said, ensure_ascii=False)}" if said else "the model wrote nothing"
    return f"{text} ({'the whole of it: ' if said else ''}{path})" if path else text


def _with_room(question: SentQuestion, said: str, further: int) -> tuple[SentQuestion, str]:
    if question.shorter is None:
        return question, said
    try:
        return question.shorter(len(said) + further + QUOTED_FRAME), said
    except NoRoomError:
        said = f"{said[:LEAST_QUOTED]} […]"
        return question.shorter(len(said) + further + QUOTED_FRAME), said


def _is_lookup(question: SentQuestion, answer: Answer) -> bool:
    is_open = bool(answer.calls) and answer.stop not in UNUSABLE_STOPS
    return is_open and question.consultation is not None and question.request.may_call


def _further(question: SentQuestion, answer: Answer, number: int) -> SentQuestion:
    consultation = question.consultation
    assert consultation is not None
    found = consultation.results(question.traces, question.request, answer, number)
    request = consultation.follow(question.request, answer, found, number)
    return replace(question, request=request, consulted=(*question.consulted, *found))
