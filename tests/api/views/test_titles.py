"""What tells scenes apart, from one line of a logbook."""

from __future__ import annotations

import json

import pytest

from gm.api.views.day import view_day
from gm.api.views.logbook import shown_days
from gm.api.views.titles import LONGEST, scene_title
from gm.files.layout import Layout
from gm.model.logged import LogEntry


def titled(with_reasons: bool = True, /, **record: object) -> str:
    return scene_title(LogEntry(3, {"type": "ENCOUNTER", **record}), with_reasons=with_reasons)


def test_a_topic_is_the_title_before_anything_else() -> None:
    assert titled(topic="  The broken kiln. ", premise="As agreed: “Bring the list”", summary="…") == "The broken kiln"


def test_what_stands_in_the_calendar_is_the_title_of_its_scene() -> None:
    key = "event/day-004/D&D-Abend: »Der Zoll von Grauwerder«"
    assert titled(type="DND", answers=["thread-001", key]) == "D&D-Abend: »Der Zoll von Grauwerder«"


@pytest.mark.parametrize(
    ("why", "title"),
    [
        ("Finn will etwas fertig machen: »Arbeiten an: Summen der Türme«", "Summen der Türme"),
        ("Emre hat es vor: „In der Bibliothek nachschlagen: alte Hausordnungen“", "Alte Hausordnungen"),
        ("Casey has planned this: “Talk to Alex: the first minute at the table”", "The first minute at the table"),
        ('By hand: "the lamp in the hall"', "The lamp in the hall"),
        ("Zugesagt: »Emre sagt Finn am Montag: es sind neun«", "Emre sagt Finn am Montag: es sind neun"),
    ],
)
def test_what_a_scene_was_planned_for_is_its_title_without_the_errand(why: str, title: str) -> None:
    assert titled(why=why, dialogue=[{"agent": "vera", "text": "Guten Morgen."}]) == title


SHAME = "Wo steht einer, der sich schämt?"
LAMP = "Vera läuft mit einer Lampe über die alte Schwelle"
LONG = "lang " * 20


@pytest.mark.parametrize(
    ("premise", "said", "title"),
    [
        ("»Kurz. Vera geht in den Keller. Sie sucht dort.«", "Nein.", "Kurz. Vera geht in den Keller"),
        (f"»{LONG}bis dahin«", f"Das dauert. {SHAME}", f"Das dauert. {SHAME}"),
        (f"»Vera läuft mit einer Lampe über die alte Schwelle, damit {LONG}«", LONG, LAMP),
        (f"»Vera läuft mit einer Lampe über die alte Schwelle, damit {LONG}«", "Ja.", LAMP),
        (
            f"»Am 3. Mai reden sie über 3,5 Kilo Sand, {LONG}«",
            LONG,
            "Am 3. Mai reden sie über 3,5 Kilo Sand, " + "lang " * 8 + "…",
        ),
        ("»Testkarte Asche, Abnahmeblatt Nr. 1 ist da. Ja.«", "Ja.", "Testkarte Asche, Abnahmeblatt Nr. 1 ist da"),
        ("»Mit Finn sprechen: der Stand (mittags, teekueche)«", "Ja.", "Der Stand"),
    ],
)
def test_a_whole_sentence_goes_before_one_that_is_cut(premise: str, said: str, title: str) -> None:
    assert titled(premise=premise, dialogue=[{"agent": "vera", "text": said}]) == title


def test_no_later_sentence_or_short_clause_of_a_text_makes_a_title() -> None:
    later = f"Als {LONG}schliefen. I hid the silver spoon below the third stair."
    assert "spoon" not in titled(summary=later)
    short = "I hid the silver spoon, " + LONG
    assert titled(summary=short).startswith("I hid the silver spoon, lang")


def test_what_everybody_knows_goes_before_the_reasons() -> None:
    assert titled(premise="Wie verabredet: »Neun Meter Krepp«", why="Es drängt: »Etwas anderes«") == "Neun Meter Krepp"


def test_without_reasons_the_first_words_tell_a_scene_apart() -> None:
    dialogue = [{"agent": "vera", "text": "Hast du den Gips?"}]
    assert titled(False, why="»Geheimer Plan der Spielleitung«", dialogue=dialogue) == "Hast du den Gips?"


def test_an_old_line_without_dialogue_is_told_by_its_summary() -> None:
    assert titled(type="Besuch", summary="Mina zeigt Otto die alte Presse im Keller. Er staunt.") == (
        "Mina zeigt Otto die alte Presse im Keller"
    )


@pytest.mark.parametrize("kind", ["ARRIVAL", "REFLECTION", "ARRIVAL+REFLECTION"])
def test_scenes_that_are_named_by_their_type_have_no_other_title(kind: str) -> None:
    assert titled(type=kind, why="»Etwas«", summary="Alle kommen an.", dialogue=[{"agent": "v", "text": "Hallo"}]) == ""


@pytest.mark.parametrize("record", [{}, {"topic": 7, "why": None, "dialogue": "no list", "answers": {"a": 1}}])
def test_a_line_that_says_nothing_has_no_title(record: dict[str, object]) -> None:
    assert titled(True, **record) == ""


def test_a_title_of_two_lines_is_whole_and_ends_before_what_follows_a_semicolon() -> None:
    visit = "Emre kommt am Montag zu Darius in den Modellraum, wegen einer Hausordnung"
    assert titled(premise=f"»{visit}.«") == visit
    assert titled(premise=f"»{visit}; danach gehen beide neun Meter rückwärts.«") == visit


def test_a_title_is_short_and_ends_between_words() -> None:
    title = titled(topic="wort " * 40)
    assert len(title) <= LONGEST + 2
    assert title.endswith("wort …")
    assert len(titled(topic="x" * 200)) <= LONGEST + 2


def test_titles_tell_the_scenes_of_a_day_apart(played: Layout) -> None:
    day = view_day(played, 1)
    assert day is not None
    titles = [scene.title for scene in day.scenes if scene.type not in ("ARRIVAL", "REFLECTION")]
    assert titles
    assert all(titles)
    assert len(set(titles)) == len(titles)
    (brief,) = shown_days(played)
    assert [scene.title for scene in brief.scenes] == [scene.title for scene in day.scenes]


def test_a_title_that_quotes_a_private_memory_or_a_hidden_reason_is_kept_back(played: Layout) -> None:
    (memory, *rest) = played.stream("vera").read_text("utf-8").splitlines()
    node = json.loads(memory)
    secret = "Vera hat den Schlüssel zum Keller versteckt, und keiner weiß es."
    node |= {"description": secret, "tags": ["private"], "date": "day-001", "scene": 1}
    played.stream("vera").write_text("\n".join([json.dumps(node), *rest]) + "\n", "utf-8")
    log = played.day_log(1)
    lines = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    lines[1] |= {"premise": f"»{secret}«", "why": "»Ein Grund der Spielleitung«"}
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    shown, hidden, reasonless = (
        shown_days(played, keep)[0].scenes[1] for keep in ((), ("private",), ("private", "reasons"))
    )
    assert shown.title.startswith("Vera hat den Schlüssel")
    assert (hidden.title, reasonless.title, reasonless.why) == ("", "", "")
    view = view_day(played, 1, ("private",))
    assert view is not None
    assert view.scenes[1].title == ""
