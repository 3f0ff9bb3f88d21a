"""Fit a prompt into its budget of characters, by the rules of ``gm.memory.prompt_budget``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from gm.ask.prompt.context import SETTLED_PART, WORLD_PART, Assembler
from gm.ask.prompt.turn_context import (
    PieceAtHand,
    TurnContext,
    count_called_up,
    leave_out_called_up,
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
from gm.memory import prompt_budget
from gm.memory.retrieve import Selection, leave_out, order_of_leaving
from gm.model.scene import Scene
from gm.model.world import Agent, World
from gm.play.windows import Window, explain_no_room

PART_FRAME = 4
"""Characters per part: separators, and rounding where each part is counted by itself."""

LEAST_OF_PIECE = 160
"""Characters to which a piece at hand is cut at most, to fit a prompt."""


class NoRoomError(GmError):
    """A prompt's required sections exceed its limit."""


@dataclass(frozen=True, slots=True)
class PromptSection:
    """A section of the prompt; ``kept`` and ``cut`` count its pieces (cut includes shortened)."""

    name: str
    tokens: int
    priority: int
    kept: int
    cut: int


ContextOf = Callable[[Selection], TurnContext]
"""Returns what a character has before it when its prompt shows these memories (``Stage._context_of``)."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prompt as it will be sent."""

    selection: Selection
    context: TurnContext
    whole: TurnContext
    system: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class _Room:
    # ``sizes``: characters of the memories, in the order in which they are left out.
    limit: int
    reserved: int
    sizes: Sequence[int]

    def size_of(self, fitted: Fitted) -> int:
        return sum(_part_sizes(fitted.system)) + len(fitted.text) + PART_FRAME + self.reserved


@dataclass(frozen=True, slots=True)
class _Try:
    fitted: Fitted
    size: int
    sections: Sequence[prompt_budget.BudgetSection] = ()


@dataclass(frozen=True, slots=True)
class _Layers:
    # Characters: ``must`` of ``bare``, and what ``minds`` and ``pieces`` add to it.
    context: TurnContext
    bare: TurnContext
    mind: TurnContext
    must: int
    minds: int
    pieces: int


@dataclass(frozen=True, slots=True)
class PromptOf:
    """What the prompts of one character in one scene are rendered from; ``form``: the schema of the reply, in words."""

    assembler: Assembler
    world: World
    agent: Agent
    scene: Scene
    form: str = ""

    def render(self, kept: Selection, context: TurnContext, whole: TurnContext) -> Fitted:
        form = self.scene.type.reply == "scene" and not self.scene.is_asked
        system = self.assembler.system(self.world, self.agent, kept, form=form)
        text = self.assembler.question(self.world, self.agent, self.scene, context)
        return Fitted(kept, context, whole, system, text)

    def size(self, context: TurnContext, *, injected: bool = True) -> int:
        """Return the characters of the question, without the system prompt."""
        return len(self.assembler.question(self.world, self.agent, self.scene, context, injected=injected))


def fit_prompt(
    prompt: PromptOf, chosen: Selection, context_of: ContextOf, window: Window, reserved: int = 0, widen: str = ""
) -> Fitted:
    """Leave out what exceeds the limit.

    Args:
        widen: As ``explain_no_room``.

    Raises:
        NoRoomError: The required sections exceed the limit.
    """
    context = context_of(chosen)
    whole = prompt.render(chosen, context, context)
    if window.prompt is None:
        return whole
    lines = prompt.assembler.lines.lines_of(prompt.world, prompt.agent, chosen.nodes)
    sizes = [len(lines[place]) + 1 for place in order_of_leaving(chosen)]
    room = _Room(characters_in(window.prompt), reserved + len(prompt.form), sizes)
    if room.size_of(whole) <= room.limit:
        return whole
    bare = _without_memories(prompt, room, chosen, context_of)
    if bare.size > room.limit:
        raise _refusal(prompt, window, bare, widen)
    found = bare
    if not bare.fitted.context.lines_left_out or not prompt_budget.is_used(room.limit, bare.size):
        found = _with_memories(prompt, room, chosen, context_of, bare)
    return found.fitted


