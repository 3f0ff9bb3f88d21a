"""``gm advance-day --interactive``: by keys in a real terminal, and by lines from a script."""

from __future__ import annotations

import io
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.api.editing.check.whole import check_world
from gm.cli.playing.interactive import SYNONYMS
from gm.files.layout import Layout
from gm.play.command import BY_KEY
from gm.play.command import CHOICES as INTERACTIVE
from tests.cli.running import Outcome, Run
from tests.cli.terminal import Terminal
from tests.stories.playing import records

CHOICES = "? help"
NOTE = "Leiser, und Vera geht früher."

Speak = Callable[..., Outcome]


def interactive(layout: Layout, *more: str) -> list[str]:
    return ["advance-day", "-w", str(layout.root), "--interactive", "--model", "rehearsal", *more]


@pytest.fixture
def speak(run: Run, monkeypatch: pytest.MonkeyPatch) -> Speak:
    """Run the command with a script."""

    def given(layout: Layout, script: str, *more: str) -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(script))
        return run(*interactive(layout, *more))

    return given


def log(layout: Layout) -> list[dict[str, object]]:
    return records(layout.day_log(1)) if layout.day_log(1).exists() else []


def traces(layout: Layout, scene: str = "") -> set[str]:
    return {path.relative_to(layout.traces).as_posix() for path in (layout.traces / scene).rglob("*.json")}


def is_open(layout: Layout) -> bool:
    return bool(json.loads(layout.world.read_text(encoding="utf-8"))["day_open"])


def problems(layout: Layout) -> list[object]:
    return [problem for problem in check_world(layout).problems if problem.severity != "info"]


def test_a_key_is_a_letter_of_its_label_and_what_people_press_elsewhere_is_understood() -> None:
    for choice in INTERACTIVE:
        assert "".join(choice.marked).replace("(", "").replace(")", "").strip() in (choice.label, "? help")
        assert choice.key in "".join(choice.marked)
    assert len(BY_KEY) == len(INTERACTIVE)
    assert set(SYNONYMS.values()) <= set(BY_KEY)
    assert not set(SYNONYMS) & set(BY_KEY)


def test_return_goes_on_and_capital_letters_count(studio: Layout) -> None:
    with Terminal(*interactive(studio)) as terminal:
        terminal.wait_for("1. ARRIVAL")
        terminal.wait_for(CHOICES)
        terminal.press("\n")
        terminal.wait_for("2. ")
        terminal.wait_for(CHOICES)
        terminal.press("Q")
        assert terminal.leave() == 0
    assert len(log(studio)) == 1
    assert is_open(studio)


def test_a_whole_day_by_keys_in_a_terminal(studio: Layout) -> None:
    with Terminal(*interactive(studio)) as terminal:
        terminal.wait_for("1. ARRIVAL")
        terminal.wait_for(CHOICES)
        assert log(studio) == [], "nothing has landed while it is read"
        terminal.press("b")
        terminal.wait_for("brief TEXT: ")
        terminal.type("Denkt an die Zisternen.")
        terminal.wait_for("on the board")
        terminal.wait_for(CHOICES)
        terminal.press("o")
        terminal.wait_for("call A,B TOPIC: ")
        terminal.type("vera,tobi Der Turm über dem Tor")
        shown = terminal.wait_for(CHOICES)
        assert "2. ENCOUNTER" in shown
        assert "Vera, Tobi" in shown
        terminal.press("a")
        terminal.wait_for("ask A QUESTION: ")
        terminal.type("tobi Warum sagst du das?")
        terminal.wait_for("Tobi: ")
        terminal.wait_for(CHOICES)
        terminal.press("r")
        terminal.wait_for("replay NOTE: ")
        terminal.type(NOTE)
        assert NOTE in terminal.wait_for("2, with the note")[-50:] + terminal.wait_for(CHOICES)
        terminal.press("e")
        terminal.wait_for("Tag 1 (Montag): 2 Szenen")
        assert terminal.leave() == 0
    posts = json.loads(studio.bulletin.read_text(encoding="utf-8"))["posts"]
    assert posts[-1]["content"] == "Denkt an die Zisternen."
    assert [entry["type"] for entry in log(studio)] == ["ARRIVAL", "ENCOUNTER", "SUMMARY"]
    assert log(studio)[1]["note"] == NOTE
    kept = [
        json.loads((studio.traces / path).read_text(encoding="utf-8")) for path in traces(studio, "day-001/scene-02")
    ]
    turns = [item for item in kept if not item["label"].endswith("-last") and "-ask" not in item["label"]]
    takes = [NOTE in item["request"]["messages"][0]["content"] for item in turns]
    assert takes.count(True) == takes.count(False) == 4
    for name in ("vera", "tobi"):
        identifiers = [item["id"] for item in records(studio.stream(name))]
        assert len(set(identifiers)) == len(identifiers)
    named = {item["id"] for item in log(studio)[1]["memories"]}  # type: ignore[attr-defined]
    lived = {node["id"] for name in studio.agent_names() for node in records(studio.stream(name))}
    assert named <= lived
    assert not is_open(studio)
    assert problems(studio) == []


