"""Scene types, and scenes to be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypedDict

from gm.base.config import RagSettings
from gm.model.calendar import SceneRef
from gm.model.passage import Passage

ANY_NUMBER = 99
"""The most participants of a scene type that has room for all."""
Play = Literal["parallel", "sequential", "solo"]
ReplyKind = Literal["scene", "reflection"]
LastWord = Literal["none", "heard", "all"]

Premise = tuple[str, Mapping[str, object]]
"""Key and values of a sentence in ``words.yaml``."""

ARRIVAL, ENCOUNTER, WORK, MEETING, EVENT = "ARRIVAL", "ENCOUNTER", "WORK", "MEETING", "EVENT"
LIBRARY, REFLECTION, SUMMARY = "LIBRARY", "REFLECTION", "SUMMARY"
"""Scene types that the Game Master knows by name."""
ASKED = "ASK"
"""Name of the type of a question out of scene."""
DIARY_TYPE = "DIARY"
"""Name of the type in which diaries are written."""
EVERYONE = ("all",)
"""``SceneType.who`` when all take part."""


class Raised(TypedDict, total=False):
    """Attributes of ``SceneType`` that differ when the moment is important."""

    play: Play
    rounds: tuple[int, int]
    max_turns: int | None
    chair: bool
    starts_alone: bool
    answer_addressed: bool


@dataclass(frozen=True, slots=True)
class SceneType:
    """The front matter of a template in ``prompts/scenes/``.

    Attributes:
        name: ARRIVAL, ENCOUNTER, …; the file has the name in lower case.
        play: parallel: all answer the same situation at once. sequential: turn by turn, each hears the previous ones.
            solo: one character alone.
        cast: Minimum and maximum number of participants.
        times: Times of day at which the Director may choose the type; empty = never of its own accord.
        rounds: Sequential play: minimum and maximum turns of each participant.
        max_turns: Sequential play: maximum turns in total, once all have had their minimum; None = no limit.
        chair: Sequential play: whether the first participant opens, gives the word, and has the last word.
        starts_alone: Parallel play: whether the first participant acts first, and the others, who have seen it, at the
            same time after it.
        answer_addressed: Parallel play: whether those who were spoken to get one more turn, one after another.
        last_word: Who is asked once more, when the scene is over, for what it remembers. heard: those addressed after
            their last turn. all: all but the one who was certain to speak last.
        returns: Whether those who were elsewhere when it began go back there, unless they say otherwise.
        tag: Tag of all memories of such scenes; earlier ones with this tag are shown again.
        tags: Memories with one of these tags replace the window.
        raised: Values that differ when the moment is important.
        again: Values that differ when a scene of this type was played earlier in the day; they come before ``raised``.
        rag: Retrieval settings; None = those of ``gm.yaml``.
        regular: Whether the Director proposes the type at all its times; otherwise only for a reason such as a plan, a
            thread or a message.
        every: Story days since the last such scene at which waiting counts in full.
        who: ``EVERYONE``, or names of characters; empty = all if they fit into ``cast``, else each character with those
            it has not met for longest.
        place: Proposed place; empty = where the cast usually meets or works.
        premise: Template of the opening sentence; empty = it names who is present.
        why: Template of the reason; empty = when the last such scene was.
        suits: How well it suits a time of day, from 0 to 1.
        share: One in this many scenes of a day, rounded up, may be of this type; None = one a day for each character.
    """

    name: str
    template: str
    play: Play = "parallel"
    reply: ReplyKind = "scene"
    cast: tuple[int, int] = (1, ANY_NUMBER)
    times: tuple[str, ...] = ()
    rounds: tuple[int, int] = (1, 1)
    max_turns: int | None = None
    plan: bool = False
    disperse: bool = False
    chair: bool = False
    starts_alone: bool = False
    answer_addressed: bool = False
    last_word: LastWord = "none"
    returns: bool = False
    library: bool = False
    tag: str = ""
    tags: tuple[str, ...] = ()
    raised: Raised = field(default_factory=Raised)
    again: Raised = field(default_factory=Raised)

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
        return replace(self, raised=Raised(), **self.raised) if self.raised else self

    def play_again(self) -> SceneType:
        return replace(self, raised=Raised(), again=Raised(), **self.again) if self.again else self

    @property
    def is_at_once(self) -> bool:
        """Whether all first turns are simultaneous."""
        return not self.is_turn_by_turn and not self.starts_alone

    @property
    def is_turn_by_turn(self) -> bool:
        """Whether each character hears the turns before its own."""
        return self.play == "sequential"

    @property
    def is_reflection(self) -> bool:
        """Whether the character looks back by itself, instead of acting."""
        return self.reply == "reflection"


@dataclass(frozen=True, slots=True)
class Reason:
    """A named part of a score of the Game Master.

    Attributes:
        part: event, brief, plan, artifact, unmet, work, pacing, dice …
        points: May be negative.
        phrase: Key of a sentence in ``words.yaml`` for ``values``; may be empty.
    """

    part: str
    points: float
    phrase: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A scene that could be played next; see also ``Scene``.

    Attributes:
        reasons: Their points sum up to the score.
        topic: Known to all participants.
        clock: Clock time that was agreed, such as 15:00.
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
    clock: str = ""

    @property
    def score(self) -> float:
        return sum(reason.points for reason in self.reasons)


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene that is being played.

    Attributes:
        cast: Agent ids; the first one starts the scene.
        premise: What all participants know and see at the beginning.
        premises: What only one of them knows or sees in addition, by agent.
        intent: What the one who starts it keeps to itself.
        answers: Keys of what it takes up: briefs, events, artifacts, threads.
        director: Who chose it: rules, llm, script; or asked, if a person requested it.
        director_note: Why another than the intended Director chose it.
        note: The Creative Director's remark before a replay.
        score: Points by part; empty when nothing was weighed.
        passages: Best first; only for types with ``library``.
        about: Ids of the characters that a question out of scene names.
        moved: Places to which it went over, in order; ``place`` is the last one.
        joined: Ids of those in its room who take part since they were spoken to; they are in ``cast`` too.
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
    about: tuple[str, ...] = ()
    clock: str = ""
    moved: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()

    def seen_by(self, agent: str) -> Scene:
        """Return the scene without what one who joined it does not know: what brought the others together."""
        if agent not in self.joined:
            return self
        own = self.premises[agent]
        return replace(self, premise=own, premises={}, topic="", answers=(), passages=(), tags=self.type.tags)

    @property
    def is_asked(self) -> bool:
        """Whether it is only a question to a character, out of scene."""
        return self.type.name == ASKED
