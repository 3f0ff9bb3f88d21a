"""Which memories stood in the questions of a scene, and which of them its new memories cite."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from gm.api.answers.document import part
from gm.api.reports.why.questions import prompt_of, walk_texts
from gm.base.errors import UsageError
from gm.base.untyped import text_at
from gm.files.commits.snapshot import snapshot
from gm.files.layout import Layout
from gm.files.questions.traces import TraceReader
from gm.files.streams.find import list_found
from gm.model.calendar import SceneRef
from gm.model.node import Node, node_record

_ID = re.compile(r"[a-z0-9][a-z0-9_-]*-[0-9]{3,}")


@dataclass(frozen=True, slots=True)
class MemoryInView:
    """A memory that a character had before it in ``questions`` of its recorded questions."""

    agent: str
    questions: int
    cited_by: tuple[str, ...]
    memory: Node = part(inline=True, by=node_record)


@dataclass(frozen=True, slots=True)
class ShownInScene:
    """The memories of a scene's questions; ``questions`` = how many each character was asked."""

    scene: str
    questions: dict[str, int]
    memories: tuple[MemoryInView, ...]


def describe_shown(layout: Layout, scene: SceneRef) -> ShownInScene:
    """Return which memories a scene's questions showed; a line of a prompt shows the memory that it names first.

    Raises:
        UsageError: No question is recorded.
    """
    asked: Counter[str] = Counter()
    shown: Counter[tuple[str, str]] = Counter()
    with snapshot(layout):
        for record in TraceReader(layout.traces).in_scene(str(scene)):
            asked[who := text_at(record, "who")] += 1
            prompt = prompt_of(record)
            lines = "\n".join(walk_texts([*prompt.system, *prompt.messages])).splitlines()
            shown.update({(who, match[0]) for line in lines if (match := _ID.search(line))})
        kept = {
            name: [found.node for found in list_found(layout, name)] for name in layout.agent_names() if asked[name]
        }
    if not kept:
        raise UsageError(f"no question of {scene} is recorded", f"the records are in {layout.shown(layout.traces)}")
    cited = {(one, node.id) for nodes in kept.values() for node in nodes if node.when == scene for one in node.evidence}
    memories = [
        MemoryInView(name, shown[name, node.id], tuple(by for one, by in sorted(cited) if one == node.id), node)
        for name, nodes in kept.items()
        for node in nodes
        if shown[name, node.id]
    ]
    return ShownInScene(str(scene), {name: asked[name] for name in kept}, tuple(memories))
