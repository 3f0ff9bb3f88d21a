"""Who speaks next in a scene played turn by turn, whose turn is the last, and who is asked once more after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gm.model.scene import Scene, SceneType
from gm.model.thread import THREAD_ID
from gm.scene.dialogue.turns import Turn, after_last_round, after_last_turn
from gm.scene.grounding.mentions import content_words

FAREWELL_WORDS = 10
"""New content words in a scene, above which a last line to a character is more than a farewell."""
QUIET_TURNS = 2
"""Turns in a row that bring nothing new, after which a round is brought to its end."""


def last_words(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> tuple[str, ...]:
    """Return who is asked once more for memories when a scene has ended (``SceneType.last_word``).

    Characters that have closed it for themselves and recorded what they keep are left out, unless something new came
    after that. Where only those addressed late are asked, all have been told to record what they keep with ``done``.
    """
    if kind.last_word == "none" or not turns:
        return ()
    after = after_last_round if kind.is_at_once else after_last_turn
    left = {name: after(name, turns) for name in cast}
    open_ = [name for name in cast if not _has_closed(name, turns, kind) or _has_news(name, turns, left[name])]
    if kind.last_word == "heard":
        return tuple(
            name for name in open_ if any(line.to == name for turn in left[name] for line in turn.reply.dialogue)
        )
    *before, last = turns
    knew = last.agent if kind.is_turn_by_turn and is_end(last.agent, cast, before, kind) else ""
    return tuple(name for name in open_ if name != knew)


def _has_closed(agent: str, turns: Sequence[Turn], kind: SceneType) -> bool:
    last = next((turn.reply for turn in reversed(turns) if turn.agent == agent), None)
    return last is not None and last.done and bool(kind.last_word == "heard" or last.memories or last.conversation)


def _has_news(agent: str, turns: Sequence[Turn], after: Sequence[Turn]) -> bool:
    # A promise asks for nothing, and what is said to it is kept anyway; it is asked so that it can agree, or make
    # something of it.
    heard = [line.text for turn in after for line in turn.reply.dialogue if line.to in (None, agent)]
    opened = {one.kind for turn in after for one in turn.reply.opens}
    if any("?" in text for text in heard) or opened - {"promise"} or any(turn.reply.artifact for turn in after):
        return True
    said = " ".join(line.text for turn in turns[: len(turns) - len(after)] for line in turn.reply.dialogue)
    return len(content_words(" ".join(heard)) - content_words(said)) > FAREWELL_WORDS


def is_settled(scene: Scene, turns: Sequence[Turn]) -> bool:
    """Return whether a round with a chair has nothing left to settle, and all in it have spoken.

    All threads that it takes up are closed and nothing was asked last, or its last turns brought nothing new: no
    question, no promise or question to note, no closing, decision or piece.
    """
    if not scene.type.chair or not {turn.agent for turn in turns} >= {*scene.cast}:
        return False
    taken_up = {key for key in scene.answers if THREAD_ID.number(key)}
    closed = {one.id.strip("`") for turn in turns for one in turn.reply.closes}
    if taken_up and taken_up <= closed and not _has_question(turns[-1]):
        return True
    return not any(map(_has_progress, turns[-QUIET_TURNS:]))


def _has_question(turn: Turn) -> bool:
    return any("?" in line.text for line in turn.reply.dialogue)


def _has_progress(turn: Turn) -> bool:
    reply = turn.reply
    return bool(_has_question(turn) or reply.opens or reply.closes or reply.decisions or reply.artifact)


def next_speaker(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> str | None:
    """Return who speaks next in a sequential scene; None when all are done or the turns are used up.

    The addressee, else the one heard least; of these first one who was addressed and not heard since, then in the
    order of the cast. No character speaks twice in a row, and those ahead of others that still want their turns wait,
    even when addressed. One with nothing more to say may answer when addressed; but between two, ``done`` ends the
    scene, after one more turn of the other. The chair opens, may answer out of turn when addressed, and has the closing
    word if a turn is left, others have spoken since and none is owed a required turn.
    """
    talk = _Talk(tuple(cast), tuple(turns), kind)
    if not turns:
        return cast[0] if cast else None
    if talk.is_closed:
        return None
    if talk.ended is not None:
        return talk.next_to_close()
    return talk.next_one_who_must() if talk.owed else talk.next_one_who_may()


def next_speakers(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType, most: int = 1) -> tuple[str, ...]:
    """Return who speaks next at the same time in a sequential scene; empty when it is over.

    The next speaker, and in a round of many up to ``most`` together who have not spoken yet. The chair and those who
    are addressed speak alone.
    """
    first = next_speaker(cast, turns, kind)
    if first is None:
        return ()
    talk = _Talk(tuple(cast), tuple(turns), kind)
    if not turns or not talk.owed or talk.count[first] or first == talk.addressed:
        return (first,)
    silent = (name for name in cast if not talk.count[name] and name != first)
    return (first, *islice(silent, most - 1))


def is_last_turn(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Return whether an agent's coming turn is certainly its last."""
    talk = _Talk(tuple(cast), tuple(turns), kind)
    if talk.ended is not None:
        return True
    if talk.leader == agent:
        return talk.is_closing or talk.left - talk.owed_by_others(agent) <= 1
    if talk.count[agent] + 1 >= kind.rounds[1] or not talk.left_to_others(agent):
        return True
    if talk.count[agent] + 1 < kind.rounds[0] or not (kind.max_turns or talk.leader):
        return False
    owed = talk.owed_by_others(agent)
    spare = talk.left - 1 - owed - (talk.leader is not None)
    return spare < (1 if owed else 2)  # no character speaks twice in a row: another one needs one of the turns


