"""Build a ``SceneView`` from its logbook line and the other files of its day; also one that has not landed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.api.views.filtering import is_kept_back
from gm.api.views.scenes import RegardInScene, SceneKind, SceneView, ThreadMark, scene_kinds
from gm.api.views.threads import known_threads
from gm.api.views.titles import scene_title
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.now import load_settings
from gm.files.streams.find import FoundMemory
from gm.layers.privacy import REASONS, THOUGHTS
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.memory.share import MEMORIES, PRIVATE, quotes
from gm.model.calendar import render_day
from gm.model.ids import agent_of
from gm.model.logged import LogEntry, scene_name
from gm.model.logged_parts import LoggedThread, PlanEnd
from gm.model.node import Node, node_from_record
from gm.model.scene import REFLECTION
from gm.model.thread import THREAD_EVENT, Thread, fold_events
from gm.model.turns import in_telling_order, without_thoughts
from gm.scene.score import WEIGHTY_PARTS


@dataclass(frozen=True, slots=True)
class KnownOfDay:
    """What is known of a day beside its logbook.

    Attributes:
        raise_at: Score from which a moment is important; None = none is.
        nodes: Visible memories of the day by id.
        secrets: Hidden memories, not in ``nodes``.
    """

    kinds: Mapping[str, SceneKind]
    raise_at: float | None
    nodes: Mapping[str, Node]
    threads: Mapping[str, Thread]
    regards: Mapping[str, tuple[RegardInScene, ...]]
    moods: Mapping[str, tuple[tuple[str, str], ...]]
    secrets: tuple[Node, ...] = ()
    hidden: Collection[str] = ()

    def keep(self, text: str) -> str:
        """Return the text, or "" if it quotes a hidden memory."""
        return "" if quotes(text, self.secrets) else text

    def marks(self, events: Iterable[LoggedThread]) -> Iterator[ThreadMark]:
        """Yield the events of threads that are shown."""
        marks = (_thread(item, self.threads) for item in events)
        return (mark for mark in marks if not is_kept_back(mark.kind, self.hidden) and self.keep(mark.text or mark.id))

    def plans(self, ends: Mapping[str, tuple[PlanEnd, ...]]) -> tuple[tuple[str, tuple[PlanEnd, ...]], ...]:
        """Return what became of items of plans, by character; without plans whose memory is hidden."""
        if MEMORIES in self.hidden:
            return ()
        secret = {node.agent for node in self.secrets if node.type == "plan"}
        return tuple((name, found) for name, found in ends.items() if name not in secret and found)


def read_scene(entry: LogEntry, known: KnownOfDay, anchor: str = "", earlier: Collection[str] = ()) -> SceneView:
    """Return the scene of a logbook line.

    Args:
        earlier: Types of the scenes before it on that day.
    """
    hidden, turns = known.hidden, in_telling_order(entry.turns)
    name = scene_name(entry.label)
    place = f"{render_day(entry.day)}/{name}"
    score = tuple(sorted(entry.score.items(), key=lambda item: -item[1]))
    kind = known.kinds.get(entry.type)
    can_be_raised = kind is not None and (kind.raised_again if entry.type in earlier else kind.raised)
    with_reasons = REASONS not in hidden
    unkept = () if {PRIVATE, MEMORIES} & set(hidden) else (*entry.over_allowance, *entry.duplicates)
    return SceneView(
        day=entry.day,
        number=entry.label,
        anchor=anchor or name,
        title=known.keep(scene_title(entry, with_reasons=with_reasons)),
        type=entry.type,
        raised=can_be_raised and _is_weighty(score, known.raise_at),
        time_of_day=entry.time_of_day,
        clock=entry.clock.strip(),
        place=entry.place,
        moved_to=entry.moved_to,
        cast=entry.participants,
        why=entry.why.strip() if with_reasons else "",
        score=score if with_reasons else (),
        director=entry.director if with_reasons else "",
        notes=tuple(filter(None, (entry.note.strip(), entry.director_note.strip()))) if with_reasons else (),
        premise=entry.premise.strip(),
        premises=tuple(entry.premises.items()) if with_reasons else (),
        turns=without_thoughts(turns) if THOUGHTS in hidden else turns,
        summary="" if MEMORIES in hidden and REFLECTION in entry.type else known.keep(entry.summary.strip()),
        moods=known.moods.get(place, ()),
        memories=tuple(_find_memories(entry, known)),
        unkept=tuple((one.agent, one.text, one.same) for one in unkept),
        artifacts=entry.artifacts,
        threads=tuple(known.marks(entry.threads)),
        plans=known.plans(entry.plan_status),
        regards=known.regards.get(place, ()) if RELATIONSHIPS.name not in hidden else (),
        souls=entry.souls if SOUL.name not in hidden else (),
        asked=tuple(_list_requests(entry)) if PRIVATE not in hidden else (),
        news=tuple(text for _, text in entry.delivered),
        feedback=entry.feedback.strip(),
    )


def _is_weighty(score: Iterable[tuple[str, float]], raise_at: float | None) -> bool:
    points = [value for part, value in score if part in WEIGHTY_PARTS]
    return bool(points) and raise_at is not None and sum(points) >= raise_at


def _find_memories(entry: LogEntry, known: KnownOfDay) -> Iterable[FoundMemory]:
    for agent, name, importance in entry.memories:
        node = known.nodes.get(name)
        if not name or (node is None and {PRIVATE, MEMORIES} & set(known.hidden)):
            continue  # possibly a hidden one
        yield FoundMemory(agent or agent_of(name), node or Node(name, "", "observation", 0, "", importance))


def _thread(event: LoggedThread, threads: Mapping[str, Thread]) -> ThreadMark:
    thread = threads.get(event.id)
    return ThreadMark(
        event.id,
        event.event,
        thread.by if thread else event.by,
        event.kind or (thread.kind if thread else ""),
        thread.text if thread else event.text,
        thread.to if thread else (),
        thread.due if thread and event.due is None else event.due,
        event.outcome,
        *((thread.time, thread.place, thread.replaces) if thread else ()),
    )


def _list_requests(entry: LogEntry) -> Iterable[tuple[str, str, str, int | None]]:
    for item in (*entry.memories_asked, *entry.memories_shared):
        yield item.asker, item.giver, ", ".join(item.about), item.number


def view_draft(
    layout: Layout,
    day: int,
    log: Mapping[str, Any],
    memories: Mapping[str, Any],
    thread_events: Iterable[Mapping[str, Any]],
) -> SceneView:
    """Return a scene by its logbook record; its memories have no id, for they may never get one.

    Args:
        memories: Records of new memories by character.
        thread_events: Records of what the scene does to threads.
    """
    with snapshot(layout):
        settings, _ = load_settings(layout)
        threads, _ = known_threads(layout)
    threads = fold_events(threads, map(THREAD_EVENT.read, thread_events))
    nodes = {node.id: node for records in memories.values() for node in map(node_from_record, records)}
    known = KnownOfDay(
        kinds=scene_kinds(layout, settings.language),
        raise_at=settings.day.raise_at,
        nodes=nodes,
        threads={thread.id: thread for thread in threads},
        regards={},
        moods={},
    )
    scene = read_scene(LogEntry(day, log), known)
    return replace(scene, memories=tuple(FoundMemory(one.agent, replace(one.node, id="")) for one in scene.memories))
