"""Questions to a character, self-care, diaries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gm.base.casefold import casefold, says
from gm.base.texts import shorten_at_word
from gm.layers.diary import DIARY, DiaryEntry
from gm.layers.now import NOW
from gm.layers.working import WORKING, join_changes
from gm.memory.care import SUMMARY_KIND, Batch, began, ended, join_ids
from gm.memory.importance import BY_RULE, rate_by_rule
from gm.memory.reflect import check_evidence, depth_of
from gm.memory.share import is_private
from gm.model.calendar import SceneRef, is_time_of_day, render_day
from gm.model.character import Agent
from gm.model.ids import highest_number, render_node_id
from gm.model.mind import MindChange
from gm.model.node import Node
from gm.model.scene import DIARY_TYPE, LogEntry, Scene, SceneType
from gm.model.scene_reply import SceneReply
from gm.model.solo_replies import AskReply, DiaryReply, SummaryReply, Theme
from gm.model.state import AgentStateChange
from gm.model.world import Change, World, merged
from gm.scene.dialogue.turns import Turn
from gm.scene.evening.finished import Finished, fold_finished
from gm.scene.evening.nightfall import close_day, join_state_changes
from gm.scene.folding.advance import advance
from gm.scene.folding.minds import fold_replies
from gm.scene.ledger import Ledger, NewNode, Sentences, clean_tags, memory_list
from gm.scene.pieces.names import slug
from gm.scene.threads.changes import FoldedThreads, fold_closes

ASKED = "asked"
QUESTION_CHARACTERS, ANSWER_CHARACTERS = 300, 600
"""Characters of a question and of its answer in the memory of it."""
EVENING = SceneType(DIARY_TYPE, "diary.j2", play="solo", cast=(1, 1))
"""No scene of the day: without number, logbook line and template."""
DIARY_PURPOSE = "diary"
MOST_LINES, MOST_CHARACTERS, MOST_OF_DAY = 14, 1_800, 6_000
"""Lines and characters of a scene that is recalled, and characters of all scenes of a day; one line may be longer."""
ENDING_LINES = 3
"""Lines with which a scene ended; they are recalled before all others."""
DID_CHARACTERS = 300
"""Characters of what a character did in a scene of the day, as its diary's question tells it."""
FEW_WORDS = 6
"""A line with fewer may stand in a memory by chance."""
NOT_SAID: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class OffSceneQuestion:
    """A question to a character; ``where`` is the scene before it."""

    agent: str
    text: str
    author: str
    where: SceneRef


def fold_answer(world: World, question: OffSceneQuestion, reply: AskReply, words: Sentences) -> Change:
    """Return the change that adds question and answer as one node."""
    said = reply.said
    ledger = Ledger(world, str(question.where))
    ledger.add(
        question.agent,
        NewNode(
            words(
                "asked",
                author=question.author,
                question=shorten_at_word(question.text, QUESTION_CHARACTERS),
                answer=shorten_at_word(" ".join(said), ANSWER_CHARACTERS),
            ),
            reply.conversation.importance if reply.conversation else None,
            "conversation",
            tags=(slug(question.author, "question"),),
            metadata={
                "kind": ASKED,
                "from": question.author,
                "exchange": [
                    {"agent": question.author, "text": question.text},
                    *({"agent": question.agent, "text": text} for text in said),
                ],
            },
        ),
    )
    return Change(world.clock.day, nodes=ledger.added(), agents=ledger.accumulators())


def find_answer(world: World, question: OffSceneQuestion) -> Node | None:
    """Return the memory of this question, by the same author after the same scene."""
    asked = {"agent": question.author, "text": question.text}
    for node in reversed(world.agents[question.agent].stream):
        if node.when < question.where:
            return None
        exchange = node.metadata.get("exchange")
        if node.metadata.get("kind") == ASKED and isinstance(exchange, list) and exchange[:1] == [asked]:
            return node
    return None


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
    owner = identifier.rpartition("-")[0]
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


