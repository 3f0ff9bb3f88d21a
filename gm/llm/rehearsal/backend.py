"""The backend itself: facts in, the JSON text of a reply out."""

from __future__ import annotations

import json
import random

from gm.errors import BackendError
from gm.llm.base import Answer, Request, Surroundings, Usage
from gm.llm.content import length_of_tools, text_of
from gm.llm.facts import Cue, DirectorFacts, Facts, RatingFacts
from gm.llm.rehearsal.consulting import compose_calls, from_results
from gm.llm.rehearsal.layers import compose_inner
from gm.llm.rehearsal.rating import compose_rating, weigh
from gm.llm.rehearsal.reflection import (
    compose_diary,
    compose_questions,
    compose_reflection,
    compose_summary,
    number_insights,
)
from gm.llm.rehearsal.scene import compose_scene
from gm.llm.rehearsal.voice import Voice
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
        facts = request.facts
        if facts is None:
            raise BackendError(f"the rehearsal was not told what {request.label} is about")
        if isinstance(facts, Cue) and request.tools:
            if request.may_call and (calls := compose_calls(request, facts)):
                said = "".join(text_of((call,)) for call in calls)
                return Answer("", self.model, "tool_use", _usage(request, said), calls=calls)
            facts = from_results(request, facts)
        text = json.dumps(_compose(facts), ensure_ascii=False)
        return Answer(text=text, model=self.model, stop="end_turn", usage=_usage(request, text))


def _compose(cue: Facts) -> dict[str, object]:
    if isinstance(cue, RatingFacts):
        return compose_rating(cue)
    if isinstance(cue, DirectorFacts):
        return compose_direction(cue)
    voice = Voice(cue)
    if cue.kind == "summary":
        return compose_summary(cue, voice)
    if cue.kind == "diary":
        return compose_diary(cue, voice)
    if cue.kind == "questions":
        return compose_questions(cue, voice)
    reply = compose_reflection(cue, voice) if cue.kind == "reflection" else compose_scene(cue, voice)
    if cue.asked:
        reply = number_insights(reply, cue.asked)
    reply = {**reply, **compose_inner(cue, voice, reply)}
    return weigh(reply, cue.importance_from)


def _usage(request: Request, text: str) -> Usage:
    asked = sum(estimate_tokens(block.text) for block in request.system)
    asked += sum(estimate_tokens(text_of(content)) for _, content in request.messages)
    if request.tools:
        asked += estimate_tokens("x" * length_of_tools(request.tools))
    return Usage(input_tokens=asked, output_tokens=estimate_tokens(text))


SECOND_BEST = 0.3


def compose_direction(facts: DirectorFacts) -> dict[str, object]:
    """Choose a scene by dice, and say why and how it begins in the words that the rules have for it."""
    dice = random.Random(f"{facts.seed}/director/{facts.place}")
    number = 2 if len(facts.options) > 1 and dice.random() < SECOND_BEST else 1
    chosen = facts.options[number - 1]
    premise = chosen.premise or "…"
    return {"number": number, "why": chosen.why or premise, "premise": premise, "premises": []}
