"""Playing a character on a terminal, and ``gm mailbox``."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gm.api.playing.mailbox import Letter, find_letter
from gm.base.errors import EXIT_WAITING
from gm.cli.playing.byhand import Asking, OwnView, ask_for_all
from gm.files.layout import Layout
from tests.cli.running import Run
from tests.cli.terminal import Terminal
from tests.stories.playing import records, set_sections

LETTER = "day-001-scene-01-alex"


@pytest.fixture
def letter(run: Run, dinner: Layout) -> Letter:
    assert run("advance-day", "-w", dinner.root, "--model", "rehearsal", "--as", "alex").code == 75
    return find_letter(dinner, LETTER)


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """Let these lines be typed; return the prompts that they answer."""
    prompts: list[str] = []
    left = list(lines)

    def read(prompt: str = "") -> str:
        prompts.append(prompt)
        if not left:
            raise EOFError
        return left.pop(0)

    monkeypatch.setattr("gm.cli.playing.byhand.read_line", read)
    return prompts


def test_fields_are_asked_for_one_after_another(
    letter: Letter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [
        "Nods.",
        "Well.",
        "",
        "",
        "Hm.",
        "",
        "calm",
        "I came.",
        "",
        "6",
        "",
        "",
        "a tower; a gate",
        "",
        "",
        "n",
        "",
        "n",
        "n",
    ]
    prompts = typed(monkeypatch, *lines)
    filled = ask_for_all(letter)
    assert filled["action"] == "Nods."
    assert filled["dialogue.0.text"] == "Well."
    assert filled["memories.0.description"] == "I came."
    assert filled["memories.0.importance"] == "6"
    assert filled["plan.work"] == "a tower\n a gate"
    assert prompts[0].startswith("action")
    assert prompts[2] == "to (empty: everyone): "
    assert prompts[5] == prompts[6] == "mood (required): "
    said = capsys.readouterr().err
    assert "  your mood at the end, one to three words\n" in said
    assert "  what you work on, most important first; several with a semicolon between them\n" in said


def test_a_question_mark_shows_what_is_known(
    letter: Letter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "?", "?²", f"?{len(letter.known)}", "Nods.")
    with pytest.raises(EOFError):
        ask_for_all(letter)
    shown = capsys.readouterr().err
    assert "Your memories" in shown
    assert letter.known[-1].text in shown


def test_a_day_is_played_on_a_terminal(dinner: Layout) -> None:
    set_sections(dinner.settings, "day: {scenes: [1, 2]}\n")
    with Terminal("advance-day", "-w", str(dinner.root), "--model", "rehearsal", "--as", "alex") as terminal:
        terminal.wait_for("Scene: Arrival")
        for prompt, line in (
            ("action: ", "Hangs up the coat."),
            ("dialogue", ""),
            ("thoughts: ", ""),
            ("mood (required): ", ""),
            ("mood (required): ", "calm"),
            ("memories", ""),
            ("plan: work (required): ", "The list"),
            ("talk", ""),
            ("library", ""),
            ("alone", ""),
            ("importance", ""),
            ("done", "y"),
            ("more", ""),
        ):
            terminal.wait_for(prompt)
            terminal.type(line)
        shown = terminal.wait_for("action: ")
        assert "Hangs up the coat." in shown
        assert "thinks:" not in shown
        assert "why:" not in shown
        assert "+ alex-" in shown
        assert not re.search("[+,] (?!alex-)[a-z]+-[0-9]{3}", shown), "others' memories are not shown"
        terminal.press("\x04")
        terminal.wait_for("the same command goes on")
        assert terminal.leave() == 75
    (arrival, *_) = records(dinner.day_log(1))
    assert "Hangs up the coat." in json.dumps(arrival)


def test_letters_are_listed_shown_and_answered(letter: Letter, run: Run, dinner: Layout) -> None:
    listed = run("mailbox", "-w", dinner.root)
    assert LETTER in listed.out
    assert "open" in listed.out
    shown = run("mailbox", "show", LETTER, "-w", dinner.root)
    assert "# Scene: Arrival" in shown.out
    refused = run("mailbox", "answer", LETTER, '{"mood": "calm"}', "-w", dinner.root)
    assert refused.code == 2
    assert "plan: missing" in refused.err
    done = run("mailbox", "answer", LETTER, '{"mood": "calm", "plan": {"work": ["it"]}}', "-w", dinner.root)
    assert done.code == 0
    (item,) = run("mailbox", "--json", "-w", dinner.root).document["letters"]
    assert (item["letter"], item["answered"]) == (LETTER, True)


def test_the_form_of_a_last_word_asks_for_nothing_that_has_no_effect(letter: Letter) -> None:
    last = replace(letter, name=f"{LETTER}-last")
    keys = [[field.key for field in (*one.usual, *one.further)] for one in (letter, last)]
    assert keys[1] == [key for key in keys[0] if key not in ("action", "dialogue", "artifact", "move_to", "done")]
    assert {"action", "dialogue", "done", "mood"} <= {*keys[0]}


def test_a_file_given_as_an_answer_is_read_from_standard_input(
    letter: Letter, run: Run, dinner: Layout, tmp_path: Path
) -> None:
    path = tmp_path / "answer.json"
    path.write_text("{}", encoding="utf-8")
    refused = run("mailbox", "answer", LETTER, str(path), "-w", dinner.root)
    assert f"gm mailbox answer {LETTER} - < {path}" in refused.err


def test_a_file_is_no_answer_to_a_question_outside_of_scenes_either(run: Run, dinner: Layout, tmp_path: Path) -> None:
    path = tmp_path / "answer.txt"
    path.write_text("Beans.", encoding="utf-8")
    assert run("ask", "alex", "What is for dinner?", "--model", "mailbox", "-w", dinner.root).code == EXIT_WAITING
    refused = run("mailbox", "answer", "alex", str(path), "-w", dinner.root)
    assert refused.code == 2
    assert "is a file" in refused.err


def test_a_question_that_is_asked_anew_after_a_scene_leaves_the_older_letter_open_no_more(
    run: Run, dinner: Layout
) -> None:
    ask = ("ask", "alex", "What is for dinner?", "--model", "mailbox", "-w", dinner.root)
    assert run(*ask).code == EXIT_WAITING
    before = run("mailbox", "--json", "-w", dinner.root).document["letters"]
    assert [item["superseded"] for item in before] == [False]
    assert run("advance-day", "--as", "alex", "--model", "rehearsal", "-w", dinner.root).code == EXIT_WAITING
    assert run(*ask).code == EXIT_WAITING
    letters = run("mailbox", "--json", "-w", dinner.root).document["letters"]
    assert [(item["scene"], item["superseded"]) for item in letters] == [
        ("day-001/scene-01", False),
        ("day-001/scene-01", False),
        ("day-000/scene-01", True),
    ]
    last = run("mailbox", "-w", dinner.root).out.splitlines()[-1]
    assert last.startswith("day-000-")
    assert last.endswith("  asked anew in another letter")


def test_without_a_terminal_an_answer_has_to_be_given(letter: Letter, run: Run, dinner: Layout) -> None:
    outcome = run("mailbox", "answer", LETTER, "-w", dinner.root)
    assert outcome.code == 2
    assert "there is no answer" in outcome.err


def test_a_user_who_plays_in_a_day_does_not_read_it_before_it_lands(run: Run, dinner: Layout) -> None:
    outcome = run("advance-day", "-w", dinner.root, "--as", "alex", "--interactive")
    assert outcome.code == 2
    assert "--interactive does not go with --as" in outcome.err


def test_a_prompt_is_no_part_of_a_document(
    letter: Letter, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt="": prompt)
    assert Asking(letter, {}).line("mood") == ""
    written = capsys.readouterr()
    assert (written.out, written.err) == ("", "mood: ")


def test_warnings_about_others_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    OwnView(["alex"]).warned("day-001", ["alex: kept once", "alexa: kept twice", "casey: not kept"])
    assert capsys.readouterr().err.splitlines() == ["note: day-001 alex: kept once"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("scene", "encounter", "--with", "alex,Casey", "--as", "jordan"), "jordan takes no part in this scene"),
        (("scene", "work", "--as", "jordan"), "jordan is away"),
        (("advance-day", "--days", "2", "--as", "alex,jordan"), "jordan is away"),
        (("advance-day", "--as", "nobody"), "nobody here is called 'nobody'"),
    ],
)
def test_nothing_is_played_for_a_person_who_would_be_asked_nothing(
    run: Run, dinner: Layout, command: tuple[str, ...], said: str
) -> None:
    set_sections(dinner.settings, "calendar: {away: [{who: jordan, days: [1, 2]}]}")
    outcome = run(*command, "-w", dinner.root, "--model", "rehearsal")
    assert outcome.code == 2
    assert said in outcome.err
    assert not dinner.traces.exists()


def test_who_comes_on_a_later_day_can_be_played(run: Run, dinner: Layout) -> None:
    set_sections(dinner.settings, "calendar: {away: [{who: jordan, days: [1, 2]}]}")
    outcome = run(
        "advance-day", "-w", dinner.root, "--model", "rehearsal", "--days", "3", "--as", "jordan", "--dry-run"
    )
    assert outcome.code == 0


def test_a_letter_is_answered_by_a_short_name(letter: Letter, run: Run, dinner: Layout) -> None:
    assert run("mailbox", "show", "alex", "-w", dinner.root).code == 0
    outcome = run("mailbox", "answer", "alex", '{"mood": "calm", "plan": {"work": ["a tower"]}}', "-w", dinner.root)
    assert (outcome.code, outcome.err) == (0, f"answered in state/mailbox/{LETTER}.answer.json\n")
