"""Make a scene's questions, which ``fitting`` fits and ``interview`` asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from gm.ask.prompt.context import SETTLED_PART, WORLD_PART, Assembler
from gm.ask.prompt.minds import is_discovering, render_discovery
from gm.ask.prompt.turn_context import TurnContext
from gm.ask.reply.schema import NO_LAYERS, PLAN_KEYS, form_of, schema_of, sent_form_of
from gm.base.errors import GmError
from gm.files.media.pieces import read_artifact
from gm.files.questions.traces import NoTraces, TraceFolder
from gm.files.story.logbook import read_days
from gm.llm.asker import Traces
from gm.llm.base import Block, Request
from gm.llm.rehearsal.facts import Cue, Logbook, no_logbook
from gm.llm.wire import schema_in_words
from gm.memory.retrieve import Selection, select_memories
from gm.memory.search import carries
from gm.model.consulted import Consulted
from gm.model.mind import hidden_keys
from gm.model.node import Node
from gm.model.reply_texts import ReplyTexts
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Agent, World
from gm.play.fitting import Fitted, PromptOf, PromptSection, fit_prompt, list_sections
from gm.play.memory_search import MemorySearch, Search, make_query, search_memories
from gm.play.question import (
    NO_LOOK_UPS,
    AskedModels,
    Consultation,
    ExpectedReply,
    LookUps,
    Minds,
    Prompt,
    QuestionName,
    Read,
    SentQuestion,
)
from gm.play.reminders import call_to_mind, choose_window, embed_ahead, find_copies, find_talks
from gm.play.slips import Known, find_faults, make_reader
from gm.play.sources import gather
from gm.play.turn_contexts import TurnContexts, as_remembered
from gm.play.windows import Window, measure_window
from gm.scene.directing.scenes import TAGS, recall_alike
from gm.scene.evening.asked import MOST_TALKS
from gm.scene.grounding.attendance import present_with
from gm.scene.planning.plans import plans_of_today

T = TypeVar("T")
LAST_LINES = 3
"""Number of the last lines of a scene that call up memories."""


def blocks(parts: Sequence[str]) -> tuple[Block, ...]:
    """Mark cache boundaries: the common part, the character's at the start of the day, the rest so far."""
    marked = {WORLD_PART, SETTLED_PART, len(parts) - 1}
    return tuple(Block(text, cache=number in marked) for number, text in enumerate(parts))


@dataclass(frozen=True, slots=True)
class QuestionOptions:
    """Options of one question.

    Attributes:
        last: Size of the memory window; None = as configured.
        tags: Focus on memories with one of these; empty = as the scene says.
        facts: Fields of ``Cue`` that differ from a scene's.
    """

    label: str = ""
    last: int | None = None
    tags: Sequence[str] = ()
    form: type[BaseModel] | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    reserved: int = 0


USUAL = QuestionOptions()


