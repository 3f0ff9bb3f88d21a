"""A scene as prompts show it to a participant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

from gm.ask.prompt.render import PERSONA_LEVEL, PREMISE_LEVEL, View, inner_quotes, prose, quoted_lines
from gm.ask.prompt.turn_context import PieceAtHand, TurnContext
from gm.base.casefold import casefold
from gm.base.config import WorldSettings
from gm.base.texts import shorten_at_word
from gm.layers.now import NOW
from gm.model.calendar import weekday
from gm.model.front import FRONT
from gm.model.ids import place_name
from gm.model.passage import Passage
from gm.model.scene import ARRIVAL, Scene
from gm.model.stream import named
from gm.model.thread import Thread
from gm.model.world import Agent, Sentences, World
from gm.scene.dialogue.turns import Spoken
from gm.scene.evening.dusk import said_by_plan
from gm.scene.evening.habits import Habits, diary_endings, habits_of, importance_counts, insight_endings
from gm.scene.grounding.attendance import absences_on, has_left, is_expected, present_with
from gm.scene.grounding.mentions import content_words, has_name
from gm.scene.planning.marks import bare, state_of
from gm.scene.planning.plan_items import task_at_hand
from gm.scene.planning.plans import is_plan, list_undone, restated_in

PERSON_CHARACTERS, TASK_CHARACTERS, ITEM_CHARACTERS = 300, 120, 60
_BEGINNING = TurnContext()


def view_world(settings: WorldSettings) -> View:
    """Return what all know of the world; its premise keeps its lines."""
    return View(title=settings.title, rules=settings.rules, premise=prose(settings.premise, PREMISE_LEVEL))


def view_person(agent: Agent) -> View:
    """Return the outside view of a character."""
    return View(
        id=agent.id,
        name=agent.name,
        call_name=agent.call_name,
        called=_told_called(agent),
        role=agent.front_values.role,
        archetype=agent.front_values.archetype,
        pronouns=agent.front_values.pronouns,
    )


def _told_called(agent: Agent) -> str:
    """Return what others call a character if its name does not say so."""
    return "" if agent.call_name in agent.name else agent.call_name


def view_neighbour(words: Sentences, world: World, scene: Scene, name: str) -> View:
    """Return who else is in the room, and what it visibly does; ``text`` joins both.

    A task that names another place is not done here.
    """
    agent, settings = world.agents[name], world.settings
    task = shorten_at_word(
        agent.state.current_task.removeprefix(words("plan_work", text="")).rstrip(". "), TASK_CHARACTERS
    )
    others = [place for place in settings.places if place != scene.place]
    called = (*others, *(place_name(place, settings.place_names) for place in others))
    folded = casefold(task)
    if any(has_name(folded, name) for name in called):
        task = ""
    return View(
        **vars(view_person(agent)),
        task=task,
        takes_part=name in scene.cast,
        text=words("room_person", name=agent.name, task=task),
    )


def shown_name(world: World, name: str) -> str:
    """Return a character's call name; any other name on one line."""
    return " ".join(name.split()) if name not in world.agents else world.agents[name].call_name


def part_of(agent: Agent, scene: Scene) -> str:
    """Return a character's part in such scenes (``roles`` of the persona)."""
    return " ".join(agent.front_values.roles.get(scene.type.name.lower(), "").split())


def first_line(agent: Agent) -> str:
    """Return a character's archetype, else its prose's beginning, on one line."""
    lines = (line.strip() for line in agent.persona.prose.splitlines()) if agent.persona else iter(())
    said = agent.front_values.archetype or next((line for line in lines if line and not line.startswith("#")), "")
    return shorten_at_word(said, PERSON_CHARACTERS)


def view_self(world: World, agent: Agent, context: TurnContext = _BEGINNING) -> View:
    """Return the inside view: the front matter of the persona, and the state with changes in the scene so far."""
    front = {key.name: getattr(agent.front_values, key.name) for key in FRONT.keys}
    tasks = (reply.current_task for reply in reversed(context.own) if reply.current_task)
    front |= {
        "name": agent.name,
        "called": _told_called(agent),
        "home": agent.home,
        "voice": " ".join(" ".join(text.split()) for text in agent.front_values.voice),
    }
    return View(
        **front,
        id=agent.id,
        call_name=agent.call_name,
        home_name=world.place_name(agent.home),
        home_text=world.settings.places.get(agent.home, ""),
        prose=prose(_choose_prose(world, agent), PERSONA_LEVEL),
        mood=context.own[-1].mood if context.own else agent.state.mood,
        position=agent.state.position,
        current_task=next(tasks, task_at_hand(agent, context.plan)),
        **view_plan(world, agent, context),
    )


