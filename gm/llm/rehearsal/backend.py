"""The backend itself: facts in, the JSON text of a reply out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from gm.llm.base import Answer, Request, Surroundings, Usage
from gm.llm.content import length_of_tools, text_of
from gm.llm.rehearsal.consulting import compose_calls, from_results
from gm.llm.rehearsal.diary import compose_diary
from gm.llm.rehearsal.directing import compose_direction
from gm.llm.rehearsal.eras import compose_summary
from gm.llm.rehearsal.inner import compose_inner
from gm.llm.rehearsal.questions import compose_questions, number_insights
from gm.llm.rehearsal.rating import compose_rating
from gm.llm.rehearsal.reading import parse_cue
from gm.llm.rehearsal.reflection import compose_reflection
from gm.llm.rehearsal.scene import compose_scene
from gm.llm.rehearsal.voice import Voice
from gm.llm.rehearsal.weighing import weigh
from gm.model.weighing import REPLY
from gm.tokens import estimate_tokens


def make(_model: str, _around: Surroundings) -> Rehearsal:
    """Make the backend; it needs nothing."""
    return Rehearsal()


class Rehearsal:
    """Answers every question itself, offline and always the same way.

    It plays from personas, plans, tags and memories in the language of the world, reads ``Request.facts`` and
    never a prompt. Safe to call from several threads.
    """

    name = "rehearsal"
    model = "rehearsal"
    reads_facts = True

    def ask(self, request: Request) -> Answer:
        """Answer a request with the JSON text of the reply that it wants, whichever kind that is.

        Where there are tools, it calls those first that a character needs, and answers from what they gave back.
        """
        if request.may_call and (calls := compose_calls(request)):
            said = "".join(text_of((call,)) for call in calls)
            return Answer("", self.model, "tool_use", _usage(request, said), calls=calls)
        facts = from_results(request) if request.tools else request.facts
        text = json.dumps(_compose(facts), ensure_ascii=False)
        return Answer(text=text, model=self.model, stop="end_turn", usage=_usage(request, text))


def _compose(facts: Mapping[str, object]) -> dict[str, object]:
    if facts.get("kind") == "rating":
        return compose_rating(facts)
    if facts.get("kind") == "director":
        return compose_direction(facts)
    cue = parse_cue(facts)
    voice = Voice(cue)
    if cue.kind == "summary":
        return compose_summary(cue, voice)
    if cue.kind == "diary":
        return compose_diary(cue, voice)
    if cue.kind == "questions":
        return compose_questions(cue, voice, facts)
    reply = compose_reflection(cue, voice) if cue.kind == "reflection" else compose_scene(cue, voice)
    if facts.get("asked"):
        reply = number_insights(reply, facts)
    reply = {**reply, **compose_inner(cue, voice, reply)}
    return weigh(reply, str(facts.get("importance_from") or REPLY))


def _usage(request: Request, text: str) -> Usage:
    asked = sum(estimate_tokens(block.text) for block in request.system)
    asked += sum(estimate_tokens(text_of(content)) for _, content in request.messages)
    if request.tools:
        asked += estimate_tokens("x" * length_of_tools(request.tools))
    return Usage(input_tokens=asked, output_tokens=estimate_tokens(text))
