"""Days that the narrator writes as chapters when they close: asked once, kept in the logbook, shown to readers."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.playing.forecast.make import make_forecast
from gm.api.playing.forecast.report import describe_forecast
from gm.api.views.day import view_day
from gm.files.layout import Layout
from gm.llm.base import Request
from gm.llm.choose import Choice
from gm.llm.identity import identity
from gm.play.narrator import CHAPTER
from tests.stories.paying import Paid
from tests.stories.playing import (
    Counting,
    Heard,
    Scripted,
    check_replay,
    copied,
    objections,
    play,
    records,
    set_sections,
)
from tests.stories.test_retold import closing, letter

ON = "day: {scenes: [2, 3]}\nchapters: on\n"
OFF = "day: {scenes: [2, 3]}\nchapters: off\n"
Reply = dict[str, Any]


@pytest.fixture
def narrated(dinner: Layout) -> Layout:
    set_sections(dinner.settings, ON)
    return dinner


def chapters(backend: Counting | Scripted) -> list[Request]:
    return [request for request in backend.asked if request.label == "chapter"]


def telling(text: object) -> Scripted:
    """Make a backend that plays as the rehearsal does and writes the chapters that it is given."""
    return Scripted(lambda request, reply: {"body": text} if request.label.startswith("chapter") else reply)


def test_each_day_becomes_a_chapter_and_the_next_one_is_given_it(narrated: Layout) -> None:
    backend = Counting()
    play(narrated, days=2, backend=backend)
    asked = chapters(backend)
    assert [(one.place, one.purpose, one.who) for one in asked] == [
        ("day-001", "narrator", ""),
        ("day-002", "narrator", ""),
    ]
    assert {one.purpose for one in backend.asked} >= {"scene", "narrator"}
    assert "retold" not in closing(narrated)
    first, second = map(letter, asked)
    text = closing(narrated)["chapter"]
    assert " met (" in text
    assert "# Your chapter of the day before" not in first
    assert "\n".join(f"> {line}" for line in text.splitlines()) in second
    brief = json.loads(narrated.bulletin.read_text(encoding="utf-8"))["posts"][0]["content"]
    assert brief[:200] in first
    assert brief[:200] in second
    assert objections(narrated) == []


def test_every_other_question_of_the_day_stays_the_same(narrated: Layout, tmp_path: Path) -> None:
    without = copied(narrated, tmp_path / "without")
    set_sections(without.settings, OFF)
    on, off = Counting(), Counting()
    play(narrated, days=2, backend=on)
    play(without, days=2, backend=off)
    assert {identity(one, on) for one in on.asked} - {identity(one, off) for one in off.asked} == {
        identity(one, on) for one in chapters(on)
    }
    assert "chapter" not in closing(without)


def test_a_chapter_is_given_whole_scenes_and_nothing_that_anyone_keeps_to_itself(narrated: Layout) -> None:
    long = "Salt and bread and water. " * 200

    def change(request: Request, reply: Reply) -> Reply:
        if reply.get("dialogue"):
            reply["dialogue"] = [{"to": None, "text": f"Aloud says {request.who}. {long}"}]
        if "thoughts" in reply:
            reply["thoughts"] = f"SECRET thought of {request.who}."
        for memory in reply.get("memories", ()):
            memory["description"] = f"SECRET memory {request.label} of {request.who} at {request.place}."
        return reply

    backend = Scripted(change)
    play(narrated, backend=backend)
    (asked,) = chapters(backend)
    said = [line["text"] for entry in records(narrated.day_log(1)) for line in entry.get("dialogue", ())]
    assert sum(map(len, said)) > 40_000
    assert all(" ".join(line.split()) in letter(asked) for line in said)
    assert "SECRET" not in letter(asked)


def test_a_chapter_is_told_which_scenes_weighed_most(narrated: Layout) -> None:
    heaviest = "day-001/scene-02"

    def change(request: Request, reply: Reply) -> Reply:
        for memory in reply.get("memories", ()):
            memory["importance"] = 9 if request.place in (heaviest, "day-001/scene-01") else 3
        if request.place == heaviest and "opens" in reply:
            reply["opens"] = [
                {"kind": kind, "to": None, "text": "I do it.", "due": 3} for kind in ("promise", "silence")
            ]
        return reply

    backend = Scripted(change)
    play(narrated, backend=backend)
    (asked,) = chapters(backend)
    first, *others = [line for line in letter(asked).splitlines() if re.match(r"- scene \d+ \(", line)]
    cast = ", ".join(name.title() for name in records(narrated.day_log(1))[1]["participants"])
    assert first.startswith(f"- scene 2 ({cast}): importance up to 9 of 10; agreements made or settled: ")
    assert not any("- scene 1 (" in line for line in others), "an arrival is not among them"
    assert "first of all those under “What weighed most”" in letter(asked)


def test_paragraphs_and_breaks_stay_and_a_page_without_end_is_cut(narrated: Layout) -> None:
    text = "One  \nline.\r\n\r\n***\n\n \n# Two <b>\n\n" + "so " * CHAPTER.most_words + "on"
    play(narrated, backend=telling(text))
    assert closing(narrated)["chapter"] == "One line.\n\n***\n\n# Two <b>"
    view = view_day(narrated, 1)
    assert view is not None
    assert view.chapter == ("One line.", "", "# Two <b>")


@pytest.mark.parametrize("text", [" ", None, "so " * (CHAPTER.most_words + 1)], ids=["blank", "null", "endless"])
def test_a_bad_answer_is_told_and_the_day_closes_without(narrated: Layout, text: object) -> None:
    heard = Heard()
    play(narrated, backend=telling(text), report=heard)
    (notice,) = [one for one in heard.notices if "is not retold" in one]
    assert notice.startswith("day-001 chapter: the day is not retold (")
    assert "chapter" not in closing(narrated)
    view = view_day(narrated, 1)
    assert view is not None
    assert view.chapter == ()


def test_a_quotation_that_nobody_said_is_told(narrated: Layout) -> None:
    heard = Heard()
    play(narrated, backend=telling("Alex came in. “I have sold the oven to a sailor,” Alex said."), report=heard)
    (notice,) = [one for one in heard.notices if "not said like this" in one]
    assert notice == 'day-001 chapter: not said like this on that day: "I have sold the oven to a sailor,"'
    assert closing(narrated)["chapter"].startswith("Alex came in.")
    rehearsed = Heard()
    play(narrated, report=rehearsed)
    assert not any("not said like this" in one for one in rehearsed.notices)


def test_a_quotation_that_leaves_out_a_sentence_without_a_mark_is_told(narrated: Layout) -> None:
    brief = json.loads(narrated.bulletin.read_text(encoding="utf-8"))["posts"][0]["content"]
    assert "I am paying and I am not cooking. You have eighty dollars" in brief
    for between, count in ((" ", 1), (" … ", 0), ("” It went on: “", 0)):
        heard = Heard()
        quoted = f"“I am paying and I am not cooking.{between}Two conditions.”"
        play(narrated, backend=telling(f"The letter lay there. {quoted}"), report=heard)
        assert sum("not said like this" in one for one in heard.notices) == count, quoted


def test_a_chapter_that_quotes_a_memory_that_is_kept_back_is_kept_back(narrated: Layout) -> None:
    secret = "Alex has hidden the letter from the north under the third chair."

    def change(request: Request, reply: Reply) -> Reply:
        if request.label == "chapter":
            return {"body": f"They ate.\n\n{secret}"}
        for memory in reply.get("memories", ()):
            memory.update(description=secret, tags=["private"])
        return reply

    play(narrated, backend=Scripted(change))
    shown, kept = view_day(narrated, 1), view_day(narrated, 1, ("private",))
    assert shown is not None
    assert kept is not None
    assert (shown.chapter, kept.chapter) == (("They ate.", secret), ())


def test_a_day_with_a_chapter_is_replayed_to_the_byte(narrated: Layout, tmp_path: Path) -> None:
    again = copied(narrated, tmp_path / "again")
    play(narrated, days=2)
    assert check_replay(narrated, again, days=2) == []


def test_a_forecast_counts_both_questions_to_the_narrator(narrated: Layout) -> None:
    set_sections(narrated.settings, ON + "narrator: on\n")
    backend = Counting(Paid())
    choice = Choice(backend, "a test", {"narrator": "small"}, own_models=True)
    forecast = describe_forecast(make_forecast(narrated, choice))
    (own,) = [item for item in forecast.models if item.purpose == "narrator"]
    assert (own.model, own.sum.calls) == ("small", 2)
    assert own.sum.tokens.output > 4_000, "the rehearsal's chapter is a stub"
    play(narrated, backend=backend)
    assert forecast.totals.calls == len(backend.asked)


def test_check_knows_the_setting_and_its_kind(narrated: Layout) -> None:
    assert check_world(narrated).problems == ()
    set_sections(narrated.settings, "chapters: maybe\n")
    assert ["chapters" in problem.message for problem in check_world(narrated).problems] == [True]
