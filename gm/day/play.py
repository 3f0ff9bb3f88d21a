"""Play one scene: ask its participants in the way its type says, and collect their replies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from gm.day.facts import gather_facts
from gm.day.fitting import Fitted, Fitter
from gm.day.interview import Interviewer, Question, form_of, problems_of, schema_for, schema_of
from gm.day.minds import Consultation, Minds
from gm.day.reminders import Reminder, make_query
from gm.day.sources import gather
from gm.errors import GmError
from gm.llm.base import Block, Request
from gm.llm.content import Tool
from gm.llm.record import Traces
from gm.memory.reflect import select_input
from gm.memory.retrieve import Selection, select
from gm.memory.search import carries
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.fold import fold
from gm.model.layers import hidden_keys
from gm.model.node import Node
from gm.model.replies import Plan, SceneReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import SETTLED_PART, WORLD_PART, Assembler, Moment, Piece
from gm.prompt.discovery import discovers
from gm.reply.parse import parse_reply
from gm.scene.apply import plan_items
from gm.scene.pieces import MOST_PIECES, PIECE_CHARACTERS, pieces_at_hand, shorten_piece
from gm.scene.recall import recall_alike
from gm.scene.replan import reasons_to_replan
from gm.scene.turns import (
    Turn,
    asked_to_answer,
    is_closing_word,
    is_last_turn,
    next_speaker,
    seen_and_heard,
    seen_and_heard_at_once,
    take_turn,
)

Progress = Callable[[int, int], None]
NO_FACTS: Mapping[str, Any] = MappingProxyType({})


def blocks(parts: Sequence[str]) -> tuple[Block, ...]:
    """Mark where a prefix ends that other calls begin with too: what all share, what one starts the day with, and
    what has come until now.
    """
    marked = {WORLD_PART, SETTLED_PART, len(parts) - 1}
    return tuple(Block(text, cache=number in marked) for number, text in enumerate(parts))


def _no_text(_path: str) -> str | None:
    return None


def _backends_own(_purpose: str, _agent: Agent) -> str:
    return ""


class Stage:
    """Everything that is needed to put questions to characters.

    Args:
        assembler: Renders the parts of a question.
        seed: Dice of the Game Master.
        traces: Opens the traces of a scene.
        model_for: Tells which model plays a character for a purpose; empty = the backend's own, whichever that is.
        read_piece: Reads the text of an artifact by its path; None when there is none.
        reminder: Finds what comes to somebody's mind; None = nothing does but what is in the window.
        minds: What characters can ask that discover who they are; None = nobody does.
    """

    def __init__(
        self,
        assembler: Assembler,
        seed: int,
        traces: Callable[[Scene], Traces],
        model_for: Callable[[str, Agent], str] = _backends_own,
        read_piece: Callable[[str], str | None] = _no_text,
        reminder: Reminder | None = None,
        minds: Minds | None = None,
    ) -> None:
        self._assembler = assembler
        self._seed = seed
        self._traces = traces
        self._model_for = model_for
        self._read_piece = read_piece
        self._reminder = reminder
        self._minds = minds

    def remembered(
        self, world: World, agent: Agent, *, last: int | None = None, tags: Sequence[str] = (), purpose: str = "scene"
    ) -> Selection:
        """Choose what a character has before its eyes, as far as the model that plays it has room."""
        chosen = self._reminder.window(world, agent, last) if self._reminder and not tags else None
        if chosen is None:
            nodes = agent.everything if tags and any(carries(node, tags) for node in agent.everything) else agent.stream
            chosen = select(nodes, world.settings.retrieval, tags=tags, last=last, open_day=world.open_day)
        budget = world.settings.context.budget_for(self._model_for(purpose, agent))
        return self._assembler.fit(chosen, budget, world.open_day)

    def question(
        self,
        world: World,
        scene: Scene,
        name: str,
        moment: Moment,
        *,
        label: str = "",
        last: int | None = None,
        tags: Sequence[str] = (),
        form: type[BaseModel] | None = None,
        facts: Mapping[str, Any] = NO_FACTS,
    ) -> Question:
        """Put together what one character is asked in one turn.

        Args:
            world: The world before the scene.
            scene: What is being played.
            name: Who is asked.
            moment: The turn.
            label: Names the question within its scene; empty = as whoever is asked.
            last: Size of the memory window; None = as configured.
            tags: Focus on memories that carry one of them.
            form: The reply that is wanted, where it is not that of the scene.
            facts: More of what the question is about, as plain data.
        """
        agent = world.agents[name]
        if discovers(world, agent):
            return self._discovering(world, scene, agent, moment, label or name, form, facts)
        fitted = self.fitted(world, scene, name, moment, last=last, tags=tags)
        selection, moment = fitted.selection, fitted.moment
        system = blocks(self._assembler.system(world, agent, selection))
        known = gather_facts(world, agent, scene, moment, moment.material or selection.nodes, self._seed)
        question = self._ask(world, scene, agent, moment, label or name, system, {**known, **facts}, form)
        return replace(question, consulted=_came_to_mind(moment))

    def _ask(
        self,
        world: World,
        scene: Scene,
        agent: Agent,
        moment: Moment,
        label: str,
        system: tuple[Block, ...],
        facts: Mapping[str, Any],
        form: type[BaseModel] | None,
    ) -> Question:
        importance = world.settings.importance
        schema = schema_of(form, world.layers, importance.from_) if form else None
        form = form or form_of(scene)
        hidden = hidden_keys(form, world.layers)
        read = partial(
            parse_reply,
            form=form,
            importance_required=importance.rater == "error",
            hidden=hidden,
            importance_from=importance.from_,
        )
        request = Request(
            label=label,
            purpose=scene.type.reply,
            system=system,
            messages=(("user", self._assembler.question(world, agent, scene, moment)),),
            schema=schema or schema_for(scene, world.layers, importance.from_),
            max_tokens=world.settings.llm.max_tokens,
            facts=facts,
            model=self._model_for(scene.type.reply, agent),
            place=str(scene.ref),
            who=agent.id,
            check=partial(problems_of, read),
        )
        return Question(agent.id, scene, request, self._traces(scene), read)

    def discovery(
        self, world: World, scene: Scene, agent: Agent, consulted: Sequence[Consulted] = ()
    ) -> tuple[tuple[Block, ...], tuple[Tool, ...], Consultation]:
        """Give what a character is told that is told nothing of itself, its tools, and what carries them out.

        Raises:
            GmError: There is nothing here that it could ask.
        """
        if self._minds is None:
            raise GmError(f"{agent.id} finds out who it is by asking, and this command has nothing to ask")
        tools = self._minds.offered(world, scene)
        parts = self._assembler.discovery(world, [tool.name for tool in tools], consulted)
        system = tuple(Block(text, cache=number == 0) for number, text in enumerate(parts))
        call = partial(self._minds.call, world, scene, agent)
        return system, tools, Consultation(call, world.settings.persona.max_tool_rounds)

    def _discovering(
        self,
        world: World,
        scene: Scene,
        agent: Agent,
        moment: Moment,
        label: str,
        form: type[BaseModel] | None,
        facts: Mapping[str, Any],
    ) -> Question:
        """Ask a character that is told nothing of itself, and may look it up."""
        system, tools, consultation = self.discovery(world, scene, agent, moment.consulted)
        looked_up = [{"tool": item.tool, "arguments": item.arguments, "text": item.text} for item in moment.consulted]
        known = gather_facts(world, agent, scene, moment, moment.material, self._seed)
        known = {**known, "looked_up": looked_up, **facts}
        question = self._ask(world, scene, agent, moment, label, system, known, form)
        request = replace(question.request, tools=tools)
        return replace(question, request=request, consultation=consultation)

    def fitted(
        self,
        world: World,
        scene: Scene,
        name: str,
        moment: Moment,
        *,
        last: int | None = None,
        tags: Sequence[str] = (),
    ) -> Fitted:
        """Choose what one character has before its eyes in one turn, as far as there is room for it.

        Raises:
            GmError: There is not even room for what must stand (``context.prompt_tokens``).
        """
        agent = world.agents[name]
        chosen = self.remembered(world, agent, last=last, tags=tags, purpose=scene.type.reply)
        limit = world.settings.context.prompt_for(self._model_for(scene.type.reply, agent))
        return self.fitter(world, scene, name).fit(chosen, partial(self._dressed, world, scene, agent, moment), limit)

    def fitter(self, world: World, scene: Scene, name: str) -> Fitter:
        """Make what fits the prompts of one character in a scene."""
        return Fitter(self._assembler, world, world.agents[name], scene)

    def recall(self, world: World, scene: Scene, name: str, text: str, most: int) -> tuple[Node, ...]:
        """Look for the memories in somebody's stream that say most to a question, the best first (S1-14)."""
        if self._reminder is None:
            return ()
        agent = world.agents[name]
        own = {node.id for node in agent.stream}
        recall = world.settings.recall
        query = make_query(world, agent, scene, text, "now" if recall.purpose == "now" else "past")
        found = self._reminder.search(
            world, agent, query, len(own) + most, strategy=recall.strategy, keep=lambda hit: hit.entry.id in own
        )
        return tuple(found[:most])

    def _dressed(self, world: World, scene: Scene, agent: Agent, moment: Moment, selection: Selection) -> Moment:
        """Add to a moment what comes to mind beside the memories that the prompt shows."""
        remembered = frozenset(node.id for node in (*selection.nodes, *agent.summaries))
        in_mind = self._reminder.mind(world, scene, agent, remembered) if self._reminder else ()
        recalled = recall_alike(agent, scene, remembered)
        taken: tuple[Node, ...] = moment.taken_over
        if self._reminder:
            taken = self._reminder.taken_over(world, scene, agent, remembered.union(node.id for node in in_mind))
        moment = replace(moment, remembered=remembered, recalled=recalled, in_mind=in_mind, taken_over=taken)
        if self._reminder and world.settings.context.sources:
            shown = remembered.union(node.id for node in (*recalled, *in_mind, *taken))
            moment = replace(moment, gathered=gather(self._reminder, world, scene, agent, shown))
        return moment

    def plan_items(self, world: World, plan: Plan) -> tuple[str, ...]:
        """Write a plan as the list that stands in the agent's file."""
        return plan_items(world, plan, self._assembler.words)

    def plan_of(self, world: World, replies: Sequence[SceneReply]) -> tuple[str, ...]:
        """Give the plan that a character has made in its replies of a scene; empty when it made none."""
        plans = (reply.plan for reply in reversed(replies) if reply.plan)
        return next((self.plan_items(world, plan) for plan in plans), ())

    def first_moment(self, world: World, scene: Scene, name: str) -> Moment:
        """Describe the first turn of a character in a scene."""
        agent = world.agents[name]
        if scene.type.reply == "reflection":
            most = world.settings.reflection.input
            return Moment(material=select_input(agent.stream, agent.state.last_reflection, most))
        return Moment(
            last_turn=_is_last(scene, name, ()),
            replan=() if scene.type.plan else reasons_to_replan(world, agent),
            pieces=self._pieces(world, scene, agent),
        )

    def _pieces(self, world: World, scene: Scene, agent: Agent) -> tuple[Piece, ...]:
        """Read the finished work that people in a talk have before them."""
        found = []
        for path, title, maker in pieces_at_hand(world, scene, agent):
            text = self._read_piece(path)
            if text:
                found.append(Piece(title, maker, _shortened(text)))
        return tuple(found)


