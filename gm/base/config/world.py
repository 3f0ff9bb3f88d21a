"""The world, its week, its days, and what the Game Master's reasons weigh."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gm.base import plugins
from gm.base.config import kinds, setting_kinds
from gm.base.config.declare import SettingsSection, setting

TIMES_OF_DAY = setting_kinds.TIMES_OF_DAY
WORKING_DAYS = 5


def working_week(language: str) -> tuple[str, ...]:
    """Return the names of Monday to Friday; in English if the language is unknown."""
    from gm.base.languages import language_of  # most commands need no language

    return language_of(language).weekdays[:WORKING_DAYS]


class WorldSettings(SettingsSection):
    """What every character knows about the world."""

    title: str = setting("", kinds.text, "Name of the world.")
    author: str = setting("", kinds.text, "Who made the world; books name it on their title page.")
    premise: str = setting("", kinds.text, "What every character knows: place, people, purpose, weekly rhythm.")
    rules: tuple[str, ...] = setting((), kinds.texts, "What holds in this world, one short rule each.")
    outside: str = setting(
        "Creative Director", kinds.words, "The person outside: who writes the briefs and notes on the board."
    )
    kinds: tuple[str, ...] = setting(
        ("concepts", "writing", "design", "audio", "tech", "planning"),
        setting_kinds.folder_names,
        "Kinds of pieces that characters are told of, one word each; a kind is a folder in the gallery.",
    )


class CalendarSettings(SettingsSection):
    """The week of the world."""

    weekdays: tuple[str, ...] = setting(
        None,
        kinds.or_none(kinds.texts),
        "Names of the days in order; day 1 is the first; the week starts over after the last; null = Monday to Friday "
        "in the language of the world, in English where gm does not know that language; [] = days have no names.",
    )
    weekly: tuple[Mapping[str, object], ...] = setting(
        (),
        kinds.records("{weekday: Thursday, time: evening, event: Games night, place: hall, lead: tobi}"),
        "Recurring events: {weekday, time, event, type, place, with, lead}; without one of the four times of day it is "
        "a deadline. Weekdays are names or abbreviations of any language that gm knows, or those of `weekdays`.",
    )
    off: tuple[str | int, ...] = setting(
        (),
        setting_kinds.days_off,
        "Days on which nothing is played: weekday names or story days; the clock passes over them.",
    )
    away: tuple[Mapping[str, Any], ...] = setting(
        (),
        setting_kinds.absences,
        "Who is not in the house: {who, weekday | day | days: [from, to], how}; [from, null]: for good. off: in no "
        "scene of the day; remote: only in meetings, arranged talks and work of their own.",
    )
    start: str | None = setting(
        None,
        kinds.or_none(setting_kinds.iso_date),
        "Date of day 1 in the real calendar, for questions that name one; null = none.",
    )


class StartSettings(SettingsSection):
    """How day 0 of a world looks; read until it has `state/world.json` and `state/bulletin.json`."""

    status: str = setting("", kinds.text, "State of things on the evening before day 1.")
    brief: str = setting("", kinds.text, "The first brief, put on the bulletin board.")
    brief_from: str | None = setting(
        None, kinds.or_none(kinds.text), "Who signs the first brief; null = `world.outside`."
    )
    events: tuple[Mapping[str, object], ...] = setting(
        (),
        kinds.records("{day: 5, time: afternoon, event: The heating is repaired}"),
        "Dated events: {day, time, event}.",
    )


class DaySettings(SettingsSection):
    """The shape of a day."""

    times: tuple[str, ...] = setting(
        ("morning", "noon", "afternoon"),
        setting_kinds.times_of_day,
        "Times of day with scenes of their own: some of morning, noon, afternoon, evening. In an evening that is not "
        "named here only events and scene types that come back are played.",
    )
    scenes: tuple[int, int] = setting(
        (3, 6),
        kinds.span(1),
        "Scenes of a day beside reflections: at least the first number besides ARRIVAL, at most the second in all. "
        "Fewer only when nothing is left that would not break `in_a_row`.",
    )
    busy: int = setting(
        8,
        kinds.whole(0),
        "Most extra scenes of a day, beyond the second number of `scenes`, for appointments, and for promises to "
        "go and see another character today; up to two of them also for talks that both characters planned.",
    )
    together: int | str = setting(
        "auto",
        kinds.or_auto(kinds.whole(1)),
        "Scenes of one time of day, and of the next once it has all its own, that are played at the same time, if they "
        "share no person, place or matter, and land together; auto = 1 up to a dozen characters, else as many as there "
        "are. Unless it is 1, in a round of more than a dozen several speak at the same time, and `in_a_row` counts "
        "only scenes of the same people.",
    )
    lunch: str = setting(
        "",
        kinds.text,
        "Place where people meet at noon; empty = the first place that is called a kitchen, else where all meet.",
    )
    in_a_row: int = setting(
        2,
        kinds.whole(1),
        "Most scenes of one type, and most talks, that follow each other in a day, unless they are arranged: by an "
        "appointment, by the plans of both, or by one for a clock time and a place.",
    )
    meetings: int = setting(
        1, kinds.whole(0), "Most meetings of a day that neither a message nor the calendar asks for."
    )
    meeting_days: int = setting(
        2, kinds.whole(1), "Most days in a row with a meeting that neither a message nor the calendar asks for."
    )
    scenes_each: int = setting(
        3,
        kinds.whole(1),
        "Scenes of a day after which a character gives way to those with fewer; scenes of the whole cast count.",
    )
    patience: int = setting(
        2,
        kinds.whole(0),
        "Days until the same two are brought together again over the same matter, and an open thread is taken up again,"
        " unless a promise is due that day or an appointment asks for it; 0 = no rest.",
    )
    company: bool = setting(
        True,
        kinds.flag,
        "Whether every character in the house has company in at least one scene of a day, arriving aside, unless it"
        " wants none; with too few scenes for so many it cannot be kept.",
    )
    raise_at: float | None = setting(
        4.0,
        kinds.or_none(kinds.number(0)),
        "Points that a brief, an event, an appointment, a due promise, a last question or a quarrel must give a scene"
        " for it to be played as an important moment (`raised` in the scene type); null = no scene is.",
    )
    last_word: bool = setting(
        True,
        kinds.flag,
        "Whether characters are asked once more after a scene for what they remember, where its type says so "
        "(`last_word`).",
    )
    library: str | None = setting(
        None, kinds.or_none(kinds.text), "Place where characters read in the library; null = the reader's home."
    )


class WeightsSettings(SettingsSection):
    """What the Game Master's reasons weigh.

    score of a scene = Σ over its reasons: weight of the part × measure of the reason

    A weight is in points. A measure lies between 0 and 1 and says how strongly the reason holds; it is below 0 for what
    speaks against a scene. 0 switches a part off. `gm plan` shows every part with its points.
    """

    event: float = setting(100.0, kinds.number(0), "The calendar says that it is time.", source="calendar")
    brief: float = setting(
        60.0, kinds.number(0), "A message from outside that no scene has taken up yet.", source="board"
    )
    appointment: float = setting(
        40.0,
        kinds.number(0),
        "It was arranged for now; half before the last scenes of a day when no time was named.",
        source="appointments",
    )
    needed: float = setting(30.0, kinds.number(0), "The day has had no work or no encounter yet, and is nearly full.")
    promise_due: float = setting(9.0, kinds.number(0), "A promise that is due today, or overdue.", source="threads")
    promise_soon: float = setting(4.0, kinds.number(0), "A promise that is due tomorrow.")
    promise: float = setting(1.5, kinds.number(0), "A promise with a later day, or without one; full after five days.")
    question: float = setting(
        4.5, kinds.number(0), "A question that is open; full on the first days, then less and less."
    )
    missed: float = setting(5.0, kinds.number(0), "An appointment came to nothing the day before, or two days ago.")
    cliffhanger: float = setting(5.0, kinds.number(0), "Yesterday's last talk ended in a question without an answer.")
    plan: float = setting(
        6.0,
        kinds.number(0),
        "A character has planned to talk to another; two and a half times that when it is due and both have, for a "
        "clock time and a place, or when it came to nothing the day before; less for later ones in the plan.",
        source="plans",
    )
    work: float = setting(4.5, kinds.number(0), "A character wants to get something done; less with each time today.")
    library: float = setting(7.0, kinds.number(0), "A character has planned to look something up.")
    artifact: float = setting(4.8, kinds.number(0), "A piece of work without a response.", source="artifacts")
    unmet: float = setting(
        5.0, kinds.number(0), "Two have not met for long; full after seven days, twice that after ten."
    )
    tension: float = setting(
        4.0, kinds.number(0), "Two who quarrel keep out of each other's way; full after five days."
    )
    closeness: float = setting(1.5, kinds.number(0), "Two are friends.")
    near: float = setting(1.5, kinds.number(0), "They are in the same room.")
    company: float = setting(
        0.75, kinds.number(0), "At work: another character is in the room already, or works on something related."
    )
    lunch: float = setting(
        4.0, kinds.number(0), "It is noon, and people eat; half for two, full for three at one table.", source="chance"
    )
    rhythm: float = setting(
        14.0,
        kinds.number(0),
        "The last scene of a type that comes back, such as the round of all, is long ago; full after the days that its"
        " `every` says.",
        source="declared",
    )
    deadline: float = setting(5.0, kinds.number(0), "Work towards a deadline; the more, the fewer days are left.")
    assignment: float = setting(2.5, kinds.number(0), "Work that touches an active brief.")
    time: float = setting(1.5, kinds.number(0), "What suits the time of day: work in the morning, talks at noon.")
    goal: float = setting(
        2.5, kinds.number(0), "A character has done nothing for a goal for days; full after seven days."
    )
    stage: float = setting(
        2.5, kinds.number(0), "Who has had no scene in a small circle for long; full after three days."
    )
    busy: float = setting(0.7, kinds.number(0), "Subtracted for each scene today of the busiest participant.")
    pacing: float = setting(3.0, kinds.number(0), "Subtracted for the type that was just played.")
    again: float = setting(
        4.0, kinds.number(0), "Subtracted for the same people in the same kind of scene as today already."
    )
    later: float = setting(6.0, kinds.number(0), "Subtracted if the same people are to meet later today anyway.")
    unready: float = setting(6.0, kinds.number(0), "Subtracted for a talk that is to show work not begun today.")
    added: Mapping[str, float] = setting(
        {},
        setting_kinds.weights_of_added(plugins.SOURCES),
        "What sources of scenes weigh that installed packages add, by name; one without a weight offers nothing.",
    )
    focus: float = setting(8.0, kinds.number(0), "The character that `--focus` names takes part.")
    dice: float = setting(1.5, kinds.number(0), "Chance, seeded.")


class ThreadsSettings(SettingsSection):
    """What becomes of promises and questions that are left open."""

    days: int | None = setting(
        7,
        kinds.or_none(kinds.whole(1)),
        "Story days after which the Game Master closes an untouched thread; null = never.",
    )
    shown: int = setting(8, kinds.whole(0), "Most open threads that a character is shown, the most urgent first.")
