"""A character's next prompt, and its memories (``gm context``)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from gm.api.answers.document import part
from gm.api.history.past import log_until, world_at
from gm.api.playing.mind.minds import SceneMinds
from gm.api.reports.models import choose_for
from gm.api.reports.recall import require_strategy
from gm.ask.prompt.context import Assembler
from gm.ask.prompt.minds import is_discovering
from gm.ask.prompt.render import Prompts
from gm.base.arguments import check_fields
from gm.base.config.layers import DISCOVER
from gm.base.errors import UsageError
from gm.base.tokens import estimate_tokens
from gm.base.untyped import items_of
from gm.files.layout import Layout
from gm.files.media.library import find_passages
from gm.llm.base import Request
from gm.llm.choose import BACKENDS, is_schema_told
from gm.llm.content import plain_tool, text_of
from gm.llm.providers import find_provider
from gm.memory.lens import lenses_of, original_text, read_through
from gm.memory.retrieve import Selection
from gm.model.calendar import SceneRef
from gm.model.node import Node, node_record
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.world import Agent, World, known_agent
from gm.play import memory_search, question, reflecting, sources, vector_search
from gm.play.fitting import PromptSection
from gm.play.prompts import open_prompts
from gm.play.stage import QuestionOptions, open_stage
from gm.play.windows import Window, measure_window
from gm.scene.directing.choosing import SceneRequest, check_request, requested_scene
from gm.scene.directing.director import consider, next_step
from gm.scene.directing.scenes import arrival_scene, focus, scene_of
from gm.scene.evening.dusk import said_by_plan
from gm.scene.folding.advance import advance
from gm.scene.planning.schedule import open_day


@dataclass(frozen=True, slots=True)
class ContextOptions:
    """What to show.

    Attributes:
        last: Size of the window; None = as configured.
        moment: After this day or scene; None = now.
        strategy: Of retrieval; empty = as configured.
        scene: None = the character's next.
        model: As ``--model``; its server is asked for the window. Empty = as configured; then only a server that stands
            on this machine is asked.
    """

    last: int | None = None
    tags: tuple[str, ...] = ()
    moment: SceneRef | None = None
    strategy: str = ""
    scene: SceneRequest | None = None
    model: str = ""

    def __post_init__(self) -> None:
        check_fields(self, last=1)


AS_NEXT = ContextOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenThrough:
    """A memory seen through lenses: when it was formed, and when it is read; None = unchanged."""

    formation: Sequence[str]
    original: str | None = part(omit=None)
    retrieval: tuple[str, ...]
    reads: str | None = part(omit=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A character's next prompt and its memories.

    Attributes:
        reflections: Ids, among the memories.
        in_plan: Ids, among the memories, of those that the prompt does not repeat: the plan in it says the same.
        dropped: Memories beyond the budget.
    """

    agent: str
    strategy: str
    memories: tuple[Node, ...] = part(by=node_record)
    reflections: tuple[str, ...]
    in_plan: tuple[str, ...] = part(omit=())
    summaries: tuple[Node, ...] = part(omit=(), by=node_record)
    lenses: Mapping[str, SeenThrough] | None = part(omit=None)
    dropped: int
    tokens: int
    window: Window | None = part(omit=None)
    sections: tuple[PromptSection, ...]
    prompt: str | None = part(omit=None)


def describe_context(
    layout: Layout,
    world: World,
    name: str,
    options: ContextOptions = AS_NEXT,
    notice: Callable[[str], None] = lambda _text: None,
) -> Context:
    """Retrieve a character's memories as a scene would, and render the prompt (``gm context``). No model is asked.

    Args:
        world: Its memory streams may be incomplete.
        name: An id or a name.
        notice: Called with notes, e.g. on unknown tags.

    Raises:
        UsageError: No such character, moment or strategy, or a scene that cannot be played or is without the character.

    Examples:
        >>> context = gm.describe_context(layout, opened.world, "casey")
        >>> context.agent, len(context.memories), context.tokens > 0
        ('casey', 32, True)
    """
    name = known_agent(world.agents, name)
    prompts = open_prompts(layout, world.settings)
    world = replace(world, scene_types=prompts.scene_types())
    vectors = vector_search.VectorSearch(layout, world.settings.index)
    with closing(memory_search.open_search(layout, Assembler(prompts), notice, vectors)) as search:
        return _context(_apply_options(layout, world, options), name, options, search, notice, os.environ)


def _apply_options(layout: Layout, world: World, options: ContextOptions) -> World:
    if options.moment:
        log = log_until(layout, world, options.moment)
        world = world_at(layout, replace(world, log=log), options.moment)
    if options.strategy:
        retrieval = replace(world.settings.retrieval, strategy=require_strategy(options.strategy))
        world = replace(world, settings=replace(world.settings, retrieval=retrieval))
    return world


