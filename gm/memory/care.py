"""What stays in a stream: when old memories are summarised, and which go to the archive as they are (``README.md``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from gm.base.casefold import casefold
from gm.base.config import RetentionSettings, SelfcareSettings, Settings
from gm.base.tokens import estimate_tokens
from gm.base.untyped import items_of, text_at
from gm.memory.reflect import find_reflected_end
from gm.memory.retrieve import count_fresh
from gm.model.calendar import SceneRef, parse_ref
from gm.model.ids import parse_node_id, render_node_id
from gm.model.node import GIFTED, Node
from gm.model.world import Agent

PINNED = "pinned"
BOOSTS: Mapping[str, float] = {"critical": 0.3, "important": 0.15, "low": -0.1}
HIGHEST_BOOST = max(BOOSTS.values())
MOST_PINNED = 5
"""Above this number of pinned memories of one character `gm check` warns."""


def tiered(score: float, tier: str) -> float:
    """Return a score, from 0 to 1, with a tier's boost; 1 for a pinned memory."""
    if tier == PINNED:
        return 1.0
    return min(1.0, max(0.0, score + BOOSTS[tier])) if tier in BOOSTS else score


def select_movable(agent: Agent, settings: Settings, open_day: int | None) -> tuple[Node, ...]:
    """Return the memories that may go to the archive; the open day's stay."""
    stream = agent.stream
    end = min(len(stream) - settings.retrieval.last, len(stream) - count_fresh(stream, open_day))
    if settings.reflection.enabled and (after := find_reflected_end(stream, agent.state.last_reflection)):
        end = min(end, after - 1)
    return tuple(node for node in stream[: max(0, end)] if not is_held(node))


def is_held(node: Node) -> bool:
    """Return whether a memory stays, however old it gets."""
    return node.tier == PINNED or node.kind == GIFTED


NEVER_PRUNED = ("pinned", "critical")
NONE = "none"


@dataclass(frozen=True, slots=True)
class Pruned:
    """A memory that goes, and its value from 0 to 1."""

    node: Node
    value: float


def select_pruned(agent: Agent, settings: Settings, retention: RetentionSettings, day: int) -> tuple[Pruned, ...]:
    """Return what exceeds the limits, in stream order; the lowest values go."""
    if retention.strategy == NONE:
        return ()
    movable = [node for node in select_movable(agent, settings, day) if node.tier not in NEVER_PRUNED]
    half_life = settings.recall.half_life_days
    chosen: list[Pruned] = []
    for is_deep, most in ((False, retention.max_observations), (True, retention.max_reflections)):
        if most is None:
            continue
        above = sum((node.depth > 0) == is_deep for node in agent.stream) - most
        if above > 0:
            found = [node for node in movable if (node.depth > 0) == is_deep]
            chosen += _least(found, _VALUES[retention.strategy], day, half_life)[:above]
    places = {node.id: place for place, node in enumerate(agent.stream)}
    return tuple(sorted(chosen, key=lambda item: places[item.node.id]))


def _least(nodes: Sequence[Node], value: Callable[[Node, float], float], day: int, half_life: float) -> list[Pruned]:
    valued = [Pruned(node, round(value(node, 0.5 ** (max(0, day - node.when.day) / half_life)), 4)) for node in nodes]
    return sorted(valued, key=lambda item: item.value)


_VALUES: dict[str, Callable[[Node, float], float]] = {
    "importance_weighted": lambda node, recency: tiered(0.7 * node.importance / 10 + 0.3 * recency, node.tier),
    "recency": lambda node, recency: tiered(recency, node.tier),
    "fifo": lambda _node, _recency: 0.0,
}
"""The value of a memory by strategy, from 0 to 1; recency is ``0.5 ** (days / half_life_days)``."""


Cause = Literal["memories", "conversations", "summaries"]
SHORTEST = 40  # estimated tokens of the shortest useful line; limits the lines of a question
LINE = "- `vera-042` day-003/scene-04 · observation · 7: \n"


@dataclass(frozen=True, slots=True)
class Batch:
    """One question's memories, oldest first; ``cause`` is what there is too much of."""

    cause: Cause
    nodes: tuple[Node, ...]


def cost(nodes: Sequence[Node]) -> int:
    """Return the estimated tokens of memories, a line each."""
    return sum(line_cost(node) for node in nodes)


def line_cost(node: Node) -> int:
    """Return the estimated tokens of one memory."""
    return estimate_tokens(LINE + node.description)


def is_at_home(agent: Agent) -> bool:
    """Return whether a character is at home; one without a home always is."""
    return not agent.home or casefold(agent.state.position) == casefold(agent.home)