def list_sections(prompt: PromptOf, fitted: Fitted) -> tuple[PromptSection, ...]:
    """Return a prompt's sections."""
    system = _part_sizes(fitted.system)
    context, whole = fitted.context, fitted.whole
    bare = without_any(context)
    step = prompt.size(bare, injected=False)
    lines = len(context.dialogue) - context.lines_left_out
    minds = count_called_up(context)
    texts = [piece for piece in context.pieces if not piece.is_cut]
    sizes = {
        prompt_budget.SYSTEM: (system[WORLD_PART], 1, 0),
        **({prompt_budget.FORM: (len(prompt.form), 1, 0)} if prompt.form else {}),
        prompt_budget.PERSONA: (sum(system[WORLD_PART + 1 : SETTLED_PART]), 1, 0),
        prompt_budget.STEP: (step, 1, 0),
        prompt_budget.INJECTED: (prompt.size(bare) - step, 1, 0),
        prompt_budget.DIALOGUE: (
            prompt.size(with_talk(bare, context)) - prompt.size(bare),
            lines,
            context.lines_left_out,
        ),
        prompt_budget.MEMORIES: (sum(system[SETTLED_PART:]), len(fitted.selection.nodes), fitted.selection.dropped),
        prompt_budget.CALLED_UP: (
            prompt.size(with_mind(bare, context)) - prompt.size(bare),
            minds,
            count_called_up(whole) - minds,
        ),
        prompt_budget.PIECES: (
            prompt.size(replace(bare, pieces=context.pieces)) - prompt.size(bare),
            len(texts),
            len(context.pieces) - len(texts),
        ),
    }
    return tuple(
        PromptSection(name, tokens_of(size), prompt_budget.PRIORITIES[name], kept, cut)
        for name, (size, kept, cut) in sizes.items()
    )


def _without_memories(prompt: PromptOf, room: _Room, chosen: Selection, context_of: ContextOf) -> _Try:
    kept = leave_out(chosen, len(room.sizes))
    whole = context_of(kept)
    least = with_least(whole)

    def shorter(lines: int) -> _Try:
        return _measure(prompt, room, kept, replace(least, lines_left_out=lines), whole)

    lines = _fewest(max(0, len(whole.dialogue) - 1), lambda count: shorter(count).size <= room.limit)
    return shorter(lines)