def turns_left(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> int:
    """Return how many turns an agent has at most after its coming one."""
    if is_last_turn(agent, cast, turns, kind):
        return 0
    talk = _Talk(tuple(cast), tuple(turns), kind)
    own = kind.rounds[1] - talk.count[agent] - 1 + (talk.leader == agent)
    # no character speaks twice in a row
    return max(1, min(own, talk.left // 2, talk.left_to_others(agent)))


def is_end(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Return whether a sequential scene certainly ends with an agent's coming turn."""
    talk = _Talk(tuple(cast), tuple(turns), kind)
    if talk.leader is None and not talk.left_to_others(agent):
        return True
    return talk.left <= 1 or talk.ended is not None or (talk.leader == agent and talk.is_closing)


def is_closing_word(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Return whether an agent's coming turn is the chair's closing word."""
    talk = _Talk(tuple(cast), tuple(turns), kind)
    return talk.leader == agent and talk.is_closing


@dataclass(frozen=True, slots=True)
class _Talk:
    cast: tuple[str, ...]
    turns: tuple[Turn, ...]
    kind: SceneType

    @property
    def leader(self) -> str | None:
        return self.cast[0] if self.kind.chair and len(self.cast) > 1 else None

    @property
    def last(self) -> str | None:
        return self.turns[-1].agent if self.turns else None

    @property
    def ended(self) -> str | None:
        if len(self.cast) != 2 or self.kind.chair:
            return None
        return next((turn.agent for turn in self.turns if turn.reply.done), None)

    @property
    def count(self) -> Counter[str]:
        return Counter(turn.agent for turn in self.turns)

    @property
    def left(self) -> int:
        fewest, most = (len(self.cast) * number for number in self.kind.rounds)
        return max(most if self.kind.max_turns is None else self.kind.max_turns, fewest) - len(self.turns)

    @property
    def owed(self) -> int:
        return self.owed_by_others("")

    def owed_by_others(self, agent: str) -> int:
        count = self.count
        return sum(max(0, self.kind.rounds[0] - count[name]) for name in self.cast if name != agent)

    def left_to_others(self, agent: str) -> int:
        """Return the most turns of the others, a closing word aside; 0 for one who joins when they are used up."""
        count = self.count
        return sum(max(0, self.kind.rounds[1] - count[name]) for name in self.cast if name != agent)

    @property
    def addressed(self) -> str | None:
        return next((line.to for line in reversed(self.turns[-1].reply.dialogue) if line.to), None)

    @property
    def willing(self) -> tuple[str, ...]:
        count = self.count
        return tuple(
            name
            for name in self.cast
            if name != self.leader and count[name] < self.kind.rounds[1] and _has_more_to_say(name, self.turns)
        )

    @property
    def is_closing(self) -> bool:
        if self.leader is None or self.last in (None, self.leader) or self.owed_by_others(self.leader):
            return False
        # a chair that has had all its turns speaks once more, and only to close
        is_used_up = self.count[self.leader] >= self.kind.rounds[1]
        others = [name for name in self.willing if not is_used_up or name != self.last]
        return self.left <= 2 or not others

    @property
    def is_closed(self) -> bool:
        if self.leader is None or self.last != self.leader:
            return False
        return replace(self, turns=self.turns[:-1]).is_closing

    def next_to_close(self) -> str | None:
        """When one of two has ended their talk, the other speaks once more, if a turn is left."""
        (other,) = (name for name in self.cast if name != self.ended)
        is_theirs = self.last == self.ended and self.left > 0 and self.count[other] < self.kind.rounds[1]
        return other if is_theirs else None

    def next_one_who_must(self) -> str | None:
        count, last, leader = self.count, self.last, self.leader
        able = [name for name in self.cast if name != last and count[name] < self.kind.rounds[1]]
        behind = min(count[name] for name in self.cast)
        out_of_turn = leader is not None and self.left >= self.owed_by_others(leader) + 2
        addressed = self.addressed
        if addressed in able and (count[addressed] == behind or (addressed == leader and out_of_turn)):
            return addressed
        return min(able, key=lambda name: (count[name], self.cast.index(name)), default=None)

    def next_one_who_may(self) -> str | None:
        count, last, leader = self.count, self.last, self.leader
        # one turn is kept for the closing word
        able = [name for name in self.willing if name != last] if self.left > (leader is not None) else []
        if leader is not None and last != leader and self.left > 0:
            if not able:
                return leader
            if not self.is_closing and count[leader] < self.kind.rounds[1] and _has_more_to_say(leader, self.turns):
                able.append(leader)
        least = min((count[name] for name in able), default=0)
        if self.addressed in able and count[self.addressed] <= least:
            return self.addressed
        return min(
            able,
            key=lambda name: (count[name], not _was_addressed(name, self.turns), self.cast.index(name)),
            default=None,
        )


def _was_addressed(agent: str, turns: Sequence[Turn]) -> bool:
    return any(line.to == agent for turn in after_last_turn(agent, turns) for line in turn.reply.dialogue)


def _has_more_to_say(agent: str, turns: Sequence[Turn]) -> bool:
    last = next((turn for turn in reversed(turns) if turn.agent == agent), None)
    return last is None or not last.reply.done or _was_addressed(agent, turns)
