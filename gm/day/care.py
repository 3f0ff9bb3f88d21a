"""Self-care: ask characters what remains of their old memories, and bring it into the files (S3-05…13, S4-19).

All batches of one character that are due at a time are asked about at once and land in one commit: whoever is killed
in between finds the answers in the traces, asks nothing twice, and ends with the same files.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gm.config import ReplySettings, Settings
from gm.day.facts import gather_facts
from gm.day.interview import Interviewer
from gm.day.question import Question, QuestionBuilder
from gm.llm.base import Block
from gm.memory.care import Batch, Cause, plan_care
from gm.model.calendar import SceneRef
from gm.model.character import Agent
from gm.model.ids import parse_node_id
from gm.model.replies import SummaryReply
from gm.model.scene import Scene, SceneType
from gm.model.world import Change, World
from gm.prompt.care import render_care
from gm.prompt.moment import Moment
from gm.reply.parse import parse_reply
from gm.reply.schema import schema_of
from gm.scene.director import next_ref
from gm.scene.eras import fold_care

PURPOSE = "summary"
CARE = SceneType("CARE", "care.j2", play="solo", cast=(1, 1))
Plans = Mapping[str, tuple[Batch, ...]]


@dataclass(frozen=True, slots=True)
class Cared:
    """What self-care came to, for one character.

    Attributes:
        agent: Whose memories.
        cause: What there was too much of.
        change: What landed.
    """

    agent: str
    cause: Cause
    change: Change


@dataclass(frozen=True, slots=True)
class Carer:
    """Puts old memories together.

    Attributes:
        builder: Puts the questions together.
        interviewer: Asks them.
    """

    builder: QuestionBuilder
    interviewer: Interviewer

    def plan(self, world: World, names: Sequence[str], now: Collection[str] = ()) -> dict[str, tuple[Batch, ...]]:
        """Plan what is due for some characters; of those in ``now`` the oldest memories are taken, due or not."""
        plans = {}
        for name in names:
            agent = world.agents[name]
            batches = plan_care(
                agent, world.settings, world.open_day, self._budget(world.settings, agent), now=name in now
            )
            if batches:
                plans[name] = batches
        return plans

    def ask(self, world: World, plans: Plans) -> dict[str, Callable[[World], Change]]:
        """Ask about all batches at the same time.

        Returns:
            What folds the replies, by character.

        Raises:
            ReplyError: A reply stayed unusable.
            BackendError: The model could not be asked.
            WaitingError: Answers are awaited from outside.
        """
        asked = [(name, batch) for name, batches in plans.items() for batch in batches]
        replied = self.interviewer.ask([self._question(world, name, batch) for name, batch in asked])
        replies: dict[str, list[SummaryReply]] = {name: [] for name in plans}
        for (name, _), item in zip(asked, replied, strict=True):
            assert isinstance(item.reply, SummaryReply)
            replies[name].append(item.reply)
        at = last_ref(world)
        return {
            name: partial(fold_care, agent=name, batches=batches, replies=replies[name], at=at)
            for name, batches in plans.items()
        }

    def _budget(self, settings: Settings, agent: Agent) -> int:
        window = settings.context.budget_for(self.builder.model_for(PURPOSE, agent))
        most = settings.selfcare.prompt_tokens
        return most if window is None else min(most, window)

    def _question(self, world: World, name: str, batch: Batch) -> Question:
        agent, settings = world.agents[name], world.settings
        place = agent.state.position
        scene = Scene(last_ref(world), CARE, "evening", place, (name,), why="", premise="")
        required = settings.importance.missing == "error"
        # a theme may stand for all of the memories that are shown
        most = max(settings.reply.most_items, len(batch.nodes))
        limits = ReplySettings(**{**vars(settings.reply), "most_items": most})
        read = partial(parse_reply, form=SummaryReply, importance_required=required, limits=limits)
        persona, question = render_care(self.builder.assembler, world, agent, batch, self._budget(settings, agent))
        return self.builder.build(
            world,
            scene,
            agent,
            label=label_of(name, batch),
            purpose=PURPOSE,
            system=(Block(persona, cache=True),),
            text=question,
            schema=schema_of(SummaryReply),
            read=read,
            facts=replace(gather_facts(world, agent, scene, Moment(), batch.nodes, self.builder.seed), kind=PURPOSE),
            named=f"{name} (self-care)",
        )


def label_of(name: str, batch: Batch) -> str:
    """Name the question about a batch, unlike any other of its scene: by its first memory."""
    parsed = parse_node_id(batch.nodes[0].id)
    return f"{name}-care-{parsed[1]:03d}" if parsed else f"{name}-care"


def last_ref(world: World) -> SceneRef:
    """Name the last scene of the current day; the first place of the day when there was none yet."""
    ref = next_ref(world)
    return SceneRef(ref.day, max(1, ref.scene - 1))
