"""Commands that wait for answers from outside."""

from __future__ import annotations

import json

import pytest

from gm.files.layout import Layout
from gm.files.questions.mailbox import PostFolder
from tests.cli.running import Run

CAST = ["darius", "emre", "finn", "leo", "nami", "tobi", "vera"]


def test_it_leaves_with_75_and_says_what_it_waits_for(run: Run, studio: Layout) -> None:
    outcome = run("advance-day", "-w", studio.root, "--model", "mailbox")
    assert outcome.code == 75
    assert "7 answers are awaited" in outcome.err
    assert "state/mailbox/day-001-scene-01-vera.md → state/mailbox/day-001-scene-01-vera.answer.json" in outcome.err
    assert "run the same command again" in outcome.err
    assert "error" not in outcome.err


def test_the_list_is_a_document_for_tools(run: Run, studio: Layout) -> None:
    (studio.root / "state/mailbox").mkdir()
    outcome = run("advance-day", "-w", studio.root, "--model", "mailbox", "--json")
    assert outcome.code == 75
    assert outcome.document["backend"] == "mailbox"
    awaited = outcome.document["awaiting"]
    assert [item["who"] for item in awaited] == CAST
    for item in awaited:
        assert (studio.root / item["question"]).is_file()
        assert not (studio.root / item["answer"]).exists()
        assert item["problem"] == ""


def test_an_answer_that_cannot_be_used_is_explained_beside_it(run: Run, studio: Layout) -> None:
    run("advance-day", "-w", studio.root, "--model", "mailbox")
    (studio.mailbox / "day-001-scene-01-vera.answer.json").write_text('{"mood": "wach", "plan": {"wo', encoding="utf-8")
    outcome = run("advance-day", "-w", studio.root, "--model", "mailbox", "--json")
    assert outcome.code == 75
    (vera,) = (item for item in outcome.document["awaiting"] if item["who"] == "vera")
    assert vera["problem"] == "state/mailbox/day-001-scene-01-vera.problem.md"
    assert "- line 1, column 27: not JSON: " in (studio.root / vera["problem"]).read_text(encoding="utf-8")
    assert "cannot be used: see state/mailbox/day-001-scene-01-vera.problem.md" in outcome.err


def test_what_a_run_would_leave_out_of_an_answer_is_explained_beside_it_all_at_once(run: Run, studio: Layout) -> None:
    run("advance-day", "-w", studio.root, "--model", "mailbox")
    answer = {
        "mood": "wach",
        "plan": {"work": ["das Lied"]},
        "thougts": "Hm.",
        "go_to": "bibliotek",
        "dialogue": [{"to": "emrre", "text": "Nein."}],
        "memories": [{"type": "observation", "description": "Ich.", "importance": "elf"}],
    }
    path = studio.mailbox / "day-001-scene-01-vera.answer.json"
    path.write_text(json.dumps(answer), encoding="utf-8")
    assert run("advance-day", "-w", studio.root, "--model", "mailbox").code == 75
    said = path.with_name("day-001-scene-01-vera.problem.md").read_text(encoding="utf-8")
    assert "- thougts: unknown key; did you mean thoughts?\n" in said
    assert '- go_to: "bibliotek" is not a place here; did you mean bibliothek?\n' in said
    assert '- dialogue.0.to: "emrre" is not a character here; did you mean emre?\n' in said
    assert "- memories.0.importance: 'elf' is not a number from 1 to 10\n" in said
    path.write_text(json.dumps({"mood": "wach", "plan": {"work": ["das Lied"]}}), encoding="utf-8")
    assert run("advance-day", "-w", studio.root, "--model", "mailbox").code == 75
    assert not path.with_name("day-001-scene-01-vera.problem.md").exists()


def test_status_names_the_questions_without_an_answer(run: Run, studio: Layout) -> None:
    run("advance-day", "-w", studio.root, "--model", "mailbox")
    for name in CAST[1:]:
        (studio.mailbox / f"day-001-scene-01-{name}.answer.yaml").write_text("mood: wach\n", encoding="utf-8")
    assert run("status", "-w", studio.root, "--json").document["awaiting"] == [
        "state/mailbox/day-001-scene-01-darius.md"
    ]
    assert (
        "the day waits for answers to state/mailbox/day-001-scene-01-darius.md" in run("status", "-w", studio.root).out
    )


def test_a_scene_that_is_asked_for_waits_too(run: Run, studio: Layout) -> None:
    outcome = run("scene", "encounter", "-w", studio.root, "--with", "vera,emre", "--model", "mailbox")
    assert outcome.code == 75
    assert "vera: state/mailbox/" in outcome.err


def test_a_watching_command_says_everything_once(run: Run, studio: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    box = PostFolder(studio)
    naps = 0

    def nap(_seconds: float) -> None:
        nonlocal naps
        naps += 1
        if naps > 8:
            raise KeyboardInterrupt
        if naps == 2:
            (studio.mailbox / "day-001-scene-01-vera.answer.json").write_text("nonsense", encoding="utf-8")

    monkeypatch.setattr("gm.cli.playing.show.DayView.pause", lambda _view, seconds: nap(seconds))
    outcome = run("advance-day", "-w", studio.root, "--model", "mailbox", "--watch")
    assert outcome.code == 130
    assert outcome.out.count("ARRIVAL") == 1
    assert outcome.err.count("waiting for emre") == 1
    assert outcome.err.count("waiting for vera") == 2, "once more with the problem"
    assert len(box.unanswered()) == 6
