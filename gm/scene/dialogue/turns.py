"""The turns of a scene: one made of each reply, those that followed another, and the dialogue woven of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, zip_longest
from operator import attrgetter
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.texts import clip
from gm.model.scene import Scene
from gm.model.turns import PlayedTurn, Said, unless_blank
from gm.scene.grounding.circle import SMALL_CAST, Circles

if TYPE_CHECKING:
    from gm.model.consulted import Consulted
    from gm.model.scene_reply import SceneReply


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
        place = known.get(casefold(said), "") if scene.type.is_turn_by_turn else ""
        if place and place != here:
            moved.append(place)
            here = place
        elif said and place != here:
            why = "which is not a place here" if scene.type.is_turn_by_turn else "but all act at the same time"
            warnings.append(f"{turn.agent}: goes over to {clip(said)!r}, {why}; left out")
    return (replace(scene, place=here, moved=tuple(moved)) if len(moved) > len(scene.moved) else scene), tuple(warnings)


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


def after_last_turn(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns after a character's last."""
    last = max((place for place, turn in enumerate(turns) if turn.agent == agent), default=-1)
    return tuple(turns[last + 1 :])


def after_last_round(agent: str, turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return turns after a character's last one and the simultaneous ones."""
    return after_last_turn(agent, turns[len(first_round(turns)) :])


def first_round(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns before the first second turn of a character."""
    seen: set[str] = set()
    first: list[Turn] = []
    for turn in turns:
        if turn.agent in seen:
            break
        seen.add(turn.agent)
        first.append(turn)
    return tuple(first)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line of dialogue, word for word; or, not ``aloud``, a visible action.

    Attributes:
        at_once: Whether others spoke and acted at the same time.
        moved_to: Where all went after it; empty = they stayed.
    """

    agent: str
    text: str
    to: str | None = None
    aloud: bool = True
    at_once: bool = False
    moved_to: str = ""


def dialogue_of(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return the lines of turns in order."""
    return tuple(Spoken(turn.agent, line.text, line.to) for turn in turns for line in turn.reply.dialogue)


def seen_and_heard(turns: Sequence[Turn], moved: Sequence[str] = ()) -> tuple[Spoken, ...]:
    """Return what all present noticed: by turn the action, then the lines; ``moved`` are the places they went to."""
    noticed: list[Spoken] = []
    ahead = [*moved]
    for turn, follower in zip_longest(turns, turns[1:]):
        at_once = turn.beside or (follower is not None and follower.beside)
        noticed += _list_seen(turn, at_once=at_once)
        noticed += [Spoken(turn.agent, line.text, line.to, at_once=at_once) for line in turn.reply.dialogue]
        if ahead and casefold(turn.reply.move_to) == casefold(ahead[0]):
            place = ahead.pop(0)
            noticed[-1:] = [replace(line, moved_to=place) for line in noticed[-1:]]
    return tuple(noticed)


def seen_and_heard_at_once(turns: Sequence[Turn]) -> tuple[Spoken, ...]:
    """Return what all noticed of simultaneous turns: all actions, then the dialogue, then later turns."""
    first = first_round(turns)
    actions = (done for turn in first for done in _list_seen(turn, at_once=len(first) > 1))
    return (*actions, *weave(first), *seen_and_heard(turns[len(first) :]))


def _list_seen(turn: Turn, *, at_once: bool) -> list[Spoken]:
    action = turn.reply.action
    return [Spoken(turn.agent, action, aloud=False, at_once=at_once)] if action.strip() else []


def heard_by(agent: str, spoken: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """Return what others said to a character, or to all."""
    return tuple(line for line in spoken if line.aloud and line.agent != agent and line.to in (None, agent))


def addressed(turns: Sequence[Turn], *, starts_alone: bool = False) -> tuple[str, ...]:
    """Return those spoken to in simultaneous turns, in dialogue order.

    Where one has started alone (``starts_alone``), the others have already answered what it said to them.
    """
    first = first_round(turns)
    present = {turn.agent for turn in first}
    lines = weave(first[1:] if starts_alone else first)
    return tuple(dict.fromkeys(line.to for line in lines if line.to in present and line.to != line.agent))


def partners_in(spoken: Sequence[Spoken]) -> Circles:
    """Return the partners of each speaker of a talk.

    Among few, with all; among more, with those it addressed or who addressed it, and who spoke before and after.
    """
    speakers = tuple(dict.fromkeys(line.agent for line in spoken))
    if len(speakers) <= SMALL_CAST:
        return {name: tuple(other for other in speakers if other != name) for name in speakers}
    found: dict[str, set[str]] = {name: set() for name in speakers}
    answers = ((line.agent, after.agent) for line, after in pairwise(spoken))
    for one, two in (*answers, *((line.agent, line.to or "") for line in spoken)):
        if two in found and two != one:
            found[one].add(two)
            found[two].add(one)
    place = {name: number for number, name in enumerate(speakers)}
    return {name: tuple(sorted(others, key=place.__getitem__)) for name, others in found.items()}


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
