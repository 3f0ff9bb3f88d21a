"""The importance of memories by the rule of signal words: a rehearsal has no judgement of its own."""

from __future__ import annotations

from collections.abc import Mapping

from gm.llm.rehearsal.reading import strings
from gm.memory.importance import rate_by_rule


def compose_rating(facts: Mapping[str, object]) -> dict[str, object]:
    """Rate the texts of a request: a list of numbers when it asks about all of them together, else one number."""
    language = facts.get("language")
    lists = facts.get("signals")
    signals = {str(key): strings(words) for key, words in lists.items()} if isinstance(lists, dict) else {}
    numbers = [rate_by_rule(text, str(language), signals) for text in strings(facts.get("texts"))]
    return {"importance": numbers if facts.get("together") else numbers[0]}
