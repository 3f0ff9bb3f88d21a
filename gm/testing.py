"""Conformance: what a part that a package adds must keep to, as functions for its tests.

Each raises ``AssertionError``, which says what is wrong. gm's own parts pass them. ``docs/how-to/plug-in.md`` says
what each part is. Nothing is asked over the network but by the part itself::

    def test_parrot(tmp_path):
        gm.testing.check_backend(gm_parrot.make, tmp_path)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gm.api.worlds.create import create_world
from gm.base import plugins
from gm.base.config import TIMES_OF_DAY, IndexSettings
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.story.now import load_settings
from gm.llm.base import Answer, Backend, Request, Surroundings, Usage
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import make as rehearse
from gm.llm.vectors.base import Embedder
from gm.memory.recall import columns, lexicon, scored, strategies
from gm.memory.recall.query import Filters, Query
from gm.model.node import Node
from gm.model.scene import Candidate, Scene
from gm.model.world import World
from gm.play import directors, master, prompts, report

__all__ = ["GmError", "check_backend", "check_director", "check_embedder", "check_source", "check_strategy"]

NAME = "conformance"


def check_backend(
    make: Callable[[str, Surroundings], Backend],
    folder: Path,
    *,
    model: str = "",
    around: Surroundings | None = None,
    template: str = "dinner",
) -> None:
    """Check a backend by a day of a new world, in which it answers every question.

    Args:
        folder: Empty or absent; the world is made in it.
        model: What is asked for after the colon.
        template: The world whose day is played; dinner: three people, in English.
    """
    backend = make(model, around or Surroundings())
    _must(str(backend.name) == backend.name != "", "name: a text that stays; it names the recorded answers")
    _must(str(backend.model) == backend.model != "", "model: the name of the model that is asked")
    _must(isinstance(backend.reads_facts, bool), "reads_facts: whether an answer depends on Request.facts")
    watched, layout = _Watched(backend), create_world(folder / template, template)
    (day,) = master.run_days(layout, Choice(watched, NAME), report.Report(), 1, command=NAME)
    _must(day.memories > 0, "a day without a memory: no answer could be used")
    reported = [request.label for request, _ in watched.exchanges if request.label.endswith("-again")]
    why = next((said[0] for asked, answer in watched.exchanges if reported and (said := asked.check(answer.text))), "")
    _must(not reported, f"answers that could not be used, and were asked for again: {', '.join(reported)}; {why}")
    for _, answer in watched.exchanges:
        _must(isinstance(answer, Answer), f"ask returned {answer!r}, expected an Answer")
        _must(answer.model, "Answer.model: the model as the provider names it")
        for name in Usage.__slots__:
            count = getattr(answer.usage, name)
            _must(type(count) is int and count >= 0, f"Answer.usage.{name} is {count!r}, expected a number from 0")
    together = [request for request, _ in watched.exchanges[:3]]
    with ThreadPoolExecutor(len(together)) as pool:
        _must(all(pool.map(backend.ask, together)), "ask is called from several threads at once")


class _Watched:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.name, self.model, self.reads_facts = backend.name, backend.model, backend.reads_facts
        self.exchanges: list[tuple[Request, Answer]] = []

    def ask(self, request: Request) -> Answer:
        self.exchanges.append((request, answer := self._backend.ask(request)))
        return answer


def check_strategy(strategy: scored.Strategy) -> None:
    """Check a strategy of recall by two streams, an empty one, and questions with and without words."""
    streams = [columns.Columns(lexicon.MemoryLexicon(name, nodes, "en")) for name, nodes in _streams().items()]
    for text in ("Who broke the lamp?", "", "none of these words stands in a memory: zzz"):
        query = Query(text, "vera", day=9, scene=2)
        ranked = strategy(query, streams, scored.RecallInputs())
        _must(ranked is None or len(ranked) == 2, "return the scores and the notices, or None with nothing to rank by")
        for stream, found in zip(streams, ranked[0] if ranked else (), strict=bool(ranked)):
            _must(found.columns is stream, "the scores stand in the order of the streams")
            for place, score in (*found.scores.items(), *found.others(-math.inf)):
                _must(0 <= place < stream.size, f"there is no memory at place {place} of {stream.size}")
                _must(math.isfinite(score), f"the score of place {place} is {score}")
                _must(all(isinstance(value, float | int) for value in found.parts(place).values()), "parts: numbers")
        with plugins.added(plugins.STRATEGIES, NAME, strategy):
            first, again = (
                strategies.rank_memories(NAME, query, streams, Filters(), 5, scored.RecallInputs()) for _ in range(2)
            )
        _must(first == again, "the same question must find the same memories in the same order")


def check_embedder(make: Callable[[IndexSettings, Mapping[str, str]], Embedder], settings: IndexSettings) -> None:
    """Check an embedder by a few texts."""
    embedder = make(settings, {})
    _must(type(embedder.batch) is int and embedder.batch > 0, "batch: most texts of one call")
    _must(str(embedder.where) == embedder.where != "", "where: its address, for messages")
    texts = ["The lamp is broken.", "Die Lampe ist kaputt.", "It rains."][: embedder.batch]
    rows = embedder.embed(texts)
    _must(len(rows) == len(texts), f"{len(rows)} vectors for {len(texts)} texts")
    _must(len({len(row) for row in rows}) == 1, "all vectors have one length")
    _must(all(math.isfinite(value) for row in rows for value in row), "a vector holds finite numbers")
    for text, row in zip(texts, rows, strict=True):
        (alone,) = embedder.embed([text])
        same = all(math.isclose(a, b, abs_tol=1e-3) for a, b in zip(alone, row, strict=True))
        _must(same, "the vectors stand in the order of the texts, and do not depend on each other")


def check_source(propose: Callable[[World, str], Iterable[Candidate]], folder: Path, *, name: str = NAME) -> None:
    """Check a source of scenes in a new world and after its first day, at every time of day.

    Args:
        folder: Empty or absent; the world is made in it.
        name: The part that its reasons name, which is its own name in ``weights.added``.
    """
    layout = create_world(folder / "dinner", "dinner")
    with plugins.added(plugins.SOURCES, name, propose):
        with layout.settings.open("a", encoding="utf-8") as file:
            file.write(f"weights: {{added: {{{name}: 90.0}}}}\n")
        for world in _before_and_after(layout):
            for time in TIMES_OF_DAY:
                found = list(propose(world, time))
                _must(found == list(propose(world, time)), "the same world must give the same candidates")
                for item in found:
                    _must(item.type in world.scene_types, f"no scene type {item.type!r}")
                    strangers = [one for one in item.cast if one not in world.agents]
                    _must(item.cast and not strangers, f"the cast is ids of characters, not {item.cast}")
                    _must(math.isfinite(item.score), "points are finite")


def check_director(choose: directors.Chooser, folder: Path) -> None:
    """Check a Director by two days of a new world, whose free scenes it chooses."""
    layout, asked = create_world(folder / "dinner", "dinner"), []

    def watched(world: World, scenes: Sequence[Scene]) -> object:
        asked.append((choose(world, scenes), choose(world, scenes)))
        return asked[-1][0]

    with plugins.added(plugins.DIRECTORS, NAME, watched):
        with layout.settings.open("a", encoding="utf-8") as file:
            file.write(f"director: {NAME}\n")
        master.run_days(layout, Choice(rehearse("", Surroundings()), NAME), report.Report(), 2, command=NAME)
    _must(asked, "it was never asked")
    _must(all(one == other for one, other in asked), "the same world must give the same choice")


def _before_and_after(layout: Layout) -> Iterator[World]:
    yield _read(layout)
    master.run_days(layout, Choice(rehearse("", Surroundings()), NAME), report.Report(), 1, command=NAME)
    yield _read(layout)


def _read(layout: Layout) -> World:
    settings, _ = load_settings(layout)
    return load_world(layout, prompts.open_prompts(layout, settings).scene_types()).world


def _streams() -> Mapping[str, Sequence[Node]]:
    said = ("The lamp is broken, and Emre did it.", "It rains.", "Nami has paid for the lamp.", "We ate late.", "Why?")
    return {
        "vera": [
            Node(f"vera-{number:03}", f"day-{number:03}/scene-01", "observation", number % 2, text, number + 2)
            for number, text in enumerate(said, 1)
        ],
        "emre": [],
    }


def _must(holds: object, wrong: str) -> None:
    """Raise, also where Python leaves out its own assertions (``-O``)."""
    if not holds:
        raise AssertionError(wrong)
