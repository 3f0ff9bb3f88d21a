"""What a memory costs the engine, without the time of models (S0-55).

Aims: giving a full cast what it knows from the start, with its vectors, under a second; what memory takes in a turn
(a new memory in the indexes, and one question by words and vectors) under 200 ms where a character has 10,000
memories; a search over their vectors under 10 ms. What is measured is CPU time, so that other work on the machine does
not count.
"""

import random
import tempfile
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.recall import make_lexis, make_node
from bench.table import Row
from bench.vectors import vectors
from gm.api.editing.gift import give_memories
from gm.api.reports.recall import RecallOptions, open_recall
from gm.api.worlds.create import create_world
from gm.api.worlds.index import build_index
from gm.base.config import IndexSettings, Settings
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.llm.vectors.files import ShelfWriter, read_shelf
from gm.llm.vectors.opened import build, open_vectors, wanted_rows
from gm.llm.vectors.similarities import join
from gm.llm.vectors.texts import recipe_of
from gm.model.node import Node, render_node
from gm.play.vector_search import index_folder

NODES = 10_000
WIDTH = 768
TURNS = 11
INDEX = IndexSettings(enabled=True, model="bench", dimensions=WIDTH)
SENTENCES = 3


class Ready:
    """Stands in for a provider that takes no time: every text gets a vector that is made already."""

    batch, where = 64, "this process"

    def __init__(self) -> None:
        self._made = [list(row) for row in vectors(200)]

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return a vector for each text."""
        return [self._made[len(text) % len(self._made)] for text in texts]


def run() -> tuple[Row, ...]:
    """Print the figures with their aims."""
    with tempfile.TemporaryDirectory() as folder:
        seeded = _seeding(Path(folder) / "studio")
    with tempfile.TemporaryDirectory() as folder:
        return seeded, *_turns(Layout(Path(folder)))


def _seeding(path: Path) -> Row:
    layout = create_world(path, "studio")
    settings = layout.settings.read_text(encoding="utf-8")
    layout.settings.write_text(f"{settings}\nindex: {{enabled: true, model: bench}}\n", encoding="utf-8")
    embedder = Ready()
    began = time.process_time()
    document, _ = give_memories(layout)
    given = time.process_time() - began
    build_index(layout, load_world(layout).world, embedder=embedder)
    whole = time.process_time() - began
    count = sum(item.memories for item in document.files)
    print(f"a full cast gets {count} memories in {given:.2f} s, with vectors {whole:.2f} s (aim: under 1)")
    return Row("a full cast seeded, with vectors", f"{whole:.2f} s", "bound in s", whole, 1)


def _turns(layout: Layout) -> tuple[Row, ...]:
    layout.memories.mkdir(parents=True)
    dice = random.Random(1)
    lexis = make_lexis(dice)
    nodes = [_in_sentences(make_node(number, dice, lexis)) for number in range(1, NODES + TURNS + 1)]
    stream, later = nodes[:NODES], nodes[NODES:]
    layout.stream("vera").write_text("".join(render_node(node) + "\n" for node in stream), encoding="utf-8")
    embedder, recipe = Ready(), recipe_of(INDEX)
    folder = index_folder(layout, "vera")
    build(folder, stream, embedder, recipe)
    query = array("f", next(vectors(1, seed=5)))
    similar = join(open_vectors(folder, stream, recipe), stream, ())
    searches = [_seconds(lambda: similar.to(query, 10)) for _ in range(TURNS)]
    with open_recall(layout, Settings(), similarity=lambda _text: similar.to(query)) as recall:
        recall.find("vera", "Turm", RecallOptions())
        turns = []
        for node in later:
            began = time.process_time()
            with open(layout.stream("vera"), "a", encoding="utf-8") as file:
                file.write(render_node(node) + "\n")
            rows = wanted_rows([node], recipe)
            made = (array("f", row) for row in embedder.embed(list(rows.values())))
            ShelfWriter(folder, recipe).append(dict(zip(rows, made, strict=True)))
            recall.find("vera", f"Was weiß ich über {node.description.split()[0]}?", RecallOptions("hybrid"))
            turns.append(time.process_time() - began)
    fresh = _seconds(lambda: open_vectors(folder, nodes, recipe))
    print(f"memory work of a turn at {NODES:,} memories: {1000 * median(turns):.0f} ms (aim: under 200)")
    count = len(read_shelf(folder) or ())
    print(f"the ten closest of {NODES:,}, with {count:,} vectors: {1000 * median(searches):.1f} ms (aim: under 10)")
    print(f"their index opened in {1000 * fresh:.0f} ms")
    turn, search = 1000 * median(turns), 1000 * median(searches)
    return (
        Row(f"memory work of a turn at {NODES:,} memories", f"{turn:.0f} ms", "bound in ms", turn, 200),
        Row(f"the ten closest of {NODES:,} memories", f"{search:.1f} ms", "bound in ms", search, 10),
    )


def _in_sentences(node: Node) -> Node:
    """Cut what was made into sentences, each of which has a vector of its own."""
    words = node.description.removesuffix(".").split()
    size = -(-len(words) // SENTENCES)
    parts = (" ".join(words[start : start + size]) for start in range(0, len(words), size))
    return replace(node, description=" ".join(f"{part[0].upper()}{part[1:]}." for part in parts))


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
