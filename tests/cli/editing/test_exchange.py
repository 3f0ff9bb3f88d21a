"""``gm share`` and ``gm mind goals`` at the command line."""

from __future__ import annotations

import json

from gm.files.layout import Layout
from gm.layers.goals import GOALS
from tests.cli.running import Run
from tests.stories.playing import records, set_sections, tree


def test_sharing_by_hand_says_what_passed_and_is_one_document(run: Run, played: Layout) -> None:
    first = records(played.stream("vera"))[0]["id"]
    outcome = run("share", "Vera", "emre", "--ids", first, "-w", played.root)
    assert outcome.code == 0
    assert outcome.out.startswith("emre has 1 memory of vera: emre-")
    document = run("share", "vera", "emre", "--ids", first, "--json", "-w", played.root).document
    assert document == {"from": "vera", "to": "emre", "copied": 0, "first": None, "last": None, "chosen": 1}
    assert "Nothing of vera is new to emre." in run("share", "vera", "emre", "--ids", first, "-w", played.root).out


def test_a_request_is_made_listed_and_accepted(run: Run, played: Layout) -> None:
    set_sections(played.settings, "share: {enabled: true}")
    document = run("share", "request", "emre", "vera", "--tags", "plan", "--json", "-w", played.root).document
    assert document == {
        "from": "emre", "to": "vera", "about": ["plan"], "at": "day-001/scene-06", "window_seconds": 120,
    }  # fmt: skip
    assert run("share", "list", "-w", played.root).out == (
        "emre asks vera for memories about plan, since day-001/scene-06\n"
    )
    assert run("share", "accept", "vera", "emre", "--json", "-w", played.root).document["shared"] is True
    assert run("share", "list", "--json", "-w", played.root).document["requests"] == []
    assert run("check", "-w", played.root).code == 0


def test_what_makes_no_sense_is_wrong_usage_and_changes_nothing(run: Run, played: Layout) -> None:
    before = tree(played.root)
    for arguments in (
        ("share", "vera", "nobody"),
        ("share", "vera", "vera"),
        ("share", "vera", "emre", "--all", "--tags", "plan"),
        ("share", "request", "vera", "emre"),
        ("share", "refuse", "vera", "emre"),
        ("goals", "progress", "vera", "goal-07", "Weiter."),
        ("goals", "add", "vera", "  "),
        ("goals", "nobody"),
    ):
        outcome = run(*arguments, "-w", played.root)
        assert outcome.code == 2, arguments
        assert "Traceback" not in outcome.err
    assert tree(played.root) == before


def test_a_goal_is_given_followed_and_settled_by_hand(run: Run, played: Layout) -> None:
    assert "No character has a goal" in run("goals", "-w", played.root).out
    run("goals", "add", "Vera", "Den Turm\n begreifen", "-w", played.root)
    run("goals", "progress", "vera", "goal-01", "Ich habe ihn vermessen.", "-w", played.root)
    document = run("goals", "close", "vera", "GOAL-01", "--outcome", "reached", "--json", "-w", played.root).document
    assert document == {
        "agent": "vera", "id": "goal-01", "text": "Den Turm begreifen", "since": "day-001/scene-06",
        "touched": "day-001/scene-06", "steps": 1, "last": "Settled by hand.", "outcome": "reached",
    }  # fmt: skip
    assert [json.loads(line)["event"] for line in played.layer(GOALS, "vera").read_text().splitlines()] == [
        "open", "progress", "reached",
    ]  # fmt: skip
    listed = run("goals", "vera", "--json", "-w", played.root).document
    assert (listed["on"], [goal["id"] for goal in listed["agents"]["vera"]]) == (True, ["goal-01"])
    assert run("check", "-w", played.root).code == 0


def test_a_neglected_goal_speaks_for_a_scene_of_work(run: Run, played: Layout) -> None:
    played.layer_folder(GOALS).mkdir()
    event = {"id": "goal-01", "at": "day-000", "event": "open", "text": "Den Turm begreifen"}
    played.layer(GOALS, "vera").write_text(json.dumps(event) + "\n", encoding="utf-8")
    text = played.world.read_text(encoding="utf-8").replace('"day": 1,', '"day": 6,', 1)
    played.world.write_text(text, encoding="utf-8")
    shown = run("plan", "--json", "-w", played.root).out
    assert "Vera hat seit 7 Tagen nichts mehr für ein Ziel getan: »Den Turm begreifen«" in shown
    set_sections(played.settings, "goals: off")
    assert "für ein Ziel getan" not in run("plan", "--json", "-w", played.root).out


def test_text_of_a_goal_never_reaches_the_terminal_raw(run: Run, played: Layout) -> None:
    run("goals", "add", "vera", "Böse\x1b[31m Absicht", "-w", played.root)
    assert "\x1b" not in run("goals", "-w", played.root).out
