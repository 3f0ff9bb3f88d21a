"""The Game Master: opens or resumes a day, plays it scene by scene, closes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Unpack

from gm.base.errors import GmError, WaitingError
from gm.files.commits.runnote import forget_end, forget_run, last_day_of
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.media.library import find_passages
from gm.files.questions.mailbox import sweep_mailbox
from gm.files.streams.gifted import GIVE, lessons_not_given
from gm.files.streams.strength import fold_strengths
from gm.llm.choose import Choice
from gm.model.calendar import SceneRef, render_day
from gm.model.passage import Passage
from gm.model.scene import Scene
from gm.model.stream import of_day
from gm.model.world import Change, World
from gm.play.care import archive_due
from gm.play.evening import ask_diaries, date_of
from gm.play.fold import Fold
from gm.play.interview import Progress
from gm.play.narrator import TELLINGS, tell_day
from gm.play.player import Player
from gm.play.report import Report
from gm.play.review import Draft, LeftOpenError, Review
from gm.play.sources import look_up
from gm.play.table import GameTable, TableOptions, open_table
from gm.scene.directing.choosing import SceneRequest, check_request, requested_scene
from gm.scene.directing.scenes import focus
from gm.scene.directing.script import SCRIPT
from gm.scene.evening.dusk import dusk
from gm.scene.evening.off_scene import close_evening
from gm.scene.folding.advance import advance
from gm.scene.grounding.attendance import attending, coming_day, next_day
from gm.scene.planning.schedule import open_day


class PlayOptions(TableOptions, total=False):
    """What ``run_days`` and ``play_scene`` take besides, as named arguments; absent = as ``gm.yaml`` says.

    Attributes:
        seed: Of all that is chosen at random; None = of ``gm.yaml``.
        batch: Whether questions that can wait are sent as a batch: cheaper, answered within a day.
        direction: Who chooses the scenes.
        max_usd: Most US dollars that the whole run may cost; None = as its budget says.
        embeds: Whether new memories go to the index of vectors.
    """

    review: Review | None


@dataclass(frozen=True, slots=True)
class DayResult:
    """Counts of a played day."""

    day: int
    scenes: int
    memories: int
    artifacts: tuple[str, ...]


class GameMaster:
    """Plays days. Make it with ``game_master``, which holds the lock."""

    def __init__(self, table: GameTable, review: Review) -> None:
        self.table = table
        self._live = table.live
        self._report = table.live.report
        self._review = review
        self._over = 0  # the day whose scenes are over

    @property
    def world(self) -> World:
        """The world as it is now."""
        return self._live.world

    def _make_player(self) -> Player:
        live, table = self._live, self.table
        words, asking = live.prompts.words, self._report.asking
        return Player(live.layout, table.make_stage(), table.make_interviewer(), words, live.is_taken, asking)

    def play_day(self) -> DayResult:
        """Open the next day, or resume the open one, and play it to its end.

        A new day is written as open once its first scene is answered: a model that cannot be asked changes no file.
        """
        self._live.refresh()
        if not self.world.agents:
            raise GmError("this world has no characters", "put a persona into state/personas/<id>.md")
        self.table.check_direction(coming_day(self.world))
        if not self.world.clock.day_open:
            forget_end(self._live.layout)
            self._live.open_later(open_day)
        self.table.note_seed()
        self._report.day_opened(self.world)
        not_given, said = lessons_not_given(self._live.layout, self.world.settings.seeds.lessons)
        if not_given:
            self.table.notice_once(f"{said}; {GIVE}")
        if self.table.focus and self.table.focus not in attending(self.world):
            self._report.notice(
                f"{self.table.focus} is away on day {self.world.clock.day}: there is nobody to focus on"
            )
        while scenes := self._next_scenes():
            self.play(scenes)
            self._live.refresh()
            self._review.between(self.table)
        archive_due(self.table)
        closing = self._close()
        self._live.settle()
        fold_strengths(self._live.layout)
        forget_end(self._live.layout)
        self._report.day_closed(self.world, closing)
        return self._result()

    def _next_scenes(self) -> tuple[Scene, ...]:
        scenes = self._review.next_step(self.table).scenes
        # a script may have a character look back before the day is over
        is_over = all(scene.type.is_reflection and scene.director != SCRIPT for scene in scenes)
        if not is_over:
            return scenes
        day = self.world.clock.day
        missed = dusk(self.world, self._live.prompts.words)
        if missed is not None:
            missed = self._live.land(lambda world: dusk(world, self._live.prompts.words) or Change(world.clock.day))
            self._tell(missed)
            scenes = self._review.next_step(self.table).scenes
        if missed is not None or self._over != day:
            self._over = day
            self._report.day_ends(self.world, missed or Change(day))
        return scenes

    def _tell(self, change: Change) -> None:
        self._report.warned(render_day(change.day), change.warnings)

    def _close(self) -> Change:
        before = self.world
        written = ask_diaries(self.table.make_stage(), self.table.make_interviewer(), self.world, self._progress)

        def close(world: World) -> Change:
            return close_evening(
                world,
                written.replies,
                date_of(world),
                self._live.prompts.words,
                made_with=written.made_with,
                taken=self._live.is_taken,
            )

        is_told = any(telling.is_on(before.settings) for telling in TELLINGS)
        retold = self._tell_day(advance(before, close(before))) if is_told else {}

        def fold(world: World) -> Change:
            change = close(world)
            return replace(change, log=change.line.with_values(retold)) if retold else change

        change = self._live.land(fold, before if written.replies else None)
        self._tell(change)
        if written.replies or is_told:
            sweep_mailbox(self._live.layout, SceneRef(change.day))
        return change

    def _tell_day(self, closed: World) -> dict[str, str]:
        return tell_day(self.table.make_stage(), self.table.make_interviewer(), closed, self._report.notice)

    def play_requested(self, request: SceneRequest) -> Change:
        """Play one requested scene, in the open or a new day.

        Raises:
            UsageError: No such scene type, or the cast does not fit it.
        """
        self._live.refresh()
        # checked before the day is opened: a bad request changes nothing
        request = check_request(self.world, request)
        if not self.world.clock.day_open:
            self._live.open_later(open_day)
        self.table.note_seed()
        try:
            (change,) = self.play([requested_scene(self.world, request, self._live.prompts.words)])
        except WaitingError:
            self._live.land_opening()
            raise
        return change

    def play(self, scenes: Sequence[Scene]) -> list[Change]:
        """Play independent scenes; each lands by itself."""
        if all(scene.type.is_reflection for scene in scenes):
            return self._play_reflections(scenes)
        if len(scenes) > 1:
            return self._play_together(scenes)
        return [self._play_scene(scene) for scene in scenes]

    def _play_together(self, scenes: Sequence[Scene]) -> list[Change]:
        before = self.world
        scenes = [focus(before, look_up(scene, self._find_passages)) for scene in scenes]
        for scene in scenes:
            self._report.scene_begins(before, scene)
        played = self.table.baton.pass_around([partial(self._prepare, one) for one in scenes], self.table.asker.stop)
        self._live.land_opening()
        for scene, fold in played:
            self._review.judge(self.table, [Draft(before, scene, fold)])
        changes = self._live.land_together([fold for _, fold in played], before)
        for (scene, _), change in zip(played, changes, strict=True):
            self._tell_scene(scene, change)
        return changes

    def _play_scene(self, scene: Scene) -> Change:
        scene = focus(self.world, look_up(scene, self._find_passages))
        self._report.scene_begins(self.world, scene)
        takes = [Draft(self.world, *self._prepare(scene))]
        self._live.land_opening()
        while isinstance(judged := self._review.judge(self.table, takes), str):
            self._live.refresh()
            scene = replace(scene, note=judged)
            takes.append(Draft(self.world, *self._prepare(scene), len(takes) + 1))
        return self._finish(judged.scene, judged.world, judged.fold)

    def _play_reflections(self, scenes: Sequence[Scene]) -> list[Change]:
        before = self.world
        scenes = [focus(before, scene) for scene in scenes]
        folds = self._make_player().reflections(before, scenes, self._progress(scenes[0]))
        changes = []
        for scene, fold in zip(scenes, folds, strict=True):
            self._report.scene_begins(self.world, scene)
            changes.append(self._finish(scene, before, fold))
        return changes

    def _prepare(self, scene: Scene) -> tuple[Scene, Fold]:
        return self._make_player().scene(self.world, scene, self._progress(scene))

    def _find_passages(self, query: str) -> Sequence[Passage]:
        passages, problems = find_passages(self._live.layout, query, self.world.settings.language)
        for problem in problems:
            self._report.notice(f"{problem.path}: {problem.message}")
        return passages

    def _finish(self, scene: Scene, before: World, fold: Fold) -> Change:
        change = self._live.land(fold, before)
        self._tell_scene(scene, change)
        return change

    def _tell_scene(self, scene: Scene, change: Change) -> None:
        self._report.warned(str(scene.ref), change.warnings)
        for unused in sweep_mailbox(self._live.layout, scene.ref):
            self._report.notice(f"{scene.ref}: no question took an answer of the mailbox; it is kept in {unused}")
        self._report.scene_played(self.world, scene, change)

    def _progress(self, scene: Scene) -> Progress:
        return lambda done, of: self._report.answered(scene, done, of)

    def _result(self) -> DayResult:
        day = self.world.clock.day
        fresh = sum(len(of_day(agent.stream, day)) for agent in self.world.agents.values())
        entries = self.world.scenes_of(day)
        return DayResult(day, len(entries), fresh, self.world.clock.artifacts_today)


def run_days(
    layout: Layout, choice: Choice, report: Report, days: int, *, command: str, **options: Unpack[PlayOptions]
) -> list[DayResult]:
    """Play days and return those that were closed.

    Raises:
        WaitingError: Answers are awaited from outside.
        GmError: The run cannot go on; everything so far is kept.
    """
    results = []
    with game_master(layout, choice, report, command=command, **options) as master:
        clock = master.world.clock
        closed = clock.day - clock.day_open
        last = last_day_of(layout, days, closed, next_day(master.world, closed, days))
        master.table.check_direction(last)
        try:
            while (clock := master.world.clock).day < last or clock.day_open:
                results.append(master.play_day())
        except LeftOpenError:
            report.day_left(master.world)
            return results
        except WaitingError:
            master.table.live.land_opening()
            raise
        master.table.live.settle()
        forget_run(layout)
    return results


@contextmanager
def game_master(
    layout: Layout,
    choice: Choice,
    report: Report,
    *,
    command: str,
    review: Review | None = None,
    **options: Unpack[TableOptions],
) -> Iterator[GameMaster]:
    """Lock a world, finish an interrupted write, and make its Game Master.

    Raises:
        LockedError: Another process writes to the world.
        BrokenWorldError: Files that are needed cannot be read.
    """
    with writing(layout, command, report.notice) as writer:
        sweep_mailbox(layout)
        review = review or Review()
        table = open_table(layout, writer, choice, report, options, one_by_one=review.one_by_one)
        try:
            yield GameMaster(table, review)
        finally:
            table.close()
