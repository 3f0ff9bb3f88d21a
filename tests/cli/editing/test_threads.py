"""``gm threads``: what is open, what waits, and what a person opens and settles by hand."""

import json

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from tests.cli.running import Run
from tests.stories.playing import edit, records, set_sections, tree


def test_in_a_fresh_world_nothing_is_open_and_the_brief_waits(run: Run, studio: Layout) -> None:
    outcome = run("threads", "-w", studio.root)
    assert outcome.code == 0
    assert outcome.out.startswith("Nothing is open.\nAlso waiting:\n– post of Creative Director, day-000: Ihr Lieben")
    document = run("threads", "--json", "-w", studio.root).document
    assert list(document) == ["day", "open", "settled", "waiting"]
    assert [item["kind"] for item in document["waiting"]] == ["post"]


def test_a_thread_is_opened_by_hand_listed_and_settled(run: Run, studio: Layout) -> None:
    said = "Ich bringe Leo\n die Maße."
    line = run("threads", "open", "Vera", said, "--to", "Leo,emre", "--due", 2, "--json", "-w", studio.root).document
    assert line == {
        "id": "thread-001",
        "at": "day-000",
        "event": "open",
        "by": "vera",
        "kind": "promise",
        "to": ["leo", "emre"],
        "due": 2,
        "text": "Ich bringe Leo die Maße.",
    }
    assert records(studio.threads) == [line]
    assert run("threads", "-w", studio.root).out.splitlines()[:2] == [
        "thread-001 due on day 2  promise of vera → leo, emre, since day-000",
        "    Ich bringe Leo die Maße.",
    ]
    assert run("threads", "close", "thread-001", "--outcome", "kept", "-w", studio.root).code == 0
    document = run("threads", "list", "--all", "--json", "-w", studio.root).document
    assert document["open"] == []
    assert [(item["id"], item["outcome"], item["state"]) for item in document["settled"]] == [
        ("thread-001", "kept", "settled")
    ]
    assert "kept  promise of vera" in run("threads", "--all", "-w", studio.root).out
    assert "1 settled" in run("threads", "-w", studio.root).err
    assert not load_world(studio).problems
    assert run("check", "-w", studio.root).code == 0


def test_an_appointment_by_hand_has_a_time_and_a_place(run: Run, studio: Layout) -> None:
    wish = ("open", "vera", "Wir gehen den Flur ab.", "--kind", "appointment", "--to", "leo", "--due", 1)
    line = run("threads", *wish, "--time", "9:30", "--place", "Flur", "--json", "-w", studio.root).document
    assert (line["kind"], line["due"], line["time"], line["place"]) == ("appointment", 1, "09:30", "flur")
    first = run("threads", "-w", studio.root).out.splitlines()[0]
    assert first == "thread-001 due on day 1  appointment of vera → leo, 09:30, flur, since day-000"
    (item,) = run("threads", "--json", "-w", studio.root).document["open"]
    assert (item["time"], item["place"], "replaces" in item) == ("09:30", "flur", False)
    assert not load_world(studio).problems


def test_an_appointment_without_a_day_is_for_the_next_one_that_is_played(run: Run, studio: Layout) -> None:
    wish = ("open", "vera", "Wir gehen den Flur ab.", "--kind", "appointment", "--to", "leo", "-w", studio.root)
    assert run("threads", *wish, "--json").document["due"] == 1
    outcome = run("threads", *wish, "--due", "0")
    assert (outcome.code, "day 0 is over" in outcome.err, "day 1" in outcome.err) == (2, True, True)
    edit(studio.world, {"day": 3, "day_open": True})
    assert run("threads", *wish, "--json").document["due"] == 3
    assert run("threads", *wish, "--due", "3").code == 0


def test_an_appointment_that_came_to_nothing_is_told_everywhere(run: Run, dinner: Layout) -> None:
    where = ("-w", dinner.root)
    set_sections(dinner.settings, "calendar: {away: [{who: casey, day: 1, how: 'off'}]}\n")
    wish = ("--kind", "appointment", "--to", "casey", "--time", "evening")
    assert run("threads", "open", "alex", "Look at the oven", *wish, *where).code == 0
    assert "agreed, evening: alex, casey: Look at the oven (thread-001)" in run("plan", *where).out
    told = run("advance-day", "--model", "rehearsal", *where).out
    assert "missed:\n    – Alex, Casey: Look at the oven (thread-001)" in told
    assert "  plans:\n    – Alex: " in told
    log = run("log", *where).out
    assert "· thread-001 missed by Alex, Casey: Look at the oven (evening)" in log
    assert "· plan of Alex: " in log
    (day,) = run("log", "--json", *where).document["days"]
    assert [(item["id"], item["people"]) for item in day["missed"]] == [("thread-001", ["alex", "casey"])]
    assert {end["status"] for end in day["plans"]["alex"]} <= {"done", "moved", "dropped"}
    assert "thread-001 missed  appointment of alex → casey, evening" in run("threads", "--all", *where).out


