"""The rehearsal backend: facts in, a reply's JSON text out."""

from __future__ import annotations

import json
import random
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from gm.base.config.kinds import is_number
from gm.base.errors import BackendError
from gm.base.tokens import estimate_tokens
from gm.base.untyped import object_in, objects_in
from gm.llm.base import REHEARSAL, Answer, Request, Surroundings, Usage
from gm.llm.content import ToolCall, ToolResult, length_of_tools, text_of
from gm.llm.rehearsal import reflection
from gm.llm.rehearsal.facts import INTERVIEW, LOOK, TRAP, Cue, DirectorFacts, NarratorFacts, RatingFacts, Rehearsed
from gm.llm.rehearsal.layers import compose_inner
from gm.llm.rehearsal.quoting import TO_INNER
from gm.llm.rehearsal.scene import compose_answer, compose_scene
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.memory.importance import FACET_WEIGHTS, rate_by_rule
from gm.model.importance_source import FACETS, IMPORTANCE, PARTS, REPLY, WEIGHED
from gm.model.node import Node
from gm.scene.evening.off_scene import DIARY_PURPOSE

SECOND_BEST = 0.3
FACET_STEP = 0.05
LEAN = 0.2
"""Largest difference of a facet from the mean that the importance implies."""
SELF, SCENE, MEMORY = "query_self", "query_scene", "query_memory"


def make(_model: str, _around: Surroundings) -> Rehearsal:
    """Make the backend."""
    return Rehearsal()


class Rehearsal:
    """Answers offline and deterministically, from ``Request.facts`` only. Thread-safe."""

    name = REHEARSAL
    model = REHEARSAL
    reads_facts = True

    def ask(self, request: Request) -> Answer:
        facts = request.facts
        if not isinstance(facts, Rehearsed):
            raise BackendError(f"the rehearsal was not told what {request.label} is about")
        if isinstance(facts, Cue) and request.tools:
            if request.may_call and (calls := compose_calls(request, facts)):
                said = "".join(text_of((call,)) for call in calls)
                return Answer("", self.model, "tool_use", _usage(request, said), calls=calls)
            facts = add_results(request, facts)
        text = json.dumps(_compose(facts), ensure_ascii=False)
        return Answer(text=text, model=self.model, stop="end_turn", usage=_usage(request, text))


def _compose(cue: Rehearsed) -> dict[str, object]:
    if isinstance(cue, RatingFacts):
        return compose_rating(cue)
    if isinstance(cue, DirectorFacts):
        return compose_direction(cue)
    if isinstance(cue, NarratorFacts):
        return compose_retelling(cue)
    if cue.kind == LOOK:
        said, evidence = cue.first
        return {"unsaid": [], "sentences": [{"text": said, "evidence": list(evidence)}]}
    voice = Voice(cue)
    if cue.kind == "summary":
        return reflection.compose_summary(cue, voice)
    if cue.kind == DIARY_PURPOSE:
        reply = reflection.compose_diary(cue, voice)
        return {**reply, **compose_inner(cue, voice, reply)}
    if cue.scene.is_asked:
        return compose_answer(cue, voice)
    if cue.kind == "questions":
        return reflection.compose_questions(cue, voice)
    reply = reflection.compose_reflection(cue, voice) if cue.kind == "reflection" else compose_scene(cue, voice)
    if cue.asked:
        reply = reflection.number_insights(reply, cue.asked)
    reply = {**reply, **compose_inner(cue, voice, reply)}
    return add_importance(reply, cue.world.settings.importance.from_)


def _usage(request: Request, text: str) -> Usage:
    asked = sum(estimate_tokens(block.text) for block in request.system)
    asked += sum(estimate_tokens(text_of(content)) for _, content in request.messages)
    if request.tools:
        asked += estimate_tokens("x" * length_of_tools(request.tools))
    return Usage(input_tokens=asked, output_tokens=estimate_tokens(text))


def compose_direction(facts: DirectorFacts) -> dict[str, object]:
    """Choose a scene by dice, with the rules' reason and premise."""
    dice = random.Random(f"{facts.seed}/director/{facts.place}")
    number = 2 if len(facts.options) > 1 and dice.random() < SECOND_BEST else 1
    chosen = facts.options[number - 1]
    premise = chosen.premise or "…"
    return {"number": number, "why": chosen.why or premise, "premise": premise, "premises": []}


def compose_retelling(facts: NarratorFacts) -> dict[str, object]:
    """Say who met whom, and where; in a chapter, what was said last as well."""
    words = load_pack(facts.language)
    met = [
        words["met"][0].format(first=", ".join(names[:-1]), last=names[-1], place=f" ({place})" if place else "")
        for names, place in facts.met
    ]
    for place, lines in enumerate(facts.said or ()):
        for who, text in lines[-1:]:
            met[place] += " " + words["said_last"][0].format(who=who, text=text.translate(TO_INNER))
    key, between = ("text", " ") if facts.said is None else ("body", "\n\n")
    return {key: between.join(dict.fromkeys(met)) or words["met_nobody"][0]}


