"""Read a folder into a ``World``, tolerantly: every problem is collected, nothing is changed.

Readers take what can be read and show the problems; commands that write refuse when there is an error among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gm.config import Settings, parse_settings
from gm.errors import Problem, Severity
from gm.model.character import Agent, AgentState, Persona
from gm.model.ids import highest_number
from gm.model.node import Node, NodeError, is_beside
from gm.model.scene import LogEntry, SceneType
from gm.model.thread import Thread, fold_events
from gm.model.world import Clock, Post, ScheduledEvent, World
from gm.store.archive import archived_sources, highest_archived
from gm.store.check.events import read_events
from gm.store.check.lines import id_in, node_problem, read_node
from gm.store.check.places import json_place, yaml_place
from gm.store.check.twice import twice_problems
from gm.store.document import Document, read_document
from gm.store.jsonl import Line, read_lines, scan_lines
from gm.store.layout import Layout
from gm.store.lenses import persona_lens_problems, settings_lens_problems
from gm.store.library import has_texts
from gm.store.links import load_links
from gm.store.minds import load_mind, without_switched_off
from gm.store.snapshot import snapshot
from gm.store.text import BOM, read_text
from gm.store.yamlfile import read_front_matter, read_yaml

LOG_DAYS = 10


@dataclass(frozen=True, slots=True)
class Loaded:
    """A world, and everything that is wrong with its files as far as reading them goes.

    Attributes:
        pending: Files that an interrupted write still has to touch; they were read as they will be.
    """

    world: World
    problems: tuple[Problem, ...]
    pending: int = 0


def load_settings(layout: Layout) -> tuple[Settings, list[Problem]]:
    """Read ``gm.yaml``; an absent file means all defaults."""
    shown = layout.shown(layout.settings)
    data, text, problems = read_yaml(layout.settings, shown)
    settings, wrong = parse_settings(data)
    for item in wrong:
        line, column = yaml_place(text, item.keys, key=item.code == "setting-unknown")
        severity: Severity = "error" if item.is_error else "warning"
        problems.append(Problem(shown, line, column, severity, item.code, item.message, item.hint))
    if settings.lenses:
        problems += settings_lens_problems(text, shown, list(settings.lenses))
    return settings, problems


def load_world(layout: Layout, scene_types: Mapping[str, SceneType] | None = None) -> Loaded:
    """Read a whole world.

    Args:
        layout: Where it is.
        scene_types: The scene types that its prompts define.
    """
    with snapshot(layout) as pending:
        loaded = _load_world(layout, dict(scene_types or {}))
    return replace(loaded, pending=pending)


def _load_world(layout: Layout, scene_types: dict[str, SceneType]) -> Loaded:
    settings, problems = load_settings(layout)
    clock, found = load_clock(layout)
    problems += found
    posts, decisions, found = load_bulletin(layout)
    problems += found
    agents = {}
    for name in layout.agent_names():
        agents[name], found = load_agent(layout, name)
        problems += without_switched_off(layout, settings, found)
    log, found = load_log(layout, clock.day)
    problems += found
    threads, found = load_threads(layout)
    problems += found
    links, found = load_links(layout)
    problems += found
    if settings.share.enabled:
        agents = {name: with_archived_sources(layout, agent) for name, agent in agents.items()}
    texts = has_texts(layout)
    world = World(settings, clock, posts, agents, log, scene_types, decisions, threads, texts, links=links)
    return Loaded(world, tuple(problems))


def load_clock(layout: Layout) -> tuple[Clock, list[Problem]]:
    """Read ``state/world.json``; absent = day 0."""
    shown = layout.shown(layout.world)
    document, problems = _read(layout, layout.world)
    data = _Fields(document, shown, problems)
    return (
        Clock(
            day=data.whole("day"),
            day_of_week=data.text("day_of_week"),
            time_of_day=data.text("time_of_day"),
            scenes_today=data.whole("scenes_today"),
            scenes_total=data.whole("scenes_total"),
            scheduled_events=_events(data.items("scheduled_events")),
            active_briefs=tuple(item for item in data.items("active_briefs") if isinstance(item, str)),
            artifacts_today=tuple(item for item in data.items("artifacts_today") if isinstance(item, str)),
            studio_status=data.text("studio_status"),
            day_open=data.flag("day_open"),
        ),
        problems,
    )


def load_bulletin(layout: Layout) -> tuple[tuple[Post, ...], tuple[str, ...], list[Problem]]:
    """Read ``state/bulletin.json``: its posts and the decisions of the team."""
    shown = layout.shown(layout.bulletin)
    document, problems = _read(layout, layout.bulletin)
    data = _Fields(document, shown, problems)
    posts = tuple(
        Post(
            index=index,
            author=str(item.get("from", "")),
            type=str(item.get("type", "")),
            content=str(item["content"]),
            day=item["day"] if isinstance(item.get("day"), int) else 0,
            scene=item["scene"] if isinstance(item.get("scene"), int) else 0,
            artifact=item["artifact"] if isinstance(item.get("artifact"), str) else "",
        )
        for index, item in enumerate(data.items("posts"))
        if isinstance(item, dict) and isinstance(item.get("content"), str)
    )
    decisions = tuple(
        item["decision"]
        for item in data.items("team_decisions")
        if isinstance(item, dict) and isinstance(item.get("decision"), str)
    )
    return posts, decisions, problems


def with_archived_sources(layout: Layout, agent: Agent) -> Agent:
    """Add of whose memories there are copies in the archive; only who copies has to know."""
    return replace(agent, archived_sources=archived_sources(layout, agent.id))


def load_agent(layout: Layout, name: str) -> tuple[Agent, list[Problem]]:
    """Read one character: its file, persona, memory stream and the ids in its archive."""
    persona, problems = load_persona(layout, name)
    state, found = load_state(layout, name, persona)
    problems += found
    stream, lost, found = _read_stream(layout, name)
    problems += found
    summaries, left_out, found = _read_nodes(name, layout.summarised(name), layout)
    problems += found
    # an id in a line that is left out is in use all the same
    taken = max(highest_archived(layout, name), highest_number(name, (*lost, *left_out)))
    mind, found = load_mind(layout, name)
    problems += found
    lived = tuple(node for node in stream if not node.metadata or not is_beside(node.metadata))
    beside = tuple(node for node in stream if is_beside(node.metadata)) if len(lived) < len(stream) else ()
    return Agent(name, state, persona, lived, taken, summaries, mind, beside), problems


def load_state(layout: Layout, name: str, persona: Persona | None) -> tuple[AgentState, list[Problem]]:
    """Read an agent file; name and position come from the persona where the file has none."""
    document, problems = _read(layout, layout.agent(name))
    data = _Fields(document, layout.shown(layout.agent(name)), problems)
    front = persona.front if persona else {}
    state = AgentState(
        name=data.text("name") or _front_text(front, "name") or name,
        position=data.text("position") or _front_text(front, "home"),
        current_task=data.text("current_task"),
        today_plan=tuple(item for item in data.items("today_plan") if isinstance(item, str)),
        mood=data.text("mood"),
        importance_accumulator=data.whole("importance_accumulator"),
        last_reflection=data.text("last_reflection") or None,
        conv_summarized_until=data.text("conv_summarized_until") or None,
    )
    return state, problems


def load_persona(layout: Layout, name: str) -> tuple[Persona | None, list[Problem]]:
    """Read a persona; None when there is none."""
    path = layout.persona(name)
    if not path.is_file():
        return None, []
    front, prose, problems = read_front_matter(path, layout.shown(path))
    if "lenses" in front:
        problems += persona_lens_problems(path, layout.shown(path), front["lenses"])
    return Persona(front, prose.strip()), problems


def load_stream(layout: Layout, name: str) -> tuple[tuple[Node, ...], list[Problem]]:
    """Read a memory stream; a line that cannot be read as a memory is left out and reported."""
    nodes, _, problems = _read_stream(layout, name)
    return nodes, problems


def _read_stream(layout: Layout, name: str) -> tuple[tuple[Node, ...], tuple[str, ...], list[Problem]]:
    """Read a memory stream: its nodes, the ids of lines that are left out, and why they are."""
    return _read_nodes(name, layout.stream(name), layout)


def _read_nodes(name: str, path: Path, layout: Layout) -> tuple[tuple[Node, ...], tuple[str, ...], list[Problem]]:
    """Read a file of an agent's memories, in the same way."""
    shown = layout.shown(path)
    text, problems = read_text(path, shown)
    scan = scan_lines(text.body, shown)
    problems += scan.problems
    lost = [identifier for _, line in scan.broken if (identifier := id_in(line))]
    nodes = []
    seen: dict[str, Line] = {}
    for line in scan.lines:
        try:
            node = read_node(name, line, seen)
            seen[node.id] = line
            nodes.append(node)
        except NodeError as error:
            problems.append(node_problem(shown, line.number, scan.line(line.number), error))
            lost.append(str(line.record.get("id", "")))
    return tuple(nodes), tuple(lost), problems


