"""Which memories stood in the questions of a scene, and which of them its new memories cite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.reports.why.questions import prompt_of
from gm.base.casefold import casefold
from gm.base.errors import UsageError
from gm.base.untyped import text_at
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.files.streams.find import list_found
from gm.model.calendar import SceneRef
from gm.model.node import Node, node_record
from gm.model.world import World, known_agent

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*-[0-9]{3,18}(?![0-9])")


@dataclass(frozen=True, slots=True)
class ShownMemory:
    """A memory that a character had before it in a scene.

    Attributes:
        questions: In how many of the character's recorded questions.
        cited_by: Ids of its memories of the scene that rest on it.
    """

    agent: str
    questions: int
    cited_by: tuple[str, ...]
    memory: Node = part(inline=True, by=node_record)


@dataclass(frozen=True, slots=True)
class ShownInScene:
    """The memories of a scene's questions, by character; ``questions`` = how many each was asked."""

    scene: str
    questions: dict[str, int]
    memories: tuple[ShownMemory, ...]


def describe_shown(layout: Layout, world: World, scene: SceneRef, agents: Sequence[str] = ()) -> ShownInScene:
    """Return which memories a scene's recorded questions showed to whom, as they are now.

    A line of a prompt shows the memory whose id it names first.

    Args:
        scene: A scene, or a day for the questions of its end.
        agents: Ids or names; none = all.

    Raises:
        UsageError: No such character, or no recorded question.
    """
    wanted = {known_agent(world.agents, name) for name in agents} or {*world.agents}
    asked: Counter[str] = Counter()
    shown: dict[str, Counter[str]] = {}
    with snapshot(layout):
        for _, record, rejected in TraceReader(layout.traces).files_in(str(scene)):
            name = casefold(text_at(record, "who"))
            if not rejected and name in wanted:
                asked[name] += 1
                prompt = prompt_of(record)
                lines = "\n".join(_texts_in([*prompt.system, *prompt.messages])).splitlines()
                found = {match[0] for line in lines if (match := _ID.search(line))}
                shown.setdefault(name, Counter()).update(found)
        kept = {name: [item.node for item in list_found(layout, name)] for name in world.agents if name in shown}
    if not asked:
        hint = f"see the folders below {layout.shown(layout.traces)}; they may be kept out of git"
        raise UsageError(f"no question of {scene} to them is recorded", hint)
    memories = [
        ShownMemory(name, shown[name][node.id], tuple(_list_citing(nodes, node.id, scene)), node)
        for name, nodes in kept.items()
        for node in nodes
        if node.id in shown[name]
    ]
    return ShownInScene(str(scene), {name: asked[name] for name in kept}, tuple(memories))


def _list_citing(nodes: Sequence[Node], identifier: str, scene: SceneRef) -> Iterator[str]:
    return (node.id for node in nodes if node.when == scene and identifier in node.evidence)


def _texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from _texts_in(list(value.values()))
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)
