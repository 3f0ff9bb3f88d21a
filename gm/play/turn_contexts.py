"""What a character has before its eyes when it is asked, and what the settings leave of its memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from gm.ask.prompt.minds import is_discovering
from gm.ask.prompt.turn_context import PieceAtHand, TurnContext
from gm.memory.reflect import select_input
from gm.model.consulted import Consulted
from gm.model.derived import derived
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import Agent, Sentences, World
from gm.scene.dialogue.speakers import is_closing_word, is_end, is_last_turn, is_settled, turns_left
from gm.scene.dialogue.turns import Turn, seen_and_heard, seen_and_heard_at_once
from gm.scene.evening.asked import exchange_about
from gm.scene.evening.habits import angle_of
from gm.scene.folding.conversation import earlier_talk
from gm.scene.folding.showing import pieces_before, unread_by
from gm.scene.pieces.at_hand import lines_naming, pieces_asked_about, shorten_piece
from gm.scene.pieces.known_pieces import AtHand, pieces_on_board, readers_so_far
from gm.scene.planning.plan_items import strike_reported
from gm.scene.planning.plans import plan_items, reasons_to_replan
from gm.scene.threads.changes import noted_so_far

MOST_LINES = 120
"""Last lines of a scene that a prompt shows; only talks of many are longer."""


@dataclass(frozen=True, slots=True)
class TurnContexts:
    """Makes the contexts of the turns of a scene, and of other questions.

    Attributes:
        read_piece: Reads an artifact by its path; None when there is none.
    """

    words: Sentences
    seed: int
    read_piece: Callable[[str], str | None]

    def first_turn(self, world: World, scene: Scene, name: str, turns: Sequence[Turn] = ()) -> TurnContext:
        """Return the first turn of a character in a scene, after ``turns`` of others."""
        world = as_remembered(world)
        agent, plans = world.agents[name], world.settings.plans.enabled
        if scene.type.is_reflection:
            most = world.settings.reflection.input
            return TurnContext(
                material=select_input(agent.stream, agent.state.last_reflection, most), angle=self.angle(world, name)
            )
        pieces = pieces_before(world, scene, agent, turns)
        return TurnContext(
            last_turn=_is_last(scene, name, ()),
            replan=reasons_to_replan(world, agent, scene) if plans and not scene.type.plan else (),
            pieces=self._pieces(world, pieces, agent),
            named_in=self._find_named_in(world, agent, {piece.path for piece in pieces}),
            earlier=earlier_talk(world, agent, scene),
        )

    def next_turn(self, world: World, scene: Scene, turns: Sequence[Turn], name: str) -> TurnContext:
        """Return the next turn of a character in a scene that is played turn by turn."""
        own = tuple(turn.reply for turn in turns if turn.agent == name)
        first = self.first_turn(world, scene, name, turns)
        dialogue = seen_and_heard(turns, scene.moved)
        later = scene.type.last_word == "all" and world.settings.day.last_word
        return replace(
            first,
            dialogue=dialogue,
            lines_left_out=max(0, len(dialogue) - MOST_LINES),
            own=own,
            noted=replace(noted_so_far(world, scene, turns, name, self.words), others=()),
            plan=self.plan_of(world, world.agents[name], turns),
            turn=len(own) + 1,
            last_turn=_is_last(scene, name, turns),
            turns_left=turns_left(name, scene.cast, turns, scene.type),
            memories_later=later and not is_end(name, scene.cast, turns, scene.type),
            closing=is_closing_word(name, scene.cast, turns, scene.type),
            winding_up=is_settled(scene, turns),
            replan=() if own else first.replan,
            consulted=_list_looked_up(turns, name),
        )

    def so_far(self, world: World, scene: Scene, turns: Sequence[Turn], name: str) -> TurnContext:
        """Return the context of a character that is asked once more in a scene, after all turns so far."""
        own = tuple(turn.reply for turn in turns if turn.agent == name)
        dialogue = seen_and_heard_at_once(turns) if scene.type.is_at_once else seen_and_heard(turns, scene.moved)
        return TurnContext(
            dialogue=dialogue,
            lines_left_out=max(0, len(dialogue) - MOST_LINES),
            own=own,
            noted=noted_so_far(world, scene, turns, name, self.words),
            plan=self.plan_of(world, world.agents[name], turns),
            pieces=self.pieces(world, scene, world.agents[name], turns),
            turn=len(own) + 1,
            consulted=_list_looked_up(turns, name),
        )

    def asked(self, world: World, scene: Scene, name: str, talks: Sequence[Node]) -> TurnContext:
        """Return what a question out of scene calls up beside memories: conversations and pieces."""
        agent = world.agents[name]
        if is_discovering(world, agent):
            return TurnContext()
        called = self.words("asked_work").split()
        return TurnContext(
            pieces=self._pieces(world, pieces_asked_about(world, agent, scene.topic, scene.about, called), agent),
            spoken=tuple(exchange_about(node, scene.topic) for node in talks),
        )

    def angle(self, world: World, name: str) -> str:
        return angle_of(world, name, self.seed, self.words)

    def plan_of(self, world: World, agent: Agent, turns: Sequence[Turn]) -> tuple[str, ...]:
        """Return a character's plan after its turns; empty if they do not mention it."""
        own = [turn for turn in turns if turn.agent == agent.id]
        made = next((plan_items(world, turn.reply.plan, self.words) for turn in reversed(own) if turn.reply.plan), None)
        is_told = made is not None or any(turn.reply.plan_status for turn in own)
        return strike_reported(agent, own, made).plan if is_told else ()

    def pieces(self, world: World, scene: Scene, agent: Agent, turns: Sequence[Turn]) -> tuple[PieceAtHand, ...]:
        """Return the pieces that a character has at hand after some turns of a scene, with their texts."""
        return self._pieces(world, pieces_before(world, scene, agent, turns), agent)

    def _find_named_in(self, world: World, agent: Agent, at_hand: Collection[str]) -> dict[str, tuple[str, ...]]:
        left_out = {*unread_by(world, agent), *at_hand}
        hung = (piece.path for piece in pieces_on_board(world, agent))
        texts = {path: self.read_piece(path) or "" for path in hung if path not in left_out}
        return {path: lines for path, text in texts.items() if (lines := lines_naming(agent, text))}

    def _pieces(self, world: World, known: Iterable[AtHand], agent: Agent) -> tuple[PieceAtHand, ...]:
        found = []
        for piece in known:
            text = piece.body or self.read_piece(piece.path)
            if text:
                shown = shorten_piece(text, piece.most_characters, piece.about)
                own, readers = piece.maker == agent.id, readers_so_far(world, piece)
                found.append(
                    PieceAtHand(piece.title, piece.maker, shown, own=own, readers=readers, hangs=piece.is_on_board)
                )
        return tuple(found)


def _list_looked_up(turns: Sequence[Turn], name: str) -> tuple[Consulted, ...]:
    return tuple(item for turn in turns if turn.agent == name for item in turn.consulted)


def _is_last(scene: Scene, name: str, turns: Sequence[Turn]) -> bool:
    # whether the coming turn is certainly the last one of the character
    return not scene.type.is_turn_by_turn or is_last_turn(name, scene.cast, turns, scene.type)


@derived
def as_remembered(world: World) -> World:
    """Return a world as its characters know it: without memories (``retrieval.enabled``) or plans (``plans.enabled``).

    The world itself where both are on.
    """
    if not world.settings.retrieval.enabled:
        agents = {name: replace(agent, stream=(), summaries=(), beside=()) for name, agent in world.agents.items()}
        return replace(world, agents=agents, threads=())
    if world.settings.plans.enabled:
        return world
    return replace(world, agents={name: _without_plans(agent) for name, agent in world.agents.items()})


def _without_plans(agent: Agent) -> Agent:
    if all(node.type != "plan" for node in agent.stream):
        return agent
    return replace(agent, stream=tuple(node for node in agent.stream if node.type != "plan"))