def load_log(layout: Layout, day: int) -> tuple[tuple[LogEntry, ...], list[Problem]]:
    """Read the logbooks of the last days up to and including a day."""
    entries: list[LogEntry] = []
    problems: list[Problem] = []
    for logged in layout.logged_days():
        if day - LOG_DAYS < logged <= day:
            path = layout.day_log(logged)
            lines, found = read_lines(path, layout.shown(path))
            problems += found
            entries += [LogEntry(logged, line.record) for line in lines]
    return tuple(entries), problems


def load_threads(layout: Layout) -> tuple[tuple[Thread, ...], list[Problem]]:
    """Read ``state/threads.jsonl``; a line that cannot be read as an event of a thread is left out and reported."""
    shown = layout.shown(layout.threads)
    text, problems = read_text(layout.threads, shown)
    scan = scan_lines(text.body, shown)
    events, found = read_events(scan, shown)
    return fold_events((), (event for _, event in events)), problems + scan.problems + found


def _read(layout: Layout, path: Path) -> tuple[Document, list[Problem]]:
    """Read a JSON document; a key that stands in it twice cannot be read unambiguously."""
    shown = layout.shown(path)
    document, problems = read_document(path, shown)
    if document.data:
        problems += twice_problems(document.text.removeprefix(BOM), shown)
    return document, problems


