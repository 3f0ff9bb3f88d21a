"""Play days: take the lock, finish an interrupted write, open or resume a day, play it step by step, close it."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial

from gm.config import RetentionSettings
from gm.day.care import Cared, Carer, last_ref
from gm.day.directors import AS_SET, Direction, ModelDirector, ScriptDirector
from gm.day.evening import Evening, real_date
from gm.day.interview import Interviewer, schema_of
from gm.day.lookup import look_up
from gm.day.minds import Minds
from gm.day.play import Progress, Stage, play_scene
from gm.day.rating import Played, RatedFold, Rater
from gm.day.reach import reaching
from gm.day.reflecting import Reflected, play_reflections
from gm.day.reminders import Reminder
from gm.day.report import Report
from gm.day.review import Draft, LeftOpenError, Review
from gm.day.spending import make_budget
from gm.errors import BrokenWorldError, GmError, Problem, errors_in
from gm.llm.choose import Choice
from gm.llm.waiting import make_asker
from gm.memory.retain import Pruned, select_pruned
from gm.model.calendar import SceneRef
from gm.model.character import Agent
from gm.model.passage import Passage
from gm.model.replies import ReflectionReply
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.prompt.context import Assembler
from gm.prompt.decision import Decision
from gm.prompt.render import Prompts
from gm.scene.advance import advance
from gm.scene.apply import fold_scene
from gm.scene.attendance import attending, coming_day, next_day
from gm.scene.choosing import LLM
from gm.scene.conclude import fold_reflection
from gm.scene.daybreak import close_day, open_day
from gm.scene.director import Director, RulesDirector, Step, reflection_scenes
from gm.scene.edits import Kept, yield_to_edits
from gm.scene.evening import add_diaries
from gm.scene.script import SCRIPT
from gm.scene.wish import SceneWish, check_focus, check_wish, wished_scene
from gm.store.batches import BatchFolder
from gm.store.gallery import is_taken, read_artifact
from gm.store.layout import Layout
from gm.store.library import find_passages
from gm.store.load import load_settings, load_world
from gm.store.mailbox import sweep_mailbox
from gm.store.minds import edited_file
from gm.store.runnote import forget_end, forget_run, is_ended, last_day_of, note_end
from gm.store.save import plan_steps
from gm.store.shipped import shipped_prompts
from gm.store.steps import Overruled, paths_of
from gm.store.steps import Step as FileStep
from gm.store.strength import fold_strengths
from gm.store.traces import TraceFolder
from gm.store.watch import Watch
from gm.store.writer import Writer, writing

MOST_FOLDS = 5
Fold = Callable[[World], Change]
MindsOf = Callable[[Layout, Callable[[str], None]], Minds]
"""Takes a world's files, and whom to tell what was done without."""


@dataclass(frozen=True, slots=True)
class DayResult:
    """What one day came to."""

    day: int
    scenes: int
    memories: int
    artifacts: tuple[str, ...]


def open_prompts(layout: Layout, language: str) -> Prompts:
    """Open the prompts of a world: its own, then the packaged ones."""
    return Prompts(layout.prompts, shipped_prompts(), language)


