"""Appointments, silences, outcomes of plans, with dice of their own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Set

from gm.base.config import TIMES_OF_DAY
from gm.llm.rehearsal.facts import Cue
from gm.llm.rehearsal.speech import SpeechContext
from gm.llm.rehearsal.subjects import say_place
from gm.llm.rehearsal.voice import Voice, load_pack
from gm.model.calendar import time_rank
from gm.model.thread import time_of_day
from gm.scene.pieces.known_pieces import BOARD
from gm.scene.planning.marks import bare, is_struck
from gm.scene.planning.plan_items import open_items

AGREED, PLAN_STATUS, AUDIENCE = "agreed", "plan-status", "audience"
"""Purposes of dice."""

INSTEAD_OF_PROMISE, SOMEWHERE, TODAY, QUIET = 0.25, 0.4, 0.5, 0.06
"""Probabilities that a promise becomes an appointment, that this has a place, that it is for today, that a talk which
leaves nothing open ends with a promise to keep silent."""

CLOCKS = ("09:30", "10:30", "12:30", "14:30", "15:00", "16:30")
TIMED = 0.2
"""Probability that a talk of a plan has a time."""

CARRIED_OUT, PUT_OFF = 0.7, 0.1
"""Probabilities that a scene ends with what it was begun for done, or moved to another day."""

SPOKEN_OF, DROPPED, DONE = 0.5, 0.25, 0.1
"""Probabilities that an open item is in the evening's report at all, and then as dropped or done, else as moved."""

FOR_FEW = 1 / 12
"""Probability that a finished piece is not for all who are present."""


def is_meeting(voice: Voice) -> bool:
    """Return whether a coming promise becomes an appointment."""
    return voice.dice_for(AGREED).random() < INSTEAD_OF_PROMISE


def is_quiet(voice: Voice) -> bool:
    """Return whether a talk without open ends closes with a promise of silence."""
    return voice.dice_for(AGREED).random() < QUIET


def arrange(cue: Cue, voice: Voice) -> tuple[str, dict[str, object]]:
    """Return when and where two meet, in words and as reply keys."""
    dice = voice.dice_for(f"{AGREED}-when")
    later = [time for time in _times(cue) if time_rank(time_of_day(time)) > time_rank(cue.scene.time_of_day)]
    today = bool(later) and dice.random() < TODAY
    due = cue.here.day if today else cue.here.next_day
    time = dice.choice(later if today else _times(cue))
    places = [(name, said) for name in cue.world.settings.places if (said := say_place(cue.language, name))]
    place, said = dice.choice(places) if places and dice.random() < SOMEWHERE else ("", "")
    return _describe_when(cue, due, time, said), {"due": due, "time": time, "place": place}


def _describe_when(cue: Cue, due: int, time: str, place: str) -> str:
    pack, weekday = load_pack(cue.language), cue.here.weekday_of(due)
    part = pack[f"meet_{time}" if time in TIMES_OF_DAY else "meet_clock"][0].format_map({"clock": time})
    named = {"weekday": weekday, "day": due, "time": part}
    when = pack["meet_weekday" if weekday else "meet_day"][0].format_map(named)
    return pack["meet_place"][0].format_map({"when": when, "place": place}) if place else when


def _times(cue: Cue) -> list[str]:
    known = cue.world.settings.day.times
    return [*known, *(clock for clock in CLOCKS if time_of_day(clock) in known)]


def with_times(cue: Cue, voice: Voice, talks: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Return a plan's talks, some with a time."""
    dice, times = voice.dice_for(AGREED), _times(cue)
    return [{**talk, **({"time": dice.choice(times)} if dice.random() < TIMED else {})} for talk in talks]


def report_scene(cue: Cue, voice: Voice, context: SpeechContext, finished: Set[int]) -> list[dict[str, object]]:
    """Report, mostly once, what became of a scene's planned item; ``finished`` are the numbers of finished ones."""
    if not context.last or any(reply.plan or reply.plan_status for reply in cue.context.own):
        return []
    plan = cue.agent.state.today_plan
    number = next(
        (n for n, item in enumerate(plan, 1) if not is_struck(item) and bare(item) == bare(cue.here.intent)), 0
    )
    dice = voice.dice_for(PLAN_STATUS)
    drawn = dice.random()
    is_done = number in finished or drawn < CARRIED_OUT
    if not number or (not is_done and drawn >= CARRIED_OUT + PUT_OFF):
        return []
    return [_report(cue, dice, number, "done" if is_done else "moved")]


def report_day(cue: Cue, voice: Voice, finished: Set[int]) -> list[dict[str, object]]:
    """Report in the evening on some items still open, and on all that are finished."""
    dice = voice.dice_for(PLAN_STATUS)
    left = set(open_items(cue.world, cue.agent))
    reports = []
    for number in [number for number, item in enumerate(cue.agent.state.today_plan, 1) if item in left]:
        is_spoken, drawn = dice.random() < SPOKEN_OF, dice.random()
        if number in finished:
            reports.append(_report(cue, dice, number, "done"))
        elif is_spoken:
            status = "dropped" if drawn < DROPPED else "done" if drawn < DROPPED + DONE else "moved"
            reports.append(_report(cue, dice, number, status))
    return reports


def _report(cue: Cue, dice: random.Random, number: int, status: str) -> dict[str, object]:
    why = "" if status == "done" else dice.choice(load_pack(cue.language)[f"why_{status}"])
    return {"item": number, "status": status, "text": why}


def audience(cue: Cue, voice: Voice, context: SpeechContext) -> list[str]:
    """Choose who may see a piece: mostly all present (empty), else the partner, or all by the board."""
    dice = voice.dice_for(AUDIENCE)
    if dice.random() >= FOR_FEW:
        return []
    return [context.partner.id] if context.partner and len(cue.here.others) > 1 else [BOARD]
