"""What one turn of a scene is asked with: memories that fit, what comes to mind, finished work, and the question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel

from gm.day.facts import discovery_facts, gather_facts
from gm.day.fitting import Fitted, Fitter
from gm.day.minds import Consultation, Minds
from gm.day.question import Question, QuestionBuilder
from gm.day.reminders import Reminder, make_query
from gm.day.sources import gather
from gm.errors import GmError
from gm.llm.base import Block
from gm.llm.content import Tool
from gm.llm.facts import Cue
from gm.memory.reflect import select_input
from gm.memory.retrieve import Selection, select
from gm.memory.search import carries
from gm.model.character import Agent
from gm.model.consulted import Consulted
from gm.model.layers import hidden_keys
from gm.model.node import Node
from gm.model.replies import Plan, SceneReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import SETTLED_PART, WORLD_PART
from gm.prompt.discovery import discovers
from gm.prompt.moment import Moment, Piece
from gm.reply.parse import parse_reply
from gm.reply.schema import form_of, schema_of, sent_form_of
from gm.scene.focus import TAGS
from gm.scene.pieces import pieces_at_hand, shorten_piece
from gm.scene.plans import plan_items
from gm.scene.recall import recall_alike
from gm.scene.replan import reasons_to_replan
from gm.scene.turns import Turn, is_last_turn

T = TypeVar("T")
LAST_LINES = 3
"""So many of the last lines of a scene call memories up."""
NO_FACTS: Mapping[str, Any] = MappingProxyType({})


def blocks(parts: Sequence[str]) -> tuple[Block, ...]:
    """Mark where a prefix ends that other calls begin with too: what all share, what one starts the day with, and
    what has come until now.
    """
    marked = {WORLD_PART, SETTLED_PART, len(parts) - 1}
    return tuple(Block(text, cache=number in marked) for number, text in enumerate(parts))


def _no_text(_path: str) -> str | None:
    return None


def _unsaid(_notice: str) -> None:
    pass


class Stage:
    """Everything that is needed to put questions to the characters of a scene.

    Args:
        builder: Puts questions together.
        read_piece: Reads the text of an artifact by its path; None when there is none.
        reminder: Finds what comes to somebody's mind; None = nothing does but what is in the window.
        minds: What characters can ask that discover who they are; None = nobody does.
        notice: Told when a scene is focused by tags and no memory of a character carries one, at each question.
    """

    def __init__(
        self,
        builder: QuestionBuilder,
        read_piece: Callable[[str], str | None] = _no_text,
        reminder: Reminder | None = None,
        minds: Minds | None = None,
        notice: Callable[[str], None] = _unsaid,
    ) -> None:
        self._builder = builder
        self._assembler = builder.assembler
        self._read_piece = read_piece
        self._reminder = reminder
        self._minds = minds
        self._notice = notice

    def embed_ahead(self, work: Callable[[], object]) -> None:
        """Embed in one batch what is looked up when some questions are put together."""
        if self._reminder:
            self._reminder.embed_ahead(work)

    def at_once(self, work: Callable[[], T]) -> T:
        """Put several questions together, of which everything is known at the same time."""
        self.embed_ahead(work)
        return work()

    def remembered(
        self,
        world: World,
        agent: Agent,
        *,
        scene: Scene | None = None,
        last: int | None = None,
        tags: Sequence[str] = (),
        purpose: str = "scene",
    ) -> Selection:
        """Choose what a character has before its eyes in a scene, as far as the model that plays it has room."""
        chosen = self._reminder.window(world, agent, scene, last) if self._reminder and not tags else None
        if chosen is None:
            nodes = agent.everything if tags and any(carries(node, tags) for node in agent.everything) else agent.stream
            chosen = select(nodes, world.settings.retrieval, tags=tags, last=last, open_day=world.open_day)
        budget = world.settings.context.budget_for(self._builder.model_for(purpose, agent))
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
        reserved: int = 0,
    ) -> Question:
        """Put together what one character is asked in one turn.

        Args:
            world: The world before the scene.
            scene: What is being played.
            name: Who is asked.
            moment: The turn.
            label: Names the question within its scene; empty = as whoever is asked.
            last: Size of the memory window; None = as configured.
            tags: Focus on memories that carry one of them; empty = as the scene says.
            form: The reply that is wanted, where it is not that of the scene.
            facts: Fields of what the question is about that differ from those of a scene (``Cue``).
            reserved: Characters that stay free within the limit of the prompt, if it has one.
        """
        agent = world.agents[name]
        if discovers(world, agent):
            return self._discovering(world, scene, agent, moment, label or name, form, facts)
        fitted = self.fitted(world, scene, name, moment, last=last, tags=tags, form=form, reserved=reserved)
        shorter = None
        if self._limit(world, scene, agent) is not None:
            again = partial(self.question, world, scene, name, moment, label=label, last=last, tags=tags)
            shorter = lambda count: again(form=form, facts=facts, reserved=count)  # noqa: E731
        selection, moment = fitted.selection, fitted.moment
        known = gather_facts(world, agent, scene, moment, moment.material or selection.nodes, self._builder.seed)
        asked = self._ask(
            world,
            scene,
            agent,
            moment,
            label=label or name,
            form=form,
            system=blocks(self._assembler.system(world, agent, selection)),
            facts=replace(known, **facts),
            consulted=_came_to_mind(moment),
        )
        return replace(asked, shorter=shorter)

    def _ask(
        self,
        world: World,
        scene: Scene,
        agent: Agent,
        moment: Moment,
        *,
        label: str,
        form: type[BaseModel] | None,
        system: tuple[Block, ...],
        facts: Cue,
        tools: tuple[Tool, ...] = (),
        consultation: Consultation | None = None,
        consulted: tuple[Consulted, ...] = (),
    ) -> Question:
        """Put a question of a scene together; ``form`` is the reply that is wanted where it is not the scene's."""
        importance = world.settings.importance
        read = partial(
            parse_reply,
            form=form or form_of(scene),
            importance_required=importance.rater == "error",
            hidden=hidden_keys(form or form_of(scene), world.layers),
            importance_from=importance.from_,
            limits=world.settings.reply,
        )
        return self._builder.build(
            world,
            scene,
            agent,
            label=label,
            purpose=scene.type.reply,
            system=system,
            text=self._assembler.question(world, agent, scene, moment),
            schema=_schema(world, scene, form),
            read=read,
            facts=facts,
            named=agent.id,
            tools=tools,
            consultation=consultation,
            consulted=consulted,
        )

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
        known = discovery_facts(world, agent, scene, moment, self._builder.seed)
        return self._ask(
            world,
            scene,
            agent,
            moment,
            label=label,
            form=form,
            system=system,
            facts=replace(known, **facts),
            tools=tools,
            consultation=consultation,
        )

    def fitted(
        self,
        world: World,
        scene: Scene,
        name: str,
        moment: Moment,
        *,
        last: int | None = None,
        tags: Sequence[str] = (),
        form: type[BaseModel] | None = None,
        reserved: int = 0,
    ) -> Fitted:
        """Choose what one character has before its eyes in one turn, as far as there is room for it; see ``question``.

        Raises:
            GmError: There is not even room for what must stand (``context.prompt_tokens``).
        """
        agent = world.agents[name]
        tags = tags or scene.tags
        chosen = self.remembered(world, agent, scene=scene, last=last, tags=tags, purpose=scene.type.reply)
        if tags and chosen.strategy != TAGS:
            self._notice(f"{scene.ref}: no memory of {name} carries the tag {', '.join(tags)}: the recent ones stand")
        dress = partial(self._dressed, world, scene, agent, moment)
        return self.fitter(world, scene, name, form).fit(chosen, dress, self._limit(world, scene, agent), reserved)

    def fitter(self, world: World, scene: Scene, name: str, form: type[BaseModel] | None = None) -> Fitter:
        """Make what fits the prompts of one character in a scene; ``form``: the reply, where it is not the scene's."""
        told = self._builder.in_words(_schema(world, scene, form))
        return Fitter(self._assembler, world, world.agents[name], scene, told)

    def _limit(self, world: World, scene: Scene, agent: Agent) -> int | None:
        return world.settings.context.prompt_for(self._builder.model_for(scene.type.reply, agent))

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
        said = [line.text for line in moment.dialogue[-LAST_LINES:]]
        in_mind = self._reminder.mind(world, scene, agent, remembered, said) if self._reminder else ()
        recalled = recall_alike(agent, scene, remembered)
        taken: tuple[Node, ...] = moment.taken_over
        if self._reminder:
            taken = self._reminder.taken_over(world, scene, agent, remembered.union(node.id for node in in_mind))
        moment = replace(moment, remembered=remembered, recalled=recalled, in_mind=in_mind, taken_over=taken)
        if self._reminder:
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
            last_turn=is_last(scene, name, ()),
            replan=() if scene.type.plan else reasons_to_replan(world, agent, scene),
            pieces=self._pieces(world, scene, agent),
        )

    def _pieces(self, world: World, scene: Scene, agent: Agent) -> tuple[Piece, ...]:
        """Read the finished work that people in a talk have before them."""
        found = []
        for path, title, maker in pieces_at_hand(world, scene, agent):
            text = self._read_piece(path)
            if text:
                found.append(Piece(title, maker, shorten_piece(text)))
        return tuple(found)


def _schema(world: World, scene: Scene, form: type[BaseModel] | None) -> dict[str, Any]:
    return schema_of(form or sent_form_of(scene), world.layers, world.settings.importance.from_)


def _came_to_mind(moment: Moment) -> tuple[Consulted, ...]:
    """Note which memories a scene has called up without anybody asking: they came up all the same (S0-41)."""
    recalled = tuple(node.id for node in moment.in_mind)
    return (Consulted("", {}, "", recalled=recalled),) if recalled else ()


def is_last(scene: Scene, name: str, turns: Sequence[Turn]) -> bool:
    """Tell whether a coming turn is certainly the last one that somebody has in a scene."""
    kind = scene.type
    return kind.play != "sequential" or is_last_turn(
        name, turns, kind.rounds, cast=scene.cast, max_turns=kind.max_turns, chair=kind.chair
    )
