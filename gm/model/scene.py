"""Scenes: their types, the one about to be played, and the logbook line of one that was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypedDict

from gm.base.config import RagSettings
from gm.base.texts import text_at
from gm.model.calendar import SceneRef
from gm.model.passage import Passage

Play = Literal["parallel", "sequential", "solo"]
ReplyKind = Literal["scene", "reflection"]

Premise = tuple[str, Mapping[str, object]]
"""Key and values of a sentence of the Game Master's words."""

SUMMARY = "SUMMARY"
EVERYONE = ("all",)
"""``SceneType.who`` when all take part."""


class Raised(TypedDict, total=False):
    """How a scene type is played otherwise when the moment is important: attributes of ``SceneType``."""

    play: Play
    rounds: tuple[int, int]
    max_turns: int | None
    chair: bool
    answer_addressed: bool


@dataclass(frozen=True, slots=True)
class SceneType:
    """What the front matter of a template in ``prompts/scenes/`` says.

    Attributes:
        name: As in the logbook: ARRIVAL, ENCOUNTER, …; the file is the name in lower case.
        template: Name of the template that is rendered for each participant.
        play: How it is played. parallel: all answer the same situation at once. sequential: turn by turn,
            each hears what was said before. solo: one character alone.
        reply: Which reply the characters give.
        cast: Fewest and most participants.
        times: Times of day at which the Director may choose the type; empty = never of its own accord.
        rounds: Sequential play: fewest and most turns of each participant.
        max_turns: Sequential play: most turns of all together, as soon as all have had their fewest; None = no
            limit.
        plan: Whether the reply must carry a plan for the day.
        disperse: Whether all go back to their own places afterwards.
        chair: Sequential play: whether the one who starts leads: opens, gives the word, and has the closing word.
        answer_addressed: Parallel play: whether those who were asked something get one more turn to answer.
        library: Whether those who take part have before them what the world's library says about its topic.
        tag: Tag of all memories of such scenes; earlier ones that carry it are shown again. Empty = none.
        tags: Memories that carry one of these tags stand in place of the window in such scenes; empty = the window.
        raised: How it is played when the moment is important: values of the attributes above that differ then.
        rag: Which memories come to mind in such scenes; None = as the settings say.
        regular: Whether the Director proposes the type whenever its times come; otherwise only for a particular reason,
            such as a plan, a thread or a message.
        every: Story days after the last such scene that count in full for the next one.
        who: Who takes part when the Director proposes it: ``EVERYONE``, or names of characters; empty = all when they
            fit into ``cast``, else each character with those whom they have not met for longest.
        place: Where it is played when the Director proposes it; empty = where the cast usually meets or works.
        premise: Template of the sentence with which such a scene begins; empty = it names who is there.
        why: Template of the reason for it; empty = when there was the last one.
        suits: How well it suits a time of day, from 0 to 1.
        daily: Whether every day needs one.
        share: One scene in so many of a day, rounded up, may be of this type; None = each character has one a day.
    """

    name: str
    template: str
    play: Play = "parallel"
    reply: ReplyKind = "scene"
    cast: tuple[int, int] = (1, 99)
    times: tuple[str, ...] = ()
    rounds: tuple[int, int] = (1, 1)
    max_turns: int | None = None
    plan: bool = False
    disperse: bool = False
    chair: bool = False
    answer_addressed: bool = False
    library: bool = False
    tag: str = ""
    tags: tuple[str, ...] = ()
    raised: Raised = field(default_factory=Raised)

    rag: RagSettings | None = None
    regular: bool = True
    every: int = 5
    who: tuple[str, ...] = ()
    place: str = ""
    premise: str = ""
    why: str = ""
    suits: Mapping[str, float] = field(default_factory=dict)
    daily: bool = False
    share: int | None = None

    def raise_(self) -> SceneType:
        """Return the type as it is played when the moment is important; itself when that makes no difference."""
        return replace(self, raised=Raised(), **self.raised) if self.raised else self


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of the Game Master: a named part of a score, with the words to explain it.

    Attributes:
        part: Name of the part: event, brief, plan, artifact, unmet, work, pacing, dice …
        points: What it adds to the score; negative for what speaks against.
        phrase: Key of the sentence in ``words.yaml``; empty for parts that need no sentence.
        values: What the sentence is about.
    """

    part: str
    points: float
    phrase: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scene that could be played next.

    Attributes:
        type: Name of the scene type.
        cast: Agent ids; the first one is the one who starts it.
        place: Where it happens.
        reasons: Why; their points sum up to the score.
        premise: Key and values of the sentence that opens the scene for all who take part.
        topic: What it is about, in words that all who take part know; may be empty.
        intent: What the one who starts it keeps to itself; may be empty.
        answers: Ids of briefs, events, artifacts or threads that the scene takes up.
        premises: Key and values of what only one of the cast knows or sees when it begins, by agent.
    """

    type: str
    cast: tuple[str, ...]
    place: str
    reasons: tuple[Reason, ...]
    premise: Premise
    topic: str = ""
    intent: str = ""
    answers: tuple[str, ...] = ()
    premises: Mapping[str, Premise] = field(default_factory=dict)

    @property
    def score(self) -> float:
        """Sum of the points of all reasons."""
        return sum(reason.points for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene that is being played.

    Attributes:
        cast: Who takes part; the first one starts it.
        premise: What all who take part know and see when it begins.
        premises: What only one of them knows or sees besides, by agent.
        intent: What the one who starts it keeps to itself.
        answers: Keys of what it takes up: briefs, events, artifacts, threads.
        director: Who chose it: rules, llm, script; or asked, for one that a person wanted beside the Director's.
        director_note: Why another than the intended Director chose it; usually empty.
        note: What the Creative Director said before it was played once more; empty as a rule.
        score: Points of the reasons it was chosen for, by part; empty when nothing was weighed.
        passages: What the library says about its topic, best first; only where its type looks something up.
        tags: Memories that carry one of these tags stand in place of the window; empty = the window.
    """

    ref: SceneRef
    type: SceneType
    time_of_day: str
    place: str
    cast: tuple[str, ...]
    why: str
    premise: str
    topic: str = ""
    intent: str = ""
    answers: tuple[str, ...] = ()
    premises: Mapping[str, str] = field(default_factory=dict)
    director: str = "rules"
    director_note: str = ""
    note: str = ""
    score: Mapping[str, float] = field(default_factory=dict)
    passages: tuple[Passage, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class LogEntry:
    """One line of a logbook, read tolerantly: hand-made logbooks have other keys as well.

    What scenes ask of every line, time and again, is worked out once; so a record must not be changed.
    """

    day: int
    record: Mapping[str, Any]

    @property
    def is_summary(self) -> bool:
        """Whether this is the day's closing line."""
        return self.record.get("type") == SUMMARY

    @property
    def type(self) -> str:
        """Scene type; compound ones (``WORK+REFLECTION``) as they stand."""
        return text_at(self.record, "type")

    @property
    def number(self) -> int | None:
        """Number of the scene in its day."""
        value = self.record.get("scene")
        return value if isinstance(value, int) else None

    @property
    def dialogue(self) -> tuple[tuple[str, str], ...]:
        """Lines that were said aloud: speaker and text."""
        value = self.record.get("dialogue")
        lines = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
        return tuple((text_at(line, "agent"), text_at(line, "text")) for line in lines)

    @property
    def time_of_day(self) -> str:
        """Time of day, any word."""
        return text_at(self.record, "time_of_day" if "time_of_day" in self.record else "time")

    @property
    def place(self) -> str:
        """Where it happened."""
        return text_at(self.record, "location")

    @cached_property
    def participants(self) -> tuple[str, ...]:
        """Who took part; may include names that are no agents."""
        return _texts(self.record.get("participants"))

    @property
    def artifacts(self) -> tuple[str, ...]:
        """Paths of artifacts; objects with a ``path`` count as their path."""
        value = self.record.get("artifacts")
        found = []
        for item in value if isinstance(value, list) else ():
            path = item.get("path") if isinstance(item, dict) else item
            if isinstance(path, str):
                found.append(path)
        return tuple(found)

    @property
    def director(self) -> str:
        """Who chose the scene; empty in logbooks that do not say."""
        return text_at(self.record, "director")

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """What the scene took up: keys of briefs, events and artifacts."""
        return _texts(self.record.get("answers"))

    @property
    def delivered(self) -> tuple[tuple[str, str], ...]:
        """Posts that became known to all with the scene: key and beginning of each."""
        value = self.record.get("delivered")
        items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
        return tuple((text_at(item, "post"), text_at(item, "text")) for item in items)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
