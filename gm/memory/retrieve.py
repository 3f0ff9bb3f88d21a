"""The memory window: which memories stand before a character, within a budget of tokens (document 004)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gm.base.casefold import casefold_tag
from gm.base.config import RetrievalSettings
from gm.model.calendar import SceneRef
from gm.model.node import Node
from gm.model.stream import reflections_before

STEPS = 8  # parts of a budget, in which room is set aside for the day's nodes


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen nodes, in stream order.

    Attributes:
        background: Older reflections, before the window begins.
        dropped: How many chosen nodes a budget left out.
    """

    strategy: str
    background: tuple[Node, ...]
    window: tuple[Node, ...]
    dropped: int = 0

    @property
    def nodes(self) -> tuple[Node, ...]:
        return self.background + self.window


def select_recent(
    stream: Sequence[Node], last: int = 50, *, all_reflections: bool = True, open_day: int | None = None
) -> Selection:
    """Return the last nodes, and every older reflection.

    While a day is played the window only grows from where it began.

    Args:
        last: Size when the day opens; at least 1.
        open_day: None when no day is open.
    """
    settled = len(stream) - count_fresh(stream, open_day)
    start = max(0, settled - last)
    background = reflections_before(stream, start) if all_reflections else ()
    return Selection("recent", background, tuple(stream[start:]))


def select_tagged(stream: Sequence[Node], tags: Iterable[str], *, keep_reflections: bool = False) -> Selection:
    """Return the nodes with one of the tags, ignoring case, Unicode form, and space versus hyphen.

    Empty when no node has one, even with ``keep_reflections``.
    """
    wanted = {casefold_tag(tag) for tag in tags}
    tagged = {node.id for node in stream if any(casefold_tag(tag) in wanted for tag in node.tags)}
    window = (node for node in stream if node.id in tagged or (keep_reflections and node.depth > 0))
    return Selection("tags", (), tuple(window) if tagged else ())


def select_memories(
    stream: Sequence[Node],
    settings: RetrievalSettings,
    *,
    tags: Sequence[str] = (),
    last: int | None = None,
    open_day: int | None = None,
) -> Selection:
    """Choose by tags where some node has one, else the recent window."""
    if tags:
        tagged = select_tagged(stream, tags, keep_reflections=settings.tags_keep_reflections)
        if tagged.window:
            return tagged
    return select_recent(stream, last or settings.last, all_reflections=settings.all_reflections, open_day=open_day)


def select_until(stream: Sequence[Node], moment: SceneRef) -> tuple[Node, ...]:
    """Return what was remembered up to a scene or day, inclusive; what is dated with a day came after its scenes."""
    if moment.scene:
        ended = (node for node in stream if node.when.scene or node.when.day < moment.day)
        return tuple(node for node in ended if node.when <= moment)
    return tuple(node for node in stream if node.when.day <= moment.day)


def count_fresh(nodes: Sequence[Node], open_day: int | None) -> int:
    """Return how many nodes at the end are of the open day; 0 without one."""
    settled = len(nodes)
    if open_day is not None:
        while settled and nodes[settled - 1].when.day >= open_day:
            settled -= 1
    return len(nodes) - settled


def fit_growing(selection: Selection, budget_tokens: int, cost: Sequence[int], fresh: int) -> Selection:
    """Drop nodes as ``fit_budget``, but older ones only in steps while the day's own nodes grow.

    Room for the ``fresh`` last nodes is set aside in eighths of the budget, so that a prompt's beginning can be cached.
    """
    grown = sum(cost[len(cost) - fresh :])
    step = max(1, budget_tokens // STEPS)
    set_aside = -(-grown // step) * step
    return fit_budget(selection, budget_tokens - (set_aside - grown), cost)


def fit_budget(selection: Selection, budget_tokens: int, cost: Sequence[int]) -> Selection:
    """Drop nodes until the rest fits, and count them.

    The oldest lived memories of the window go first, then the oldest and shallowest reflections.

    Args:
        budget_tokens: Most tokens for all nodes.
        cost: Estimated tokens by node, aligned with ``selection.nodes``.
    """
    total, count = sum(cost), 0
    for place in order_of_leaving(selection):
        if total <= budget_tokens:
            break
        total -= cost[place]
        count += 1
    return leave_out(selection, count)


def order_of_leaving(selection: Selection) -> list[int]:
    """Return the places of all nodes in the order of dropping."""
    nodes = selection.nodes
    return sorted(range(len(nodes)), key=lambda place: (nodes[place].depth, place))


def leave_out(selection: Selection, count: int) -> Selection:
    """Drop ``count`` nodes by ``order_of_leaving``."""
    if not count:
        return selection
    dropped = frozenset(order_of_leaving(selection)[:count])
    border = len(selection.background)
    return Selection(
        selection.strategy,
        tuple(node for place, node in enumerate(selection.background) if place not in dropped),
        tuple(node for place, node in enumerate(selection.window, border) if place not in dropped),
        dropped=selection.dropped + count,
    )