def view_plan(world: World, agent: Agent, context: TurnContext) -> dict[str, object]:
    """Return the variables of a plan.

    ``plan`` is the list with its marks, ``plan_items`` the same without them; ``plan_id`` the memory that it stands
    for; ``plan_known`` the memory of an earlier day in which the question shows the whole list, with the beginnings of
    what is struck off in ``plan_struck``; ``plan_instead`` what today's list has lost and says in no other words.
    """
    plan = context.plan or agent.state.today_plan
    shown = list(named(agent.stream, context.remembered)) if context.remembered else []
    is_new = [*map(bare, plan)] != [*map(bare, agent.state.today_plan)]
    newest = None if is_new else next((node for node in reversed(shown) if is_plan(node)), None)
    listed = newest is not None and newest.id in said_by_plan(world, agent, shown)
    known = newest is not None and not listed and all(bare(item) in newest.description for item in plan)
    return {
        "plan": plan,
        "plan_id": newest.id if newest and listed else "",
        "plan_known": newest.id if newest and known and plan else "",
        "plan_items": _items(plan),
        "plan_struck": _items(filter(state_of, plan), ITEM_CHARACTERS),
        "plan_instead": _items(item for item in list_undone(world, agent, plan) if not restated_in(plan, item)),
    }


def _items(plan: Iterable[str], most: int | None = None) -> list[View]:
    texts = {item: bare(item) for item in plan}
    return [
        View(text=shorten_at_word(text, most) if most else text, state=state_of(item), passed="")
        for item, text in texts.items()
    ]


def _choose_prose(world: World, agent: Agent) -> str:
    # A page that is shown takes the place of what has gone stale in the persona.
    if agent.persona is None:
        return ""
    has_page = NOW.name in world.layers and not agent.mind[NOW].is_empty
    return agent.persona.lasting if has_page else agent.persona.prose


def view_now(words: Sentences, world: World, scene: Scene) -> View:
    """Return when a scene is played."""
    day = scene.ref.day
    clocks = [entry.clock for entry in world.scenes_of(day) if entry.time_of_day == scene.time_of_day]
    return View(
        day=day,
        weekday=weekday(day, world.settings.calendar.weekdays),
        time=words(f"time_{scene.time_of_day}"),
        clock=scene.clock,
        after="" if scene.clock else max(clocks, default=""),
    )


def view_scene(world: World, scene: Scene, agent: Agent, remote: Sentences | None = None) -> View:
    """Return a scene with what only this participant knows of it.

    ``remote`` are the words for the place of a participant who stays where it is; None: it is where the scene is.
    """
    own = scene.premises.get(agent.id, "")
    intent = scene.intent if scene.cast[0] == agent.id else ""
    if intent and inner_quotes(intent) in own:
        intent = ""
    place, place_text = scene.place, world.settings.places.get(scene.place, "")
    if remote is not None:
        place, place_text = remote("place_remote" if len(scene.cast) > 1 else "place_remote_alone"), ""
    return View(
        type=scene.type.name,
        place=place,
        place_text=place_text,
        came_from="" if remote else _came_from(world, scene, agent),
        premise=scene.premise,
        topic=scene.topic,
        own=own,
        intent=intent,
        starter=scene.cast[0],
        leads=scene.type.chair and scene.cast[0] == agent.id,
        leader=world.agents[scene.cast[0]].call_name if scene.type.chair else "",
        tag=scene.type.tag,
        asks_plan=scene.type.plan,
        note=scene.note,
        wished=scene.director in ("asked", "script"),
        remote=remote is not None,
        moved=bool(scene.moved),
    )


def _came_from(world: World, scene: Scene, agent: Agent) -> str:
    # where it was before a scene elsewhere, unless a scene of today tells what it did there
    place = agent.state.position
    if not scene.place or scene.moved or place == scene.place:
        return ""
    places = (entry.place for entry in world.scenes_of(scene.ref.day) if agent.id in entry.participants)
    return "" if place in places else " ".join(place.split())


def view_absent(words: Sentences, world: World) -> dict[str, str]:
    """Return a sentence for each character away today or for good, by id."""
    return {
        name: words(f"away_{how}", name=world.agents[name].call_name, gone=has_left(world, name))
        for name, how in absences_on(world, world.clock.day).items()
        if is_expected(world.agents[name], world.clock.day)
    }


