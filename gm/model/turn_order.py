"""The order in which the turns of a scene are told, and what is said between them.

A logbook line keeps simultaneous turns in the order of the cast, and answers after all of them. Told like that, a
question stands far from its answer. What was simultaneous has no order of its own, so a telling may choose one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, groupby, starmap
from typing import Literal

from gm.model.turns import PlayedTurn

Mark = Literal["", "at_once", "meanwhile", "afterwards"]
MARKS: Mapping[Mark, str] = {"at_once": "at the same time", "meanwhile": "meanwhile", "afterwards": "afterwards"}
"""For terminals and ``git diff``."""


def in_telling_order(turns: Sequence[PlayedTurn]) -> tuple[PlayedTurn, ...]:
    """Return the turns of a scene so that answers stand near what they answer.

    A turn answers the turns of earlier rounds of those whom its lines address; it answers all if it says nothing, or
    says something to all or to a person without such a turn. So simultaneous turns and the single turns after them
    fall into conversations, each of characters who answer each other; they are told one after another, each to its
    end. In each the simultaneous turns stand first, and the one that is answered first is the last of them. The other
    turns keep their order, so none stands before what it answers, or before an earlier one of the same character.
    Turns that were played one by one, or whose rounds are unknown, stay as they are.
    """
    return tuple(chain.from_iterable(starmap(_order_round, _stretches(turns))))


def marked(turns: Iterable[PlayedTurn]) -> Iterator[tuple[Mark, PlayedTurn]]:
    """Yield each turn with what is to be said before it.

    ``at_once`` stands before the first of several simultaneous turns, ``meanwhile`` where more of them are told after
    later ones, ``afterwards`` before the turn that follows either.
    """
    told: set[int] = set()
    follows = False
    for number, group in groupby(turns, lambda turn: turn.round):
        together = list(group)
        mark: Mark = "meanwhile" if number in told else "at_once" if number and len(together) > 1 else ""
        yield mark or ("afterwards" if follows else ""), together[0]
        for turn in together[1:]:
            yield "", turn
        told |= {number} - {0}
        follows = bool(mark)


def _stretches(turns: Iterable[PlayedTurn]) -> Iterator[tuple[list[PlayedTurn], list[PlayedTurn]]]:
    """Yield the turns of a round with the single turns of later rounds after it, up to the next that is none."""
    first: list[PlayedTurn] = []
    later: list[PlayedTurn] = []
    for number, group in groupby(turns, lambda turn: turn.round):
        together = list(group)
        if first and len(together) == 1 and number > (later or first)[-1].round:
            later += together
        else:
            yield first, later
            first, later = together, []
    yield first, later


def _order_round(first: Sequence[PlayedTurn], later: Sequence[PlayedTurn]) -> Iterator[PlayedTurn]:
    if len(first) < 2 or not later or not first[0].round:
        yield from (*first, *later)
        return
    for circle in _circles(first, later):
        yield from _conversation(*([turn for turn in turns if turn.agent in circle] for turns in (first, later)))


def _circles(first: Sequence[PlayedTurn], later: Sequence[PlayedTurn]) -> Sequence[set[str]]:
    """Return the agents of each conversation."""
    circles = [{agent} for agent in dict.fromkeys(turn.agent for turn in first)]
    for turn in later:
        talking = {turn.agent, *_find_answered(turn, set().union(*circles))}
        joined = [circle for circle in circles if circle & talking]
        joined[0].update(talking, *joined)
        circles = [circle for circle in circles if circle not in joined[1:]]
    return circles


def _conversation(first: Sequence[PlayedTurn], later: Sequence[PlayedTurn]) -> tuple[PlayedTurn, ...]:
    answer = next((turn for turn in later[:1] if turn.lines or turn.action), None)
    answered = _find_answered(answer, {turn.agent for turn in first}) if answer else ()
    last = max((place for place, turn in enumerate(first) if turn.agent in answered), default=len(first) - 1)
    return (*first[:last], *first[last + 1 :], first[last], *later)


def _find_answered(turn: PlayedTurn, agents: Set[str]) -> Set[str]:
    """Return those of the agents whose earlier turns a turn answers."""
    others = agents - {turn.agent}
    named = {line.to for line in turn.lines}
    return named if named and named <= others - {""} else others
