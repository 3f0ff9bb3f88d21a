"""Who speaks next, where, and how simultaneous lines become one dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter

from gm.base.casefold import casefold
from gm.base.texts import clip
from gm.model.consulted import Consulted
from gm.model.replies import SceneReply
from gm.model.scene import Scene, SceneType
from gm.model.turns import PlayedTurn, Said, unless_blank


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply in a scene, with its backend and model, and the tool calls before it."""

    agent: str
    reply: SceneReply
    made_with: str = ""
    consulted: tuple[Consulted, ...] = ()


def go_over(scene: Scene, turns: Sequence[Turn], places: Iterable[str]) -> tuple[Scene, tuple[str, ...]]:
    """Return a scene where its participants have gone over to in these turns, and a warning for each move left out.

    Args:
        places: Known ones. Only a scene that is played turn by turn can move.
    """
    known = {casefold(place): place for place in places}
    moved, here, warnings = list(scene.moved), scene.place, []
    for turn in turns:
        said = turn.reply.move_to
        place = known.get(casefold(said), "") if scene.type.play == "sequential" else ""
        if place and place != here:
            moved.append(place)
            here = place
        elif said and place != here:
            why = "which is no place here" if scene.type.play == "sequential" else "but all act at the same time"
            warnings.append(f"{turn.agent}: goes over to {clip(said)!r}, {why}; left out")
    return (replace(scene, place=here, moved=tuple(moved)) if len(moved) > len(scene.moved) else scene), tuple(warnings)


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of dialogue, word for word; or, not ``aloud``, a visible action."""

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
    """Return who speaks next in a sequential scene; None when all are done or the turns are used up.

    The addressee, else the one heard least, in the order of the cast. A character with more turns than others that
    still want theirs waits, even when addressed, so that two cannot use up the scene. No character speaks twice in a
    row. One who had nothing more to say may answer when addressed. The chair opens, may answer out of turn when
    addressed, and has the closing word if a turn is left and others have spoken since; required turns of others come
    first.

    Args:
        cast: The first one starts, and may have the chair.
        rounds: Fewest and most turns of each participant; the closing word comes on top.
        max_turns: After so many turns only required turns are left; None = as many as fill the rounds.
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
    """Return whether an agent's coming turn is certainly its last one."""
    talk = _Talk(tuple(cast), tuple(turns), rounds, max_turns, chair)
    if talk.leader == agent:
        return talk.is_closing or talk.left - talk.owed_by_others(agent) <= 1
    if talk.count[agent] + 1 >= rounds[1]:
        return True
    if talk.count[agent] + 1 < rounds[0] or not (max_turns or talk.leader):
        return False
    owed = talk.owed_by_others(agent)
    spare = talk.left - 1 - owed - (talk.leader is not None)
    return spare < (1 if owed else 2)  # no character speaks twice in a row: another one needs one of the turns


