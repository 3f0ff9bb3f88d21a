"""Fit a whole prompt into its budget: which memories, how much of the talk, of what comes to mind and of finished work.

Which section gives way when is said in ``gm.memory.sections``; here prompts are rendered and measured, in characters,
which is what tokens are estimated from. What comes out depends on world, scene and moment alone: a command that is
repeated asks the same question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from gm.ask.prompt.context import SETTLED_PART, WORLD_PART, Assembler
from gm.ask.prompt.turn_context import (
    Moment,
    Piece,
    called_up,
    less_in_mind,
    shorter_piece,
    shorter_talk,
    titles_of,
    with_least,
    with_mind,
    with_talk,
    without_any,
)
from gm.base.errors import GmError
from gm.base.tokens import characters_in, tokens_of
from gm.memory.retrieve import Selection, leave_out, order_of_leaving
from gm.memory.sections import (
    CALLED_UP,
    DIALOGUE,
    FORM,
    GRANTED_PART,
    INJECTED,
    MEMORIES,
    PERSONA,
    PIECES,
    PRIORITIES,
    STEP,
    SYSTEM,
    Section,
    granted,
    is_used,
    roundest,
    share_out,
)
from gm.model.character import Agent
from gm.model.scene import Scene
from gm.model.world import World

PART_FRAME = 4
"""Characters for what parts are joined by, and for rounding up where each is counted by itself."""

LEAST_OF_PIECE = 160


class NoRoomError(GmError):
    """What must stand in a prompt is longer than it may get."""


Dress = Callable[[Selection], Moment]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt as it is going to be sent.

    Attributes:
        selection: The memories that stand in front of the question.
        moment: What the question is made of.
        whole: The moment before anything was left out of it.
        system: The parts that stand in front of the question, as texts.
        text: The question.
    """

    selection: Selection
    moment: Moment
    whole: Moment
    system: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Room:
    """What a prompt has room for.

    Attributes:
        limit: Characters of the whole prompt.
        reserved: Characters of it that something else needs: the form of the reply in words, a further question.
        sizes: Characters of the lines of all memories, in the order in which they are left out.
    """

    limit: int
    reserved: int
    sizes: Sequence[int]

    def size_of(self, fitted: Fitted) -> int:
        """Return the characters that a prompt takes of the limit."""
        return sum(_part_sizes(fitted.system)) + len(fitted.text) + PART_FRAME + self.reserved


@dataclass(frozen=True, slots=True)
class _Try:
    """A prompt that may be sent: what is in it, its characters, and what 6 and 7 want and are granted in it."""

    fitted: Fitted
    size: int
    sections: Sequence[Section] = ()


@dataclass(frozen=True, slots=True)
class _Layers:
    """A moment layer by layer, each measured in characters once, as a question that has nothing but it.

    Attributes:
        moment: All of it.
        bare: Without what may be left out.
        mind: ``bare`` with what is called up.
        must: Characters of ``bare``.
        minds: What the question is longer with everything that is called up.
        pieces: What it is longer with the pieces.
    """

    moment: Moment
    bare: Moment
    mind: Moment
    must: int
    minds: int
    pieces: int


