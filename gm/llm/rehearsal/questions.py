"""Reflection by questions: what a character asks itself, and which of its questions an insight answers."""

from __future__ import annotations

from collections.abc import Mapping

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.reading import strings
from gm.llm.rehearsal.reflection import find_about, find_clusters
from gm.llm.rehearsal.voice import Voice


def compose_questions(cue: Cue, voice: Voice, facts: Mapping[str, object]) -> dict[str, object]:
    """Ask about what weighed most, a question for each cluster of memories, then about what lies ahead."""
    number = facts.get("questions")
    wanted = number if isinstance(number, int) else 3
    nodes = [node for node in cue.memories if node.id]
    topics = [cue.names.get(tag) or find_about(cue, voice, tag, members) for tag, members in find_clusters(cue, nodes)]
    topics += [voice.topic(text) for text in (cue.task, *cue.plan, cue.name) if text]
    return {"questions": [voice.phrase("wonder", about=about) for about in list(dict.fromkeys(topics))[:wanted]]}


def number_insights(reply: Mapping[str, object], facts: Mapping[str, object]) -> dict[str, object]:
    """Say of each insight which questions it answers: those to which the memories belong that it rests on."""
    asked = facts.get("asked")
    found = [set(strings(ids)) for ids in asked] if isinstance(asked, list) else []
    insights = reply.get("insights")
    numbered = [
        {**insight, "questions": _numbers(set(strings(insight.get("evidence"))), found)}
        for insight in (insights if isinstance(insights, list) else ())
        if isinstance(insight, dict)
    ]
    return {**reply, "insights": numbered}


def _numbers(evidence: set[str], found: list[set[str]]) -> list[int]:
    return [number for number, ids in enumerate(found, 1) if ids & evidence] or [1]