class GameMaster:
    """Plays a world. Holds the world as it stands in the files, and reads them again when somebody edits them.

    Use ``game_master``, which holds the lock meanwhile.

    Args:
        layout: The world's files.
        writer: Writes to them.
        choice: Who answers.
        report: Told what happens.
        seed: Dice; the world's own setting by default.
        batch: Send what can wait in batches.
        direction: Who decides what comes next, and about whom; as the settings say by default.
        review: Decides about scenes before they land, and between them.
        minds: Opens what characters can ask that discover who they are.
        most_usd: Dollars that a story day may take at most, beside what the settings allow.

    Raises:
        UsageError: Nobody is called what the focus says.
    """

    def __init__(
        self,
        layout: Layout,
        writer: Writer,
        choice: Choice,
        report: Report,
        seed: int | None = None,
        *,
        batch: bool = False,
        direction: Direction = AS_SET,
        review: Review | None = None,
        minds: MindsOf | None = None,
        most_usd: float | None = None,
    ) -> None:
        self._direction = direction
        self._minds = minds
        self._told: set[str] = set()
        self._layout = layout
        self._writer = writer
        self._choice = choice
        self._report = report
        self._review = review or Review()
        self._watch = Watch(layout)
        self._reminder: Reminder | None = None
        self.seed = 0
        self._open()
        settings = self.world.settings
        self.seed = settings.seed if seed is None else seed
        self.focus = check_focus(self.world, direction.focus)
        self.asker = make_asker(
            choice.backend,
            settings.llm.concurrency,
            BatchFolder(layout),
            report.notice,
            make_budget(layout, self.world, choice, most_usd),
            batch=batch,
        )
        self.asker.meanwhile = self._work_ahead()

    @property
    def layout(self) -> Layout:
        """The world's files."""
        return self._layout

    def _open(self) -> None:
        """Read settings, prompts and the whole world."""
        self._watch.remember()
        settings, problems = load_settings(self._layout)
        _refuse_broken(problems)
        self.prompts = open_prompts(self._layout, settings.language)
        loaded = load_world(self._layout, self.prompts.scene_types())
        _refuse_broken(loaded.problems)
        self.world = loaded.world
        self.assembler = Assembler(self.prompts)
        self.close()
        self._reminder = Reminder(self._layout, self.assembler, self._report.notice)

    def close(self) -> None:
        """Let go of the files that are held open."""
        if self._reminder is not None:
            self._reminder.close()

    def _work_ahead(self) -> Iterator[object]:
        """Do what will be needed later and depends on no answer, one thing at each step."""
        yield from self.prompts.compile_ahead()
        yield schema_of(ReflectionReply)

    @property
    def stage(self) -> Stage:
        """What questions are put together with."""
        read_piece = partial(read_artifact, self._layout)
        minds = self._minds and self._minds(self._layout, self._say_once)
        return Stage(self.assembler, self.seed, self._traces, self._model_for, read_piece, self._reminder, minds)

    @property
    def director(self) -> Director:
        """Who decides what comes next."""
        rules = RulesDirector(self.seed, self.prompts.words, self.focus)
        name = self._direction.director(self.world.settings)
        if name == LLM:
            model = self._model_for("director", None)
            decision = Decision(self.prompts)
            return ModelDirector(rules, decision, self._interviewer, self._traces, model, self._report.notice)
        if name == SCRIPT:
            return ScriptDirector(rules, partial(self._direction.load, self._layout), self._say_once)
        return rules

    def check_direction(self, last: int) -> None:
        """Make sure that the days up to ``last`` can be played as they are written, before anything is asked.

        Raises:
            BrokenWorldError: There is an error in a script.
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
    def _carer(self) -> Carer:
        return Carer(self.assembler, self._interviewer, self._traces, self._model_for, self.seed)

    @property
    def _rater(self) -> Rater:
        return Rater(self.assembler, self._interviewer, self._traces, self._model_for)

    def play_day(self) -> DayResult:
        """Open the next day, or resume the open one, and play it to its end."""
        self.refresh()
        if not self.world.agents:
            raise GmError("nobody lives in this world", "put a persona into state/personas/<id>.md")
        self.check_direction(coming_day(self.world))
        if not self.world.clock.day_open:
            forget_end(self._layout)
            self._land(open_day)
        self._report.day_opened(self.world)
        if self.focus and self.focus not in attending(self.world):
            self._report.notice(f"{self.focus} is away on day {self.world.clock.day}: there is nobody to focus on")
        while scenes := self._review.next_step(self).scenes:
            self.play(scenes)
            self.refresh()
            self._review.between(self)
        self._grow_old()
        closing = self._close()
        self.settle()
        fold_strengths(self._layout)
        forget_end(self._layout)
        self._report.day_closed(self.world, closing)
        return self._result()

    def _close(self) -> Change:
        """Have diaries written, if there are any, and close the day with them."""
        evening = Evening(self.prompts, self.assembler, self.stage, self._traces, self._model_for, self.seed)
        written = evening.write(self._interviewer, self.world, self._progress)

        def fold(world: World) -> Change:
            return add_diaries(world, close_day(world, self.prompts.words), written, real_date(world))

        change = self._land(fold)
        if written:
            sweep_mailbox(self._layout, SceneRef(change.day))
        return change

    def next_step(self, world: World | None = None) -> Step:
        """Decide what comes next in the open day, or in another world; only reflections in a day that was ended."""
        world = world or self.world
        if self.is_ended:
            return Step(reflection_scenes(world, self.prompts.words))
        return self.director.next_step(world)

    @property
    def is_ended(self) -> bool:
        """Whether somebody has decided that the open day has no more scenes."""
        return is_ended(self._layout, self.world.clock.day)

    def end_day(self) -> None:
        """Let the open day have no more scenes. Remembered until it is closed, also by the next command."""
        note_end(self._layout, self.world.clock.day)

    def write(self, plan: Callable[[Layout, World], Sequence[FileStep]]) -> None:
        """Write what a person wants in the files between two scenes, and read the world again."""
        self.refresh()
        for item in self._writer.commit(plan(self._layout, self.world)):
            self._report.notice(str(item))
        self._open()

    def play_wish(self, wish: SceneWish) -> Change:
        """Play one scene that somebody asked for, in the open day or in a newly opened one.

        Raises:
            UsageError: There is no such scene type, or the cast does not fit it.
        """
        self.refresh()
        # before the day is opened: a wish that makes no sense changes nothing
        wish = check_wish(self.world, wish)
        if not self.world.clock.day_open:
            self._land(open_day)
        (change,) = self.play([wished_scene(self.world, wish, self.prompts.words)])
        return change

    def play(self, scenes: Sequence[Scene]) -> list[Change]:
        """Play scenes that do not depend on each other, each landing in the files by itself."""
        if all(scene.type.reply == "reflection" for scene in scenes):
            return self._play_reflections(scenes)
        return [self._play_scene(scene) for scene in scenes]

    def care(self, names: Sequence[str], *, now: bool = False) -> list[Cared]:
        """Let characters put their old memories together where that is due, until nothing is.

        Args:
            names: Ids of characters.
            now: Begin with the oldest memories of each of them, due or not.
        """
        cared: list[Cared] = []
        while plans := {
            name: batches
            for name, batches in self._carer.plan(self.world, names, now=now).items()
            # what did not get better by it is left for another day
            if not any(item.agent == name and item.cause == batches[0].cause for item in cared)
        }:
            at = last_ref(self.world)
            for name, folding in self._carer.ask(self.world, plans).items():
                change = self._land(folding)
                self._archived(name, change)
                cared.append(Cared(name, plans[name][0].cause, change))
                self._report.cared(self.world, name, change)
            sweep_mailbox(self._layout, at)
            now = False
        return cared

    def prune(self, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
        """Bring memories of a character to the archive, by a policy and without a summary.

        Returns:
            What went, in the order of the stream.
        """
        self.refresh()
        choose = partial(_choose_pruned, name=name, retention=retention)
        pruned = choose(self.world)
        if pruned:
            change = self._land(lambda world: Change(world.clock.day, to_archive={name: _ids_of(choose(world))}))
            self._archived(name, change)
        return pruned

    def _grow_old(self) -> None:
        """Do at the end of a day what keeps streams from growing without end, where the world wants it."""
        names, retention = tuple(self.world.agents), self.world.settings.retention
        cares = self.world.settings.selfcare.enabled and self._carer.plan(self.world, names)
        # what is remembered has a part in which scenes come next: there are no more today, whoever is interrupted
        if cares:
            self.end_day()
            self.care(names)
        for name in names:
            if _choose_pruned(self.world, name, retention):
                self.end_day()
                self.prune(name, retention)

    def _archived(self, name: str, change: Change) -> None:
        for warning in change.warnings:
            self._report.notice(warning)
        self.assembler.forget(change.to_archive.get(name, ()))

    def settle(self) -> None:
        """Bring everything that was written to the disk."""
        self._writer.settle()

    def refresh(self) -> None:
        """Read the world again if somebody edited it since we last looked.

        Raises:
            BrokenWorldError: The edit left a file that cannot be read.
        """
        if self._watch.edited():
            before = self.world
            self._open()
            for name in _vanished(before, self.world):
                self._report.notice(f"{name} is gone: somebody edited the stream meanwhile")

    def _play_scene(self, scene: Scene) -> Change:
        scene = look_up(scene, self._find_passages)
        self._report.scene_begins(self.world, scene)
        draft = Draft(self.world, scene, self._prepare(scene))
        while note := self._review.judge(self, draft):
            self.refresh()
            scene = replace(scene, note=note)
            draft = Draft(self.world, scene, self._prepare(scene), draft.take + 1)
        return self._finish(scene, draft.world, draft.fold)

    def _prepare(self, scene: Scene) -> Fold:
        """Ask everybody in a scene, and make what folds it."""
        turns = play_scene(self.stage, self._interviewer, self.world, scene, self._progress(scene))

        taken = partial(is_taken, self._layout)
        fold = partial(fold_scene, scene=scene, turns=turns, words=self.prompts.words, taken=taken)
        fold = reaching(self._layout, self.world, fold, [turn.reply for turn in turns])
        (rated,) = self._rater.rate(self.world, [Played(scene, fold)])
        return rated

    def _play_reflections(self, scenes: Sequence[Scene]) -> list[Change]:
        before = self.world
        progress = self._progress(scenes[0])
        reflected = play_reflections(self.stage, self._interviewer, self.world, scenes, progress)
        played = [Played(scene, self._reflecting(scene, item)) for scene, item in zip(scenes, reflected, strict=True)]
        changes = []
        for scene, fold in zip(scenes, self._rater.rate(self.world, played), strict=True):
            self._report.scene_begins(self.world, scene)
            changes.append(self._finish(scene, before, fold))
        return changes

    def _reflecting(self, scene: Scene, item: Reflected) -> RatedFold:
        fold = partial(
            fold_reflection,
            scene=scene,
            reply=item.reply,
            words=self.prompts.words,
            consulted=item.consulted,
            questions=item.questions,
        )
        return reaching(self._layout, self.world, fold, [item.reply])

    def _find_passages(self, query: str) -> Sequence[Passage]:
        passages, problems = find_passages(self._layout, query, self.world.settings.language)
        for problem in problems:
            self._report.notice(f"{problem.path}: {problem.message}")
        return passages

    def _finish(self, scene: Scene, before: World, fold: Fold) -> Change:
        change = self._land(fold, before)
        for warning in change.warnings:
            self._report.notice(f"{scene.ref} {warning}")
        sweep_mailbox(self._layout, scene.ref)
        self._report.scene_played(self.world, scene, change)
        return change

    def _land(self, fold: Fold, before: World | None = None) -> Change:
        """Fold a change from the world as it is in the files now, and bring it into them.

        The fold is done again when somebody saves a file in the very moment between the two.

        Args:
            fold: Makes the change.
            before: The world when the scene began: what a person has changed since stays theirs.
        """
        for _ in range(MOST_FOLDS):
            self.refresh()
            change, kept = yield_to_edits(before or self.world, self.world, fold(self.world))
            steps = plan_steps(self._layout, self.world, change)
            if not self._watch.edited():
                break
        overruled = [*self._name_edits(kept), *self._writer.commit(steps)]
        for item in overruled:
            self._report.notice(str(item))
        self._keep_overruled(change, overruled)
        self.world = advance(self.world, change)
        self._watch.remember(self._layout.root / path for step in steps for path in paths_of(step))
        if overruled:
            self._open()
        return change

    def _name_edits(self, kept: Sequence[Kept]) -> list[Overruled]:
        return [Overruled(edited_file(self._layout, item), item.key, item.ours, item.theirs) for item in kept]

    def _keep_overruled(self, change: Change, overruled: Sequence[Overruled]) -> None:
        """Keep our own values beside the answers they came from, when a person's edit stays instead of them."""
        if overruled:
            number = (change.log or {}).get("scene") or 0
            traces = TraceFolder(self._layout.traces, str(SceneRef(change.day, number)))
            traces.note("overruled", [asdict(item) for item in overruled])

    def _model_for(self, purpose: str, agent: Agent | None) -> str:
        # the name, also where it is the backend's own: how much a prompt may hold depends on it
        return self._choice.model_for(purpose, agent.own_model if agent else "") or self._choice.backend.model

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


