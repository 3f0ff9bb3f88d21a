"""Moments with less in them: without what may be left out, with a shorter talk, with less of what comes to mind.

How much less is decided in ``gm.memory.sections`` and measured by whoever renders.
"""

from __future__ import annotations

from dataclasses import replace

from gm.prompt.moment import Moment, Piece
from gm.scene.artifacts import shorten_piece


def without_any(moment: Moment) -> Moment:
    """Take out whatever may be left out."""
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
    """Give the pieces of a moment without their texts."""
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
