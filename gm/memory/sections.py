"""What a prompt is made of, and who gives way when it must not get longer (S2-08, S2-10, K17).

Order is layout, priority is who gives way: the higher the number, the earlier. Sections 1 to 3 always stand.

1. ``system`` and ``persona``: world, rules, form of the reply; who the character is.
2. ``step``: the scene and the task.
3. ``injected``: board, decisions, calendar, open threads; page, goals, requests for memories, what one thinks of
   those present, last night's diary.
4. ``dialogue``: what was said in the scene; the oldest lines go first, the last one stays.
5. ``memories``: the oldest lived ones go first, the newest and deepest insights last.
6. ``called_up``: memories that the scene calls up, others' included.
7. ``pieces``: finished work on the table; shortened, then left to its title.

**What is cut must not change from call to call**, or the beginning of a prompt could not be cached. So a quarter of a
prompt is set aside for its question, and the memories have the rest: that is decided when the day opens. Only where a
question needs more than its quarter they give way further, in eighths, and not before 6 and 7 are down to what they are
granted in any case, a sixteenth each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SYSTEM, PERSONA, STEP, INJECTED = "system", "persona", "step", "injected"
DIALOGUE, MEMORIES, CALLED_UP, PIECES = "dialogue", "memories", "called_up", "pieces"
PRIORITIES: Mapping[str, int] = {
    SYSTEM: 1, PERSONA: 1, STEP: 2, INJECTED: 3, DIALOGUE: 4, MEMORIES: 5, CALLED_UP: 6, PIECES: 7,
}  # fmt: skip

QUESTION_PART, STEP_PART, GRANTED_PART = 4, 8, 16
"""Parts of a prompt: set aside for its question; by which memories give way; granted to 6 and 7 in any case."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a prompt. Sizes are in any one unit.

    Attributes:
        name: One of ``PRIORITIES``.
        wanted: Its size when nothing of it is left out.
        least: What it is granted before any other section gets more than that.
    """

    name: str
    wanted: int
    least: int = 0

    @property
    def priority(self) -> int:
        """The higher, the earlier it gives way."""
        return PRIORITIES[self.name]


def share_out(sections: Sequence[Section], budget: int) -> dict[str, int]:
    """Share a budget out among sections: what each is granted in any case, then the rest, both by priority.

    Args:
        sections: The sections; those of one priority in the order in which they come.
        budget: What there is; what is below 0 counts as nothing.

    Returns:
        The size of each, by name: never more than it wants, never more than the budget together. Where one gets less
        than it wants, none of a higher number has more than its ``least``; where one gets less than its ``least``,
        none of a higher number has anything.
    """
    order = sorted(sections, key=lambda section: section.priority)
    given = {section.name: 0 for section in order}
    left = max(0, budget)
    for only_least in (True, False):
        for section in order:
            most = min(section.least, section.wanted) if only_least else section.wanted
            more = min(left, most - given[section.name])
            given[section.name] += more
            left -= more
    return given


def set_aside(limit: int, needed: int = 0) -> int:
    """Tell how much of a prompt is set aside for its question: a quarter, or what it needs, rounded up to eighths."""
    step = max(1, limit // STEP_PART)
    return max(limit // QUESTION_PART, -(-needed // step) * step)


def memory_room(limit: int, fixed: int, needed: int = 0) -> int:
    """Tell how much of a prompt its memories may take.

    Args:
        limit: How long the prompt may get.
        fixed: What stands in front of the memories: sections of priority 1.
        needed: What the question needs before memories are more important: sections 2 to 4, and what 6 and 7 are
            granted in any case.
    """
    return max(0, limit - fixed - set_aside(limit, needed))


def gives_way(limit: int, needed: int) -> bool:
    """Tell whether a question needs more than is set aside for it anyway, so that memories give way to it."""
    return set_aside(limit, needed) > set_aside(limit)
