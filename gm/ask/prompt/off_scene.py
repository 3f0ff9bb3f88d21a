"""Questions outside of scenes."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import TypeGuard, get_args, get_origin

from gm.ask.prompt.context import Assembler
from gm.ask.prompt.day import view_day_so_far
from gm.ask.prompt.memory_lines import kind_name
from gm.ask.prompt.minds import layer_views, page_rules
from gm.ask.prompt.own import with_passed
from gm.ask.prompt.people import (
    first_line,
    shown_name,
    view_diary_habits,
    view_now,
    view_person,
    view_plan,
    view_scene,
    view_self,
    view_world,
)
from gm.ask.prompt.render import Prompts, View
from gm.ask.prompt.situation import view_kept, view_own_threads
from gm.ask.prompt.turn_context import TurnContext
from gm.base.texts import shorten_at_word
from gm.memory.care import Batch, began, ended, shorten_to
from gm.memory.recall.words import split_sentences
from gm.model.calendar import is_time_of_day, weekday
from gm.model.draft import CharacterDraft, PersonaDraft, WorldDraft
from gm.model.interview import InterviewAnswer
from gm.model.reply_form import Form
from gm.model.scene import LogEntry, Scene
from gm.model.world import Agent, Sentences, World
from gm.scene.directing.choosing import OfferedScene
from gm.scene.evening.dusk import said_by_plan
from gm.scene.evening.off_scene import EVENING, evening_scene, layers_asked
from gm.scene.planning.wishes import passed_talks

PREMISE_CHARACTERS = 200
SUMMARY_CHARACTERS = 300
TOPIC_CHARACTERS = 600
WHY_CHARACTERS = 600


def render_evening(prompts: Prompts, world: World, agent: Agent, remembered: Collection[str] | None) -> str:
    """Render the question for the open day's diary entry.

    ``remembered`` are the ids of the memories shown; None for a character that has to ask for them.
    """
    day, known = world.clock.day, frozenset(remembered or ())
    scene, names = evening_scene(world, agent.id), {name: one.call_name for name, one in world.agents.items()}
    # the list of the plan says it
    listed = said_by_plan(world, agent, agent.stream)
    me = View(
        id=agent.id,
        name=agent.name,
        call_name=agent.call_name,
        mood=agent.state.mood,
        **view_plan(world, agent, TurnContext(remembered=known)),
    )
    passed = passed_talks(world, agent, scene.time_of_day)
    return prompts.render(
        EVENING.template,
        now=View(day=day, weekday=weekday(day, world.settings.calendar.weekdays)),
        me=me.but(plan_items=with_passed(prompts.words, world, agent, me.plan_items, passed)),
        scenes=view_day_so_far(prompts.words, world, agent, known),
        forgotten=[
            " ".join(node.description.split())
            for node in agent.stream
            if node.when.day == day and node.id not in known and node.id not in listed
        ],
        has_memories=remembered is not None,
        threads=view_own_threads(world, scene, agent, (), names),
        **view_kept(prompts.words, world, scene, agent, (), names),
        page=layer_views(world, agent, scene)["page"],
        **page_rules(world),
        layers=sorted(layers_asked(world, agent)),
        plans=world.settings.plans.enabled,
        kinds=world.settings.world.kinds,
        importance_from=world.settings.importance.from_,
        habits=view_diary_habits(agent) if remembered is not None else None,
    )


def render_care(assembler: Assembler, world: World, agent: Agent, batch: Batch, budget_tokens: int) -> tuple[str, str]:
    """Render the persona, and the question of self-care.

    The longest memories are shortened to the budget.
    """
    lines = assembler.lines
    texts, shortened = shorten_to([node.description for node in batch.nodes], budget_tokens)
    nodes = [replace(node, description=text, evidence=()) for node, text in zip(batch.nodes, texts, strict=True)]
    question = assembler.prompts.render(
        "care.j2",
        me=view_self(world, agent),
        cause=batch.cause,
        material=(lines.eras if batch.cause == "summaries" else lines.lines_of)(world, agent, nodes),
        shortened=shortened,
        first=began(batch.nodes[0]).day,
        last=max(ended(node).day for node in batch.nodes),
    )
    return assembler.persona(world, agent), question


def render_draft(
    prompts: Prompts, notes: str, world: WorldDraft | None = None, character: CharacterDraft | None = None
) -> str:
    """Render the question for a world that notes describe; with ``world``, for a persona."""
    shown = world and View(
        title=world.title,
        premise=_lines(world.premise),
        places=[View(name=place.name, text=place.text) for place in world.places],
        rules=list(world.rules),
        brief=_lines(world.brief),
        characters=[View(name=one.name, line=one.line) for one in world.characters],
    )
    me = character and View(name=character.name, line=character.line)
    form = PersonaDraft if character else WorldDraft
    return prompts.render("draft.j2", notes=_lines(notes), world=shown, me=me, keys=list(_keys(form)))


def render_judging(prompts: Prompts, question: str, first: str, second: str) -> str:
    """Render the question which of two texts is better."""
    return prompts.render("judge.j2", question=question, first=first.split("\n"), second=second.split("\n"))


def render_look(
    assembler: Assembler, world: World, agent: Agent, answer: InterviewAnswer, unseen: Sequence[str]
) -> str:
    """Render the question in which a character looks at its answer again.

    ``unseen`` are the entries of its evidence that do not count.
    """
    lines, cited = assembler.lines, {*answer.cited}
    return assembler.prompts.render(
        "look.j2",
        sentences=split_sentences(" ".join(answer.answer.split())),
        lines=[
            *lines.eras(world, agent, [node for node in agent.summaries if node.id in cited]),
            *lines.lines_of(world, agent, [node for node in agent.everything if node.id in cited]),
        ],
        quotes=[View(source=quote.source, words=quote.words) for quote in answer.quotes],
        unseen=unseen,
    )


def _keys(form: type[Form]) -> Iterator[View]:
    for name, item in form.model_fields.items():
        inner = next((kind for kind in (item.annotation, *get_args(item.annotation)) if _is_form(kind)), None)
        is_list = get_origin(item.annotation) is list
        yield View(
            name=name,
            text=item.description or "",
            is_list=is_list,
            inner=[View(name=key, text=one.description or "") for key, one in inner.model_fields.items()]
            if inner
            else [],
        )


def _is_form(kind: object) -> TypeGuard[type[Form]]:
    return isinstance(kind, type) and issubclass(kind, Form)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def render_rater(prompts: Prompts) -> str:
    """Render the system part of rating questions."""
    return prompts.render("rater.j2")


def render_rating(
    prompts: Prompts, world: World, scene: Scene, memories: Mapping[str, Sequence[tuple[str, str]]], *, many: bool
) -> str:
    """Render the question, for a model that sees only this and ``render_rater``.

    ``memories`` are types and descriptions by character; with ``many``, the answer is a list.
    """
    numbers = count(1)
    people = [
        View(
            **vars(view_person(world.agents[name])),
            line=first_line(world.agents[name]),
            memories=[
                View(number=next(numbers), kind=kind_name(prompts.words, kind), text=text) for kind, text in kept
            ],
        )
        for name, kept in memories.items()
    ]
    return prompts.render(
        "rating.j2",
        now=view_now(prompts.words, world, scene),
        scene=view_scene(world, scene, world.agents[scene.cast[0]]),
        present=[view_person(world.agents[name]) for name in scene.cast],
        people=people,
        many=many,
        count=sum(len(kept) for kept in memories.values()),
    )


class Decision:
    """Renders the question to the Director."""

    def __init__(self, prompts: Prompts) -> None:
        self._prompts = prompts

    def system(self, world: World) -> str:
        settings = world.settings
        cast = [view_person(agent) for agent in world.agents.values()]
        return self._prompts.render("director.j2", world=view_world(settings.world), places=settings.places, cast=cast)

    def question(self, world: World, scene: Scene, options: Sequence[OfferedScene], left: int) -> str:
        """Render the question.

        Args:
            scene: What the rules would play; sets the time.
            left: Scenes that fit into the day, the coming one included.
        """
        day = scene.ref.day
        now = view_now(self._prompts.words, world, scene)
        played = [view_played(self._prompts.words, world, entry) for entry in world.scenes_of(day)]
        shown = [_option(world, option) for option in options]
        return self._prompts.render("decision.j2", now=now, left=left, played=played, options=shown)


def view_played(words: Sentences, world: World, entry: LogEntry) -> View:
    """Return a played scene, without what was done and said."""
    time = entry.time_of_day
    return View(
        type=_line(entry.type),
        time=words(f"time_{time}") if is_time_of_day(time) else _line(time),
        place=_line(entry.place),
        names=[shown_name(world, name) for name in entry.participants],
        premise=shorten_at_word(str(entry.record.get("premise") or ""), PREMISE_CHARACTERS),
        summary=shorten_at_word(str(entry.record.get("summary") or ""), SUMMARY_CHARACTERS),
    )


def _option(world: World, option: OfferedScene) -> View:
    candidate, scene = option.candidate, option.scene
    return View(
        type=scene.type.name,
        names=[shown_name(world, name) for name in scene.cast],
        starter=shown_name(world, scene.cast[0]),
        place=scene.place,
        score=f"{candidate.score:.1f}",
        parts=[View(part=item.part, points=f"{item.points:+.1f}") for item in candidate.reasons],
        why=shorten_at_word(scene.why, WHY_CHARACTERS),
        premise=_line(scene.premise),
        topic=shorten_at_word(scene.topic, TOPIC_CHARACTERS),
        intent=shorten_at_word(scene.intent, TOPIC_CHARACTERS),
        own=[View(name=shown_name(world, name), text=_line(text)) for name, text in scene.premises.items()],
    )


def _line(text: str) -> str:
    return " ".join(text.split())
