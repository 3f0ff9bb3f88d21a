"""The Game Master: opens or resumes a day, plays it scene by scene, closes it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypedDict, Unpack

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.off_scene import Decision
from gm.ask.prompt.render import Prompts
from gm.ask.reply.schema import schema_of
from gm.base.config import RetentionSettings
from gm.base.errors import GmError
from gm.files.batches import BatchFolder
from gm.files.commits.runnote import forget_end, is_ended, note_end
from gm.files.commits.steps import Step as FileStep
from gm.files.commits.writer import Writer
from gm.files.gallery import read_artifact
from gm.files.layout import Layout
from gm.files.library import find_passages
from gm.files.mailbox import sweep_mailbox
from gm.files.streams.gifted import GIVE, lessons_not_given
from gm.files.streams.strength import fold_strengths
from gm.files.traces import TraceFolder
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.memory.retain import Pruned
from gm.model.calendar import SceneRef
from gm.model.passage import Passage
from gm.model.replies import ReflectionReply
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.care import Aging, Cared, Carer
from gm.play.directors import AS_SET, Direction, ModelDirector, ScriptDirector
from gm.play.evening import ask_diaries, real_date
from gm.play.interview import Interviewer, Progress
from gm.play.liveworld import Fold, LiveWorld
from gm.play.play import Player
from gm.play.question import model_of, tells_schema
from gm.play.report import Report
from gm.play.review import Draft, Review
from gm.play.sources import look_up
from gm.play.spending import make_budget
from gm.play.stage import Stage
from gm.play.tool_protocol import MindsOf
from gm.scene.attendance import attending, coming_day, next_day
from gm.scene.choosing import LLM, SceneWish, check_focus, check_wish, wished_scene
from gm.scene.daybreak import close_day, open_day
from gm.scene.director import Director, RulesDirector, Step, reflection_scenes
from gm.scene.focus import focus
from gm.scene.off_scene import add_diaries
from gm.scene.script import SCRIPT


class PlayOptions(TypedDict, total=False):
    """Options of a run; what is absent is as the settings say, or off.

    Attributes:
        seed: None = the world's own.
        batch: Send requests that can wait as batches.
        minds: Makes the tools of characters that discover who they are.
        most_usd: Dollars per story day, at most.
        embeds: As in ``LiveWorld``; default True.
    """

    seed: int | None
    batch: bool
    direction: Direction
    review: Review | None
    minds: MindsOf | None
    most_usd: float | None
    embeds: bool


@dataclass(frozen=True, slots=True)
class DayResult:
    """Counts of a played day."""

    day: int
    scenes: int
    memories: int
    artifacts: tuple[str, ...]


class GameMaster:
    """Plays a ``LiveWorld``. Make it with ``game_master``, which holds the lock.

    Raises:
        UsageError: No character has the name in the focus.
    """

    def __init__(
        self,
        layout: Layout,
        writer: Writer,
        choice: Choice,
        report: Report,
        **options: Unpack[PlayOptions],
    ) -> None:
        self._direction = options.get("direction", AS_SET)
        self._minds = options.get("minds")
        self._told: set[str] = set()
        self._layout = layout
        self._live = LiveWorld(layout, writer, report, embeds=options.get("embeds", True))
        self._choice = choice
        self._report = report
        self._review = options.get("review") or Review()
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
        self.asker.meanwhile = self._work_ahead()

    @property
    def layout(self) -> Layout:
        return self._layout

    @property
    def world(self) -> World:
        return self._live.world

    @property
    def prompts(self) -> Prompts:
        return self._live.prompts

    @property
    def assembler(self) -> Assembler:
        return self._live.assembler

    def close(self) -> None:
        self._live.close()

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
            partial(read_artifact, self._layout),
            self._live.reminder,
            self._minds and self._minds(self._layout, self._say_once, self._live.vectors),
            self._say_once,
        )

    @property
    def director(self) -> Director:
        rules = RulesDirector(self.seed, self.prompts.words, self.focus)
        name = self._direction.director(self.world.settings)
        if name == LLM:
            decision = Decision(self.prompts)
            return ModelDirector(rules, decision, self.stage, self._interviewer, self._report.notice)
        if name == SCRIPT:
            return ScriptDirector(rules, partial(self._direction.load, self._layout), self._say_once)
        return rules

    def check_direction(self, last: int) -> None:
        """Check the scripts of the days up to ``last``, before any model is asked.

        Raises:
            BrokenWorldError: A script has errors.
        """
        if self._direction.director(self.world.settings) == SCRIPT:
            day = coming_day(self.world)
            while day <= last:
                self._direction.load(self._layout, self.world, day)
                day = next_day(self.world, day)

    @property
    def _interviewer(self) -> Interviewer:
        return Interviewer(self.asker, self.assembler, self._report.notice)

    @property
    def _aging(self) -> Aging:
        return Aging(self._live, Carer(self.stage, self._interviewer), self._report, self.end_day)

    @property
    def _player(self) -> Player:
        return Player(self._layout, self.stage, self._interviewer, self.prompts.words)

    def play_day(self) -> DayResult:
        """Open the next day, or resume the open one, and play it to its end."""
        self.refresh()
        if not self.world.agents:
            raise GmError("nobody lives in this world", "put a persona into state/personas/<id>.md")
        self.check_direction(coming_day(self.world))
        if not self.world.clock.day_open:
            forget_end(self._layout)
            self._live.land(open_day)
        self._report.day_opened(self.world)
        not_given, said = lessons_not_given(self._layout, self.world.settings.seeds.lessons)
        if not_given:
            self._say_once(f"{said}; {GIVE}")
        if self.focus and self.focus not in attending(self.world):
            self._report.notice(f"{self.focus} is away on day {self.world.clock.day}: there is nobody to focus on")
        while scenes := self._review.next_step(self).scenes:
            self.play(scenes)
            self.refresh()
            self._review.between(self)
        self._aging.close_day()
        closing = self._close()
        self._live.settle()
        fold_strengths(self._layout)
        forget_end(self._layout)
        self._report.day_closed(self.world, closing)
        return self._result()

    def _close(self) -> Change:
        written = ask_diaries(self.stage, self._interviewer, self.world, self._progress)

        def fold(world: World) -> Change:
            return add_diaries(world, close_day(world, self.prompts.words), written, real_date(world))

        change = self._live.land(fold)
        if written:
            sweep_mailbox(self._layout, SceneRef(change.day))
        return change

    def next_step(self, world: World | None = None) -> Step:
        """Decide what comes next in a world, by default the current one; only reflections once the day was ended."""
        world = world or self.world
        if self.is_ended:
            return Step(reflection_scenes(world, self.prompts.words))
        return self.director.next_step(world)

    @property
    def is_ended(self) -> bool:
        """Whether the open day has no more scenes."""
        return is_ended(self._layout, self.world.clock.day)

    def end_day(self) -> None:
        """End the open day: no more scenes, also for the next command."""
        note_end(self._layout, self.world.clock.day)

    def write(self, plan: Callable[[Layout, World], Sequence[FileStep]]) -> None:
        self._live.write(plan)

    def refresh(self) -> None:
        self._live.refresh()

    def settle(self) -> None:
        self._live.settle()

    def care(self, names: Sequence[str], *, now: bool = False) -> list[Cared]:
        return self._aging.care(names, now=now)

    def prune(self, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
        return self._aging.prune(name, retention)

    def play_wish(self, wish: SceneWish) -> Change:
        """Play one requested scene, in the open day or in a newly opened one.

        Raises:
            UsageError: No such scene type, or the cast does not fit it.
        """
        self.refresh()
        # checked before the day is opened: a bad wish changes nothing
        wish = check_wish(self.world, wish)
        if not self.world.clock.day_open:
            self._live.land(open_day)
        (change,) = self.play([wished_scene(self.world, wish, self.prompts.words)])
        return change

    def play(self, scenes: Sequence[Scene]) -> list[Change]:
        """Play scenes that do not depend on each other; each lands by itself."""
        if all(scene.type.reply == "reflection" for scene in scenes):
            return self._play_reflections(scenes)
        return [self._play_scene(scene) for scene in scenes]

    def _play_scene(self, scene: Scene) -> Change:
        scene = focus(self.world, look_up(scene, self._find_passages))
        self._report.scene_begins(self.world, scene)
        draft = Draft(self.world, scene, self._prepare(scene))
        while note := self._review.judge(self, draft):
            self.refresh()
            scene = replace(scene, note=note)
            draft = Draft(self.world, scene, self._prepare(scene), draft.take + 1)
        return self._finish(scene, draft.world, draft.fold)

    def _play_reflections(self, scenes: Sequence[Scene]) -> list[Change]:
        before = self.world
        scenes = [focus(before, scene) for scene in scenes]
        folds = self._player.reflections(before, scenes, self._progress(scenes[0]))
        changes = []
        for scene, fold in zip(scenes, folds, strict=True):
            self._report.scene_begins(self.world, scene)
            changes.append(self._finish(scene, before, fold))
        return changes

    def _prepare(self, scene: Scene) -> Fold:
        return self._player.scene(self.world, scene, self._progress(scene))

    def _find_passages(self, query: str) -> Sequence[Passage]:
        passages, problems = find_passages(self._layout, query, self.world.settings.language)
        for problem in problems:
            self._report.notice(f"{problem.path}: {problem.message}")
        return passages

    def _finish(self, scene: Scene, before: World, fold: Fold) -> Change:
        change = self._live.land(fold, before)
        for warning in change.warnings:
            self._report.notice(f"{scene.ref} {warning}")
        sweep_mailbox(self._layout, scene.ref)
        self._report.scene_played(self.world, scene, change)
        return change

    def _say_once(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._report.notice(text)

    def _traces(self, scene: Scene) -> TraceFolder:
        return TraceFolder(self._layout.traces, str(scene.ref))

    def _progress(self, scene: Scene) -> Progress:
        return lambda done, of: self._report.answered(scene, done, of)

    def _result(self) -> DayResult:
        day = self.world.clock.day
        fresh = sum(node.when.day == day for agent in self.world.agents.values() for node in agent.stream)
        entries = self.world.scenes_of(day)
        return DayResult(day, len(entries), fresh, self.world.clock.artifacts_today)