def is_closing_word(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Return whether an agent's coming turn is the chair's closing word."""
    talk = _Talk(tuple(cast), tuple(turns), kind.rounds, kind.max_turns, kind.chair)
    return talk.leader == agent and talk.is_closing


@dataclass(frozen=True, slots=True)
class _Talk:
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
        """Turns that are left, required ones included."""
        fewest, most = (len(self.cast) * number for number in self.rounds)
        return max(most if self.max_turns is None else self.max_turns, fewest) - len(self.turns)

    @property
    def owed(self) -> int:
        return self.owed_by_others("")

    def owed_by_others(self, agent: str) -> int:
        count = self.count
        return sum(max(0, self.rounds[0] - count[name]) for name in self.cast if name != agent)

    @property
    def addressed(self) -> str | None:
        return next((line.to for line in reversed(self.turns[-1].reply.dialogue) if line.to), None)

    @property
    def willing(self) -> tuple[str, ...]:
        """Who may and wants to speak again, without the chair."""
        count = self.count
        return tuple(
            name
            for name in self.cast
            if name != self.leader and count[name] < self.rounds[1] and _has_more_to_say(name, self.turns)
        )

    @property
    def is_closing(self) -> bool:
        """Whether the chair, speaking now, would have the last word."""
        if self.leader is None or self.last in (None, self.leader) or self.owed_by_others(self.leader):
            return False
        # a chair that has had all its turns speaks once more, and only to close
        is_used_up = self.count[self.leader] >= self.rounds[1]
        others = [name for name in self.willing if not is_used_up or name != self.last]
        return self.left <= 2 or not others

    @property
    def is_closed(self) -> bool:
        if self.leader is None or self.last != self.leader:
            return False
        return replace(self, turns=self.turns[:-1]).is_closing

    def next_one_who_must(self) -> str | None:
        count, last, leader = self.count, self.last, self.leader
        able = [name for name in self.cast if name != last and count[name] < self.rounds[1]]
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
            if not self.is_closing and count[leader] < self.rounds[1] and _has_more_to_say(leader, self.turns):
                able.append(leader)
        least = min((count[name] for name in able), default=0)
        if self.addressed in able and count[self.addressed] <= least:
            return self.addressed
        return min(able, key=lambda name: (count[name], self.cast.index(name)), default=None)


def _has_more_to_say(agent: str, turns: Sequence[Turn]) -> bool:
    last = next((turn for turn in reversed(turns) if turn.agent == agent), None)
    return (
        last is None
        or not last.reply.done
        or any(line.to == agent for turn in after_last_turn(agent, turns) for line in turn.reply.dialogue)
    )


def take_turn(agent: str, reply: SceneReply, names: Mapping[str, str], made_with: str = "") -> Turn:
    """Return the turn of a reply, with addressees by id.

    Args:
        names: Ids by every casefolded name. An unknown name addresses no one in particular.
        made_with: Backend and model of the reply.
    """
    lines = [line.model_copy(update={"to": names.get(casefold(line.to or ""))}) for line in reply.dialogue]
    return Turn(agent, reply.model_copy(update={"dialogue": lines}), made_with)


def dialogue_of(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return the lines of turns in order."""
    return tuple(Spoken(turn.agent, line.text, line.to) for turn in turns for line in turn.reply.dialogue)


def seen_and_heard(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return what all present have noticed so far: of each turn the action, then the lines."""
    noticed: list[Spoken] = []
    for turn in turns:
        noticed += _seen(turn)
        noticed += [Spoken(turn.agent, line.text, line.to) for line in turn.reply.dialogue]
    return tuple(noticed)


def seen_and_heard_at_once(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return what all have noticed of simultaneous turns: all actions, then the dialogue."""
    return (*(done for turn in turns for done in _seen(turn)), *weave(turns))


def _seen(turn: Turn) -> list[Spoken]:
    return [Spoken(turn.agent, turn.reply.action, aloud=False)] if turn.reply.action.strip() else []


def heard_by(agent: str, spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Return what others said to a character, or to all."""
    return tuple(line for line in spoken if line.aloud and line.agent != agent and line.to in (None, agent))


def after_last_turn(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns after a character's last one."""
    last = max((place for place, turn in enumerate(turns) if turn.agent == agent), default=-1)
    return tuple(turns[last + 1 :])


def after_last_round(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns in simultaneous rounds after a character's last one."""
    rounds = rounds_of(turns)
    last = max((place for place, turns in enumerate(rounds) if any(turn.agent == agent for turn in turns)), default=-1)
    return tuple(turn for later in rounds[last + 1 :] for turn in later)


def rounds_of(turns: Sequence[Turn]) -> tuple[tuple[Turn, ...], ...]:
    """Split turns into rounds: the first turns of all, their second ones, and so on."""
    rounds: list[list[Turn]] = []
    count: Counter[str] = Counter()
    for turn in turns:
        if count[turn.agent] == len(rounds):
            rounds.append([])
        rounds[count[turn.agent]].append(turn)
        count[turn.agent] += 1
    return tuple(map(tuple, rounds))


def asked_to_answer(cast: Sequence[str], turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return those whom another one has asked a question, in the order of the cast."""
    asked = {line.to for turn in turns for line in turn.reply.dialogue if "?" in line.text and line.to != turn.agent}
    return tuple(name for name in cast if name in asked)


def weave(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Weave simultaneous lines into one dialogue, word for word.

    An addressee speaks next; otherwise it goes round. Lines of a second turn come after all lines they may reply to.
    """
    return woven(played_turns(turns, at_once=True))


def played_turns(turns: Sequence[Turn], *, at_once: bool, paths: Iterable[str] = ()) -> tuple[PlayedTurn, ...]:
    """Return turns as the logbook tells them.

    Args:
        at_once: Whether all first turns were simultaneous, all second ones, and so on.
        paths: Of the artifacts of the turns, in order.
    """
    finished = iter(paths)
    count: Counter[str] = Counter()
    played = []
    for place, turn in enumerate(turns, 1):
        count[turn.agent] += 1
        lines = tuple(Said(line.text, line.to or "") for line in turn.reply.dialogue)
        made = next(finished, "") if turn.reply.artifact else ""
        number = count[turn.agent] if at_once else place
        action, thought = unless_blank(turn.reply.action), unless_blank(turn.reply.thoughts)
        played.append(PlayedTurn(turn.agent, action, lines, thought, made, number))
    return tuple(played)


def woven(turns: Iterable[PlayedTurn]) -> tuple[Spoken, ...]:
    """Return the lines of played turns in the order in which they were heard; see ``weave``."""
    rounds = groupby(sorted(turns, key=_round), _round)
    return tuple(line for _, together in rounds for line in _weave_round(list(together)))


_round = attrgetter("round")


def _weave_round(turns: Sequence[PlayedTurn]) -> tuple[Spoken, ...]:
    waiting = {turn.agent: list(turn.lines) for turn in turns}
    spoken: list[Spoken] = []
    queue = list(waiting)
    while any(waiting.values()):
        speaker = next(name for name in queue if waiting[name])
        queue.remove(speaker)
        queue.append(speaker)
        line = waiting[speaker].pop(0)
        spoken.append(Spoken(speaker, line.text, line.to or None))
        if line.to in waiting and line.to != speaker:
            queue.remove(line.to)
            queue.insert(0, line.to)
    return tuple(spoken)