def test_a_silence_is_never_overdue(run: Run, studio: Layout) -> None:
    more = ("--kind", "silence", "--to", "leo", "--due", 1)
    said = run("threads", "open", "vera", "Kein Wort.", *more, "-w", studio.root).out
    assert said == "thread-001 silence of vera → leo: Kein Wort.\n"
    edit(studio.world, {"day": 4})
    assert run("threads", "--json", "-w", studio.root).document["open"][0]["state"] == "open"


def test_only_what_concerns_the_character_is_listed(run: Run, studio: Layout) -> None:
    run("threads", "open", "vera", "Ich komme.", "--to", "leo", "-w", studio.root)
    run("threads", "open", "finn", "Wer kommt?", "--kind", "question", "-w", studio.root)
    found = run("threads", "--agent", "Leo", "--json", "-w", studio.root).document
    assert [item["by"] for item in found["open"]] == ["vera"]
    assert run("threads", "--agent", "niemand", "-w", studio.root).code == 2


@pytest.mark.parametrize(("due", "state"), [(0, "overdue"), (1, "open"), (None, "open")])
def test_what_is_overdue_is_said_to_be(run: Run, studio: Layout, due: int | None, state: str) -> None:
    wish = ["threads", "open", "vera", "Ich komme.", "-w", studio.root]
    run(*wish, *(["--due", due] if due is not None else []))
    assert run("threads", "--json", "-w", studio.root).document["open"][0]["state"] == state


def test_while_the_day_is_open_what_is_due_can_still_be_done(run: Run, studio: Layout) -> None:
    run("threads", "open", "vera", "Ich komme.", "--due", 3, "-w", studio.root)
    edit(studio.world, {"day": 3, "day_open": True})
    assert "due today" in run("threads", "-w", studio.root).out
    edit(studio.world, {"day": 4})
    assert "overdue since day 3" in run("threads", "-w", studio.root).out


@pytest.mark.parametrize(
    "wish",
    [
        ("open", "niemand", "Ich komme."),
        ("open", "vera", "  "),
        ("open", "vera", "Ich komme.", "--to", "vera"),
        ("open", "vera", "Ich komme.", "--to", "niemand"),
        ("open", "vera", "Ich komme.", "--kind", "vow"),
        ("open", "vera", "Ich komme.", "--time", "15:00"),
        ("open", "vera", "Ich komme.", "--place", "flur"),
        ("open", "vera", "Ich komme.", "--kind", "appointment"),
        ("open", "vera", "Ich komme.", "--kind", "appointment", "--to", "leo", "--time", "um drei"),
        ("open", "vera", "Ich komme.", "--kind", "appointment", "--to", "leo", "--place", "am Meer"),
        ("close", "thread-009", "--outcome", "kept"),
        ("close", "thread-001", "--outcome", "forgotten"),
    ],
)
def test_what_makes_no_sense_is_refused_and_nothing_is_written(run: Run, studio: Layout, wish: tuple[str, ...]) -> None:
    run("threads", "open", "vera", "Ich bin da.", "-w", studio.root)
    before = tree(studio.root)
    assert run("threads", *wish, "-w", studio.root).code == 2
    assert tree(studio.root) == before


def test_what_is_settled_is_not_settled_again(run: Run, studio: Layout) -> None:
    run("threads", "open", "vera", "Ich bin da.", "-w", studio.root)
    assert run("threads", "close", "thread-001", "--outcome", "broken", "-w", studio.root).code == 0
    outcome = run("threads", "close", "thread-001", "--outcome", "kept", "-w", studio.root)
    assert (outcome.code, "broken already" in outcome.err) == (2, True)


def test_a_file_that_cannot_be_read_is_not_written_to(run: Run, studio: Layout) -> None:
    studio.threads.write_text('{"id": "thread-001"\n', encoding="utf-8")
    outcome = run("threads", "open", "vera", "Ich bin da.", "-w", studio.root)
    assert outcome.code == 1
    assert "state/threads.jsonl:1:" in outcome.err
    assert studio.threads.read_text(encoding="utf-8") == '{"id": "thread-001"\n'


def test_control_characters_of_a_hand_edited_file_do_nothing_to_the_terminal(run: Run, studio: Layout) -> None:
    run("threads", "open", "vera", "Ich bin da.", "-w", studio.root)
    (line,) = records(studio.threads)
    studio.threads.write_text(json.dumps(line | {"text": "\x1b[2Jweg"}) + "\n", encoding="utf-8")
    assert "\x1b[2J" not in run("threads", "-w", studio.root).out


def test_what_a_day_left_unanswered_is_listed_with_its_maker(run: Run, played: Layout) -> None:
    log = played.day_log(1)
    lines = [line | {"answers": []} if "answers" in line else line for line in records(log)]
    log.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    document = run("threads", "--json", "-w", played.root).document
    made = [item for item in document["waiting"] if item["kind"] == "artifact"]
    assert made
    world = load_world(played).world
    for item in made:
        assert (played.root / item["id"]).is_file()
        assert any(node.metadata.get("artifact_path") == item["id"] for node in world.agents[item["by"]].stream)


def test_the_help_names_what_can_be_done(run: Run) -> None:
    shown = run("threads", "--help").out
    assert all(f"\n  {name} " in shown for name in ("list", "open", "close"))
    assert "--agent" in run("threads", "list", "--help").out