@dataclass(frozen=True, slots=True)
class RecalledLine:
    """A line of a scene; ``after_gap``: lines before it are left out. ``to`` is an id, empty = all."""

    agent: str
    text: str
    to: str = ""
    after_gap: bool = False


@dataclass(frozen=True, slots=True)
class RecalledScene:
    """A scene as one participant recalls it.

    Attributes:
        goes_on: Whether lines follow the last one.
    """

    time: str
    place: str
    others: tuple[str, ...]
    lines: tuple[RecalledLine, ...]
    goes_on: bool = False
    did: str = ""


def writers(world: World) -> tuple[str, ...]:
    """Return those with a scene and no entry today."""
    if DIARY.name not in world.layers:
        return ()
    day = world.clock.day
    there = {name for entry in world.scenes_of(day) for name in entry.participants}
    return tuple(
        name
        for name, agent in world.agents.items()
        if name in there and not any(entry.day == day for entry in agent.mind[DIARY])
    )


def layers_asked(world: World, agent: Agent) -> frozenset[str]:
    """Return the layers that a diary entry asks for, without the page if today's reflection wrote it."""
    return world.layers - ({NOW.name} if agent.mind[NOW].day == world.clock.day else set())


def evening_scene(world: World, name: str) -> Scene:
    """Return the scene in which a character writes."""
    place = world.agents[name].state.position
    return Scene(SceneRef(world.clock.day), EVENING, "evening", place, (name,), why="", premise="")


