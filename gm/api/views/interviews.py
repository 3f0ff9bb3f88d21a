"""The interviews of a character that are kept, with the memories that each answer rests on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from gm.api.reports.why.origin import CitedMemory
from gm.api.views.bank import Bank
from gm.base.errors import Problem
from gm.files.experiments.interviews import read_interviews
from gm.files.streams.memories import Memories
from gm.model.calendar import by_end
from gm.model.interview import KINDS, InterviewAnswer


@dataclass(frozen=True, slots=True)
class ShownReply:
    """An answer, and the memories that its ids name; ``found`` is None where the character has no such memory."""

    said: InterviewAnswer
    cited: tuple[CitedMemory, ...]
    beside: tuple[CitedMemory, ...]


@dataclass(frozen=True, slots=True)
class InterviewView:
    """The answers of a character at one moment.

    Attributes:
        moments: All at which it was asked, newest first.
        at: The one that is shown; empty = it was never asked.
        kinds: Kinds of questions in their order, with the answers to them.
    """

    agent: str
    moments: tuple[str, ...]
    at: str
    kinds: tuple[tuple[str, tuple[ShownReply, ...]], ...]
    problems: tuple[Problem, ...] = ()


def view_interviews(memories: Memories, agent: str, at: str = "") -> InterviewView:
    """Return what a character answered at a moment; at the newest one without ``at``, or if it was not asked there."""
    answers, problems = read_interviews(memories.layout)
    own = [answered for answered in answers if answered.agent == agent]
    moments = sorted({answered.at for answered in own}, key=by_end, reverse=True)
    chosen = at if at in moments else next(iter(moments), "")
    bank = Bank(memories, agent)

    @cache
    def cited(identifier: str) -> CitedMemory:
        found = bank.find(identifier)
        return CitedMemory(identifier, found if found and found.agent == agent else None)

    def reply(said: InterviewAnswer) -> ShownReply:
        return ShownReply(said, tuple(map(cited, said.cited)), tuple(map(cited, said.beside)))

    there = [answered for answered in own if answered.at == chosen]
    kinds = tuple(
        (kind, replies) for kind in KINDS if (replies := tuple(reply(one) for one in there if one.kind == kind))
    )
    return InterviewView(agent, tuple(moments), chosen, kinds, tuple(problems))
