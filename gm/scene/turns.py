"""Who speaks next, and how simultaneous lines become one dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, zip_longest
from operator import attrgetter

from gm.base.casefold import casefold
from gm.base.texts import clip
from gm.model.consulted import Consulted
from gm.model.scene import Scene, SceneType
from gm.model.scene_reply import SceneReply
from gm.model.thread import number_of
from gm.model.turns import PlayedTurn, Said, unless_blank
from gm.scene.mentions import content_words

FAREWELL_WORDS = 10
"""Content words not said before in a scene, above which what is said to somebody at last is more than a farewell."""
QUIET_TURNS = 2
"""Turns in a row that bring nothing new, after which a round is brought to its end."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply in a scene.

    Attributes:
        made_with: Its backend and model.
        unsaid: Said or done after the end of the scene, and left out.
        beside: Whether it was simultaneous with the turn before it, in a scene played turn by turn.
    """

    agent: str
    reply: SceneReply
    made_with: str = ""
    consulted: tuple[Consulted, ...] = ()
    unsaid: tuple[str, ...] = ()
    beside: bool = False


def go_over(scene: Scene, turns: Sequence[Turn], places: Iterable[str]) -> tuple[Scene, tuple[str, ...]]:
    """Return a scene where its participants went, and a warning for each move left out.

    ``places`` are the known ones. Only a scene played turn by turn can move.
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
    """A line of dialogue, word for word; or, not ``aloud``, a visible action.

    Attributes:
        at_once: Whether others spoke and acted at the same time.
    """

    agent: str
    text: str
    to: str | None = None
    aloud: bool = True
    at_once: bool = False


