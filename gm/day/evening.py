"""The evening of a day: everybody who was there is asked for their diary, all at the same time, before the day closes.

Answers lie in the traces of the day itself (``state/traces/day-003/``), beside those of its scenes, and entries land
together with the close. Stopped in between, the same command finds the answers, and neither asks nor writes twice.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from gm.day.facts import evening_facts
from gm.day.interview import Interviewer, Question, problems_of, schema_of
from gm.day.minds import Consultation
from gm.day.play import Progress, Stage, blocks
from gm.llm.base import Request
from gm.llm.content import Tool
from gm.llm.record import Traces
from gm.model.character import Agent
from gm.model.node import Node
from gm.model.replies import DiaryReply
from gm.model.scene import Scene
from gm.model.world import World
from gm.prompt.context import Assembler
from gm.prompt.discovery import discovers
from gm.prompt.evening import render_evening
from gm.prompt.render import Prompts
from gm.reply.parse import parse_reply
from gm.scene.evening import PURPOSE, evening_scene, writers


class Evening:
    """Asks for diaries.

    Args:
        prompts: The templates of the world.
        assembler: Renders what every question begins with.
        stage: Chooses what a character has before its eyes.
        traces: Opens the traces of the day's end.
        model_for: Tells which model plays a character for a purpose.
        seed: Dice of the Game Master.
    """

    def __init__(
        self,
        prompts: Prompts,
        assembler: Assembler,
        stage: Stage,
        traces: Callable[[Scene], Traces],
        model_for: Callable[[str, Agent], str],
        seed: int,
    ) -> None:
        self._prompts = prompts
        self._assembler = assembler
        self._stage = stage
        self._traces = traces
        self._model_for = model_for
        self._seed = seed

    def write(
        self, interviewer: Interviewer, world: World, progress: Callable[[Scene], Progress]
    ) -> dict[str, DiaryReply]:
        """Ask everybody who has an entry to write, at the same time.

        Returns:
            What they wrote, by agent; nothing while the layer is off.

        Raises:
            ReplyError: An answer stayed unusable.
            BackendError: A model could not be asked.
            WaitingError: Answers are awaited from outside.
        """
        questions = [self.question(world, name) for name in writers(world)]
        if not questions:
            return {}
        replies = interviewer.ask(questions, progress(questions[0].scene))
        return {
            question.request.who: item.reply
            for question, item in zip(questions, replies, strict=True)
            if isinstance(item.reply, DiaryReply)
        }

    def question(self, world: World, name: str) -> Question:
        """Put together what one character is asked."""
        agent, scene = world.agents[name], evening_scene(world, name)
        tools: tuple[Tool, ...] = ()
        consultation: Consultation | None = None
        if discovers(world, agent):
            system, tools, consultation = self._stage.discovery(world, scene, agent)
            known: tuple[Node, ...] = ()
        else:
            selection = self._stage.remembered(world, agent, purpose=PURPOSE)
            system, known = blocks(self._assembler.system(world, agent, selection)), selection.nodes
        remembered = None if tools else frozenset(node.id for node in known)
        read = partial(parse_reply, form=DiaryReply)
        request = Request(
            label=f"{name}-{PURPOSE}",
            purpose=PURPOSE,
            system=system,
            messages=(("user", render_evening(self._prompts, world, agent, remembered)),),
            schema=schema_of(DiaryReply),
            max_tokens=world.settings.llm.max_tokens,
            facts=evening_facts(world, agent, scene, known, self._seed),
            model=self._model_for(PURPOSE, agent),
            place=str(scene.ref),
            who=name,
            check=partial(problems_of, read),
            tools=tools,
        )
        return Question(f"{name} ({PURPOSE})", scene, request, self._traces(scene), read, consultation)


def real_date(world: World) -> str:
    """Tell the real day of the open story day (``calendar.start`` + days - 1, K5); empty where there is none."""
    start = world.settings.calendar.start
    try:
        return str(date.fromisoformat(start) + timedelta(days=world.clock.day - 1)) if start else ""
    except (ValueError, OverflowError):  # a day that the calendar does not have, or no year any more
        return ""
