"""What a character thinks of the others, and the others of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gm.api.views.cast import Frame, count_met, gather_cast
from gm.api.views.graphs.base import Cast
from gm.api.views.graphs.source import source_of
from gm.api.views.portrait import persona_words
from gm.base.errors import Problem
from gm.files.commits.snapshot import snapshot
from gm.files.layers import has_layer, load_history, load_layer, without_switched_off
from gm.files.layout import Layout
from gm.files.story.now import load_persona, load_settings
from gm.layers.relationships import COUNT, HISTORY, KEYS, MET, RELATIONSHIP, RELATIONSHIPS, Relationship
from gm.model.calendar import SceneRef, moment_of
from gm.model.mind import is_on
from gm.model.record import RecordError

LATEST = 12
_SHOWN = tuple(key for key in KEYS if key not in (COUNT, MET))


@dataclass(frozen=True, slots=True)
class RegardShift:
    """A change in what one character (``by``) thinks of another (``to``)."""

    by: str
    to: str
    at: SceneRef
    changed: frozenset[str]
    before: Relationship
    after: Relationship
    why: str


@dataclass(frozen=True, slots=True)
class Tie:
    """What is between a character and one other.

    Attributes:
        own: The character's view of the other; None = not written. ``returned`` is that of the other.
        scenes: Scenes both shared, without those of the whole cast.
        said: The persona's words under friends or quarrels, or empty.
        older: Number of changes before ``turns``, the latest of both sides.
    """

    other: str
    own: Relationship | None
    returned: Relationship | None
    scenes: int
    said: str
    turns: tuple[RegardShift, ...]
    older: int = 0

    @property
    def says_nothing(self) -> bool:
        """Whether neither has said anything of the other."""
        stated = any(regard is not None and regard.is_stated for regard in (self.own, self.returned))
        return not stated and not self.said


@dataclass(frozen=True, slots=True)
class BondsView:
    """What is between a character and all others.

    Attributes:
        ties: Those with words first, then by strength of trust or distrust.
    """

    agent: str
    is_on: bool
    path: str
    ties: tuple[Tie, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def is_written(self) -> bool:
        """Whether any relationship stands in a file."""
        return any(tie.own is not None or tie.returned is not None for tie in self.ties)


def view_bonds(layout: Layout, frame: Frame, agent: str) -> BondsView:
    """Return what is between a character and all others."""
    cast = gather_cast(frame)
    with snapshot(layout):
        settings, _ = load_settings(layout)  # the frame reports its problems
        regards, turns, problems = _read_regards(layout, cast, agent)
        persona, _ = load_persona(layout, agent)  # the character page reports its problems
        met = count_met(source_of(layout).scenes(cast)).get(agent) or Counter[str]()
    said = {
        _id(cast, name): text for key in ("friends", "quarrels") for name, text in persona_words(persona, key).items()
    }
    own = regards[agent]
    ties = []
    for other in dict.fromkeys(name for name in (*cast.names, *own) if name != agent):
        between = [turn for turn in turns if {turn.by, turn.to} == {agent, other}]
        returned = regards.get(other, {}).get(agent)
        shown = tuple(between[:LATEST])
        ties.append(
            Tie(
                other,
                own.get(other),
                returned,
                met.get(other, 0),
                said.get(other, ""),
                shown,
                len(between) - len(shown),
            )
        )
    return BondsView(
        agent=agent,
        is_on=is_on(settings.relationships, any(has_layer(layout, RELATIONSHIPS, name) for name in cast.names)),
        path=layout.shown(layout.layer(RELATIONSHIPS, agent)),
        ties=tuple(sorted(ties, key=_rank_tie)),
        problems=tuple(without_switched_off(layout, settings, list(dict.fromkeys(problems)))),
    )


def _rank_tie(tie: Tie) -> tuple[bool, float, int]:
    strength = max(abs(regard.trust_level) if regard else 0.0 for regard in (tie.own, tie.returned))
    return tie.says_nothing, -strength, -tie.scenes


def _read_regards(
    layout: Layout, cast: Cast, agent: str
) -> tuple[dict[str, Mapping[str, Relationship]], Sequence[RegardShift], list[Problem]]:
    regards: dict[str, Mapping[str, Relationship]] = {}
    turns: list[RegardShift] = []
    problems: list[Problem] = []
    for name in cast.names:
        found, wrong = load_layer(layout, RELATIONSHIPS, name)
        regards[name] = {_id(cast, other): regard for other, regard in found.items()}
        read, more = history_of(layout, cast, name)
        turns += [turn for turn in read if agent in (turn.by, turn.to)]
        problems += [*wrong, *more]
    return regards, sorted(turns, key=lambda turn: turn.at, reverse=True), problems


def history_of(layout: Layout, cast: Cast, agent: str) -> tuple[list[RegardShift], list[Problem]]:
    """Return the changes in what a character thinks of others, in order."""
    lines, problems = load_history(layout, RELATIONSHIPS, agent, HISTORY)
    found = (_read_shift(cast, agent, line.record) for line in lines)
    return [turn for turn in found if turn is not None], problems


def _id(cast: Cast, name: str) -> str:
    return cast.find(name) or name


def _read_shift(cast: Cast, by: str, record: Mapping[str, Any]) -> RegardShift | None:
    old, new, why = record.get("old") or {}, record.get("new") or {}, record.get("why")
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return None
    changed = frozenset(key for key in _SHOWN if key in new and new[key] != old.get(key))
    try:
        before, after = RELATIONSHIP.read(old), RELATIONSHIP.read(new)
    except RecordError:
        return None  # the current relationship is readable, and counts
    at = moment_of(str(record.get("at", "")))
    to = _id(cast, str(record.get("with", "")))
    return RegardShift(by, to, at, changed, before, after, why if isinstance(why, str) else "") if changed else None
