"""Who speaks next, and how lines that were answered at the same time become one dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gm.model.consulted import Consulted
from gm.model.fold import fold
from gm.model.replies import Line, SceneReply
from gm.model.scene import SceneType


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply in a scene, which backend and model gave it, and what was asked of memory before."""

    agent: str
    reply: SceneReply
    made_with: str = ""
    consulted: tuple[Consulted, ...] = ()


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of a scene's dialogue, word for word; or, not ``aloud``, what somebody visibly did."""

    agent: str
    text: str
    to: str | None = None
    aloud: bool = True


def next_speaker(
    cast: Sequence[str],
    turns: Sequence[Turn],
    rounds: tuple[int, int],
    max_turns: int | None = None,
    *,
    chair: bool = False,
) -> str | None:
    """Choose who speaks next in a sequential scene (BP-07).

    The one who was addressed, if somebody was; else whoever has been heard least, in the order of the cast. It goes
    round by round: who has had more turns than others that still want theirs waits, even when addressed, so that two
    who address each other cannot use up the scene. Nobody speaks twice in a row. Who had nothing more to say and is
    addressed afterwards may answer.

    The one who has the chair opens, may answer out of turn when addressed, and has the closing word if a turn is left
    and others have spoken since; the turns that others must have come first.

    Args:
        cast: Who takes part; the first one starts.
        turns: What was said so far.
        rounds: Everybody speaks at least ``rounds[0]`` times and at most ``rounds[1]`` times; the closing word comes
            on top.
        max_turns: After so many turns nobody speaks more than they must; None = as many as fill the rounds.
        chair: Whether the first of the cast has the chair.

    Returns:
        None when nobody has anything left to say, or when the turns are used up.
    """
    talk = _Talk(tuple(cast), tuple(turns), rounds, max_turns, chair)
    if not turns:
        return cast[0] if cast else None
    if talk.is_closed:
        return None
    return talk.next_one_who_must() if talk.owed else talk.next_one_who_may()


def is_last_turn(
    agent: str,
    turns: Sequence[Turn],
    rounds: tuple[int, int],
    *,
    cast: Sequence[str] = (),
    max_turns: int | None = None,
    chair: bool = False,
) -> bool:
    """Tell whether an agent's coming turn is certainly its last one in the scene: the turns are used up after it."""
    talk = _Talk(tuple(cast), tuple(turns), rounds, max_turns, chair)
    if talk.leader == agent:
        return talk.is_closing or talk.left - talk.owed_by_others(agent) <= 1
    if talk.count[agent] + 1 >= rounds[1]:
        return True
    if talk.count[agent] + 1 < rounds[0] or not (max_turns or talk.leader):
        return False
    owed = talk.owed_by_others(agent)
    spare = talk.left - 1 - owed - (talk.leader is not None)
    return spare < (1 if owed else 2)  # nobody speaks twice in a row: somebody else needs one of the turns


