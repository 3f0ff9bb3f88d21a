"""Days in a world whose characters keep relationships and diaries."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from gm.api.answers.document import as_json
from gm.api.editing.check.whole import check_world
from gm.api.playing.forecast.make import make_forecast
from gm.api.playing.forecast.report import describe_forecast
from gm.api.reports.cost import describe_cost
from gm.base.errors import BackendError
from gm.cli import gm
from gm.cli.boundary import guarded
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.questions.traces import TraceReader
from gm.layers.diary import DIARY
from gm.layers.relationships import RELATIONSHIPS
from gm.llm.base import Answer, Request
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.scene.directing.choosing import SceneRequest
from tests.cli.running import Run
from tests.llm.postman import Postman
from tests.stories.playing import (
    Counting,
    Heard,
    Scripted,
    about,
    objections,
    play,
    play_with,
    records,
    set_sections,
    tree,
)

ROOT = Path(__file__).parents[2]
CAST = ("alex", "casey", "jordan")
COUNT = """
import sys

from gm.cli import gm
from gm.cli.boundary import guarded
from tests.crash.points import Points, install

points = Points()
install(points)
guarded(gm, sys.argv[1:])
print(points.count)
"""


@pytest.fixture
def world(dinner: Layout) -> Layout:
    """The dinner with both layers on, and few scenes."""
    set_sections(dinner.settings, "day: {scenes: [2, 3]}\nrelationships: on\ndiary: on")
    return dinner


def diary_of(layout: Layout, name: str) -> list[dict[str, Any]]:
    return records(layout.layer(DIARY, name)) if layout.layer(DIARY, name).exists() else []


def diaries_asked(backend: Counting) -> list[str]:
    return sorted(request.who for request in backend.asked if request.purpose == "diary")


def test_everybody_who_was_there_writes_one_entry_an_evening(world: Layout) -> None:
    backend = Counting()
    play(world, days=2, backend=backend)
    assert diaries_asked(backend) == sorted([*CAST, *CAST])
    for name in CAST:
        entries = diary_of(world, name)
        assert [entry["day"] for entry in entries] == ["day-001", "day-002"]
        assert all(list(entry) == ["day", "mood", "location", "text", "tags"] for entry in entries)
        assert len(entries[0]["text"].split()) > 10
    assert objections(world) == []


def test_diaries_are_asked_for_after_everything_else_and_in_one_go(world: Layout) -> None:
    together = threading.Barrier(len(CAST), timeout=30)

    class AskedTogether(Counting):
        def ask(self, request: Request) -> Answer:
            if request.purpose == "diary":
                together.wait()  # broken unless all of them are under way
            return super().ask(request)

    backend = AskedTogether()
    play(world, backend=backend)
    assert [request.purpose for request in backend.asked[-3:]] == ["diary"] * 3
    first = backend.asked[-3]
    assert first.place == "day-001"
    assert first.label == f"{first.who}-diary"
    assert sorted(path.name.partition(".")[0] for path in (world.traces / "day-001").glob("*.json")) == [
        f"{name}-diary" for name in CAST
    ]


def test_a_date_is_written_when_the_calendar_has_one(world: Layout) -> None:
    settings = world.settings.read_text(encoding="utf-8")
    set_sections(world.settings, 'calendar: {weekdays: [Friday], start: "2027-02-28"}')
    assert world.settings.read_text(encoding="utf-8") != settings
    play(world, days=2)
    assert [entry["date"] for entry in diary_of(world, "jordan")] == ["2027-02-28", "2027-03-01"]


def test_what_was_written_last_night_is_there_in_the_morning_and_only_then(world: Layout) -> None:
    play(world)
    backend = Counting()
    play(world, backend=backend)
    written = {name: diary_of(world, name)[0]["text"] for name in CAST}
    for request in backend.asked:
        question = request.messages[0][1]
        is_morning = request.place == "day-002/scene-01"
        for name, text in written.items():
            assert (text[:60] in question) == (is_morning and name == request.who)


def test_who_is_away_writes_nothing(world: Layout) -> None:
    set_sections(world.settings, "calendar: {away: [{who: jordan, day: 1}]}")
    play(world)
    assert diary_of(world, "jordan") == []
    assert len(diary_of(world, "alex")) == 1


def test_what_a_person_wrote_for_the_day_is_that_days_entry(world: Layout) -> None:
    world.layer_folder(DIARY).mkdir()
    own = '{"day": "day-001", "text": "Today I say nothing.", "weather": "rain"}\n'
    world.layer(DIARY, "jordan").write_text(own, encoding="utf-8")
    backend = Counting()
    play(world, backend=backend)
    assert diaries_asked(backend) == ["alex", "casey"]
    assert world.layer(DIARY, "jordan").read_text(encoding="utf-8") == own


def test_an_entry_written_while_the_answers_were_on_their_way_stays_alone(world: Layout) -> None:
    own = '{"day": "day-001", "text": "I was quicker."}\n'

    def meddle(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose == "diary" and request.who == "jordan":
            world.layer_folder(DIARY).mkdir(exist_ok=True)
            world.layer(DIARY, "jordan").write_text(own, encoding="utf-8")
        return reply

    play(world, backend=Scripted(meddle))
    assert world.layer(DIARY, "jordan").read_text(encoding="utf-8") == own
    assert len(diary_of(world, "alex")) == 1


@pytest.mark.parametrize("answered", [0, 1, 2])
def test_when_the_line_dies_among_the_diaries_the_rest_is_asked_and_nothing_twice(world: Layout, answered: int) -> None:
    whole = Counting()
    copy = Layout(world.root.with_name("copy"))
    shutil.copytree(world.root, copy.root)
    play(copy, backend=whole)
    set_sections(world.settings, "llm: {concurrency: 1}")
    with pytest.raises(BackendError):
        play(world, backend=Counting(limit=len(whole.asked) - 3 + answered))
    assert load_world(world).world.clock.day_open
    assert not world.layer_folder(DIARY).exists()
    rest = Counting()
    play(world, backend=rest)
    assert len(diaries_asked(rest)) == len(rest.asked) == 3 - answered
    assert {path: data for path, data in tree(world.root, traces=False).items() if path != "gm.yaml"} == {
        path: data for path, data in tree(copy.root, traces=False).items() if path != "gm.yaml"
    }


@pytest.mark.soak
def test_killed_anywhere_in_the_evening_it_ends_with_the_same_bytes(world: Layout, tmp_path: Path) -> None:
    whole = Counting()
    done = Layout(tmp_path / "done")
    shutil.copytree(world.root, done.root)
    play(done, backend=whole)
    with pytest.raises(BackendError):
        play(world, backend=Counting(limit=len(whole.asked) - 3))
    arguments = ["advance-day", "--model", "rehearsal", "-w"]
    counted = Layout(tmp_path / "counted")
    shutil.copytree(world.root, counted.root)
    out = subprocess.run(
        [sys.executable, "-c", COUNT, *arguments, str(counted.root)], cwd=ROOT, capture_output=True, text=True
    ).stdout
    steps = int(out.splitlines()[-1])
    assert steps > 20
    for step in range(3, steps, max(1, steps // 7)):
        other = Layout(tmp_path / f"killed-{step}")
        shutil.copytree(world.root, other.root)
        command = [sys.executable, "-m", "tests.stories.killed", str(step), *arguments, str(other.root)]
        assert subprocess.run(command, cwd=ROOT, capture_output=True).returncode == -signal.SIGKILL
        if load_world(other).world.clock.day_open:
            assert guarded(gm, [*arguments, str(other.root)]) == 0
        else:
            assert guarded(gm, ["post", "a note", "-w", str(other.root)]) == 0  # finishes the interrupted write
        for name in CAST:
            assert other.layer(DIARY, name).read_bytes() == done.layer(DIARY, name).read_bytes()


def test_a_day_of_letters_waits_for_diaries_and_goes_on(world: Layout, run: Run) -> None:
    postman = Postman(world.root)
    waited: list[list[str]] = []
    for _ in range(60):
        outcome = run("advance-day", "-w", world.root, "--model", "mailbox")
        if outcome.code == 0:
            break
        assert outcome.code == 75, outcome.err
        waited.append([letter.path.stem for letter in postman.letters()])
        letters = postman.letters()
        if waited[-1][0].endswith("-diary"):
            postman.answer(letters[0])  # one is not enough
            assert run("advance-day", "-w", world.root, "--model", "mailbox").code == 75
            assert not world.layer_folder(DIARY).exists()
        postman.answer_all()
    assert waited[-1] == [f"day-001-{name}-diary" for name in CAST]
    assert postman.files() == [".gitignore"]
    assert [diary_of(world, name)[0]["mood"] for name in CAST] == ["müde"] * 3
    assert objections(world) == []


def test_a_scene_played_by_hand_and_a_day_that_is_ended_early_have_diaries_too(world: Layout) -> None:
    play_with(
        world, Rehearsal(), Heard(), lambda master: master.play_requested(SceneRequest("encounter", ("alex", "jordan")))
    )
    assert not world.layer_folder(DIARY).exists(), "the day is open"

    def end(master: Any) -> None:
        master.table.end_day()
        master.play_day()

    play_with(world, Rehearsal(), Heard(), end)
    assert [name for name in CAST if diary_of(world, name)] == ["alex", "jordan"]


def test_forecast_budget_and_cost_count_the_diaries(world: Layout) -> None:
    forecast = make_forecast(world, Choice(Rehearsal(), "a test"))
    described = as_json(describe_forecast(forecast))
    assert described["scenes"][-1]["scene"] == "day-001"
    assert described["scenes"][-1]["type"] == "DIARY"
    backend = Counting()
    play(world, backend=backend)
    assert forecast.total.calls == len(backend.asked)
    assert sum(item["calls"] for item in described["scenes"]) == forecast.total.calls
    settings = load_world(world).world.settings
    cost = as_json(describe_cost(TraceReader(world.traces), settings, 1))
    assert cost["scenes"]["day-001"]["calls"] == 3
    assert cost["totals"]["calls"] == len(backend.asked)


def test_a_budget_that_is_used_up_stops_before_the_diaries_and_more_of_it_goes_on(world: Layout) -> None:
    backend = Counting()
    copy = Layout(world.root.with_name("copy"))
    shutil.copytree(world.root, copy.root)
    play(copy, backend=backend)
    limit = len(backend.asked) - 3
    set_sections(world.settings, f"budget: {{calls: {limit}}}")
    assert guarded(gm, ["advance-day", "--model", "rehearsal", "-w", str(world.root)]) == 1
    assert load_world(world).world.clock.day_open
    set_sections(world.settings, f"budget: {{calls: {limit + 3}}}")
    assert guarded(gm, ["advance-day", "--model", "rehearsal", "-w", str(world.root)]) == 0
    assert len(diary_of(world, "alex")) == 1


def test_relationships_grow_with_the_days_and_the_history_leads_to_what_stands_there(world: Layout) -> None:
    play(world, days=3)
    loaded = load_world(world).world
    known = {name: loaded.agents[name].mind[RELATIONSHIPS] for name in CAST}
    assert all(set(others) == set(CAST) - {name} for name, others in known.items())
    assert all(
        known[one][two].interaction_count == known[two][one].interaction_count for one in CAST for two in known[one]
    )
    assert any(regard.is_stated for others in known.values() for regard in others.values())
    codes = {problem.code for problem in check_world(world).problems}
    assert not codes & {"history-gap", "history-differs", "history-form", "trust-range"}
    assert objections(world) == []


def test_a_rehearsal_leaves_the_words_of_a_person_about_a_relationship_and_moves_trust_alone(world: Layout) -> None:
    written = {
        "relationship_type": "friends",  # as the rehearsal says as well
        "trust_level": 0.4,
        "emotional_tone": "",
        "rationale": "We once carried a piano down six flights, and have not spoken of it since.",
        "relationship_notes": "Never mention the piano.",
    }
    world.layer_folder(RELATIONSHIPS).mkdir()
    for name in CAST:
        others = {other: written for other in CAST if other != name}
        world.layer(RELATIONSHIPS, name).write_text(json.dumps(others), encoding="utf-8")
    play(world, days=3)
    known = [known for agent in load_world(world).world.agents.values() for known in agent.mind[RELATIONSHIPS].values()]
    assert any(regard.trust_level != 0.4 for regard in known)
    assert {regard.rationale for regard in known} == {written["rationale"]}
    for key in ("relationship_type", "emotional_tone", "relationship_notes"):
        assert {getattr(regard, key) for regard in known} == {written[key]}
    assert objections(world) == []


def test_it_is_the_same_days_again_to_the_byte(world: Layout) -> None:
    copy = Layout(world.root.with_name("copy"))
    shutil.copytree(world.root, copy.root)
    play(world, days=2)
    play(copy, days=2)
    assert tree(world.root) == tree(copy.root)


def test_switched_off_again_the_files_stay_and_nothing_of_them_is_asked_or_told(world: Layout) -> None:
    play(world, days=2)
    set_sections(world.settings, "relationships: off\ndiary: off")
    kept = {path: data for path, data in tree(world.root).items() if "/relationships/" in path or "/diary/" in path}
    assert kept
    backend = Counting()
    play(world, backend=backend)
    now = tree(world.root)
    assert {path: now[path] for path in kept} == kept
    asked = json.dumps(
        [[request.schema, request.messages, [b.text for b in request.system]] for request in backend.asked]
    )
    assert "relationships" not in asked
    assert "In your diary" not in asked
    assert diaries_asked(backend) == []
    assert objections(world) == []


def test_with_auto_a_file_of_any_character_switches_a_layer_on_for_all(dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 2]}")
    play(dinner)
    assert not dinner.layer_folder(DIARY).exists()
    assert not dinner.layer_folder(RELATIONSHIPS).exists()
    dinner.layer_folder(DIARY).mkdir()
    dinner.layer(DIARY, "jordan").write_text('{"day": "day-001", "text": "Mine alone."}\n', encoding="utf-8")
    play(dinner)
    assert [entry["day"] for entry in diary_of(dinner, "jordan")] == ["day-001", "day-002"]
    assert [entry["day"] for entry in diary_of(dinner, "alex")] == ["day-002"]
    assert not dinner.layer_folder(RELATIONSHIPS).exists()


def test_a_value_that_a_person_changes_while_the_scene_is_played_stays(world: Layout) -> None:
    play(world)
    path = world.layer(RELATIONSHIPS, "alex")
    done: list[str] = []

    def meddle(request: Request, reply: dict[str, Any]) -> dict[str, Any]:
        if request.purpose != "scene" or request.who != "alex" or "/scene-01" in request.place:
            return reply
        others = [
            name
            for name in CAST[1:]
            if f"`{name}`" in request.messages[0][1] or any(name == other.id for other in about(request).here.others)
        ]
        if not others:
            return reply
        if not done:
            done.append(others[0])
            data = json.loads(path.read_text(encoding="utf-8"))
            data[others[0]] |= {"trust_level": 0.77, "song": "minor"}
            path.write_text(json.dumps(data, indent=2), encoding="utf-8")
        said = {"with": done[0], "type": "rival", "trust": -0.5, "tone": "cold", "why": "No.", "notes": ""}
        return reply | {"relationships": [said] if done[0] in others and request.place not in done[1:] else []}

    heard = Heard(lambda _world, scene: done.append(str(scene.ref)) if done else None)
    play(world, backend=Scripted(meddle), report=heard)
    assert done, "alex met somebody"
    entry = json.loads(path.read_text(encoding="utf-8"))[done[0]]
    assert entry["song"] == "minor"
    assert any(f"{done[0]}.trust_level was edited meanwhile and stays 0.77" in text for text in heard.notices)
