"""The turns of a scene: a turn made of each reply, and the turns that followed another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.texts import casefold, clip
from gm.model.consulted import Consulted
from gm.model.scene import Scene
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
