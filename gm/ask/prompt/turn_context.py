"""One turn of a scene as a value, and shorter versions for ``gm.memory.prompt_budget``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from gm.model.consulted import Consulted
from gm.model.node import Node
from gm.model.scene import Reason
from gm.model.scene_reply import SceneReply
from gm.scene.dialogue.turns import Spoken
from gm.scene.evening.asked import RecalledTalk
from gm.scene.folding.conversation import EarlierTalk
from gm.scene.pieces.at_hand import shorten_piece
from gm.scene.threads.changes import NotedThreads

CALLED_UP = ("in_mind", "recalled", "gathered", "taken_over", "spoken")


@dataclass(frozen=True, slots=True)
class PieceAtHand:
    """A finished piece of work at hand.

    Attributes:
        maker: Id.
        own: Whether the asked character made it.
        readers: Ids of those who may see it, if not all may.
        hangs: Whether the character has just found it on the board.
    """

    title: str
    maker: str
    text: str
    is_cut: bool = False
    own: bool = False
    readers: tuple[str, ...] = ()
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was retrieved from one of ``context.sources``; ``known`` are texts of seed memories."""

    source: str
    nodes: tuple[Node, ...] = ()
    known: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SelfQuestion:
    """A character's question to itself, and the memories that answer it."""

    text: str
    nodes: tuple[Node, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnContext:
    """The context of one turn.

    Attributes:
        noted: What the character has opened in this scene, and at its end what others have arranged with it.
        plan: Made in this scene, if any.
        named_in: Lines that name the character in pieces on the board, by path.
        turn: The character's, from 1.
        last_turn: Whether it is certainly the last.
        turns_left: Most turns of the character after this one, in a scene played turn by turn.
        last_word: Whether the scene is over, and only what is remembered is asked for.
        memories_later: Whether there will be such a question.
        closing: Whether it is the chair's closing word.
        winding_up: Whether nothing is left to settle in a round, which should end.
        material: The memories to reflect on.
        remembered: Ids of memories that the prompt shows anyway.
        recalled: Memories of earlier scenes of the same kind.
        in_mind: Memories that the scene calls up.
        consulted: Tool calls before this turn, of a character that discovers itself.
        lines_left_out: Number of the dialogue's first lines that do not fit.
        mind_left_out: Number of called-up memories that do not fit.
        taken_over: Called-up memories given by others.
        spoken: Called-up words of conversations, best first.
        angle: What an insight may be about, in a reflection.
    """

    dialogue: tuple[Spoken, ...] = ()
    own: tuple[SceneReply, ...] = ()
    noted: NotedThreads = NotedThreads()
    plan: tuple[str, ...] = ()
    pieces: tuple[PieceAtHand, ...] = ()
    named_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    turn: int = 1
    last_turn: bool = True
    earlier: EarlierTalk | None = None
    turns_left: int = 0
    last_word: bool = False
    memories_later: bool = False
    closing: bool = False
    winding_up: bool = False
    replan: tuple[Reason, ...] = ()
    material: tuple[Node, ...] = ()
    remembered: frozenset[str] = frozenset()
    recalled: tuple[Node, ...] = ()
    in_mind: tuple[Node, ...] = ()
    consulted: tuple[Consulted, ...] = ()
    gathered: tuple[Gathered, ...] = ()
    asked: tuple[SelfQuestion, ...] = ()
    lines_left_out: int = 0
    mind_left_out: int = 0
    taken_over: tuple[Node, ...] = ()
    spoken: tuple[RecalledTalk, ...] = ()
    angle: str = ""


def without_any(context: TurnContext) -> TurnContext:
    """Return a context without optional parts."""
    left_out: dict[str, Any] = dict.fromkeys(("dialogue", "pieces", *CALLED_UP), ())
    return replace(context, **left_out, lines_left_out=0, mind_left_out=0)


def with_talk(bare: TurnContext, context: TurnContext) -> TurnContext:
    """Return ``bare`` with the dialogue of ``context``."""
    return replace(bare, dialogue=context.dialogue, lines_left_out=context.lines_left_out)


def with_mind(bare: TurnContext, context: TurnContext) -> TurnContext:
    """Return ``bare`` with the called-up memories of ``context``."""
    called_up = {name: getattr(context, name) for name in CALLED_UP}
    return replace(bare, **called_up, mind_left_out=context.mind_left_out)


def with_least(context: TurnContext) -> TurnContext:
    """Return the shortest version: the last line of the dialogue, the titles of pieces."""
    shorter = leave_out_called_up(shorter_talk(context, len(context.dialogue) - 1), count_called_up(context))
    return replace(shorter, pieces=titles_of(context))


def titles_of(context: TurnContext) -> tuple[PieceAtHand, ...]:
    """Return a context's pieces without texts."""
    return tuple(replace(piece, text="", is_cut=True) for piece in context.pieces)


def shorter_talk(context: TurnContext, count: int) -> TurnContext:
    """Leave out the first ``count`` lines of the dialogue."""
    return replace(context, lines_left_out=max(0, count)) if count > context.lines_left_out else context


def count_called_up(context: TurnContext) -> int:
    """Return the number of called-up memories and conversations."""
    gathered = sum(len(part.nodes) + len(part.known) for part in context.gathered)
    return len(context.in_mind) + len(context.recalled) + len(context.taken_over) + len(context.spoken) + gathered


def leave_out_called_up(context: TurnContext, count: int) -> TurnContext:
    """Leave out ``count`` called-up memories.

    What was gathered goes first, then those of others, words of conversations, the oldest.
    """
    left = count
    gathered = []
    for part in reversed(context.gathered):
        known = part.known[: max(0, len(part.known) - left)]
        left -= len(part.known) - len(known)
        nodes = part.nodes[left:] if left else part.nodes
        left -= len(part.nodes) - len(nodes)
        if nodes or known:
            gathered.append(replace(part, nodes=nodes, known=known))
    taken_over = context.taken_over[: max(0, len(context.taken_over) - left)]  # the best come first
    left -= len(context.taken_over) - len(taken_over)
    spoken = context.spoken[: max(0, len(context.spoken) - left)]
    left -= len(context.spoken) - len(spoken)
    in_mind = context.in_mind[left:]
    left -= len(context.in_mind) - len(in_mind)
    return replace(
        context,
        gathered=tuple(reversed(gathered)),
        taken_over=taken_over,
        spoken=spoken,
        in_mind=in_mind,
        recalled=context.recalled[left:],
        mind_left_out=context.mind_left_out + count,
    )


def shorter_piece(piece: PieceAtHand, most: int) -> PieceAtHand:
    """Cut a piece to ``most`` characters."""
    if len(piece.text) <= most:
        return piece
    return replace(piece, text=shorten_piece(piece.text, most), is_cut=True)