def next_speaker(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> str | None:
    """Return who speaks next in a sequential scene; None when all are done or the turns are used up.

    The addressee, else the one heard least, in the order of the cast. No character speaks twice in a row, and those
    ahead of others that still want their turns wait, even when addressed. One with nothing more to say may answer when
    addressed; but between two, ``done`` ends the scene, after one more turn of the other. The chair opens, may answer
    out of turn when addressed, and has the closing word if a turn is left, others have spoken since and none is owed a
    required turn.
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
    if talk.count[agent] + 1 >= kind.rounds[1]:
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
    return max(1, min(own, talk.left // 2))  # no character speaks twice in a row


def is_end(agent: str, cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> bool:
    """Return whether a sequential scene certainly ends with an agent's coming turn."""
    talk = _Talk(tuple(cast), tuple(turns), kind)
    return talk.left <= 1 or talk.ended is not None or (talk.leader == agent and talk.is_closing)


def last_words(cast: Sequence[str], turns: Sequence[Turn], kind: SceneType) -> tuple[str, ...]:
    """Return whom a finished scene asks once more for what they remember (``SceneType.last_word``).

    Not those who closed it for themselves, with what they keep of it, and after whom nothing new came. Where only those
    addressed late are asked, all have been told to record what they keep with ``done``.
    """
    if kind.last_word == "none" or not turns:
        return ()
    after = after_last_turn if kind.play == "sequential" else after_last_round
    left = {name: after(name, turns) for name in cast}
    open_ = [name for name in cast if not _has_closed(name, turns, kind) or _brings_new(name, turns, left[name])]
    if kind.last_word == "heard":
        return tuple(
            name for name in open_ if any(line.to == name for turn in left[name] for line in turn.reply.dialogue)
        )
    *before, last = turns
    knew = last.agent if kind.play == "sequential" and is_end(last.agent, cast, before, kind) else ""
    return tuple(name for name in open_ if name != knew)


def _has_closed(agent: str, turns: Sequence[Turn], kind: SceneType) -> bool:
    last = next((turn.reply for turn in reversed(turns) if turn.agent == agent), None)
    return last is not None and last.done and bool(kind.last_word == "heard" or last.memories or last.conversation)


def _brings_new(agent: str, turns: Sequence[Turn], after: Sequence[Turn]) -> bool:
    # A promise asks for nothing, and what is said to it is kept anyway; it is asked so that it can agree, or make
    # something of it.
    heard = [line.text for turn in after for line in turn.reply.dialogue if line.to in (None, agent)]
    opened = {one.kind for turn in after for one in turn.reply.opens}
    if any("?" in text for text in heard) or opened - {"promise"} or any(turn.reply.artifact for turn in after):
        return True
    said = " ".join(line.text for turn in turns[: len(turns) - len(after)] for line in turn.reply.dialogue)
    return len(content_words(" ".join(heard)) - content_words(said)) > FAREWELL_WORDS


def is_settled(scene: Scene, turns: Sequence[Turn]) -> bool:
    """Return whether a round with a chair has nothing left to settle, and everybody in it has spoken.

    All threads that it takes up are closed and nothing was asked last, or its last turns brought nothing new: no
    question, no promise or question to note, no closing, decision or piece.
    """
    if not scene.type.chair or not {turn.agent for turn in turns} >= {*scene.cast}:
        return False
    taken_up = {key for key in scene.answers if number_of(key)}
    closed = {one.id.strip("`") for turn in turns for one in turn.reply.closes}
    if taken_up and taken_up <= closed and not _asks(turns[-1]):
        return True
    return not any(map(_moves_on, turns[-QUIET_TURNS:]))


def _asks(turn: Turn) -> bool:
    return any("?" in line.text for line in turn.reply.dialogue)


def _moves_on(turn: Turn) -> bool:
    reply = turn.reply
    return bool(_asks(turn) or reply.opens or reply.closes or reply.decisions or reply.artifact)


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
        return min(able, key=lambda name: (count[name], self.cast.index(name)), default=None)


def _has_more_to_say(agent: str, turns: Sequence[Turn]) -> bool:
    last = next((turn for turn in reversed(turns) if turn.agent == agent), None)
    return (
        last is None
        or not last.reply.done
        or any(line.to == agent for turn in after_last_turn(agent, turns) for line in turn.reply.dialogue)
    )


def take_last_word(agent: str, reply: SceneReply, made_with: str = "") -> Turn:
    """Return the turn of a reply after the scene, unnoticed by others."""
    piece = (reply.artifact.title,) if reply.artifact else ()
    unsaid = (*(line.text for line in reply.dialogue), *filter(None, (reply.action.strip(),)), *piece)
    kept: dict[str, object] = {"dialogue": [], "action": "", "artifact": None, "move_to": "", "done": True}
    return Turn(agent, reply.model_copy(update=kept), made_with, unsaid=unsaid)


def take_turn(agent: str, reply: SceneReply, names: Mapping[str, str], made_with: str = "") -> Turn:
    """Return the turn of a reply, with addressees by id.

    Args:
        names: Ids by casefolded name. An unknown name addresses no one in particular.
        made_with: Backend and model of the reply.
    """
    lines = [line.model_copy(update={"to": names.get(casefold(line.to or ""))}) for line in reply.dialogue]
    return Turn(agent, reply.model_copy(update={"dialogue": lines}), made_with)


def dialogue_of(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return the lines of turns in order."""
    return tuple(Spoken(turn.agent, line.text, line.to) for turn in turns for line in turn.reply.dialogue)


def seen_and_heard(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return what all present noticed: by turn the action, then the lines."""
    noticed: list[Spoken] = []
    for turn, follower in zip_longest(turns, turns[1:]):
        at_once = turn.beside or (follower is not None and follower.beside)
        heard = [Spoken(turn.agent, line.text, line.to) for line in turn.reply.dialogue]
        noticed += [replace(item, at_once=at_once) for item in (*_seen(turn), *heard)]
    return tuple(noticed)


def seen_and_heard_at_once(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return what all noticed of simultaneous turns: all actions, then the dialogue, then later turns."""
    first = first_round(turns)
    actions = (replace(done, at_once=len(first) > 1) for turn in first for done in _seen(turn))
    return (*actions, *weave(first), *seen_and_heard(turns[len(first) :]))


def _seen(turn: Turn) -> list[Spoken]:
    return [Spoken(turn.agent, turn.reply.action, aloud=False)] if turn.reply.action.strip() else []


def heard_by(agent: str, spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Return what others said to a character, or to all."""
    return tuple(line for line in spoken if line.aloud and line.agent != agent and line.to in (None, agent))


def after_last_turn(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns after a character's last."""
    last = max((place for place, turn in enumerate(turns) if turn.agent == agent), default=-1)
    return tuple(turns[last + 1 :])


def after_last_round(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns after a character's last one and the simultaneous ones."""
    return after_last_turn(agent, turns[len(first_round(turns)) :])


def first_round(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns before anybody's second."""
    seen: set[str] = set()
    first: list[Turn] = []
    for turn in turns:
        if turn.agent in seen:
            break
        seen.add(turn.agent)
        first.append(turn)
    return tuple(first)


def addressed(turns: Sequence[Turn]) -> tuple[str, ...]:
    """Return those spoken to in simultaneous turns, in dialogue order."""
    first = first_round(turns)
    present = {turn.agent for turn in first}
    return tuple(dict.fromkeys(line.to for line in weave(first) if line.to in present and line.to != line.agent))


def weave(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Weave simultaneous lines into one dialogue, word for word; later turns follow."""
    return woven(played_turns(turns, at_once=True))


def played_turns(turns: Sequence[Turn], *, at_once: bool, paths: Iterable[str] = ()) -> tuple[PlayedTurn, ...]:
    """Return turns as the logbook tells them.

    Args:
        at_once: Whether all first turns were simultaneous.
        paths: Of the turns' artifacts, in order.
    """
    finished = iter(paths)
    together = len(first_round(turns)) if at_once else 1
    played = []
    number = 0
    for place, turn in enumerate(turns):
        number += place == 0 or not (turn.beside or place < together)
        lines = tuple(Said(line.text, line.to or "") for line in turn.reply.dialogue)
        made = next(finished, "") if turn.reply.artifact else ""
        action, thought = unless_blank(turn.reply.action), unless_blank(turn.reply.thoughts)
        played.append(PlayedTurn(turn.agent, action, lines, thought, made, number))
    return tuple(played)


def woven(turns: Iterable[PlayedTurn]) -> tuple[Spoken, ...]:
    """Return played turns' lines as heard; see ``weave``."""
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
        spoken.append(Spoken(speaker, line.text, line.to or None, at_once=len(turns) > 1))
        if line.to in waiting and line.to != speaker:
            queue.remove(line.to)
            queue.insert(0, line.to)
    return tuple(spoken)
