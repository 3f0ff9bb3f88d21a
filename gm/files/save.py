"""Turn a ``Change`` into the steps that write it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gm.base.untyped import items_of
from gm.files.commits.steps import Append, Create, SetValues, Step, append_step
from gm.files.formats.document import read_document, render_document
from gm.files.layers import links_step, mind_steps
from gm.files.layout import Layout
from gm.files.story.now import read_board, read_clock
from gm.files.streams.archive import archive_steps
from gm.model.clock import POST
from gm.model.node import render_node
from gm.model.state import AGENT_STATE
from gm.model.thread import THREAD_EVENT
from gm.model.world import Change, World, merged


def plan_steps(layout: Layout, world: World, *changes: Change) -> list[Step]:
    """Return the steps of changes that are written together, the clock last.

    Args:
        world: The world before the changes: the values expected in the files.
    """
    change = merged(changes)
    steps: list[Step] = [Create(path, text) for path, text in change.files.items()]
    steps += [
        append_step(layout, layout.stream(name), [render_node(node) for node in nodes])
        for name, nodes in change.nodes.items()
        if nodes
    ]
    for name, summaries in change.summaries.items():
        steps.append(append_step(layout, layout.summarised(name), [render_node(node) for node in summaries]))
    for name, gone in change.to_archive.items():
        steps += archive_steps(layout, name, gone)
    if change.threads:
        steps.append(append_step(layout, layout.threads, [THREAD_EVENT.render(event) for event in change.threads]))
    lines = [json.dumps(one.log.record, ensure_ascii=False) for one in changes if one.log is not None]
    if lines:
        steps.append(append_step(layout, layout.day_log(change.day), lines))
    if change.reinforced or change.recalled:
        from gm.files.streams.strength import strength_step  # loads recall, and edits by hand count nothing

        steps.append(strength_step(layout, change.day, change.reinforced, change.recalled))
    for name, values in change.agents.items():
        known = AGENT_STATE.write(world.agents[name].state)
        steps.append(values_step(layout, layout.agent(name), known, values))
    for name, mind in change.minds.items():
        steps += mind_steps(layout, name, mind)
    if change.decisions or change.posts:
        steps.append(_board_step(layout, changes))
    if change.links is not None:
        steps.append(links_step(layout, change.links))
    if "day" in change.clock:
        steps += _first_board(layout)
    if change.clock:
        steps.append(clock_step(layout, world, change.clock))
    return [step for step in steps if not (isinstance(step, Append) and not step.text)]


def _board_step(layout: Layout, changes: Sequence[Change]) -> SetValues:
    document, _ = read_document(layout.bulletin, layout.shown(layout.bulletin))
    decisions = [
        {"day": change.day, "scene": change.line.number, "decision": decision}
        for change in changes
        for decision in change.decisions
    ]
    new: dict[str, list[Any]] = {
        "posts": [POST.write(post) for change in changes for post in change.posts],
        "team_decisions": decisions,
    }
    values: dict[str, object] = {}
    for key, items in new.items():
        old = document.data.get(key)
        values |= {key: [*items_of(old), *items]} if items else {}
    return values_step(layout, layout.bulletin, {"posts": []}, values)


def clock_step(layout: Layout, world: World, values: Mapping[str, Any]) -> SetValues:
    """Return the step that sets values of the world clock; a new file is written whole."""
    path = layout.world
    if path.exists():
        return values_step(layout, path, {}, values)
    # day 0 from gm.yaml is written with the first change
    first = read_clock(layout)[0].data
    known = first or {key: _tuple_as_list(getattr(world.clock, key)) for key in world.clock.__slots__}
    return values_step(layout, path, known, values)


def _first_board(layout: Layout) -> list[Step]:
    document, _ = read_board(layout)
    if document.exists or not document.data.get("posts"):
        return []
    return [Create(layout.shown(layout.bulletin), render_document(document.data))]


def values_step(layout: Layout, path: Path, known: Mapping[str, Any], values: Mapping[str, Any]) -> SetValues:
    """Return the step that sets changed values; a new file gets all ``known`` values too."""
    shown = layout.shown(path)
    document, _ = read_document(path, shown)
    new = dict(values) if document.exists else {**known, **values}
    # the spelling of the file, which may differ from gm's: null for an empty text
    old = {key: document.data[key] for key in new if key in document.data}
    return SetValues(shown, old, new)


def _tuple_as_list(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
