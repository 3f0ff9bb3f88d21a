"""The rules beyond single memories: agents, clock, logbook, personas, settings, prompts, and worlds that gm made."""

import json
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.base.errors import Problem
from gm.cli import gm
from gm.files.layout import Layout
from gm.files.load import load_world
from gm.model.turns import PlayedTurn, Said, lists_of
from tests.files.check.handmade import line, make_handmade, node, scene, write_files

WORLD = {"day": 1, "day_of_week": "Montag", "time_of_day": "evening", "scenes_today": 1, "scenes_total": 1}
LISTED = [{"agent": "mina", "id": f"mina-00{number}", "importance": 5} for number in (1, 2, 3)]


def pretty(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, indent=4) + "\n"


def make_world(root: Path, **other: str) -> Layout:
    """Write a small world without a fault; other files, or other texts for its files, by path."""
    stream = [node("mina", 1), node("mina", 2, type="reflection", depth=1, evidence=["mina-001"]), node("mina", 3)]
    files = {
        "gm.yaml": "language: de\nplaces:\n  werft: Die Werft.\n",
        "state/world.json": pretty(WORLD),
        "state/agents/mina.json": pretty(
            {"name": "Mina Holt", "position": "werft", "importance_accumulator": 5, "last_reflection": "mina-002"}
        ),
        "state/personas/mina.md": "---\nname: Mina Holt\nrole: Zimmerfrau\nhome: werft\n---\n\nDu bist Mina.\n",
        "state/memories/mina.jsonl": "".join(line(record) + "\n" for record in stream),
        "state/logbook/day-001.jsonl": line(scene(1, participants=["mina"], memories=LISTED))
        + "\n"
        + line({"type": "SUMMARY", "summary": "Ein Tag."})
        + "\n",
    }
    return write_files(root, files | other)


def found_in(layout: Layout) -> list[tuple[str, str, str]]:
    return [place(item) for item in check_world(layout).problems]


def place(item: Problem) -> tuple[str, str, str]:
    return item.severity, item.code, f"{item.path}:{item.line}:{item.column}"


def agent(**values: Any) -> dict[str, str]:
    data = {"name": "Mina Holt", "position": "werft", "importance_accumulator": 5, "last_reflection": "mina-002"}
    return {"state/agents/mina.json": pretty(data | values)}


def clock(**values: Any) -> dict[str, str]:
    return {"state/world.json": pretty(WORLD | values)}


def test_a_misspelt_place_is_told_the_one_that_was_meant(tmp_path: Path) -> None:
    (problem,) = check_world(make_world(tmp_path, **agent(position="wrft"))).problems
    assert problem.hint == "did you mean werft?"


def test_a_day_taken_back_by_hand_is_one_problem_and_a_way_back(tmp_path: Path) -> None:
    lost = [{"agent": "mina", "id": f"mina-00{number}", "importance": 5} for number in (4, 5, 6)]
    layout = make_world(tmp_path, **{"state/logbook/day-002.jsonl": line(scene(1, memories=lost)) + "\n"})
    found = [item for item in check_world(layout).problems if item.code in ("memory-missing", "clock-behind")]
    assert [(item.severity, item.code) for item in found] == [("warning", "memory-missing"), ("error", "clock-behind")]
    assert all(item.hint.endswith("gm rewind day-001") for item in found)


