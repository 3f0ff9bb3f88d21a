"""What ``gm plan`` shows: for people and for programs, at any width, and without touching anything."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from typing import Any

import click
import pytest

from gm.cli.playing.show import _tomorrow
from gm.files.layout import Layout
from gm.files.load import load_world
from tests.cli.running import Run
from tests.stories.playing import edit, records, set_sections, tree

KEYS = [
    "day",
    "day_of_week",
    "scenes",
    "first",
    "time_of_day",
    "candidates",
    "last",
    "reflections_due",
    "events",
    "deadlines",
    "away",
    "focus",
]
CANDIDATE = ["score", "chosen", "type", "cast", "location", "time_of_day", "why", "parts", "takes_up", "ruled_out"]


def test_a_new_world_shows_what_its_first_day_begins_with(run: Run, studio: Layout) -> None:
    outcome = run("plan", "-w", studio.root)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Day 1, Montag, not begun yet\nFirst: ARRIVAL morning: darius, emre")
    marked = [line for line in outcome.out.splitlines() if line.startswith(">")]
    assert len(marked) == 1
    assert "MEETING" in marked[0]
    assert "brief +60.0" in outcome.out


def test_the_plan_as_a_document(run: Run, played: Layout) -> None:
    document = run("plan", "-w", played.root, "--json").document
    assert list(document) == [*KEYS, "agreed"]
    assert [item["people"] for item in document["agreed"]] == [["finn", "darius"]]
    assert document["day"] == 2
    assert document["first"]["type"] == "ARRIVAL"
    assert all(list(item) == CANDIDATE for item in document["candidates"])
    for item in document["candidates"]:
        assert item["score"] == pytest.approx(sum(part["points"] for part in item["parts"]), abs=0.1)
        assert all(part["why"] for part in item["parts"])
    playable = [item for item in document["candidates"] if item["ruled_out"] is None]
    assert [item["chosen"] for item in document["candidates"]] == [True, *[False] * (len(document["candidates"]) - 1)]
    assert [item["score"] for item in playable] == sorted((item["score"] for item in playable), reverse=True)


def test_planning_writes_nothing_and_says_the_same_again(run: Run, played: Layout) -> None:
    before = tree(played.root)
    assert run("plan", "-w", played.root, "--all").out == run("plan", "-w", played.root, "--all").out
    assert run("plan", "-w", played.root, "--tomorrow").code == 0
    assert tree(played.root) == before


def test_what_the_plan_marks_in_an_open_day_is_what_is_played(run: Run, played: Layout) -> None:
    edit(played.world, {"day_open": True})
    lines = records(played.day_log(1))
    kept = [line for line in lines if line["type"] not in ("SUMMARY", "REFLECTION")][:2]
    played.day_log(1).write_text("".join(f"{_dump(line)}\n" for line in kept), encoding="utf-8")
    edit(played.world, {"scenes_today": 2})
    document = run("plan", "-w", played.root, "--json").document
    assert document["scenes"]["played"] == 2
    chosen = document["candidates"][0]
    assert run("advance-day", "-w", played.root).code == 0
    third = records(played.day_log(1))[2]
    assert (third["type"], third["participants"], third["why"]) == (chosen["type"], chosen["cast"], chosen["why"])
    assert third["score"] == {part["part"]: part["points"] for part in chosen["parts"]} or set(third["score"]) == {
        part["part"] for part in chosen["parts"]
    }


def test_tomorrow_is_the_day_after_the_open_one(run: Run, played: Layout) -> None:
    edit(played.world, {"day_open": True})
    assert run("plan", "-w", played.root, "--json").document["day"] == 1
    assert run("plan", "-w", played.root, "--json", "--tomorrow").document["day"] == 2


def test_a_full_day_shows_what_it_still_needs(run: Run, played: Layout) -> None:
    edit(played.world, {"day_open": True})
    edit(played.agent("vera"), {"importance_accumulator": 500})
    document = run("plan", "-w", played.root, "--json").document
    assert document["candidates"] == []
    assert "vera" in document["reflections_due"]
    assert ["vera"] in [item["cast"] for item in document["last"]]
    assert "Next: REFLECTION evening: vera" in run("plan", "-w", played.root).out


def test_events_deadlines_and_who_is_away_are_named(run: Run, played: Layout) -> None:
    edit(
        played.world,
        {"scheduled_events": [{"day": 2, "time": "noon", "event": "Fest"}, {"day": 4, "event": "Abgabe"}]},
    )
    text = played.settings.read_text(encoding="utf-8")
    away = "calendar:\n  away: [{who: leo, day: 2}, {who: Nami, weekday: Tuesday, how: remote}]\n"
    played.settings.write_text(text.replace("calendar:\n", away), encoding="utf-8")
    out = run("plan", "-w", played.root).out
    assert "  noon: Fest\n  agreed, 14:30, flur: finn, darius: " in out
    assert "\n  deadline in 2 days: Abgabe\n  leo is away\n  nami is remote\n" in out
    document = run("plan", "-w", played.root, "--json").document
    assert document["away"] == {"leo": "off", "nami": "remote"}
    assert not any("leo" in item["cast"] for item in document["candidates"])


def test_what_is_ruled_out_says_why(run: Run, played: Layout) -> None:
    text = played.settings.read_text(encoding="utf-8")
    played.settings.write_text(text.replace("day:\n", "day:\n  meetings: 0\n"), encoding="utf-8")
    outcome = run("plan", "-w", played.root, "--all")
    assert "ruled out: eine Besprechung am Tag, die niemand verlangt" in outcome.out
    assert "MEETING" not in run("plan", "-w", played.root).out


def test_two_who_talked_yesterday_over_the_same_matter_are_ruled_out_with_the_reason(run: Run, played: Layout) -> None:
    def encounter() -> dict[str, Any]:
        found = run("plan", "-w", played.root, "--json", "--all").document["candidates"]
        return next(item for item in found if item["type"] == "ENCOUNTER" and {*item["cast"]} == {"emre", "vera"})

    edit(played.agent("vera"), {"today_plan": ["Mit Emre sprechen: die Schwelle aus Gips neu vermessen"]})
    edit(played.world, {"day": 2, "day_open": True, "scenes_today": 1})
    arrival = records(played.day_log(1))[0]
    for day in (1, 2):
        played.day_log(day).write_text(f"{_dump(arrival)}\n", encoding="utf-8")
    before = encounter()
    assert before["ruled_out"] is None
    talk = {"scene": 90, "type": "ENCOUNTER", "participants": ["vera", "emre"], "why": before["why"]}
    with played.day_log(1).open("a", encoding="utf-8") as file:
        file.write(f"{_dump(talk)}\n")
    assert encounter()["ruled_out"] == "Vera + Emre: über dieselbe Sache gestern schon unter sich"


def test_focus_and_seed_change_what_is_chosen(run: Run, played: Layout) -> None:
    def focused(*more: object) -> list[str]:
        document = run("plan", "-w", played.root, "--json", *more).document
        cast: list[str] = document["candidates"][0]["cast"]
        return cast

    played.threads.unlink()  # what is agreed comes before the focus
    assert all(name in focused("--focus", name) for name in ("vera", "Leo".lower(), "tobi"))
    unknown = run("plan", "-w", played.root, "--focus", "nobody")
    assert unknown.code == 2
    assert "the cast: darius" in unknown.err
    assert run("advance-day", "-w", played.root, "--focus", "nobody").code == 2


@pytest.mark.parametrize("columns", [40, 60, 100])
def test_lines_fit_the_terminal(run: Run, played: Layout, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_: __import__("os").terminal_size((columns, 24)))
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    lines = run("plan", "-w", played.root, "--all").out.splitlines()
    assert lines
    assert all(len(click_free(line)) <= columns for line in lines)


def test_a_text_in_a_file_cannot_reach_the_terminal_raw(run: Run, played: Layout) -> None:
    edit(played.agent("vera"), {"today_plan": ["Mit Emre sprechen: \x1b[31mrot\x1b[0m"]})
    out = run("plan", "-w", played.root, "--all").out
    assert "\x1b[31m" not in out


def test_a_calendar_without_a_day_to_play_is_told(run: Run, played: Layout) -> None:
    text = played.settings.read_text(encoding="utf-8")
    off = "calendar:\n  off: [Monday, Di, Mittwoch, Thu, Fr]\n"
    played.settings.write_text(text.replace("calendar:\n", off), encoding="utf-8")
    outcome = run("plan", "-w", played.root)
    assert outcome.code == 1
    assert "calendar.off" in outcome.err
    assert run("advance-day", "-w", played.root).code == 1


def click_free(line: str) -> str:
    """Take the styles out of a line."""
    return click.unstyle(line)


def _dump(record: dict[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False)


def test_when_scenes_get_scarce_it_says_who_would_be_without_company(run: Run, dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {scenes: [2, 2]}\n")
    outcome = run("plan", "-w", dinner.root)
    assert "without company so far, and hardly a scene left for it: alex, casey, jordan" in outcome.out
    assert "Alex, Casey have not been with anybody today." in outcome.out
    document = run("plan", "--json", "-w", dinner.root).document
    assert document["needs_company"] == ["alex", "casey", "jordan"]


def test_before_the_arrival_nobody_has_met_today(run: Run, dinner: Layout) -> None:
    before = run("plan", "--all", "-w", dinner.root).out
    assert "ENCOUNTER morning: alex, jordan (balcony)" in before
    assert "today already" not in before


def test_the_end_of_a_day_says_who_is_due_and_who_is_near(played: Layout) -> None:
    first, second, *_ = played.agent_names()
    world = load_world(played).world
    sums = {first: world.settings.reflection.threshold + 1, second: world.settings.reflection.threshold - 1}
    agents = {
        name: replace(world.agents[name], state=replace(world.agents[name].state, importance_accumulator=total))
        for name, total in sums.items()
    }
    lines = _tomorrow(replace(world, agents={**world.agents, **agents}), {"reflecting": [first, second]})
    names = [world.agents[name].call_name for name in (first, second)]
    assert lines == [f"due for a reflection: {names[0]}", f"near a reflection: {names[1]}"]