def test_an_earlier_take_and_a_picked_candidate_by_keys(dinner: Layout) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        assert "ta(k)e" not in terminal.wait_for(CHOICES)
        terminal.press("r")
        terminal.wait_for("replay NOTE: ")
        terminal.type("Slower.")
        assert "ta(k)e" in terminal.wait_for(CHOICES)
        terminal.press("k")
        terminal.wait_for("take N: ")
        terminal.type("1")
        terminal.wait_for("2. MEETING")
        assert "note" not in log(dinner)[0]
        terminal.wait_for(CHOICES)
        terminal.press("d")
        listed = terminal.wait_for(CHOICES)
        terminal.press("i")
        terminal.wait_for("pick N: ")
        terminal.type("2")
        terminal.wait_for("3. WORK")
        assert "WORK morning: casey, jordan" in listed
        assert "Casey, Jordan" in terminal.wait_for(CHOICES)
        terminal.press("q")
        assert terminal.leave() == 0


def test_what_keys_do_is_explained_and_a_wrong_key_or_an_empty_text_leads_back(dinner: Layout) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for(CHOICES)
        for keys in ("x", "\x1b[A", "ä"):
            terminal.press(keys)
            terminal.wait_for("no such key")
            terminal.wait_for(CHOICES)
        terminal.press("?")
        terminal.wait_for("Have the scene played once more")
        terminal.wait_for(CHOICES)
        terminal.press("r")
        terminal.wait_for("replay NOTE: ")
        terminal.type("")
        terminal.wait_for(CHOICES)
        terminal.press("o")
        terminal.wait_for("call A,B TOPIC: ")
        terminal.type("nobody,noone")
        terminal.wait_for("nobody here is called")
        terminal.wait_for(CHOICES)
        terminal.press("w")
        terminal.wait_for("chosen by: rules")
        terminal.wait_for(CHOICES)
        terminal.press("p")
        terminal.wait_for("next: ")
        terminal.wait_for(CHOICES)
        assert log(dinner) == []
        terminal.press("q")
        terminal.wait_for("Day 1 stays open")
        assert terminal.leave() == 0
    assert is_open(dinner)


@pytest.mark.slow
def test_a_killed_terminal_shows_the_same_scene_again_and_asks_no_model(dinner: Layout) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for(CHOICES)
        terminal.press("r")
        terminal.wait_for("replay NOTE: ")
        terminal.type("Slower.")
        terminal.wait_for("take 2, with the note: Slower.")
        second = terminal.wait_for(CHOICES)
        terminal.kill()
    kept = traces(dinner)
    assert log(dinner) == []
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for("take 2, with the note: Slower.")
        assert terminal.wait_for(CHOICES) == second
        assert traces(dinner) == kept
        terminal.press("s")
        assert terminal.leave() == 0
    assert log(dinner)[0]["note"] == "Slower."
    assert problems(dinner) == []


@pytest.mark.parametrize("at", ["the choices", "a text"])
def test_ctrl_c_interrupts_as_everywhere_and_the_terminal_is_as_it_was(dinner: Layout, at: str) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for(CHOICES)
        if at == "a text":
            terminal.press("b")
            terminal.wait_for("brief TEXT: ")
        # a return behind it: a signal that comes just before a text is waited for is seen with the next key
        terminal.press("\x03\r")
        terminal.wait_for("Interrupted")
        assert terminal.leave() == 130
        assert terminal.is_canonical()
    assert is_open(dinner)
    assert log(dinner) == []


def test_ctrl_d_leaves_at_the_choices_and_leads_back_at_a_text(dinner: Layout) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for(CHOICES)
        terminal.press("b")
        terminal.wait_for("brief TEXT: ")
        terminal.press("\x04")
        terminal.wait_for(CHOICES)
        terminal.press("\x04")
        assert terminal.leave() == 0
    assert is_open(dinner)


def test_keys_in_a_terminal_and_a_document_on_standard_output(dinner: Layout, tmp_path: Path) -> None:
    document = tmp_path / "day.json"
    with Terminal(*interactive(dinner, "--json"), stdout=str(document)) as terminal:
        terminal.wait_for(CHOICES)
        terminal.press("t")
        terminal.wait_for("post TEXT: ")
        terminal.type("Dinner is at eight.")
        terminal.wait_for(CHOICES)
        terminal.press("s")
        assert terminal.leave() == 0
    assert [day["day"] for day in json.loads(document.read_text(encoding="utf-8"))["days"]] == [1]