def test_a_world_without_a_fault_has_no_problem(tmp_path: Path) -> None:
    assert found_in(make_world(tmp_path)) == []


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (agent(importance_accumulator=6), ("warning", "accumulator", "state/agents/mina.json:4:31")),
        (agent(importance_accumulator="5"), ("error", "value-type", "state/agents/mina.json:4:31")),
        (
            agent(last_reflection="mina-009"),
            ("warning", "last-reflection-missing", "state/agents/mina.json:5:24"),
        ),
        (agent(position="kai"), ("info", "place-unknown", "state/agents/mina.json:3:17")),
        (agent(position="wrft"), ("warning", "place-unknown", "state/agents/mina.json:3:17")),
        (agent(today_plan=[7]), ("warning", "plan-form", "state/agents/mina.json:7:9")),
        (clock(day="1"), ("error", "value-type", "state/world.json:2:12")),
        (clock(day_of_week="Freitag"), ("info", "clock-weekday", "state/world.json:3:20")),
        (clock(time_of_day="dusk"), ("info", "clock-time", "state/world.json:4:20")),
        (clock(scenes_today=2), ("warning", "scene-count", "state/world.json:5:21")),
        (clock(scenes_total=9), ("warning", "scene-count", "state/world.json:6:21")),
        (clock(scheduled_events=[{"event": "x"}]), ("warning", "event-form", "state/world.json:8:9")),
        (clock(scheduled_events=[{"day": True, "event": "x"}]), ("warning", "event-form", "state/world.json:8:9")),
        (
            clock(scheduled_events=[{"day": 9, "event": "x", "place": "pump"}]),
            ("info", "place-unknown", "state/world.json:11:22"),
        ),
        (
            {
                "gm.yaml": "language: de\nplaces: {werft: x}\ncalendar:\n"
                '  weekly: [{weekday: Montag, event: "x", place: pump}]\n'
            },
            ("warning", "place-unknown", "gm.yaml:4:49"),
        ),
        (clock(active_briefs=[1]), ("warning", "brief-form", "state/world.json:8:9")),
        (
            {**clock(active_briefs=["Gone."]), "state/bulletin.json": pretty({"posts": []})},
            ("warning", "brief-bare", "state/world.json:8:9"),
        ),
        (clock(artifacts_today=["gallery/x/y.md"]), ("warning", "artifact-missing", "state/world.json:8:9")),
        (
            {"state/world.json": pretty(WORLD).replace('"day": 1', '"day": 0,\n    "day": 1')},
            ("error", "key-twice", "state/world.json:3:5"),
        ),
        (
            {"state/bulletin.json": pretty({"posts": [{"from": "otto"}]})},
            ("warning", "post-form", "state/bulletin.json:3:9"),
        ),
        ({"state/bulletin.json": '{"x": NaN}\n'}, ("warning", "json-constant", "state/bulletin.json:1:7")),
        ({"state/souls/otto.yaml": "beliefs: []\n"}, ("warning", "agent-unknown", "state/souls/otto.yaml:0:0")),
        (
            {"state/souls/mina.yaml": "beliefs:\n  - Holz lügt nicht.\n  - 7\n"},
            ("warning", "soul-form", "state/souls/mina.yaml:3:5"),
        ),
        ({"state/souls/mina.yaml": "beliefs: [\n"}, ("error", "yaml-syntax", "state/souls/mina.yaml:1:10")),
        ({"state/souls/mina.yaml": "fears: []\nfears: []\n"}, ("warning", "key-twice", "state/souls/mina.yaml:2:1")),
        (
            {"state/diary/mina.jsonl": '{"day": "day-001", "text": "Müde."}\n{"day"\n'},
            ("error", "json-syntax", "state/diary/mina.jsonl:2:7"),
        ),
        (
            {"state/souls/mina.yaml": "fears: [Tiefe]\nträume: [Meer]\n"},
            ("warning", "soul-kind", "state/souls/mina.yaml:2:9"),
        ),
        (
            {"state/souls/mina.yaml": "fears: [Tiefe]\nvalues:\n  - tiefe.\n"},
            ("warning", "soul-twice", "state/souls/mina.yaml:3:5"),
        ),
        ({"state/souls/mina.yaml": "- Tiefe\n"}, ("warning", "soul-form", "state/souls/mina.yaml:1:1")),
        ({"state/souls/mina.yaml": "fears: &x [*x]\n"}, ("error", "yaml-syntax", "state/souls/mina.yaml:1:12")),
        ({"state/working/mina.yaml": "known: [\n"}, ("error", "yaml-syntax", "state/working/mina.yaml:1:8")),
        ({"state/working/mina.yaml": "- a\n"}, ("warning", "page-form", "state/working/mina.yaml:1:1")),
        (
            {"state/working/mina.yaml": "known: [a]\ncurrent_subgoal: [b]\n"},
            ("warning", "page-form", "state/working/mina.yaml:2:18"),
        ),
        (
            {"state/working/mina.yaml": "_x: 1\nknown: 7\n"},
            ("warning", "page-form", "state/working/mina.yaml:2:8"),
        ),
        (
            {"state/working/mina.yaml": f"known: {[*range(13)]}\n"},
            ("info", "page-long", "state/working/mina.yaml:1:1"),
        ),
        ({"state/working/otto.yaml": "known: []\n"}, ("warning", "agent-unknown", "state/working/otto.yaml:0:0")),
        ({"state/logbook/tag-1.jsonl": "{}\n"}, ("warning", "logbook-name", "state/logbook/tag-1.jsonl:0:0")),
        (
            {"state/personas/mina.md": "---\nname: 7\n---\n\nDu bist Mina.\n"},
            ("warning", "persona-value", "state/personas/mina.md:2:7"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nmode: find out\n---\n"},
            ("warning", "persona-value", "state/personas/mina.md:3:7"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nroles: {dnd: [x]}\n---\n"},
            ("warning", "persona-value", "state/personas/mina.md:3:14"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nvoice: {sentences: 3}\n---\n"},
            ("warning", "persona-value", "state/personas/mina.md:3:20"),
        ),
        ({"library/text.md": "---\ntitle: [\n---\nText.\n"}, ("warning", "library-front", "library/text.md:2:8")),
        ({"library/bild.png": "x"}, ("info", "library-kind", "library/bild.png:0:0")),
        (
            {"state/personas/mina.md": "---\nname: Mina\nuntil_now: Du bist Mina.\n---\n\nDu bist Mina.\n"},
            ("warning", "persona-value", "state/personas/mina.md:3:12"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nuntil_now: [Du bist Mina., 3]\n---\n\nDu bist Mina.\n"},
            ("warning", "persona-value", "state/personas/mina.md:3:28"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nuntil_now: [Du warst Mina.]\n---\n\nHm. Du bist Mina.\n"},
            ("warning", "persona-stale", "state/personas/mina.md:3:13"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nroll: Zimmerfrau\n---\n"},
            ("warning", "persona-key", "state/personas/mina.md:3:1"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nfriends: {inez: Alt.}\n---\n"},
            ("warning", "persona-agent", "state/personas/mina.md:3:11"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nquarrels: [mina]\n---\n"},
            ("warning", "persona-agent", "state/personas/mina.md:3:12"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nroles: {dng: Pim}\n---\n"},
            ("warning", "persona-scene", "state/personas/mina.md:3:9"),
        ),
        (
            {"state/personas/nina.md": "---\nname: Mina Holt\n---\nDu bist Nina.\n", "state/agents/nina.json": "{}\n"},
            ("warning", "persona-called", "state/personas/nina.md:0:0"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\nrag: {limt: 3}\n---\n"},
            ("warning", "persona-key", "state/personas/mina.md:3:7"),
        ),
        (
            {"gallery/notes/holz.md": "---\ntitle: Holz\ntags: holz\n---\nText.\n"},
            ("warning", "piece-value", "gallery/notes/holz.md:3:7"),
        ),
        (
            {"state/personas/mina.md": "---\nname: Mina\n---\nDu bist Mina.\n\n**Was du keinem sagst**\n\nNichts.\n"},
            ("warning", "persona-private", "state/personas/mina.md:6:1"),
        ),
        ({"state/now/mina.yaml": "thinks: [a]\nday: 99\n"}, ("warning", "now-future", "state/now/mina.yaml:2:6")),
        (
            {"state/personas/mina.md": "---\nname: Mina\nhome: kai\n---\n"},
            ("info", "place-unknown", "state/personas/mina.md:3:7"),
        ),
        ({"state/personas/mina.md": "Du bist Mina.\n"}, ("info", "persona-front", "state/personas/mina.md:1:1")),
        (
            {"state/personas/mina.md": "--\nname: Mina\n---\nDu bist Mina.\n"},
            ("warning", "persona-front", "state/personas/mina.md:1:1"),
        ),
        (
            {"state/personas/mina.md": "# Mina\n---\nname: Mina\n---\nDu bist Mina.\n"},
            ("warning", "persona-front", "state/personas/mina.md:1:1"),
        ),
        (
            {"state/personas/mina.md": "Du bist Mina: leise.\n\n---\nUnd sonst nichts.\n"},
            ("info", "persona-front", "state/personas/mina.md:1:1"),
        ),
        ({"state/personas/mina.md": "---\nname: Mina\n"}, ("error", "front-matter-open", "state/personas/mina.md:1:1")),
        (
            {"gm.yaml": "places: {werft: x}\nlanguage: de\nday:\n  scenes: 7\n"},
            ("error", "setting-value", "gm.yaml:4:11"),
        ),
        ({"gm.yaml": "places: {werft: x}\nlanguage: de\nsede: 7\n"}, ("warning", "setting-unknown", "gm.yaml:3:1")),
        ({"gm.yaml": "places: {werft: x}\nlanguage: de\nseed: 7\nseed: 8\n"}, ("warning", "key-twice", "gm.yaml:4:1")),
        ({"prompts/persona.j2": "{{ me.nmae }}\n"}, ("error", "prompt-variable", "prompts/persona.j2:1:7")),
        ({"prompts/rating.j2": "{{ person }}\n"}, ("error", "prompt-variable", "prompts/rating.j2:1:4")),
        (
            {"prompts/rating.j2": "{% for person in people %}{{ person.nmae }}{% endfor %}\n"},
            ("error", "prompt-variable", "prompts/rating.j2:1:37"),
        ),
        ({"prompts/persona.j2": "\n{{ moi }}\n"}, ("error", "prompt-variable", "prompts/persona.j2:2:4")),
        (
            {"prompts/persona.j2": '{% include "nix.j2" %}\n'},
            ("error", "prompt-missing", "prompts/persona.j2:1:13"),
        ),
        ({"prompts/persona.j2": "\n {% if %}\n"}, ("error", "prompt-syntax", "prompts/persona.j2:2:2")),
        (
            {"prompts/persona.j2": "x\n<<<<<<< HEAD\ny\n=======\nz\n>>>>>>> 041e141\n"},
            ("error", "merge-conflict", "prompts/persona.j2:2:1"),
        ),
        (
            {"prompts/scenes/dnd.j2": "---\ntype: DND\nplay: wild\n---\n{{ me.name }}\n"},
            ("error", "prompt-front", "prompts/scenes/dnd.j2:3:7"),
        ),
        (
            {"prompts/scenes/duel.j2": "---\ntype: DUEL\nraised:\n  rounds: 3\n---\n"},
            ("error", "prompt-front", "prompts/scenes/duel.j2:4:11"),
        ),
        ({"prompts/words.yaml": "plan_wrok: x\n"}, ("warning", "words-unknown", "prompts/words.yaml:1:1")),
    ],
    ids=lambda value: value[1] if isinstance(value, tuple) else "",
)
def test_a_fault_is_named_once_at_its_place(
    tmp_path: Path, files: dict[str, str], expected: tuple[str, str, str]
) -> None:
    assert found_in(make_world(tmp_path, **files)) == [expected]


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "fears:\n", "fears: []\nvalues: One alone\n"])
def test_a_soul_may_be_empty_or_hold_a_single_text(tmp_path: Path, text: str) -> None:
    files = {"state/souls/mina.yaml": text, "state/working/mina.yaml": text.replace("fears", "known")}
    assert found_in(make_world(tmp_path, **files)) == []


def test_a_memory_that_the_summary_lists_is_not_missing_in_a_scene(tmp_path: Path) -> None:
    log = [scene(1, participants=["mina"], memories=LISTED[:2]), {"type": "SUMMARY", "memories": LISTED[2:]}]
    text = "".join(line(record) + "\n" for record in log)
    assert found_in(make_world(tmp_path, **{"state/logbook/day-001.jsonl": text})) == []
    wrong = text.replace("mina-003", "mina-009")
    codes = [code for _, code, _ in found_in(make_world(tmp_path, **{"state/logbook/day-001.jsonl": wrong}))]
    assert sorted(codes) == ["memory-missing", "memory-unlisted"]


def test_a_stale_last_reflection_is_named_with_the_one_that_is_newer(tmp_path: Path) -> None:
    stream = [
        node("mina", 1),
        node("mina", 2, type="reflection", depth=1, evidence=["mina-001"]),
        node("mina", 3, type="reflection", depth=1, evidence=["mina-001"], created="day-001/scene-02"),
    ]
    log = [
        scene(1, participants=["mina"], memories=LISTED[:2]),
        scene(2, "REFLECTION", participants=["mina"], memories=LISTED[2:]),
        {"type": "SUMMARY"},
    ]
    layout = make_world(
        tmp_path,
        **{
            "state/memories/mina.jsonl": "".join(line(record) + "\n" for record in stream),
            "state/logbook/day-001.jsonl": "".join(line(record) + "\n" for record in log),
            **clock(scenes_today=2, scenes_total=2),
        },
    )
    (problem,) = check_world(layout).problems
    assert place(problem) == ("warning", "last-reflection-stale", "state/agents/mina.json:5:24")
    assert problem.hint == "write 'mina-003'"


def test_logbook_and_streams_name_each_others_memories(tmp_path: Path) -> None:
    memories = [LISTED[0] | {"importance": 9}, {"id": "mina-077"}, LISTED[1]]
    log = [scene(1, participants=["mina"], memories=memories), {"type": "SUMMARY"}, scene(1, memories=[])]
    layout = make_world(
        tmp_path,
        **{
            "state/logbook/day-001.jsonl": "".join(line(record) + "\n" for record in log),
            **clock(scenes_today=2, scenes_total=2),
        },
    )
    problems = check_world(layout).problems
    assert problems[1].hint == "correct the id; fine if you removed the character"
    assert problems[0].message == "mina-001 was given importance 9 here and has 5 now"
    assert problems[0].hint.startswith("fine if you changed the memory, whose own line counts")
    assert [(item.severity, item.code, item.line) for item in problems] == [
        ("info", "memory-importance", 1),
        ("warning", "memory-missing", 1),
        ("warning", "summary-place", 2),
        ("warning", "scene-order", 3),
        ("info", "participant", 3),
        ("info", "memory-unlisted", 3),
    ]


def test_two_summaries_of_a_day_are_named_with_what_to_do(tmp_path: Path) -> None:
    log = [scene(1, participants=["mina"], memories=LISTED), {"type": "SUMMARY"}, {"type": "SUMMARY"}]
    text = "".join(line(record) + "\n" for record in log)
    layout = make_world(tmp_path, **{"state/logbook/day-001.jsonl": text, **clock(scenes_today=1, scenes_total=1)})
    (problem,) = (item for item in check_world(layout).problems if item.code.startswith("summary"))
    assert (problem.severity, problem.code, problem.line) == ("warning", "summary-twice", 2)
    assert problem.message == "day 1 has 2 lines of type SUMMARY; the last one is read"
    assert "remove this line" in problem.hint


def turns_checked(tmp_path: Path, turns: object, **lists: Any) -> list[tuple[str, str, str]]:
    log = [scene(1, participants=["mina"], memories=LISTED, turns=turns, **lists), {"type": "SUMMARY"}]
    text = "".join(line(record) + "\n" for record in log)
    return [
        (item.severity, item.code, item.message)
        for item in check_world(make_world(tmp_path, **{"state/logbook/day-001.jsonl": text})).problems
    ]


def test_turns_of_the_form_that_gm_writes_have_no_problem(tmp_path: Path) -> None:
    turns = [PlayedTurn("mina", "Sie misst.", (Said("So."),), "Zu tief.", round=1)]
    assert turns_checked(tmp_path, [turn.record() for turn in turns], **lists_of(turns)) == []


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ("Mina misst.", "turns is str, expected a list of objects"),
        (
            ["Mina misst."],
            'found "Mina misst.", expected an object with agent, round, action, lines, thought, artifact',
        ),
        ([{"agent": "mina", "action": ["misst"]}], 'action is ["misst"], expected a text'),
        ([{"agent": 7}], "agent is 7, expected a text"),
        ([{"agent": "mina", "round": 0}], "round is 0, expected a whole number, at least 1"),
        ([{"agent": "mina", "round": True}], "round is true, expected a whole number, at least 1"),
        ([{"agent": "mina", "lines": "So."}], 'lines is "So.", expected a list of objects with a text each'),
        ([{"agent": "mina", "lines": [{"to": "otto"}]}], "text is missing, expected a text"),
    ],
)
def test_a_turn_that_is_not_read_as_it_was_meant_is_named(tmp_path: Path, turns: object, message: str) -> None:
    assert turns_checked(tmp_path, turns) == [("warning", "turn-form", message)]


def test_a_turn_of_one_who_was_not_there_and_lists_that_say_other_than_the_turns_are_named(tmp_path: Path) -> None:
    turns = [{"agent": name, "thought": "Zu tief."} for name in ("mina", "otto", "otto")]
    twice = "a turn of 'otto', who does not take part in the scene (2 times in this file, first here)"
    assert sorted(turns_checked(tmp_path, turns, thoughts=[])) == [
        ("info", "turn-agent", twice),
        ("info", "turn-lists", "thoughts differs from turns; pages, books and diaries read turns"),
    ]


def test_a_memory_that_was_copied_or_archived_is_counted_as_the_accumulator_counts_it(tmp_path: Path) -> None:
    stream = [
        node("mina", 2, type="reflection", depth=1, evidence=["mina-001"]),
        node("mina", 4, importance=9, metadata={"kind": "copied", "copied_from": "otto-001"}),
        node("mina", 5, importance=3),
    ]
    layout = make_world(
        tmp_path,
        **{
            "state/memories/mina.jsonl": "".join(line(record) + "\n" for record in stream),
            "state/archive/mina.jsonl": line(node("mina", 1)) + "\n" + line(node("mina", 3)) + "\n",
            **agent(importance_accumulator=8),
        },
    )
    assert [item.code for item in check_world(layout).problems] == ["copy-source-gone", "memory-unlisted"]


def test_what_loading_finds_checking_finds_too(tmp_path: Path) -> None:
    layout = make_handmade(tmp_path)
    assert set(load_world(layout).problems) <= set(check_world(layout).problems)


@pytest.mark.parametrize("template", ["studio", "dinner"])
def test_a_new_world_has_no_error_and_no_warning(tmp_path: Path, template: str) -> None:
    layout = create_world(tmp_path / "world", template)
    assert [item for item in check_world(layout).problems if item.severity != "info"] == []


def test_a_world_after_days_has_no_error_and_no_warning(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "world", "studio")
    gm.main(["advance-day", "-w", str(layout.root), "--days", "3", "--model", "rehearsal"], standalone_mode=False)
    report = check_world(layout)
    assert report.memories > 100
    assert [item for item in report.problems if item.severity != "info"] == []


def test_a_persona_of_prose_alone_and_keys_of_the_author_are_fine(tmp_path: Path) -> None:
    layout = make_world(tmp_path, **{"state/personas/mina.md": "Du bist Mina.\n"})
    assert found_in(layout) == [("info", "persona-front", "state/personas/mina.md:1:1")]
    text = "---\nname: Mina Holt\n_notes: {roll: Zimmerfrau}\n---\n\nDu bist Mina.\n"
    assert found_in(write_files(tmp_path, {"state/personas/mina.md": text})) == []


def test_a_misspelt_key_of_a_persona_says_which_was_meant(tmp_path: Path) -> None:
    text = "---\nname: Mina Holt\nroll: Zimmerfrau\ntraits: 5\n---\n\nDu bist Mina.\n"
    found = check_world(make_world(tmp_path, **{"state/personas/mina.md": text})).problems
    roll, traits = found
    assert roll.message == '"roll" is not a key of a persona'
    assert roll.hint == "did you mean role?; a key of your own begins with _"
    assert traits.message == "traits is 5, expected a list of texts, or one text"
    assert traits.hint.endswith('for example traits: ["patient", "proud"]')


def test_memories_that_a_merge_put_behind_later_ones_are_named_once(tmp_path: Path) -> None:
    moments = ("day-001/scene-01", "day-002/scene-01", "day-001/scene-02", "day-001/scene-03", "day-002/scene-02")
    stream = [node("mina", number, created=moment) for number, moment in enumerate(moments, 1)]
    lines = "".join(line(record) + "\n" for record in stream)
    layout = make_world(tmp_path, **{"state/memories/mina.jsonl": lines}, **clock(day=2))
    (found,) = (item for item in check_world(layout).problems if item.code == "created-order")
    said = "created day-001/scene-02 follows day-002/scene-01 (2 times in this file, first here)"
    assert (found.line, found.message) == (3, said)
    assert found.hint.startswith("leave what a merge put there")
