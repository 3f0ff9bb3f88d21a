"""The ``gm.yaml`` of an adopted world, with comments on what was guessed and what to fill in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gm.api.imports.adopt.drafted import DraftedFile, spell
from gm.api.imports.adopt.survey import LARGEST_DAY, Survey
from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.config.world import WORKING_DAYS, working_week
from gm.base.languages import Language, all_languages
from gm.model.calendar import weekday

FEWEST_DAYS = 2


def render_settings(survey: Survey, place_texts: Mapping[str, str]) -> DraftedFile:
    """Render the settings; ``place_texts`` are known descriptions by place id."""
    fill_in: list[str] = []
    lines = [
        *_head(survey, fill_in),
        *_world(survey, fill_in),
        *_calendar(survey, fill_in),
        *_render_places(survey, place_texts, fill_in),
        *_render_day(survey),
    ]
    return DraftedFile("\n".join(lines) + "\n", tuple(fill_in))


def spoken_language(survey: Survey) -> str:
    """Return the guessed language, else the default."""
    return survey.language.language or Settings().language


def _head(survey: Survey, fill_in: list[str]) -> list[str]:
    counts = ", ".join(f"{number} small words {name}" for name, number in survey.language.counts.items())
    if survey.language.language:
        note = f"guessed from the texts: {counts}"
    else:
        note = f"not clear from the texts ({counts}): set it yourself"
        fill_in.append(f"language: {note}; de and en have prompts, another one needs its own")
    return [
        "# Settings of this world. Every key is optional; what is not said here has its default.",
        "# Made by gm adopt from the files of the world. Lines that say FILL IN are for a person.",
        f"language: {spoken_language(survey)}   # {note}",
        "seed: 1   # dice of the Game Master",
        "# model: auto   # auto, rehearsal, or a model name",
    ]


def _world(survey: Survey, fill_in: list[str]) -> list[str]:
    title, source = survey.title
    fill_in.append("world.premise: what every character knows: the place, the people, what they are there for")
    fill_in.append("world.rules: what holds in this world, one short rule each")
    return [
        "world:",
        f"  title: {spell(title)}   # from {source}",
        "  # FILL IN: what every character knows: the place, the people, what they are there for, the week.",
        '  premise: ""',
        "  # FILL IN: what holds in this world, one short rule each.",
        "  rules: []",
    ]


def _calendar(survey: Survey, fill_in: list[str]) -> list[str]:
    week = fit_week(survey.days, spoken_language(survey))
    lines = ["calendar:"]
    if not week.is_certain:
        lines.append("  # FILL IN: is this the week? Day 1 is the first name; it starts over after the last.")
        fill_in.append(f"calendar.weekdays: is this the week? ({week.why})")
    lines.append(f"  weekdays: [{', '.join(spell(name) for name in week.names)}]   # {week.why}")
    example = week.names[-1] if week.names else "…"
    lines.append(
        f'  # weekly:   # what happens every week, for example {{weekday: {example}, time: evening, event: "…"}}'
    )
    return lines


def _render_places(survey: Survey, texts: Mapping[str, str], fill_in: list[str]) -> list[str]:
    if not survey.places and not survey.odd_places:
        fill_in.append("places: no file names one; characters can only be in places that stand here")
        return ["# FILL IN: places, id and one sentence each", "places: {}"]
    bare = [name for name in survey.places if not texts.get(name)]
    if bare:
        fill_in.append("places: one sentence each for " + ", ".join(bare))
    if survey.odd_places:
        fill_in.append("places: not taken for places: " + ", ".join(survey.odd_places))
    head = "# FILL IN: one sentence for each place: what one sees, hears, smells there."
    return [head, *(["places:"] if survey.places else ["places: {}"]), *_place_lines(survey, texts)]


def _place_lines(survey: Survey, texts: Mapping[str, str]) -> Sequence[str]:
    lines = [f"  {spell(name)}: {spell(texts.get(name, ''))}   # {why}" for name, why in survey.places.items()]
    lines += [f'  # {spell(name)}: ""   # {why}; no single place?' for name, why in survey.odd_places.items()]
    return lines


def _render_day(survey: Survey) -> list[str]:
    played = [count for count in survey.scenes if count]
    if len(played) < FEWEST_DAYS:
        return []
    high = min(max(played), LARGEST_DAY)
    so_far = ", ".join(map(str, played))
    return ["day:", f"  scenes: [{min(*played, high)}, {high}]   # as in the logbooks so far: {so_far} scenes a day"]


@dataclass(frozen=True, slots=True)
class WeekNames:
    """The names of a week, day 1 first, and the reason for them."""

    names: tuple[str, ...]
    why: str
    is_certain: bool = False


def fit_week(days: Mapping[int, str], language: str) -> WeekNames:
    """Find a week that fits all known weekdays (names by story day).

    Order: five days from Monday (the default), seven from Monday, seven from another day, five from another.
    """
    if not days:
        return WeekNames(working_week(language), "no file names a weekday; this is a guess")
    shown = ", ".join(f"day {day} is {' '.join(name.split())}" for day, name in sorted(days.items())[-3:])
    for known in all_languages():
        usual = _usual_weekdays(known)
        named = {day: usual.get(casefold(name), casefold(name)) for day, name in days.items()}
        for week in _weeks(known.weekdays):
            if all(casefold(weekday(day, week)) == name for day, name in named.items()):
                return WeekNames(week, shown, is_certain=len(set(days.values())) > WORKING_DAYS)
    return WeekNames((), f"{shown}; no week of known names fits")


def _weeks(names: Sequence[str]) -> list[tuple[str, ...]]:
    short, whole = tuple(names[:WORKING_DAYS]), tuple(names)
    return [short, *_rotate(whole), *_rotate(short)[1:]]


def _rotate(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [names[place:] + names[:place] for place in range(len(names))]


def _usual_weekdays(language: Language) -> dict[str, str]:
    pairs = zip(language.weekdays, language.short_weekdays, strict=True)
    return {other: casefold(name) for name, others in pairs for other in others.split()}
