"""``gm log`` tells scenes turn by turn where one day is asked for, and what a run shows is told in the same order."""

from __future__ import annotations

import json
from typing import Any

from gm.files.layout import Layout
from gm.model.turns import PlayedTurn, Said, in_telling_order, lists_of, turns_of
from tests.cli.running import Run
from tests.stories.playing import set_sections

TURNS = (
    PlayedTurn("alex", "Alex sets the table.", (Said("Is it salted?", "casey"),), "It is not.", "gallery/menu.md", 1),
    PlayedTurn("casey", "", (Said("Who wants bread?"),), round=1),
    PlayedTurn("casey", "", (Said("Twice.", "alex"),), round=2),
)


def log_of(layout: Layout, *cast: str, **keys: Any) -> None:
    line = {
        "scene": 1,
        "type": "DINNER",
        "time_of_day": "evening",
        "participants": cast,
        "summary": "They eat.",
        **keys,
    }
    layout.logbook.mkdir(exist_ok=True)
    layout.day_log(1).write_text(json.dumps(line) + "\n", encoding="utf-8")


def shown(run: Run, layout: Layout, *options: str) -> list[str]:
    return [row.strip() for row in run("log", *options, "-w", layout.root).out.splitlines()]


def test_a_day_is_told_turn_by_turn_and_several_days_in_brief(run: Run, dinner: Layout) -> None:
    turns = [turn.record() for turn in TURNS]
    log_of(dinner, "alex", "casey", "jordan", why="Supper is due.", turns=turns, **lists_of(TURNS))
    assert shown(run, dinner, "--day", "1")[2:] == [
        *("Alex, Casey, Jordan", "why: Supper is due."),
        *("at the same time:", "Casey: Who wants bread?"),
        *("Alex sets the table.", "Alex to Casey: Is it salted?", "(Alex thinks: It is not.)"),
        *("afterwards:", "Casey to Alex: Twice."),
    ]
    assert "why: Supper is due." not in shown(run, dinner, "alex", "--day", "1")
    brief = shown(run, dinner)
    assert "Alex, Casey, Jordan: They eat." in brief
    assert brief[-1] == "Turn by turn: gm log --day 1"
    assert brief[-1] not in shown(run, dinner, "--day", "1")


def test_between_two_a_line_does_not_name_its_addressee(run: Run, dinner: Layout) -> None:
    log_of(dinner, "alex", "casey", turns=[turn.record() for turn in TURNS])
    rows = shown(run, dinner, "--day", "1")
    assert "Alex: Is it salted?" in rows
    assert not [row for row in rows if " to " in row]


def test_an_older_logbook_is_told_turn_by_turn_as_well_and_a_line_without_a_word_by_its_summary(
    run: Run, dinner: Layout
) -> None:
    log_of(dinner, "alex", "casey", **lists_of(TURNS[:1]))
    assert "Alex: Is it salted?" in shown(run, dinner, "--day", "1")
    log_of(dinner, "alex", "casey")
    assert "Alex, Casey: They eat." in shown(run, dinner, "--day", "1")


def test_turns_are_part_of_the_document_in_the_form_of_the_logbook(run: Run, dinner: Layout) -> None:
    log_of(dinner, "alex", "casey", turns=[turn.record() for turn in TURNS])
    (day,) = json.loads(run("log", "--json", "-w", dinner.root).out)["days"]
    assert day["scenes"][0]["turns"] == [turn.record() for turn in TURNS]


def test_a_run_shows_the_turns_in_the_order_in_which_they_are_told(run: Run, dinner: Layout) -> None:
    shown = run("advance-day", "-w", dinner.root, "--model", "rehearsal").out
    assert "2. MEETING · morning · Balcony\n  Casey, Jordan, Alex\n" in shown
    at = 0
    for line in dinner.day_log(1).read_text(encoding="utf-8").splitlines():
        for turn in in_telling_order(turns_of(json.loads(line))):
            for text in filter(None, [turn.action, *(said.text for said in turn.lines), turn.thought]):
                at = shown.index(text, at)


def test_a_scene_says_its_hour_and_where_it_went_and_a_thread_what_it_stands_for(run: Run, dinner: Layout) -> None:
    wish = ("open", "alex", "Look at the oven", "--kind", "appointment", "--to", "casey", "--time", "15:00")
    run("threads", *wish, "-w", dinner.root)
    event = {"id": "thread-001", "event": "open", "by": "alex", "kind": "appointment", "replaces": "thread-009"}
    log_of(dinner, "alex", "casey", clock="15:00", location="kitchen", moved_to=["hall", "back-porch"], threads=[event])
    rows = shown(run, dinner)
    assert "1. DINNER · evening 15:00 · Kitchen → Hall → Back porch" in rows
    assert "· thread-001 open appointment, in place of thread-009: Look at the oven (15:00)" in " ".join(rows)
    (scene,) = run("log", "--json", "-w", dinner.root).document["days"][0]["scenes"]
    assert (scene["clock"], scene["moved_to"]) == ("15:00", ["hall", "back-porch"])


def test_a_chapter_is_told_before_the_turns_of_its_day(run: Run, dinner: Layout) -> None:
    log_of(dinner, "alex", "casey", turns=[turn.record() for turn in TURNS], **lists_of(TURNS))
    with dinner.day_log(1).open("a", encoding="utf-8") as file:
        chapter = "Alex ate.\n\n***\n\nCasey\x1b[2J left."
        file.write(json.dumps({"type": "SUMMARY", "summary": "Over.", "chapter": chapter}))
    assert shown(run, dinner, "--day", "1")[2:8] == ["", "Alex ate.", "", "***", "", r"Casey\x1b[2J left."]
    assert "Alex ate." not in run("log", "-w", dinner.root).out
    assert run("log", "--day", "1", "-w", dinner.root, "--json").document["days"][0]["chapter"].startswith("Alex ate.")
    assert "chapter" not in run("log", "alex", "-w", dinner.root, "--json").document["days"][0]


def test_a_run_says_where_its_chapter_is(run: Run, dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\nchapters: on\n")
    told = run("advance-day", "-w", dinner.root, "--model", "rehearsal").out
    assert "written as a chapter: gm log 1 shows it" in told
