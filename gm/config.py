"""Every setting of ``gm.yaml``, declared once: name, default, what is allowed, and one sentence.

``parse_settings`` turns the plain data of a YAML file into ``Settings``. What does not fit is reported as a
``SettingProblem`` value and the default is used, so that a reader sees all mistakes at once.
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

TIMES_OF_DAY = ("morning", "noon", "afternoon", "evening")

Check = Callable[[object], object]


@dataclass(frozen=True, slots=True)
class SettingProblem:
    """A setting that could not be used: where (its keys), what, and what to do."""

    keys: tuple[str | int, ...]
    code: str
    message: str
    hint: str = ""
    is_error: bool = True


# -- what is allowed ---------------------------------------------------------------------------------


def _text(value: object) -> object:
    if isinstance(value, str):
        return value
    raise ValueError("a text")


def _flag(value: object) -> object:
    if isinstance(value, bool):
        return value
    raise ValueError("true or false")


def _whole(low: int, high: int | None = None) -> Check:
    span = f"a whole number from {low} to {high}" if high is not None else f"a whole number, at least {low}"

    def check(value: object) -> object:
        if not isinstance(value, int) or isinstance(value, bool) or value < low or (high is not None and value > high):
            raise ValueError(span)
        return value

    return check


def _number(low: float) -> Check:
    def check(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value < math.inf:
            return float(value)
        raise ValueError(f"a number, at least {low:g}")

    return check


def _plain(value: object) -> object:
    """Read ``off`` and ``on`` as the words that they are in a name or a choice; in YAML they are false and true."""
    return {False: "off", True: "on"}[value] if isinstance(value, bool) else value


def _between(low: float, high: float) -> Check:
    def check(value: object) -> object:
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            return float(value)
        raise ValueError(f"a number from {low:g} to {high:g}")

    return check


def _one_of(*choices: str) -> Check:
    def check(value: object) -> object:
        if _plain(value) in choices:
            return _plain(value)
        raise ValueError("one of " + ", ".join(choices))

    return check


def _switch(value: object) -> object:
    """Read the switch of a layer: on, off, or on as soon as there is a file of it."""
    return _one_of("auto", "on", "off")(value)


def _span(low: int) -> Check:
    def check(value: object) -> object:
        if isinstance(value, list) and len(value) == 2:
            first, last = value
            if type(first) is type(last) is int and low <= first <= last:
                return (first, last)
        raise ValueError(f"two whole numbers [from, to], at least {low}, in this order")

    return check


def _or_none(check: Check) -> Check:
    def either(value: object) -> object:
        if value is None:
            return None
        try:
            return check(value)
        except ValueError as error:
            raise ValueError(f"{error} or null") from None

    return either


def _texts(value: object) -> object:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ValueError("a list of texts")


def _text_map(value: object) -> object:
    if isinstance(value, dict) and all(isinstance(k, str) and isinstance(v, str) for k, v in value.items()):
        return dict(value)
    raise ValueError("a mapping of names to texts")


def _word_lists(value: object) -> object:
    if isinstance(value, dict) and all(isinstance(key, str) and isinstance(item, list) for key, item in value.items()):
        words = [word for item in value.values() for word in item]
        # an empty word occurs in every text
        if all(isinstance(word, str) and word.strip() for word in words):
            return {key: tuple(word.strip() for word in item) for key, item in value.items()}
    raise ValueError("a list of words for each language: {de: [wichtig, …]}")


def _synonyms(value: object) -> object:
    if isinstance(value, dict) and all(isinstance(word, str) and word.strip() for word in value):
        lists = {word: [item] if isinstance(item, str) else item for word, item in value.items()}
        if all(isinstance(item, list) and all(isinstance(word, str) for word in item) for item in lists.values()):
            return {word: tuple(item) for word, item in lists.items()}
    raise ValueError("words, each with the others that mean the same: {Elfenbein: [Knochenturm, Turm]}")


def _iso_date(value: object) -> object:
    # YAML reads 2026-03-02 as a date of its own
    text = value if isinstance(value, str) else getattr(value, "isoformat", str)()
    if isinstance(text, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return text
    raise ValueError("a date: 2026-03-02")


def _counts(low: int) -> Check:
    def check(value: object) -> object:
        if isinstance(value, dict) and all(
            isinstance(name, str) and type(number) is int and number >= low for name, number in value.items()
        ):
            return dict(value)
        raise ValueError(f"a mapping of names to whole numbers, at least {low}")

    return check


def _weights(value: object) -> object:
    names = ("relevance", "recency", "importance")
    if isinstance(value, dict) and all(name in names for name in value):
        return {str(name): _number(0)(weight) for name, weight in value.items()}
    raise ValueError("a mapping of " + ", ".join(names) + " to numbers, at least 0")


def _records(value: object) -> object:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return tuple(value)
    raise ValueError("a list of mappings")


def _days_off(value: object) -> object:
    """Weekday names and story days; a name is compared by what it means, so it may be spelled in any known way."""
    if isinstance(value, list) and all(
        (isinstance(item, str) and item.strip()) or (type(item) is int and item >= 1) for item in value
    ):
        return tuple(value)
    raise ValueError("a list of weekday names and story days: [Saturday, Sunday, 14]")


ABSENCES = ("off", "remote")
_WHEN = ("weekday", "day", "days")


def _absences(value: object) -> object:
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        found = [item | {"how": _plain(item.get("how", "off"))} for item in value]
        for number, item in enumerate(found, 1):
            _check_absence(number, item)
        return tuple(found)
    raise ValueError("a list of mappings: {who: mina, weekday: Friday, how: remote}")


def _check_absence(number: int, item: Mapping[str, object]) -> None:
    found = [key for key in _WHEN if key in item]
    unknown = [str(key) for key in item if key not in ("who", "how", *_WHEN)]
    if unknown:
        raise ValueError(f"in entry {number} only who, how and one of weekday, day, days; not {unknown[0]}")
    if not isinstance(item.get("who"), str):
        raise ValueError(f"in entry {number} who: the id of a character")
    if item["how"] not in ABSENCES:
        raise ValueError(f"in entry {number} how: one of {', '.join(ABSENCES)}")
    if len(found) != 1:
        raise ValueError(f"in entry {number} exactly one of weekday, day, days")
    when = item[found[0]]
    fits = {
        "weekday": isinstance(when, str) and bool(when.strip()),
        "day": type(when) is int and when >= 1,
        "days": isinstance(when, list) and [type(day) for day in when] == [int, int] and bool(1 <= when[0] <= when[1]),
    }
    if not fits[found[0]]:
        forms = {"weekday": "a weekday", "day": "a story day, at least 1", "days": "two story days [from, to]"}
        raise ValueError(f"in entry {number} {found[0]}: {forms[found[0]]}")


PRICE_KEYS = ("input", "output", "cache_write_5m", "cache_write_1h", "cache_read", "batch")


def _prices(value: object) -> object:
    if not isinstance(value, dict):
        raise ValueError("a mapping of model names to prices: {model-name: {input: 3, output: 15}}")
    return {_name(model): _price(str(model), price) for model, price in value.items()}


def _name(value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ValueError("names of models; write a name that looks like a number in quotes")


def _price(model: str, value: object) -> dict[str, float]:
    if not isinstance(value, dict) or not {"input", "output"} <= set(value):
        raise ValueError(f"{model}: {{input: …, output: …}}, in US dollars for a million tokens")
    unknown = [str(key) for key in value if key not in PRICE_KEYS]
    if unknown:
        raise ValueError(f"of {model} only {', '.join(PRICE_KEYS)}; not {unknown[0]}")
    try:
        return {str(key): _dollars(amount) for key, amount in value.items()}
    except ValueError as error:
        raise ValueError(f"for each price of {model} {error}") from None


def _dollars(value: object) -> float:
    amount = _number(0)(value)
    assert isinstance(amount, float)
    return amount


def setting(default: Any, check: Check, sentence: str) -> Any:
    """Declare one setting: default, validator, and the sentence of the manual."""
    metadata = {"check": check, "doc": sentence}
    if isinstance(default, dict):
        return field(default_factory=lambda: dict(default), metadata=metadata)
    return field(default=default, metadata=metadata)


def _section(kind: type) -> Any:
    return field(default_factory=kind, metadata={"section": kind})


# -- the settings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """What every character knows about the world."""

    title: str = setting("", _text, "Name of the world.")
    premise: str = setting("", _text, "What every character knows: place, people, purpose, weekly rhythm.")
    rules: tuple[str, ...] = setting((), _texts, "What holds in this world, one short rule each.")


@dataclass(frozen=True, slots=True)
class CalendarSettings:
    """The week of the world."""

    weekdays: tuple[str, ...] = setting(
        ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag"),
        _texts,
        "Names of the days in order; day 1 is the first; the week starts over after the last.",
    )
    weekly: tuple[Mapping[str, object], ...] = setting(
        (),
        _records,
        "Recurring events: {weekday, time, event, type, place, with, lead}; without one of the four times of day it is "
        "a deadline. Weekdays are names in German or English, whichever `weekdays` uses.",
    )
    off: tuple[str | int, ...] = setting(
        (), _days_off, "Days on which nothing is played: weekday names or story days; the clock passes over them."
    )
    away: tuple[Mapping[str, Any], ...] = setting(
        (),
        _absences,
        "Who is not in the house: {who, weekday | day | days: [from, to], how}. off: in no scene of the day; remote: "
        "only in meetings, arranged talks and work of their own.",
    )
    start: str | None = setting(
        None, _or_none(_iso_date), "Date of day 1 in the real calendar, for questions that name one; null = none."
    )


@dataclass(frozen=True, slots=True)
class StartSettings:
    """How day 0 of a new world looks; read by `gm init` only."""

    status: str = setting("", _text, "State of things on the evening before day 1.")
    brief: str = setting("", _text, "The first brief, put on the bulletin board.")
    brief_from: str = setting("Creative Director", _text, "Who signs the first brief.")
    events: tuple[Mapping[str, object], ...] = setting((), _records, "Dated events: {day, time, event}.")


@dataclass(frozen=True, slots=True)
class DaySettings:
    """The shape of a day."""

    scenes: tuple[int, int] = setting(
        (3, 6),
        _span(1),
        "Scenes of a day beside reflections: at least the first number besides ARRIVAL, at most the second in all. "
        "Fewer only when nothing is left that would not break `in_a_row`.",
    )
    lunch: str = setting(
        "",
        _text,
        "Place where people meet at noon; empty = the first place that is called a kitchen, else where all meet.",
    )
    in_a_row: int = setting(2, _whole(1), "Most scenes of one type, and most talks, that follow each other in a day.")
    meetings: int = setting(1, _whole(0), "Most meetings of a day that neither a message nor the calendar asks for.")
    meeting_days: int = setting(
        2, _whole(1), "Most days in a row with a meeting that neither a message nor the calendar asks for."
    )
    scenes_each: int = setting(
        3, _whole(1), "Scenes of a day after which somebody stands back, as long as others wait; scenes of all count."
    )
    raise_at: float | None = setting(
        4.0,
        _or_none(_number(0)),
        "Points that a brief, an event, a due promise, a last question or a quarrel must give a scene for it to be"
        " played as an important moment (`raised` in the scene type); null = no scene is.",
    )
    library: str | None = setting(
        None, _or_none(_text), "Place where somebody looks something up; null = wherever the reader is at home."
    )


@dataclass(frozen=True, slots=True)
class WeightsSettings:
    """What the Game Master's reasons weigh.

    score of a scene = Σ over its reasons: weight of the part × measure of the reason

    A weight is in points. A measure lies between 0 and 1 and says how strongly the reason holds; it is below 0 for what
    speaks against a scene. 0 switches a part off. `gm plan` shows every part with its points.
    """

    event: float = setting(100.0, _number(0), "The calendar says that it is time.")
    brief: float = setting(60.0, _number(0), "A message from outside that nobody has taken up yet.")
    needed: float = setting(30.0, _number(0), "The day has had no work or no encounter yet, and is nearly full.")
    promise_due: float = setting(9.0, _number(0), "A promise that is due today, or overdue.")
    promise_soon: float = setting(4.0, _number(0), "A promise that is due tomorrow.")
    promise: float = setting(1.5, _number(0), "A promise with a later day, or without one; full after five days.")
    question: float = setting(4.5, _number(0), "A question that is open; full on the first days, then less and less.")
    cliffhanger: float = setting(5.0, _number(0), "Yesterday's last talk ended in a question that nobody answered.")
    plan: float = setting(6.0, _number(0), "Somebody has planned to talk to somebody; full when both have.")
    work: float = setting(4.5, _number(0), "Somebody wants to get something done; less with each time today.")
    library: float = setting(7.0, _number(0), "Somebody has planned to look something up.")
    artifact: float = setting(4.8, _number(0), "A piece of work that nobody has responded to.")
    unmet: float = setting(5.0, _number(0), "Two have not met for long; full after seven days, twice that after ten.")
    tension: float = setting(4.0, _number(0), "Two who quarrel keep out of each other's way; full after five days.")
    closeness: float = setting(1.5, _number(0), "Two are friends.")
    near: float = setting(1.5, _number(0), "They are in the same room.")
    company: float = setting(0.75, _number(0), "At work: somebody is in the room already, or at something related.")
    lunch: float = setting(4.0, _number(0), "It is noon, and people eat; half for two, full for three at one table.")
    rhythm: float = setting(14.0, _number(0), "The last round of all is long ago; full after five days.")
    deadline: float = setting(5.0, _number(0), "Work towards a deadline; the more, the fewer days are left.")
    assignment: float = setting(2.5, _number(0), "Work that touches an active brief.")
    time: float = setting(1.5, _number(0), "What suits the time of day: work in the morning, talks at noon.")
    stage: float = setting(2.5, _number(0), "Who has had no scene in a small circle for long; full after three days.")
    busy: float = setting(0.7, _number(0), "Against: each scene of today of whoever has had most.")
    pacing: float = setting(3.0, _number(0), "Against: the type that was just played.")
    again: float = setting(4.0, _number(0), "Against: the same people in the same kind of scene as today already.")
    focus: float = setting(8.0, _number(0), "The character that `--focus` names takes part.")
    dice: float = setting(1.5, _number(0), "Chance, seeded.")


@dataclass(frozen=True, slots=True)
class RetrievalSettings:
    """Which memories a character has before its eyes."""

    strategy: str = setting(
        "recent",
        _one_of("recent", "tags", "scored", "hybrid"),
        "How the memory window is chosen; scored and hybrid look for what is on somebody's mind when the day opens.",
    )
    last: int = setting(50, _whole(1), "Nodes of the memory window, newest last.")
    all_reflections: bool = setting(True, _flag, "Add every older node of depth 1 and more to the window.")
    tags_keep_reflections: bool = setting(
        False, _flag, "With strategy tags: add every reflection, not only those that carry a tag."
    )


@dataclass(frozen=True, slots=True)
class SignalSettings:
    """What counts when a memory is looked for by its words, and how much; `gm recall --explain` shows each part."""

    k1: float = setting(0.8, _number(0), "BM25: how much it counts that a word stands in a memory again and again.")
    b: float = setting(0.3, _between(0, 1), "BM25: how far a long memory is held against it; 0 = not at all.")
    pairs: float = setting(0.3, _number(0), "What it adds that two words stand together as in the question; 0 = off.")
    coverage: float = setting(0.3, _number(0), "What it adds that all of the question is covered; 0 = off.")
    compounds: float = setting(0.4, _between(0, 1), "What a part of a compound counts beside a whole word; 0 = off.")
    synonyms: float = setting(0.7, _between(0, 1), "What a word of the glossary counts beside its own; 0 = off.")
    speaker: float = setting(
        1.3, _number(0), "Factor for memories of whom the question names, by themselves and as neighbours; 1 = off."
    )
    named: float = setting(1.2, _number(0), "Factor for memories of whom the question names, at the end; 1 = off.")
    question: float = setting(0.75, _number(0), "Factor for memories that are questions; 1 = off.")
    before: float = setting(0.2, _number(0), "Share of the memory before, in the same conversation; 0 = off.")
    before_asks: float = setting(1.2, _number(0), "The same where the memory before is a question: this one answers.")
    two_before: float = setting(0.2, _number(0), "Share of the memory two before; 0 = off.")
    after: float = setting(0.2, _number(0), "Share of the memory after; 0 = off.")
    others: float = setting(
        0.4, _between(0, 1), "Factor for the share of the one before where not the person named answers; 1 = off."
    )
    session: float = setting(0.8, _number(0), "Share of the best memories of the same day or scene; 0 = off.")
    session_best: int = setting(3, _whole(1), "How many memories a day or scene is judged by.")
    session_is: str = setting("day", _one_of("day", "scene"), "What is one conversation, unless memories say it.")
    date: float = setting(
        0.8, _number(0), "What nearness to a day in the question adds, as a share of the best; 0 = off."
    )
    date_tau_days: float = setting(7.0, _number(0.01), "Real days after which nearness has fallen to 1/e.")
    story_tau_days: float = setting(1.0, _number(0.01), "The same for story days (`day 12`, `yesterday`).")
    length: float = setting(0.2, _number(0), "What a memory longer than others gains; 0 = off.")


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How `gm recall` and scenes look for memories."""

    strategy: str = setting(
        "hybrid", _one_of("recent", "tags", "scored", "hybrid"), "Strategy of `gm recall` where none is named."
    )
    limit: int = setting(10, _whole(1), "Memories that `gm recall` shows.")
    purpose: str = setting(
        "past", _one_of("past", "now"), "past: a question about what was; now: what the present needs, recent first."
    )
    preset: str = setting("adr006", _one_of("adr006", "park"), "Weights of strategy scored: .5/.3/.2 or 3/.5/2.")
    weights: Mapping[str, float] = setting(
        {},
        _weights,
        "Weights of strategy scored, instead of the preset's: {relevance: .5, recency: .3, importance: .2}.",
    )
    half_life_days: float = setting(6.0, _number(0.01), "Story days after which recency is one half.")
    tau_days: float | None = setting(
        None, _or_none(_number(0.01)), "Recency as exp(-days/tau) instead; null = by the half-life."
    )
    now_recency: float = setting(
        4.0, _number(0), "Strategy hybrid, purpose now: weight of recency beside that of the words; 0 = off."
    )
    now_half_life_days: float = setting(1.0, _number(0.01), "Half-life of that recency, in story days.")
    vectors: float = setting(
        0.5, _number(0), "Weight of vector similarity beside words, where there is an index; 0 = off."
    )
    signals: SignalSettings = _section(SignalSettings)


