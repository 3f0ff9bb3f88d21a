"""The world while a command plays it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.render import Prompts
from gm.base.config import IndexSettings
from gm.base.errors import GmError, Problem, errors_in, refuse_errors
from gm.base.texts import counted
from gm.files.commits.steps import Overruled, paths_of
from gm.files.commits.steps import Step as FileStep
from gm.files.commits.watch import Watch
from gm.files.commits.writer import Writer
from gm.files.layers import edited_file
from gm.files.layout import Layout
from gm.files.media.pieces import is_taken
from gm.files.questions.traces import TraceFolder
from gm.files.save import plan_steps
from gm.model.calendar import SceneRef
from gm.model.world import Change, World
from gm.play.fold import Fold
from gm.play.memory_search import MemorySearch, open_search
from gm.play.prompts import read_world_prompts
from gm.play.report import Report
from gm.play.vector_search import VectorSearch
from gm.scene.folding.advance import KeptEdit, advance, yield_to_edits

MOST_FOLDS = 5
"""How often a change is folded anew if a file was saved meanwhile."""


class LiveWorld:
    """The world as in the files; read again after an edit. The caller holds the lock.

    Args:
        embeds: Whether an embedder may be asked if the world has an index; else search is by words.
    """

    world: World
    prompts: Prompts
    assembler: Assembler
    search: MemorySearch
    vectors: VectorSearch
    _unopened: World

    def __init__(self, layout: Layout, writer: Writer, report: Report, *, embeds: bool = True) -> None:
        self.layout = layout
        self._writer = writer
        self.report = report
        self._watch = Watch(layout)
        self._embeds = embeds
        self._landing = set[str]()
        self._opening: Fold | None = None
        self._is_embedded = False
        self.vectors = VectorSearch(layout, IndexSettings())
        self._read_world()

    def _read_world(self) -> None:
        self._watch.remember()
        self.world, self.prompts = read_world_prompts(self.layout, _refuse_broken)
        self._unopened = self.world
        if self._opening:
            self.world = advance(self.world, self._opening(self.world))
        self.assembler = Assembler(self.prompts)
        index = self.world.settings.index if self._embeds else IndexSettings()
        if self.vectors.settings != index:
            self.vectors = VectorSearch(self.layout, index)
        self._is_embedded = False
        self.search = open_search(self.layout, self.assembler, self.report.notice, self.vectors)

    def _read_world_again(self) -> None:
        self.close()
        self._read_world()

    def close(self) -> None:
        self.search.close()

    def refresh(self) -> None:
        """Read the world again if a file was edited.

        Raises:
            BrokenWorldError: The edit left a file that cannot be read.
        """
        if self._watch.edited():
            before = self.world
            self._read_world_again()
            for name in _find_vanished(before, self.world):
                self.report.notice(f"{name} was removed from the stream while the day was played")

    def is_taken(self, path: str) -> bool:
        """Return whether a path inside the world is a file, or one that lands with the change being folded."""
        return path in self._landing or is_taken(self.layout, path)

    def open_later(self, fold: Fold) -> None:
        """Open a day in the world's value; the files follow with the first thing that lands."""
        self._opening, self._unopened = fold, self.world
        self.world = advance(self.world, fold(self.world))
        self._embed(())

    def land_opening(self) -> None:
        """Write the opening of the day, unless the files have it."""
        fold, self._opening = self._opening, None
        if fold:
            self.world = self._unopened
            self.land(fold)

    def write(self, plan: Callable[[Layout, World], Sequence[FileStep]]) -> None:
        """Commit the steps that ``plan`` makes from the files as they are now."""
        self.land_opening()
        self.refresh()
        for item in self._writer.commit(plan(self.layout, self.world)):
            self.report.notice(str(item))
        self._read_world_again()

    def land(self, fold: Fold, before: World | None = None) -> Change:
        """Fold a change from the current files, again if one is saved meanwhile, and commit it.

        Args:
            before: The world when the scene began; the user's edits since are kept.
        """
        (change,) = self.land_together([fold], before)
        return change

    def land_together(self, folds: Sequence[Fold], before: World | None = None) -> list[Change]:
        """Fold changes one after another, and commit them as one; as ``land``.

        Raises:
            GmError: A file was saved during each fold; nothing was written.
        """
        self.land_opening()
        for _ in range(MOST_FOLDS):
            self.refresh()
            self._landing.clear()
            began, world, changes, kept = before or self.world, self.world, list[Change](), list[KeptEdit]()
            for fold in folds:
                change, left = yield_to_edits(began, world, fold(world))
                changes.append(change)
                self._landing.update(change.files)
                kept += left
                began, world = advance(began, change), advance(world, change)
            steps = plan_steps(self.layout, self.world, *changes)
            if not self._watch.edited():
                break
        else:
            raise GmError(
                "the files of the world are saved again and again: nothing was written",
                "stop the program that saves them, then run the same command again: no answer is asked for twice",
            )
        overruled = [*self._name_edits(kept), *self._writer.commit(steps)]
        for item in overruled:
            self.report.notice(str(item))
        self._keep_overruled(changes[0], overruled)
        self.world = world
        self._watch.remember(self.layout.root / path for step in steps for path in paths_of(step))
        if overruled:
            self._read_world_again()
        self._embed({name for one in changes for name in (*one.nodes, *one.summaries, *one.to_archive)})
        return changes

    def _embed(self, changed: Collection[str]) -> None:
        names = changed if self._is_embedded else self.world.agents
        if names and self.vectors.is_usable:
            self._is_embedded = self.vectors.catch_up({name: self.world.agents[name].everything for name in names})
            for notice in self.vectors.take_notices():
                self.report.notice(notice)

    def settle(self) -> None:
        self._writer.settle()

    def _name_edits(self, kept: Sequence[KeptEdit]) -> list[Overruled]:
        return [Overruled(edited_file(self.layout, item), item.key, item.ours, item.theirs) for item in kept]

    def _keep_overruled(self, change: Change, overruled: Sequence[Overruled]) -> None:
        if overruled:
            number = (change.log or {}).get("scene") or 0
            traces = TraceFolder(self.layout.traces, str(SceneRef(change.day, number)))
            traces.note("overruled", [asdict(item) for item in overruled])


def _find_vanished(before: World, after: World) -> list[str]:
    # An editor may save an old copy.
    day = before.clock.day
    gone = []
    for name, agent in before.agents.items():
        if name in after.agents:
            left = {node.id for node in after.agents[name].everything}
            gone += [node.id for node in agent.everything if node.when.day == day and node.id not in left]
    return gone


def _refuse_broken(problems: Sequence[Problem]) -> None:
    count = len(errors_in(problems))
    message = f"{counted(count, 'place')} in the world's files cannot be read"
    refuse_errors(problems, message, "correct this by hand; nothing was changed, and no question was asked")
