"""The turns of a scene, as its logbook line tells them, and the order in which they are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import chain, groupby, starmap
from typing import Literal

from gm.base.config import kinds
from gm.base.untyped import items_of, objects_in
from gm.model.record import Key, Record, checked_records

Text = tuple[str, str]
"""Agent id and text."""


@dataclass(frozen=True, slots=True)
class Said:
    """A spoken line; ``to`` is the id of the addressee, empty = all present."""

    text: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class PlayedTurn:
    """What a character did, said and thought in one turn, and what it finished; each may be empty.

    Attributes:
        agent: Id; empty when a hand-made line does not say who.
        round: From 1; turns of one round were simultaneous. 0 = unknown.
    """

    agent: str
    action: str = ""
    lines: tuple[Said, ...] = ()
    thought: str = ""
    artifact: str = ""
    round: int = 0

    def record(self) -> dict[str, object]:
        """Return the turn as it stands in a logbook line, without empty values."""
        return TURN.write(self)


def _label(name: str, sentence: str = "") -> Key:
    return Key(name, kinds.text, sentence, default="", brief=True)


_LINE = Record(
    Said,
    "spoken line",
    Key("to", kinds.loose_text, "id of the addressee", default="", brief=True),
    Key("text", kinds.loose_text, ""),
)
_LINES = replace(
    checked_records(_LINE, "a list of objects with a text each"),
    write=lambda lines: [_LINE.write(line) for line in lines],
)
TURN = Record(
    PlayedTurn,
    "turn",
    Key("agent", kinds.text, "", default=""),
    Key("round", kinds.whole(1), "from 1; turns of one round were simultaneous", default=0, brief=True),
    _label("action"),
    Key("lines", _LINES, "", default=(), brief=True),
    _label("thought"),
    _label("artifact", "path of what was finished"),
)
"""A turn in a logbook line, as gm writes it; ``turns_of`` reads any."""
INNER = ("thought",)
"""Keys of a turn that only its character knows; all see or hear the others."""


def turns_of(record: Mapping[str, object]) -> tuple[PlayedTurn, ...]:
    """Return the turns of a logbook line in order, without empty ones."""
    value = record.get("turns")
    played = [_turn(item) for item in objects_in(value)]
    return tuple(filter(_is_told, played)) if played else _rebuilt(record)


def lists_of(turns: Iterable[PlayedTurn]) -> dict[str, list[dict[str, str]]]:
    """Return ``dialogue``, ``thoughts`` and ``actions`` as a logbook line has them, each in the order of the turns.

    A line has simultaneous dialogue in the order in which it was heard.
    """
    turns = tuple(turns)
    return {
        "dialogue": [{"agent": turn.agent, "text": line.text} for turn in turns for line in turn.lines],
        "thoughts": [{"agent": turn.agent, "text": turn.thought} for turn in turns if turn.thought],
        "actions": [{"agent": turn.agent, "text": turn.action} for turn in turns if turn.action],
    }


def differing_lists(record: Mapping[str, object]) -> tuple[str, ...]:
    """Return which lists of a line were edited by hand to say other than its turns, in any order."""
    derived = lists_of(turns_of(record))
    return tuple(key for key, texts in derived.items() if key in record and not _is_same(record[key], texts))


def _is_same(value: object, texts: Sequence[Mapping[str, str]]) -> bool:
    derived = sorted((item["agent"], item["text"]) for item in texts)
    return isinstance(value, list) and sorted(_pairs({"": value}, "")) == derived


def unless_blank(text: str) -> str:
    """Return the text, or "" if it is blank."""
    return text if text.strip() else ""


def without_thoughts(turns: Iterable[PlayedTurn]) -> tuple[PlayedTurn, ...]:
    """Remove thoughts, and turns with nothing else."""
    return tuple(filter(_is_told, (replace(turn, thought="") for turn in turns)))


def with_last_thoughts(turns: Sequence[PlayedTurn]) -> tuple[PlayedTurn, ...]:
    """Keep of each agent's thoughts its last one; remove turns with nothing else."""
    last = {turn.agent: place for place, turn in enumerate(turns) if turn.thought}
    kept = (turn if last.get(turn.agent) == place else replace(turn, thought="") for place, turn in enumerate(turns))
    return tuple(filter(_is_told, kept))


