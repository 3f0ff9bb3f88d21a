"""The prompts and answers of a scene, and which produced a memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from typing import Any

from gm.api.answers.document import part
from gm.base.casefold import casefold
from gm.base.untyped import items_of, text_at
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.llm.base import read_usage
from gm.llm.prices import FREE_BACKENDS
from gm.model.node import Node

AGAIN = "-again"
ALIKE = 0.6
"""Least similarity (0–1) for a text to count as an edited version of another."""


@dataclass(frozen=True, slots=True)
class SentPrompt:
    """A prompt as sent: system blocks and messages."""

    system: Sequence[Any]
    messages: Sequence[Any]


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call for a character in a scene.

    Attributes:
        asked: The requested model; ``model`` answered.
        made_it: Whether the memory is in the answer.
        stood: Its wording there, if edited since.
    """

    label: str
    purpose: str
    path: str
    backend: str
    asked: str
    model: str
    tokens: Mapping[str, int]
    usd: float | None
    rejected: bool
    repairs: tuple[str, ...]
    made_it: bool
    stood: str | None
    answer: str
    prompt: SentPrompt | None = part(omit=None)


def find_questions(
    layout: Layout, agent: str, node: Node, original: Node | None, *, prompts: bool
) -> tuple[ModelCall, ...]:
    """Return all calls for a character in the scene of a memory, in file order."""
    prices = cache(partial(_prices, layout))
    found = []
    for path, record, rejected in TraceReader(layout.traces, layout.asks).files_in(node.created):
        who, label = text_at(record, "who"), text_at(record, "label")
        if casefold(who or label[: len(agent)]) != casefold(agent):
            continue
        answer, backend, model = _answer_text(record), text_at(record, "backend"), text_at(record, "model")
        stands = not rejected and _contains_memory(answer, agent, node)
        stood = None if stands or rejected else _find_first_wording(answer, agent, node, original)
        question = ModelCall(
            label=label,
            purpose=text_at(record, "purpose"),
            path=layout.shown(path),
            backend=backend,
            asked=text_at(record, "asked") or model,
            model=model,
            tokens=_tokens(record),
            usd=0.0 if backend in FREE_BACKENDS or model in FREE_BACKENDS else prices()(record),
            rejected=rejected,
            repairs=tuple(_repairs(record, rejected=rejected)),
            made_it=stands or stood is not None,
            stood=stood,
            answer=answer,
            prompt=prompt_of(record) if prompts else None,
        )
        found.append(question)
    return tuple(found)


def prompt_of(record: Mapping[str, Any]) -> SentPrompt:
    """Return the prompt of a trace."""
    request = record.get("request")
    request = request if isinstance(request, Mapping) else {}
    return SentPrompt(request.get("system", []), request.get("messages", []))


def _prices(layout: Layout) -> Callable[[Mapping[str, Any]], float | None]:
    from gm.files.story.now import load_settings
    from gm.llm.calls import parse_call
    from gm.llm.prices import Prices

    prices = Prices(load_settings(layout)[0].prices)
    return lambda record: parse_call(record).usd(prices)


def _repairs(record: Mapping[str, Any], *, rejected: bool) -> list[str]:
    from gm.ask.reply.extract import extract_object

    repairs = []
    if text_at(record, "label").endswith(AGAIN):
        repairs.append("asked once more, after the first answer did not fit")
    if rejected:
        repairs.append("rejected: the answer was of no use")
    found = extract_object(_answer_text(record))
    return [*repairs, *(found.repairs if found else ("no object could be found in the answer",))]


def is_worded_in(answer: str, node: Node) -> bool:
    """Return whether an answer contains the words of a memory itself, beyond the lines that a conversation quotes."""
    unquoted = {key: value for key, value in node.metadata.items() if key != "exchange"}
    return _contains_memory(answer, "", replace(node, metadata=unquoted))


def _contains_memory(answer: str, agent: str, node: Node) -> bool:
    """Return whether an answer contains a memory's words, disregarding line breaks.

    The Game Master words plans and titles of artifacts; of conversations, the agent's own lines count.
    """
    try:
        data = json.loads(answer)
    except (ValueError, RecursionError):
        data = answer.replace('\\"', '"')
    if node.type == "plan" and isinstance(data, dict) and isinstance(data.get("plan"), dict):
        return True
    wanted = [node.description, *_own_lines(agent, node)]
    if node.original:
        wanted.append(node.original)
    if node.type == "artifact":
        wanted.append(node.title)
    said = [" ".join(text.split()) for text in walk_texts(data)]
    return any(plain in text for words in wanted if (plain := " ".join(words.split())) for text in said)


def _find_first_wording(answer: str, agent: str, node: Node, original: Node | None) -> str | None:
    """Return the memory in an answer that was edited into this one, or None.

    Without a known first wording, the most similar. A quotation of an answer is not an edit.
    """
    if original is not None:
        return (
            original.description
            if original.description != node.description and _contains_memory(answer, agent, original)
            else None
        )
    from difflib import SequenceMatcher

    try:
        data = json.loads(answer)
    except (ValueError, RecursionError):
        return None
    memories = data.get("memories") if isinstance(data, dict) else None
    now = " ".join(node.description.split())
    best, nearest = ALIKE, None
    for item in items_of(memories):
        was = " ".join(text_at(item, "description").split()) if isinstance(item, Mapping) else ""
        if was and was not in now:
            alike = SequenceMatcher(None, was, now, autojunk=False).ratio()
            best, nearest = max((best, nearest or ""), (alike, was))
    return nearest or None


def _own_lines(agent: str, node: Node) -> list[str]:
    return [text for speaker, text in node.said if casefold(speaker) == casefold(agent)]


def walk_texts(value: object) -> Iterator[str]:
    """Yield all texts in JSON data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from walk_texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from walk_texts(item)


def _answer_text(record: Mapping[str, Any]) -> str:
    answer = record.get("answer")
    return str(answer.get("text", "")) if isinstance(answer, Mapping) else ""


def _tokens(record: Mapping[str, Any]) -> dict[str, int]:
    usage = asdict(read_usage(record.get("usage")))
    return {name.removesuffix("_tokens"): count for name, count in usage.items()}