@dataclass(frozen=True, slots=True)
class Stage:
    """Makes the questions to a scene's characters.

    Attributes:
        read_piece: Reads an artifact by its path; None when there is none.
        search: None = only the window.
        notice: Called when no memory of a character has the tags in focus.
        logbook: Returns the lines of days that a world no longer holds, for backends that do not read prose.
    """

    assembler: Assembler
    traces: Callable[[Scene], Traces]
    seed: int
    asked: AskedModels = AskedModels()
    read_piece: Callable[[str], str | None] = lambda _path: None
    search: MemorySearch | None = None
    minds: Minds | None = None
    notice: Callable[[str], None] = lambda _notice: None
    logbook: Logbook = no_logbook

    @property
    def texts(self) -> ReplyTexts:
        return self.assembler.prompts.reply_texts

    def at_once(self, work: Callable[[], T]) -> T:
        """Return the result of work whose queries are embedded in one batch first: as ``embed_ahead``."""
        self.embed_ahead(work)
        return work()

    @property
    def contexts(self) -> TurnContexts:
        return TurnContexts(self.assembler.prompts.words, self.seed, self.read_piece)

    def embed_ahead(self, work: Callable[[], object]) -> None:
        if self.search:
            embed_ahead(self.search, work)

    def make_question(
        self,
        world: World,
        scene: Scene,
        agent: Agent | None,
        name: QuestionName,
        prompt: Prompt,
        reply: ExpectedReply,
        look_ups: LookUps = NO_LOOK_UPS,
    ) -> SentQuestion:
        """Make a question; ``agent`` is None where no character is asked."""
        model = self.asked.model(name.purpose, agent)
        form, read = reply.form, reply.read
        is_turn = form is not None and issubclass(form, SceneReply)
        request = Request(
            label=name.label,
            purpose=name.purpose,
            system=prompt.system,
            messages=(("user", prompt.text),),
            schema=reply.schema,
            exact=reply.exact,
            max_tokens=world.settings.llm.answer_tokens(self.asked.window(model), is_long=reply.is_long),
            facts=prompt.facts,
            model=model,
            place=str(scene.ref),
            who=agent.id if agent else "",
            check=partial(_check, world, reply),
            tools=look_ups.tools,
            reply=form.__name__ if form else "",
            others=present_with(world, scene, agent.id) if agent and is_turn and agent.id in scene.cast else (),
        )
        return SentQuestion(
            name.named, scene, request, self.traces(scene), read, look_ups.consultation, look_ups.consulted
        )

    def question(
        self, world: World, scene: Scene, name: str, context: TurnContext, wanted: QuestionOptions = USUAL
    ) -> SentQuestion:
        """Return the question to one character in a scene, fitted into its limit.

        Raises:
            GmError: As ``fitted``, or as ``discovery``.
        """
        world = as_remembered(world)
        agent, form = world.agents[name], wanted.form or form_of(scene, plans=world.settings.plans.enabled)
        cue = Cue(world, agent, scene, context, context.material, self.seed, scene.type.reply, logbook=self.logbook)
        make = partial(
            self.make_question,
            world,
            scene,
            agent,
            QuestionName(wanted.label or name, scene.type.reply, name),
            reply=ExpectedReply(
                self._schema(world, wanted.form or sent_form_of(scene)),
                reader_of(world, form, world.layers),
                form,
                self._schema(world, form),
            ),
        )
        if is_discovering(world, agent):
            system, look_ups = self.discovery(world, scene, agent, context.consulted)
            facts = replace(cue, looked_up=context.consulted, **wanted.facts)
            text = self.assembler.question(world, agent, scene, context)
            return make(prompt=Prompt(system, text, facts), look_ups=look_ups)
        window = self._window(world, scene, agent)
        fitted = self._fit(world, scene, agent, context, wanted, window)
        shown = fitted.context.material or tuple(fitted.selection.nodes)
        facts = replace(cue, context=fitted.context, memories=shown, **wanted.facts)
        if scene.is_asked:
            facts = _as_shown(facts, "\n".join((*fitted.system, fitted.text)))
        came = _list_recalled(fitted.context)
        asked = make(prompt=Prompt(blocks(fitted.system), fitted.text, facts), look_ups=LookUps(consulted=came))
        if window.prompt is None:
            return asked

        def shorter(reserved: int) -> SentQuestion:
            return self.question(world, scene, name, context, replace(wanted, reserved=reserved))

        return replace(asked, shorter=shorter)

    def discovery(
        self, world: World, scene: Scene, agent: Agent, consulted: Sequence[Consulted] = ()
    ) -> tuple[tuple[Block, ...], LookUps]:
        """Return system prompt and lookups of a self-discovering character.

        Raises:
            GmError: This command has no tools.
        """
        if self.minds is None:
            raise GmError(
                f"{agent.id} finds out who it is by asking, and this command has nothing to ask",
                "write `mode: inject` in the front matter of its persona, and its prompts say who it is",
            )
        tools = self.minds.offered(world, scene)
        names = [tool.name for tool in tools]
        parts = render_discovery(self.assembler.prompts, world, names, consulted, form=not scene.is_asked)
        system = tuple(Block(text, cache=number == 0) for number, text in enumerate(parts))
        call = partial(self.minds.call, world, scene, agent)
        return system, LookUps(tools, Consultation(call, world.settings.persona.max_tool_rounds))

    def remembered(
        self,
        world: World,
        agent: Agent,
        scene: Scene | None = None,
        wanted: QuestionOptions = USUAL,
        purpose: str = "scene",
    ) -> Selection:
        """Return the memories that a character's question shows; ``purpose`` chooses the model with its budget."""
        tags = wanted.tags
        chosen = choose_window(self.search, world, agent, scene, wanted.last) if self.search and not tags else None
        if chosen is None:
            nodes = agent.everything if tags and any(carries(node, tags) for node in agent.everything) else agent.stream
            chosen = select_memories(
                nodes, world.settings.retrieval, tags=tags, last=wanted.last, open_day=world.open_day
            )
        budget = world.settings.context.budget_for(self.asked.model(purpose, agent))
        return self.assembler.fit(chosen, budget, world.open_day)

    def fitted(
        self, world: World, scene: Scene, name: str, context: TurnContext, wanted: QuestionOptions = USUAL
    ) -> Fitted:
        """Return the prompt of ``question``, fitted into its limit.

        Raises:
            GmError: The required sections exceed the limit (as ``gm.play.windows``).
        """
        world = as_remembered(world)
        agent = world.agents[name]
        return self._fit(world, scene, agent, context, wanted, self._window(world, scene, agent))

    def _fit(
        self, world: World, scene: Scene, agent: Agent, context: TurnContext, wanted: QuestionOptions, window: Window
    ) -> Fitted:
        wanted = replace(wanted, tags=wanted.tags or scene.tags)
        chosen = self.remembered(world, agent, scene, wanted, scene.type.reply)
        if wanted.tags and chosen.strategy != TAGS:
            tags = ", ".join(wanted.tags)
            self.notice(f"{scene.ref}: no memory of {agent.id} carries the tag {tags}: the recent ones stand")
        context_of = partial(self._context_of, world, scene, agent, context)
        prompt = self._prompt_of(world, scene, agent, wanted)
        return fit_prompt(prompt, chosen, context_of, window, wanted.reserved, self.asked.widen)

    def describe(self, world: World, scene: Scene, name: str, fitted: Fitted) -> tuple[PromptSection, ...]:
        return list_sections(self._prompt_of(world, scene, world.agents[name], USUAL), fitted)

    def schema_text(self, schema: Mapping[str, Any]) -> str:
        return schema_in_words(schema) if self.asked.tells_schema else ""

    def _prompt_of(self, world: World, scene: Scene, agent: Agent, wanted: QuestionOptions) -> PromptOf:
        reminded = (
            self.schema_text(self._schema(world, wanted.form or sent_form_of(scene))) if self.asked.tells_schema else ""
        )
        return PromptOf(self.assembler, world, agent, scene, reminded)

    def _schema(self, world: World, form: type[BaseModel]) -> dict[str, Any]:
        settings = world.settings
        return schema_of(
            form,
            self.texts,
            world.layers,
            settings.importance.from_,
            plans=settings.plans.enabled,
            reflects=settings.reflection.enabled,
        )

    def _window(self, world: World, scene: Scene, agent: Agent) -> Window:
        model = self.asked.model(scene.type.reply, agent)
        return measure_window(world.settings, model, self.asked.window(model))

    def recall(self, world: World, scene: Scene, name: str, text: str, most: int) -> tuple[Node, ...]:
        """Return the ``most`` memories of a stream that fit a text, are recent and weigh most (Park et al. 2023)."""
        if self.search is None:
            return ()
        agent = world.agents[name]
        own = {node.id for node in agent.stream}
        search = Search(make_query(world, agent, scene, text), len(own) + most, world.settings.recall.strategy)
        found = search_memories(self.search, world, agent, search, lambda hit: hit.entry.id in own)
        return tuple(found[:most])

    def _context_of(
        self, world: World, scene: Scene, agent: Agent, context: TurnContext, selection: Selection
    ) -> TurnContext:
        # what a prompt shows as memories is not called up as well: so ``fit_prompt`` asks anew for each choice of them
        remembered = frozenset(node.id for node in (*selection.nodes, *agent.summaries))
        recalled = recall_alike(agent, scene, remembered)
        if self.search is None:
            return replace(context, remembered=remembered, recalled=recalled, in_mind=())
        said = [line.text for line in context.dialogue[-LAST_LINES:]]
        # the question shows the list of today's plan
        known = remembered.union(node.id for node in plans_of_today(world, agent))
        in_mind = call_to_mind(self.search, world, scene, agent, known, said)
        taken = find_copies(self.search, world, scene, agent, known.union(node.id for node in in_mind))
        shown = known.union(node.id for node in (*recalled, *in_mind, *taken))
        return replace(
            context,
            remembered=remembered,
            recalled=recalled,
            in_mind=in_mind,
            taken_over=taken,
            gathered=gather(self.search, world, scene, agent, shown),
        )

    def talks(self, world: World, scene: Scene, name: str) -> Sequence[Node]:
        """Return the conversations out of scene that a question reminds a character of."""
        agent = world.agents[name]
        if self.search is None or is_discovering(world, agent):
            return ()
        return find_talks(self.search, world, scene, agent, MOST_TALKS)