@dataclass(frozen=True, slots=True)
class Fitter:
    """Fits the prompts that one character is asked in one scene.

    Attributes:
        assembler: Renders them.
        world: The world before the scene.
        agent: Who is asked.
        scene: What is being played.
        form: The form of the reply as it is told in words; empty where it is not.
    """

    assembler: Assembler
    world: World
    agent: Agent
    scene: Scene
    form: str = ""

    def fit(self, chosen: Selection, dress: Dress, limit_tokens: int | None, reserved: int = 0) -> Fitted:
        """Leave out what there is no room for.

        Args:
            chosen: The memories that the strategy chose, within their own budget.
            dress: Makes the moment of the memories that stay: what comes to mind is what they do not show.
            limit_tokens: Most estimated tokens of the whole prompt; None = no limit.
            reserved: Characters of it to keep free.

        Raises:
            NoRoomError: What must stand is longer than that already.
        """
        moment = dress(chosen)
        whole = self._rendered(chosen, moment, moment)  # from now on the lines are as the character sees them
        if limit_tokens is None:
            return whole
        lines = self.assembler.lines.lines_of(chosen.nodes)
        sizes = [len(lines[place]) + 1 for place in order_of_leaving(chosen)]
        room = _Room(characters_in(limit_tokens), reserved + len(self.form), sizes)
        if room.size_of(whole) <= room.limit:
            return whole
        bare = self._without_memories(room, chosen, dress)
        if bare.size > room.limit:
            raise self._refusal(limit_tokens, bare.size)
        found = bare
        if not bare.fitted.moment.lines_left_out or not is_used(room.limit, bare.size):
            found = self._with_memories(room, chosen, dress, bare)
        return found.fitted

    def describe(self, fitted: Fitted) -> list[dict[str, Any]]:
        """Describe the sections of a prompt in the form of ``gm context --json``, in the order of their priority."""
        system = _part_sizes(fitted.system)
        moment, whole = fitted.moment, fitted.whole
        bare = without_any(moment)
        step = self._size(bare, injected=False)
        lines = len(moment.dialogue) - moment.lines_left_out
        minds = called_up(moment)
        texts = [piece for piece in moment.pieces if not piece.is_cut]
        sizes = {
            SYSTEM: (system[WORLD_PART], 1, 0),
            **({FORM: (len(self.form), 1, 0)} if self.form else {}),
            PERSONA: (sum(system[WORLD_PART + 1 : SETTLED_PART]), 1, 0),
            STEP: (step, 1, 0),
            INJECTED: (self._size(bare) - step, 1, 0),
            DIALOGUE: (self._size(with_talk(bare, moment)) - self._size(bare), lines, moment.lines_left_out),
            MEMORIES: (sum(system[SETTLED_PART:]), len(fitted.selection.nodes), fitted.selection.dropped),
            CALLED_UP: (self._size(with_mind(bare, moment)) - self._size(bare), minds, called_up(whole) - minds),
            PIECES: (
                self._size(replace(bare, pieces=moment.pieces)) - self._size(bare),
                len(texts),
                len(moment.pieces) - len(texts),
            ),
        }
        return [
            {"name": name, "tokens": tokens_of(size), "priority": PRIORITIES[name], "kept": kept, "cut": cut}
            for name, (size, kept, cut) in sizes.items()
        ]

    # -- what stays ---------------------------------------------------------------------------------------

    def _without_memories(self, room: _Room, chosen: Selection, dress: Dress) -> _Try:
        """Make the shortest prompt: without memories and what is called up, with as much of the talk as there is room
        for. It may be too long all the same.
        """
        kept = leave_out(chosen, len(room.sizes))
        whole = dress(kept)
        least = with_least(whole)

        def shorter(lines: int) -> _Try:
            return self._measured(room, kept, replace(least, lines_left_out=lines), whole)

        lines = _fewest(max(0, len(whole.dialogue) - 1), lambda count: shorter(count).size <= room.limit)
        return shorter(lines)

    def _with_memories(self, room: _Room, chosen: Selection, dress: Dress, bare: _Try) -> _Try:
        """Put as many memories into a prompt as there is room for beside what 6 and 7 are granted."""
        tries: dict[int, _Try] = {}
        most = len(room.sizes)

        def without(count: int) -> _Try:
            if count not in tries:
                lines = bare.fitted.moment.lines_left_out
                tries[count] = self._try(room, leave_out(chosen, count), dress, lines, sum(room.sizes[count:]))
            return tries[count]

        guess = _first(room.sizes, bare.size + sum(room.sizes) + room.limit // GRANTED_PART - room.limit)
        count = _fewest(most, lambda number: without(number).size <= room.limit, guess)
        if count == most > 0 or without(count).size > room.limit:
            return bare
        further, size = count, without(count).size
        while further < most - 1 and is_used(room.limit, size - room.sizes[further]):
            size -= room.sizes[further]
            further += 1
        for number in (roundest(count, further), count):
            found = without(number)
            if number and found.size <= room.limit and is_used(room.limit, found.size):
                return found
        return self._with_rest(room, without(count))

    def _try(self, room: _Room, kept: Selection, dress: Dress, lines: int, memories: int) -> _Try:
        """Make a prompt of the memories that stay, with no more of 6 and 7 than they are granted."""
        whole = dress(kept)
        layers = self._layers(shorter_talk(whole, lines))
        sections = self._sections(layers, granted(room.limit, memories))
        cut = self._cut(layers, {section.name: section.least for section in sections})
        return self._measured(room, kept, cut, whole, sections)

    def _with_rest(self, room: _Room, found: _Try) -> _Try:
        """Let 6 and 7 have what is free behind the memories."""
        kept, whole = found.fitted.selection, found.fitted.whole
        talk = shorter_talk(whole, found.fitted.moment.lines_left_out)
        layers = self._layers(talk)
        free = room.limit - self._measured(room, kept, with_talk(layers.bare, talk), whole).size
        more = self._measured(room, kept, self._cut(layers, share_out(found.sections, free)), whole)
        return more if more.size <= room.limit else found

    def _refusal(self, limit_tokens: int, size: int) -> NoRoomError:
        return NoRoomError(
            f"{self.scene.ref}: context.prompt_tokens is {limit_tokens}, too small for {self.agent.id}:"
            f" what must stand in this prompt has about {tokens_of(size)} tokens",
            f"set context.prompt_tokens to {tokens_of(size)} at least; memories take more than that",
        )

    # -- sizes, in characters -----------------------------------------------------------------------------

    def _rendered(self, kept: Selection, moment: Moment, whole: Moment) -> Fitted:
        system = self.assembler.system(self.world, self.agent, kept)
        text = self.assembler.question(self.world, self.agent, self.scene, moment)
        return Fitted(kept, moment, whole, system, text)

    def _measured(
        self, room: _Room, kept: Selection, moment: Moment, whole: Moment, sections: Sequence[Section] = ()
    ) -> _Try:
        fitted = self._rendered(kept, moment, whole)
        return _Try(fitted, room.size_of(fitted), sections)

    def _size(self, moment: Moment, *, injected: bool = True) -> int:
        return len(self.assembler.question(self.world, self.agent, self.scene, moment, injected=injected))

    def _layers(self, moment: Moment) -> _Layers:
        bare = without_any(moment)
        mind = with_mind(bare, moment)
        must = self._size(bare)
        minds = self._size(mind) - must if called_up(moment) else 0
        pieces = self._size(replace(bare, pieces=moment.pieces)) - must if moment.pieces else 0
        return _Layers(moment, bare, mind, must, minds, pieces)

    def _sections(self, layers: _Layers, grant: int) -> list[Section]:
        moment, must, minds, pieces = layers.moment, layers.must, layers.minds, layers.pieces
        # what says that nothing of them is left stands in any case
        no_mind = self._size(less_in_mind(layers.mind, called_up(moment))) - must if minds > grant else 0
        titles = self._size(replace(layers.bare, pieces=titles_of(moment))) - must if pieces > grant else 0
        return [
            Section(CALLED_UP, minds, min(minds, max(grant, no_mind))),
            Section(PIECES, pieces, min(pieces, max(grant, titles))),
        ]

    # -- leaving out --------------------------------------------------------------------------------------

    def _cut(self, layers: _Layers, given: Mapping[str, int]) -> Moment:
        """Leave out of what is called up and of the pieces what is more than they are given."""
        moment, minds = layers.moment, 0
        if layers.minds > given[CALLED_UP]:
            minds = _fewest(
                called_up(moment),
                lambda count: (
                    bool(count) and self._size(less_in_mind(layers.mind, count)) - layers.must <= given[CALLED_UP]
                ),
            )
        pieces = moment.pieces
        if layers.pieces > given[PIECES]:
            pieces = self._shorter_pieces(layers.bare, moment, layers.must + given[PIECES])
        return replace(less_in_mind(moment, minds) if minds else moment, pieces=pieces)

    def _shorter_pieces(self, bare: Moment, moment: Moment, room: int) -> tuple[Piece, ...]:
        """Cut all pieces to the same length, so that they fit; to their titles, when nothing of them does."""
        longest = max((len(piece.text) for piece in moment.pieces), default=0)

        def shorter(count: int) -> tuple[Piece, ...]:
            return tuple(shorter_piece(piece, longest - count) for piece in moment.pieces)

        count = _fewest(
            max(0, longest - LEAST_OF_PIECE),
            lambda number: self._size(replace(bare, pieces=shorter(number))) <= room,
        )
        pieces = shorter(count)
        return pieces if self._size(replace(bare, pieces=pieces)) <= room else titles_of(moment)


def _part_sizes(parts: Sequence[str]) -> list[int]:
    return [len(part) + PART_FRAME for part in parts]


def _fewest(most: int, fits: Callable[[int], bool], guess: int | None = None) -> int:
    """Find the smallest count from 0 to ``most`` that fits; ``most`` when none does.

    From 1 on more fit better than fewer; that something is left out at all has to be said, which takes room itself.

    Args:
        most: The largest count.
        fits: Tells whether a count fits.
        guess: About which count to begin; None = in the middle.
    """
    if not most or fits(0):
        return 0
    low, high = 1, most
    middle, step = (most // 2, most) if guess is None else (guess, 1)
    while low < high:
        middle = min(max(middle, low), high - 1)
        if fits(middle):
            high, middle = middle, max((low + middle) // 2, middle - step)
        else:
            low, middle = middle + 1, min((middle + 1 + high) // 2, middle + step)
        step *= 2
    return low


def _first(sizes: Sequence[int], much: int) -> int:
    """Count how many of the first sizes come to so much together; all of them when they do not."""
    return next((count for count, size in enumerate(accumulate(sizes), 1) if size >= much), len(sizes))
