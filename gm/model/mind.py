"""What a character has beside its persona and its memory stream, a file for each: the layers of its mind (DESIGN 1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gm.model.diary import DiaryEntry
from gm.model.goal import Goal, GoalEvent
from gm.model.page import NO_PAGE, Page, PageChange
from gm.model.relationship import Relationship, RelationshipChange
from gm.model.soul import NO_SOUL, Soul, SoulChange


@dataclass(frozen=True, slots=True)
class Mind:
    """The layers of one character; a layer without a file is empty, or None.

    Attributes:
        soul: What it is and stays.
        page: Its working memory.
        relationships: What it thinks of others, by their ids.
        diary: Its diary, in the order of the file.
        goals: What it wants to reach, settled or not, in the order in which it was opened.
    """

    soul: Soul = NO_SOUL
    page: Page = NO_PAGE
    relationships: Mapping[str, Relationship] | None = None
    diary: tuple[DiaryEntry, ...] | None = None
    goals: tuple[Goal, ...] = ()


@dataclass(frozen=True, slots=True)
class MindChange:
    """What one step changes in the layers of one character; None = nothing in that layer.

    Attributes:
        soul: What is added to the soul and taken out of it.
        page: What changes on the page of working memory.
        relationships: What changes in what it thinks of others, one for each of them.
        diary: What it writes into its diary.
        goals: Lines for the file of goals, in order.
    """

    soul: SoulChange | None = None
    page: PageChange | None = None
    relationships: tuple[RelationshipChange, ...] = ()
    diary: DiaryEntry | None = None
    goals: tuple[GoalEvent, ...] = ()


NO_MIND = Mind()