def test_a_day_by_a_script(studio: Layout, speak: Speak) -> None:
    script = f"""
        # the morning
        brief Denkt an die Zisternen.
        call vera,tobi Der Turm
        ask vera Was nun?
        replay {NOTE}

        end
    """
    outcome = speak(studio, script)
    assert (outcome.code, outcome.err.count("error")) == (0, 0)
    assert "> brief Denkt an die Zisternen." in outcome.out
    assert f"take 2, with the note: {NOTE}" in outcome.out
    assert [entry["type"] for entry in log(studio)] == ["ARRIVAL", "ENCOUNTER", "SUMMARY"]
    assert not is_open(studio)
    assert problems(studio) == []


def test_a_typo_stops_a_script_where_it_is_and_keeps_everything(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, "continue\n\ncontinu\nend\n")
    assert outcome.code == 2
    assert "standard input, line 3: there is no command 'continu'" in outcome.err
    assert [entry["scene"] for entry in log(dinner)] == [1]
    assert is_open(dinner)
    kept = traces(dinner)
    assert speak(dinner, "skip").code == 0
    assert kept <= traces(dinner)
    assert problems(dinner) == []


@pytest.mark.parametrize(
    "script", ["replay\n", "replay  \n", "brief\n", "call vera,nobody X\n", "event noon\n", "end now\n"]
)
def test_a_command_of_a_script_that_makes_no_sense_is_wrong_usage(dinner: Layout, speak: Speak, script: str) -> None:
    outcome = speak(dinner, script)
    assert outcome.code == 2
    assert outcome.err.count("standard input, line 1: ") == 1
    assert log(dinner) == []
    assert is_open(dinner)


@pytest.mark.parametrize("script", ["", "# nothing\n\n", "why\n", "quit\n"])
def test_at_the_end_of_a_script_nothing_lands_that_was_not_decided(dinner: Layout, speak: Speak, script: str) -> None:
    outcome = speak(dinner, script)
    assert outcome.code == 0
    assert "Day 1 stays open" in outcome.err
    assert log(dinner) == []
    assert is_open(dinner)


def test_a_document_of_a_day_that_was_left_has_no_days(dinner: Layout, speak: Speak) -> None:
    assert speak(dinner, "continue\nquit\n", "--json").document["days"] == []
    assert [day["day"] for day in speak(dinner, "skip\n", "--json").document["days"]] == [1]


def test_several_days_are_left_and_gone_on_with(dinner: Layout, speak: Speak) -> None:
    assert speak(dinner, "skip\ncontinue\n", "--days", "2").code == 0
    outcome = speak(dinner, "skip\n", "--days", "2", "--json")
    assert [day["day"] for day in outcome.document["days"]] == [2]


@pytest.mark.parametrize("option", ["--watch", "--dry-run"])
def test_options_that_make_no_sense_with_it_are_refused(dinner: Layout, speak: Speak, option: str) -> None:
    outcome = speak(dinner, "skip\n", option)
    assert outcome.code == 2
    assert f"--interactive does not go with {option}" in outcome.err
    assert log(dinner) == []


def test_words_that_would_steer_the_terminal_are_shown_as_what_they_are(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, "post \x1b[2Jgone\nreplay \x1b]0;title\n")
    assert "\x1b" not in outcome.out + outcome.err


def test_with_a_mailbox_a_scene_is_played_again_from_letters(dinner: Layout, speak: Speak) -> None:
    assert speak(dinner, "skip\n", "--model", "mailbox").code == 75
    answer_letters(dinner)
    assert speak(dinner, "replay Slower.\n", "--model", "mailbox").code == 75
    answer_letters(dinner, note="Slower.")
    outcome = speak(dinner, "replay Slower.\nquit\n", "--model", "mailbox")
    assert outcome.code == 0
    assert "take 2, with the note: Slower." in outcome.out


def answer_letters(layout: Layout, note: str = "") -> None:
    reply = {
        "action": "Waits.",
        "mood": "calm",
        "memories": [{"type": "observation", "description": "It began.", "importance": 3}],
        "plan": {"work": ["the soup"], "talk_to": [], "library": None, "importance": 3},
    }
    letters = [path for path in layout.mailbox.glob("*.md") if not path.name.endswith(".problem.md")]
    assert len(letters) == 3
    for path in letters:
        assert note in path.read_text(encoding="utf-8")
        path.with_name(path.stem + ".answer.json").write_text(json.dumps(reply), encoding="utf-8")


@pytest.mark.slow
def test_a_script_is_interrupted_by_a_signal_as_everywhere(dinner: Layout) -> None:
    with Terminal(*interactive(dinner)) as terminal:
        terminal.wait_for(CHOICES)
        os.kill(terminal.process.pid, signal.SIGINT)
        assert terminal.leave() == 130
    assert speak_later(dinner)


def speak_later(layout: Layout) -> bool:
    with Terminal(*interactive(layout)) as terminal:
        terminal.wait_for(CHOICES)
        terminal.press("s")
        return terminal.leave() == 0 and not is_open(layout)
