"""Self-care: the themes of old memories become summaries, and the archive keeps the memories."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gm.base.casefold import casefold
from gm.memory.care import Batch, began, ended, join_ids
from gm.memory.importance import rate_by_rule
from gm.memory.reflect import check_evidence, depth_of
from gm.memory.share import is_private
from gm.model.calendar import SceneRef
from gm.model.ids import agent_of, highest_number, render_node_id
from gm.model.node import BY_RULE, SUMMARY_KIND, Node
from gm.model.solo_replies import SummaryReply, Theme
from gm.model.state import AgentStateChange
from gm.model.world import Agent, Change, World
from gm.scene.ledger import clean_tags


def fold_care(
    world: World, agent: str, batches: Sequence[Batch], replies: Sequence[SummaryReply], at: SceneRef
) -> Change:
    """Turn the themes of batches into summaries, and archive the memories they replace.

    The first summary of a batch lists all memories replaced (``metadata.replaces``); the others name the first
    (``metadata.with``). Cited ids outside the batch are dropped with a warning; memories no longer in the stream are
    skipped. ``replies`` are in the order of the batches.
    """
    now = world.agents[agent]
    present = {node.id for node in (*now.stream, *now.summaries)}
    number = now.next_number
    warnings: list[str] = []
    summaries: list[Node] = []
    gone: list[str] = []
    for batch, reply in zip(batches, replies, strict=True):
        nodes = [node for node in batch.nodes if node.id in present]
        if not nodes:
            continue
        first = render_node_id(agent, number)
        for theme in reply.themes:
            identifier = render_node_id(agent, number)
            made, unknown = _summary(world, identifier, at, theme, nodes)
            warnings += unknown
            link = {"with": first} if identifier != first else {"replaces": join_ids(node.id for node in nodes)}
            summaries.append(replace(made, metadata={**made.metadata, **link}))
            number += 1
        gone += [node.id for node in nodes]
    values: AgentStateChange = {"conv_summarized_until": last} if (last := _newest(now, gone)) else {}
    return Change(
        day=at.day,
        summaries={agent: tuple(summaries)} if summaries else {},
        to_archive={agent: frozenset(gone)} if gone else {},
        agents={agent: values} if values else {},
        warnings=tuple(warnings),
    )


def _summary(
    world: World, identifier: str, at: SceneRef, theme: Theme, nodes: Sequence[Node]
) -> tuple[Node, list[str]]:
    owner = agent_of(identifier)
    depths = {casefold(node.id): node.depth for node in nodes}
    spelled = {casefold(node.id): node.id for node in nodes}
    known, unknown = check_evidence(theme.evidence, lambda cited: depths.get(casefold(cited)))
    warnings = [f"{owner}: evidence {item!r} is not one of these memories and was dropped" for item in unknown]
    evidence = tuple(dict.fromkeys(spelled[casefold(cited)] for cited in known))
    metadata: dict[str, object] = {
        "kind": SUMMARY_KIND,
        "title": " ".join(theme.title.split()),
        "from": str(min(map(began, nodes))),
        "to": str(max(map(ended, nodes))),
    }
    description = " ".join(theme.text.split())
    # what retells a private memory is private
    retold = (node for node in nodes if node.id in evidence or not evidence)
    secret = [tag for node in retold for tag in node.tags if is_private((tag,))][:1]
    importance = theme.importance
    if importance is None:
        settings = world.settings
        importance = rate_by_rule(description, settings.language, settings.importance.signals)
        metadata["importance_by"] = BY_RULE
    summary = Node(
        id=identifier,
        created=str(at),
        type="reflection",
        depth=depth_of("reflection", (depths[casefold(cited)] for cited in evidence)),
        description=description,
        importance=importance,
        tags=clean_tags((*secret, *theme.tags), owner),
        evidence=evidence,
        metadata=metadata,
    )
    return summary, warnings


def _newest(agent: Agent, gone: Sequence[str]) -> str | None:
    taken = frozenset(gone)
    last = next((node.id for node in reversed(agent.stream) if node.id in taken), None)
    mark = agent.state.conv_summarized_until
    if last is None or (mark is not None and highest_number(agent.id, (last,)) <= highest_number(agent.id, (mark,))):
        return None
    return last
