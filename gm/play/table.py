"""The world in play, with the user's decisions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TypedDict, Unpack

from gm.ask.prompt.off_scene import Decision
from gm.ask.reply.schema import schema_of
from gm.base import plugins
from gm.base.config import DIRECTORS
from gm.base.plugins import load_plugin
from gm.files.batches import BatchFolder
from gm.files.commits.runnote import is_ended, note_end
from gm.files.commits.writer import Writer
from gm.files.gallery import read_artifact
from gm.files.layout import Layout
from gm.files.logbook import read_days
from gm.files.traces import TraceFolder
from gm.llm.base import window_of
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.model.scene import Scene
from gm.model.solo_replies import ReflectionReply
from gm.model.world import Change, World
from gm.play.directors import AS_SET, AddedDirector, Direction, ModelDirector, ScriptDirector
from gm.play.interview import Interviewer
from gm.play.liveworld import Fold, LiveWorld
from gm.play.question import MindsOf, model_of, tells_schema
from gm.play.report import Report
from gm.play.spending import make_budget
from gm.play.stage import Stage
from gm.play.together import Baton
from gm.scene.advance import advance
from gm.scene.attendance import coming_day, next_day
from gm.scene.choosing import LLM, check_focus
from gm.scene.director import Director, NextScenes, RulesDirector, reflection_scenes
from gm.scene.script import SCRIPT


class TableOptions(TypedDict, total=False):
    """Options of a run; absent = by the settings, or off."""

    seed: int | None
    batch: bool
    direction: Direction
    minds: MindsOf | None
    most_usd: float | None
    embeds: bool


class Table(LiveWorld):
    """A live world with stage, Director and backend.

    Raises:
        UsageError: No character has the name in the focus.
    """

    def __init__(
        self, layout: Layout, writer: Writer, choice: Choice, report: Report, **options: Unpack[TableOptions]
    ) -> None:
        self._direction = options.get("direction", AS_SET)
        self._minds = options.get("minds")
        self._told: set[str] = set()
        self._choice = choice
        super().__init__(layout, writer, report, embeds=options.get("embeds", True))
        settings = self.world.settings
        seed = options.get("seed")
        self.seed = settings.seed if seed is None else seed
        self.focus = check_focus(self.world, self._direction.focus)
        self.asker = make_asker(
            choice.backend,
            settings.llm.concurrency,
            BatchFolder(layout),
            report.notice,
            make_budget(layout, self.world, choice, options.get("most_usd")),
            batch=options.get("batch", False),
        )
        self.asker.hand = choice.hand
        self.baton = Baton()
        self.one_by_one = False
        self.asker.waiting = self.baton.waiting
        if not choice.backend.reads_facts:  # who answers from facts answers at once: there is no wait to use
            self.asker.meanwhile = self._work_ahead()

    def _work_ahead(self) -> Iterator[object]:
        yield from self.prompts.compile_ahead()
        yield schema_of(ReflectionReply)

    @property
    def stage(self) -> Stage:
        return Stage(
            self.assembler,
            self._traces,
            self.seed,
            partial(model_of, self._choice),
            tells_schema(self._choice.backend),
            partial(read_artifact, self.layout),
            self.reminder,
            self._minds and self._minds(self.layout, self._say_once, self.vectors),
            self._say_once,
            partial(read_days, self.layout),
            partial(window_of, self._choice.backend),
        )

    @property
    def rules(self) -> RulesDirector:
        return RulesDirector(self.seed, self.prompts.words, self.focus, one_by_one=True)

    @property
    def director(self) -> Director:
        rules = self.rules
        name = self._direction.director(self.world.settings)
        if name == LLM:
            decision = Decision(self.prompts)
            return ModelDirector(rules, decision, self.stage, self.interviewer, self.report.notice)
        if name == SCRIPT:
            return ScriptDirector(rules, partial(self._direction.load, self.layout), self._say_once)
        if name not in DIRECTORS and (choose := load_plugin(plugins.DIRECTORS, name)):
            return AddedDirector(rules, name, choose)
        return replace(rules, one_by_one=self.one_by_one)

    def check_direction(self, last: int) -> None:
        """Check the scripts up to day ``last``, before any model is asked.

        Raises:
            BrokenWorldError: A script has errors.
        """
        if self._direction.director(self.world.settings) == SCRIPT:
            day = coming_day(self.world)
            while day <= last:
                self._direction.load(self.layout, self.world, day)
                day = next_day(self.world, day)

    @property
    def interviewer(self) -> Interviewer:
        return Interviewer(self.asker, self.assembler, self.report.notice)

    def next_step(self, world: World | None = None) -> NextScenes:
        """Decide what comes next, by default in the current world; only reflections once the day was ended."""
        world = world or self.world
        if self.is_ended:
            return NextScenes(reflection_scenes(world, self.prompts.words))
        return self.director.next_step(world)

    @property
    def is_ended(self) -> bool:
        """Whether the open day has no more scenes."""
        return is_ended(self.layout, self.world.clock.day)

    def end_day(self) -> None:
        """End the open day: no more scenes, also for the next command."""
        self.land_opening()
        note_end(self.layout, self.world.clock.day)

    def _say_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self.report.notice(text)

    def _traces(self, scene: Scene) -> TraceFolder:
        return TraceFolder(self.layout.traces, str(scene.ref))


class LeftOpenError(Exception):
    """The user leaves; the day stays open, and the same command resumes it."""


@dataclass(frozen=True)
class Draft:
    """A played scene that has not landed.

    Attributes:
        fold: What lands is folded from the files as they are then.
    """

    world: World
    scene: Scene
    fold: Fold
    take: int = 1

    @cached_property
    def change(self) -> Change:
        """What the scene would change."""
        return self.fold(self.world)

    @cached_property
    def after(self) -> World:
        """The world after the scene, if it lands."""
        return advance(self.world, self.change)


class Review:
    """Lets all scenes land, and the Director decide; override to decide otherwise.

    Attributes:
        one_by_one: Whether it judges each scene before the next is played.
    """

    one_by_one = False

    def judge(self, table: Table, takes: Sequence[Draft]) -> Draft | str:
        """Return the take that lands, or the note with which to replay the scene. Not called for reflections.

        Args:
            takes: All so far; the last one is new.

        Raises:
            LeftOpenError: Nothing lands; the same command shows the scene again, from its traces.
        """
        return takes[-1]

    def between(self, table: Table) -> None:
        """Act between two steps of a day; everything played so far is in the files.

        Raises:
            LeftOpenError: The day stays as it is.
        """

    def next_step(self, table: Table) -> NextScenes:
        return table.next_step()


class Few(Review):
    """Leaves the day open once some scenes, reflections aside, have landed."""

    def __init__(self, scenes: int) -> None:
        self._left = scenes

    def judge(self, table: Table, takes: Sequence[Draft]) -> Draft | str:
        self._left -= 1
        return super().judge(table, takes)

    def between(self, table: Table) -> None:
        if self._left <= 0:
            raise LeftOpenError
