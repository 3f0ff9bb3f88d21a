"""The Director that is a model: it chooses among the candidates of the rules, and says why and how the scene begins.

What is no choice stays with the rules: arrival, what the calendar says, reflections, the close. A choice that stays
unusable after it was shown its problems is the rules' as well, and the logbook says so.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.day.interview import Interviewer, Unusable
from gm.day.question import Question, QuestionBuilder
from gm.llm.base import Block
from gm.llm.facts import DirectorFacts, OptionFacts
from gm.model.replies import DirectorReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.decision import Decision
from gm.reply.direction import parse_direction
from gm.reply.schema import schema_of
from gm.scene.choosing import Option, chosen_scene, is_free, list_options, scenes_left
from gm.scene.director import RulesDirector, Step

PURPOSE = "director"


@dataclass(frozen=True, slots=True)
class ModelDirector:
    """Asks a model which of the possible scenes is played next.

    Attributes:
        rules: Decides whatever is no choice, and chooses when the model cannot.
        decision: Renders the question.
        builder: Puts it together.
        interviewer: Asks it.
        notice: Told when the choice was the rules' after all.
    """

    rules: RulesDirector
    decision: Decision
    builder: QuestionBuilder
    interviewer: Interviewer
    notice: Callable[[str], None]

    def next_step(self, world: World) -> Step:
        """Decide what comes next in the open day.

        Raises:
            BackendError: The model could not be asked.
        """
        step = self.rules.next_step(world)
        if not is_free(step):
            return step
        (by_rules,) = step.scenes
        options = list_options(world, self.rules)
        if not options:
            return step
        replied = self.interviewer.attempt(self._question(world, by_rules, options))
        if isinstance(replied, Unusable):
            reason = "; ".join(replied.problems)
            self.notice(f"{by_rules.ref} {PURPOSE}: the rules choose instead ({reason})")
            return Step((replace(by_rules, director_note=reason),))
        assert isinstance(replied.reply, DirectorReply)
        return Step((chosen_scene(options, replied.reply),))

    def _question(self, world: World, by_rules: Scene, options: Sequence[Option]) -> Question:
        scenes = [option.scene for option in options]
        read = partial(parse_direction, offered=scenes, agents=world.agents)
        left = scenes_left(world, self.rules)
        return self.builder.build(
            world,
            by_rules,
            None,
            label=PURPOSE,
            purpose=PURPOSE,
            system=(Block(self.decision.system(world), cache=True),),
            text=self.decision.question(world, by_rules, options, left),
            schema=schema_of(DirectorReply),
            read=read,
            facts=_facts(world, by_rules, scenes, self.rules.seed),
            named=PURPOSE,
        )


def _facts(world: World, by_rules: Scene, scenes: Sequence[Scene], seed: int) -> DirectorFacts:
    options = tuple(OptionFacts(scene.type.name, scene.cast, scene.why, scene.premise) for scene in scenes)
    return DirectorFacts(PURPOSE, seed, world.settings.language, str(by_rules.ref), options)
