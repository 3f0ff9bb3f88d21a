"""Questions whose answer is known by construction, from worlds that were played or rehearsed."""

from __future__ import annotations

import contextlib
import io
import random
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.data import find_data
from bench.recalling.asking import Question
from gm.cli import gm
from gm.files.layout import Layout
from gm.files.load import load_stream
from gm.files.story.now import load_settings, load_whole_state
from gm.files.story.threads import load_threads
from gm.memory.recall.lexicon import MemoryLexicon
from gm.memory.recall.query import Query
from gm.model.node import Node
from gm.model.world import Agent

DAYS = 30
MOST_ASKED = 100
"""Questions of a kind in a world; of more, some are drawn."""
REFLECTION, THREAD, TOLD = "reflection → evidence", "thread → made, kept", "told in a scene → teller"
KINDS = (REFLECTION, THREAD, TOLD)
KEPT = ("kept", "answered")
PLAYED = ("three days", "played studio", "real world")
ARCHIVES = {"played studio": "played-studio.zip", "real world": "realworld-day3.zip"}
REHEARSED = {
    "studio": (),
    "dinner": ("--template", "dinner"),
    "ferry": ("--template", "ferry"),
    "orbit": ("--template", "orbit"),
}
GERMAN = (*PLAYED, "studio")


@dataclass(frozen=True, slots=True)
class World:
    """The streams of a world, and what is asked about them."""

    name: str
    layout: Layout
    streams: dict[str, tuple[Node, ...]]
    people: tuple[tuple[str, ...], ...]
    weekdays: tuple[str, ...]
    language: str

    def lexicon(self, owner: str, until: int) -> MemoryLexicon:
        """Return a stream up to a place, without what came later."""
        return MemoryLexicon(owner, self.streams[owner][:until], self.language)

    def query(self, text: str, owner: str, node: Node | None = None) -> Query:
        """Return a question that its owner asks at the moment of a memory."""
        when = node.when if node else self.streams[owner][-1].when
        return Query(text, owner, when.day, when.scene, people=self.people, weekdays=self.weekdays)


def played_worlds(folder: Path) -> Iterator[World]:
    """Yield the weeks that language models played: those shipped, and those whose archive is there."""
    run("init", str(folder / "three"), "--with-days")
    yield open_world(PLAYED[0], folder / "three")
    for name, archive in ARCHIVES.items():
        path = find_data(archive)
        if not path.is_file():
            print(f"{name}: left out, there is no {archive}")
            continue
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder / name)
        root = next((folder / name).rglob("state/memories")).parents[1]
        yield open_world(name, root)


def rehearsed_worlds(folder: Path, days: int = DAYS) -> Iterator[World]:
    """Yield worlds that the offline rehearsal plays for many days; that takes about a minute each."""
    for name, arguments in REHEARSED.items():
        root = folder / f"rehearsed-{name}"
        run("init", str(root), *arguments)
        run("advance-day", "-w", str(root), "--days", str(days))
        yield open_world(name, root)


def run(*arguments: str) -> None:
    """Run a command of ``gm`` in this process."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        gm.main(list(arguments), standalone_mode=False)


def open_world(name: str, root: Path) -> World:
    """Read the streams of a world."""
    layout = Layout(root)
    settings, _ = load_settings(layout)
    names = tuple(layout.agent_names())
    cast = [Agent(one, load_whole_state(layout, one)[0]) for one in names]
    people = tuple((one.id, one.name, one.call_name) for one in cast)
    streams = {one: load_stream(layout, one)[0] for one in names}
    return World(name, layout, streams, people, settings.calendar.weekdays, settings.language)


def ask_about(world: World) -> list[Question]:
    """Make all questions about a world, at most ``MOST_ASKED`` of each kind."""
    dice = random.Random(1)
    questions = []
    for make in (_of_reflections, _of_threads, _of_told):
        makers = list(make(world))
        chosen = sorted(dice.sample(range(len(makers)), min(MOST_ASKED, len(makers))))
        questions += [makers[place]() for place in chosen]
    return questions


Maker = Callable[[], Question]
"""Makes a question: the index of its stream is built only where it is asked."""


def _of_reflections(world: World) -> Iterator[Maker]:
    for owner, nodes in world.streams.items():
        places = {node.id: place for place, node in enumerate(nodes)}
        for place, node in enumerate(nodes):
            if not node.depth:
                continue
            before = [nodes[places[one]] for one in node.evidence if places.get(one, place) < place]
            facts = tuple(fact for one in before if (fact := _held([one], node.description)))
            if facts:
                yield _maker(world, REFLECTION, node.description, facts, [(owner, place)], node)


def _of_threads(world: World) -> Iterator[Maker]:
    for thread in load_threads(world.layout)[0]:
        owner = thread.by
        if thread.outcome not in KEPT or owner not in world.streams:
            continue
        nodes = world.streams[owner]
        moments = list(dict.fromkeys((thread.opened, thread.touched)))
        facts = tuple(fact for at in moments if (fact := _held(_of_scene(nodes, at), thread.text)))
        last = max((place for place, node in enumerate(nodes) if node.created in moments), default=-1)
        if facts:
            yield _maker(world, THREAD, thread.text, facts, [(owner, last + 1)], nodes[last])


def _of_told(world: World) -> Iterator[Maker]:
    for nodes in world.streams.values():
        for node in nodes:
            tellers = [name for name in node.tags if name in world.streams]
            if node.metadata.get("kind") != "heard" or len(tellers) != 1:
                continue
            (teller,) = tellers
            told = _of_scene(world.streams[teller], node.created)
            if fact := _held(told, node.description):
                last = max(world.streams[teller].index(one) for one in told)
                yield _maker(world, TOLD, node.description, (fact,), [(teller, last + 1)], node)


def _of_scene(nodes: Sequence[Node], moment: str) -> list[Node]:
    return [node for node in nodes if node.created == moment and node.metadata.get("kind") != "bystander"]


def _held(nodes: Sequence[Node], text: str) -> frozenset[str]:
    plain = text.casefold().strip()
    return frozenset(node.id for node in nodes if node.description.casefold().strip() != plain)


def _maker(
    world: World, kind: str, text: str, facts: tuple[frozenset[str], ...], streams: list[tuple[str, int]], node: Node
) -> Maker:
    owner = streams[0][0]
    return lambda: Question(
        world.query(text, owner, node), kind, world.name, facts, tuple(world.lexicon(*one) for one in streams)
    )