def play_days(
    layout: Layout,
    choice: Choice,
    report: Report,
    days: int,
    *,
    command: str,
    seed: int | None = None,
    batch: bool = False,
    direction: Direction = AS_SET,
    review: Review | None = None,
    minds: MindsOf | None = None,
    most_usd: float | None = None,
) -> list[DayResult]:
    """Play several days. After an interruption the same call goes on and ends where it was meant to end.

    Returns:
        What the days came to that were played to their end; a day that the review leaves open is not among them.

    Raises:
        WaitingError: Answers are awaited from outside.
        GmError: The run cannot go on; everything so far is kept.
    """
    results = []
    with game_master(
        layout,
        choice,
        report,
        command=command,
        seed=seed,
        batch=batch,
        direction=direction,
        review=review,
        minds=minds,
        most_usd=most_usd,
    ) as master:
        clock = master.world.clock
        closed = clock.day - clock.day_open
        last = last_day_of(layout, days, closed, next_day(master.world, closed, days))
        master.check_direction(last)
        try:
            while (clock := master.world.clock).day < last or clock.day_open:
                results.append(master.play_day())
        except LeftOpenError:
            report.day_left(master.world)
            return results
        master.settle()
        forget_run(layout)
    return results


@contextmanager
def game_master(
    layout: Layout,
    choice: Choice,
    report: Report,
    *,
    command: str,
    seed: int | None = None,
    batch: bool = False,
    direction: Direction = AS_SET,
    review: Review | None = None,
    minds: MindsOf | None = None,
    most_usd: float | None = None,
) -> Iterator[GameMaster]:
    """Hold the lock of a world, finish what an earlier command could not, and make its Game Master.

    Raises:
        LockedError: Another process writes to the world.
        BrokenWorldError: Files that are needed cannot be read unambiguously.
    """
    with _unburdened(), writing(layout, command) as writer:
        for note in writer.recovered:
            report.notice(note)
        sweep_mailbox(layout)
        master = GameMaster(
            layout,
            writer,
            choice,
            report,
            seed,
            batch=batch,
            direction=direction,
            review=review,
            minds=minds,
            most_usd=most_usd,
        )
        try:
            yield master
        finally:
            master.asker.close()
            master.close()


@contextmanager
def _unburdened() -> Iterator[None]:
    """Spare the garbage collector what is there already, modules above all: it would go through it time and again."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _choose_pruned(world: World, name: str, retention: RetentionSettings) -> tuple[Pruned, ...]:
    return select_pruned(world.agents[name], world.settings, retention, world.clock.day)


def _ids_of(pruned: Sequence[Pruned]) -> frozenset[str]:
    return frozenset(item.node.id for item in pruned)


def _vanished(before: World, after: World) -> list[str]:
    """Name the nodes of the open day that an edit took away; an editor may have saved an old copy of the file."""
    day = before.clock.day
    gone = []
    for name, agent in before.agents.items():
        if name in after.agents:
            left = {node.id for node in after.agents[name].everything}
            gone += [node.id for node in agent.everything if node.when.day == day and node.id not in left]
    return gone


def _refuse_broken(problems: Sequence[Problem]) -> None:
    errors = errors_in(problems)
    if errors:
        raise BrokenWorldError(
            f"{len(errors)} place{'s' if len(errors) > 1 else ''} in the world's files cannot be read",
            "correct by hand; nothing was changed, and nothing was asked",
            errors,
        )