def play_scene(
    stage: Stage, interviewer: Interviewer, world: World, scene: Scene, progress: Progress | None
) -> list[Turn]:
    """Play a scene that wants scene replies: all at once, or turn by turn.

    Returns:
        The turns in the order in which they count.
    """
    if scene.type.play == "sequential":
        return _play_sequential(stage, interviewer, world, scene, progress)
    names = _names(world)
    moments = {name: stage.first_moment(world, scene, name) for name in scene.cast}
    turns = _ask_at_once(stage, interviewer, world, scene, moments, names, progress)
    if scene.type.answer_addressed:
        asked = {name: _answering(stage, world, turns, name) for name in asked_to_answer(scene.cast, turns)}
        turns += _ask_at_once(stage, interviewer, world, scene, asked, names, None)
    return turns


def _ask_at_once(
    stage: Stage,
    interviewer: Interviewer,
    world: World,
    scene: Scene,
    moments: Mapping[str, Moment],
    names: Mapping[str, str],
    progress: Progress | None,
) -> list[Turn]:
    """Ask several characters at the same time, each in a moment of its own."""
    questions = [
        stage.question(world, scene, name, moment, label=_label(name, moment)) for name, moment in moments.items()
    ]
    replies = interviewer.ask(questions, progress) if questions else []
    return [
        replace(take_turn(name, item.reply, names, item.made_with), consulted=item.consulted)
        for name, item in zip(moments, replies, strict=True)
        if isinstance(item.reply, SceneReply)
    ]