def _context(
    world: World,
    name: str,
    options: ContextOptions,
    search: memory_search.MemorySearch,
    notice: Callable[[str], None],
    environment: Mapping[str, str],
) -> Context:
    layout, settings, agent = search.layout, world.settings, world.agents[name]
    is_told = is_schema_told(settings.model, settings.llm, environment)
    asked = question.AskedModels(partial(_named_model, world), is_told)
    asks = bool(options.model) or _is_played_here(settings.model, environment)
    if asks:
        asked = question.models_of(choose_for(layout, options.model, notice, asking=False))
    said: set[str] = set()
    minds = SceneMinds(layout, notice, search.vectors)
    stage = open_stage(search, None, asked, settings.seed, minds, said.add)
    wanted = QuestionOptions(last=options.last, tags=options.tags)

    def find(query: str) -> tuple[Passage, ...]:
        return find_passages(layout, query, settings.language)[0]

    opened, scene = _find_next_question(world, search.assembler.prompts, name, find, options.scene)
    # if the day is opened in memory only, the window has the same nodes
    if scene.type.is_reflection:
        scene, context = reflecting.first_question(stage, opened, scene)
    else:
        context = stage.contexts.first_turn(opened, scene, name)
    stage.embed_ahead(lambda: stage.question(opened, scene, name, context, wanted))
    if is_discovering(world, agent):
        chosen, sections = Selection(DISCOVER, (), ()), tuple[PromptSection, ...]()
    else:
        fitted = stage.fitted(opened, scene, name, context, wanted)
        chosen, sections = fitted.selection, stage.describe(opened, scene, name, fitted)
    request = stage.question(opened, scene, name, context, wanted).request
    for text in sorted(said):
        notice(text)
    prompt = render_request(request) + stage.schema_text(request.schema)
    model = asked.model(scene.type.reply, agent)
    listed = said_by_plan(opened, opened.agents[name], chosen.window)
    return Context(
        agent=agent.id,
        strategy=chosen.strategy,
        memories=tuple(chosen.nodes),
        reflections=tuple(node.id for node in chosen.nodes if node.depth > 0),
        in_plan=tuple(node.id for node in chosen.nodes if node.id in listed),
        summaries=tuple(agent.summaries),
        lenses=_find_bent_memories(world, agent, chosen.nodes) or None,
        dropped=chosen.dropped,
        tokens=estimate_tokens(prompt),
        window=measure_window(settings, model, asked.window(model)) if asks else None,
        sections=sections,
        prompt=prompt,
    )


def _find_bent_memories(world: World, agent: Agent, nodes: Sequence[Node]) -> dict[str, SeenThrough]:
    lenses = lenses_of(world.settings, agent)
    found = {}
    for node in nodes:
        text, names = read_through(node, lenses)
        formed = node.metadata.get("lens", []) if node.original else []
        if names or formed:
            found[node.id] = SeenThrough(
                formation=items_of(formed),
                original=original_text(node) if formed else None,
                retrieval=tuple(names),
                reads=text if names else None,
            )
    return found


def _is_played_here(model: str, environment: Mapping[str, str]) -> bool:
    found = find_provider(model, environment)
    return found is not None and found[0].is_local


def _named_model(world: World, purpose: str, agent: Agent | None) -> str:
    """Return the model as far as files say, not what ``auto`` resolves to."""
    settings = world.settings
    if settings.model in BACKENDS:
        return settings.model
    return (agent.front_values.model if agent else "") or settings.models.by_purpose().get(purpose) or settings.model


def render_request(request: Request) -> str:
    """Render a request as text: system parts, messages, tools."""
    texts = [*(block.text for block in request.system), *(text_of(content) for _, content in request.messages)]
    if request.tools:
        texts.append(
            "# tools\n" + "\n".join(json.dumps(plain_tool(tool), ensure_ascii=False) for tool in request.tools)
        )
    return "\n".join(texts)


def _find_next_question(
    world: World, prompts: Prompts, name: str, find: sources.Find, request: SceneRequest | None
) -> tuple[World, Scene]:
    """Return the requested scene, else the coming one with the character, else the best candidate, else ARRIVAL."""
    opened = world if world.clock.day_open else advance(world, open_day(world))
    if request is None:
        return opened, focus(opened, sources.look_up(_next_scene(opened, prompts, name, opened.settings.seed), find))
    scene = requested_scene(opened, check_request(opened, request), prompts.words)
    if name not in scene.cast:
        raise UsageError(
            f"{name} takes no part in this scene", f"name it as well: --with {name},{','.join(scene.cast)}"
        )
    return opened, focus(opened, sources.look_up(scene, find))


def _next_scene(world: World, prompts: Prompts, name: str, seed: int) -> Scene:
    for scene in next_step(world, seed, prompts.words).scenes:
        if name in scene.cast:
            return scene
    time = world.clock.time_of_day or "morning"
    for candidate in consider(world, seed, time, scenes_left=1):
        if name in candidate.cast:
            return scene_of(world, candidate, time, prompts.words)
    return arrival_scene(world, prompts.words)
