"""The scene that a model chose, checked against the list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from gm.ask.reply.parse import Parsed, parse_reply
from gm.base.casefold import search_key
from gm.model.character import Agent, find_agent
from gm.model.replies import DirectorReply, OwnPremise
from gm.model.scene import Scene

SECRET_CHARACTERS = 16
"""A shorter text may occur in a premise by chance."""


def parse_direction(text: str, offered: Sequence[Scene], agents: Mapping[str, Agent]) -> Parsed[DirectorReply]:
    """Read the choice of the next scene, with ids for names.

    Problems are a number outside the list, a private premise for a character who does not take part, and a common
    premise that reveals a private one.

    Args:
        offered: The scenes of the list, in order.
    """
    parsed = parse_reply(text, DirectorReply)
    if parsed.reply is None:
        return parsed
    problems = tuple(_problems(parsed.reply, offered, agents))
    if problems:
        return Parsed(None, problems, parsed.repairs)
    return Parsed(_with_ids(parsed.reply, agents), (), parsed.repairs)


def _problems(reply: DirectorReply, offered: Sequence[Scene], agents: Mapping[str, Agent]) -> Iterator[str]:
    if reply.number > len(offered):
        yield f"number: {reply.number} is not in the list; it has {len(offered)}"
        return
    scene = offered[reply.number - 1]
    for place, own in enumerate(reply.premises):
        if find_agent(agents, own.who) not in scene.cast:
            cast = ", ".join(scene.cast)
            wrong = f"{own.who[:60]!r} does not take part in scene {reply.number}; there are: {cast}"
            yield f"premises.{place}.who: {wrong}"
    if any(_tells(reply.premise, secret) for secret in _secrets(scene)):
        yield "premise: tells all of them what only one of them knows; that belongs into premises, or nowhere"


def _secrets(scene: Scene) -> Iterator[str]:
    if scene.intent and scene.intent not in scene.topic:
        yield scene.intent
        # a plan names its kind first: "Talk to Nami: the left half"
        yield scene.intent.partition(": ")[2]
    yield from scene.premises.values()


def _tells(premise: str, secret: str) -> bool:
    wanted = search_key(secret)
    return len(wanted) >= SECRET_CHARACTERS and wanted in search_key(premise)


def _with_ids(reply: DirectorReply, agents: Mapping[str, Agent]) -> DirectorReply:
    own = [OwnPremise(who=find_agent(agents, item.who) or item.who, text=item.text) for item in reply.premises]
    return reply.model_copy(update={"premises": own})
