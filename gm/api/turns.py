"""Rebuild the turns of a scene from its logbook line's actions, dialogue and thoughts.

Each list is in the order of the turns; but where all answered at once, the dialogue was woven later and comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

Said = tuple[str, str]
"""Agent id and text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A character's action, dialogue and thought before the next turn; may be empty."""

    agent: str
    action: str = ""
    lines: tuple[str, ...] = ()
    thought: str = ""


def turns_of(record: Mapping[str, Any]) -> tuple[Turn, ...]:
    """Return the turns of a logbook line; nothing is omitted or added."""
    base = _acted(_pairs(record, "actions"), _pairs(record, "thoughts"))
    said = _joined(_pairs(record, "dialogue"))
    woven = _one_by_one(base, said)
    if woven is not None:
        return woven
    return (*base, *(Turn(agent, lines=lines) for agent, lines in said))


def without_thoughts(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Remove thoughts, and turns with nothing else."""
    return tuple(replace(turn, thought="") for turn in turns if turn.action or turn.lines)


def _pairs(record: Mapping[str, Any], key: str) -> list[Said]:
    """Read a list of agent (or speaker) and text (or line), or of strings."""
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
    joined: list[tuple[str, tuple[str, ...]]] = []
    for name, text in said:
        if joined and joined[-1][0] == name:
            joined[-1] = (name, (*joined[-1][1], text))
        else:
            joined.append((name, (text,)))
    return joined


def _one_by_one(base: Sequence[Turn], said: Sequence[tuple[str, tuple[str, ...]]]) -> tuple[Turn, ...] | None:
    """Assign the dialogue to the turns; None if it has another order."""
    turns: list[Turn] = []
    at = 0
    for turn in base:
        if at < len(said) and said[at][0] == turn.agent:
            turn = replace(turn, lines=said[at][1])
            at += 1
        turns.append(turn)
    return tuple(turns) if at == len(said) else None