def _is_told(turn: PlayedTurn) -> bool:
    return bool(turn.action or turn.lines or turn.thought or turn.artifact)


def _turn(item: Mapping[str, object]) -> PlayedTurn:
    number = item.get("round")
    lines = objects_in(item.get("lines"))
    return PlayedTurn(
        _join_text(item.get("agent")),
        _join_text(item.get("action")),
        tuple(Said(text, _join_text(line.get("to"))) for line in lines if (text := _join_text(line.get("text")))),
        _join_text(item.get("thought")),
        _join_text(item.get("artifact")),
        number if type(number) is int and number > 0 else 0,
    )


def _join_text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_join_text, value)))
    return str(value).strip() if isinstance(value, str) or kinds.is_number(value) else ""


def _rebuilt(record: Mapping[str, object]) -> tuple[PlayedTurn, ...]:
    base = _acted(_pairs(record, "actions"), _pairs(record, "thoughts"))
    said = _joined(_pairs(record, "dialogue"))
    woven = _one_by_one(base, said)
    if woven is not None:
        return woven
    return (*base, *(PlayedTurn(agent, lines=lines) for agent, lines in said))


def _pairs(record: Mapping[str, object], key: str) -> list[Text]:
    found = []
    for item in items_of(record.get(key)):
        if isinstance(item, dict):
            who = item.get("agent", item.get("speaker"))
            found.append((who if isinstance(who, str) else "", _join_text(item.get("text", item.get("line")))))
        else:
            found.append(("", _join_text(item)))
    return [(who, text) for who, text in found if text]


def _acted(actions: Sequence[Text], thoughts: Sequence[Text]) -> tuple[PlayedTurn, ...]:
    doing, thinking = [name for name, _ in actions], [name for name, _ in thoughts]
    turns: list[PlayedTurn] = []
    for kind, first, first_end, second, second_end in SequenceMatcher(None, doing, thinking, False).get_opcodes():
        if kind == "equal":
            both = zip(actions[first:first_end], thoughts[second:second_end], strict=True)
            turns += [PlayedTurn(name, text, thought=thought) for (name, text), (_, thought) in both]
        else:
            turns += [PlayedTurn(name, text) for name, text in actions[first:first_end]]
            turns += [PlayedTurn(name, thought=text) for name, text in thoughts[second:second_end]]
    return tuple(turns)


def _joined(said: Sequence[Text]) -> list[tuple[str, tuple[Said, ...]]]:
    grouped = groupby(said, lambda pair: pair[0])
    return [(name, tuple(Said(text) for _, text in lines)) for name, lines in grouped]


def _one_by_one(
    base: Sequence[PlayedTurn], said: Sequence[tuple[str, tuple[Said, ...]]]
) -> tuple[PlayedTurn, ...] | None:
    """Assign the dialogue to the turns; None if it has another order."""
    turns: list[PlayedTurn] = []
    at = 0
    for turn in base:
        if at < len(said) and said[at][0] == turn.agent:
            turn = replace(turn, lines=said[at][1])
            at += 1
        turns.append(turn)
    return tuple(turns) if at == len(said) else None


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
    begun: set[int] = set()
    follows = False
    for number, group in groupby(turns, lambda turn: turn.round):
        together = list(group)
        mark: Mark = "meanwhile" if number in begun else "at_once" if number and len(together) > 1 else ""
        yield mark or ("afterwards" if follows else ""), together[0]
        for turn in together[1:]:
            yield "", turn
        begun |= {number} - {0}
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
