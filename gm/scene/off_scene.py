"""What happens outside of scenes: a question to a character, self-care, the evening's diaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gm.base.casefold import casefold, shorten
from gm.layers.diary import DIARY, DiaryEntry
from gm.memory.care import SUMMARY_KIND, Batch, began, ended, join_ids
from gm.memory.importance import BY_RULE, rate_by_rule
from gm.memory.reflect import check_evidence, depth_of
from gm.model.calendar import SceneRef, is_time_of_day
from gm.model.character import Agent
from gm.model.ids import highest_number, render_node_id
from gm.model.mind import MindChange
from gm.model.node import Node
from gm.model.replies import DiaryReply, SceneReply, SummaryReply, Theme
from gm.model.scene import LogEntry, Scene, SceneType
from gm.model.world import Change, World
from gm.scene.ledger import Ledger, NewNode, Words, clean_tags
from gm.scene.names import slug

KIND = "asked"
QUESTION_CHARACTERS, ANSWER_CHARACTERS = 300, 600


@dataclass(frozen=True, slots=True)
class Question:
    """A question to a character; ``where`` is the scene after which it is asked."""

    agent: str
    text: str
    author: str
    where: SceneRef


def fold_answer(world: World, question: Question, reply: SceneReply, words: Words) -> Change:
    """Return the change that adds a question and its answer as one conversation node."""
    said = [line.text for line in reply.dialogue]
    ledger = Ledger(world, str(question.where))
    ledger.add(
        question.agent,
        NewNode(
            words(
                "asked",
                author=question.author,
                question=shorten(question.text, QUESTION_CHARACTERS),
                answer=shorten(" ".join(said), ANSWER_CHARACTERS),
            ),
            reply.conversation.importance if reply.conversation else None,
            "conversation",
            tags=(slug(question.author, "question"),),
            metadata={
                "kind": KIND,
                "from": question.author,
                "exchange": [
                    {"agent": question.author, "text": question.text},
                    *({"agent": question.agent, "text": text} for text in said),
                ],
            },
        ),
    )
    return Change(world.clock.day, nodes=ledger.added(), agents=ledger.accumulators())


def find_answer(world: World, question: Question) -> Node | None:
    """Return the memory of this question by the same author after the same scene."""
    asked = {"agent": question.author, "text": question.text}
    for node in reversed(world.agents[question.agent].stream):
        if node.when < question.where:
            return None
        exchange = node.metadata.get("exchange")
        if node.metadata.get("kind") == KIND and isinstance(exchange, list) and exchange[:1] == [asked]:
            return node
    return None


def fold_care(
    world: World, agent: str, batches: Sequence[Batch], replies: Sequence[SummaryReply], at: SceneRef
) -> Change:
    """Turn the themes of batches into summaries, and archive the memories they stand for.

    A summary is a reflection outside of the stream, numbered like every memory. The first one of a batch lists all
    memories replaced (``metadata.replaces``), cited or not; the others name the first (``metadata.with``). Cited ids
    outside the batch are dropped with a warning; memories that have left the stream meanwhile are skipped.

    Args:
        replies: In the order of the batches.
        at: The scene after which it happens.
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
    values = {"conv_summarized_until": last} if (last := _newest(now, gone)) else {}
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
    owner = identifier.rpartition("-")[0]
    depths = {casefold(node.id): node.depth for node in nodes}
    spelled = {casefold(node.id): node.id for node in nodes}
    known, unknown = check_evidence(theme.evidence, lambda cited: depths.get(casefold(cited)))
    warnings = [f"{owner}: evidence {item!r} is none of these memories and was dropped" for item in unknown]
    evidence = tuple(dict.fromkeys(spelled[casefold(cited)] for cited in known))
    metadata: dict[str, object] = {
        "kind": SUMMARY_KIND,
        "title": " ".join(theme.title.split()),
        "from": str(min(map(began, nodes))),
        "to": str(max(map(ended, nodes))),
    }
    description = " ".join(theme.text.split())
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
        tags=clean_tags(theme.tags, owner),
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


EVENING = SceneType("DIARY", "diary.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and template."""
PURPOSE = "diary"
MOST_LINES = 4
LINE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class Part:
    """A scene as one participant recalls it.

    Attributes:
        time: Time of day; empty for an unknown word.
        lines: The last lines: speaker and shortened text.
    """

    time: str
    place: str
    others: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]


def writers(world: World) -> tuple[str, ...]:
    """Return those who took part in a scene of the open day and have no entry yet."""
    if DIARY.name not in world.layers:
        return ()
    day = world.clock.day
    there = {name for entry in world.scenes_of(day) for name in entry.participants}
    return tuple(
        name
        for name, agent in world.agents.items()
        if name in there and not any(entry.day == day for entry in agent.mind[DIARY])
    )


def evening_scene(world: World, name: str) -> Scene:
    """Return the scene in which a character writes: after the last scene, at its position."""
    place = world.agents[name].state.position
    return Scene(SceneRef(world.clock.day), EVENING, "evening", place, (name,), why="", premise="")


def parts_of_day(world: World, name: str) -> tuple[Part, ...]:
    """Return the scenes of the day that a character took part in, in order.

    Arrivals and reflections are left out: the character's memories contain them.
    """
    return tuple(
        _part(entry, name)
        for entry in world.scenes_of(world.clock.day)
        if name in entry.participants and not _is_private(world, entry)
    )


def _is_private(world: World, entry: LogEntry) -> bool:
    kind = world.scene_types.get(entry.type)
    return kind is not None and (kind.plan or kind.reply == "reflection")


def _part(entry: LogEntry, name: str) -> Part:
    said = [(turn.agent, line.text) for turn in entry.turns for line in turn.lines if turn.agent]
    lines = [(agent, shorten(text, LINE_CHARACTERS)) for agent, text in said]
    others = tuple(other for other in entry.participants if other != name)
    time = entry.time_of_day if is_time_of_day(entry.time_of_day) else ""
    return Part(time, entry.place, others, tuple(lines[-MOST_LINES:]))


def add_diaries(world: World, change: Change, replies: Mapping[str, DiaryReply], date: str) -> Change:
    """Add diary entries to the change that closes the day; an entry that the user wrote meanwhile stays.

    Args:
        world: The world as it is in the files now.
        date: The date in the real calendar; empty = none.
    """
    minds = dict(change.minds)
    for name in writers(world):
        if name in replies:
            entry = DiaryEntry(
                day=world.clock.day,
                text=replies[name].text,
                mood=" ".join(replies[name].mood.split()),
                location=world.agents[name].state.position,
                date=date,
                tags=clean_tags(replies[name].tags, name),
            )
            minds[name] = minds.get(name, MindChange()).with_change(DIARY, entry)
    return replace(change, minds=minds)
