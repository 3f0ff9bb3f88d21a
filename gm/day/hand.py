"""What the Creative Director puts into the world by hand: briefs, posts, events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gm.model.world import ScheduledEvent, World
from gm.scene.schedule import event_record
from gm.store.document import read_document
from gm.store.layout import Layout
from gm.store.steps import SetValues, Step


def brief_steps(layout: Layout, world: World, text: str, author: str) -> list[Step]:
    """Plan to put up a brief: a post on the board, and one of the briefs that hold."""
    return [
        *_post(layout, world, text, author, "brief"),
        _add(layout, layout.world, "active_briefs", [text]),
    ]


def post_steps(layout: Layout, world: World, text: str, author: str) -> list[Step]:
    """Plan to put up a post."""
    return _post(layout, world, text, author, "post")


def event_steps(layout: Layout, _world: World, event: ScheduledEvent) -> list[Step]:
    """Plan to put an event into the calendar."""
    return [_add(layout, layout.world, "scheduled_events", [event_record(event)])]


def usual_author(world: World) -> str:
    """Tell who writes when nobody says so: who signs the first brief."""
    return world.settings.start.brief_from


def _post(layout: Layout, world: World, text: str, author: str, kind: str) -> list[Step]:
    post: Mapping[str, Any] = {
        "from": author,
        "day": world.clock.day,
        "scene": 0,
        "type": kind,
        "content": text,
    }
    return [_add(layout, layout.bulletin, "posts", [post])]


def _add(layout: Layout, path: Path, key: str, items: Sequence[Any]) -> SetValues:
    document, _ = read_document(path, layout.shown(path))
    there = document.data.get(key)
    old = {key: there} if key in document.data else {}
    return SetValues(layout.shown(path), old, {key: [*(there or []), *items]})
