"""Rate memories that came without importance."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from gm.ask.prompt.off_scene import render_rater, render_rating
from gm.ask.reply.rating import parse_rating, parse_ratings
from gm.ask.reply.schema import schema_of
from gm.llm.base import Block
from gm.llm.rehearsal.facts import RatingFacts
from gm.memory.importance import NO_RATINGS, Ratings
from gm.memory.lens import original_text
from gm.model.master_replies import RatingReply, RatingsReply
from gm.model.node import Node
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.play.fold import Fold
from gm.play.interview import Interviewer
from gm.play.question import ExpectedReply, Prompt, QuestionName, SentQuestion
from gm.play.stage import Stage
from gm.scene.ledger import rated_by_rule

EACH = "llm"
TOGETHER = "batch"
ASKING = (EACH, TOGETHER)
PURPOSE = "rating"

Unrated = tuple[str, Node]


@dataclass(frozen=True, slots=True)
class SceneToRate:
    """A scene and what folds its replies with ratings."""

    scene: Scene
    fold: Callable[[World, Ratings], Change]


@dataclass(frozen=True, slots=True)
class _Sheet:
    place: int
    scene: Scene
    label: str
    memories: tuple[Unrated, ...]
    together: bool


@dataclass(frozen=True, slots=True)
class Rater:
    """Asks a model for missing importance, if ``importance.rater`` says so."""

    stage: Stage
    interviewer: Interviewer

    def rate(self, world: World, played: Sequence[SceneToRate]) -> list[Fold]:
        """Return the scenes' folds with ratings, all asked at once.

        Raises:
            GmError: As ``Interviewer.ask``.
        """
        if world.settings.importance.rater not in ASKING:
            return [partial(self._fold_rated, item, NO_RATINGS) for item in played]
        drafts = [item.fold(world, NO_RATINGS) for item in played]
        ratings = self._ask(world, [(item.scene, draft) for item, draft in zip(played, drafts, strict=True)])
        return [partial(self._fold_rated, item, given) for item, given in zip(played, ratings, strict=True)]

    def _fold_rated(self, item: SceneToRate, ratings: Ratings, world: World) -> Change:
        change = item.fold(world, ratings)
        (more,) = self._ask(world, [(item.scene, change)])
        if more.given:
            # the world was edited since: a memory reads differently now, or there are more
            change = item.fold(world, Ratings(more.by, {**ratings.given, **more.given}))
        return change

    def _ask(self, world: World, drafts: Sequence[tuple[Scene, Change]]) -> list[Ratings]:
        method = world.settings.importance.rater
        if method not in ASKING:
            return [NO_RATINGS for _ in drafts]
        sheets = [
            sheet
            for place, (scene, change) in enumerate(drafts)
            for sheet in _sheets(place, scene, rated_by_rule(change.nodes), method)
        ]
        given: list[dict[tuple[str, str], int]] = [{} for _ in drafts]
        replies = self.interviewer.ask([self._question(world, sheet) for sheet in sheets])
        for sheet, item in zip(sheets, replies, strict=True):
            assert isinstance(item.reply, RatingReply | RatingsReply)
            numbers = [item.reply.importance] if isinstance(item.reply, RatingReply) else item.reply.importance
            for (agent, node), number in zip(sheet.memories, numbers, strict=True):
                given[sheet.place][agent, original_text(node)] = number
        return [Ratings(method, ratings) for ratings in given]

    def _question(self, world: World, sheet: _Sheet) -> SentQuestion:
        texts = [original_text(node) for _, node in sheet.memories]
        owner = None if sheet.together else world.agents[sheet.memories[0][0]]
        read = partial(parse_ratings, count=len(texts)) if sheet.together else parse_rating
        prompts = self.stage.assembler.prompts
        text = render_rating(prompts, world, sheet.scene, _by_agent(sheet.memories), many=sheet.together)
        settings = world.settings
        return self.stage.make_question(
            world,
            sheet.scene,
            owner,
            QuestionName(sheet.label, PURPOSE, f"{owner.id if owner else 'everybody'} ({PURPOSE})"),
            Prompt(
                (Block(render_rater(prompts), cache=True),),
                text,
                RatingFacts(
                    PURPOSE, settings.language, settings.importance.signals, tuple(texts), together=sheet.together
                ),
            ),
            ExpectedReply(schema_of(RatingsReply if sheet.together else RatingReply, prompts.reply_texts), read),
        )


def _sheets(place: int, scene: Scene, lacking: Sequence[Unrated], method: str) -> list[_Sheet]:
    memories = list({(agent, original_text(node)): (agent, node) for agent, node in lacking}.values())
    if method == TOGETHER:
        return [_Sheet(place, scene, f"all-{PURPOSE}", tuple(memories), True)] if memories else []
    sheets = []
    for agent, own in groupby(memories, key=lambda item: item[0]):
        for number, memory in enumerate(own, 1):
            sheets.append(_Sheet(place, scene, f"{agent}-{PURPOSE}-{number}", (memory,), False))
    return sheets


def _by_agent(memories: Sequence[Unrated]) -> Mapping[str, Sequence[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for agent, node in memories:
        found.setdefault(agent, []).append((node.type, original_text(node)))
    return found
