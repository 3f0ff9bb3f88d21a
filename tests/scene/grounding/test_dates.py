from dataclasses import replace

import pytest

from gm.base.config import CalendarSettings, Settings
from gm.scene.grounding.dates import say_days
from tests.build import agent, world


def said(text: str, language: str = "de", *, day: int = 2, named: bool = True) -> str:
    """The days of the world are Monday to Friday, day 1 a Monday; ``named`` false: days have no names."""
    calendar = CalendarSettings() if named else CalendarSettings(weekdays=())
    one = replace(world(agent("vera")), settings=Settings(language=language, calendar=calendar))
    return say_days(one, text, day)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Ich bringe dir morgen die Maße.", "Ich bringe dir am Mittwoch die Maße."),
        ("Morgen um neun bringe ich sie.", "Am Mittwoch um neun bringe ich sie."),
        ("Heute Abend im Flur.", "Am Dienstagabend im Flur."),
        ("heute morgen und heute Nachmittag", "am Dienstagmorgen und am Dienstagnachmittag"),
        ("Bis morgen sind sie da.", "Bis Mittwoch sind sie da."),
        ("bis heute Abend, für übermorgen", "bis Dienstagabend, für Donnerstag"),
        ("Gut. Morgen früh.", "Gut. Am Mittwoch früh."),
        ("Fragen, was morgen am Mittwochsstand fehlt.", "Fragen, was am Mittwochsstand fehlt."),
        ("Ich komme morgen. Der Mittwochsstand ist um zehn.", "Ich komme am Mittwoch. Der Mittwochsstand ist um zehn."),
        ("Morgen kommt der Mittwochsstand.", "Am Mittwoch kommt der Mittwochsstand."),
        ("Den Namen holen, heute ist Dienstag.", "Den Namen holen, heute ist Dienstag."),
        ("Sobald er steht, kommt morgen der Mittwochsstand.", "Sobald er steht, kommt am Mittwoch der Mittwochsstand."),
        ("Ich komme heute am Dienstag um drei.", "Ich komme am Dienstag um drei."),
    ],
)
def test_a_german_text_names_the_days_it_means(text: str, read: str) -> None:
    assert said(text) == read


@pytest.mark.parametrize(
    "text",
    [
        "Am Morgen steht sie auf.",
        "Ich sage dir jeden Morgen guten Morgen.",
        "Ich sage dir guten morgen, am morgen.",
        "Ich schreibe »morgen« an die Tafel und “heute” darunter.",
        "Der heutige Plan bleibt, morgens wie abends.",
        "today and tomorrow",
    ],
)
def test_a_german_text_keeps_the_morning_what_is_quoted_and_the_words_of_other_languages(text: str) -> None:
    assert said(text) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("I'll bring it tomorrow.", "I'll bring it on Wednesday."),
        ("Tomorrow morning, then.", "On Wednesday morning, then."),
        ("by tonight, or by the day after tomorrow", "by Tuesday evening, or by Thursday"),
        ("Tonight at the gate.", "On Tuesday evening at the gate."),
        ("I'll pin up tomorrow's list.", "I'll pin up Wednesday's list."),
        ("It is ready from today’s rehearsal on.", "It is ready from Tuesday’s rehearsal on."),
        ("heute und morgen", "heute und morgen"),
    ],
)
def test_an_english_text_names_the_days_it_means(text: str, read: str) -> None:
    assert said(text, "en") == read


def test_days_without_names_are_numbered() -> None:
    assert said("bis morgen, sonst heute Abend", named=False) == "bis Tag 3, sonst an Tag 2, abends"
    assert said("Heute.", named=False) == "An Tag 2."
    assert said("by tomorrow, or today", "en", named=False) == "by day 3, or on day 2"


def test_the_week_goes_on_after_its_last_day() -> None:
    assert said("morgen", day=5) == "am Montag"


def test_other_languages_stay_as_they_are() -> None:
    assert said("morgen en heute", "nl") == "morgen en heute"
