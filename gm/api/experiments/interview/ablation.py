"""A world as of an interview: at its moment, and with what is kept from the characters.

Source:
    Park et al. 2023, section 6: the conditions of the ablation, answered from the same memory.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from gm.api.history.past import world_at
from gm.files.layout import Layout
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.memory.retrieve import select_until
from gm.model.calendar import SceneRef
from gm.model.interview import WITHHELD_MEMORIES, WITHHELD_PLANS, WITHHELD_REFLECTIONS
from gm.model.mind import Mind
from gm.model.node import PLAN_LEFT, Node
from gm.model.world import Agent, World


def keeps(without: Collection[str], moment: SceneRef | None) -> Callable[[Node], bool]:
    """Return whether a memory may stand in a letter."""

    def kept(node: Node) -> bool:
        return not (
            WITHHELD_MEMORIES in without
            or (WITHHELD_REFLECTIONS in without and node.depth > 0)
            or (WITHHELD_PLANS in without and (node.type == "plan" or node.kind == PLAN_LEFT))
            or (moment is not None and not select_until((node,), moment))
        )

    return kept


def ablate(world: World, without: Collection[str]) -> World:
    """Return a world in which all characters lack something.

    ``reflections``: memories of depth 1 and more, summaries among them. ``plans``: plan, layers of plans
    (``Layer.is_plan``) and the memories of plans. ``memories``: all but persona and layers that stay (``Layer.stays``).
    """
    if not without:
        return world
    kept = keeps(without, None)
    agents = {name: _ablate_agent(agent, without, kept) for name, agent in world.agents.items()}
    if WITHHELD_MEMORIES in without:
        world = replace(world, posts=(), log=(), threads=(), decisions=())
    return replace(world, agents=agents)


def _ablate_agent(agent: Agent, without: Collection[str], kept: Callable[[Node], bool]) -> Agent:
    state, mind = agent.state, agent.mind
    if WITHHELD_PLANS in without:
        state = replace(state, today_plan=())
        mind = _filter_layers(mind, lambda layer: not layer.is_plan)
    if WITHHELD_MEMORIES in without:
        state = replace(state, today_plan=(), current_task="", mood="")
        mind = _filter_layers(mind, lambda layer: layer.stays)
    return replace(
        agent,
        state=state,
        mind=mind,
        stream=_filter_nodes(agent.stream, kept),
        beside=_filter_nodes(agent.beside, kept),
        summaries=_filter_nodes(agent.summaries, kept),
    )


def _filter_nodes(nodes: Sequence[Node], kept: Callable[[Node], bool]) -> tuple[Node, ...]:
    return tuple(node for node in nodes if kept(node))


def _filter_layers(mind: Mind, kept: Callable[[AnyLayer], bool]) -> Mind:
    return Mind({layer.name: mind[layer] for layer in LAYERS if layer in mind and kept(layer)})


def world_then(layout: Layout, world: World, moment: SceneRef) -> World:
    """Return the world after a past moment, without what no file dates; its log must reach back to the moment.

    Moods, tasks, lists of plans, decisions, pages of minds, scheduled events and briefs without a post by then are left
    out: those of today would be foreknowledge. Personas and layers that stay are as they are.
    """
    past = world_at(layout, world, moment)
    last = next((entry for entry in reversed(past.log) if not entry.is_summary), None)
    time = last.time_of_day if last and last.day == moment.day and moment.scene else "evening"
    posts = tuple(post for post in past.posts if is_post_hung(post.day, post.scene, moment))
    agents = {name: _rewind_agent(past, agent, moment) for name, agent in past.agents.items()}
    posted = {post.content for post in posts}
    briefs = tuple(brief for brief in past.clock.active_briefs if brief in posted)
    clock = replace(past.clock, time_of_day=time, active_briefs=briefs, scheduled_events=())
    return replace(past, agents=agents, posts=posts, decisions=(), clock=clock)


def is_post_hung(day: int, scene: int, moment: SceneRef) -> bool:
    """Return whether a post hung at a moment."""
    return day < moment.day or (day == moment.day and (not moment.scene or scene <= moment.scene))


def _rewind_agent(world: World, agent: Agent, moment: SceneRef) -> Agent:
    own = (entry.place for entry in reversed(world.log) if agent.id in entry.participants and entry.place)
    state = replace(agent.state, mood="", current_task="", today_plan=(), position=next(own, agent.front_values.home))
    mind = _filter_layers(agent.mind, lambda layer: layer.stays or layer.value_at is not None)
    for layer in LAYERS:
        if layer.value_at and layer in mind:
            mind = mind.with_value(layer, layer.value_at(mind[layer], moment))
    beside = select_until(agent.beside, moment) if agent.beside else ()
    return replace(agent, state=state, mind=mind, beside=beside)
