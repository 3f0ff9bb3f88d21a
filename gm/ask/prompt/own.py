"""The part of a question that is one character's own: who it is now, its place, its task, and its turn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gm.ask.prompt.minds import is_discovering
from gm.ask.prompt.people import part_of, view_habits, view_piece, view_scene, view_self
from gm.ask.prompt.render import View
from gm.ask.prompt.situation import Heard, find_heard, say_time, threads_stated
from gm.ask.prompt.turn_context import TurnContext
from gm.model.scene import Scene
from gm.model.scene_reply import SceneReply
from gm.model.world import Agent, Sentences, World, find_agent
from gm.scene.folding.keeping import left_today
from gm.scene.planning.plans import item_of, restated_in
from gm.scene.planning.schedule import room_for_talks
from gm.scene.planning.wishes import PassedTalk, passed_talks
from gm.scene.threads.changes import Noted

PLACE_TEXTS = frozenset({"place_text", "home_text"})


def view_me(words: Sentences, world: World, agent: Agent, scene: Scene, context: TurnContext) -> View:
    """Return the inside view, with what kept planned talks from taking place, and how it was last seen today."""
    me = view_self(world, agent, context)
    passed = passed_talks(world, agent, scene.time_of_day, scene.clock, scene.cast)
    return me.but(
        part=part_of(agent, scene),
        plan_items=with_passed(words, world, agent, me.plan_items, passed),
        last_seen="" if context.own or scene.is_asked else _last_seen(world, agent),
    )


def _last_seen(world: World, agent: Agent) -> str:
    turns = (turn for entry in reversed(world.scenes_of(world.clock.day)) for turn in reversed(entry.turns))
    return next((turn.action for turn in turns if turn.agent == agent.id and turn.action), "")


def with_passed(
    words: Sentences, world: World, agent: Agent, items: Iterable[View], passed: Mapping[str, PassedTalk]
) -> list[View]:
    """Return items of a plan, each open talk whose time is over with what kept it from taking place."""

    def item_now(item: View) -> View:
        missed = None if item.state else passed.get(item.text)
        return item.but(state="passed", passed=_explain_passed(words, world, agent, missed)) if missed else item

    return [item_now(item) for item in items]


def view_here(remote: Sentences | None, world: World, scene: Scene, agent: Agent, context: TurnContext) -> View:
    """Return the scene, its surroundings, and the threads that it states; ``remote`` as ``view_scene``."""
    here = view_scene(world, scene, agent, remote)
    home_text = world.settings.places.get(agent.home, "") if scene.type.plan and not here.remote else ""
    surroundings = "" if is_discovering(world, agent) else here.place_text or home_text
    stated = threads_stated(world, scene, agent, context.own)
    return here.but(surroundings=surroundings, threads=stated, room_for_talks=room_for_talks(world))


def without_places(view: View, world: World, agent: Agent) -> View:
    """Leave out the texts of places, which the first part of the prompt lists unless the character discovers them."""
    return view if is_discovering(world, agent) else view.but(**dict.fromkeys(PLACE_TEXTS & vars(view).keys(), ""))


def view_matter(here: View, me: View, shown: Iterable[View]) -> dict[str, object]:
    """Return where else the prompt states the intent of a scene: as an item of the plan, a thread, or the task."""
    listed = [] if me.plan_known else [item.text for item in me.plan_items]
    intent = here.intent
    return {
        "intent_item": item_of(listed, intent) or item_of(listed, restated_in(listed, intent)),
        "intent_thread": next((one.id for one in shown if not one.here and one.text == intent), ""),
        "intent_task": bool(intent) and intent == me.current_task,
    }


def view_turn(
    words: Sentences, world: World, agent: Agent, scene: Scene, context: TurnContext, heard: Heard
) -> dict[str, object]:
    """Return the turn: what the character has replied so far, what it sees, and how the scene goes on."""
    knows_itself = not scene.is_asked and not is_discovering(world, agent)
    return {
        "replan": [
            words(reason.phrase, **{**reason.values, "known_as": find_heard(heard, reason.values.get("text", ""))})
            for reason in context.replan
        ],
        "so_far": [_view_reply(world, reply) for reply in context.own],
        "opened": [_view_noted(words, one) for one in context.noted.own],
        "arranged": [_view_noted(words, one) for one in context.noted.others],
        "pieces": [view_piece(world, agent, piece) for piece in context.pieces],
        "lines_left_out": context.lines_left_out,
        "turn": context.turn,
        "last_turn": context.last_turn,
        "habits": view_habits(words, world, agent, scene, context) if knows_itself else None,
        "angle": context.angle,
        "turns_left": context.turns_left,
        "last_word": context.last_word,
        "memories_later": context.memories_later,
        "closing": context.closing,
        "winding_up": context.winding_up,
        "memories_left": left_today(world, agent, context.own, context.consulted),
    }


def _view_reply(world: World, reply: SceneReply) -> View:
    return View(
        thoughts=reply.thoughts,
        memories=[memory.description for memory in reply.memories],
        # for worlds with prompts of their own from 0.1.0; since then ``opened`` says what is kept of it
        opens=[" ".join(opened.text.split()) for opened in reply.opens],
        conversation=" ".join(reply.conversation.description.split()) if reply.conversation else "",
        regards=[
            world.call_name(who) for regard in reply.relationships if (who := find_agent(world.agents, regard.other))
        ],
    )


def _view_noted(words: Sentences, noted: Noted) -> View:
    return View(id=noted.id, text=noted.text, time=say_time(words, noted.time), place=noted.place)


def _explain_passed(words: Sentences, world: World, agent: Agent, missed: PassedTalk) -> str:
    called = {name: one.call_name for name, one in world.agents.items()}
    who = "me" if missed.who == agent.id else called.get(missed.who, missed.who)
    company = [called.get(name, name) for name in missed.company]
    other = called.get(missed.other, missed.other)
    return words("plan_passed", other=other, who=who, company=company, place=missed.place)
