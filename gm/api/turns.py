"""What was done, said and thought in a scene, put in order again.

A logbook line keeps three lists: what everybody did, what was said, what was thought. In a scene that was played turn
by turn each list is in the order of the turns, so that the turns can be told from them. Where all answered at once,
what was said was woven afterwards: then everybody's doing and thinking comes first, and the talk follows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

Said = tuple[str, str]
"""Who, and the words."""


@dataclass(frozen=True, slots=True)
class Turn:
    """What one character did, said and thought before the next one had the word.

    Attributes:
        agent: Who.
        action: What it did, told from outside; may be empty.
        lines: What it said, in order.
        thought: What it thought and nobody heard; may be empty.
    """

    agent: str
    action: str = ""
    lines: tuple[str, ...] = ()
    thought: str = ""


def turns_of(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns of a scene from its logbook line; nothing is left out of it, and nothing added."""
    base = _acted(_pairs(record, "actions"), _pairs(record, "thoughts"))
    said = _joined(_pairs(record, "dialogue"))
    woven = _one_by_one(base, said)
    if woven is not None:
        return woven
    return (*base, *(Turn(agent, lines=lines) for agent, lines in said))


def without_thoughts(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Leave out what nobody heard, and the turns in which there was nothing else."""
    return tuple(replace(turn, thought="") for turn in turns if turn.action or turn.lines)


def _pairs(record: Mapping[str, Any], key: str) -> list[Said]:
    """Read one list tolerantly: objects with agent (or speaker) and text (or line), or mere texts."""
    value = record.get(key)
    found = []
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            who = item.get("agent", item.get("speaker"))
            found.append((who if isinstance(who, str) else "", _text(item.get("text", item.get("line")))))
        else:
            found.append(("", _text(item)))
    return [(who, text) for who, text in found if text]


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(filter(None, map(_text, value)))
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def _acted(actions: Sequence[Said], thoughts: Sequence[Said]) -> tuple[Turn, ...]:
    """Put what was done and what was thought together, turn by turn."""
    doing, thinking = [name for name, _ in actions], [name for name, _ in thoughts]
    turns: list[Turn] = []
    for kind, first, first_end, second, second_end in SequenceMatcher(None, doing, thinking, False).get_opcodes():
        if kind == "equal":
            both = zip(actions[first:first_end], thoughts[second:second_end], strict=True)
            turns += [Turn(name, text, thought=thought) for (name, text), (_, thought) in both]
        else:
            turns += [Turn(name, text) for name, text in actions[first:first_end]]
            turns += [Turn(name, thought=text) for name, text in thoughts[second:second_end]]
    return tuple(turns)


def _joined(said: Sequence[Said]) -> list[tuple[str, tuple[str, ...]]]:
    """Join what one character says in a row."""
    joined: list[tuple[str, tuple[str, ...]]] = []
    for name, text in said:
        if joined and joined[-1][0] == name:
            joined[-1] = (name, (*joined[-1][1], text))
        else:
            joined.append((name, (text,)))
    return joined


def _one_by_one(base: Sequence[Turn], said: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Turn, ...] | None:
    """Give each turn what was said in it; None when what was said is not in the order of the turns."""
    turns: list[Turn] = []
    at = 0
    for turn in base:
        if at < len(said) and said[at][0] == turn.agent:
            turn = replace(turn, lines=said[at][1])
            at += 1
        turns.append(turn)
    return tuple(turns) if at == len(said) else None
