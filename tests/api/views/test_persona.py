"""Diaries as pages of a book, and souls."""

from __future__ import annotations

import json

from gm.api.views.persona import PAGE_SIZE, view_diary, view_layer, view_persona
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.soul import SOUL
from tests.stories.playing import set_sections


def write(layout: Layout, *entries: dict[str, object]) -> None:
    layout.layer_folder(DIARY).mkdir(exist_ok=True)
    layout.layer(DIARY, "vera").write_text("".join(json.dumps(item) + "\n" for item in entries), encoding="utf-8")


def test_a_diary_is_read_from_its_end(studio: Layout) -> None:
    write(studio, {"day": "day-001", "text": "Erster."}, {"day": "day-002", "text": "Zweiter.", "mood": "wund"})
    page = view_diary(studio, "vera")
    assert [(entry.day, entry.day_of_week, entry.text) for entry in page.entries] == [
        (2, "Dienstag", "Zweiter."),
        (1, "Montag", "Erster."),
    ]


def test_a_long_diary_has_pages(studio: Layout) -> None:
    write(studio, *({"day": day, "text": f"Tag {day}"} for day in range(1, PAGE_SIZE + 2)))
    first, second = view_diary(studio, "vera"), view_diary(studio, "vera", 2)
    assert (first.pages, first.count, len(first.entries)) == (2, PAGE_SIZE + 1, PAGE_SIZE)
    assert [entry.day for entry in second.entries] == [1]


def test_a_private_entry_is_marked_or_left_out(studio: Layout) -> None:
    write(studio, {"day": 1, "text": "Geheim.", "tags": ["Private"]}, {"day": 2, "text": "Offen."})
    assert [entry.is_private for entry in view_diary(studio, "vera").entries] == [False, True]
    page = view_diary(studio, "vera", hidden=frozenset(("private",)))
    assert ([entry.text for entry in page.entries], page.count) == (["Offen."], 1)


def test_without_a_diary_there_is_none_and_a_broken_line_is_named(studio: Layout) -> None:
    assert not view_diary(studio, "vera").is_on
    write(studio, {"day": "gestern", "text": "x"})
    assert [problem.code for problem in view_diary(studio, "vera").problems] == ["diary-day"]
    set_sections(studio.settings, "diary: off\n")
    assert view_diary(studio, "vera").problems == ()


def test_each_part_of_a_voice_is_a_fact(studio: Layout) -> None:
    studio.persona("vera").write_text(
        "---\nage: 31\nvoice: {sentences: Kurz., humour: Trocken., _note: geheim, pace: langsam}\n---\nDu bist Vera.\n",
        encoding="utf-8",
    )
    view, _, _ = view_persona(studio, "vera")
    voice = (("voice.sentences", ("Kurz.",)), ("voice.humour", ("Trocken.",)), ("voice.pace", ("langsam",)))
    assert tuple((fact.key, fact.texts) for fact in view.facts) == (("age", ("31",)), *voice)
    studio.persona("vera").write_text("---\nvoice: Kurz.\n---\nDu bist Vera.\n", encoding="utf-8")
    assert [(fact.key, fact.texts) for fact in view_persona(studio, "vera")[0].facts] == [("voice", ("Kurz.",))]


def test_a_soul_is_shown_list_by_list(studio: Layout) -> None:
    studio.layer_folder(SOUL).mkdir()
    studio.layer(SOUL, "vera").write_text(
        "beliefs: [Es steht.]\nfears: [Glätte, Lärm]\neid: Nie lügen.\n", encoding="utf-8"
    )
    soul = view_layer(studio, SOUL, "vera")
    assert soul.is_on
    assert soul.kinds == (("beliefs", ("Es steht.",)), ("fears", ("Glätte", "Lärm")), ("eid", ("Nie lügen.",)))


def test_without_a_soul_there_is_none_and_a_broken_file_is_named(studio: Layout) -> None:
    assert not view_layer(studio, SOUL, "vera").is_on
    studio.layer_folder(SOUL).mkdir()
    studio.layer(SOUL, "vera").write_text("beliefs: [", encoding="utf-8")
    (problem,) = view_layer(studio, SOUL, "vera").problems
    assert problem.path == "state/souls/vera.yaml"
