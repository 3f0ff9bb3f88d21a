"""``gm advance-day --events``: a run as a stream of events, and commands on a pipe."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

from gm.api.editing.check.whole import check_world
from gm.api.worlds.create import create_world
from gm.cli.playing.events import EventView
from gm.faces.web.stage.state import RunState, fold
from gm.faces.web.translated_errors import retell
from gm.files.layout import Layout
from gm.llm.base import Surroundings
from gm.llm.openai_api import OpenAiApi
from gm.llm.providers import Provider
from tests.api.repositories import commit_all, git, make_repository
from tests.cli.running import Outcome, Run
from tests.llm.chat_api import ChatApi, Said, serving_chat
from tests.llm.test_streams import ASKED
from tests.stories.playing import play, records, tree

Event = dict[str, Any]
ROOT = Path(__file__).parents[3]
NOTE = "Slower."
Speak = Callable[..., Outcome]


def command(layout: Layout, *more: str) -> list[str]:
    return ["advance-day", "-w", str(layout.root), "--model", "rehearsal", "--events", *more]


def events(text: str) -> list[Event]:
    return [json.loads(line) for line in text.splitlines()]


def named(text: str, name: str) -> list[Event]:
    return [event for event in events(text) if event["event"] == name]


def log(layout: Layout) -> list[Event]:
    return records(layout.day_log(1)) if layout.day_log(1).exists() else []


def traces(layout: Layout) -> set[str]:
    return {path.relative_to(layout.traces).as_posix() for path in layout.traces.rglob("*.json")}


@pytest.fixture
def speak(run: Run, monkeypatch: pytest.MonkeyPatch) -> Speak:
    """Run the command with commands on standard input."""

    def given(layout: Layout, script: str, *more: str) -> Outcome:
        monkeypatch.setattr("sys.stdin", io.StringIO(script))
        return run(*command(layout, "--interactive", *more))

    return given


def test_a_day_is_told_by_events_and_is_the_day_that_is_played_without_them(
    dinner: Layout, run: Run, tmp_path: Path
) -> None:
    alone = create_world(tmp_path / "alone", "dinner")
    play(alone)
    outcome = run(*command(dinner))
    told = events(outcome.out)
    assert outcome.code == 0
    assert tree(dinner.root) == tree(alone.root)
    names = list(dict.fromkeys(event["event"] for event in told))
    assert names == [
        "model",
        "day_opened",
        "scene_begins",
        "answered",
        "scene_played",
        "day_ends",
        "day_closed",
        "finished",
    ]
    assert (told[0]["shown"], told[0]["rehearsal"]) == ("rehearsal", True)
    played = [event["scene"] for event in told if event["event"] == "scene_played"]
    assert played == [f"day-001/scene-{entry['scene']:02}" for entry in log(dinner) if entry["type"] != "SUMMARY"]
    first = next(event for event in told if event["event"] == "scene_begins")
    assert (first["type"], first["cast"]) == ("ARRIVAL", ["alex", "casey", "jordan"])
    assert told[-2]["summary"] == log(dinner)[-1]["summary"]
    assert [day["day"] for day in told[-1]["days"]] == [1]
    assert told[-1]["commits"] == []


def test_a_day_that_is_committed_tells_everything_too(dinner: Layout, run: Run) -> None:
    make_repository(dinner.root)
    commit_all(dinner.root, "new world")
    told = run(*command(dinner, "--commit")).out
    assert [event["day"] for event in named(told, "day_ends")] == [1]
    assert named(told, "finished")[0]["commits"] == [git(dinner.root, "rev-parse", "HEAD").strip()]


def test_an_error_stops_the_run_with_its_exit_code(dinner: Layout, run: Run) -> None:
    dinner.settings.write_text("llm: [\n", encoding="utf-8")
    outcome = run(*command(dinner))
    (stopped,) = events(outcome.out)
    assert (stopped["event"], stopped["kind"], stopped["exit"], outcome.code) == ("stopped", "broken", 1, 1)
    assert stopped["message"] in outcome.err
    assert stopped["problems"][0]["path"] == "gm.yaml"
    trouble = fold(RunState("playing"), stopped).trouble
    (problem,) = trouble.problems
    assert retell(trouble.message, "de") == "gm.yaml lässt sich nicht lesen."
    assert retell(problem.message, "de").startswith("Das ist kein YAML: ")


def test_what_is_awaited_is_told_before_the_run_stops(dinner: Layout, run: Run) -> None:
    outcome = run(*command(dinner), "--model", "mailbox")
    *_, waiting, stopped = events(outcome.out)
    assert outcome.code == stopped["exit"] == 75
    assert [item["who"] for item in waiting["awaited"]] == ["alex", "casey", "jordan"]
    assert all((dinner.root / item["question"]).is_file() for item in waiting["awaited"])


def test_a_bug_is_told_as_one(dinner: Layout, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("gm.play.master.run_days", fail)
    outcome = run(*command(dinner))
    assert outcome.code == 3
    assert events(outcome.out)[-1]["exit"] == 3
    assert "ZeroDivisionError" in events(outcome.out)[-1]["message"]


@pytest.mark.parametrize("option", ["--json", "--dry-run"])
def test_options_that_do_not_go_with_it_are_refused(dinner: Layout, run: Run, option: str) -> None:
    outcome = run(*command(dinner, option))
    assert (outcome.code, outcome.out) == (2, "")
    assert f"--events does not go with {option}" in outcome.err


def test_words_are_told_while_they_arrive_at_most_four_times_a_second(capsys: pytest.CaptureFixture[str]) -> None:
    clock = iter([0.0, 0.1, 0.2, 0.3, 0.35, 9.0])
    view = EventView(lambda: next(clock))
    for who, text in [("vera", "He"), ("vera", "Hell"), ("tobi", "Yes"), ("vera", "Hello"), ("vera", "Hello!")]:
        answer = '{"thoughts": "SECRET", "dialogue": [{"text": "' + text
        view.writing(who, len(answer), answer)
    view.writing("vera", None, "")
    told = events(capsys.readouterr().out)
    assert [(event["who"], event["words"]) for event in told] == [
        ("vera", "He"),
        ("tobi", "Yes"),
        ("vera", "Hello"),
        ("vera", ""),
    ]
    assert [event["characters"] is None for event in told] == [False, False, False, True]


def test_who_never_began_to_write_does_not_end_it(capsys: pytest.CaptureFixture[str]) -> None:
    EventView().writing("vera", None, "")
    assert capsys.readouterr().out == ""


def test_the_words_of_a_server_that_streams_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    said = json.dumps({"thoughts": "SECRET", "dialogue": [{"to": None, "text": "Good morning."}], "mood": "calm"})
    ticks = iter(range(1_000))
    view = EventView(lambda: float(next(ticks)))
    with serving_chat(ChatApi(lambda _body: Said(said))) as api:
        OpenAiApi("m", Provider("here", api.url), Surroundings(writing=view.writing)).ask(ASKED)
    told = capsys.readouterr().out
    *words, done = events(told)
    assert words[-1]["words"] == "Good morning."
    assert words[-1]["characters"] == len(said)
    assert done["characters"] is None
    assert "SECRET" not in told


def test_a_draft_is_what_the_logbook_will_hold(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, "continue\nquit\n")
    first, _ = named(outcome.out, "draft")
    assert first["log"] == log(dinner)[0]
    lived = {name: records(dinner.stream(name)) for name in dinner.agent_names()}
    assert first["memories"] == {name: nodes for name, nodes in lived.items() if nodes}
    assert [event["event"] for event in events(outcome.out)[-2:]] == ["day_left", "finished"]


def test_a_draft_holds_the_events_of_threads_that_the_scene_will_write(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, 5 * "continue\n" + "quit\n")
    told = [event for draft in named(outcome.out, "draft")[:-1] for event in draft["threads"]]
    assert "open" in {event["event"] for event in told}
    assert told == records(dinner.threads)


def test_a_command_that_makes_no_sense_is_refused_and_the_run_goes_on(dinner: Layout, speak: Speak) -> None:
    script = "bogus\nreplay\ntake 2\npick 1\npick x\nplan\nhelp\nwhy\ncontinue\ntake 1\nskip\n"
    outcome = speak(dinner, script)
    assert outcome.code == 0
    assert [event["message"] for event in named(outcome.out, "refused")] == [
        "there is no command 'bogus'",
        "a replay needs a note: without one everybody is asked the same, and gives the same answers",
        "there is no take 2",
        "no candidates were listed yet",
        "pick takes a number, 'x' found",
    ]
    assert len(named(outcome.out, "choices")) == len(script.splitlines())
    assert [event["lines"][0].split(":")[0] for event in named(outcome.out, "tell")] == ["next", "chosen by"]
    assert log(dinner)[-1]["type"] == "SUMMARY"


def test_what_can_be_chosen_depends_on_the_takes(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, f"replay {NOTE}\nbrief Be kind.\nquit\n")
    offered = [{choice["name"] for choice in event["choices"]} for event in named(outcome.out, "choices")]
    assert [{"replay", "take"} & names for names in offered] == [{"replay"}, {"replay", "take"}, set()]
    assert [event["undecided"] for event in named(outcome.out, "choices")] == [True, True, False]


def test_an_earlier_take_lands_and_no_model_is_asked_again(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, f"replay {NOTE}\nreplay And shorter.\ntake 2\nquit\n")
    one, two, three, _next = named(outcome.out, "draft")
    assert [(one["take"], one["note"]), (two["take"], two["note"])] == [(1, ""), (2, NOTE)]
    assert log(dinner) == [two["log"]]
    assert two["log"] not in (one["log"], three["log"])
    for name, nodes in two["memories"].items():
        assert records(dinner.stream(name)) == nodes
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []


def test_who_goes_back_in_time_forgets_what_was_decided(dinner: Layout, speak: Speak, run: Run) -> None:
    speak(dinner, f"continue\nreplay {NOTE}\nquit\n")
    assert dinner.sitting_note.exists()
    assert run("rewind", "-w", dinner.root, "day-000", "--yes").code == 0
    assert not dinner.sitting_note.exists()


def test_a_candidate_is_played_as_it_was_listed(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, "continue\ncandidates\npick 2\ncontinue\nquit\n")
    (listed,) = (event["plan"] for event in named(outcome.out, "candidates"))
    chosen = listed["candidates"][1]
    assert not chosen["chosen"]
    begun = named(outcome.out, "scene_begins")[2]
    same = {"type": "type", "cast": "cast", "place": "location", "time": "time_of_day", "why": "why"}
    assert {key: begun[key] for key in same} == {key: chosen[name] for key, name in same.items()}
    assert log(dinner)[2]["director"] == "asked"
    assert log(dinner)[2]["why"] == chosen["why"]


def test_a_candidate_that_is_ruled_out_or_gone_is_refused(dinner: Layout, speak: Speak) -> None:
    outcome = speak(dinner, "continue\ncandidates\npick 7\ncontinue\npick 1\nquit\n")
    candidates = named(outcome.out, "candidates")[0]["plan"]["candidates"]
    ruled_out, gone = named(outcome.out, "refused")
    assert ruled_out["message"] == f"candidate 7 is ruled out: {candidates[6]['ruled_out']}"
    assert ruled_out["said"] == [["candidate {number} is ruled out: {why}", "7", candidates[6]["ruled_out"]]]
    assert "morning with alex, jordan cannot be played any more" in gone["message"]
    assert len(log(dinner)) == 2


def test_letters_are_awaited_while_a_person_decides(
    dinner: Layout, speak: Speak, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EventView, "pause", lambda _view, _seconds: answer_letters(dinner))
    script = f"ask alex Why?\nreplay {NOTE}\ncontinue\nquit\n"
    outcome = speak(dinner, script, "--model", "mailbox", "--watch")
    assert outcome.code == 0, outcome.err
    assert named(outcome.out, "tell")[0]["lines"] == ["Alex: Because."]
    drafts = [(event["take"], event["note"]) for event in named(outcome.out, "draft")]
    assert (2, NOTE) in drafts
    assert log(dinner)[0]["note"] == NOTE
    assert len(named(outcome.out, "scene_begins")) == 2


def answer_letters(layout: Layout) -> None:
    reply = {
        "action": "Waits.",
        "mood": "calm",
        "memories": [{"type": "observation", "description": "It began.", "importance": 3}],
        "plan": {"work": ["the soup"], "talk_to": [], "library": None, "importance": 3},
    }
    for path in layout.mailbox.glob("*.md"):
        answer = path.with_name(path.stem + ".answer.json")
        is_question = "-ask-" in path.name
        if not answer.exists():
            answer.write_text(json.dumps({"answer": "Because."} if is_question else reply), encoding="utf-8")


class Piped:
    """A run of its own, with pipes to its events and from its commands."""

    def __init__(self, layout: Layout, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "gm", *command(layout, *more)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Piped:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, line: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read_until(self, name: str) -> list[Event]:
        """Return the events up to the next one of a name."""
        seen = []
        for event in self.events():
            seen.append(event)
            if event["event"] == name:
                return seen
        raise AssertionError(f"{name} did not come: {seen[-3:]}")

    def events(self) -> Iterator[Event]:
        assert self.process.stdout
        yield from map(json.loads, iter(self.process.stdout.readline, ""))


@pytest.mark.slow
def test_after_a_kill_a_picked_scene_and_its_takes_are_shown_again_and_no_model_is_asked(dinner: Layout) -> None:
    with Piped(dinner, "--interactive") as run:
        run.read_until("choices")
        run.say("candidates")
        run.read_until("choices")
        run.say("pick 2")
        run.read_until("choices")
        run.say(f"replay {NOTE}")
        before = [event for event in run.read_until("choices") if event["event"] == "draft"]
    kept = traces(dinner)
    with Piped(dinner, "--interactive") as run:
        seen = run.read_until("choices")
        assert [event["scene"] for event in seen if event["event"] == "scene_begins"] == ["day-001/scene-02"]
        drafts = [event for event in seen if event["event"] == "draft"]
        assert drafts[1:] == before
        assert traces(dinner) == kept
        run.say("take 1")
        run.read_until("scene_played")
        assert log(dinner)[1] == drafts[0]["log"]
        run.read_until("choices")
        assert not dinner.sitting_note.exists()
        run.say("skip")
        run.read_until("finished")
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_ends_the_run_in_order(dinner: Layout, number: signal.Signals, code: int) -> None:
    with Piped(dinner, "--interactive") as run:
        run.read_until("choices")
        run.process.send_signal(number)
        assert run.read_until("stopped")[-1]["exit"] == 130
        assert list(run.events()) == []
        assert run.process.wait() == code
    assert log(dinner) == []


@pytest.mark.slow
def test_when_no_reader_is_left_the_run_ends_as_with_ctrl_c(dinner: Layout) -> None:
    with Piped(dinner) as run:
        run.read_until("scene_begins")
        assert run.process.stdout
        run.process.stdout.close()
        assert run.process.wait() == 130
    kept = traces(dinner)
    with Piped(dinner) as run:
        assert run.read_until("finished")[-1]["days"][0]["day"] == 1
    assert kept <= traces(dinner)
    assert [problem for problem in check_world(dinner).problems if problem.severity != "info"] == []


@pytest.mark.slow
def test_who_awaits_letters_and_is_not_read_any_more_ends_too(dinner: Layout) -> None:
    with Piped(dinner, "--watch", "--model", "mailbox") as run:
        run.read_until("waiting")
        assert run.process.stdout
        run.process.stdout.close()
        assert run.process.wait() == 130
