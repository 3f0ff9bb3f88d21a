"""The world in play, who is asked, and who decides what comes next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypedDict

from gm.ask.prompt.off_scene import Decision
from gm.ask.reply.schema import schema_of
from gm.base import plugins
from gm.base.config import DIRECTORS
from gm.base.plugins import load_plugin
from gm.files.commits.runnote import is_ended, note_end, note_seed, note_speed, noted_seed
from gm.files.commits.writer import Writer
from gm.files.layout import Layout
from gm.files.questions.traces import BatchFolder
from gm.llm.asker import Asker
from gm.llm.choose import Choice
from gm.llm.prices import FREE_BACKENDS
from gm.llm.waiting import make_asker
from gm.model.solo_replies import ReflectionReply
from gm.model.world import World
from gm.play.directors import AS_SET, AddedDirector, Direction, ModelDirector, ScriptDirector
from gm.play.interview import Interviewer
from gm.play.liveworld import LiveWorld
from gm.play.question import MindsOf, models_of
from gm.play.report import Report, notice_once
from gm.play.spending import make_budget
from gm.play.stage import Stage, open_stage
from gm.play.together import Baton
from gm.scene.directing.choosing import LLM, check_focus
from gm.scene.directing.director import Director, NextScenes, RulesDirector, reflection_scenes
from gm.scene.directing.script import SCRIPT
from gm.scene.grounding.attendance import coming_day, next_day


class DayOptions(TypedDict, total=False):
    """Options that playing and forecasting days take alike; absent = the default."""

    seed: int | None
    batch: bool
    direction: Direction


class TableOptions(DayOptions, total=False):
    """Options of a run.

    Attributes:
        max_usd: For the whole run; absent = its budget alone.
        embeds: Whether new memories go to the index of vectors; absent = yes.
    """

    minds: MindsOf | None
    max_usd: float | None
    embeds: bool


@dataclass(frozen=True, slots=True)
class GameTable:
    """The world in play, the backend, and who decides what comes next. Make it with ``open_table``.

    Attributes:
        notice_once: Reports a notice, unless it was reported before.
        one_by_one: Whether no two scenes are played at the same time.
    """

    live: LiveWorld
    choice: Choice
    asker: Asker
    baton: Baton
    direction: Direction
    seed: int
    focus: str
    minds: MindsOf | None
    notice_once: Callable[[str], None]
    one_by_one: bool

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self.live.world

    def make_stage(self) -> Stage:
        """Return what makes the questions of scenes from the files as they are now."""
        live = self.live
        minds = self.minds and self.minds(live.layout, self.notice_once, live.vectors)
        return open_stage(live.search, live.layout.traces, models_of(self.choice), self.seed, minds, self.notice_once)

    def make_interviewer(self) -> Interviewer:
        """Return what asks the backend, and parses its replies."""
        return Interviewer(self.asker, self.live.assembler, self.live.report.notice)

    def make_rules(self, *, one_by_one: bool = True) -> RulesDirector:
        """Return the Director by rules; one scene at a time, as all other Directors choose."""
        return RulesDirector(self.seed, self.live.prompts.words, self.focus, one_by_one=one_by_one)

    def make_director(self) -> Director:
        """Return the Director that the options or the settings name; by default the one by rules."""
        rules, live = self.make_rules(), self.live
        name = self.direction.director(self.world.settings)
        if name == LLM:
            return ModelDirector(
                rules, Decision(live.prompts), self.make_stage(), self.make_interviewer(), live.report.notice
            )
        if name == SCRIPT:
            return ScriptDirector(rules, partial(self.direction.load, live.layout), self.notice_once)
        if name not in DIRECTORS and (choose := load_plugin(plugins.DIRECTORS, name)):
            return AddedDirector(rules, name, choose)
        return self.make_rules(one_by_one=self.one_by_one)

    def check_direction(self, last: int) -> None:
        """Check the scripts up to day ``last``, before any model is asked.

        Raises:
            BrokenWorldError: A script has errors.
        """
        if self.direction.director(self.world.settings) == SCRIPT:
            day = coming_day(self.world)
            while day <= last:
                self.direction.load(self.live.layout, self.world, day)
                day = next_day(self.world, day)

    def next_step(self, world: World | None = None) -> NextScenes:
        """Decide what comes next, by default in the current world; only reflections once the day was ended."""
        world = world or self.world
        if self.is_ended:
            return NextScenes(reflection_scenes(world, self.live.prompts.words))
        return self.make_director().next_step(world)

    @property
    def is_ended(self) -> bool:
        """Whether the open day has no more scenes."""
        return is_ended(self.live.layout, self.world.clock.day)

    def end_day(self) -> None:
        """End the open day: no more scenes, also for the next command."""
        self.live.land_opening()
        note_end(self.live.layout, self.world.clock.day)

    def note_seed(self) -> None:
        """Note the seed of the open day, so that the next command goes on with it."""
        other = None if self.seed == self.world.settings.seed else self.seed
        note_seed(self.live.layout, self.world.clock.day, other)

    def close(self) -> None:
        """Stop asking, and close the world's files."""
        self.asker.close()
        if self.asker.took and self.choice.backend.name not in FREE_BACKENDS:
            note_speed(
                self.live.layout, {model: (took.answers, took.seconds) for model, took in self.asker.took.items()}
            )
        self.live.close()


def open_table(
    layout: Layout, writer: Writer, choice: Choice, report: Report, options: TableOptions, *, one_by_one: bool = False
) -> GameTable:
    """Read a world, and make what its days are played with.

    Raises:
        BrokenWorldError: Files that are needed cannot be read.
        UsageError: No character has the name in the focus.
    """
    live = LiveWorld(layout, writer, report, embeds=options.get("embeds", True))
    settings = live.world.settings
    baton = Baton()
    direction = options.get("direction", AS_SET)
    focus = check_focus(live.world, direction.focus)
    asker = make_asker(
        choice.backend,
        settings.llm.concurrency,
        BatchFolder(layout),
        report.notice,
        make_budget(layout, live.world, choice, options.get("max_usd")),
        batch=options.get("batch", False),
        person_backend=choice.person_backend,
        # a backend that answers from facts answers at once: there is no wait to use
        meanwhile=None if choice.backend.reads_facts else _work_ahead(live),
        waiting=baton.waiting,
    )
    return GameTable(
        live=live,
        choice=choice,
        asker=asker,
        baton=baton,
        direction=direction,
        seed=_choose_seed(live, options.get("seed")),
        focus=focus,
        minds=options.get("minds"),
        notice_once=notice_once(report.notice),
        one_by_one=one_by_one,
    )


def _choose_seed(live: LiveWorld, given: int | None) -> int:
    """Return the given seed, else that of the open day, else that of ``gm.yaml``."""
    day, usual = live.world.clock.day, live.world.settings.seed
    noted = noted_seed(live.layout, live.world.clock)
    if given is None and noted not in (None, usual):
        live.report.notice(f"day {day} was begun with seed {noted}: this run goes on with it (--seed says another)")
    elif given is not None and noted not in (None, given):
        live.report.notice(f"day {day} was begun with seed {noted}, and goes on with seed {given}")
    return next(seed for seed in (given, noted, usual) if seed is not None)


def _work_ahead(live: LiveWorld) -> Iterator[object]:
    yield from live.prompts.compile_ahead()
    yield schema_of(ReflectionReply, live.prompts.reply_texts)