def compose_rating(facts: RatingFacts) -> dict[str, object]:
    """Rate texts: a list of numbers if asked together, else one number."""
    numbers = [rate_by_rule(text, facts.language, facts.signals) for text in facts.texts if text]
    return {"importance": numbers if facts.together else numbers[0]}


def add_importance(reply: Mapping[str, object], source: str) -> dict[str, object]:
    """Return a reply with importance in the world's form."""
    if source == REPLY:
        return dict(reply)
    return {key: _strip_weights(value, source) if key in WEIGHED else value for key, value in reply.items()}


def _strip_weights(value: object, source: str) -> object:
    if isinstance(value, list):
        return [_strip_weights(item, source) for item in value]
    if not isinstance(value, dict) or IMPORTANCE not in value:
        return value
    rest = {key: item for key, item in value.items() if key != IMPORTANCE}
    if source != FACETS:
        return rest
    return {**rest, PARTS: _facets(int(value[IMPORTANCE]), str(value.get("description", "")))}


def _facets(importance: int, text: str) -> dict[str, float]:
    share = (importance - 1) / 9
    lean = (zlib.crc32(text.encode()) % 5 - 2) / 2 * min(LEAN, share, 1 - share)
    facets = {"goal_relevance": share, "emotional_impact": share + lean, "novelty": share - lean}
    rounded = {name: round(round(value / FACET_STEP) * FACET_STEP, 2) for name, value in facets.items()}
    assert rounded.keys() == FACET_WEIGHTS.keys()
    return rounded


Looked = tuple[str, Mapping[str, Any], Mapping[str, Any]]
"""One call: the tool, its arguments, and its result; empty where there is none."""


def compose_calls(request: Request, cue: Cue) -> tuple[ToolCall, ...]:
    """Compose one round's calls; empty when enough is known."""
    called = {tool for tool, _, _ in _list_looked_up(request, cue)} | _find_refused(request)
    offered = {tool.name for tool in request.tools}
    first: list[tuple[str, Mapping[str, Any]]] = [(name, {}) for name in (SELF, SCENE) if name in offered - called]
    if first:
        return _calls(request, first)
    is_time = cue.turn != 1 or cue.here.turns == 1
    matter = _matter(cue)
    if matter and is_time and cue.kind in ("scene", INTERVIEW, TRAP) and MEMORY in offered - called:
        return _calls(request, [(MEMORY, {"query": matter})])
    return ()


def add_results(request: Request, cue: Cue) -> Cue:
    """Add tool results to the facts. The persona stays hidden until looked up."""
    looked_up = list(_list_looked_up(request, cue))
    knows_itself = any(tool == SELF and list(_memories(document)) for tool, _, document in looked_up)
    agent = cue.agent if knows_itself else replace(cue.agent, persona=None)
    found = (_read_memory(item) for tool, _, document in looked_up if tool == MEMORY for item in _memories(document))
    return replace(cue, agent=agent, memories=(*cue.memories, *found))


def _calls(request: Request, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> tuple[ToolCall, ...]:
    return tuple(ToolCall(f"{request.label}-{number}", name, given) for number, (name, given) in enumerate(wanted, 1))


def _list_looked_up(request: Request, cue: Cue) -> Iterator[Looked]:
    for item in cue.looked_up or ():
        yield item.tool, item.arguments, object_in(item.text)
    results = {item.id: item for item in _parts(request, ToolResult)}
    for call in _parts(request, ToolCall):
        result = results.get(call.id)
        if result is not None and not result.is_error:
            yield call.name, call.arguments, object_in(result.text)


def _find_refused(request: Request) -> set[str]:
    # Tools that failed are not called again.
    failed = {item.id for item in _parts(request, ToolResult) if item.is_error}
    return {call.name for call in _parts(request, ToolCall) if call.id in failed}


def _parts(request: Request, kind: type[Any]) -> Iterator[Any]:
    for _, content in request.messages:
        yield from (part for part in content if isinstance(part, kind)) if isinstance(content, tuple) else ()


def _memories(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    found = document.get("memories")
    yield from objects_in(found)


def _read_memory(item: Mapping[str, Any]) -> Node:
    importance = item.get("importance", 5)
    return Node(
        id=str(item.get("id", "")),
        created="",
        type="observation",
        depth=0,
        description=str(item.get("content", "")).strip(),
        importance=int(importance) if is_number(importance) else 0,
    )


def _matter(cue: Cue) -> str:
    last = cue.dialogue[-1].text if cue.dialogue else ""
    texts = (text.strip() for text in (cue.scene.topic, cue.here.intent, last, cue.task))
    return next((text for text in texts if text), "")
