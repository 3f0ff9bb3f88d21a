"""Fit a whole prompt into its budget: which memories, how much of the talk, of what comes to mind and of finished work.

Which section gives way when is said in ``gm.memory.sections``; here prompts are rendered and measured, in characters,
which is what tokens are estimated from. What comes out depends on world, scene and moment alone: a command that is
repeated asks the same question.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from gm.errors import GmError
from gm.memory.retrieve import Selection
from gm.memory.sections import (
    CALLED_UP,
    DIALOGUE,
    GRANTED_PART,
    INJECTED,
    MEMORIES,
    PERSONA,
    PIECES,
    PRIORITIES,
    STEP,
    SYSTEM,
    Section,
    gives_way,
    memory_room,
    set_aside,
    share_out,
)
from gm.model.character import Agent
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import SETTLED_PART, WORLD_PART, Assembler
from gm.prompt.moment import Moment, Piece
from gm.prompt.trimming import (
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
from gm.tokens import characters_in, tokens_of

MEMORY_FRAME = 480
"""Characters of headings and of what says how many memories are left out."""

MOST_TRIES = 12
LEAST_OF_PIECE = 160

Dress = Callable[[Selection], Moment]


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt as it is going to be sent.

    Attributes:
        selection: The memories that stand in front of the question.
        moment: What the question is made of.
        whole: The moment before anything was left out of it.
    """

    selection: Selection
    moment: Moment
    whole: Moment


