"""Memories asked for and given, goals, and finer kinds of memories: only where the world asks for them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import to_slot
from gm.llm.rehearsal.speech import Moment
from gm.llm.rehearsal.voice import Voice

ASKS, WHOLE = 0.12, 0.3
"""How often a talk ends with somebody asking for memories, and how often for all of them."""
GIVES, GIVES_FRIEND = 0.6, 0.9
NEW_GOAL, STEP, END = 0.5, 0.4, 0.35
STEPS_TO_END = 3


def with_exchange(reply: dict[str, object], cue: Cue, voice: Voice, moment: Moment | None = None) -> dict[str, object]:
    """Add to a reply what the world asks for beside it; a reply as it is where the world asks for nothing.

    Args:
        reply: The reply so far.
        cue: What was asked.
        voice: Who answers.
        moment: What the turn is about; None in a game, in which nobody asks for anything.
    """
    keys: dict[str, object] = {}
    if isinstance(share := cue.exchange.get("share"), dict):
        dice = voice.dice_for("share")
        keys["memory_answers"] = [_answer(cue, dice, item) for item in share.get("wanted", ())]
        keys["memory_requests"] = _requests(cue, dice, moment, share) if moment else []
    if isinstance(goals := cue.exchange.get("goals"), list):
        keys["goal_reports"] = _reports(cue, voice, moment, goals) if moment else []
    said = reply["dialogue"]
    if cue.exchange.get("decisions") and cue.closing and isinstance(said, list) and said:
        keys["decisions"] = [said[-1]["text"]]
    memories = reply["memories"]
    if cue.exchange.get("kinds") and isinstance(memories, list):
        dice = voice.dice_for("kinds")
        keys["memories"] = [{**memory, "kind": _kind(memory, dice)} for memory in memories]
    return reply | keys


def _answer(cue: Cue, dice: random.Random, item: Mapping[str, Any]) -> dict[str, object]:
    asker = str(item.get("id", ""))
    gives = 0.0 if asker in cue.persona.far else GIVES_FRIEND if asker in cue.persona.close else GIVES
    return {"to": asker, "share": dice.random() < gives}


def _requests(cue: Cue, dice: random.Random, moment: Moment, share: Mapping[str, Any]) -> list[dict[str, object]]:
    """Ask the partner of a talk that ends, once in a while."""
    partner = moment.partner
    asks, whole = dice.random() < ASKS, dice.random() < WHOLE
    if cue.at.type != "ENCOUNTER" or partner is None or not moment.last or not asks:
        return []
    if partner.id in cue.persona.far or partner.id in share.get("asked", ()):
        return []
    return [{"to": partner.id, "about": [] if whole else list(moment.tags[:1])}]


def _reports(cue: Cue, voice: Voice, moment: Moment, goals: list[Any]) -> list[dict[str, object]]:
    """Take up a goal on a morning when there is none; come closer to one at work, and reach it in the end."""
    dice = voice.dice_for("goals")
    if not goals:
        works = cue.persona.works
        if cue.at.type != "ARRIVAL" or not works or dice.random() >= NEW_GOAL:
            return []
        return [{"id": "", "event": "new", "text": works[(cue.at.day + cue.index) % len(works)].task}]
    if cue.at.type != "WORK" or cue.turn > 1 or dice.random() >= STEP:
        return []
    goal = dice.choice(goals)
    ends = goal.get("steps", 0) >= STEPS_TO_END and dice.random() < END
    text = voice.phrase("outcome", task=to_slot(moment.work.task))
    return [{"id": goal["id"], "event": "reached" if ends else "progress", "text": text}]


def _kind(memory: Mapping[str, object], dice: random.Random) -> str:
    tags = memory.get("tags")
    known = set(tags) if isinstance(tags, list) else set()
    likely = (
        "emotional" if known & {"dispute", "turning-point"} else "procedural" if "work" in known else
        "semantic" if known & {"library", "brief"} else ""
    )  # fmt: skip
    return likely if dice.random() < 0.6 else ""
