"""The Creative Director's hand: what is written, where, and what stays as it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gm.api.answers.document import as_json
from gm.api.editing.board import (
    describe_board,
    describe_briefs,
    end_brief,
    put_up_brief,
    put_up_feedback,
    put_up_post,
    withdraw_post,
)
from gm.api.editing.calendar import EventOptions, describe_events, remove_event, schedule_event
from gm.base.errors import BrokenWorldError, PromptError, UsageError
from gm.files.commits.journal import write_record
from gm.files.commits.writer import writing
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.clock import ScheduledEvent
from gm.play.edits import brief_steps, event_steps
from tests.handmade import BROKEN_BULLETIN, fingerprint, make_handmade
from tests.stories.playing import edit, play, records

LAID_OUT = """\
{ "note": "mine",
  "posts": [ {"from": "Hafenamt", "day": 3, "scene": 0, "type": "brief", "content": "Sichert den Steg."} ,
             "a line that is not a post" ],
\t"team_decisions": [],   "deliverables": [ 5.00 ] }
"""
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=80).filter(str.strip)


def clock(layout: Layout) -> dict[str, object]:
    found = json.loads(layout.world.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def board(layout: Layout) -> list[dict[str, object]]:
    found = json.loads(layout.bulletin.read_text(encoding="utf-8"))["posts"]
    assert isinstance(found, list)
    return found


def test_a_brief_hangs_on_the_board_and_holds(studio: Layout) -> None:
    document, notes = put_up_brief(studio, "The ash is wet.")
    assert notes == []
    wanted = {"from": "Creative Director", "day": 0, "scene": 0, "type": "brief", "content": "The ash is wet."}
    assert list(board(studio)[-1].items()) == list(wanted.items())
    assert as_json(document) == {"post": "bulletin/1", **wanted}
    assert clock(studio)["active_briefs"] == [board(studio)[0]["content"], "The ash is wet."]


def test_who_wrote_the_newest_brief_writes_the_next_one(studio: Layout) -> None:
    put_up_brief(studio, "First.", "  Frau   Dr. Ash ")
    put_up_post(studio, "A note.", "Somebody else")
    assert put_up_brief(studio, "Second.")[0].author == "Frau Dr. Ash"
    studio.bulletin.unlink()
    assert put_up_brief(studio, "Third.")[0].author == "Creative Director"


@pytest.mark.parametrize("text", ["", "  \n\t", "\udce4"])
def test_no_text_is_refused_and_nothing_is_written(studio: Layout, text: str) -> None:
    before = fingerprint(studio.root)
    for write in (put_up_brief, put_up_post):
        with pytest.raises(UsageError):
            write(studio, text)
    with pytest.raises(UsageError):
        schedule_event(studio, EventOptions(text))
    assert fingerprint(studio.root) == before


def test_no_character_gives_briefs(studio: Layout) -> None:
    with pytest.raises(UsageError, match="vera, one of the cast"):
        put_up_brief(studio, "Do as I say.", "Vera")
    assert put_up_post(studio, "Cake in the kitchen.", "Vera")[0].author == "Vera"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS)
def test_any_text_is_kept_as_it_was_given(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    layout = make_handmade(tmp_path_factory.mktemp("any"), bulletin=LAID_OUT)
    put_up_brief(layout, text, "The harbour")
    world = load_world(layout).world
    assert world.posts[-1].content == text.strip()
    assert world.clock.active_briefs == (text.strip(),)
    schedule_event(layout, EventOptions(text))
    assert load_world(layout).world.clock.scheduled_events[-1].event == " ".join(text.split())


def test_what_a_person_laid_out_by_hand_stays_to_the_byte(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path, bulletin=LAID_OUT)
    clock_before = layout.world.read_text(encoding="utf-8")
    others = {path: digest for path, digest in fingerprint(tmp_path).items() if "world" not in path}
    put_up_brief(layout, "Löscht das Licht.", "Hafenamt")
    after = layout.bulletin.read_text(encoding="utf-8")
    added = ', {"from": "Hafenamt", "day": 3, "scene": 0, "type": "brief", "content": "Löscht das Licht."}'
    head, _, tail = LAID_OUT.partition('"a line that is not a post"')
    assert after.startswith(head + '"a line that is not a post"')
    assert after.endswith(tail)
    assert json.loads(after)["posts"][-1] == json.loads(added[2:])
    assert layout.world.read_text(encoding="utf-8") == clock_before.replace(
        '"active_briefs": []', '"active_briefs": [\n    "Löscht das Licht."\n  ]'
    )
    schedule_event(layout, EventOptions("Regatta", 6, time="noon"))
    changed = layout.world.read_text(encoding="utf-8")
    assert '    {"day": 4, "event": "Probe am Steg", "time": "all-day"}' in changed
    assert '  "day": 3,  "day_of_week": "Mittwoch",\n' in changed
    remove_event(layout, "Regatta")
    end_brief(layout, "Löscht")
    assert json.loads(layout.world.read_text(encoding="utf-8")) == json.loads(clock_before)
    now = fingerprint(tmp_path)
    assert {path: now[path] for path in others if "bulletin" not in path} == {
        path: digest for path, digest in others.items() if "bulletin" not in path
    }


def test_missing_files_are_made(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.bulletin.unlink()
    layout.world.unlink()
    with pytest.raises(BrokenWorldError, match=r"state/world\.json"):  # day 0 would hide that days were played
        put_up_brief(layout, "Begin.", "Somebody")
    for path in layout.day_logs().values():
        path.unlink()
    put_up_brief(layout, "Begin.", "Somebody")
    assert json.loads(layout.bulletin.read_text(encoding="utf-8"))["team_decisions"] == []
    assert (clock(layout)["day"], clock(layout)["active_briefs"]) == (0, ["Begin."])


def test_a_broken_file_stops_only_what_needs_it(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path, bulletin=BROKEN_BULLETIN)
    before = fingerprint(tmp_path)
    with pytest.raises(BrokenWorldError) as caught:
        put_up_brief(layout, "Begin.")
    assert str(caught.value.problems[0]).startswith("state/bulletin.json:4:5")
    assert fingerprint(tmp_path) == before
    schedule_event(layout, EventOptions("Regatta"))


def test_all_broken_files_that_an_edit_needs_are_named_at_once(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path, bulletin=BROKEN_BULLETIN)
    layout.settings.write_text("seed: [\n", encoding="utf-8")
    with pytest.raises(BrokenWorldError) as caught:
        put_up_brief(layout, "Begin.")
    assert caught.value.message == "gm.yaml and state/bulletin.json cannot be read"
    assert {problem.path for problem in caught.value.problems} == {"gm.yaml", "state/bulletin.json"}


def test_a_brief_is_put_up_though_the_prompts_cannot_be_read(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    layout.settings.write_text("language: xx\n", encoding="utf-8")
    put_up_brief(layout, "Begin.")
    assert list(load_world(layout).world.clock.active_briefs)[-1] == "Begin."
    with pytest.raises(PromptError):
        schedule_event(layout, EventOptions("Regatta"))


def test_a_brief_is_done_by_its_number_its_beginning_or_a_part_of_it(studio: Layout) -> None:
    put_up_brief(studio, "More ash.")
    put_up_brief(studio, "More wind.")
    with pytest.raises(UsageError, match="2 briefs fit 'more'"):
        end_brief(studio, "more")
    with pytest.raises(UsageError, match="there is no brief '7'"):
        end_brief(studio, "7")
    document, _ = end_brief(studio, "more w")
    assert document.done == "More wind."
    put_up_brief(studio, "No more wind.")
    put_up_brief(studio, "More wind.")
    assert end_brief(studio, "more wind.")[0].done == "More wind."
    assert end_brief(studio, "o more")[0].done == "No more wind."
    end_brief(studio, "1")
    assert as_json(describe_briefs(load_world(studio).world)) == {"active_briefs": [{"number": 1, "text": "More ash."}]}
    assert len(board(studio)) == 5


def test_a_brief_that_ends_before_it_was_read_is_said_to_be_read_still(studio: Layout) -> None:
    put_up_brief(studio, "More ash.")
    (note,) = end_brief(studio, "more ash")[1]
    assert note.startswith("every character will still read it, since bulletin/")
    assert note.endswith("to take it back while it is the last one: gm post --withdraw")
    put_up_brief(studio, "More wind.")
    play(studio)
    assert end_brief(studio, "more wind")[1] == []


def test_feedback_names_its_piece(studio: Layout) -> None:
    piece = studio.gallery / "audio" / "day-001_stille-meile_v1.md"
    piece.parent.mkdir(parents=True)
    piece.write_text("# Stille\n", encoding="utf-8")
    path = "gallery/audio/day-001_stille-meile_v1.md"
    for name in (path, "audio/day-001_stille-meile_v1.md", str(piece)):
        document, _ = put_up_feedback(studio, name, "Too smooth.")
        assert (document.type, document.artifact) == ("feedback", path)
    assert list(board(studio)[-1]) == ["from", "day", "scene", "type", "content", "artifact"]
    assert load_world(studio).world.posts[-1].artifact == path


@pytest.mark.parametrize(
    "name", ["gallery/audio/stille-meile.md", "../gm.yaml", "gm.yaml", "gallery", "/etc/hostname", "\x00"]
)
def test_feedback_on_what_is_not_in_the_gallery_names_the_nearest(studio: Layout, name: str) -> None:
    with pytest.raises(UsageError, match="the gallery is empty"):
        put_up_feedback(studio, name, "Hm.")
    piece = studio.gallery / "audio" / "day-001_stille-meile_v1.md"
    piece.parent.mkdir(parents=True)
    piece.write_text("# Stille\n", encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        put_up_feedback(studio, name, "Hm.")
    assert "day-001_stille-meile_v1.md" in caught.value.hint
    assert len(board(studio)) == 1


def test_an_event_falls_on_the_coming_day_or_on_the_open_one(studio: Layout) -> None:
    assert schedule_event(studio, EventOptions("Fire drill"))[0].event.day == 1
    edit(studio.world, {"day": 2, "day_open": True})
    assert schedule_event(studio, EventOptions("Fire drill"))[0].event.day == 2
    assert schedule_event(studio, EventOptions("Visit", in_days=0))[0].event.day == 2
    assert schedule_event(studio, EventOptions("Visit", in_days=3))[0].event.day == 5
    assert schedule_event(studio, EventOptions("Games", weekday="dienstag"))[0].event.day == 2
    assert schedule_event(studio, EventOptions("Games", weekday="Montag"))[0].event.day == 6
    edit(studio.world, {"day_open": False})
    assert schedule_event(studio, EventOptions("Cards", weekday="Dienstag"))[0].event.day == 7


@pytest.mark.parametrize(
    ("options", "found", "hint"),
    [
        (EventOptions("x", day=0), "day 0 is over", ""),
        (EventOptions("x", in_days=0), "day 0 is over", ""),
        (EventOptions("x", weekday="Caturday"), "no weekday 'Caturday'", "Montag"),
        (EventOptions("x", type="opera"), "no scene type 'opera'", "meeting"),
        (EventOptions("x", type="reflection"), "cannot be put into the calendar", "meeting"),
        (EventOptions("x", cast=("vera", "bob")), "nobody here is called 'bob'", "vera"),
        (EventOptions("x", cast=("vera", "emre"), lead="tobi"), "tobi opens the scene", "--with"),
        (EventOptions("x", place="moon"), "no place 'moon'", "kontor"),
        (EventOptions("x", time="25:00"), "'25:00' is not a time", "23:59"),
        (EventOptions("x", type="meeting", cast=("vera", "emre")), "at least 3", "--with"),
    ],
)
def test_an_event_that_makes_no_sense_is_refused(studio: Layout, options: EventOptions, found: str, hint: str) -> None:
    before = fingerprint(studio.root)
    with pytest.raises(UsageError, match=found) as caught:
        schedule_event(studio, options)
    assert hint in caught.value.hint
    assert fingerprint(studio.root) == before


def test_an_event_is_written_with_what_was_said_and_no_more(studio: Layout) -> None:
    options = EventOptions(
        "The \n boiler man", 3, time="noon", place="flur", type="event", cast=("Vera", "tobi", "vera"), lead="Tobi"
    )
    schedule_event(studio, options)
    events = clock(studio)["scheduled_events"]
    assert isinstance(events, list)
    assert events[-1] == {
        "day": 3,
        "event": "The boiler man",
        "time": "noon",
        "type": "EVENT",
        "place": "flur",
        "with": ["vera", "tobi"],
        "lead": "tobi",
    }
    schedule_event(studio, EventOptions("Rent", 3, time="end of the month"))
    document = as_json(describe_events(load_world(studio).world))
    shown = {item["event"]: item["played"] for item in document["events"]}
    assert (shown["The boiler man"], shown["Rent"]) == (True, False)


def test_the_same_event_twice_on_a_day_is_refused(studio: Layout) -> None:
    schedule_event(studio, EventOptions("Rent", 3))
    with pytest.raises(UsageError, match="has this event already"):
        schedule_event(studio, EventOptions(" Rent ", 3))
    schedule_event(studio, EventOptions("Rent", 4))


def test_an_event_is_removed_by_its_number_or_its_beginning(studio: Layout) -> None:
    schedule_event(studio, EventOptions("Rent", 3))
    schedule_event(studio, EventOptions("Rain", 4))
    with pytest.raises(UsageError, match="2 events fit"):
        remove_event(studio, "R")
    assert remove_event(studio, "rai")[0].removed.event.event == "Rain"
    assert remove_event(studio, "2")[0].removed.event.event == "Rent"
    assert [item["event"] for item in as_json(describe_events(load_world(studio).world))["events"]] == [
        "Alle legen ihre Antwort auf die Frage des Creative Directors auf den Tisch"
    ]


def test_steps_can_be_committed_by_the_holder_of_the_lock(studio: Layout) -> None:
    with writing(studio, "a test") as writer:
        world = load_world(studio).world
        steps = [
            *brief_steps(studio, world, "The wind.", "Creative Director"),
            *event_steps(studio, world, ScheduledEvent(1, "Fire drill", "noon")),
        ]
        assert writer.commit(steps) == []
    assert board(studio)[-1]["content"] == "The wind."
    events = clock(studio)["scheduled_events"]
    assert isinstance(events, list)
    assert events[-1]["event"] == "Fire drill"


def test_a_brief_that_died_in_the_middle_is_finished_by_the_next_command(studio: Layout) -> None:
    world = load_world(studio).world
    steps = brief_steps(studio, world, "The wind.", "Creative Director")
    with writing(studio, "a test"):
        pass
    write_record(studio.journal, 1, steps)
    document, notes = put_up_post(studio, "After.")
    assert any("interrupted" in note for note in notes)
    assert [item["content"] for item in board(studio)[1:]] == ["The wind.", "After."]
    assert document.post == "bulletin/2"
    assert as_json(describe_briefs(load_world(studio).world))["active_briefs"][-1]["text"] == "The wind."


def test_the_board_says_what_holds_and_what_was_taken_up(dinner: Layout) -> None:
    play(dinner)
    put_up_brief(dinner, "No fish.")
    document = as_json(describe_board(load_world(dinner).world))
    assert [(item["active"], item["taken_up"]) for item in document["posts"]] == [(True, True), (True, False)]


def test_a_brief_is_remembered_by_all_once_over_the_days(dinner: Layout) -> None:
    play(dinner)
    put_up_brief(dinner, "No fish.")
    play(dinner, days=2)
    for name in dinner.agent_names():
        kept = [item for item in records(dinner.stream(name)) if item["metadata"].get("post") == "bulletin/1"]
        assert [(item["type"], item["importance"], item["created"]) for item in kept] == [
            ("observation", 9, "day-002/scene-01")
        ]
    taken = [line["answers"] for line in records(dinner.day_log(2)) if line.get("answers")]
    assert ["bulletin/1"] in taken


def test_feedback_is_talked_about_by_its_maker(studio: Layout) -> None:
    play(studio)
    made = next(path for path in sorted(studio.gallery.rglob("*.md")))
    path = studio.shown(made)
    put_up_feedback(studio, path, "Too smooth.")
    play(studio)
    (line,) = [line for line in records(studio.day_log(2)) if path in line.get("answers", ())]
    (post,) = [key for key in line["answers"] if key.startswith("bulletin/")]
    assert "Too smooth." in line["premise"]
    maker = line["participants"][0]
    assert any(
        node["metadata"].get("artifact_path") == path and node["type"] == "artifact"
        for node in records(studio.stream(maker))
    )
    weights = {
        name: [item["importance"] for item in records(studio.stream(name)) if item["metadata"].get("post") == post]
        for name in studio.agent_names()
    }
    assert weights == {name: [8 if name == maker else 6] for name in weights}


def test_the_last_note_and_a_brief_or_feedback_are_taken_back_until_a_scene_has_told_of_it(dinner: Layout) -> None:
    put_up_post(dinner, "A note.")
    board, clock = dinner.bulletin.read_bytes(), json.loads(dinner.world.read_bytes())
    put_up_brief(dinner, "No cooking.")
    assert withdraw_post(dinner)[0].content == "No cooking."
    assert dinner.bulletin.read_bytes() == board
    assert json.loads(dinner.world.read_bytes()) == clock
    assert withdraw_post(dinner)[0].content == "A note."
    put_up_brief(dinner, "Cook.")
    play(dinner)
    told = fingerprint(dinner.root)
    with pytest.raises(UsageError, match="still waits to be read") as refused:
        withdraw_post(dinner)
    assert "gm brief --done; then delete its post" in refused.value.hint
    assert fingerprint(dinner.root) == told