def open_stage(
    search: MemorySearch,
    traces: Path | None,
    asked: AskedModels,
    seed: int,
    minds: Minds | None,
    notice: Callable[[str], None],
) -> Stage:
    """Make the questions from the files of a world; ``traces`` is the folder of the answers, None = none is asked."""
    return Stage(
        search.assembler,
        lambda scene: TraceFolder(traces, str(scene.ref)) if traces else NoTraces(),
        seed,
        asked,
        read_piece=partial(read_artifact, search.layout),
        search=search,
        minds=minds,
        notice=notice,
        logbook=partial(read_days, search.layout),
    )


def reader_of(world: World, form: type[BaseModel], layers: Collection[str]) -> Read:
    """Return what parses the answer of a character that is asked for these layers of its mind."""
    plans = NO_LAYERS if world.settings.plans.enabled else PLAN_KEYS
    return make_reader(form, world.settings, hidden_keys(form, layers) | plans)


def _check(world: World, reply: ExpectedReply, text: str) -> Sequence[str]:
    """A person is told what a model's answer goes without."""
    if reply.form is None:
        return reply.read(text).problems
    keys = [key for schema in (reply.schema, reply.exact or {}) for key in schema.get("properties", ())]
    return find_faults(text, reply.form, keys, Known(world.agents, world.settings), reply.read)


def _as_shown(cue: Cue, prompt: str) -> Cue:
    """Return facts without memories whose text the prompt leaves out, such as what the list of a plan says anyway."""
    text = " ".join(prompt.split())

    def shown(nodes: Sequence[Node]) -> tuple[Node, ...]:
        return tuple(node for node in nodes if " ".join(node.description.split()) in text)

    return replace(cue, memories=shown(cue.memories), context=replace(cue.context, in_mind=shown(cue.context.in_mind)))


def _list_recalled(context: TurnContext) -> tuple[Consulted, ...]:
    recalled = tuple(node.id for node in context.in_mind)
    return (Consulted("", {}, "", recalled=recalled),) if recalled else ()
