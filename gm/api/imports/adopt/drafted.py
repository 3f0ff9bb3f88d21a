"""The files that an adopted world lacks, with comments on what was guessed and what to fill in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import Any

import yaml

from gm.api.imports.adopt.survey import LARGEST_DAY, Match, PersonaSource, Survey
from gm.base.casefold import casefold
from gm.base.config import Settings
from gm.base.config.world import WORKING_DAYS, working_week
from gm.base.languages import Language, all_languages, either
from gm.model.calendar import weekday
from gm.model.front import FRONT
from gm.model.world import Agent
from gm.scene.pieces.names import slug


@dataclass(frozen=True, slots=True)
class DraftedFile:
    """A new file's text, and what in it to review."""

    text: str
    fill_in: tuple[str, ...]


def spell(value: object) -> str:
    """Render a value on one line; strings are quoted unless they are plain words."""
    if isinstance(value, str) and not _is_plain(value):
        plain = json.dumps(value, ensure_ascii=False)
        return plain if _is_read_as(plain, value) else json.dumps(value)
    shown = yaml.safe_dump(value, default_flow_style=True, allow_unicode=True, width=2**31, sort_keys=False)
    return str(shown).removesuffix("\n").removesuffix("\n...")


def _is_plain(text: str) -> bool:
    return text.replace("-", "").replace("_", "").isalnum() and _is_read_as(text, text)


def _is_read_as(shown: str, value: object) -> bool:
    try:
        return bool(yaml.safe_load(f"[{shown}]") == [value])
    except yaml.YAMLError:
        return False


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


TAKEN = ("role", "age", "pronouns", "color", "archetype", "decision_style", "communication", "wish")
LISTS = ("traits", "skills", "values")


def draft_persona(agent: Agent, match: Match | None, places: Iterable[str]) -> DraftedFile:
    """Render a persona: supported front matter, and the source's prose verbatim.

    Hints for the user are comments in the front matter.
    """
    if match is None:
        return _stub(agent)
    front, left = _usable(agent, match.source.front, tuple(places))
    workspace = _workspace(match.source.front)
    lines = [f"{key}: {spell(value)}" for key, value in front.items()]
    fill_in = []
    if "role" not in front:
        lines.append("# FILL IN: role: what the character is or does")
        fill_in.append("role")
    if "home" not in front:
        about = f"; {workspace!r} is not a known place" if workspace else ""
        lines.append(f"# FILL IN: home: id of a place in gm.yaml, where the character usually is{_join_lines(about)}")
        fill_in.append(f"home{about}")
    if left:
        lines.append(_join_lines(f"# not taken over: {', '.join(left)}"))
    fill_in += _look_at(match.source)
    head = ["---", f"# from {_join_lines(match.source.path)}", *lines, "---"]
    text = "\n".join(head) + "\n"
    if "\r\n" in match.source.prose:
        text = text.replace("\n", "\r\n")
    return DraftedFile(text + match.source.prose, tuple(fill_in))


def place_texts(matches: Mapping[str, Match], places: Iterable[str]) -> dict[str, str]:
    """Return the descriptions of places in the sources."""
    known = tuple(places)
    texts: dict[str, str] = {}
    for match in matches.values():
        workspace = _workspace(match.source.front)
        place = find_place(workspace, known)
        if place and casefold(workspace) != casefold(place):
            texts.setdefault(place, workspace)
    return texts


def find_place(workspace: str, places: Iterable[str]) -> str | None:
    """Return the known place of a workspace: ``Art Station (room 7b)`` is ``art-station``."""
    plain = re.sub(r"\(.*?\)", "", workspace)
    names = {slug(part, "") for part in (plain, *re.split(r"[/,;]", plain))} - {""}
    return next((place for place in places if slug(place, "") in names), None)


def _stub(agent: Agent) -> DraftedFile:
    lines = [
        "---",
        f"name: {spell(agent.name)}",
        "# FILL IN: role: what the character is or does",
        "# FILL IN: age, pronouns, home (id of a place in gm.yaml)",
        "# FILL IN, below the second line of hyphens: who the character is, how it speaks, what it wants",
        "---",
    ]
    return DraftedFile("\n".join(lines) + "\n", ("everything: nothing was found about this character",))


def _usable(agent: Agent, front: Mapping[str, Any], places: tuple[str, ...]) -> tuple[dict[str, Any], list[str]]:
    name = front.get("name")
    # names in agent definitions are often file names
    is_display = isinstance(name, str) and (" " in name.strip() or name[:1].isupper())
    taken: dict[str, Any] = {"name": name.strip() if is_display and isinstance(name, str) else agent.name}
    used = {"name"} if is_display or casefold(str(name)) == casefold(agent.id) else set()
    valid, _ = FRONT.read_all(front)
    for key in TAKEN:
        value = getattr(valid, key)
        if str(value).strip():
            taken[key] = value.strip() if isinstance(value, str) else value
    taken |= {key: list(listed) for key in LISTS if (listed := getattr(valid, key))}
    place = find_place(_workspace(front), places)
    if place:
        taken["home"] = place
        used.add(_workspace_key(front))
    order = ("name", "role", "age", "pronouns", "color", "home")
    taken = {key: taken[key] for key in (*order, *(key for key in taken if key not in order)) if key in taken}
    return taken, [key for key in front if key not in used and key not in taken and key != "sprite"]


def _workspace_key(front: Mapping[str, Any]) -> str:
    ranked = zip_longest(*(one.workspaces for one in reversed(all_languages())), fillvalue="")
    known = chain.from_iterable(ranked)
    return next((key for key in known if isinstance(front.get(key), str) and front[key].strip()), "")


def _workspace(front: Mapping[str, Any]) -> str:
    key = _workspace_key(front)
    return str(front[key]).strip() if key else ""


def _look_at(source: PersonaSource) -> list[str]:
    found = []
    reply_format = re.compile(either(one.reply_format for one in all_languages()), re.IGNORECASE)
    if not source.prose.strip():
        found.append("who the character is: the source has no prose")
    for number, line in enumerate(source.prose.split("\n"), 1):
        if reply_format.search(line):
            found.append(
                f"the prose speaks of a reply format of its own (line {number} of it: {' '.join(line.split())[:50]!r}):"
                " take that part out, gm says by itself how to reply"
            )
            break
    return found


def _join_lines(text: str) -> str:
    return " ".join(text.split()) if "\n" in text else text
