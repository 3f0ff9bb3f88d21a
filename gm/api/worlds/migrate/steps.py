"""The steps that bring a world of any earlier format to the present one, in order.

A new format is one more step at the end, and its number in ``gm.base.config.settings.FORMAT``. All steps run on a
world of any format: an older line may come later, by hand or by a merge, and a setting may go without a new format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from gm.api.worlds.migrate.rewriting import Rewritten, remove_gone, rewrite_memories
from gm.files.layout import Layout
from gm.memory.seed_memories import WORLD


@dataclass(frozen=True, slots=True)
class FormatStep:
    """A change of the format.

    Attributes:
        name: A word for it, unique.
        sentence: What it does.
        paths: The files that it looks at; absent ones are passed over.
        rewrite: From the path inside the world and the text of a file to its new text, without reading anything else.
            What it has rewritten it leaves as it is.
    """

    name: str
    sentence: str
    paths: Callable[[Layout], Iterable[Path]]
    rewrite: Callable[[str, str], Rewritten]


def _files_of_memories(layout: Layout) -> Iterator[Path]:
    yield layout.gifted(WORLD)
    for name in layout.agent_names():
        yield from (layout.stream(name), layout.archived(name), layout.summarised(name), layout.gifted(name))


STEPS: tuple[FormatStep, ...] = (
    FormatStep(
        "memories",
        "Memories of the older shape (content, day, agent) take the nine keys of today.",
        _files_of_memories,
        rewrite_memories,
    ),
    FormatStep(
        "settings",
        "Settings that can no longer be set leave gm.yaml.",
        lambda layout: (layout.settings,),
        remove_gone,
    ),
)
