"""Questions about five conversations of a public benchmark; the data lie in ``BENCH_DATA``, not in the project."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from typing import Any

from bench.data import find_data
from bench.recalling.asking import Asked, Question
from bench.recalling.figures import Outcome, mean_of, recall_at, reciprocal, render_columns
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Query
from gm.model.node import node_from_record

TOOL, DATA = find_data("locomo_bench.py"), find_data("locomo-dev.zip")
ADVERSARIAL = "5 adversarial"
MULTI_HOP = "1 multi-hop"
CATEGORIES = {1: MULTI_HOP, 2: "2 temporal", 3: "3 open-domain", 4: "4 single-hop", 5: ADVERSARIAL}
ANSWERED = "1-4"


def missing() -> list[str]:
    """Return the files that are not there."""
    return [str(path) for path in (TOOL, DATA) if not path.is_file()]


def load_tool() -> Any:
    """Load the scorer of the benchmark as a module."""
    spec = importlib.util.spec_from_file_location("locomo_bench", TOOL)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_questions(conversations: Sequence[Any]) -> list[tuple[Question, int]]:
    """Return all questions that have evidence, with their numbers in their conversations."""
    questions = []
    for conversation in conversations:
        nodes = [node_from_record(conversation.node(turn)) for turn in conversation.turns]
        stream = MemoryLexicon(conversation.id, nodes, "en")
        ids = {turn["dia"]: turn["nid"] for turn in conversation.turns}
        people = ((conversation.id, conversation.id, conversation.id),)
        for asked in conversation.qs:
            if asked["gold"]:
                facts = tuple(frozenset((ids[item],)) for item in asked["gold"])
                query = Query(asked["question"], conversation.id, people=people)
                kind = CATEGORIES[asked["category"]]
                questions.append((Question(query, kind, conversation.id, facts, (stream,)), asked["q"]))
    return questions


def only(outcomes: Sequence[Outcome], category: str) -> list[Outcome]:
    """Select the outcomes of a category; ``1-4`` are all but the adversarial ones."""
    if category == ANSWERED:
        return [outcome for outcome in outcomes if outcome.kind != ADVERSARIAL]
    return [outcome for outcome in outcomes if outcome.kind == category]


def render_categories(label: str, outcomes: Sequence[Outcome]) -> str:
    """Write recall@10 and MRR by category."""
    lines = [(label, "n", "recall@10", "MRR")]
    for category in (*list(CATEGORIES.values())[:4], ANSWERED, ADVERSARIAL):
        chosen = only(outcomes, category)
        figures = (str(mean_of(chosen, recall_at(10))), str(mean_of(chosen, reciprocal)))
        lines.append((f"  {category}", str(len(chosen)), *figures))
    return render_columns(lines)


def differences(
    tool: Any, conversations: Sequence[Any], questions: Sequence[tuple[Question, int]], asked: Asked
) -> float:
    """Return the largest difference of our figures to those of the benchmark's own scorer."""
    rankings = {
        (question.stratum, number): list(ranking)
        for (question, number), ranking in zip(questions, asked.rankings, strict=True)
    }
    groups = tool.score(conversations, rankings)["groups"]
    theirs = {ANSWERED: groups["cat 1-4"]} | {name: groups[name] for name in CATEGORIES.values()}
    gaps: list[float] = []
    for name, group in theirs.items():
        chosen = only(asked.outcomes, name)
        gaps.append(abs(mean_of(chosen, recall_at(10)).mean - group["recall@10"]))
        gaps.append(abs(mean_of(chosen, reciprocal).mean - group["mrr"]))
    return max(gaps)