def _answering(stage: Stage, world: World, turns: Sequence[Turn], name: str) -> Moment:
    """Describe the further turn of somebody who was asked something while all replied at the same time."""
    own = tuple(turn.reply for turn in turns if turn.agent == name)
    made = [
        Piece(turn.reply.artifact.title, turn.agent, _shortened(turn.reply.artifact.body))
        for turn in turns
        if turn.reply.artifact and turn.agent != name
    ]
    return Moment(
        dialogue=seen_and_heard_at_once(turns),
        own=own,
        plan=stage.plan_of(world, own),
        pieces=tuple(made[:MOST_PIECES]),
        turn=len(own) + 1,
        consulted=_looked_up(turns, name),
    )


def _came_to_mind(moment: Moment) -> tuple[Consulted, ...]:
    """Note which memories a scene has called up without anybody asking: they came up all the same (S0-41)."""
    recalled = tuple(node.id for node in moment.in_mind)
    return (Consulted("", {}, "", recalled=recalled),) if recalled else ()


def _looked_up(turns: Sequence[Turn], name: str) -> tuple[Consulted, ...]:
    """Give what a character has asked its memory in a scene so far: it does not forget that from turn to turn."""
    return tuple(item for turn in turns if turn.agent == name for item in turn.consulted)


def _label(name: str, moment: Moment) -> str:
    return name if moment.turn == 1 else f"{name}-turn-{moment.turn}"


