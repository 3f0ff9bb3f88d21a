"""``gm mind diary``: entries by day and by word, in every spelling."""

from __future__ import annotations

import json

import pytest

from gm.files.layout import Layout
from gm.layers.diary import DIARY
from tests.cli.running import Run

VERA = (
    {
        "day": "day-001",
        "date": "2026-03-02",
        "mood": "müde",
        "location": "atelier",
        "text": "Die Tür blieb offen.",
        "tags": ["emre"],
    },
    {
        "day": "day-002",
        "date": "2026-03-03",
        "mood": "wach",
        "location": "küche",
        "text": "Größe ist alles.\n\nFast.",
        "tags": [],
    },
    {"day": "day-010", "date": "2026-03-11", "text": "Zehn."},
)
EMRE = ({"day": 2, "text": "Die Tuer war zu."},)


@pytest.fixture
def world(studio: Layout) -> Layout:
    studio.layer_folder(DIARY).mkdir()
    for name, entries in (("vera", VERA), ("emre", EMRE)):
        text = "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)
        studio.layer(DIARY, name).write_text(text, encoding="utf-8")
    return studio


def shown(run: Run, world: Layout, *arguments: object) -> list[tuple[str, str]]:
    document = run("diary", *arguments, "--json", "-w", world.root).document
    return [(item["day"], item["agent"]) for item in document["entries"]]


def test_all_entries_stand_in_the_order_of_days(run: Run, world: Layout) -> None:
    assert shown(run, world) == [("day-001", "vera"), ("day-002", "emre"), ("day-002", "vera"), ("day-010", "vera")]
    assert shown(run, world, "emre") == [("day-002", "emre")]


def test_an_entry_is_shown_with_its_date_mood_and_place(run: Run, world: Layout) -> None:
    assert run("diary", "vera", "--day", "2", "-w", world.root).out.splitlines() == [
        "day-002 vera  (2026-03-03, wach, küche)",
        "    Größe ist alles.",
        "    ",
        "    Fast.",
    ]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        ("1", ["day-001"]),
        ("day-010", ["day-010"]),
        ("1-2", ["day-001", "day-002"]),
        ("day-002-day-010", ["day-002", "day-010"]),
        ("2026-03-11", ["day-010"]),
        ("7", []),
    ],
)
def test_days_are_meant_in_every_form(run: Run, world: Layout, days: str, found: list[str]) -> None:
    assert [day for day, _ in shown(run, world, "vera", "--day", days)] == found


@pytest.mark.parametrize("days", ["heute", "3-1", "day-001/scene-02", ""])
def test_what_is_no_day_is_refused(run: Run, world: Layout, days: str) -> None:
    assert run("diary", "--day", days, "-w", world.root).code == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("tür", [("day-001", "vera"), ("day-002", "emre")]),
        ("TUER", [("day-001", "vera"), ("day-002", "emre")]),
        ("tuer offen", [("day-001", "vera")]),
        ("groesse", [("day-002", "vera")]),
        ("emre", [("day-001", "vera")]),
        ("kueche", [("day-002", "vera")]),
        ("fenster", []),
    ],
)
def test_words_are_found_over_all_dates_in_every_spelling(
    run: Run, world: Layout, text: str, found: list[tuple[str, str]]
) -> None:
    assert shown(run, world, "--search", text) == found


def test_without_diaries_it_says_how_to_have_them(run: Run, studio: Layout) -> None:
    outcome = run("diary", "-w", studio.root)
    assert (outcome.code, outcome.out) == (0, "There are no entries yet.\n")
    assert "diary: on" in outcome.err
    assert run("diary", "nobody", "-w", studio.root).code != 0