def _with_memories(prompt: PromptOf, room: _Room, chosen: Selection, context_of: ContextOf, bare: _Try) -> _Try:
    tries: dict[int, _Try] = {}
    most = len(room.sizes)

    def without(count: int) -> _Try:
        if count not in tries:
            lines = bare.fitted.context.lines_left_out
            tries[count] = _try(prompt, room, leave_out(chosen, count), context_of, lines, sum(room.sizes[count:]))
        return tries[count]

    guess = _first(room.sizes, bare.size + sum(room.sizes) + room.limit // prompt_budget.GRANTED_PART - room.limit)
    count = _fewest(most, lambda number: without(number).size <= room.limit, guess)
    if count == most > 0 or without(count).size > room.limit:
        return bare
    further, size = count, without(count).size
    while further < most - 1 and prompt_budget.is_used(room.limit, size - room.sizes[further]):
        size -= room.sizes[further]
        further += 1
    for number in (prompt_budget.roundest(count, further), count):
        found = without(number)
        if number and found.size <= room.limit and prompt_budget.is_used(room.limit, found.size):
            return found
    return _with_rest(prompt, room, without(count))


def _try(prompt: PromptOf, room: _Room, kept: Selection, context_of: ContextOf, lines: int, memories: int) -> _Try:
    whole = context_of(kept)
    layers = _layers(prompt, shorter_talk(whole, lines))
    sections = _sections(prompt, layers, prompt_budget.grant_room(room.limit, memories))
    cut = _cut(prompt, layers, {section.name: section.least for section in sections})
    return _measure(prompt, room, kept, cut, whole, sections)


def _with_rest(prompt: PromptOf, room: _Room, found: _Try) -> _Try:
    kept, whole = found.fitted.selection, found.fitted.whole
    talk = shorter_talk(whole, found.fitted.context.lines_left_out)
    layers = _layers(prompt, talk)
    free = room.limit - _measure(prompt, room, kept, with_talk(layers.bare, talk), whole).size
    more = _measure(prompt, room, kept, _cut(prompt, layers, prompt_budget.share_out(found.sections, free)), whole)
    return more if more.size <= room.limit else found


def _refusal(prompt: PromptOf, window: Window, least: _Try, widen: str) -> NoRoomError:
    needed = tokens_of(least.size)
    parts = ", ".join(f"{one.name} {one.tokens}" for one in list_sections(prompt, least.fitted) if one.tokens)
    why, hint = explain_no_room(prompt.world.settings, window, needed, widen)
    return NoRoomError(
        f"{prompt.scene.ref}: a prompt may have {window.prompt} tokens, too few for {prompt.agent.id}:"
        f" what must stand in it has about {needed}{why}: {parts}",
        hint,
    )


def _measure(
    prompt: PromptOf,
    room: _Room,
    kept: Selection,
    context: TurnContext,
    whole: TurnContext,
    sections: Sequence[prompt_budget.BudgetSection] = (),
) -> _Try:
    fitted = prompt.render(kept, context, whole)
    return _Try(fitted, room.size_of(fitted), sections)


def _layers(prompt: PromptOf, context: TurnContext) -> _Layers:
    bare = without_any(context)
    mind = with_mind(bare, context)
    must = prompt.size(bare)
    minds = prompt.size(mind) - must if count_called_up(context) else 0
    pieces = prompt.size(replace(bare, pieces=context.pieces)) - must if context.pieces else 0
    return _Layers(context, bare, mind, must, minds, pieces)


def _sections(prompt: PromptOf, layers: _Layers, grant: int) -> list[prompt_budget.BudgetSection]:
    context, must, minds, pieces = layers.context, layers.must, layers.minds, layers.pieces
    # the sentence that none of them is left is required
    no_mind = prompt.size(leave_out_called_up(layers.mind, count_called_up(context))) - must if minds > grant else 0
    titles = prompt.size(replace(layers.bare, pieces=titles_of(context))) - must if pieces > grant else 0
    return [
        prompt_budget.BudgetSection(prompt_budget.CALLED_UP, minds, min(minds, max(grant, no_mind))),
        prompt_budget.BudgetSection(prompt_budget.PIECES, pieces, min(pieces, max(grant, titles))),
    ]


def _cut(prompt: PromptOf, layers: _Layers, given: Mapping[str, int]) -> TurnContext:
    context, minds = layers.context, 0
    if layers.minds > given[prompt_budget.CALLED_UP]:
        minds = _fewest(
            count_called_up(context),
            lambda count: (
                bool(count)
                and prompt.size(leave_out_called_up(layers.mind, count)) - layers.must <= given[prompt_budget.CALLED_UP]
            ),
        )
    pieces = context.pieces
    if layers.pieces > given[prompt_budget.PIECES]:
        pieces = _shorter_pieces(prompt, layers.bare, context, layers.must + given[prompt_budget.PIECES])
    return replace(leave_out_called_up(context, minds) if minds else context, pieces=pieces)


def _shorter_pieces(prompt: PromptOf, bare: TurnContext, context: TurnContext, room: int) -> tuple[PieceAtHand, ...]:
    longest = max((len(piece.text) for piece in context.pieces), default=0)

    def shorter(count: int) -> tuple[PieceAtHand, ...]:
        return tuple(shorter_piece(piece, longest - count) for piece in context.pieces)

    count = _fewest(
        max(0, longest - LEAST_OF_PIECE), lambda number: prompt.size(replace(bare, pieces=shorter(number))) <= room
    )
    pieces = shorter(count)
    return pieces if prompt.size(replace(bare, pieces=pieces)) <= room else titles_of(context)


def _part_sizes(parts: Sequence[str]) -> list[int]:
    return [len(part) + PART_FRAME for part in parts]


def _fewest(most: int, fits: Callable[[int], bool], guess: int | None = None) -> int:
    # The smallest count in 0..most that fits, else ``most``; monotonic only from 1 on.
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
    return next((count for count, size in enumerate(accumulate(sizes), 1) if size >= much), len(sizes))
