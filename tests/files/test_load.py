"""Reading a world: what gm holds in memory while it plays is what a fresh reader finds in the files."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gm
from gm.api.history.lost import describe_missing
from gm.api.history.rewind.apply_rewind import go_back
from gm.api.history.rewind.moments import find_moment
from gm.api.reports.status import describe_status
from gm.api.views.cast import view_frame
from gm.base.config import Settings
from gm.base.errors import BrokenWorldError, errors_in
from gm.files.check.whole import check_files
from gm.files.commits.steps import SetValues
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.files.save import plan_steps
from gm.files.story.now import load_cast, load_settings, load_written_state
from gm.llm.rehearsal.backend import Rehearsal
from gm.model.calendar import SceneRef
from gm.model.clock import Post
from gm.model.logged import LogEntry
from gm.model.scene import Scene
from gm.model.world import Change, World
from gm.scene.directing.choosing import SceneRequest
from gm.scene.planning.schedule import open_day
from tests.api.repositories import commit_all, make_repository
from tests.stories.playing import Heard, edit, play, play_with, records


def assert_same(held: World, found: World) -> None:
    assert found.clock == held.clock
    assert found.posts == held.posts
    assert found.agents.keys() == held.agents.keys()
    for name, agent in held.agents.items():
        assert found.agents[name] == agent, name
    assert found.scenes_of(held.clock.day) == held.scenes_of(held.clock.day)


@pytest.mark.parametrize("template", ["studio", "dinner"])
def test_after_every_scene_a_fresh_reader_finds_the_world_that_was_computed(
    template: str, request: pytest.FixtureRequest
) -> None:
    layout: Layout = request.getfixturevalue(template)
    heard = Heard(after=lambda world, _scene: assert_same(world, load_world(layout).world))
    play(layout, days=2 if template == "studio" else 1, report=heard)
    assert len(heard.scenes) >= 4


def test_after_a_reflection_a_fresh_reader_finds_the_world_that_was_computed(studio: Layout) -> None:
    settings = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(settings + "reflection: {threshold: 20}\n", encoding="utf-8")
    kinds = []

    def compare(world: World, scene: Scene) -> None:
        kinds.append(scene.type.name)
        assert_same(world, load_world(studio).world)

    play(studio, report=Heard(after=compare))
    assert "REFLECTION" in kinds


def play_morning(layout: Layout) -> Heard:
    heard = Heard()
    play_with(layout, Rehearsal(), heard, lambda master: master.play_requested(SceneRequest("arrival")))
    return heard


VALUES: dict[str, Any] = {"position": None, "current_task": None, "mood": None, "today_plan": None}


@pytest.mark.parametrize("absent", [*VALUES, "position-empty"])
def test_an_empty_value_of_a_hand_made_agent_is_filled_like_any_other(studio: Layout, absent: str) -> None:
    key, value = ("position", "") if absent == "position-empty" else (absent, None)
    edit(studio.agent("vera"), {key: value})
    heard = play_morning(studio)
    assert json.loads(studio.agent("vera").read_text(encoding="utf-8"))[key]
    assert not heard.notices


def test_empty_values_of_a_hand_made_clock_are_filled_like_any_other(studio: Layout) -> None:
    edit(studio.world, {"day_of_week": None, "time_of_day": None, "artifacts_today": None, "studio_status": None})
    heard = play_morning(studio)
    clock = json.loads(studio.world.read_text(encoding="utf-8"))
    assert clock["day_of_week"] == "Montag"
    assert clock["artifacts_today"] == []
    assert not heard.notices


def test_things_of_another_kind_in_the_lists_of_a_hand_made_clock_are_no_edit(studio: Layout) -> None:
    edit(studio.world, {"artifacts_today": [{"path": "gallery/concepts/turm.md"}, "gallery/writing/lied.md"]})
    heard = play_morning(studio)
    assert not heard.notices


def test_a_number_written_as_5_00_is_five(studio: Layout) -> None:
    text = studio.agent("vera").read_text(encoding="utf-8")
    studio.agent("vera").write_text(text.replace('accumulator": 0', 'accumulator": 5.00'), encoding="utf-8")
    loaded = load_world(studio)
    assert not loaded.problems
    assert loaded.world.agents["vera"].state.importance_accumulator == 5


def test_a_memory_whose_importance_is_written_as_7_00_is_read(studio: Layout) -> None:
    studio.memories.mkdir(exist_ok=True)
    line = '{"id": "vera-001", "created": "day-001/scene-01", "type": "observation", "depth": 0, '
    line += '"description": "Gips", "importance": 7.00, "tags": [], "evidence": [], "metadata": {}}\n'
    studio.stream("vera").write_text(line, encoding="utf-8")
    loaded = load_world(studio)
    assert not errors_in(loaded.problems)
    assert loaded.world.agents["vera"].stream[0].importance == 7


def test_an_agent_whose_name_is_blank_is_called_by_its_id(studio: Layout) -> None:
    edit(studio.agent("vera"), {"name": "  "})
    assert load_world(studio).world.agents["vera"].call_name in ("vera", "Vera")


def test_a_new_name_in_a_persona_is_the_name_of_the_character_everywhere(studio: Layout) -> None:
    path = studio.persona("vera")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: Vera Hollstein", "name: Marta Krahl", 1), encoding="utf-8")
    settings = studio.settings.read_text(encoding="utf-8")
    away = "\ncalendar:\n  away: [{who: Marta, day: 3}]\n"
    studio.settings.write_text(settings.replace("\ncalendar:\n", away, 1), encoding="utf-8")
    assert load_written_state(studio, "vera")[0].name == "Vera Hollstein"
    named = (
        load_world(studio).world.agents["vera"].name,
        load_cast(studio)[0]["vera"].name,
        next(face.name for face in view_frame(studio).cast if face.id == "vera"),
        describe_status(studio)[0].agents["vera"].name,
    )
    assert set(named) == {"Marta Krahl"}
    assert "agent-unknown" not in {problem.code for problem in check_files(studio).problems}


def test_without_a_name_in_the_persona_the_one_of_the_agents_file_counts(studio: Layout) -> None:
    path = studio.persona("vera")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("name: Vera Hollstein", "name: ' '", 1), encoding="utf-8")
    assert load_world(studio).world.agents["vera"].name == "Vera Hollstein"


def test_ids_go_on_above_the_archive(played: Layout) -> None:
    lines = played.stream("vera").read_text(encoding="utf-8")
    played.archive.mkdir()
    played.archived("vera").write_text(lines.replace('"vera-0', '"vera-9'), encoding="utf-8")
    number = load_world(played).world.agents["vera"].next_number
    assert number == max(int(record["id"][-3:]) for record in records(played.archived("vera"))) + 1


@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        ("state/world.json", '{"day": "drei"}', (1, 9, "value-type")),
        ("state/world.json", '{"day": 1,}', (1, 10, "json-syntax")),
        ("state/bulletin.json", "{", (1, 2, "json-syntax")),
        ("state/agents/vera.json", '{"today_plan": "alles"}', (1, 16, "value-type")),
        ("state/personas/vera.md", "---\nname: Vera\nrole: [\n---\n", (3, 7, "yaml-syntax")),
        ("state/personas/vera.md", "---\nname: Vera\n", (1, 1, "front-matter-open")),
        ("state/memories/vera.jsonl", '{"id": "vera-001"}\n', (1, 1, "key-missing")),
        ("gm.yaml", "seed: 1\nday:\n  scenes: [9, 2]\n", (3, 11, "setting-value")),
        ("gm.yaml", "seed: [1\n", (1, 7, "yaml-syntax")),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place_and_the_rest_is_read(
    studio: Layout, path: str, text: str, place: tuple[int, int, str]
) -> None:
    studio.memories.mkdir(exist_ok=True)
    (studio.root / path).write_text(text, encoding="utf-8")
    loaded = load_world(studio)
    assert [(item.path, item.line, item.column, item.code) for item in errors_in(loaded.problems)] == [(path, *place)]
    assert len(loaded.world.agents) == 7


def test_a_step_keeps_what_the_file_was_thought_to_say(studio: Layout) -> None:
    world = load_world(studio).world
    (step,) = plan_steps(studio, world, open_day(world))
    assert isinstance(step, SetValues)
    assert (step.path, step.old["day"], step.new["day"]) == ("state/world.json", 0, 1)


def test_posts_and_decisions_of_one_scene_are_written_in_one_step(studio: Layout) -> None:
    studio.bulletin.write_text('{"posts": ["ein loser Zettel"], "votes": {}}\n', encoding="utf-8")
    world = load_world(studio).world
    post = Post(0, "vera", "note", "Plan", 1, 2, "gallery/tech/plan.md")
    change = Change(1, decisions=("Geraucht wird draußen.",), posts=(post,), log=LogEntry(1, {"scene": 2}))
    (step,) = (step for step in plan_steps(studio, world, change) if isinstance(step, SetValues))
    assert (step.path, step.old) == ("state/bulletin.json", {"posts": ["ein loser Zettel"]})
    hung = {"from": "vera", "day": 1, "scene": 2, "type": "note", "content": "Plan", "artifact": "gallery/tech/plan.md"}
    assert step.new == {
        "posts": ["ein loser Zettel", hung],
        "team_decisions": [{"day": 1, "scene": 2, "decision": "Geraucht wird draußen."}],
    }


@pytest.mark.parametrize(
    "file",
    ["gm.yaml", "state/world.json", "state/bulletin.json", "state/agents/vera.json", "state/personas/vera.md"],
)
@pytest.mark.parametrize("content", ["", " \n\n"])
def test_a_file_that_has_become_empty_is_an_error_and_no_new_world(played: Layout, file: str, content: str) -> None:
    """An empty clock would be day 0, and day 1 would be played once more into the logbook that is there."""
    (played.root / file).write_text(content, encoding="utf-8")
    problems = load_world(played).problems
    assert [(item.path, item.severity, item.code) for item in problems] == [(file, "error", "file-empty")]
    assert "git checkout" in problems[0].hint


def test_empty_settings_are_the_defaults_before_the_first_day(studio: Layout) -> None:
    studio.settings.write_text("\n", encoding="utf-8")
    loaded = load_world(studio)
    assert loaded.problems == ()
    assert loaded.world.settings == Settings()


def test_a_logbook_whose_lines_were_all_deleted_is_empty(played: Layout) -> None:
    """The clock says which day comes next: no day is played again for want of its logbook."""
    played.day_log(1).write_bytes(b"")
    loaded = load_world(played)
    assert loaded.problems == ()
    assert (loaded.world.clock.day, loaded.world.log) == (1, ())


def test_a_stream_that_has_become_empty_is_an_error_where_the_logbook_names_its_memories(played: Layout) -> None:
    played.stream("vera").write_text("", encoding="utf-8")
    (problem,) = load_world(played).problems
    assert (problem.path, problem.code) == ("state/memories/vera.jsonl", "file-empty")
    assert "the logbook of day 1 names 'vera-0" in problem.message
    played.stream("vera").unlink()
    (problem,) = load_world(played).problems
    assert (problem.path, problem.code) == ("state/memories/vera.jsonl", "file-missing")
    assert "the logbook of day 1 names 'vera-0" in problem.message
    assert "git checkout -- state/memories/vera.jsonl" in problem.hint
    assert [item for item in check_files(played).problems if "vera-0" in item.message] == [problem]


def test_a_clock_that_was_deleted_or_set_back_does_not_play_a_day_again(played: Layout) -> None:
    played.world.write_text('{"day": 0}\n', encoding="utf-8")
    (problem,) = load_world(played).problems
    assert (problem.path, problem.severity, problem.code) == ("state/world.json", "error", "clock-behind")
    assert problem.hint.endswith("gm rewind day-000")
    played.world.unlink()
    (problem,) = load_world(played).problems
    assert problem.message == "the file is missing, and the logbook goes on to day 1"
    assert problem in check_files(played).problems
    before = {path: path.read_bytes() for path in played.state.rglob("*.json*")}
    with pytest.raises(BrokenWorldError):
        play(played)
    assert {path: path.read_bytes() for path in played.state.rglob("*.json*")} == before
    played.day_log(1).unlink()
    assert load_world(played).problems == ()


def test_settings_that_were_deleted_are_missed_where_another_calendar_was_played(dinner: Layout) -> None:
    play(dinner)
    dinner.settings.unlink()
    (problem,) = load_world(dinner).problems
    assert (problem.path, problem.severity, problem.code) == ("gm.yaml", "error", "settings-missing")
    assert "'Monday' by it, and by the defaults 'Montag'" in problem.message
    assert problem in check_files(dinner).problems
    dinner.settings.write_text("language: en\n", encoding="utf-8")
    assert load_world(dinner).problems == ()
    assert describe_missing(dinner) == []
    dinner.settings.unlink()
    for path in dinner.changes.iterdir():  # another tool may have written the day
        path.unlink()
    assert load_world(dinner).problems == ()
    assert describe_missing(dinner) == ["gm.yaml is absent: all settings are the defaults, with language: de"]


def test_absent_settings_are_told_where_git_knows_of_some(studio: Layout) -> None:
    play(studio)
    text = studio.settings.read_text(encoding="utf-8")
    studio.settings.unlink()
    assert describe_missing(studio) == []  # as by the defaults; it may never have had a file
    make_repository(studio.root)
    commit_all(studio.root, "without settings")
    assert describe_missing(studio) == []
    studio.settings.write_text(text, encoding="utf-8")
    commit_all(studio.root, "with settings")
    studio.settings.unlink()
    assert describe_missing(studio) == ["gm.yaml is absent: all settings are the defaults, with language: de"]
    commit_all(studio.root, "without settings, on purpose")
    assert describe_missing(studio) == []


def test_the_board_and_threads_that_gm_has_written_are_missed(dinner: Layout) -> None:
    def lost() -> list[tuple[str, str]]:
        found = [item for item in check_files(dinner).problems if item.code == "file-deleted"]
        return [(item.path, item.severity) for item in found]

    play(dinner)
    board = dinner.bulletin.read_bytes()
    dinner.bulletin.unlink()
    assert lost() == [("state/bulletin.json", "warning")]  # no day has written to it, but a brief is active
    dinner.bulletin.write_bytes(board)
    assert dinner.threads.is_file()
    assert lost() == []
    dinner.threads.unlink()
    assert lost() == [("state/threads.jsonl", "warning")]
    dinner.threads.touch()
    assert lost() == []
    dinner.threads.unlink()
    go_back(dinner, find_moment(dinner, SceneRef(0, 0)), None)
    assert lost() == []


@pytest.mark.parametrize(("written", "read"), [("en", "en"), ("'en-GB' # ours", "en-GB"), ("[en", "de")])
def test_settings_that_cannot_be_read_keep_the_language(dinner: Layout, written: str, read: str) -> None:
    dinner.settings.write_text(f"language: {written}\nseed: [1\n", encoding="utf-8")
    settings, problems = load_settings(dinner)
    assert [problem.code for problem in problems] == ["yaml-syntax"]
    assert settings.language == read


def test_a_day_without_a_logbook_is_named(studio: Layout) -> None:
    play(studio, days=2)
    assert describe_missing(studio) == []
    studio.day_log(1).unlink()
    (problem,) = (item for item in check_files(studio).problems if item.code == "logbook-missing")
    assert (problem.path, problem.severity) == ("state/logbook/day-001.jsonl", "warning")
    assert describe_missing(studio) == [str(problem)]
    assert gm.open_world(studio.root).problems == (problem,)
    studio.day_log(1).touch()
    assert describe_missing(studio) == []


def test_streams_of_a_world_that_has_not_begun_are_empty(studio: Layout) -> None:
    assert not any(studio.stream(name).read_bytes() for name in studio.agent_names())
    assert load_world(studio).problems == ()


def test_settings_that_are_comments_alone_are_no_empty_file(played: Layout) -> None:
    played.settings.write_text("# language: en\n", encoding="utf-8")
    assert load_world(played).problems == ()


def test_half_a_character_is_named_where_it_is_escaped(played: Layout) -> None:
    """It would be read, and no file and no request could be written with it."""
    text = played.agent("vera").read_text(encoding="utf-8")
    played.agent("vera").write_text(text.replace('"mood": "', '"mood": "\\\\ud83d \\ud83d\\ude00 \\udc00', 1), "utf-8")
    (problem,) = load_world(played).problems
    line = 1 + text[: text.index('"mood": "')].count("\n")
    assert (problem.line, problem.code) == (line, "json-half")
    assert problem.message.startswith("\\udc00 is half a character")


CONFLICT = (
    "<<<<<<< HEAD\nYou are Vera, and you like rain.\n=======\nYou are Vera, and you like snow.\n>>>>>>> 041e141\n"
)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_persona_with_both_versions_of_a_merge_is_an_error(played: Layout, line_end: str) -> None:
    """Both versions and the marks would otherwise be in every question to the character."""
    path = played.persona("vera")
    text = path.read_text(encoding="utf-8") + CONFLICT
    path.write_bytes(text.replace("\n", line_end).encode())
    (problem,) = load_world(played).problems
    assert (problem.path, problem.severity, problem.code) == ("state/personas/vera.md", "error", "merge-conflict")
    assert text.split("\n")[problem.line - 1] == "<<<<<<< HEAD"
    assert [item for item in check_files(played).problems if item.severity == "error"] == [problem]


def test_a_persona_may_quote_a_mark_of_a_conflict(played: Layout) -> None:
    path = played.persona("vera")
    path.write_text(
        path.read_text(encoding="utf-8") + "\n=======\nShe writes\n<<<<<<< on the wall.\n", encoding="utf-8"
    )
    assert load_world(played).problems == ()


def test_settings_and_streams_name_the_merge_and_no_fault_of_form(played: Layout) -> None:
    stream = played.stream("vera")
    first, rest = stream.read_text(encoding="utf-8").split("\n", 1)
    other = first.replace('"depth": 0', '"depth":  0')
    stream.write_text(f"<<<<<<< ours\n{first}\n=======\n{other}\n>>>>>>> theirs\n{rest}", encoding="utf-8")
    played.settings.write_text(played.settings.read_text(encoding="utf-8") + CONFLICT, encoding="utf-8")
    found = {(item.path, item.line): item.code for item in load_world(played).problems}
    assert {line: code for (path, line), code in found.items() if path == "state/memories/vera.jsonl"} == {
        1: "merge-conflict",
        3: "merge-conflict",
        4: "id-twice",
        5: "merge-conflict",
    }
    assert [code for (path, _), code in found.items() if path == "gm.yaml"] == ["merge-conflict"]


def test_a_stream_that_a_windows_editor_has_saved_is_not_called_empty(played: Layout) -> None:
    """The hint for an empty stream is to delete it."""
    stream = played.stream("vera")
    stream.write_bytes(stream.read_text(encoding="utf-8").encode("cp1252", "replace"))
    (problem,) = load_world(played).problems
    assert (problem.path, problem.code) == ("state/memories/vera.jsonl", "not-utf8")
    assert [item for item in check_files(played).problems if item.severity == "error"] == [problem]
