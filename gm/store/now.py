"""The files that say how things are now: settings, clock, bulletin board, characters. None of them grows with history.

Every problem is collected, nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gm.config import Settings, parse_settings
from gm.errors import Problem, Severity
from gm.model.clock import Clock, Post, ScheduledEvent
from gm.model.state import AgentState, Persona
from gm.store.first import first_bulletin, first_clock
from gm.store.forms.jsonfile import Document, read_document
from gm.store.forms.places import json_place, yaml_place
from gm.store.forms.text import BOM, emptied, is_there
from gm.store.forms.twice import twice_problems
from gm.store.forms.yamlfile import read_front_matter, read_yaml
from gm.store.layout import Layout


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
        # few worlds have any
        from gm.store.layers.lenses import settings_lens_problems

        problems += settings_lens_problems(text, shown, list(settings.lenses))
    return settings, problems


def read_clock(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read the document ``state/world.json``; while nothing has been played, an absent one is that of day 0."""
    document, problems = _read(layout, layout.world)
    if document.exists or layout.logged_days():
        return document, problems
    return replace(document, data=first_clock(load_settings(layout)[0])), problems


def read_board(layout: Layout) -> tuple[Document, list[Problem]]:
    """Read the document ``state/bulletin.json``; while nothing has been played, an absent one is that of day 0."""
    document, problems = _read(layout, layout.bulletin)
    if document.exists or layout.logged_days() or load_clock(layout)[0].day:
        return document, problems
    return replace(document, data=first_bulletin(load_settings(layout)[0])), problems


def load_clock(layout: Layout) -> tuple[Clock, list[Problem]]:
    """Read ``state/world.json``; absent = day 0."""
    shown = layout.shown(layout.world)
    document, problems = read_clock(layout)
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
    document, problems = read_board(layout)
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


def load_state(layout: Layout, name: str, persona: Persona | None) -> tuple[AgentState, list[Problem]]:
    """Read an agent file; name and position come from the persona where it has none, the mood if there is no file."""
    state, problems = load_written_state(layout, name)
    front = persona.front if persona else {}
    return replace(
        state,
        name=state.name or _front_text(front, "name") or name,
        position=state.position or _front_text(front, "home"),
        mood=state.mood if layout.agent(name).exists() else first_mood(front),
    ), problems


def first_mood(front: Mapping[str, Any]) -> str:
    """Return the mood in which somebody begins: the first of a persona's ``moods``; empty where it has none."""
    moods = front.get("moods")
    return str(moods[0]) if isinstance(moods, list) and moods else ""


def load_written_state(layout: Layout, name: str) -> tuple[AgentState, list[Problem]]:
    """Read an agent file as it is: without name or position where it has none."""
    document, problems = _read(layout, layout.agent(name))
    data = _Fields(document, layout.shown(layout.agent(name)), problems)
    state = AgentState(
        name=data.text("name"),
        position=data.text("position"),
        current_task=data.text("current_task"),
        today_plan=tuple(item for item in data.items("today_plan") if isinstance(item, str)),
        mood=data.text("mood"),
        importance_accumulator=data.whole("importance_accumulator"),
        last_reflection=data.text("last_reflection") or None,
        conv_summarized_until=data.text("conv_summarized_until") or None,
        care_wanted=data.flag("care_wanted"),
    )
    return state, problems


def load_persona(layout: Layout, name: str) -> tuple[Persona | None, list[Problem]]:
    """Read a persona; None when there is none."""
    path = layout.persona(name)
    if not is_there(path):
        return None, []
    front, prose, problems = read_front_matter(path, layout.shown(path))
    if not (front or prose.strip() or problems):
        problems.append(emptied(layout.shown(path)))
    if "lenses" in front:
        from gm.store.layers.lenses import persona_lens_problems

        problems += persona_lens_problems(path, layout.shown(path), front["lenses"])
    return Persona(front, prose.strip()), problems


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
