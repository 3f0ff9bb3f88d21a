"""The diary of a character, written on the evening of each day."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from gm.base.config import kinds
from gm.base.texts import shorten_at_word
from gm.layers import declare
from gm.layers.rules import Finding, LayerFiles
from gm.memory.recall.dates import find_spans
from gm.memory.share import is_private
from gm.model.calendar import SceneRef, parse_ref, render_day
from gm.model.record import Key, Record

SHORT, LONG = 120, 2_000
"""Characters of a mood, and of an entry, that a prompt shows."""


@dataclass(frozen=True, slots=True)
class DiaryEntry:
    """One line of ``state/diary/<name>.jsonl``; ``DIARY_ENTRY`` describes the attributes.

    Source:
        Document 003, diary: one entry a date, mood and location, searchable by word. Here the key is the story day.
    """

    day: int
    text: str
    mood: str = ""
    location: str = ""
    date: str = ""
    tags: tuple[str, ...] = ()


def _day_of(value: object) -> int | None:
    if type(value) is int:
        return value if value >= 0 else None
    ref = parse_ref(value) if isinstance(value, str) else None
    return ref.day if ref and not ref.scene else None


def _texts(value: object) -> object:
    return kinds.loose_texts(value) if isinstance(value, list) else ()


DIARY_ENTRY = Record(
    DiaryEntry,
    "entry of a diary",
    Key(
        "day",
        kinds.Kind(
            "a day such as day-003",
            lambda value: _day_of(value) is not None,
            {"type": ["string", "integer"], "pattern": "^day-[0-9]{3,18}$", "minimum": 0},
            keep=_day_of,
            write=render_day,
        ),
        "which story day it is about, such as day-003 for day 3; there is one entry a day",
    ),
    Key(
        "date",
        kinds.text,
        "the day of the real calendar, 2026-03-04, where calendar.start says which one day 1 is",
        default="",
        null=True,
        brief=True,
    ),
    Key("mood", kinds.text, "the mood it was written in, in quotes", default="", null=True),
    Key("location", kinds.text, "where it was written, in quotes", default="", null=True),
    Key("text", kinds.words, "what was written; an entry without words is none: delete the line"),
    Key("tags", kinds.Kind("texts", lambda _: True, kinds.texts.schema, keep=_texts), "key words", default=()),
    code="diary-{key}",
    noted=True,
)
"""A line of ``state/diary/<name>.jsonl``."""


Diary = tuple[DiaryEntry, ...]


def _show(shown: declare.ShownMoment, diary: Diary) -> dict[str, object] | None:
    # Out of scene, the entry of a day which the question names. Where a plan is made, an entry of today does not count.
    scene = shown.scene
    if not scene or not (scene.type.plan or scene.is_asked):
        return None
    latest = scene.ref.day if scene.is_asked else scene.ref.day - 1
    written = sorted((entry for entry in diary if entry.day <= latest), key=lambda entry: entry.day)
    if not written:
        return None
    week = shown.world.settings.calendar.weekdays
    days = find_spans(scene.topic, scene.ref.day, week) if scene.is_asked else ()
    named = [one for one in written if any(day.first <= one.day <= day.last for day in days if not day.real)]
    entry = (named or written)[-1]
    return {
        "day": entry.day,
        "last": entry is written[-1],
        "tonight": entry.day == scene.ref.day,
        "yesterday": entry.day == scene.ref.day - 1,
        "mood": shorten_at_word(entry.mood, SHORT),
        "text": shorten_at_word(entry.text, LONG),
    }


def _write(_data: Mapping[str, object], entry: DiaryEntry) -> list[declare.AppendedLines]:
    return [declare.AppendedLines([DIARY_ENTRY.render(entry)])]


def _check(found: LayerFiles) -> Iterator[Finding]:
    # One entry a day, in order, none in the future.
    lines: dict[int, int] = {}
    latest = 0
    for number, record in found.data.items():
        keys, day = (number, "day"), DIARY_ENTRY.read(record).day
        if day in lines:
            message = f"a second entry of day {day}; the first one stands in line {lines[day]}"
            hint = "there is one entry a day: put the two together, or delete one"
            yield Finding(keys, "diary-twice", message, hint)
        elif day < latest:
            yield Finding(
                keys, "diary-order", f"day {day} stands after day {latest}", "it is found all the same", "info"
            )
        yield from found.check_day(keys, "diary-future", day)
        lines.setdefault(day, number)
        latest = max(latest, day)


def _value_at(diary: Diary, moment: SceneRef) -> Diary:
    last = moment.day - bool(moment.scene)  # written when the day is over
    return tuple(entry for entry in diary if entry.day <= last)


DIARY: declare.Layer[Diary, DiaryEntry] = declare.Layer(
    name="diary",
    empty=(),
    file=declare.File("diary", declare.LINES, tuple, _write, record=DIARY_ENTRY, check=_check, joined="day"),
    advance=lambda diary, entry: (*diary, entry),
    view=declare.PromptView("last_night", _show, None),
    about="An entry each evening.",
    example='{"day": "day-002", "mood": "tired", "location": "boathouse", "text": "The keel holds.", "tags": []}',
    sample=(DiaryEntry(0, "Text.", "calm"),),
    card=lambda diary, _: [declare.CardEntry(entry.text, [f"day {entry.day}"]) for entry in diary],
    page="diary",
    commands=("gm mind diary {agent}",),
    describe=lambda record: str(record.get("text", record.get("entry", record.get("content", record)))),
    open=lambda diary: tuple(entry for entry in diary if not is_private(entry.tags)),
    value_at=_value_at,
    without={"mcp": "the memory tools are those of the documents, and none of them is for the diary"},
)
"""Written in the evening by a prompt of its own (``scene.evening.off_scene``), so without ``reply``."""