def view_passage(passage: Passage) -> View:
    """Return a passage of the library."""
    return View(
        title=" ".join(passage.title.split()),
        author=" ".join(passage.author.split()),
        place=passage.place,
        lines=quoted_lines(passage.text),
    )


def view_piece_at_hand(world: World, agent: Agent, piece: PieceAtHand) -> View:
    """Return a finished piece at hand."""
    return View(
        title=piece.title,
        maker=world.call_name(piece.maker),
        # quoted line by line: the text of a character must not look like a part of the question
        lines=quoted_lines(piece.text),
        is_cut=piece.is_cut,
        own=piece.own,
        hangs=piece.hangs,
        limited=bool(piece.readers),
        readers=[world.call_name(name) for name in piece.readers if name != agent.id],
    )


def view_dialogue(names: Mapping[str, str], agent: Agent, context: TurnContext) -> list[View]:
    """Return what was said and done, with own thoughts after own turns."""
    own = iter([reply for reply in context.own if reply.action.strip() or reply.dialogue])
    shown = []
    for place, (line, after) in enumerate(zip_longest(context.dialogue, context.dialogue[1:])):
        ends_own = line.agent == agent.id and (after is None or after.agent != agent.id)
        reply = next(own, None) if ends_own else None
        if place >= context.lines_left_out:
            shown.append(_line(names, line, reply.thoughts if reply else ""))
    return shown


def view_habits(words: Sentences, world: World, agent: Agent, scene: Scene, context: TurnContext) -> View | None:
    """Return what a character repeats; None where none of it is to be shown.

    Habits of acting and talking stand in its first turn of a scene, without motifs that the scene, what is open for it
    or a piece at hand is about; those of importance where it weighs a scene for the last time.
    """
    reflects = scene.type.is_reflection
    begins = context.turn == 1 and not context.last_word and not reflects
    weighs = reflects or context.last_word or (context.last_turn and not context.memories_later)
    rated = weighs and world.settings.importance.from_ == "reply"
    habits = habits_of(world, agent, words) if begins else Habits()
    own = scene.premises.get(agent.id, "")
    known = [thread.text for thread in world.threads if thread.id in scene.answers or _is_open_for(thread, agent)]
    pieces = [piece.title for piece in context.pieces]
    matter = content_words(" ".join((scene.topic, scene.premise, scene.intent, own, *known, *pieces)))
    return _view_habits(
        replace(habits, motifs=tuple(one for one in habits.motifs if not content_words(one) & matter)),
        arrives=scene.type.name == ARRIVAL,
        speaks=len(scene.cast) > 1 and bool(present_with(world, scene, agent.id)),
        endings=insight_endings(world, agent) if reflects else (),
        weights=importance_counts(world, agent) if rated else (),
    )


def _is_open_for(thread: Thread, agent: Agent) -> bool:
    return thread.is_open and thread.concerns(agent.id)


def view_diary_habits(agent: Agent) -> View | None:
    """Return how its last diary entries ended; None without one."""
    return _view_habits(Habits(), speaks=False, endings=diary_endings(agent))


def _view_habits(
    habits: Habits,
    *,
    speaks: bool,
    arrives: bool = False,
    endings: Sequence[str] = (),
    weights: Sequence[tuple[int, int, int]] = (),
) -> View | None:
    shown = {
        "arrivals": habits.arrivals if arrives else (),
        "openings": habits.openings if speaks else (),
        "numbers": habits.numbers[0] if speaks else 0,
        "motifs": habits.motifs,
        "endings": endings,
        "weights": [View(first=low, last=high, count=count) for low, high, count in weights],
    }
    return View(**shown, lines=habits.numbers[1]) if any(shown.values()) else None


def view_earlier(names: Mapping[str, str], scene: Scene, context: TurnContext) -> View | None:
    """Return the last talk with those present; None without one."""
    talk = context.earlier
    if talk is None:
        return None
    lines = [_line(names, line, "").but(after_gap=place in talk.gaps) for place, line in enumerate(talk.lines)]
    return View(day=talk.day, today=talk.day == scene.ref.day, lines=lines)


def _line(names: Mapping[str, str], line: Spoken, thoughts: str) -> View:
    # one line: what a character says must not look like the line of another one, or like a heading
    return View(
        name=names.get(line.agent, line.agent),
        to=names.get(line.to or "", line.to or ""),
        text=" ".join(line.text.split()),
        aloud=line.aloud,
        at_once=line.at_once,
        moved_to=line.moved_to,
        thoughts=" ".join(thoughts.split()),
    )