@dataclass(frozen=True, slots=True)
class RagSettings:
    """Memories that are looked for when a scene begins; a scene type's `rag` says the same for its scenes alone."""

    limit: int = setting(0, _whole(0), "Most memories that come to a character's mind beside the window; 0 = off.")
    query_template: str = setting(
        "",
        _text,
        "What is looked for: a Jinja template over scene, me and others; empty = topic, premise, people, plan.",
    )
    budget_tokens: int | None = setting(
        800, _or_none(_whole(50)), "Most estimated tokens of these memories; null = no limit."
    )


@dataclass(frozen=True, slots=True)
class ImportanceSettings:
    """What happens when a reply carries a memory without importance."""

    missing: str = setting(
        "heuristic",
        _one_of("heuristic", "llm", "batch", "error"),
        "heuristic: rated by rule; llm: a model is asked for each memory; batch: it is asked once for all of a scene;"
        " error: the reply is shown its problem. Recorded in metadata.importance_by.",
    )
    signals: Mapping[str, tuple[str, ...]] = setting(
        {},
        _word_lists,
        "Signal words of the rule by language, instead of the built-in ones for de and en: each that occurs in a text"
        " adds 0.5. Beginnings of words will do.",
    )


@dataclass(frozen=True, slots=True)
class ReflectionSettings:
    """When and how characters reflect."""

    enabled: bool = setting(True, _flag, "Schedule reflection scenes.")
    threshold: int = setting(100, _whole(1), "Summed importance that must be exceeded for a reflection.")
    inclusive: bool = setting(False, _flag, "Reaching the threshold is enough.")
    input: int = setting(30, _whole(1), "Most nodes since the last reflection that are looked back on.")
    insights: tuple[int, int] = setting((3, 5), _span(1), "Fewest and most insights of one reflection.")


