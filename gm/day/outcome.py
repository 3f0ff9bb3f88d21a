"""What scenes come to: everybody in them is asked, and their replies become a fold that writes nothing yet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from gm.day.interview import Interviewer
from gm.day.liveworld import Fold
from gm.day.play import Progress, play_scene
from gm.day.rating import Played, RatedFold, Rater
from gm.day.reach import reaching
from gm.day.reflecting import play_reflections
from gm.day.stage import Stage
from gm.model.scene import Scene
from gm.model.world import World
from gm.scene.apply import fold_scene
from gm.scene.conclude import Reflected, fold_reflection
from gm.scene.ledger import Words
from gm.store.gallery import is_taken
from gm.store.layout import Layout


@dataclass(frozen=True, slots=True)
class Outcome:
    """Has scenes played, and makes what folds them.

    Attributes:
        layout: The world's files: which paths are in use, and what lies in the archive.
        stage: Puts the questions together.
        interviewer: Asks them.
        rater: Asks how important memories are that came without importance.
        words: The Game Master's own sentences.
    """

    layout: Layout
    stage: Stage
    interviewer: Interviewer
    rater: Rater
    words: Words

    def of_scene(self, world: World, scene: Scene, progress: Progress) -> Fold:
        """Ask everybody in a scene.

        Raises:
            ReplyError: A reply stayed unusable.
            BackendError: A model could not be asked.
            WaitingError: Answers are awaited from outside.
        """
        turns = play_scene(self.stage, self.interviewer, world, scene, progress)
        taken = partial(is_taken, self.layout)
        fold = partial(fold_scene, scene=scene, turns=turns, words=self.words, taken=taken)
        fold = reaching(self.layout, world, fold, [turn.reply for turn in turns])
        (rated,) = self.rater.rate(world, [Played(scene, fold)])
        return rated

    def of_reflections(self, world: World, scenes: Sequence[Scene], progress: Progress) -> list[Fold]:
        """Let several characters reflect, each in a scene of its own; raises what ``of_scene`` does."""
        reflected = play_reflections(self.stage, self.interviewer, world, scenes, progress)
        played = [
            Played(scene, self._reflecting(world, scene, item)) for scene, item in zip(scenes, reflected, strict=True)
        ]
        return self.rater.rate(world, played)

    def _reflecting(self, world: World, scene: Scene, item: Reflected) -> RatedFold:
        fold = partial(
            fold_reflection,
            scene=scene,
            reflected=item,
            words=self.words,
        )
        return reaching(self.layout, world, fold, [item.reply])
