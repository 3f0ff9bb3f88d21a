"""A world of four days, written by hand: a promise is opened on day 1, taken up on 2, kept on 4."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.relationships import HISTORY, RELATIONSHIPS

PROMISE = "I will bring you the copper kettle by Thursday, Bo."
REMINDER = "I have not forgotten the copper kettle."
KEPT = "Here it is, the kettle."
WHERE_IS_CY = "Where were you on Sunday, Cy?"
THREADS = (
    {"id": "thread-001", "at": "day-001/scene-02", "event": "open", "by": "ada", "kind": "promise", "to": ["bo"]}
    | {"due": 4, "text": PROMISE},
    {"id": "thread-002", "at": "day-001/scene-02", "event": "open", "by": "bo", "kind": "question", "to": ["cy"]}
    | {"due": None, "text": WHERE_IS_CY},
    {"id": "thread-003", "at": "day-002/scene-01", "event": "open", "by": "bo", "kind": "appointment", "to": ["cy"]}
    | {"due": 3, "time": "noon", "place": "yard", "text": "We meet in the yard, Cy."},
    {"id": "thread-004", "at": "day-002/scene-02", "event": "open", "by": "cy", "kind": "silence", "to": ["bo"]}
    | {"due": None, "text": "I tell nobody of the letter."},
    {
        "id": "thread-003",
        "at": "day-003/scene-02",
        "event": "close",
        "by": "gm",
        "outcome": "replaced",
        "text": "Moved.",
    },
    {"id": "thread-005", "at": "day-003/scene-02", "event": "open", "by": "cy", "kind": "appointment", "to": ["bo"]}
    | {"due": 4, "replaces": "thread-003", "text": "Rather on Thursday, Bo."},
    {"id": "thread-001", "at": "day-004/scene-01", "event": "close", "by": "ada", "outcome": "kept", "text": KEPT},
    {"id": "thread-005", "at": "day-004", "event": "close", "by": "gm", "outcome": "missed", "text": "Nobody came."},
)


def _scene(number: int, cast: Iterable[str], **more: Any) -> dict[str, Any]:
    told = {"type": "ENCOUNTER", "time_of_day": "noon", "location": "yard", "why": "", "dialogue": [], "answers": []}
    return {"scene": number, **told, "participants": list(cast), "memories": [], "artifacts": []} | more


def _said(*lines: tuple[str, str]) -> list[dict[str, str]]:
    return [{"agent": who, "text": text} for who, text in lines]


def _close(**more: Any) -> dict[str, Any]:
    return {"type": "SUMMARY", "summary": "A day.", "highlights": [], "memories": []} | more


LOGBOOK: Mapping[int, list[dict[str, Any]]] = {
    1: [
        _scene(1, ("ada", "bo", "cy"), type="ARRIVAL", location=""),
        _scene(2, ("ada", "bo"), dialogue=_said(("ada", PROMISE), ("bo", "Good."))),
        _close(carried=[{"thread": "thread-001", "reason": "It only came up today."}]),
    ],
    2: [
        _scene(
            1, ("bo", "ada"), answers=["thread-001", "thread-001"], dialogue=_said(("bo", "Well?"), ("ada", REMINDER))
        ),
        _scene(2, ("cy", "bo"), location="kitchen", dialogue=_said(("cy", "Not a word of it."))),
        _close(carried=[{"thread": "thread-001", "reason": "There is time until Thursday."}]),
    ],
    3: [
        _scene(1, ("ada",), location="cellar"),
        _scene(2, ("bo", "cy"), answers=["thread-003"], dialogue=_said(("cy", "Rather on Thursday, Bo."))),
        _close(carried=[{"thread": "thread-001", "reason": "It is due tomorrow."}]),
    ],
    4: [_scene(1, ("ada", "bo"), location="kitchen", dialogue=_said(("ada", KEPT))), _close()],
}


def make_story(root: Path, *, language: str = "en", logbook: bool = True) -> Layout:
    """Write the world: ``ada``, ``bo`` and ``cy``, with a diary of ada's and what bo thinks of cy."""
    layout = Layout(root)
    week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    if language == "de":
        week = ["Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag"]
    write(layout.settings, f"language: {language}\ncalendar: {{weekdays: {json.dumps(week)}}}\ndiary: on\n")
    write(layout.world, json.dumps({"day": 4, "day_of_week": week[3]}))
    for name in ("ada", "bo", "cy"):
        write(layout.stream(name), "")
        write(layout.agent(name), json.dumps({"name": name.capitalize()}))
        write(layout.persona(name), f"---\nname: {name.capitalize()}\n---\nLives here.\n")
    write(layout.threads, lines_of(THREADS))
    for day, lines in LOGBOOK.items() if logbook else ():
        write(layout.day_log(day), lines_of(lines))
    entry = {"day": 2, "text": "The kettle weighs on me. And more.", "mood": "uneasy", "location": "", "tags": []}
    write(layout.layer(DIARY, "ada"), lines_of([entry]))
    regards = {"cy": {"relationship_type": "neighbour", "trust_level": 0.1}}
    write(layout.layer(RELATIONSHIPS, "bo"), json.dumps(regards))
    changes = [
        ("day-002/scene-02", 0.3, 0.5, "Cy told me something."),
        ("day-003/scene-02", 0.5, 0.1, "Cy put me off."),
    ]
    history = (
        {"at": at, "with": "cy", "old": {"trust_level": old}, "new": {"trust_level": new}, "why": why}
        for at, old, new, why in changes
    )
    write(layout.layer(RELATIONSHIPS, "bo", HISTORY), lines_of(history))
    return layout


def lines_of(records: Iterable[Mapping[str, Any]]) -> str:
    """Write records one a line."""
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
