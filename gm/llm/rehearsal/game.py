"""A turn of a game night: the leader tells the story, the others play."""

from __future__ import annotations

from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.quoting import in_quotes, to_slot
from gm.llm.rehearsal.remember import make_memory, make_tags
from gm.llm.rehearsal.speech import line
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.world import Agent

LONGEST_NAME = 40
TURNS = 2
"""Turns after which a player waits until addressed."""


def compose_game(cue: Cue, voice: Voice) -> dict[str, object]:
    """Compose a player's or the leader's reply."""
    leads = cue.here.leader == cue.id
    story = _story(voice)
    keeps = cue.context.closing or bool(cue.context.last_turn) if leads else cue.turn == 1
    return {
        "action": _act(cue, voice),
        "dialogue": _lead(cue, voice, story) if leads else _play(cue, voice),
        "thoughts": voice.fresh("game_thought"),
        "mood": voice.own("moods") or voice.phrase("mood"),
        "memories": [_memory(cue, voice, story, leads=leads)] if keeps else [],
        "conversation": _takeaway(voice, story) if keeps else None,
        "artifact": None,
        "plan": None,
        "current_task": None,
        **({"relationships": []} if "regards" in cue.mind.facts else {}),
        "go_to": None,
        "done": cue.context.closing or bool(cue.context.last_turn) or (not leads and cue.turn >= TURNS),
    }


def _act(cue: Cue, voice: Voice) -> str:
    done = voice.fresh("game_act") or voice.extended(voice.phrases("game_act"))
    return f"{cue.name} {done}." if done else ""


def _lead(cue: Cue, voice: Voice, story: str) -> list[dict[str, str | None]]:
    if cue.context.closing:
        return [line(None, _tell_story(voice, "game_close", story=story))]
    other = _next_player(cue, voice)
    if cue.dialogue:
        return [line(other.id, _tell_story(voice, "game_tell", other=other.call_name))]
    return [line(None, _tell_story(voice, "game_open", story=story)), line(other.id, f"{other.call_name}?")]


def _tell_story(voice: Voice, slot: str, **fields: str) -> str:
    cue = voice.cue
    phrases = load_pack(cue.language)[slot]
    texts = [
        voice.rotated(slot, phrases, cue.here.day + cue.turn + step).format_map(fields) for step in range(len(phrases))
    ]
    return next((text for text in texts if voice.is_new(text)), texts[0])


def _next_player(cue: Cue, voice: Voice) -> Agent:
    spoken = [line.agent for line in cue.dialogue]
    fewest = min(spoken.count(other.id) for other in cue.here.others)
    waiting = [other for other in cue.here.others if spoken.count(other.id) == fewest]
    return voice.rotated("player", waiting, cue.here.day + cue.turn)


def _play(cue: Cue, voice: Voice) -> list[dict[str, str | None]]:
    move = voice.fresh("game_move", part=_part(cue, voice))
    lines = [line(cue.here.leader or None if voice.chance(0.6) else None, move)] if move else []
    aside = voice.own("answers") if cue.dialogue and voice.chance(0.3) else ""
    return [line(None, aside), *lines] if aside else lines


def _memory(cue: Cue, voice: Voice, story: str, *, leads: bool) -> dict[str, object]:
    text = (
        _tell_story(voice, "mem_lead", story=story)
        if leads
        else voice.phrase("mem_game", story=story, part=_part(cue, voice))
    )
    return make_memory(voice, text, (4, 5, 5, 6), make_tags(cue, [cue.here.type], [story]))


def _takeaway(voice: Voice, story: str) -> dict[str, object]:
    return {
        "description": voice.phrase("takeaway_game", story=story),
        "importance": voice.dice.choice((4, 5, 6)),
    }


def _story(voice: Voice) -> str:
    return to_slot(next(iter(in_quotes(voice.given_topic)), voice.given_topic) or voice.cue.here.type, 60)


def _part(cue: Cue, voice: Voice) -> str:
    name = cue.here.part.partition(",")[0].strip()
    return to_slot(name) if name and len(name) <= LONGEST_NAME else voice.shared("game_part")