def _shortened(text: str) -> str:
    return text if len(text) <= PIECE_CHARACTERS else shorten_piece(text)


def _is_last(scene: Scene, name: str, turns: Sequence[Turn]) -> bool:
    kind = scene.type
    return kind.play != "sequential" or is_last_turn(
        name, turns, kind.rounds, cast=scene.cast, max_turns=kind.max_turns, chair=kind.chair
    )


def _play_sequential(
    stage: Stage, interviewer: Interviewer, world: World, scene: Scene, progress: Progress | None
) -> list[Turn]:
    turns: list[Turn] = []
    names = _names(world)
    kind = scene.type
    most = len(scene.cast) * kind.rounds[1]
    while (name := next_speaker(scene.cast, turns, kind.rounds, kind.max_turns, chair=kind.chair)) is not None:
        own = tuple(turn.reply for turn in turns if turn.agent == name)
        looked_up = _looked_up(turns, name)
        first = stage.first_moment(world, scene, name)
        moment = replace(
            first,
            dialogue=seen_and_heard(turns),
            own=own,
            plan=stage.plan_of(world, own),
            turn=len(own) + 1,
            last_turn=_is_last(scene, name, turns),
            closing=is_closing_word(name, scene.cast, turns, kind),
            replan=() if own else first.replan,
            consulted=looked_up,
        )
        if progress:
            progress(len(turns), max(most, len(turns) + 1))
        (item,) = interviewer.ask([stage.question(world, scene, name, moment, label=_label(name, moment))])
        assert isinstance(item.reply, SceneReply)
        turn = take_turn(name, item.reply, names, item.made_with)
        turns.append(replace(turn, consulted=item.consulted))
    return turns


def _names(world: World) -> dict[str, str]:
    """Every name that somebody may be addressed by, folded, with the id."""
    agents = world.agents.values()
    return {fold(name): agent.id for agent in agents for name in (agent.name, agent.call_name, agent.id)}
