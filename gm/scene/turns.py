"""Who speaks next, and how lines that were answered at the same time become one dialogue."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.model.fold import fold
from gm.model.replies import Line, SceneReply


@dataclass(frozen=True, slots=True)
class Turn:
    """One reply in a scene, and which backend and model gave it."""

    agent: str
    reply: SceneReply
    made_with: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """One line of a scene's dialogue, word for word; or, not ``aloud``, what somebody visibly did."""

    agent: str
    text: str
    to: str | None = None
    aloud: bool = True


def next_speaker(
    cast: Sequence[str], turns: Sequence[Turn], rounds: tuple[int, int], max_turns: int | None = None
) -> str | None:
    """Choose who speaks next in a sequential scene.

    The one who was addressed, if somebody was; else whoever has spoken least, in the order of the cast. Nobody
    speaks twice in a row, and nobody more often than the rounds allow. Who had nothing more to say and is addressed
    afterwards may answer. While somebody still lacks more than one of
    their turns it goes round by round, so that two who address each other cannot use up the scene.

    Args:
        cast: Who takes part; the first one starts.
        turns: What was said so far.
        rounds: Everybody speaks at least ``rounds[0]`` times and at most ``rounds[1]`` times.
        max_turns: After so many turns nobody speaks more than they must; None = no limit.

    Returns:
        None when nobody has anything left to say, or when the rounds are full.
    """
    fewest, most = rounds
    count = Counter(turn.agent for turn in turns)
    last = turns[-1] if turns else None
    able = [name for name in cast if count[name] < most and (last is None or name != last.agent)]
    if not able:
        return None
    if all(count[name] >= fewest for name in cast):
        if max_turns is not None and len(turns) >= max_turns:
            return None
        able = [name for name in able if _has_more_to_say(name, turns)]
        if not able:
            return None
    addressed = next((line.to for line in reversed(last.reply.dialogue) if line.to), None) if last else None
    behind = min(count[name] for name in cast)
    if addressed in able and (behind >= fewest or count[addressed] == behind):
        return addressed
    return min(able, key=lambda name: (count[name], cast.index(name)))


def _has_more_to_say(agent: str, turns: Sequence[Turn]) -> bool:
    """Tell whether somebody is not done, or was spoken to since they were."""
    last = next(turn for turn in reversed(turns) if turn.agent == agent)
    return not last.reply.done or any(
        line.to == agent for turn in after_last_turn(agent, turns) for line in turn.reply.dialogue
    )


def is_last_turn(agent: str, turns: Sequence[Turn], rounds: tuple[int, int]) -> bool:
    """Tell whether an agent's coming turn is its last one in the scene, because the rounds are full after it."""
    return sum(turn.agent == agent for turn in turns) + 1 >= rounds[1]


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
        if turn.reply.action.strip():
            noticed.append(Spoken(turn.agent, turn.reply.action, aloud=False))
        noticed += [Spoken(turn.agent, line.text, line.to) for line in turn.reply.dialogue]
    return tuple(noticed)


def heard_by(agent: str, spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Pick what was said to somebody, or to everybody, by others."""
    return tuple(line for line in spoken if line.aloud and line.agent != agent and line.to in (None, agent))


def after_last_turn(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Keep the turns of others that came after somebody's last one."""
    last = max((place for place, turn in enumerate(turns) if turn.agent == agent), default=-1)
    return tuple(turns[last + 1 :])


def weave(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Weave lines that were all answered at the same time into one dialogue, word for word (BP-07).

    After a line that addresses somebody, the addressed one says their next line; otherwise it goes round.
    """
    waiting: dict[str, list[Line]] = {}
    for turn in turns:
        waiting.setdefault(turn.agent, []).extend(turn.reply.dialogue)
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
