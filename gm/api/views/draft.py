"""A scene that was played and has not landed, as it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from gm.api.views.reading import KnownOfDay, read_scene
from gm.api.views.scenes import SceneView, scene_kinds
from gm.api.views.threads import known_threads
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.now import load_settings
from gm.files.streams.find import FoundMemory
from gm.model.node import node_from_record
from gm.model.scene import LogEntry


def view_draft(layout: Layout, day: int, log: Mapping[str, Any], memories: Mapping[str, Any]) -> SceneView:
    """Return a scene by its logbook record; its memories have no id, for they may never get one.

    Args:
        memories: Records of new memories by character.
    """
    with snapshot(layout):
        settings, _ = load_settings(layout)
        threads, _ = known_threads(layout)
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
