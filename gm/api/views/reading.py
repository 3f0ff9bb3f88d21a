"""Build a ``SceneView`` from its logbook line and the other files of its day; also one that has not landed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from gm.api.views.filtering import is_kept_back
from gm.api.views.scenes import PlanOutcome, RegardInScene, SceneKind, SceneView, SoulMark, ThreadMark, scene_kinds
from gm.api.views.threads import known_threads
from gm.api.views.titles import scene_title
from gm.base.config.kinds import is_number
from gm.base.untyped import as_texts, items_of, objects_in, text_at, texts_in
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.story.logbook import scene_name, scene_number
from gm.files.story.now import load_settings
from gm.files.streams.find import FoundMemory
from gm.layers.privacy import REASONS, THOUGHTS
from gm.layers.relationships import RELATIONSHIPS
from gm.layers.soul import SOUL
from gm.memory.share import MEMORIES, PRIVATE, quotes
from gm.model.calendar import render_day
from gm.model.ids import agent_of
from gm.model.node import Node, node_from_record
from gm.model.scene import REFLECTION, LogEntry
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

    def marks(self, events: Iterable[Mapping[str, Any]]) -> Iterator[ThreadMark]:
        """Yield the events of threads that are shown."""
        marks = (_thread(item, self.threads) for item in events)
        return (mark for mark in marks if not is_kept_back(mark.kind, self.hidden) and self.keep(mark.text or mark.id))

    def plans(self, value: object) -> tuple[tuple[str, tuple[PlanOutcome, ...]], ...]:
        """Return what became of items of plans, by character; without plans whose memory is hidden."""
        if MEMORIES in self.hidden:
            return ()
        secret = {node.agent for node in self.secrets if node.type == "plan"}
        items = value.items() if isinstance(value, dict) else ()
        return tuple(
            (str(name), ends) for name, found in items if name not in secret and (ends := tuple(_read_outcomes(found)))
        )


def read_scene(entry: LogEntry, known: KnownOfDay, anchor: str = "", earlier: Collection[str] = ()) -> SceneView:
    """Return the scene of a logbook line.

    Args:
        earlier: Types of the scenes before it on that day.
    """
    record, hidden, turns = entry.record, known.hidden, in_telling_order(entry.turns)
    number = scene_number(record)
    name = scene_name(number)
    place = f"{render_day(entry.day)}/{name}"
    score = _score(record)
    kind = known.kinds.get(entry.type)
    can_be_raised = kind is not None and (kind.raised_again if entry.type in earlier else kind.raised)
    with_reasons = REASONS not in hidden
    return SceneView(
        day=entry.day,
        number=number,
        anchor=anchor or name,
        title=known.keep(scene_title(entry, with_reasons=with_reasons)),
        type=entry.type,
        raised=can_be_raised and _is_weighty(score, known.raise_at),
        time_of_day=entry.time_of_day,
        clock=_stripped_text(record, "clock"),
        place=entry.place,
        moved_to=texts_in(record.get("moved_to")),
        cast=entry.participants,
        why=_stripped_text(record, "why") if with_reasons else "",
        score=score if with_reasons else (),
        director=entry.director if with_reasons else "",
        notes=tuple(filter(None, (_stripped_text(record, "note"), _stripped_text(record, "director_note"))))
        if with_reasons
        else (),
        premise=_stripped_text(record, "premise"),
        premises=_pairs_of_texts(record.get("premises")) if REASONS not in hidden else (),
        turns=without_thoughts(turns) if THOUGHTS in hidden else turns,
        summary=""
        if MEMORIES in hidden and REFLECTION in entry.type
        else known.keep(_stripped_text(record, "summary")),
        moods=known.moods.get(place, ()),
        memories=tuple(_find_memories(record, known)),
        unkept=() if {PRIVATE, MEMORIES} & set(hidden) else _unkept(record),
        artifacts=entry.artifacts,
        threads=tuple(known.marks(objects_in(record.get("threads")))),
        plans=known.plans(record.get("plan_status")),
        regards=known.regards.get(place, ()) if RELATIONSHIPS.name not in hidden else (),
        souls=_souls(record) if SOUL.name not in hidden else (),
        asked=tuple(_list_requests(record)) if PRIVATE not in hidden else (),
        news=tuple(text for _, text in entry.delivered),
        feedback=_stripped_text(record, "cd_feedback"),
    )


def _is_weighty(score: Iterable[tuple[str, float]], raise_at: float | None) -> bool:
    points = [value for part, value in score if part in WEIGHTY_PARTS]
    return bool(points) and raise_at is not None and sum(points) >= raise_at


def _score(record: Mapping[str, Any]) -> tuple[tuple[str, float], ...]:
    value = record.get("score")
    items = value.items() if isinstance(value, dict) else ()
    parts = [(str(part), float(points)) for part, points in items if is_number(points)]
    return tuple(sorted(parts, key=lambda item: -item[1]))


def _pairs_of_texts(value: object) -> tuple[tuple[str, str], ...]:
    items = value.items() if isinstance(value, dict) else ()
    return tuple((str(name), text) for name, text in items if isinstance(text, str) and text)


def _find_memories(record: Mapping[str, Any], known: KnownOfDay) -> Iterable[FoundMemory]:
    value = record.get("memories")
    for item in items_of(value):
        name = item.get("id") if isinstance(item, dict) else item
        if not isinstance(name, str):
            continue
        agent, importance = (item.get("agent"), item.get("importance")) if isinstance(item, dict) else (None, None)
        node = known.nodes.get(name)
        if node is None and {PRIVATE, MEMORIES} & set(known.hidden):
            continue  # possibly a hidden one
        own = str(agent or agent_of(name))
        yield FoundMemory(
            own, node or Node(name, "", "observation", 0, "", importance if isinstance(importance, int) else 0)
        )


def _unkept(record: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    items = [*objects_in(record.get("over_allowance")), *objects_in(record.get("duplicates"))]
    return tuple((str(item.get("agent", "")), str(item.get("text", "")), str(item.get("as", ""))) for item in items)


def _thread(item: Mapping[str, Any], threads: Mapping[str, Thread]) -> ThreadMark:
    name = str(item.get("id", ""))
    thread = threads.get(name)
    due = item.get("due", thread.due if thread else None)
    return ThreadMark(
        name,
        str(item.get("event", "")),
        thread.by if thread else str(item.get("by", "")),
        str(item.get("kind") or (thread.kind if thread else "")),
        thread.text if thread else str(item.get("text", "")),
        thread.to if thread else (),
        due if isinstance(due, int) else None,
        str(item.get("outcome", "")),
        *((thread.time, thread.place, thread.replaces) if thread else ()),
    )


def _read_outcomes(value: object) -> Iterator[PlanOutcome]:
    for item in objects_in(value):
        yield PlanOutcome(_stripped_text(item, "text"), _stripped_text(item, "status"), _stripped_text(item, "why"))


def _souls(record: Mapping[str, Any]) -> tuple[SoulMark, ...]:
    return tuple(
        SoulMark(str(item.get("agent", "")), _kinds_and_texts(item.get("added")), _kinds_and_texts(item.get("removed")))
        for item in objects_in(record.get("souls"))
    )


def _kinds_and_texts(value: object) -> tuple[tuple[str, str], ...]:
    return tuple((str(item.get("kind", "")), str(item.get("text", ""))) for item in objects_in(value))


def _list_requests(record: Mapping[str, Any]) -> Iterable[tuple[str, str, str, int | None]]:
    for key in ("memories_asked", "memories_shared"):
        for item in objects_in(record.get(key)):
            about = item.get("about")
            words = ", ".join(as_texts(about))
            count = item.get("count")
            yield (
                str(item.get("from", "")),
                str(item.get("to", "")),
                words,
                count if isinstance(count, int) and key == "memories_shared" else None,
            )


def _stripped_text(record: Mapping[str, Any], key: str) -> str:
    return text_at(record, key).strip()


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