@dataclass(frozen=True, slots=True)
class ThreadsSettings:
    """What becomes of promises and questions that are left open."""

    days: int | None = setting(
        7,
        _or_none(_whole(1)),
        "Story days after which the Game Master closes a thread that nobody has touched; null = never.",
    )
    shown: int = setting(8, _whole(0), "Most open threads that a character is shown, the most urgent first.")


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """How long a prompt may get."""

    budget_tokens: int | None = setting(
        None,
        _or_none(_whole(500)),
        "Most estimated tokens of a character's memories in a prompt; null = no limit.",
    )
    budget_by_model: Mapping[str, int] = setting(
        {}, _counts(500), "The same for single models, by name; they come before `budget_tokens`."
    )

    def budget_for(self, model: str) -> int | None:
        """Tell the budget of a model; None = no limit."""
        return self.budget_by_model.get(model, self.budget_tokens)


@dataclass(frozen=True, slots=True)
class SelfcareSettings:
    """When old memories are put together in summaries, and the originals go to the archive (S3-05…13)."""

    enabled: bool = setting(False, _flag, "Do it at the close of a day where it is due; `gm care` does it by hand.")
    min: int = setting(30, _whole(2), "Fewest memories that are worth a summary.")
    batch: int = setting(500, _whole(2), "Most memories of one question to the model, the oldest first.")
    token_ceiling: int = setting(
        100_000, _whole(1000), "Estimated tokens of a stream above which its oldest memories are summarised."
    )
    post_ceiling: int = setting(50_000, _whole(500), "Estimated tokens to which a stream is brought down then.")
    summary_ceiling: int = setting(
        12_000,
        _whole(4000),
        "Estimated tokens of a character's summaries above which the oldest are themselves summarised, down to half.",
    )
    prompt_tokens: int = setting(
        30_000, _whole(2000), "Most estimated tokens of the memories in one question; long ones are shortened in it."
    )
    at_home: bool = setting(False, _flag, "Only when the character is where it is at home.")


