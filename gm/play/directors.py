"""The Directors beside the rules: a model, a script, or a package's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from gm.ask.prompt.off_scene import Decision
from gm.ask.reply.rating import parse_direction
from gm.ask.reply.schema import schema_of
from gm.base import plugins
from gm.base.arguments import WrongValueError, check_fields
from gm.base.config import DIRECTORS, Settings
from gm.base.errors import BrokenWorldError, errors_in
from gm.base.plugins import PluginError, plugin_names
from gm.base.texts import counted, suggest
from gm.files.experiments.scripttext import find_known_names, find_script, load_script
from gm.files.layout import Layout
from gm.llm.base import Block
from gm.llm.rehearsal.facts import DirectorFacts
from gm.model.master_replies import DirectorReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.play.interview import Interviewer, Unusable
from gm.play.question import ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.stage import Stage
from gm.scene.directing.choosing import OfferedScene, chosen_scene, is_open_choice, list_options, scenes_left
from gm.scene.directing.director import NextScenes, RulesDirector, reflection_scenes
from gm.scene.directing.script import SCRIPT, Script, missed_events, next_scripted
from gm.scene.grounding.attendance import coming_day


@dataclass(frozen=True, slots=True)
class Direction:
    """Which Director a run has.

    Attributes:
        name: ``rules``, ``llm``, ``script`` or that of a package; empty = as ``gm.yaml`` says.
        script: The file of a script to play by.
        focus: Id of a character that gets more scenes.
    """

    name: str = ""
    script: Path | None = None
    focus: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if self.name and self.name not in DIRECTORS:
            known = (*DIRECTORS, *plugin_names(plugins.DIRECTORS))
            if self.name not in known:
                raise WrongValueError(f"there is no Director {self.name!r}", suggest(self.name, known))

    def director(self, settings: Settings) -> str:
        return SCRIPT if self.script else self.name or settings.director

    def load(self, layout: Layout, world: World, day: int | None = None) -> Script | None:
        """Read a day's script, by default the open one's; None without one.

        Raises:
            BrokenWorldError: The script has errors; all are listed.
        """
        day = world.clock.day if day is None else day
        path = self.script or find_script(layout, day, world.settings.calendar.weekdays)
        if path is None:
            return None
        script, problems = load_script(
            path, layout.shown(path), find_known_names(world, at_once=day <= coming_day(world))
        )
        if script is None:
            errors = errors_in(problems)
            count = counted(len(errors), "error")
            raise BrokenWorldError(
                f"{count} in the script of day {day}", "correct it by hand, then run the same command again", errors
            )
        return script


AS_SET = Direction()


PURPOSE = "director"


@dataclass(frozen=True, slots=True)
class ModelDirector:
    """Asks a model to choose among the rules' scenes; unusable replies leave it to the rules."""

    rules: RulesDirector
    decision: Decision
    stage: Stage
    interviewer: Interviewer
    notice: Callable[[str], None]

    def next_step(self, world: World) -> NextScenes:
        """Return the next scenes, the model's choice where one is free.

        Raises:
            GmError: As ``Interviewer.attempt``.
        """
        step = self.rules.next_step(world)
        if not is_open_choice(step):
            return step
        (by_rules,) = step.scenes
        options = list_options(world, self.rules)
        if not options:
            return step
        (replied,) = self.interviewer.attempt([self._question(world, by_rules, options)])
        if isinstance(replied, Unusable):
            reason = "; ".join(replied.problems)
            self.notice(f"{by_rules.ref} {PURPOSE}: the rules choose instead ({reason})")
            return NextScenes((replace(by_rules, director_note=reason),))
        assert isinstance(replied.reply, DirectorReply)
        return NextScenes((chosen_scene(options, replied.reply),))

    def _question(self, world: World, by_rules: Scene, options: Sequence[OfferedScene]) -> SentQuestion:
        scenes = [option.scene for option in options]
        read = partial(parse_direction, offered=scenes, agents=world.agents)
        left = scenes_left(world, self.rules)
        return self.stage.make_question(
            world,
            by_rules,
            None,
            QuestionName(PURPOSE, PURPOSE, PURPOSE),
            Prompt(
                (Block(self.decision.system(world), cache=True),),
                self.decision.question(world, by_rules, options, left),
                DirectorFacts(PURPOSE, self.rules.seed, world.settings.language, str(by_rules.ref), tuple(scenes)),
            ),
            ExpectedReply(schema_of(DirectorReply, self.stage.texts), read),
        )


Chooser = Callable[[World, Sequence[Scene]], object]
"""Returns the number, from 0, of one of the scenes that the rules admit; the first is the one that they would play."""


@dataclass(frozen=True, slots=True)
class AddedDirector:
    """Lets an installed package choose among the rules' scenes."""

    rules: RulesDirector
    name: str
    choose: Chooser

    def next_step(self, world: World) -> NextScenes:
        """Decide what comes next.

        Raises:
            PluginError: The package's Director returns something else than the index of a scene.
        """
        step = self.rules.next_step(world)
        scenes = [option.scene for option in list_options(world, self.rules)] if is_open_choice(step) else []
        if not scenes:
            return step
        number = self.choose(world, scenes)
        if not isinstance(number, int) or not 0 <= number < len(scenes):
            raise PluginError(
                f"the Director {self.name!r} chose {number!r}, expected a number from 0 to {len(scenes) - 1}",
                "play on with --director rules, and tell those who made the package",
            )
        return NextScenes((replace(scenes[number], director=self.name),))


class ScriptDirector:
    """Plays a day from a script; the rules choose free scenes, and days without one."""

    def __init__(
        self, rules: RulesDirector, load: Callable[[World], Script | None], notice: Callable[[str], None]
    ) -> None:
        self._rules = rules
        self._load = load
        self._notice = notice

    def next_step(self, world: World) -> NextScenes:
        """Decide what comes next.

        Raises:
            BrokenWorldError: The script has errors.
        """
        script = self._load(world)
        if script is None:
            self._notice(f"no script for day {world.clock.day} in scripts/: the rules choose its scenes")
            return self._rules.next_step(world)
        found = next_scripted(world, script, self._rules)
        for line in found.left_out:
            self._notice(f"{script.shown}:{line}: there is nothing to choose for this free scene; it is left out")
        if found.scene is not None:
            return NextScenes((found.scene,))
        for event in missed_events(world):
            self._notice(f"{script.shown} ends without what the calendar has for day {world.clock.day}: {event}")
        return NextScenes(reflection_scenes(world, self._rules.words) if script.reflections else ())
