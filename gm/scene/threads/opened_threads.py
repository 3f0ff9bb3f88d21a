"""What a reply opens: its addressees, words, day, time and place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from gm.base.casefold import casefold
from gm.base.languages import all_languages, either, in_any_language
from gm.base.texts import unquoted
from gm.layers.declare import quote_words
from gm.model.calendar import time_rank
from gm.model.scene import Scene
from gm.model.thread import Thread, read_time, time_of_day
from gm.model.world import World, find_agent
from gm.scene.dialogue.turns import Turn
from gm.scene.grounding.attendance import attending
from gm.scene.grounding.dates import say_days
from gm.scene.grounding.hours import AT, read_hour
from gm.scene.grounding.mentions import find_mentioned_place
from gm.scene.pieces.known_pieces import audience_of, is_for, is_hung_up
from gm.scene.pieces.names import slug

if TYPE_CHECKING:
    from gm.model.scene_reply import Opened

MOST_DAYS_AHEAD = 400  # a date written as one number is not a story day


def reached_by(world: World, scene: Scene, turn: Turn, *, aloud: bool) -> tuple[str, ...]:
    """Return the characters that a turn reaches.

    Spoken aloud: all present. In a piece: its audience among them. On the board: all who attend today.
    """
    artifact = turn.reply.artifact
    if artifact and is_hung_up(artifact):
        found = dict.fromkeys((*scene.cast, *attending(world)))
    else:
        audience = () if aloud else audience_of(world, turn)
        found = dict.fromkeys(name for name in scene.cast if is_for(audience, name))
    return tuple(name for name in found if name != turn.agent)


def read_opened(
    world: World, scene: Scene, agent: str, opened: Opened, reached: Sequence[str], identifier: str
) -> tuple[Thread, list[str]]:
    """Return what an agent opens as a thread, and a warning for each thing it says that cannot be meant."""
    warnings: list[str] = []
    if casefold(unquoted(opened.to or "")) in in_any_language(lambda one: one.everyone):
        opened = opened.model_copy(update={"to": None})
    today, due = scene.ref.day, None if opened.kind == "silence" else opened.due
    text = say_days(world, " ".join(opened.text.split()), today)
    if due is not None and not today <= due <= today + MOST_DAYS_AHEAD:
        what = "over" if due < today else "years away"
        warnings.append(f"{agent}: due on day {due}, which is {what}; kept without a day: {quote_words(text)}")
        due = None
    outside = (world.settings.world.outside,) if asks_outside(world, opened) else ()
    arranged = opened.kind == "appointment"
    due = today if arranged and due is None else due
    to = _find_addressed(world, agent, opened, reached)
    if missed := _find_missed(world, agent, opened, to) if to or not arranged else ():
        names = ", ".join(map(quote_words, missed))
        warnings.append(f"{agent}: said to {names}, who did not hear it; kept without: {quote_words(text)}")
    is_timed = arranged or (opened.kind == "promise" and due is not None)
    time, wrong = _read_time(world, scene, opened, text, due) if is_timed else ("", [])
    warnings += [f"{agent}: {one}" for one in wrong]
    thread = Thread(
        id=identifier,
        kind=opened.kind,
        by=agent,
        to=(*to, *outside),
        text=text,
        opened=str(scene.ref),
        due=due,
        time=time,
        place=_place(world, agent, opened, warnings) or find_mentioned_place(world, text) if is_timed else "",
        touched=str(scene.ref),
    )
    return thread, warnings


def _read_time(world: World, scene: Scene, opened: Opened, text: str, day: int | None) -> tuple[str, list[str]]:
    warnings = []
    said = unquoted(opened.time)
    time = read_time(said)
    if said and not time:
        warnings.append(f"arranged for {quote_words(opened.time)}, which is not a time; kept without one")
    hour = read_hour(text, world.settings.language, time_of_day(time))
    if hour and hour.is_clock and hour.relation == AT and time in ("", hour.part):
        time = hour.clock
    if day == scene.ref.day and _is_over(scene, time):
        warnings.append(f"arranged for {quote_words(opened.time)}, which is over; kept without a time")
        return "", warnings
    return time, warnings


def _is_over(scene: Scene, time: str) -> bool:
    part = time_of_day(time)
    now = time_rank(scene.time_of_day)
    return bool(part) and (time_rank(part) < now or (part != time and bool(scene.clock) and time < scene.clock))


def _place(world: World, agent: str, opened: Opened, warnings: list[str]) -> str:
    known = {casefold(place): place for place in world.settings.places}
    place = known.get(casefold(unquoted(opened.place)), "")
    if opened.place and not place:
        warnings.append(
            f"{agent}: arranged at {quote_words(opened.place)}, which is not a place here; kept without one"
        )
    return place


def asks_outside(world: World, opened: Opened) -> bool:
    """Return whether something opened is a question to the person outside."""
    outside = slug(world.settings.world.outside, "")
    named = {slug(name, "") for name in list_named(opened.to or "")} - {""}
    return opened.kind == "question" and outside in named


def _find_addressed(world: World, agent: str, opened: Opened, reached: Sequence[str]) -> tuple[str, ...]:
    if opened.to is None or not opened.to.strip():
        return tuple(reached)
    said = list_named(opened.to)
    named = dict.fromkeys(name for one in said if (name := find_agent(world.agents, one)) and name != agent)
    heard = tuple(name for name in reached if name in named)
    # an appointment is also with those who are yet to be fetched
    fetched = [name for name in named if name not in heard] if heard and opened.kind == "appointment" else ()
    return (*heard, *fetched)


def _find_missed(world: World, agent: str, opened: Opened, to: Sequence[str]) -> list[str]:
    """Return the names under ``to`` by which no one is addressed."""
    kept = {agent, *to}
    outside = slug(world.settings.world.outside, "") if asks_outside(world, opened) else ""

    def is_kept(name: str) -> bool:
        return find_agent(world.agents, name) in kept or (bool(outside) and slug(name, "") == outside)

    whole, *parts = list_named((opened.to or "").strip())
    return [] if not whole or is_kept(whole) else [name for name in parts if name.strip() and not is_kept(name)]


def list_named(to: str) -> tuple[str, ...]:
    """Return what may be names in an addressee: all of it first, then its parts between commas or conjunctions."""
    return (to, *_compile_conjunction().split(to))


@cache
def _compile_conjunction() -> re.Pattern[str]:
    words = either(one.conjunction for one in all_languages())
    return re.compile(rf"\s*[,;/&]\s*|\s+(?:{words})\s+")
