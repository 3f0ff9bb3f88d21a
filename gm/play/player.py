"""Play scenes: ask their cast, and make folds of the replies. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from gm.ask.prompt.turn_context import TurnContext
from gm.base.casefold import casefold
from gm.files.layout import Layout
from gm.llm.base import LAST_WORD
from gm.memory.importance import Ratings
from gm.model.derived import derived
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Change, Sentences, World
from gm.play.archived import reach_archived
from gm.play.fold import Fold
from gm.play.interview import Interviewer, Progress
from gm.play.rating import Rater, SceneToRate
from gm.play.reflecting import play_reflections
from gm.play.stage import QuestionOptions, Stage
from gm.scene.dialogue.speakers import last_words, next_speakers
from gm.scene.dialogue.turns import Turn, addressed, go_over, take_last_word, take_turn
from gm.scene.folding.apply import fold_scene
from gm.scene.folding.conclude import Reflected, fold_reflection
from gm.scene.folding.joining import draw_in
from gm.scene.grounding.attendance import known_places
from gm.scene.grounding.circle import SMALL_CAST
from gm.scene.planning.schedule import most_together

SPEAK_AT_ONCE = 8
"""Characters who speak at the same time in a round of more than a dozen, where scenes are played side by side."""
MOST_WAVES = 3
"""Parts in which a larger round speaks: more than ``SPEAK_AT_ONCE`` speak at the same time if it needs that."""
LAST_WORD_TEMPLATE = "lastword.j2"


@dataclass(frozen=True, slots=True)
class Player:
    """Plays scenes.

    Attributes:
        is_taken: Whether a path inside the world has a file, or gets one of a scene that lands together with this one.
        asking: Called with the ids of those whose turns are asked for.
    """

    layout: Layout
    stage: Stage
    interviewer: Interviewer
    words: Sentences
    is_taken: Callable[[str], bool]
    asking: Callable[[World, Sequence[str]], None] = lambda _world, _names: None

    def scene(self, world: World, scene: Scene, progress: Progress) -> tuple[Scene, Fold]:
        """Return a scene with those who joined it, and the fold of its replies.

        Raises:
            GmError: As ``Interviewer.ask``.
        """
        turns = self.turns(world, scene, progress)
        scene = draw_in(world, scene, turns, self.words)
        reached = reach_archived(self.layout, world, [turn.reply for turn in turns])

        def fold(world: World, ratings: Ratings) -> Change:
            return fold_scene(reached.add_to(world), scene, turns, self.words, taken=self.is_taken, ratings=ratings)

        (rated,) = self._rate(world, [SceneToRate(scene, fold)])
        return scene, rated

    def reflections(self, world: World, scenes: Sequence[Scene], progress: Progress) -> list[Fold]:
        """Let characters reflect at the same time, each in its own scene.

        Raises:
            GmError: As ``Interviewer.ask``.
        """
        reflected = play_reflections(self.stage, self.interviewer, world, scenes, progress)
        return self._rate(world, [self._to_rate(world, *pair) for pair in zip(scenes, reflected, strict=True)])

    def _rate(self, world: World, played: Sequence[SceneToRate]) -> list[Fold]:
        return Rater(self.stage, self.interviewer).rate(world, played)

    def _to_rate(self, world: World, scene: Scene, item: Reflected) -> SceneToRate:
        reached = reach_archived(self.layout, world, [item.reply])

        def fold(world: World, ratings: Ratings) -> Change:
            return fold_reflection(reached.add_to(world), scene, item, self.words, ratings=ratings)

        return SceneToRate(scene, fold)

    def turns(self, world: World, scene: Scene, progress: Progress | None) -> list[Turn]:
        if scene.type.is_turn_by_turn:
            turns = self._play_sequential(world, scene, progress)
            scene = draw_in(world, scene, turns, self.words)
        else:
            contexts = self.stage.contexts
            turns = self._first_turns(world, scene, progress)
            for name in addressed(turns, starts_alone=scene.type.starts_alone) if scene.type.answer_addressed else ():
                # one after another: each hears the answers before its own
                turns += self._ask_at_once(world, scene, {name: contexts.so_far(world, scene, turns, name)}, None)
        return [*turns, *self._ask_last_words(world, scene, turns)]

    def _first_turns(self, world: World, scene: Scene, progress: Progress | None) -> list[Turn]:
        stage, contexts = self.stage, self.stage.contexts
        first = scene.cast[:1] if scene.type.starts_alone else scene.cast
        if len(first) < len(scene.cast):
            stage.embed_ahead(
                lambda: [
                    stage.question(world, scene, name, contexts.first_turn(world, scene, name)) for name in scene.cast
                ]
            )
        turns = self._ask_at_once(
            world, scene, {name: contexts.first_turn(world, scene, name) for name in first}, progress
        )
        after = {name: contexts.next_turn(world, scene, turns, name) for name in scene.cast[len(first) :]}
        others = self._ask_at_once(world, scene, after, None)
        return [*turns, *(replace(turn, beside=place > 0) for place, turn in enumerate(others))]

    def _ask_last_words(self, world: World, scene: Scene, turns: Sequence[Turn]) -> list[Turn]:
        names = last_words(scene.cast, turns, scene.type) if world.settings.day.last_word else ()
        if not names:
            return []
        there, _ = go_over(scene, turns, known_places(world))
        over = replace(there, type=replace(scene.type, template=LAST_WORD_TEMPLATE))
        so_far = self.stage.contexts.so_far
        contexts = {name: replace(so_far(world, there.seen_by(name), turns, name), last_word=True) for name in names}
        return [
            replace(take_last_word(turn.agent, turn.reply, turn.made_with), consulted=turn.consulted)
            for turn in self._ask_at_once(world, over, contexts, None)
        ]

    def _ask_at_once(
        self, world: World, scene: Scene, contexts: Mapping[str, TurnContext], progress: Progress | None
    ) -> list[Turn]:
        questions = self.stage.at_once(
            lambda: [
                self.stage.question(world, scene.seen_by(name), name, context, _label_question(name, context))
                for name, context in contexts.items()
            ]
        )
        self.asking(world, tuple(contexts))
        replies = self.interviewer.ask(questions, progress) if questions else []
        names = _names(world)
        return [
            replace(take_turn(name, item.reply, names, item.made_with), consulted=item.consulted)
            for name, item in zip(contexts, replies, strict=True)
            if isinstance(item.reply, SceneReply)
        ]

    def _play_sequential(self, world: World, scene: Scene, progress: Progress | None) -> list[Turn]:
        stage, kind, places = self.stage, scene.type, known_places(world)
        turns: list[Turn] = []
        most = len(scene.cast) * kind.rounds[1]
        stage.embed_ahead(
            lambda: [
                stage.question(world, scene, name, stage.contexts.first_turn(world, scene, name)) for name in scene.cast
            ]
        )
        together = _most_at_once(len(scene.cast)) if most_together(world) > 1 else 1
        while True:
            scene = draw_in(world, scene, turns, self.words)
            speakers = next_speakers(scene.cast, turns, kind, together)
            if not speakers:
                return turns
            here, _ = go_over(scene, turns, places)
            contexts = {
                name: self.stage.contexts.next_turn(world, here.seen_by(name), turns, name) for name in speakers
            }
            if progress:
                progress(len(turns), max(most, len(turns) + 1))
            first, *others = self._ask_at_once(world, here, contexts, None)
            turns += [first, *(replace(turn, beside=True) for turn in others)]


def _label_question(name: str, context: TurnContext) -> QuestionOptions:
    if context.last_word:
        return QuestionOptions(f"{name}{LAST_WORD}")
    return QuestionOptions(name if context.turn == 1 else f"{name}-turn-{context.turn}")


def _most_at_once(cast: int) -> int:
    return max(SPEAK_AT_ONCE, ceil(cast / MOST_WAVES)) if cast > SMALL_CAST else 1


@derived
def _names(world: World) -> Mapping[str, str]:
    agents = world.agents.values()
    return {casefold(name): agent.id for agent in agents for name in (agent.name, agent.call_name, agent.id)}