@dataclass(frozen=True, slots=True)
class ConversationsSettings:
    """How many conversations somebody keeps in mind (S3-15)."""

    max: int = setting(
        1000, _whole(1), "Conversation memories of a stream above which self-care summarises the oldest of them."
    )


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """Which memories go to the archive without a summary (S1-16, S1-17)."""

    strategy: str = setting(
        "none",
        _one_of("none", "importance_weighted", "fifo", "recency"),
        "What goes first at the close of a day: importance_weighted: the least of importance · 0.7 + recency · 0.3; "
        "fifo: the first in the stream; recency: the longest ago; none = nothing does.",
    )
    max_observations: int = setting(1000, _whole(1), "Most memories of depth 0 that a stream keeps.")
    max_reflections: int | None = setting(
        100, _or_none(_whole(1)), "Most memories of depth 1 and more that a stream keeps; null = all."
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """How the model is asked."""

    model: str = setting(
        "claude-sonnet-5",
        _text,
        "Model of the Anthropic Messages API that `model: auto` asks when there is a key.",
    )
    concurrency: int = setting(16, _whole(1, 200), "Calls under way at the same time.")
    max_tokens: int = setting(4096, _whole(256, 21000), "Most tokens of one answer.")
    timeout_s: float = setting(180.0, _number(1), "Seconds until a call that says nothing is given up.")
    max_retries: int = setting(4, _whole(0, 20), "Repeats after a rate limit, an overload or a lost connection.")
    cache: str = setting(
        "auto",
        _one_of("auto", "5m", "1h", "off"),
        "How long the provider keeps what prompts have in common; auto = 5m at the Anthropic API, off elsewhere.",
    )
    structured: str = setting(
        "auto",
        _one_of("auto", "schema", "prompt"),
        "How the form of a reply is asked for: as a schema, in the prompt, or auto = schema at the Anthropic API, "
        "both at other servers.",
    )


@dataclass(frozen=True, slots=True)
class BudgetSettings:
    """What a story day may cost. A call that could exceed a limit is not begun; what was spent is in the traces."""

    day_usd: float | None = setting(None, _or_none(_number(0)), "Most US dollars of a story day; null = no limit.")
    day_tokens: int | None = setting(
        None, _or_none(_whole(0)), "Most tokens of a story day, questions and answers together; null = no limit."
    )
    calls: int | None = setting(None, _or_none(_whole(0)), "Most calls of a story day; null = no limit.")


@dataclass(frozen=True, slots=True)
class ModelsSettings:
    """Which model is asked for what; null = the one that plays everything else. A persona's own `model` comes first."""

    scene: str | None = setting(None, _or_none(_text), "Plays scenes.")
    reflection: str | None = setting(None, _or_none(_text), "Reflects.")
    director: str | None = setting(None, _or_none(_text), "Chooses scenes, with `director: llm`.")
    summary: str | None = setting(None, _or_none(_text), "Puts old memories together in summaries (`selfcare`).")
    rating: str | None = setting(None, _or_none(_text), "Rates importance that a reply left out.")

    def by_purpose(self) -> dict[str, str]:
        """Name the models that are set, by purpose."""
        return {item.name: model for item in fields(self) if (model := getattr(self, item.name))}


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """The optional embedding index: derived vectors that let recall find a memory by its meaning."""

    enabled: bool = setting(False, _flag, "Let recall use vectors, next to words.")
    provider: str = setting(
        "auto",
        _one_of("auto", "ollama", "openai", "local"),
        "Who embeds: a server that speaks Ollama's or OpenAI's form, auto = whichever it understands, or local = "
        "sentence-transformers in this process.",
    )
    url: str = setting(
        "http://localhost:11434", _text, "Address of the embedding server; one that ends in /v1 speaks OpenAI's form."
    )
    model: str = setting(
        "nomic-embed-text", _text, "Embedding model; another one makes all vectors stale until `gm index build`."
    )
    dimensions: int = setting(768, _whole(1, 65536), "Length of the model's vectors.")
    batch: int = setting(64, _whole(1, 2048), "Most texts of one call; what was embedded is kept after each.")
    timeout_s: float = setting(30.0, _number(1), "Seconds until an embedding server that says nothing is given up.")
    key_env: str = setting(
        "GM_INDEX_KEY", _text, "Environment variable with the key for a server that speaks OpenAI's form."
    )
    text_prefix: str | None = setting(
        None, _or_none(_text), "Put before each memory that is embedded; null = what the model is known to want."
    )
    query_prefix: str | None = setting(
        None, _or_none(_text), "Put before each question that is embedded; null = what the model is known to want."
    )
    catch_up: int = setting(
        50, _whole(0), "Most memories without a vector that recall embeds by itself before it answers."
    )
    ann_above: int = setting(
        100_000, _whole(0), "Memories of one character above which the closest are searched for approximately."
    )


@dataclass(frozen=True, slots=True)
class SeedsSettings:
    """What everybody knows from the start beside personas and places; `gm gift` makes it into gifted memories."""

    lessons: tuple[str, ...] = setting((), _texts, "Lessons that everybody brings along, one sentence or a few each.")


@dataclass(frozen=True, slots=True)
class ToolsSettings:
    """The memory tools of `gm mcp`."""

    scope: str = setting(
        "self", _one_of("self", "all"), "Whose memories they search: the character's own, or everybody's."
    )
    reinforced: float = setting(
        0.1, _number(0), "What relevance gains each time the number of reinforcements doubles, as a share; 0 = nothing."
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of a world; ``Settings()`` is what an absent ``gm.yaml`` means."""

    language: str = setting("de", _text, "Language of the world and of its prompts: de, en, or one with own prompts.")
    seed: int = setting(1, _whole(0), "Dice of the Game Master; --seed overrides it.")
    model: str = setting(
        "auto",
        _text,
        "auto, rehearsal, mailbox, replay, or a model name of the Anthropic Messages API; --model overrides it.",
    )
    director: str = setting(
        "rules",
        _one_of("rules", "llm", "script"),
        "Who chooses the scenes of a day: rules (by score), llm (a model, among the same candidates), script (a file in"
        " scripts/, where there is one for the day); --director overrides it.",
    )
    world: WorldSettings = _section(WorldSettings)
    calendar: CalendarSettings = _section(CalendarSettings)
    places: Mapping[str, str] = setting({}, _text_map, "Rooms: id and one sentence each.")
    start: StartSettings = _section(StartSettings)
    day: DaySettings = _section(DaySettings)
    weights: WeightsSettings = _section(WeightsSettings)
    retrieval: RetrievalSettings = _section(RetrievalSettings)
    recall: RecallSettings = _section(RecallSettings)
    rag: RagSettings = _section(RagSettings)
    glossary: Mapping[str, tuple[str, ...]] = setting(
        {}, _synonyms, "Words of this world and others that mean the same, for looking things up: {word: [word, …]}."
    )
    importance: ImportanceSettings = _section(ImportanceSettings)
    reflection: ReflectionSettings = _section(ReflectionSettings)
    threads: ThreadsSettings = _section(ThreadsSettings)
    context: ContextSettings = _section(ContextSettings)
    selfcare: SelfcareSettings = _section(SelfcareSettings)
    conversations: ConversationsSettings = _section(ConversationsSettings)
    retention: RetentionSettings = _section(RetentionSettings)
    llm: LlmSettings = _section(LlmSettings)
    models: ModelsSettings = _section(ModelsSettings)
    budget: BudgetSettings = _section(BudgetSettings)
    index: IndexSettings = _section(IndexSettings)
    seeds: SeedsSettings = _section(SeedsSettings)
    tools: ToolsSettings = _section(ToolsSettings)
    prices: Mapping[str, Mapping[str, float]] = setting(
        {},
        _prices,
        "US dollars for a million tokens, by model: {model-name: {input: 3, output: 15}}. Also cache_write_5m, "
        "cache_write_1h and cache_read (1.25, 2 and 0.1 of the input where left out) and batch (0.5).",
    )


def parse_settings(data: object) -> tuple[Settings, list[SettingProblem]]:
    """Turn the data of a ``gm.yaml`` into settings.

    Args:
        data: What the YAML file says; None for an absent or empty file.

    Returns:
        The settings, with the default wherever a value was unusable, and every problem found.
    """
    problems: list[SettingProblem] = []
    parsed = _parse_section(Settings, {} if data is None else data, (), problems)
    assert isinstance(parsed, Settings)
    return parsed, problems


def _parse_section(kind: type, data: object, keys: tuple[str | int, ...], problems: list[SettingProblem]) -> object:
    assert is_dataclass(kind)
    if not isinstance(data, dict):
        problems.append(SettingProblem(keys, "setting-type", f"{_shown(data)} found, settings (name: value) expected"))
        return kind()
    known = {item.name: item for item in fields(kind)}
    values: dict[str, object] = {}
    for key, value in data.items():
        name = _plain(key)
        place = (*keys, str(name))
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=1)
            hint = f"did you mean {near[0]}?" if near else "known here: " + ", ".join(known)
            problems.append(
                SettingProblem(place, "setting-unknown", f"no setting is called {str(name)!r}", hint, is_error=False)
            )
            continue
        section = known[name].metadata.get("section")
        if section is not None:
            values[name] = _parse_section(section, {} if value is None else value, place, problems)
            continue
        try:
            values[name] = known[name].metadata["check"](value)
        except ValueError as expected:
            problems.append(
                SettingProblem(
                    place,
                    "setting-value",
                    f"{'.'.join(map(str, place))} is {_shown(value)}, expected {expected}",
                    known[name].metadata["doc"],
                )
            )
    return kind(**values)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