def plan_care(
    agent: Agent, settings: Settings, open_day: int | None, budget_tokens: int, *, now: bool = False
) -> tuple[Batch, ...]:
    """Return what is summarised next; empty when nothing is due.

    Memories come first, then conversations, then summaries; call it again after each.

    Args:
        open_day: None when no day is open.
        budget_tokens: For one question's memories.
        now: Take one batch of the oldest memories even below the ceiling.
    """
    care = settings.selfcare
    if care.at_home and not is_at_home(agent):
        return ()
    most = max(2, min(care.batch, budget_tokens // SHORTEST))
    kept = _kept_reflections(agent, settings.retention.max_reflections)
    movable = [node for node in select_movable(agent, settings, open_day) if node.id not in kept]
    if len(movable) >= care.min:
        if now:
            return (Batch("memories", tuple(movable[:most])),)
        taken = _count_above_ceiling(agent, movable, care)
        if taken:
            return _batches("memories", movable[:taken], most)
        talks = [node for node in agent.stream if node.type == "conversation"]
        above = len(talks) - settings.conversations.max
        old = [node for node in movable if node.type == "conversation"][: max(0, above)]
        if above >= care.min and len(old) >= care.min:
            return _batches("conversations", old, most)
    return _batches("summaries", _old_summaries(agent, care), most)


def _kept_reflections(agent: Agent, most: int | None) -> frozenset[str]:
    deep = [node.id for node in agent.stream if node.depth > 0]
    return frozenset(deep if most is None else deep[-most:])


def _count_above_ceiling(agent: Agent, movable: Sequence[Node], care: SelfcareSettings) -> int:
    total = cost(agent.stream)
    if total <= care.token_ceiling:
        return 0
    target = min(care.token_ceiling, care.post_ceiling)
    count = len(movable)
    for number, gone in enumerate(accumulate(line_cost(node) for node in movable), 1):
        if total - gone <= target:
            count = number
            break
    return max(count, care.min)


def _old_summaries(agent: Agent, care: SelfcareSettings) -> list[Node]:
    # The newest summary stays; at least two go.
    left = cost(agent.summaries)
    if left <= care.summary_ceiling:
        return []
    old: list[Node] = []
    for node in [node for node in agent.summaries[:-1] if not is_held(node)]:
        if left <= care.summary_ceiling // 2:
            break
        left -= line_cost(node)
        old.append(node)
    return old if len(old) > 1 else []


def _batches(cause: Cause, nodes: Sequence[Node], most: int) -> tuple[Batch, ...]:
    # Split evenly, so that no batch is left with a handful.
    if not nodes:
        return ()
    number = -(-len(nodes) // most)
    size = -(-len(nodes) // number)
    return tuple(Batch(cause, tuple(nodes[start : start + size])) for start in range(0, len(nodes), size))


def shorten_to(texts: Sequence[str], budget_tokens: int) -> tuple[list[str], int]:
    """Shorten the longest texts, all to the same length, to a budget of estimated tokens.

    Returns:
        The texts, and how many were shortened. None is cut below about 80 characters, even above the budget.
    """
    if sum(estimate_tokens(LINE + text) for text in texts) <= budget_tokens:
        return list(texts), 0
    low, high = SHORTEST * 2, max(map(len, texts), default=0)
    while low < high:
        middle = (low + high + 1) // 2
        shortened = (estimate_tokens(LINE) + estimate_tokens("x" * min(len(text), middle)) for text in texts)
        if sum(shortened) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    return [_cut_at_word(text, low) for text in texts], sum(len(text) > low for text in texts)


def _cut_at_word(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    cut = text[: most - 2]
    return cut[: max(cut.rfind(" "), most // 2)].rstrip(" ,;:–") + " …"


BETWEEN = ".."
LONGEST_RUN = 1_000_000


def join_ids(ids: Iterable[str]) -> list[str]:
    """Return ids in order, with runs abbreviated: ``vera-003..vera-017``."""
    runs: list[tuple[str, str]] = []
    for identifier in ids:
        if runs and _is_next(runs[-1][1], identifier):
            runs[-1] = (runs[-1][0], identifier)
        else:
            runs.append((identifier, identifier))
    return [first if first == last else f"{first}{BETWEEN}{last}" for first, last in runs]


def split_ids(runs: Iterable[object]) -> Iterator[str]:
    """Yield the ids that ``join_ids`` joined, without items of another form and runs longer than ``LONGEST_RUN``."""
    for run in runs:
        first, between, last = str(run).partition(BETWEEN)
        begin, end = parse_node_id(first), parse_node_id(last if between else first)
        if begin is None or end is None or begin[0] != end[0] or not 0 <= end[1] - begin[1] < LONGEST_RUN:
            continue
        yield from (render_node_id(begin[0], number) for number in range(begin[1], end[1] + 1))


def began(node: Node) -> SceneRef:
    """Return when a summary's time begins; for other memories, when made."""
    return _moment(node, "from")


def ended(node: Node) -> SceneRef:
    """Return when a summary's time ends; for other memories, when made."""
    return _moment(node, "to")


def replaced_ids(node: Node) -> tuple[str, ...]:
    """Return the memories that a summary replaces, with those made with it; empty if another lists them."""
    return tuple(split_ids(items_of(node.metadata.get("replaces"))))


def _moment(node: Node, key: str) -> SceneRef:
    return parse_ref(text_at(node.metadata, key)) or node.when


def _is_next(one: str, other: str) -> bool:
    before, after = parse_node_id(one), parse_node_id(other)
    return before is not None and after is not None and (before[0], before[1] + 1) == after
