"""How much of a world can be kept back, and whose secrets are written down."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from dataclasses import dataclass

from gm.base.errors import Problem
from gm.base.markup.parse import without_parts
from gm.files.check.personas import check_private_headings
from gm.files.commits.snapshot import snapshot
from gm.files.layers import load_layer
from gm.files.layout import Layout
from gm.files.story.logbook import read_log
from gm.files.story.now import load_persona, load_settings
from gm.files.story.threads import load_threads
from gm.files.streams.memories import Memories
from gm.layers import LAYERS
from gm.layers.declare import AnyLayer
from gm.layers.privacy import REASONS, THOUGHTS, private_words
from gm.memory.share import MEMORIES, PRIVATE


@dataclass(frozen=True, slots=True)
class Withholdable:
    """What ``publish.private`` can keep back.

    Attributes:
        counts: By the names of ``publish.private``, without those that are zero or not counted.
        secretive: Ids of characters whose persona has something under a heading of ``publish.headings``.
        names: Names of the secretive, in the same order.
        doubtful: Lines of personas that only look like such a heading.
    """

    counts: Mapping[str, int]
    secretive: tuple[str, ...]
    names: tuple[str, ...]
    doubtful: tuple[Problem, ...]


def count_private(layout: Layout) -> Withholdable:
    """Count what a world could keep back."""
    with snapshot(layout):
        names = layout.agent_names()
        settings, _ = load_settings(layout)
        scenes = [entry for day in layout.logged_days() for entry in read_log(layout, day).scenes]
        memories = Memories(layout)
        rows = [row for name in names for file in memories.of(name).files.values() for row in file.rows]
        silences = [thread for thread in load_threads(layout)[0] if thread.kind == "silence"]
        counts = {
            THOUGHTS: sum(bool(turn.thought) for entry in scenes for turn in entry.turns),
            REASONS: sum(bool(entry.why) for entry in scenes),
            MEMORIES: len(rows),
            PRIVATE: len(memories.find_private()) + len(silences),
        }
        for layer in LAYERS:
            found = sum(_count_characters(layer, load_layer(layout, layer, name)[0]) for name in names)
            counts[layer.name] = found
        headings = settings.publish.headings
        personas = {name: persona for name in names if (persona := load_persona(layout, name)[0])}
        doubtful = [problem for name in personas for problem in check_private_headings(layout, name, headings)]
    secretive = [name for name, one in personas.items() if without_parts(one.prose, headings) != one.prose]
    return Withholdable(
        {name: counts[name] for name in private_words() if counts.get(name)},
        tuple(secretive),
        tuple(personas[name].front_values.name or name for name in secretive),
        tuple(doubtful),
    )


def _count_characters(layer: AnyLayer, value: object) -> int:
    texts = sum(map(len, layer.words(value).values()))
    return texts or (len(value) if isinstance(value, Sized) else 0)
