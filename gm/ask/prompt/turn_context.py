"""One turn of a scene as a value, and shorter versions of it.

Which part gives way is decided in ``gm.memory.sections``; ``play.fitting`` measures.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.replies import SceneReply
from gm.model.scene import Reason
from gm.scene.artifacts import shorten_piece
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
        known: What the character knows from the start, a sentence or two each.
    """

    source: str
    nodes: tuple[Node, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that a character has asked itself, and what its memory says to it."""

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
        asked: Reflection by questions: what the character has asked itself.
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


def without_any(moment: Moment) -> Moment:
    """Take out all that may be left out."""
    return replace(
        moment,
        dialogue=(),
        pieces=(),
        in_mind=(),
        recalled=(),
        gathered=(),
        taken_over=(),
        lines_left_out=0,
        mind_left_out=0,
    )


def with_talk(bare: Moment, moment: Moment) -> Moment:
    """Put what was said into a moment that has nothing of it."""
    return replace(bare, dialogue=moment.dialogue, lines_left_out=moment.lines_left_out)


def with_mind(bare: Moment, moment: Moment) -> Moment:
    """Put what comes to mind into a moment that has nothing of it."""
    return replace(
        bare,
        in_mind=moment.in_mind,
        recalled=moment.recalled,
        gathered=moment.gathered,
        taken_over=moment.taken_over,
        mind_left_out=moment.mind_left_out,
    )


def with_least(moment: Moment) -> Moment:
    """Leave out everything that may be left out: of the talk the last line stays, of finished work the titles."""
    shorter = less_in_mind(shorter_talk(moment, len(moment.dialogue) - 1), called_up(moment))
    return replace(shorter, pieces=titles_of(moment))


def titles_of(moment: Moment) -> tuple[Piece, ...]:
    """Return the pieces of a moment without their texts."""
    return tuple(Piece(piece.title, piece.maker, "", is_cut=True) for piece in moment.pieces)


def shorter_talk(moment: Moment, count: int) -> Moment:
    """Leave out so many of the first lines of a talk."""
    return replace(moment, lines_left_out=max(0, count)) if count > moment.lines_left_out else moment


def called_up(moment: Moment) -> int:
    """Count the memories that a scene calls up."""
    gathered = sum(len(part.nodes) + len(part.known) for part in moment.gathered)
    return len(moment.in_mind) + len(moment.recalled) + len(moment.taken_over) + gathered


def less_in_mind(moment: Moment, count: int) -> Moment:
    """Leave out so many of the memories that a scene calls up: what was looked up first, then what is not one's own,
    then the oldest.
    """
    left = count
    gathered = []
    for part in reversed(moment.gathered):
        known = part.known[: max(0, len(part.known) - left)]
        left -= len(part.known) - len(known)
        nodes = part.nodes[left:] if left else part.nodes
        left -= len(part.nodes) - len(nodes)
        if nodes or known:
            gathered.append(replace(part, nodes=nodes, known=known))
    taken_over = moment.taken_over[: max(0, len(moment.taken_over) - left)]  # the best stand first
    left -= len(moment.taken_over) - len(taken_over)
    in_mind = moment.in_mind[left:]
    left -= len(moment.in_mind) - len(in_mind)
    return replace(
        moment,
        gathered=tuple(reversed(gathered)),
        taken_over=taken_over,
        in_mind=in_mind,
        recalled=moment.recalled[left:],
        mind_left_out=moment.mind_left_out + count,
    )


def shorter_piece(piece: Piece, most: int) -> Piece:
    """Cut a piece that is longer than ``most`` characters."""
    if len(piece.text) <= most:
        return piece
    return Piece(piece.title, piece.maker, shorten_piece(piece.text, most), is_cut=True)
