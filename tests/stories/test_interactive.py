"""Days played interactively: scenes are read before they land, played again, and things happen in between."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.base.errors import BackendError, GmError, errors_in
from gm.files.layout import Layout
from gm.llm.choose import Choice
from gm.llm.rehearsal.backend import Rehearsal
from gm.play.interactive import Session
from gm.play.master import run_days
from gm.play.table import GameTable
from tests.stories.playing import Counting, Heard, edit, play, records, set_sections, tree
from tests.stories.table import Reader, sit

ROOT = Path(__file__).parents[2]
NOTE = "Quieter, please."


def log(layout: Layout, day: int = 1) -> list[dict[str, object]]:
    return records(layout.day_log(day))


def traces(layout: Layout, scene: str) -> list[str]:
    return sorted(path.name for path in (layout.traces / scene).glob("*.json"))


def requests(layout: Layout, scene: str) -> list[str]:
    found = (json.loads(path.read_text(encoding="utf-8")) for path in (layout.traces / scene).glob("*.json"))
    return [record["request"]["messages"][0]["content"] for record in found]


def test_a_day_that_is_only_continued_is_the_same_as_without_interaction(dinner: Layout, tmp_path: Path) -> None:
    alone = create_world(tmp_path / "alone", "dinner")
    play(alone)
    (result,) = sit(dinner, Reader(*["continue"] * 20))
    assert tree(dinner.root) == tree(alone.root)
    assert result.scenes == len(log(alone)) - 1


def test_a_scene_is_read_before_it_is_in_the_files(dinner: Layout) -> None:
    landed: list[int] = []
    reader = Reader(
        "continue", "skip", before=lambda: landed.append(len(log(dinner)) if dinner.day_log(1).exists() else 0)
    )
    sit(dinner, reader)
    assert landed == [0, 1]
    assert [draft.take for draft in reader.shown] == [1, 1]


def test_skipping_asks_no_more_that_day_and_again_on_the_next_one(dinner: Layout) -> None:
    reader = Reader("skip", "skip")
    assert [result.day for result in sit(dinner, reader, days=2)] == [1, 2]
    assert [draft.scene.ref.day for draft in reader.shown] == [1, 2]


def test_a_scene_is_played_again_with_a_note_and_one_take_of_it_lands(dinner: Layout) -> None:
    reader = Reader("continue", f"replay {NOTE}", "end")
    sit(dinner, reader)
    _, first, second = reader.shown
    assert (first.take, second.take, second.scene.note) == (1, 2, NOTE)
    assert first.change.log != second.change.log
    (entry,) = [item for item in log(dinner) if item.get("scene") == 2]
    assert entry == second.change.line.record
    assert entry["note"] == NOTE
    asked = [text for text in requests(dinner, "day-001/scene-02") if "# After the scene" not in text]
    assert sum(NOTE in text for text in asked) * 2 == len(asked) > 0, "both takes are kept"
    for name, nodes in second.change.nodes.items():
        own = [item for item in records(dinner.stream(name)) if item["created"] == "day-001/scene-02"]
        own = [item for item in own if item["metadata"].get("kind") != "plan-left"]  # the day ends after the scene
        assert [item["id"] for item in own] == [node.id for node in nodes]
    assert not errors_in(check_world(dinner).problems)


def test_a_second_note_is_added_to_the_first_one(dinner: Layout) -> None:
    reader = Reader("continue", f"replay {NOTE}", "replay And shorter.", f"replay {NOTE}", "end")
    sit(dinner, reader)
    assert [draft.scene.note for draft in reader.shown] == ["", "", NOTE, f"{NOTE}\nAnd shorter."]
    assert ["given before" in error.message for error in reader.refused] == [True]


def test_after_a_kill_between_two_takes_the_first_is_shown_again_and_no_model_is_asked_twice(dinner: Layout) -> None:
    before = Reader("continue", f"replay {NOTE}")
    sit(dinner, before)
    assert len(log(dinner)) == 1, "what nobody decided about has not landed"
    counting = Counting()
    after = Reader(f"replay {NOTE}", "end")
    sit(dinner, after, counting)
    assert counting.asked == []
    assert [draft.change for draft in after.shown] == [draft.change for draft in before.shown[1:]]
    assert log(dinner)[-1]["type"] == "SUMMARY"


def test_a_failure_in_the_second_take_loses_nothing(dinner: Layout) -> None:
    counting = Counting(limit=3 + 4 + 2)
    with pytest.raises(BackendError):
        sit(dinner, Reader("continue", f"replay {NOTE}"), counting)
    again = Counting()
    sit(dinner, Reader(f"replay {NOTE}", "end"), again)
    asked = [(item.place, item.label, item.messages) for item in (*counting.asked, *again.asked)]
    assert len(set(asked)) == len(asked)
    assert len(log(dinner)) == 3


def test_a_note_that_a_template_of_the_world_does_not_show_is_refused(dinner: Layout) -> None:
    own = dinner.prompts / "scenes" / "arrival.j2"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("---\nplay: parallel\nplan: true\n---\nYou arrive. {{ scene.premise }}\n", encoding="utf-8")
    reader = Reader(f"replay {NOTE}", "end")
    counting = Counting()
    sit(dinner, reader, counting)
    (error,) = reader.refused
    assert "scenes/arrival.j2 does not show a note" in error.message
    assert "note.j2" in error.hint


def test_what_is_put_up_between_scenes_comes_after_the_scene_and_before_the_next(dinner: Layout) -> None:
    put_up = ("brief Think of the cellar.", "post The bell is broken.", "event noon The fish comes")
    reader = Reader(*put_up, "continue", "end")
    sit(dinner, reader)
    posts = json.loads(dinner.bulletin.read_text(encoding="utf-8"))["posts"]
    assert [(post["type"], post["content"]) for post in posts[-2:]] == [
        ("brief", "Think of the cellar."),
        ("note", "The bell is broken."),
    ]
    clock = json.loads(dinner.world.read_text(encoding="utf-8"))
    assert clock["active_briefs"][-1] == "Think of the cellar."
    assert clock["scheduled_events"][-1] == {"day": 1, "event": "The fish comes", "time": "noon"}
    assert any("Think of the cellar." in text for text in requests(dinner, "day-001/scene-02"))
    assert not any("Think of the cellar." in text for text in requests(dinner, "day-001/scene-01"))


def test_once_something_was_put_up_the_scene_cannot_be_played_again(dinner: Layout) -> None:
    reader = Reader("brief Think of the cellar.", f"replay {NOTE}", "end")
    sit(dinner, reader)
    assert ["cannot be played again" in error.message for error in reader.refused] == [True]


def test_a_character_is_called_over(dinner: Layout) -> None:
    names = sorted(path.stem for path in dinner.personas.glob("*.md"))
    reader = Reader(f"call {names[1]},{names[0]} The cellar key", "end")
    sit(dinner, reader)
    (entry,) = [item for item in log(dinner) if item.get("scene") == 2]
    assert (entry["type"], entry["participants"], entry["director"]) == ("ENCOUNTER", [names[1], names[0]], "asked")
    assert all("The cellar key" in text for text in requests(dinner, "day-001/scene-02"))


def test_three_that_are_called_over_have_a_meeting(dinner: Layout) -> None:
    names = sorted(path.stem for path in dinner.personas.glob("*.md"))
    sit(dinner, Reader(f"call {','.join(names)} The cellar key", "end"))
    assert log(dinner)[1]["type"] == "MEETING"


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("call nobody,noone X", "nobody here is called"),
        ("call X", "needs somebody"),
        ("event whenever X", "a time and a text"),
        ("ask nobody Why?", "nobody here is called"),
    ],
)
def test_a_command_that_makes_no_sense_lands_nothing(dinner: Layout, line: str, match: str) -> None:
    reader = Reader(line)
    sit(dinner, reader)
    assert match in reader.refused[0].message
    assert not dinner.day_log(1).exists()


def test_a_character_asked_out_of_scene_knows_the_scene_and_keeps_nothing(dinner: Layout) -> None:
    name = min(path.stem for path in dinner.personas.glob("*.md"))
    before = dinner.stream(name).read_bytes()
    reader, counting = Reader(f"ask {name} What do you make of this?"), Counting()
    sit(dinner, reader, counting)
    assert not dinner.day_log(1).exists()
    assert dinner.stream(name).read_bytes() == before
    assert reader.said[0].partition(": ")[2]
    asked = counting.asked[-1]
    assert "What do you make of this?" in asked.messages[0][1]
    # a plan is listed by the question and is not a memory line beside it
    formed = [node for node in reader.shown[0].change.nodes[name] if node.type != "plan"]
    assert formed
    assert all(any(f"`{node.id}`" in block.text for block in asked.system) for node in formed)
    again = Counting()
    sit(dinner, Reader(f"ask {name} What do you make of this?"), again)
    assert again.asked == []


def test_the_reasons_and_the_plan_are_told_and_change_nothing(dinner: Layout) -> None:
    reader = Reader("continue", "why", "plan")
    sit(dinner, reader)
    assert any(line.startswith("why: ") for line in reader.said)
    assert any(line.startswith("score: ") for line in reader.said)
    planned = next(line for line in reader.said if line.startswith("next: "))
    following = Reader("continue")
    sit(dinner, following)
    draft = following.shown[1]
    names = ", ".join(draft.world.agents[name].call_name for name in draft.scene.cast)
    assert planned.startswith(f"next: {draft.scene.type.name} · {draft.scene.time_of_day}")
    assert planned.endswith(names)


def test_an_ended_day_has_its_reflections_and_its_close_and_no_more_scenes(dinner: Layout) -> None:
    with dinner.settings.open("a") as file:
        file.write("reflection: {threshold: 1}\n")
    reader = Reader("continue", "end")
    sit(dinner, reader)
    assert [item["type"] for item in log(dinner)][2:] == ["REFLECTION"] * 3 + ["SUMMARY"]
    assert not json.loads(dinner.world.read_text(encoding="utf-8"))["day_open"]
    assert not dinner.end_note.exists()


def test_the_end_of_a_day_is_remembered_after_a_kill_before_its_close(dinner: Layout) -> None:
    with dinner.settings.open("a") as file:
        file.write("reflection: {threshold: 1}\n")
    with pytest.raises(BackendError):
        sit(dinner, Reader("end"), Counting(limit=3))
    assert [item["type"] for item in log(dinner)] == ["ARRIVAL"]
    play(dinner)
    assert [item["type"] for item in log(dinner)] == ["ARRIVAL", *["REFLECTION"] * 3, "SUMMARY"]
    play(dinner)
    assert len(log(dinner, 2)) > 5, "the next day is a whole one"


def test_after_reflections_there_is_time_to_do_something_and_none_to_replay(dinner: Layout) -> None:
    set_sections(dinner.settings, "reflection: {threshold: 1}\nday: {scenes: [5, 5], busy: 0}")
    alone = Reader(*["continue"] * 30)
    sit(dinner, alone)
    left = 30 - len(alone.lines)
    reader = Reader(*["continue"] * (left - 1), f"replay {NOTE}", "post Good night.", "continue")
    sit(dinner, reader)
    assert [error.message for error in reader.refused] == ["the scene is in the files and cannot be played again"]
    assert log(dinner, 2)[-1]["type"] == "SUMMARY"


def test_an_edit_while_a_scene_is_read_stays_and_the_scene_lands_beside_it(dinner: Layout) -> None:
    name = min(path.stem for path in dinner.personas.glob("*.md"))
    edited: list[str] = []

    def change() -> None:
        if len(reader.shown) == 2 and not edited:
            edited.append(name)
            edit(dinner.agent(name), {"mood": "as I say"})

    reader = Reader("continue", "end", before=change)
    sit(dinner, reader)
    assert json.loads(dinner.agent(name).read_text(encoding="utf-8"))["mood"] == "as I say"
    assert log(dinner)[1] == reader.shown[1].change.line.record
    assert not errors_in(check_world(dinner).problems)


def test_a_character_removed_from_the_world_while_a_scene_is_read_stops_it_with_a_message(dinner: Layout) -> None:
    name = min(path.stem for path in dinner.personas.glob("*.md"))

    def take_out() -> None:
        for path in (dinner.persona(name), dinner.agent(name), dinner.stream(name)):
            path.unlink()

    reader = Reader("continue", before=take_out)
    with pytest.raises(GmError, match=f"{name} took part and is not in the world any more"):
        sit(dinner, reader)
    assert not dinner.day_log(1).exists()


def test_a_run_of_several_days_that_was_left_goes_on_to_its_end(dinner: Layout) -> None:
    assert [result.day for result in sit(dinner, Reader("skip", "continue"), days=2)] == [1]
    assert [result.day for result in sit(dinner, Reader("skip"), days=2)] == [2]


LINES = (
    "continue", "continue", "brief One more thing.", "post Look.", "event evening A toast", "event morning Late news",
    "call {0},{1} The key", "call {0},{1},{2} All of it", "call {0} X", "ask {1} Why?", "replay Softer.",
    "replay Louder.", "why", "plan", "skip", "end", "quit",
)  # fmt: skip


@pytest.mark.soak
@settings(max_examples=12)
@given(st.lists(st.sampled_from(LINES), max_size=12), st.integers(0, 3))
def test_any_command_leaves_the_world_clean_and_streams_only_grow(lines: list[str], leaving: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        layout = create_world(Path(folder) / "world", "dinner")
        names = sorted(path.stem for path in layout.personas.glob("*.md"))
        before: dict[str, bytes] = {}

        def look() -> None:
            now = {path.name: path.read_bytes() for path in (*layout.memories.glob("*"), *layout.logbook.glob("*"))}
            assert all(now.get(name, b"").startswith(data) for name, data in before.items())
            before.update(now)

        spoken = [line.format(*names) for line in lines]
        for part in (spoken[:leaving], spoken[leaving:], ["skip"]):
            sit(layout, Reader(*part, before=look))
            look()
        checked = check_world(layout)
        assert [problem for problem in checked.problems if problem.severity != "info"] == []
        for name in names:
            identifiers = [item["id"] for item in records(layout.stream(name))]
            assert len(set(identifiers)) == len(identifiers)
        for day in layout.logged_days():
            numbers = [item["scene"] for item in log(layout, day) if item["type"] != "SUMMARY"]
            assert numbers == list(range(1, len(numbers) + 1))


SCRIPT = "continue\nreplay Softer.\nbrief One more thing.\ncall {0},{1} The key\ncontinue\nend\n"


def run_killed(layout: Layout, step: int, script: str) -> int:
    command = [sys.executable, "-m", "tests.stories.killed", str(step), "advance-day", "-w", str(layout.root)]
    arguments = ["--interactive", "--model", "rehearsal"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, env=environment, input=script, capture_output=True, text=True, timeout=300
    )
    return done.returncode


@pytest.mark.soak
@pytest.mark.parametrize("step", [5, 30, 60, 90, 110, 130, 150, 170])
def test_a_kill_at_any_step_leaves_a_day_that_goes_on_and_ends_clean(dinner: Layout, step: int) -> None:
    names = sorted(path.stem for path in dinner.personas.glob("*.md"))
    run_killed(dinner, step, SCRIPT.format(*names))
    sit(dinner, Reader("skip"))
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []
    for name in names:
        identifiers = [item["id"] for item in records(dinner.stream(name))]
        assert len(set(identifiers)) == len(identifiers)


class Gone(Session):
    """Dies as soon as it has ended the day."""

    def between(self, table: GameTable) -> None:
        super().between(table)
        if table.is_ended:
            raise KeyboardInterrupt


def test_the_end_of_a_day_is_in_the_files_as_soon_as_it_is_decided(dinner: Layout) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_days(dinner, Choice(Rehearsal(), "a test"), Heard(), 1, command="test", review=Gone(Reader("end")))
    reader = Reader()
    sit(dinner, reader)
    assert reader.shown == []
    assert [item["type"] for item in log(dinner)] == ["ARRIVAL", "SUMMARY"]
