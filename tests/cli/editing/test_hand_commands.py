"""``gm brief``, ``post``, ``feedback``, ``event``, ``meeting`` and ``ask`` as a person runs them."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from gm.files.layout import Layout
from gm.files.load import load_world
from tests.cli.running import Run
from tests.handmade import fingerprint
from tests.stories.playing import records

NASTY = '\x1b]0;gone\x07 »{{ 7 * 7 }}« \u202e "x" \n# Heading'


def type_in(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_post_that_is_taken_back_is_said_to_be(run: Run, dinner: Layout) -> None:
    where = ("-w", dinner.root)
    assert run("brief", "No cooking.", *where).code == 0
    assert run("post", "--withdraw", *where).out.splitlines()[-1] == "It is taken back."
    assert "No cooking." not in run("brief", "--list", *where).out


def test_a_memory_is_shown_and_then_deleted(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root)
    name = run("memory", "add", "vera", "Falsch gehört.", *where, "--json").document["id"]
    tried = run("memory", "delete", name, *where, "--json", "--dry-run")
    assert (tried.document["id"], tried.document["cited_by"]) == (name, [])
    assert run("memory", "show", name, *where).code == 0
    done = run("memory", "delete", name, *where, "--json")
    assert done.document == tried.document
    assert "deleted from state/memories/vera.jsonl" in done.err
    assert run("memory", "delete", name, *where).code == 2
    after = run("status", *where, "--json").document["agents"]["vera"]["next_id"]
    assert int(after[-3:]) == int(name[-3:]) + 1


def test_what_a_command_changed_is_said_to_have_a_way_back(run: Run, played: Layout) -> None:
    where = ("-w", played.root)
    before = fingerprint(played.root / "state/memories")
    last = [json.loads(line) for line in played.stream("vera").read_text(encoding="utf-8").splitlines()][-1]
    deleted = run("memory", "delete", last["id"], *where).err
    assert "to correct it: gm accumulators --recompute --write\n" in deleted
    assert "to bring it back: gm rewind day-001, which first shows what else it takes back\n" in deleted
    shared = run("share", "emre", "vera", *where).err
    assert "to take them back: gm memory delete ID for each, or gm rewind day-001, which" in shared
    assert run("rewind", "day-001", "--yes", *where).code == 0
    assert fingerprint(played.root / "state/memories") == before


def test_a_brief_comes_in_as_words_as_one_text_or_through_a_pipe(
    run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = ("-w", studio.root)
    assert run("brief", "More", "wind.", *where).code == 0
    assert run("brief", "More rain.", *where, "--from", "Ada").code == 0
    type_in(monkeypatch, "\ufeffDrei Zeilen:\nWind\nRegen\n".encode())
    outcome = run("brief", "-", *where, "--json")
    assert outcome.document == {
        "post": "bulletin/3",
        "from": "Ada",
        "day": 0,
        "scene": 0,
        "type": "brief",
        "content": "Drei Zeilen:\nWind\nRegen",
    }
    type_in(monkeypatch, b"\xff\xfe")
    assert run("brief", "-", *where).code == 2
    listed = run("brief", "--list", *where, "--json").document["active_briefs"]
    assert [item["text"] for item in listed[1:]] == ["More wind.", "More rain.", "Drei Zeilen:\nWind\nRegen"]
    assert run("brief", "--done", "2", *where, "--json").document["done"] == "More wind."
    assert "2. More rain." in run("brief", "--list", *where).out


@pytest.mark.parametrize("command", ["brief", "post"])
def test_a_command_without_a_text_says_how_to_list(run: Run, dinner: Layout, command: str) -> None:
    outcome = run(command, "-w", dinner.root)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"write: gm {command} TEXT, or gm {command} --list; see --help" in outcome.err
    assert "with --list" in " ".join(run(command, "--help").out.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("brief",),
        ("brief", ""),
        ("brief", "x", "--list"),
        ("post",),
        ("event",),
        ("event", "x", "--list"),
        ("event", "x", "--day", "3", "--in", "2"),
        ("meeting", "--topic", "x", "--model", "rehearsal"),
        ("meeting", "--topic", "x", "--now", "--day", "3"),
        ("meeting", "--topic", " ", "--now"),
        ("meeting", "--topic", "x", "--now", "--with", "vera,bob"),
        ("meeting",),
        ("feedback", "gallery/x.md", "x"),
        ("ask", "bob", "x"),
        ("ask", "vera", ""),
    ],
)
def test_what_makes_no_sense_is_wrong_usage_and_writes_nothing(
    run: Run, studio: Layout, arguments: tuple[str, ...]
) -> None:
    before = fingerprint(studio.root)
    outcome = run(*arguments, "-w", studio.root)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err
    assert fingerprint(studio.root) == before


def test_no_text_of_a_world_reaches_the_terminal_raw(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root)
    shown = [
        run("brief", NASTY, *where, "--from", "A\x1bda"),
        run("post", NASTY, *where),
        run("event", NASTY, *where, "--time", "la\x1bter"),
        run("brief", "--list", *where),
        run("post", "--list", *where),
        run("post", "--list", *where, "--json"),
        run("event", "--list", *where),
        run("event", "--remove", "\x1b", *where),
        run("ask", "vera", NASTY, *where, "--json"),
    ]
    for outcome in shown:
        assert outcome.code == 0, outcome.err
        assert not set("\x1b\x07\u202e") & set(outcome.out + outcome.err)
    board = json.loads(studio.bulletin.read_text(encoding="utf-8"))["posts"]
    assert board[1]["content"] == NASTY.strip()
    assert shown[-1].document["question"] == NASTY.strip()


def test_the_board_shows_what_holds(run: Run, studio: Layout) -> None:
    run("post", "Cake in the kitchen.", "-w", studio.root)
    outcome = run("post", "--list", "-w", studio.root)
    assert "bulletin/0  day 0, brief from Creative Director (holds)" in outcome.out
    assert "bulletin/1  day 0, note from Creative Director\n  Cake in the kitchen.\n" in outcome.out
    document = run("post", "--list", "-w", studio.root, "--json").document
    assert [item["post"] for item in document["posts"]] == ["bulletin/0", "bulletin/1"]
    assert document["team_decisions"] == []


def test_the_calendar_is_listed_with_what_is_only_shown(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root)
    outcome = run("event", "The boiler man", "--weekday", "Mittwoch", "--time", "noon", "--with", "tobi,Darius", *where)
    assert outcome.out == "day 3, Mittwoch, noon: The boiler man with tobi, darius\n"
    assert "a deadline" in run("event", "Rent", "--in", "2", "--time", "before noon?", *where).out
    listed = run("event", "--list", *where).out
    assert "2. day 3, Mittwoch, noon: The boiler man" in listed
    assert "every Donnerstag, evening: D&D" in listed
    assert "removed: day 3" in run("event", "--remove", "The boiler", *where).out


def test_an_event_for_one_says_what_can_be_done_and_check_knows_a_deadline(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root)
    alone = run("event", "The lamp", "--with", "vera", "--time", "evening", *where)
    assert alone.code == 2
    for way in (("--type", "work"), ("--time", "all-day")):
        assert " ".join(way) in alone.err
        assert run("event", f"The lamp, {way[1]}", "--with", "vera", "--time", "evening", *way, *where).code == 0
    (told,) = (one for one in run("check", "--json", *where).document["problems"] if one["code"] == "event-time")
    assert (told["severity"], told["message"]) == (
        "info",
        "time 'all-day' is not one of morning, noon, afternoon, evening: no scene, but a deadline",
    )


def test_a_meeting_is_in_the_calendar_with_those_who_take_part(run: Run, studio: Layout) -> None:
    outcome = run("meeting", "--topic", "The sound", "--with", "nami,leo,vera", "-w", studio.root, "--json")
    document = outcome.document
    assert (document["type"], document["with"], document["lead"]) == ("MEETING", ["nami", "leo", "vera"], "nami")
    assert (document["day"], document["time"], document["played"]) == (1, "afternoon", True)


def test_a_meeting_now_is_played_at_once(run: Run, studio: Layout) -> None:
    outcome = run(
        "meeting",
        "--topic",
        "The sound",
        "--with",
        "nami,leo,vera",
        "--now",
        "-w",
        studio.root,
        "--model",
        "rehearsal",
        "--json",
    )
    assert outcome.code == 0, outcome.err
    assert (outcome.document["type"], outcome.document["participants"]) == ("MEETING", ["nami", "leo", "vera"])
    (line,) = records(studio.day_log(1))
    assert line == outcome.document


def test_feedback_by_hand(run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    piece = studio.gallery / "audio" / "wind.md"
    piece.parent.mkdir(parents=True)
    piece.write_text("Wind.\n", encoding="utf-8")
    monkeypatch.chdir(piece.parent)
    outcome = run("feedback", "wind.md", "Too", "smooth.")
    assert outcome.out.startswith("bulletin/1, feedback on gallery/audio/wind.md from Creative Director: Too smooth.\n")


def test_an_answer_is_printed_and_thoughts_only_on_request(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root, "--model", "rehearsal")
    document = run("ask", "vera", "What would you throw away?", *where, "--json").document
    assert set(document) == {
        "agent", "from", "question", "at", "answer", "action", "thoughts", "mood", "remembered", "made_with",
    }  # fmt: skip
    assert document["thoughts"] == ""
    document = run("ask", "vera", "What would you throw away?", *where, "--thoughts", "--json").document
    assert document["thoughts"]
    plain = run("ask", "Vera", "What", "would you throw away?", *where)
    assert plain.out == "".join(f"Vera  {line}\n" for line in document["answer"])
    assert "rehearsal" in plain.err
    thinking = run("ask", "Vera", "What would you throw away?", "--thoughts", *where)
    assert thinking.out == plain.out + f"(Vera thinks: {document['thoughts']})\n"
    remembered = run("ask", "Vera", "What would you throw away?", "--remember", *where)
    assert (remembered.out, "+ vera-001 conversation" in remembered.err) == (plain.out, True)


def test_a_question_in_the_mailbox_leaves_with_75_and_goes_on(run: Run, studio: Layout) -> None:
    where = ("-w", studio.root, "--model", "mailbox")
    outcome = run("ask", "vera", "Why?", *where, "--json")
    assert outcome.code == 75
    (item,) = outcome.document["awaiting"]
    (studio.root / item["answer"]).write_text('{"dialogue": [{"text": "So."}], "mood": "calm"}', encoding="utf-8")
    outcome = run("ask", "vera", "Why?", *where)
    assert (outcome.code, outcome.out) == (0, "Vera  So.\n")
    left = (studio.root / item["question"]).parent.iterdir()
    assert [path.name for path in left] == [".gitignore"]
    assert run("ask", "vera", "Why?", "-w", studio.root, "--model", "replay").out == "Vera  So.\n"


def test_help_of_the_hand_needs_no_world(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("brief", "post", "feedback", "event", "meeting", "ask"):
        assert run(name, "--help").code == 0


def test_a_memory_without_an_importance_is_rated_by_rule_and_the_command_says_so(run: Run, dinner: Layout) -> None:
    outcome = run("memory", "add", "alex", "I feel that this is an important decision.", "-w", dinner.root)
    assert outcome.code == 0
    assert outcome.err == "importance 5: by rule, from length and signal words\n"
    assert outcome.out.startswith("alex-001 day-000/scene-00 observation (5): ")
    assert run("memory", "add", "alex", "Soup.", "--importance", 9, "-w", dinner.root).err == ""
    told = run("memory", "edit", "alex-001", "--importance", 4, "-w", dinner.root).err
    assert "what alex has gathered for its next reflection still counts importance 5" in told
    state = json.loads(dinner.agent("alex").read_text(encoding="utf-8")) | {"last_reflection": "alex-002"}
    dinner.agent("alex").write_text(json.dumps(state), encoding="utf-8")
    assert "gathered" not in run("memory", "edit", "alex-001", "--importance", 3, "-w", dinner.root).err, "it is past"
    rated, given = load_world(dinner).world.agents["alex"].stream
    assert (rated.metadata, given.metadata) == ({"importance_by": "heuristic"}, {})


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("goals",), 'gm mind goals add alex "…"'),
        (("soul", "show"), 'gm mind soul add alex "…" --kind belief'),
        (("working", "show"), 'gm mind working set alex current_subgoal "…"'),
    ],
)
def test_a_hint_names_a_character_of_this_world(run: Run, dinner: Layout, words: tuple[str, ...], hint: str) -> None:
    outcome = run(*words, "-w", dinner.root)
    assert outcome.out.rstrip().endswith(hint)


def test_the_place_of_an_event_is_its_location(run: Run, dinner: Layout) -> None:
    assert ", kitchen: x" in run("event", "x", "--in", "1", "--place", "kitchen", "-w", dinner.root).out


def test_a_seed_memory_is_shown_found_and_edited_by_the_name_that_recall_gives_it(run: Run, dinner: Layout) -> None:
    where = ("-w", dinner.root)
    run("gift", *where)
    path = dinner.gifted("alex")
    number, line = next(
        item for item in enumerate(path.read_text(encoding="utf-8").splitlines(), 1) if "TANNERY" in item[1]
    )
    name = f"gifted/{json.loads(line)['id']}"
    for words in (("memory", "show", name), ("why", name), ("memory", "edit", name, "--importance", "3")):
        assert f"state/gifted/alex.jsonl:{number}" in run(*words, *where).out
    assert json.loads(path.read_text(encoding="utf-8").splitlines()[number - 1])["importance"] == 3
    assert "gifted/_world-001" in run("memory", "show", "gifted/_world-001", *where).out
    assert f"{name} " in run("memory", "find", "box", "TANNERY", *where).out
    assert "gifted/_world" in run("memory", "find", "balcony", *where).out
    assert "gifted/_world" not in run("memory", "find", "balcony", "--agent", "alex", *where).out
    assert f"there is no memory '{name}'" in run("memory", "add", "alex", "x", "--evidence", name, *where).err
    assert "there is no memory 'gifted/alex-999'" in run("why", "gifted/alex-999", *where).err


def test_who_knows_of_something_is_counted_and_a_copy_says_from_whom(run: Run, dinner: Layout) -> None:
    where = ("-w", dinner.root)
    run("memory", "add", "casey", "The key is under the mint.", *where)
    run("share", "copy", "casey", "alex", *where)
    found = run("memory", "find", "key", "mint", *where)
    assert "alex-001" in found.out
    assert "(from casey-001)" in found.out
    assert found.err == "2 memories: alex 1, casey 1\n"
    document = run("memory", "find", "key", "--json", *where).document
    assert (document["count"], document["by_agent"]) == (2, {"alex": 1, "casey": 1})
    assert run("memory", "find", "umbrella stand", *where).err == "Nothing was found.\n"


def test_what_a_character_had_before_it_in_a_scene_is_listed(run: Run, two_days: Layout) -> None:
    where = ("-w", two_days.root)
    listed = run("memory", "shown", "day-002/scene-02", "--json", *where).document
    before = {item["id"]: item for item in listed["memories"]}
    assert all(item["created"] < "day-002/scene-03" for item in before.values())
    assert all(0 < item["questions"] <= listed["questions"][item["agent"]] for item in before.values())
    assert {item["agent"] for item in before.values()} == set(listed["questions"])
    cited = [name for name, item in before.items() if item["cited_by"]]
    told = run("memory", "shown", "day-002/scene-02", *where)
    assert (told.out.count("\n"), told.out.count("cited by")) == (len(before), len(cited))
    assert "no question of day-002/scene-99" in run("memory", "shown", "day-002/scene-99", *where).err


def test_for_an_unknown_name_the_nearest_is_offered(run: Run, dinner: Layout) -> None:
    outcome = run("log", "Jordon", "-w", dinner.root)
    assert outcome.code == 2
    assert "the cast: alex, casey, jordan; did you mean jordan?" in outcome.err
    assert "did you mean jordan?" in run("scene", "encounter", "--with", "alex,jordn", "-w", dinner.root).err
    assert "did you mean jordan?" in run("advance-day", "--focus", "jordn", "-w", dinner.root).err
    for day in ("3", "day-003"):
        assert "error: day 3 has left no trace" in run("log", day, "-w", dinner.root).err
    assert "leave out one of the two days" in run("log", "3", "--day", "3", "-w", dinner.root).err
    assert "did you mean" not in run("log", "xyz", "-w", dinner.root).err
    assert "No such command 'sho'. Did you mean show or shown?" in run("memory", "sho", "alex-001").err


def test_a_memory_takes_its_new_text_as_it_stands(run: Run, played: Layout) -> None:
    where = ("-w", played.root)
    assert "Es regnete." in run("memory", "edit", "vera-001", "Es regnete.", *where).out
    both = run("memory", "edit", "vera-001", "Es regnete.", "--description", "Es schneite.", *where)
    assert (both.code, "leave one out" in both.err) == (2, True)


def test_what_was_given_before_the_first_day_is_pointed_at(run: Run, dinner: Layout) -> None:
    shown = run("memory", "show", "alex", "-w", dinner.root)
    assert "gifted" not in shown.err
    assert run("gift", "-w", dinner.root).code == 0
    shown = run("memory", "show", "alex", "-w", dinner.root)
    assert "state/gifted/alex.jsonl holds" in shown.err
    assert "from before the first day" in shown.err
