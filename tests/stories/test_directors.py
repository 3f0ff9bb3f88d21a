"""Days that are chosen by rules, by a model, or by a script: what all three promise, and what each does by itself."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world
from gm.api.playing.forecast.make import make_forecast
from gm.api.playing.forecast.report import describe_forecast
from gm.api.reports.cost import describe_cost
from gm.base.errors import BackendError, BrokenWorldError, BudgetError, WaitingError
from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from gm.files.questions.traces import TraceReader
from gm.llm.base import Answer, Backend, Request, Surroundings
from gm.llm.choose import Choice, choose_backend
from gm.llm.rehearsal.backend import Rehearsal
from gm.llm.rehearsal.facts import DirectorFacts
from gm.play.directors import AS_SET, Direction
from gm.play.master import DayResult, game_master, run_days
from gm.scene.directing.choosing import SceneRequest
from tests.cli.running import Run
from tests.stories.playing import Counting, Heard, Scripted, check_replay, copied, edit, play, play_with, records, tree

DIRECTORS = ("rules", "llm", "script")
Reply = dict[str, Any]

SCRIPT = """\
scenes:
  - {type: work, with: [casey], topic: soup}
  - free
  - type: encounter
    with: [alex, casey]
    premise: The kitchen is warm.
    premises: {casey: There is salt on your sleeve.}
  - {type: reflection, with: [alex]}
  - {free: rest}
