"""One turn of a scene as a value: what is particular to it beside world, scene and character."""

from __future__ import annotations

from dataclasses import dataclass

from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.replies import SceneReply
from gm.model.scene import Reason
from gm.scene.turns import Spoken


@dataclass(frozen=True, slots=True)
class Piece:
    """A finished piece of work that lies on the table: who made it, and its text, or what there is room for of it."""

    title: str
    maker: str
    text: str
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was looked up for a scene from one of ``context.sources``.

    Attributes:
        source: Its name.
        nodes: Own memories.
        known: What somebody knows from the start, a sentence or two each.
    """

    source: str
    nodes: tuple[Node, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that somebody has asked itself, and what its memory says to it."""

    text: str
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """What is particular to one turn of a scene.

    Attributes:
        dialogue: What has been said and done in the scene so far.
        own: What the character itself has replied in it so far.
        plan: The plan that it made in this scene, if it made one.
        pieces: Finished work that is at hand in the scene.
        turn: The character's turn in this scene, from 1.
        last_turn: Whether it is certainly its last one.
        closing: Whether it is the closing word of the one who has the chair.
        replan: What has happened that may change its plan.
        material: Reflection scenes: the nodes to reflect on.
        remembered: Ids of the memories that the prompt shows anyway.
        recalled: Further memories, of earlier scenes of the same kind.
        in_mind: Further memories that the scene calls up.
        consulted: What a character that discovers itself has looked up in the scene before this turn.
        gathered: What else was looked up for the scene.
        asked: Reflection by questions: what somebody has asked itself.
        lines_left_out: How many of the first lines of the dialogue there is no room for.
        mind_left_out: How many memories that the scene calls up there is no room for.
        taken_over: Memories of others that the character was given, as far as the scene calls them up.
    """

    dialogue: tuple[Spoken, ...] = ()
    own: tuple[SceneReply, ...] = ()
    plan: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    turn: int = 1
    last_turn: bool = True
    closing: bool = False
    replan: tuple[Reason, ...] = ()
    material: tuple[Node, ...] = ()
    remembered: frozenset[str] = frozenset()
    recalled: tuple[Node, ...] = ()
    in_mind: tuple[Node, ...] = ()
    consulted: tuple[Consulted, ...] = ()
    gathered: tuple[Gathered, ...] = ()
    asked: tuple[Asked, ...] = ()
    lines_left_out: int = 0
    mind_left_out: int = 0
    taken_over: tuple[Node, ...] = ()