def _events(items: Iterable[Any]) -> tuple[ScheduledEvent, ...]:
    return tuple(
        ScheduledEvent(
            day=item["day"],
            event=item["event"],
            time=str(item.get("time", "") or ""),
            type=str(item.get("type", "") or ""),
            place=str(item.get("place", "") or ""),
            cast=tuple(map(str, cast)) if isinstance(cast := item.get("with"), list) else (),
            lead=str(item.get("lead", "") or ""),
        )
        for item in items
        if isinstance(item, dict) and isinstance(item.get("day"), int) and isinstance(item.get("event"), str)
    )


def _front_text(front: Mapping[str, Any], key: str) -> str:
    value = front.get(key)
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class _Fields:
    """Typed access to the values of a hand-made document: a value of another type is a problem, not a crash."""

    document: Document
    shown: str
    problems: list[Problem]

    @property
    def data(self) -> Mapping[str, Any]:
        return self.document.data

    def whole(self, key: str) -> int:
        value = self.data.get(key, 0)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            return int(self._wrong(key, value, "a whole number, at least 0", 0))
        return value

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if value is None:
            return ""
        return value if isinstance(value, str) else str(self._wrong(key, value, "a text", ""))

    def flag(self, key: str) -> bool:
        value = self.data.get(key, False)
        return value if isinstance(value, bool) else bool(self._wrong(key, value, "true or false", False))

    def items(self, key: str) -> list[Any]:
        value = self.data.get(key, [])
        if value is None:
            return []
        return value if isinstance(value, list) else list(self._wrong(key, value, "a list", []))

    def _wrong(self, key: str, value: object, expected: str, instead: Any) -> Any:
        shown = repr(value) if len(repr(value)) <= 60 else repr(value)[:57] + "…"
        message = f"{key} is {shown}, expected {expected}"
        line, column = json_place(self.document.text.removeprefix(BOM), (key,))
        self.problems.append(Problem(self.shown, line, column, "error", "value-type", message))
        return instead