"""


class KilledError(Exception):
    """Stands in for a kill between two scenes."""


def direct(layout: Layout, director: str, script: str = SCRIPT) -> Layout:
    """Set who directs the way a person does."""
    with layout.settings.open("a", encoding="utf-8") as file:
        file.write(f"\ndirector: {director}\nreflection: {{threshold: 25}}\n")
    if director == "script":
        write(layout, "every-day", script)
    return layout


def write(layout: Layout, name: str, script: str) -> Path:
    layout.scripts.mkdir(exist_ok=True)
    path = layout.scripts / f"{name}.yaml"
    path.write_text(script, encoding="utf-8")
    return path


def scenes_chosen(layout: Layout, day: int = 1) -> list[tuple[str, str]]:
    return [(line["type"], line["director"]) for line in records(layout.day_log(day)) if "director" in line]


def asked_as(backend: Counting | Scripted, purpose: str) -> list[Request]:
    return [request for request in backend.asked if request.purpose == purpose]


def choosing(choice: Reply | str, *, again: Reply | str | None = None) -> Scripted:
    """Make a backend that plays as the rehearsal does and chooses scenes as it is told."""

    def change(request: Request, reply: Reply) -> Reply | str:
        if request.purpose != "director":
            return reply
        answer = choice if again is None or len(request.messages) == 1 else again
        return reply | answer if isinstance(answer, dict) else answer

    return Scripted(change)


@pytest.mark.matrix
@pytest.mark.parametrize("director", DIRECTORS)
def test_the_same_world_and_seed_make_the_same_bytes(dinner: Layout, tmp_path: Path, director: str) -> None:
    other = copied(direct(dinner, director), tmp_path / "other")
    for layout in (dinner, other):
        play(layout, days=2)
    assert tree(dinner.root) == tree(other.root)
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []


@pytest.mark.matrix
@pytest.mark.parametrize("director", DIRECTORS)
def test_another_seed_makes_another_day(dinner: Layout, tmp_path: Path, director: str) -> None:
    direct(dinner, director)
    days = []
    for seed in range(4):
        layout = copied(dinner, tmp_path / str(seed))
        play(layout, seed=seed)
        days.append([(line["type"], tuple(line["participants"])) for line in records(layout.day_log(1))[:-1]])
    assert any(day != days[0] for day in days)


@pytest.mark.parametrize("director", DIRECTORS)
def test_asking_twice_for_the_next_step_is_asking_once(dinner: Layout, director: str) -> None:
    backend = Counting()

    def use(master: Any) -> None:
        master.play_requested(SceneRequest("arrival"))
        backend.asked.clear()
        assert master.table.make_director().next_step(master.world) == master.table.make_director().next_step(
            master.world
        )

    play_with(direct(dinner, director), backend, Heard(), use)
    assert len(backend.asked) == (director == "llm")


@pytest.mark.matrix
@pytest.mark.parametrize("director", DIRECTORS)
@pytest.mark.parametrize("stride", [13, 4])
def test_a_day_that_stops_at_any_question_goes_on_to_the_same_bytes_and_asks_nothing_twice(
    dinner: Layout, tmp_path: Path, director: str, stride: int
) -> None:
    direct(dinner, director)
    fresh = copied(dinner, tmp_path / "fresh")
    undisturbed = Counting()
    play(dinner, backend=undisturbed)
    for stop in range(1, len(undisturbed.asked), stride):
        layout = copied(fresh, tmp_path / f"stop-{stop}")
        first, second = Counting(limit=stop), Counting()
        with pytest.raises(BackendError):
            play(layout, backend=first)
        play(layout, backend=second)
        together = Counter((item.place, item.label) for item in (*first.asked, *second.asked))
        assert together == Counter((item.place, item.label) for item in undisturbed.asked)
        assert tree(layout.root) == tree(dinner.root)


@pytest.mark.matrix
@pytest.mark.parametrize("director", DIRECTORS)
def test_a_day_that_is_killed_after_any_scene_goes_on_to_the_same_bytes(
    dinner: Layout, tmp_path: Path, director: str
) -> None:
    direct(dinner, director)
    fresh = copied(dinner, tmp_path / "fresh")
    play(dinner)
    scenes = len(scenes_chosen(dinner))
    layout = copied(fresh, tmp_path / "killed")

    def die(*_: object) -> None:
        raise KilledError

    for _ in range(scenes):
        with pytest.raises(KilledError):
            play(layout, report=Heard(die))
    play(layout)
    assert tree(layout.root) == tree(dinner.root)


@pytest.mark.parametrize("director", DIRECTORS)
def test_a_day_is_replayed_from_its_traces(dinner: Layout, tmp_path: Path, director: str) -> None:
    direct(dinner, director)
    again = copied(dinner, tmp_path / "again")
    play(dinner)
    assert check_replay(dinner, again) == []


@pytest.mark.parametrize("director", DIRECTORS)
def test_a_forecast_counts_every_question_that_is_then_asked(dinner: Layout, director: str) -> None:
    direct(dinner, director)
    forecast = make_forecast(dinner, Choice(Rehearsal(), "a test"))
    backend = Counting()
    play(dinner, backend=backend)
    expected = Counter((str(call.place), call.purpose) for call in forecast.calls)
    assert expected == Counter((request.place, request.purpose) for request in backend.asked)
    assert ("director" in {call.purpose for call in forecast.calls}) == (director == "llm")


@pytest.mark.parametrize("director", DIRECTORS)
def test_the_logbook_says_who_chose_each_scene(dinner: Layout, director: str) -> None:
    play(direct(dinner, director))
    lines = scenes_chosen(dinner)
    assert lines[0] == ("ARRIVAL", "rules")
    assert {who for kind, who in lines if kind not in ("ARRIVAL", "REFLECTION")} >= {director}
    assert {who for _, who in lines} <= {"rules", director}


def test_what_the_model_chose_is_played_with_its_words(dinner: Layout) -> None:
    direct(dinner, "llm")
    own = {"number": 1, "why": "It is time.", "premise": "Rain on the window."}
    backend = choosing(own)
    play(dinner, backend=backend)
    lines = [line for line in records(dinner.day_log(1)) if line.get("director") == "llm"]
    assert lines
    assert {(line["why"], line["premise"]) for line in lines} == {("It is time.", "Rain on the window.")}
    assert len(asked_as(backend, "director")) == len(lines), "no question about arrival, reflections or the close"
    assert all("director_note" not in line for line in lines)


def test_what_only_one_of_them_knows_is_not_told_to_the_others(dinner: Layout) -> None:
    direct(dinner, "llm")

    def change(request: Request, reply: Reply) -> Reply:
        if request.purpose == "director":
            assert isinstance(request.facts, DirectorFacts)
            first = request.facts.options[reply["number"] - 1].cast[0]
            return reply | {"premises": [{"who": first, "text": f"Salt on the sleeve of {first}."}]}
        return reply

    backend = Scripted(change)
    play(dinner, backend=backend)
    lines = {line["scene"]: line for line in records(dinner.day_log(1)) if line.get("director") == "llm"}
    for line in lines.values():
        first = line["participants"][0]
        assert line["premises"][first] == f"Salt on the sleeve of {first}."
    for request in asked_as(backend, "scene"):
        assert ("Salt on the sleeve" in request.messages[0][1]) == (
            f"Salt on the sleeve of {request.who}." in request.messages[0][1]
        )
    assert any("Salt on the sleeve" in request.messages[0][1] for request in asked_as(backend, "scene"))


def test_the_system_block_is_the_same_from_scene_to_scene_and_names_no_day(dinner: Layout) -> None:
    backend = Counting()
    play(direct(dinner, "llm"), days=2, backend=backend)
    asked = asked_as(backend, "director")
    assert len(asked) > 4
    assert len({request.system for request in asked}) == 1
    assert {(request.label, request.who) for request in asked} == {("director", "")}


def test_a_bad_choice_is_shown_its_problems_once(dinner: Layout) -> None:
    direct(dinner, "llm")
    heard = Heard()
    play(dinner, backend=choosing({"number": 99}, again={"number": 1}), report=heard)
    assert "llm" in {who for _, who in scenes_chosen(dinner)}
    assert not any(line.get("director_note") for line in records(dinner.day_log(1)))
    assert any("director: asked again (number: 99 is not in the list" in notice for notice in heard.notices)


BAD = [
    {"number": 99},
    {"premise": " "},
    {"why": None},
    {"premises": [{"who": "nobody", "text": "x"}]},
    "The first one, please.",
]


@pytest.mark.matrix
@pytest.mark.parametrize("bad", BAD, ids=["number", "premise", "why", "premises", "prose"])
def test_the_rules_choose_where_a_choice_stays_bad_and_that_is_recorded(
    dinner: Layout, tmp_path: Path, bad: Reply | str
) -> None:
    by_rules = copied(direct(dinner, "llm"), tmp_path / "rules")
    heard, backend = Heard(), choosing(bad)
    play(dinner, backend=backend, report=heard)
    run_days(by_rules, Choice(choosing(bad), "a test"), Heard(), 1, command="test", direction=Direction("rules"))
    lines = records(dinner.day_log(1))
    noted = [line for line in lines if "director_note" in line]
    assert noted
    assert {line["director"] for line in noted} == {"rules"}
    assert len(asked_as(backend, "director")) == 2 * len(noted)
    without = [{key: value for key, value in line.items() if key != "director_note"} for line in lines]
    assert without == records(by_rules.day_log(1)), "the same day as by the rules"
    assert sum("the rules choose instead" in notice for notice in heard.notices) == len(noted)
    for line in noted:
        names = [
            path.name.partition(".")[0] for path in (dinner.traces / f"day-001/scene-{line['scene']:02d}").iterdir()
        ]
        assert {"director", "director-again"} <= set(names)
        assert not any("rejected" in name for name in names)


@pytest.mark.matrix
@pytest.mark.parametrize("stop", [4, 5, 6])
def test_a_choice_that_stayed_bad_is_not_asked_again_after_a_kill(dinner: Layout, tmp_path: Path, stop: int) -> None:
    other = copied(direct(dinner, "llm"), tmp_path / "other")
    undisturbed = choosing("Nothing of that.")
    play(dinner, backend=undisturbed)
    first, second = Counting(choosing("Nothing of that."), limit=stop), Counting(choosing("Nothing of that."))
    with pytest.raises(BackendError):
        play(other, backend=first)
    play(other, backend=second)
    asked = Counter((item.place, item.label) for item in (*first.asked, *second.asked))
    assert asked == Counter((item.place, item.label) for item in undisturbed.asked)
    assert tree(other.root) == tree(dinner.root)


def test_a_model_that_cannot_be_asked_stops_the_day_and_is_no_bad_choice(dinner: Layout) -> None:
    direct(dinner, "llm")

    class Mute(Counting):
        def ask(self, request: Request) -> Answer:
            if request.purpose == "director":
                raise BackendError("the line is dead")
            return super().ask(request)

    with pytest.raises(BackendError):
        play(dinner, backend=Mute())
    assert scenes_chosen(dinner) == [("ARRIVAL", "rules")]
    play(dinner)
    assert not any("director_note" in line for line in records(dinner.day_log(1)))


def test_a_model_of_its_own_directs_and_costs_are_told_by_purpose(dinner: Layout) -> None:
    direct(dinner, "llm")
    backend = Counting()
    choice = Choice(backend, "a test", {"director": "small"}, own_models=True)
    forecast = as_json(describe_forecast(make_forecast(dinner, choice)))
    assert ("small", "director") in {(item["model"], item["purpose"]) for item in forecast["models"]}
    with game_master(dinner, choice, Heard(), command="test") as master:
        master.play_day()
    assert {request.model for request in asked_as(backend, "director")} == {"small"}
    costs = as_json(describe_cost(TraceReader(dinner.traces), master.world.settings))
    assert costs["models"]["small"]["purposes"]["director"]["calls"] == len(asked_as(backend, "director"))


def test_a_budget_stops_before_the_choice_that_could_exceed_it(dinner: Layout) -> None:
    direct(dinner, "llm")
    with dinner.settings.open("a", encoding="utf-8") as file:
        file.write("budget: {calls: 3}\n")
    with pytest.raises(BudgetError, match="director"):
        play(dinner)
    assert scenes_chosen(dinner) == [("ARRIVAL", "rules")]


def test_scenes_can_be_directed_from_files_alone(dinner: Layout) -> None:
    direct(dinner, "llm")
    choice = choose_backend("mailbox", "--model", Surroundings(postbox=PostFolder(dinner)))
    play_with(dinner, Rehearsal(), Heard(), lambda master: master.play_requested(SceneRequest("arrival")))

    def awaited() -> str:
        with pytest.raises(WaitingError) as caught, game_master(dinner, choice, Heard(), command="test") as master:
            master.play_day()
        return caught.value.awaited[0].answer

    answer = dinner.root / awaited()
    assert answer.name == "day-001-scene-02-director.answer.json"
    answer.write_text('{"number": 77, "why": "x", "premise": "y", "premises": []}', encoding="utf-8")
    awaited()
    (problem,) = dinner.mailbox.glob("*.problem.md")
    assert "77 is not in the list" in problem.read_text(encoding="utf-8")
    answer.write_text("number: 1\nwhy: Why not.\npremise: A pan falls.\npremises: []\n", encoding="utf-8")
    letters = [dinner.root / awaited()]
    (letter,) = [path for path in dinner.mailbox.glob("*.md") if path.name.startswith(letters[0].name.split(".")[0])]
    assert "A pan falls." in letter.read_text(encoding="utf-8")


def test_a_day_goes_as_it_is_written(dinner: Layout) -> None:
    backend = Counting()
    play(direct(dinner, "script"), backend=backend)
    lines = records(dinner.day_log(1))
    assert scenes_chosen(dinner)[:2] == [("ARRIVAL", "rules"), ("WORK", "script")]
    assert [who for _, who in scenes_chosen(dinner)[1:5]] == ["script", "rules", "script", "script"]
    talk = lines[3]
    assert (talk["participants"], talk["premise"]) == (["alex", "casey"], "The kitchen is warm.")
    assert talk["premises"] == {"casey": "There is salt on your sleeve."}
    salted = {request.who for request in backend.asked if "There is salt on your sleeve." in request.messages[0][1]}
    assert salted == {"casey"}


def test_a_scene_that_is_asked_for_in_between_does_not_count(dinner: Layout) -> None:
    direct(dinner, "script")

    def use(master: Any) -> None:
        master.play_requested(SceneRequest("work", ("alex",)))
        master.play_day()

    play_with(dinner, Rehearsal(), Heard(), use)
    assert scenes_chosen(dinner)[:4] == [
        ("WORK", "asked"),
        ("ARRIVAL", "rules"),
        ("WORK", "script"),
        scenes_chosen(dinner)[3],
    ]
    assert sum(who == "script" for _, who in scenes_chosen(dinner)) == 3


def test_a_script_that_is_edited_while_its_day_runs_is_read_again(dinner: Layout) -> None:
    direct(dinner, "script", "scenes:\n  - {type: work, with: [casey]}\n  - {type: work, with: [alex]}\n")

    def rewrite(_world: object, scene: Any) -> None:
        if scene.director == "script" and scene.cast == ("casey",):
            write(dinner, "every-day", "scenes:\n  - {type: work, with: [casey]}\n  - {type: meeting, topic: soup}\n")

    play(dinner, report=Heard(rewrite))
    assert scenes_chosen(dinner)[1:3] == [("WORK", "script"), ("MEETING", "script")]


def test_a_script_that_breaks_while_its_day_runs_stops_it_and_once_mended_the_day_goes_on(dinner: Layout) -> None:
    direct(dinner, "script")

    def spoil(_world: object, scene: Any) -> None:
        if scene.director == "script":
            write(dinner, "every-day", SCRIPT.replace("casey", "cassy"))

    with pytest.raises(BrokenWorldError) as caught:
        play(dinner, report=Heard(spoil))
    assert [problem.line for problem in caught.value.problems][:1] == [2]
    write(dinner, "every-day", SCRIPT)
    play(dinner)
    assert sum(who == "script" for _, who in scenes_chosen(dinner)) == 3


def test_an_error_is_refused_with_its_line_before_any_call_and_before_the_day_is_opened(
    dinner: Layout, run: Run
) -> None:
    direct(dinner, "script", SCRIPT.replace("[alex, casey]", "[alex, cassy]").replace("free: rest", "free: soon"))
    before = tree(dinner.root)
    for more in ((), ("--dry-run",)):
        outcome = run("advance-day", "-w", dinner.root, *more)
        assert outcome.code == 1
        assert "scripts/every-day.yaml:5:18: error: nobody here is called 'cassy'" in outcome.err
        assert 'scripts/every-day.yaml:9:12: error: free is "soon"' in outcome.err
        assert "2 errors in the script of day 1" in outcome.err
    assert tree(dinner.root) == before


def test_an_error_in_the_script_of_a_later_day_of_the_same_run_is_refused_before_its_first(
    dinner: Layout, run: Run
) -> None:
    direct(dinner, "script")
    write(dinner, "day-003", "scenes: [{type: dance}]")
    assert run("advance-day", "-w", dinner.root, "--days", 3).code == 1
    assert not dinner.logbook.exists()
    assert run("advance-day", "-w", dinner.root, "--days", 2).code == 0


def test_a_day_without_a_script_is_played_by_the_rules_with_one_notice(dinner: Layout, tmp_path: Path) -> None:
    other = copied(dinner, tmp_path / "other")
    for layout, director in ((dinner, "rules"), (other, "script")):
        direct(layout, director)
        shutil.rmtree(layout.scripts, ignore_errors=True)
    heard = Heard()
    play(dinner)
    play(other, report=heard)
    assert heard.notices == ["no script for day 1 in scripts/: the rules choose its scenes"]
    assert tree(other.state) == tree(dinner.state)


def test_a_file_anywhere_is_a_script_for_one_command(dinner: Layout, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("arrival: false\nreflections: false\nscenes: [{type: work, with: [alex]}]", encoding="utf-8")
    assert run("advance-day", "-w", dinner.root, "--script", path).code == 0
    assert scenes_chosen(dinner) == [("WORK", "script")]
    assert not [name for name, text in tree(dinner.root).items() if str(tmp_path).encode() in text]
    assert run("advance-day", "-w", dinner.root).code == 0
    assert {who for _, who in scenes_chosen(dinner, 2)} == {"rules"}


def test_the_command_line_comes_before_the_settings(dinner: Layout, tmp_path: Path, run: Run) -> None:
    direct(dinner, "script")
    assert run("advance-day", "-w", dinner.root, "--director", "llm").code == 0
    assert {who for _, who in scenes_chosen(dinner)} == {"rules", "llm"}
    outcome = run("advance-day", "-w", dinner.root, "--director", "llm", "--script", dinner.scripts / "every-day.yaml")
    assert outcome.code == 2
    assert run("advance-day", "-w", dinner.root, "--director", "dice").code == 2
    assert run("advance-day", "-w", dinner.root, "--script", tmp_path / "none.yaml").code == 2


def test_due_reflections_come_after_the_script_unless_it_says_otherwise(dinner: Layout, tmp_path: Path) -> None:
    short = "scenes: [{type: meeting, topic: soup}, {type: work, with: [alex, casey]}]\n"
    other = copied(direct(dinner, "script", short), tmp_path / "other")
    write(other, "every-day", f"reflections: false\n{short}")
    for layout in (dinner, other):
        edit(layout.agent("alex"), {"importance_accumulator": 90})
        play(layout)
    assert scenes_chosen(dinner)[3:4] == [("REFLECTION", "rules")]
    assert "REFLECTION" not in {kind for kind, _ in scenes_chosen(other)}


def test_what_the_calendar_has_and_the_script_does_not_is_told(dinner: Layout) -> None:
    direct(dinner, "script", "scenes: [{type: work, with: [alex]}]")
    edit(dinner.world, {"scheduled_events": [{"day": 1, "time": "evening", "event": "The party"}]})
    heard = Heard()
    play(dinner, report=heard)
    assert [text for text in heard.notices if "The party" in text] == [
        "scripts/every-day.yaml ends without what the calendar has for day 1: The party"
    ]


def test_check_names_what_is_wrong_with_any_script(dinner: Layout) -> None:
    write(dinner, "some-day", "scenes: [{type: dance}]")
    write(dinner, "day-009", "scenes: [{type: work, with: [alex], location: cellar}]")
    found = {(item.path, item.line, item.code, item.severity) for item in check_world(dinner).problems}
    assert {item for item in found if item[0].startswith("scripts/some-day")} == {
        ("scripts/some-day.yaml", 1, "script-type", "error"),
        ("scripts/some-day.yaml", 0, "script-name", "info"),
    }
    assert {item for item in found if item[0].startswith("scripts/day-009")} == {
        ("scripts/day-009.yaml", 0, "script-unplayed", "warning"),
        ("scripts/day-009.yaml", 1, "script-place", "error"),
    }


def test_check_names_scripts_of_coming_days_that_the_director_does_not_play(dinner: Layout) -> None:
    work = "scenes: [{type: work, with: [alex]}]"
    play(dinner)
    for name in ("day-001", "day-002", "monday", "some-day"):
        write(dinner, name, work)

    def unplayed() -> list[str]:
        return [item.path for item in check_world(dinner).problems if item.code == "script-unplayed"]

    assert unplayed() == ["scripts/day-002.yaml", "scripts/monday.yaml"]
    dinner.settings.write_text(dinner.settings.read_text("utf-8") + "\ndirector: script\n", "utf-8")
    assert unplayed() == []


def test_the_plan_says_which_script_decides(dinner: Layout, run: Run) -> None:
    work = "scenes: [{type: work, with: [alex]}]"
    write(dinner, "day-001", work)
    assert "from the script" not in run("plan", "-w", dinner.root).out
    direct(dinner, "script", work)
    assert "from the script scripts/day-001.yaml" in run("plan", "-w", dinner.root).out


def test_the_script_in_the_documentation_is_played(studio: Layout) -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "direct-a-day.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"<!-- a test plays this script -->\n```yaml\n(.*?)```", page, re.S)
    write(studio, "donnerstag", example)
    heard = Heard()
    direction = Direction("script")
    results: list[DayResult] = []
    backend: Backend = Rehearsal()
    for day in range(1, 5):
        chosen = direction if day == 4 else AS_SET
        results += run_days(studio, Choice(backend, "a test"), heard, 1, command="test", direction=chosen)
    assert results[-1].day == 4
    lines = [line for line in scenes_chosen(studio, 4) if line != ("REFLECTION", "rules")]
    assert [who for _, who in lines] == ["rules", "script", "rules", "script", "rules", "rules", "script", "script"]
    assert [kind for kind, who in lines if who == "script"] == ["ENCOUNTER", "WORK", "REFLECTION", "DND"]
    event = next(line for line in records(studio.day_log(4)) if line["type"] == "DND")
    assert (event["time_of_day"], event["answers"][0][:13]) == ("evening", "event/day-004")
    assert [notice for notice in heard.notices if "arranged already, kept once" not in notice] == []
    assert json.loads(json.dumps(lines))
