"""Ask characters and bring what they answer into form; show a bad reply its problems once, then stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pydantic import BaseModel

from gm.errors import BackendError, ReplyError
from gm.llm.base import Answer, Request, identity
from gm.llm.record import Asker, Traces
from gm.model.layers import hidden_keys, layer_keys
from gm.model.replies import PlanningReply, ReflectionReply, SceneReply
from gm.model.scene import Scene
from gm.prompt.context import Assembler
from gm.reply.parse import Parsed

NO_LAYERS: frozenset[str] = frozenset()
UNUSABLE_STOPS = {
    "max_tokens": (
        "was cut off at max_tokens",
        "raise llm.max_tokens in gm.yaml and run the same command again",
    ),
    "refusal": (
        "was refused by the model",
        "look at the prompt in the trace; change it, or ask another model",
    ),
    "model_context_window_exceeded": (
        "did not fit into the model's window",
        "set context.budget_tokens in gm.yaml",
    ),
}


@dataclass(frozen=True, slots=True)
class Replied:
    """What somebody replied, and which backend and model they replied with."""

    reply: BaseModel
    made_with: str


@dataclass(frozen=True, slots=True)
class Unusable:
    """What is wrong with a reply that stayed unusable after it was shown its problems."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        agent: Who is asked, in words for the user.
        scene: In which scene.
        request: What is asked.
        traces: Where it is kept.
        read: Brings the text of an answer into the form that is wanted.
    """

    agent: str
    scene: Scene
    request: Request
    traces: Traces
    read: Callable[[str], Parsed[Any]]


def form_of(scene: Scene) -> type[SceneReply] | type[ReflectionReply]:
    """Tell which reply a scene wants."""
    if scene.type.reply == "reflection":
        return ReflectionReply
    return PlanningReply if scene.type.plan else SceneReply


def schema_for(scene: Scene, layers: frozenset[str] = NO_LAYERS) -> dict[str, Any]:
    """Make the schema that is sent along with the questions of a scene.

    The same for every scene reply: a provider that caches the beginning of a question forgets it when another schema
    comes. That a plan must not be missing where one is asked for is checked here, by ``form_of``.
    """
    return schema_of(ReflectionReply if scene.type.reply == "reflection" else SceneReply, layers)


@cache
def schema_of(form: type[BaseModel], layers: frozenset[str] = NO_LAYERS) -> dict[str, Any]:
    """Make the JSON schema of a reply, with the keys of these layers.

    Such keys are required: providers limit how many may be optional, and what is empty can be said to be empty.
    """
    schema = form.model_json_schema()
    hidden = hidden_keys(form, layers)
    for name in hidden:
        del schema["properties"][name]
    asked = [name for name in layer_keys(form) if name not in hidden]
    if asked:
        schema["required"] = [*dict.fromkeys((*schema.get("required", ()), *asked))]
    if hidden:
        schema["$defs"] = _used_definitions(schema)
    return schema


def _used_definitions(schema: dict[str, Any]) -> dict[str, Any]:
    """Keep the definitions that the schema still refers to, directly or by others, in their order."""
    known = schema.get("$defs", {})
    used: set[str] = set()
    waiting = _references({key: value for key, value in schema.items() if key != "$defs"})
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting |= _references(known[name])
    return {name: value for name, value in known.items() if name in used}


def _references(value: object) -> set[str]:
    if isinstance(value, dict):
        own = {str(value["$ref"]).rpartition("/")[2]} if isinstance(value.get("$ref"), str) else set()
        return own.union(*map(_references, value.values()))
    return set().union(*map(_references, value)) if isinstance(value, list) else set()


def problems_of(read: Callable[[str], Parsed[Any]], text: str) -> Sequence[str]:
    """Name what is wrong with the text of an answer."""
    return read(text).problems


class Interviewer:
    """Asks, parses, asks once more, stops.

    Args:
        asker: Who answers.
        assembler: Renders the further question.
        notice: Told about every repair.
    """

    def __init__(self, asker: Asker, assembler: Assembler, notice: Callable[[str], None]) -> None:
        self._asker = asker
        self._assembler = assembler
        self._notice = notice

    def ask(self, questions: Sequence[Question], progress: Callable[[int, int], None] | None = None) -> list[Replied]:
        """Ask several characters at the same time.

        Returns:
            Their replies in the order of the questions.

        Raises:
            ReplyError: A reply stayed unusable; the raw answers are kept in the traces.
            BackendError: The model could not be asked, or its answer was cut off or refused.
        """
        answers, parsed, second = self._ask_twice(questions, progress)
        failed = [place for place in second if parsed[place].reply is None]
        for place in failed:
            self._reject(questions[place])
            self._reject(second[place])
        if failed:
            bad = questions[failed[0]]
            raise ReplyError(
                f"{bad.scene.ref}: the reply of {bad.agent} stays unusable: {'; '.join(parsed[failed[0]].problems)}",
                "both raw answers are kept in the traces of this scene; run the same command again to ask anew",
            )
        return self._replied(questions, answers, parsed)

    def attempt(self, question: Question) -> Replied | Unusable:
        """Ask somebody whose reply the day can do without.

        Answers that stay unusable are kept as they are: whoever repeats the command finds them, and asks nothing anew.

        Raises:
            BackendError: The model could not be asked, or its answer was cut off or refused.
        """
        answers, parsed, _ = self._ask_twice([question], None)
        if parsed[0].reply is None:
            return Unusable(parsed[0].problems)
        return self._replied([question], answers, parsed)[0]

    def _replied(
        self, questions: Sequence[Question], answers: Sequence[Answer], parsed: Sequence[Parsed[Any]]
    ) -> list[Replied]:
        for question, item in zip(questions, parsed, strict=True):
            for repair in item.repairs:
                self._notice(f"{question.scene.ref} {question.agent}: {repair}")
        return [
            Replied(item.reply, answer.made_with)
            for item, answer in zip(parsed, answers, strict=True)
            if item.reply is not None
        ]

    def _ask_twice(
        self, questions: Sequence[Question], progress: Callable[[int, int], None] | None
    ) -> tuple[list[Answer], list[Parsed[Any]], dict[int, Question]]:
        """Ask, and show those their problems whose replies do not fit.

        Returns:
            The first answers; what was read, the second time where there was one; the second questions by place.
        """
        answers = self._answers(questions, progress)
        parsed = [question.read(answer.text) for question, answer in zip(questions, answers, strict=True)]
        second = {
            place: self._repair(questions[place], answers[place], item.problems)
            for place, item in enumerate(parsed)
            if item.reply is None
        }
        for place in second:
            question = questions[place]
            self._notice(f"{question.scene.ref} {question.agent}: asked again ({'; '.join(parsed[place].problems)})")
        if second:
            mended = self._answers(list(second.values()), None)
            for (place, question), answer in zip(second.items(), mended, strict=True):
                parsed[place] = question.read(answer.text)
        return answers, parsed, second

    def _repair(self, question: Question, answer: Answer, problems: Sequence[str]) -> Question:
        request = question.request
        messages = (
            *request.messages,
            ("assistant", answer.text.strip() or "…"),  # an empty assistant turn is no valid message
            ("user", self._assembler.repair(problems, request.purpose)),
        )
        return replace(question, request=replace(request, label=f"{request.label}-again", messages=messages))

    def _answers(self, questions: Sequence[Question], progress: Callable[[int, int], None] | None) -> list[Answer]:
        requests = [question.request for question in questions]
        answers = self._asker.ask_all(requests, [question.traces for question in questions], progress)
        unusable = [
            (question, answer.stop)
            for question, answer in zip(questions, answers, strict=True)
            if answer.stop in UNUSABLE_STOPS
        ]
        for question, _ in unusable:
            self._reject(question)
        for question, stop in unusable:
            what, hint = UNUSABLE_STOPS[stop]
            raise BackendError(f"{question.scene.ref}: the answer of {question.agent} {what}", hint)
        return answers

    def _reject(self, question: Question) -> None:
        question.traces.reject(question.request.label, identity(question.request, self._asker.backend))