def is_closing_word(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Tell whether an agent's coming turn is the closing word of the one who has the chair."""
    talk = _Talk(tuple(cast), tuple(turns), kind.rounds, kind.max_turns, kind.chair)
    return talk.leader == agent and talk.is_closing


@dataclass(frozen=True, slots=True)
class _Talk:
    """A sequential scene at the moment when somebody is to speak next."""

    cast: tuple[str, ...]
    turns: tuple[Turn, ...]
    rounds: tuple[int, int]
    max_turns: int | None
    chair: bool

    @property
    def leader(self) -> str | None:
        return self.cast[0] if self.chair and len(self.cast) > 1 else None

    @property
    def last(self) -> str | None:
        return self.turns[-1].agent if self.turns else None

    @property
    def count(self) -> Counter[str]:
        return Counter(turn.agent for turn in self.turns)

    @property
    def left(self) -> int:
        """Turns that are left; those that everybody must have are there in any case."""
        fewest, most = (len(self.cast) * number for number in self.rounds)
        return max(most if self.max_turns is None else self.max_turns, fewest) - len(self.turns)

    @property
    def owed(self) -> int:
        """Turns that people must still have."""
        return self.owed_by_others("")

    def owed_by_others(self, agent: str) -> int:
        count = self.count
        return sum(max(0, self.rounds[0] - count[name]) for name in self.cast if name != agent)

    @property
    def addressed(self) -> str | None:
        """Whom the last speaker turned to in the end."""
        return next((line.to for line in reversed(self.turns[-1].reply.dialogue) if line.to), None)

    @property
    def willing(self) -> tuple[str, ...]:
        """Who may speak again and wants to, the chair left aside."""
        count = self.count
        return tuple(
            name
            for name in self.cast
            if name != self.leader and count[name] < self.rounds[1] and _has_more_to_say(name, self.turns)
        )

    @property
    def is_closing(self) -> bool:
        """Whether the chair, if it spoke now, would have the last word: nobody else is to speak and be closed after."""
        if self.leader is None or self.last in (None, self.leader) or self.owed_by_others(self.leader):
            return False
        # a chair that has had all its turns speaks once more, and only to close
        is_used_up = self.count[self.leader] >= self.rounds[1]
        others = [name for name in self.willing if not is_used_up or name != self.last]
        return self.left <= 2 or not others

    @property
    def is_closed(self) -> bool:
        """Whether the chair has had the closing word."""
        if self.leader is None or self.last != self.leader:
            return False
        return replace(self, turns=self.turns[:-1]).is_closing

    def next_one_who_must(self) -> str | None:
        """Choose while somebody still lacks turns that everybody must have."""
        count, last, leader = self.count, self.last, self.leader
        able = [name for name in self.cast if name != last and count[name] < self.rounds[1]]
        behind = min(count[name] for name in self.cast)
        out_of_turn = leader is not None and self.left >= self.owed_by_others(leader) + 2
        addressed = self.addressed
        if addressed in able and (count[addressed] == behind or (addressed == leader and out_of_turn)):
            return addressed
        return min(able, key=lambda name: (count[name], self.cast.index(name)), default=None)

    def next_one_who_may(self) -> str | None:
        """Choose when everybody has had the turns that they must have: whoever still wants to speak."""
        count, last, leader = self.count, self.last, self.leader
        # one turn is kept for the closing word
        able = [name for name in self.willing if name != last] if self.left > (leader is not None) else []
        if leader is not None and last != leader and self.left > 0:
            if not able:
                return leader
            if not self.is_closing and count[leader] < self.rounds[1] and _has_more_to_say(leader, self.turns):
                able.append(leader)
        least = min((count[name] for name in able), default=0)
        if self.addressed in able and count[self.addressed] <= least:
            return self.addressed
        return min(able, key=lambda name: (count[name], self.cast.index(name)), default=None)


def _has_more_to_say(agent: str, turns: Sequence[Turn]) -> bool:
    """Tell whether somebody is not done, or was spoken to since they were."""
    last = next((turn for turn in reversed(turns) if turn.agent == agent), None)
    return (
        last is None
        or not last.reply.done
        or any(line.to == agent for turn in after_last_turn(agent, turns) for line in turn.reply.dialogue)
    )


def take_turn(agent: str, reply: SceneReply, names: Mapping[str, str], made_with: str = "") -> Turn:
    """Make a turn of a reply; whoever is addressed in it is called by id from now on.

    Args:
        agent: Who replied.
        reply: What they replied.
        names: Ids by every name that people go by, folded. Somebody unknown counts as nobody in particular.
        made_with: Which backend and model replied.
    """
    lines = [line.model_copy(update={"to": names.get(fold(line.to or ""))}) for line in reply.dialogue]
    return Turn(agent, reply.model_copy(update={"dialogue": lines}), made_with)


def dialogue_of(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Put the lines of turns one after another, as they were said."""
    return tuple(Spoken(turn.agent, line.text, line.to) for turn in turns for line in turn.reply.dialogue)


def seen_and_heard(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Put together what everybody present has noticed so far: what each one did, then what they said."""
    noticed: list[Spoken] = []
    for turn in turns:
        noticed += _seen(turn)
        noticed += [Spoken(turn.agent, line.text, line.to) for line in turn.reply.dialogue]
    return tuple(noticed)


def seen_and_heard_at_once(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Put together what everybody has noticed where all replied at the same time: what all did, then what was said."""
    return (*(done for turn in turns for done in _seen(turn)), *weave(turns))


def _seen(turn: Turn) -> list[Spoken]:
    return [Spoken(turn.agent, turn.reply.action, aloud=False)] if turn.reply.action.strip() else []


def heard_by(agent: str, spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Pick what was said to somebody, or to everybody, by others."""
    return tuple(line for line in spoken if line.aloud and line.agent != agent and line.to in (None, agent))


def after_last_turn(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Keep the turns of others that came after somebody's last one."""
    last = max((place for place, turn in enumerate(turns) if turn.agent == agent), default=-1)
    return tuple(turns[last + 1 :])


def after_last_round(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Keep the turns of others in rounds after somebody's last one, where all of a round reply at the same time."""
    rounds = rounds_of(turns)
    last = max((place for place, turns in enumerate(rounds) if any(turn.agent == agent for turn in turns)), default=-1)
    return tuple(turn for later in rounds[last + 1 :] for turn in later)


def rounds_of(turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], ...]:
    """Split turns into rounds: everybody's first turns, their second ones, and so on."""
    rounds: list[list[Turn]] = []
    count: Counter[str] = Counter()
    for turn in turns:
        if count[turn.agent] == len(rounds):
            rounds.append([])
        rounds[count[turn.agent]].append(turn)
        count[turn.agent] += 1
    return tuple(map(tuple, rounds))


def asked_to_answer(cast: Sequence[str], turns: Sequence[Turn]) -> tuple[str, ...]:
    """Name those to whom somebody else has put a question, in the order of the cast."""
    asked = {line.to for turn in turns for line in turn.reply.dialogue if "?" in line.text and line.to != turn.agent}
    return tuple(name for name in cast if name in asked)


def weave(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Weave lines that were all answered at the same time into one dialogue, word for word (BP-07).

    After a line that addresses somebody, the addressed one says their next line; otherwise it goes round. What
    somebody replied in a second turn comes after everything that it may reply to.
    """
    return tuple(line for turns in rounds_of(turns) for line in _weave_round(turns))


def _weave_round(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    waiting: dict[str, list[Line]] = {turn.agent: list(turn.reply.dialogue) for turn in turns}
    woven: list[Spoken] = []
    queue = list(waiting)
    while any(waiting.values()):
        speaker = next(name for name in queue if waiting[name])
        queue.remove(speaker)
        queue.append(speaker)
        line = waiting[speaker].pop(0)
        woven.append(Spoken(speaker, line.text, line.to))
        if line.to in waiting and line.to != speaker:
            queue.remove(line.to)
            queue.insert(0, line.to)
    return tuple(woven)