def parts_of_day(world: World, name: str, told: Sequence[str] = ()) -> tuple[RecalledScene, ...]:
    """Return the scenes of the day that a character took part in, without arrivals and reflections.

    Lines that stand word for word in ``told`` are left out; so is, of a long scene, what was neither first nor last nor
    said by or to the character.
    """
    entries = [
        entry
        for entry in world.scenes_of(world.clock.day)
        if name in entry.participants and not _is_private(world, entry)
    ]
    room = min(MOST_CHARACTERS, MOST_OF_DAY // max(1, len(entries)))
    return tuple(_part(entry, name, told, room) for entry in entries)


def _is_private(world: World, entry: LogEntry) -> bool:
    kind = world.scene_types.get(entry.type)
    return kind is not None and (kind.plan or kind.reply == "reflection")


def _part(entry: LogEntry, name: str, told: Sequence[str], room: int) -> RecalledScene:
    said = [(turn.agent, line) for turn in entry.turns for line in turn.lines if turn.agent]
    lines = [RecalledLine(agent, " ".join(line.text.split()), line.to) for agent, line in said]
    kept = _choose_recalled(lines, name, told, room)
    shown = [replace(lines[place], after_gap=place - 1 not in kept and place > 0) for place in sorted(kept)]
    others = tuple(other for other in entry.participants if other != name)
    time = entry.time_of_day if is_time_of_day(entry.time_of_day) else ""
    goes_on = bool(shown) and len(lines) - 1 not in kept
    return RecalledScene(time, entry.place, others, tuple(shown), goes_on, _describe_deeds(entry, name))


def _describe_deeds(entry: LogEntry, name: str) -> str:
    own = [turn.action for turn in entry.turns if turn.agent == name]
    return shorten_at_word(" ".join(word for action in own for word in action.split()), DID_CHARACTERS)


def _choose_recalled(lines: Sequence[RecalledLine], name: str, told: Sequence[str], room: int) -> set[int]:
    new = [
        place
        for place, line in enumerate(lines)
        if len(line.text.split()) < FEW_WORDS or not any(says(text, line.text) for text in told)
    ]
    first = [place for place in new if place == 0 or name in (lines[place].agent, lines[place].to)]
    kept: set[int] = set()
    for place in dict.fromkeys((*new[: -ENDING_LINES - 1 : -1], *first, *reversed(new))):
        room -= len(lines[place].text)
        if len(kept) == MOST_LINES or (kept and room < 0):
            break
        kept.add(place)
    return kept


def close_evening(
    world: World,
    replies: Mapping[str, DiaryReply],
    date: str,
    words: Sentences,
    *,
    made_with: Mapping[str, str] = NOT_SAID,
    taken: Callable[[str], bool] = lambda _path: False,
) -> Change:
    """Return the change that closes the day, with the evening's texts and what was finished alone.

    An entry that the user wrote meanwhile stays.

    Args:
        world: As it is in the files now.
        made_with: Backend and model of the replies, by agent.
        taken: Whether a path of the world is in use.
    """
    replies = {name: reply for name, reply in replies.items() if name in world.agents}
    if not replies:
        return close_day(world, words)
    waiting, scene = writers(world), evening_scene(world, next(iter(replies)))
    ledger = Ledger(world, render_day(world.clock.day))
    written: dict[str, MindChange] = {}
    for name, reply in replies.items():
        folded = fold_replies(world, evening_scene(world, name), {name: [(reply, ())]}, ledger, words)
        change = folded.get(name, MindChange())
        written[name] = change.with_change(DIARY, _entry(world, name, reply, date)) if name in waiting else change
    turns = [_turn(name, reply, made_with.get(name, "")) for name, reply in replies.items()]
    finished = fold_finished(ledger, scene, turns, words, taken)
    closes = {name: reply.closes for name, reply in replies.items() if reply.closes}
    settled = fold_closes(world, scene, closes, words) if closes else FoldedThreads()
    evening = Change(
        world.clock.day,
        nodes=ledger.added(),
        agents=join_state_changes(ledger.accumulators(), finished.plans),
        clock={"artifacts_today": [*world.clock.artifacts_today, *finished.files]} if finished.files else {},
        minds=written,
        files=finished.files,
        posts=finished.posts,
        threads=tuple(settled.events),
    )
    reports = {name: reply.plan_status for name, reply in replies.items()}
    closing = close_day(advance(world, evening), words, reports, tuple(finished.files))
    both = merged((evening, closing))
    return replace(
        both,
        minds={name: _join_mind_changes(written, closing.minds, name) for name in {**written, **closing.minds}},
        agents=join_state_changes(both.agents, {name: _mood(reply) for name, reply in replies.items()}),
        log={**(closing.log or {}), **_evening_record(finished, evening.nodes, closing.log or {})},
        warnings=(*ledger.warnings, *settled.warnings, *closing.warnings),
    )


def _turn(name: str, reply: DiaryReply, made_with: str) -> Turn:
    action = " ".join(reply.action.split())
    return Turn(name, SceneReply.model_construct(mood=reply.mood, action=action, artifact=reply.artifact), made_with)


def _evening_record(
    finished: Finished, nodes: Mapping[str, Sequence[Node]], closing: Mapping[str, Any]
) -> dict[str, object]:
    turns = [turn.record() for turn in finished.turns if turn.action or turn.artifact]
    memories = [*memory_list(nodes), *closing.get("memories", ())]
    return {
        **({"artifacts": list(finished.files)} if finished.files else {}),
        **({"memories": memories} if memories else {}),
        **({"turns": turns} if turns else {}),
    }


def _mood(reply: DiaryReply | None) -> AgentStateChange:
    mood = " ".join(reply.mood.split()) if reply else ""
    return {"mood": mood} if mood else {}


def _entry(world: World, name: str, reply: DiaryReply, date: str) -> DiaryEntry:
    return DiaryEntry(
        day=world.clock.day,
        text=reply.text,
        mood=" ".join(reply.mood.split()),
        location=world.agents[name].state.position,
        date=date,
        tags=clean_tags(reply.tags, name),
    )


def _join_mind_changes(first: Mapping[str, MindChange], second: Mapping[str, MindChange], name: str) -> MindChange:
    # Working memory alone is changed by both: rewritten, then rid of its lessons.
    one, other = first.get(name, MindChange()), second.get(name, MindChange())
    page = join_changes(one[WORKING], other[WORKING])
    return MindChange({**one.values, **other.values}).with_change(WORKING, page)