@dataclass(frozen=True, slots=True)
class Fitter:
    """Fits the prompts that one character is asked in one scene.

    Attributes:
        assembler: Renders them.
        world: The world before the scene.
        agent: Who is asked.
        scene: What is being played.
    """

    assembler: Assembler
    world: World
    agent: Agent
    scene: Scene

    def fit(self, chosen: Selection, dress: Dress, limit_tokens: int | None) -> Fitted:
        """Leave out what there is no room for.

        Args:
            chosen: The memories that the strategy chose, within their own budget.
            dress: Makes the moment of the memories that stay: what comes to mind is what they do not show.
            limit_tokens: Most estimated tokens of the whole prompt; None = no limit.

        Raises:
            GmError: What must stand is longer than that already.
        """
        moment = dress(chosen)
        if limit_tokens is None:
            return Fitted(chosen, moment, moment)
        limit = characters_in(limit_tokens)
        fixed = sum(self._system(chosen)[:SETTLED_PART])
        needed = 0
        for _ in range(MOST_TRIES):
            kept = self._memories(chosen, memory_room(limit, fixed, needed))
            moment = dress(kept)
            left = limit - fixed - sum(self._system(kept)[SETTLED_PART:])
            sections = self._sections(moment, limit)
            more = sum(section.wanted if section.name == DIALOGUE else section.least for section in sections)
            if more <= left or not kept.nodes:
                break
            # one step further at least: what a shorter window shows less of, a look back lists in its question
            needed = max(more, set_aside(limit, needed) + 1)
        if gives_way(limit, needed) and kept.dropped > chosen.dropped:
            sections = [_at_least(section) for section in sections]
        return self._settle(kept, moment, self._cut(moment, share_out(sections, left)), limit_tokens)

    def describe(self, fitted: Fitted) -> list[dict[str, Any]]:
        """Describe the sections of a prompt in the form of ``gm context --json``, in the order of their priority."""
        system = self._system(fitted.selection)
        moment, whole = fitted.moment, fitted.whole
        bare = without_any(moment)
        step = self._size(bare, injected=False)
        lines = len(moment.dialogue) - moment.lines_left_out
        minds = called_up(moment)
        texts = [piece for piece in moment.pieces if not piece.is_cut]
        sizes = {
            SYSTEM: (system[WORLD_PART], 1, 0),
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

    # -- sizes, in characters -----------------------------------------------------------------------------

    def _system(self, selection: Selection) -> list[int]:
        # parts are joined by a line break
        return [len(part) + 1 for part in self.assembler.system(self.world, self.agent, selection)]

    def _size(self, moment: Moment, *, injected: bool = True) -> int:
        return len(self.assembler.question(self.world, self.agent, self.scene, moment, injected=injected))

    def _memories(self, chosen: Selection, room: int) -> Selection:
        if sum(self._system(chosen)[SETTLED_PART:]) <= room:
            return chosen
        return self.assembler.fit_lines(chosen, max(0, room - MEMORY_FRAME), self.world.open_day)

    def _sections(self, moment: Moment, limit: int) -> list[Section]:
        """Measure the sections of a question; each is what the question is longer with it than without."""
        bare = without_any(moment)
        must = self._size(bare)
        granted = limit // GRANTED_PART
        talk = self._size(with_talk(bare, moment)) - must
        last = self._size(shorter_talk(with_talk(bare, moment), len(moment.dialogue) - 1)) - must
        minds = self._size(with_mind(bare, moment)) - must
        pieces = self._size(replace(bare, pieces=moment.pieces)) - must
        # nothing of them is left but what says so
        no_mind = self._size(less_in_mind(with_mind(bare, moment), called_up(moment))) - must
        titles = self._size(replace(bare, pieces=titles_of(moment))) - must
        return [
            Section(STEP, must, must),
            Section(DIALOGUE, talk, min(talk, last)),
            Section(CALLED_UP, minds, min(minds, max(granted, no_mind))),
            Section(PIECES, pieces, min(pieces, max(granted, titles))),
        ]

    # -- leaving out --------------------------------------------------------------------------------------

    def _cut(self, moment: Moment, given: dict[str, int]) -> Moment:
        bare = without_any(moment)
        must = self._size(bare)
        talk = with_talk(bare, moment)
        lines = _fewest(
            max(0, len(moment.dialogue) - 1),
            lambda count: self._size(shorter_talk(talk, count)) - must <= given[DIALOGUE],
        )
        mind = with_mind(bare, moment)
        minds = _fewest(
            called_up(moment), lambda count: self._size(less_in_mind(mind, count)) - must <= given[CALLED_UP]
        )
        pieces = self._shorter_pieces(bare, moment, given[PIECES])
        return replace(less_in_mind(shorter_talk(moment, lines), minds), pieces=pieces)

    def _shorter_pieces(self, bare: Moment, moment: Moment, room: int) -> tuple[Piece, ...]:
        """Cut all pieces to the same length, so that they fit; to their titles, when nothing of them does."""
        must = self._size(bare)
        pieces = moment.pieces
        most = max((len(piece.text) for piece in pieces), default=0)
        while pieces and self._size(replace(bare, pieces=pieces)) - must > room:
            most = most * 4 // 5
            if most < LEAST_OF_PIECE:
                return titles_of(moment)
            pieces = tuple(shorter_piece(piece, most) for piece in moment.pieces)
        return pieces

    def _settle(self, kept: Selection, whole: Moment, cut: Moment, limit_tokens: int) -> Fitted:
        """Take the first that fits: as it was cut, then with nothing of it that may be left out."""
        least = with_least(whole)
        for moment in (cut, least):
            size = sum(self._system(kept)) + self._size(moment)
            if size <= characters_in(limit_tokens):
                return Fitted(kept, moment, whole)
        raise GmError(
            f"{self.scene.ref}: context.prompt_tokens is {limit_tokens}, too small for {self.agent.id}:"
            f" what must stand in this prompt has about {tokens_of(size)} tokens",
            f"set context.prompt_tokens to {tokens_of(size)} at least; memories take more than that",
        )


def _at_least(section: Section) -> Section:
    """Let a section have no more than it is granted in any case, when memories gave way to the question."""
    return replace(section, wanted=section.least) if section.name in (CALLED_UP, PIECES) else section


def _fewest(most: int, fits: Callable[[int], bool]) -> int:
    """Find the smallest count from 0 to ``most`` that fits; ``most`` when none does.

    From 1 on more fit better than fewer; that something is left out at all has to be said, which takes room itself.
    """
    if not most or fits(0):
        return 0
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low
