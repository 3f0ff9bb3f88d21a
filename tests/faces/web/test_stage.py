"""Runs that pages start, steer and stop, by a stand-in for the command."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import reduce
from pathlib import Path
from threading import Event
from typing import Any, cast

import pytest
from starlette.testclient import TestClient

from gm.base.errors import GmError, LockedError, Problem
from gm.faces.web.stage import state as folds
from gm.faces.web.stage.run import StageRun, StaleTurnError, arguments, find_error
from gm.faces.web.stage.state import RunRequest, RunState, RunTrouble, fold
from gm.files.commits.lock import locked
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.forms import fields_of
from tests.stories.playing import records

FAKE = (sys.executable, str(Path(__file__).parent / "fake_run.py"))
SOON_S = 20.0
PAGE = "/play.html"


@pytest.fixture
def run(studio: Layout) -> Iterator[StageRun]:
    """A run of the stand-in."""
    found = StageRun(studio, FAKE)
    yield found
    found.close()


STRANGE = "Der Server wurde inzwischen neu gestartet."


def wait_until(run: StageRun, is_there: Callable[[RunState], bool]) -> RunState:
    """Wait until the state is as wanted."""
    seen = Event()

    def look() -> None:
        if is_there(run.state):
            seen.set()

    run.on_change = look
    look()
    assert seen.wait(SOON_S), run.state
    return run.state


def is_over(state: RunState) -> bool:
    return not state.is_running and state.kind != "idle"


def is_asked(state: RunState) -> bool:
    return bool(state.choices)


def test_a_run_is_followed_to_its_end(run: StageRun) -> None:
    run.start(RunRequest(model="plain"))
    state = wait_until(run, is_over)
    assert (state.kind, state.landed, state.model, state.day) == ("finished", ("day-001/scene-01",), "plain", 1)


def test_who_answers_and_writes_is_known_and_a_stop_is_one_interrupt(run: StageRun) -> None:
    run.start(RunRequest(model="endless"))
    state = wait_until(run, lambda state: state.answered == (1, 3))
    assert state.scene["cast"] == ["vera", "tobi"]
    assert [(one.who, one.characters, one.words) for one in state.writing] == [("vera", 12, "Ich sage <b>")]
    run.stop()
    run.stop()
    state = wait_until(run, is_over)
    assert (state.kind, state.writing) == ("stopped", ())


@pytest.mark.parametrize(
    ("model", "kind", "message", "hint"),
    [
        ("broken", "failed", "nothing is as it should be", "put it back"),
        ("lost", "failed", "ValueError: lost", ""),
        ("refused", "failed", "the budget is used up", "budget.day_usd"),
        ("letters", "waiting", "1 answer is awaited", ""),
    ],
)
def test_how_a_run_ended_is_said(model: str, kind: str, message: str, hint: str, run: StageRun) -> None:
    run.start(RunRequest(model=model))
    state = wait_until(run, is_over)
    assert (state.kind, state.trouble.message, state.trouble.hint) == (kind, message, hint)


@pytest.mark.parametrize(
    ("model", "kind", "title"),
    [
        ("refused", "budget", "Das Budget lässt das nicht zu."),
        ("lost", "bug", "Das ist ein Fehler in gm."),
        ("broken", "other", ""),
    ],
)
def test_a_german_page_says_in_german_of_what_kind_the_error_of_a_run_was(
    model: str, kind: str, title: str, client: TestClient
) -> None:
    press(client, "start", typed=model)
    state = wait_until(run_of(client), is_over)
    page = client.get(PAGE).text
    assert state.trouble.kind == kind
    assert re.search(rf"<strong>Es ging nicht weiter\.\s*{re.escape(title)}\s*</strong>", page)
    assert f"<bdi>{state.trouble.message}</bdi>" in page
    assert f'value="{model}"' not in page, "what failed is not offered"


def test_an_earlier_failure_is_gone_when_another_is_shown(client: TestClient) -> None:
    press(client, "start", typed="broken")
    wait_until(run_of(client), is_over)
    assert "Es ging nicht weiter" in client.get(PAGE).text
    page = press(client, "start", days="0", much="days").text
    assert 'role="alert"' in page
    assert "Es ging nicht weiter" not in page


def test_a_german_page_says_in_german_what_a_run_refuses_in_its_middle(client: TestClient) -> None:
    press(client, "start", decides="on")
    turn = wait_until(run_of(client), is_asked).turn
    run_of(client).send("call vera,tobi", turn)
    wait_until(run_of(client), lambda state: state.turn > turn)
    page = client.get(PAGE).text
    assert "<strong>So geht es noch nicht</strong>" in page
    assert '<p class="lines" lang="en"><bdi>no call</bdi></p>' in page


def test_the_places_that_a_run_names_are_shown(studio: Layout, browse: Browse) -> None:
    problem = Problem("gm.yaml", 3, 1, "error", "yaml", "not <b> YAML", "close it")
    event = {"event": "stopped", "message": "gm.yaml cannot be read", "hint": "", "exit": 1, "kind": "broken"}
    said = [("{path} cannot be read", "gm.yaml")]
    state = fold(RunState("playing"), {**event, "problems": [asdict(problem)], "said": said})
    assert state.trouble == RunTrouble("gm.yaml cannot be read", "", "broken", (problem,))
    page = browse(studio, run=StageRun(studio, state=state)).get(PAGE).text
    assert "gm.yaml lässt sich nicht lesen." in page
    assert "<code>gm.yaml:3:1 [yaml]</code>" in page
    assert '<span lang="en"><bdi>not &lt;b&gt; YAML</bdi></span>' in page


def test_an_unknown_kind_of_error_is_any_other() -> None:
    event = {"event": "refused", "message": "no", "hint": "", "kind": "of another version"}
    state = fold(RunState("deciding"), event)
    assert state.refused == RunTrouble("no")


def test_a_server_that_ends_stops_its_run_in_order(run: StageRun) -> None:
    run.start(RunRequest(model="endless"))
    wait_until(run, lambda state: state.answered == (1, 3))
    run.close()
    assert run.state.kind == "stopped"
    with pytest.raises(LockedError):
        run.start(RunRequest())


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_run_that_is_not_understood_is_not_left_behind(run: StageRun) -> None:
    run.start(RunRequest(model="strange"))
    assert wait_until(run, is_over).kind == "failed"


def test_a_command_to_a_run_that_has_just_ended_is_no_error(run: StageRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def end_late(state: RunState, code: int, message: str, hint: str) -> RunState:
        run.send("continue", state.turn)
        return end(run.state, code, message, hint)

    end = folds.end
    monkeypatch.setattr(folds, "end", end_late)
    run.start(RunRequest(decides=True))
    wait_until(run, is_asked)
    run.stop()
    assert wait_until(run, is_over).sent == "continue"


def test_takes_are_kept_until_one_lands(run: StageRun) -> None:
    run.start(RunRequest(decides=True))
    first = wait_until(run, is_asked)
    run.send("replay leiser", first.turn)
    second = wait_until(run, lambda state: state.turn > first.turn)
    assert [(take.number, take.note) for take in second.takes] == [(1, ""), (2, "leiser")]
    run.send("take 1", second.turn)
    third = wait_until(run, lambda state: state.turn > second.turn)
    assert (third.takes, third.undecided, third.landed) == ((), False, ("day-001/scene-01",))


def test_a_decision_is_taken_once(run: StageRun) -> None:
    run.start(RunRequest(decides=True))
    turn = wait_until(run, is_asked).turn
    run.send("continue", turn)
    wait_until(run, lambda state: state.turn > turn)
    with pytest.raises(StaleTurnError):
        run.send("continue", turn)


def test_what_makes_no_sense_is_refused_and_the_run_goes_on(run: StageRun) -> None:
    run.start(RunRequest(decides=True))
    turn = wait_until(run, is_asked).turn
    run.send("call vera,tobi", turn)
    state = wait_until(run, lambda state: state.turn > turn)
    assert state.refused == RunTrouble("no call", "<i>another</i>", "usage")
    run.send("quit", state.turn)
    assert wait_until(run, is_over).left


def test_only_one_plays(run: StageRun, studio: Layout) -> None:
    run.start(RunRequest(model="endless"))
    with pytest.raises(LockedError, match="already"):
        run.start(RunRequest())
    other = StageRun(studio, FAKE)
    with locked(studio.lock, "gm advance-day"), pytest.raises(LockedError, match="gm advance-day"):
        other.start(RunRequest())
    assert other.state.kind == "idle"


def test_a_forecast_is_what_the_command_says(run: StageRun, studio: Layout) -> None:
    assert run.foresee(RunRequest(model="dear"))["totals"]["calls"] == 41
    with pytest.raises(GmError, match="not as it"):
        StageRun(studio, (sys.executable, "-c", "import sys; sys.exit('error: not as it\\n  should be')")).foresee(
            RunRequest()
        )


def test_options_are_written_so_that_no_name_is_taken_for_one(studio: Layout) -> None:
    found = arguments(studio, RunRequest(3, None, "--version", decides=False, plays="vera"))
    assert found[1:] == ["--days=3", "--watch", "--model=--version", "--as=vera"]
    assert "--scenes=1" in arguments(studio, RunRequest(scenes=1))
    assert "--interactive" in arguments(studio, RunRequest(decides=True))


def test_a_run_that_looks_again_for_answers_still_waits() -> None:
    events: list[dict[str, Any]] = [
        {"event": "answered", "done": 3, "of": 7},
        {"event": "waiting", "awaited": [{"who": "vera", "question": "q", "answer": "a", "problem": ""}]},
        *({"event": "answered", "done": done, "of": 7} for done in range(4)),
    ]
    state = reduce(fold, events, RunState("playing"))
    assert (state.kind, state.answered) == ("waiting", (3, 7))
    state = fold(state, {"event": "answered", "done": 4, "of": 7})
    assert (state.kind, state.awaited) == ("playing", ())
    assert fold(state, {"event": "of another version"}) is state


def test_an_error_is_found_in_what_a_process_said() -> None:
    assert find_error(["note: a", "error: b", "  c", ""]) == ("b", "c")
    assert find_error(["Usage: gm", "", "Error: No such option: --as"]) == ("No such option: --as", "")
    assert find_error([]) == ("", "")


@pytest.fixture
def client(run: StageRun, studio: Layout, browse: Browse) -> TestClient:
    """A client for pages whose run is the stand-in."""
    return browse(studio, run=run)


def run_of(client: TestClient) -> StageRun:
    return cast(StageRun, cast(Any, client.app).state.run)


def press(client: TestClient, step: str, **fields: str) -> Any:
    """Press a button of the page as it is now."""
    sent = {name: value for name, value in fields_of(client.get(PAGE)).items() if name in ("token", "turn")}
    return client.post(PAGE, data={**sent, **fields, "step": step})


def test_the_page_shows_each_state(client: TestClient) -> None:
    assert 'name="step" value="start"' in client.get(PAGE).text
    page = press(client, "start", model="plain", decides="on", days="1")
    assert page.status_code == 200
    wait_until(run_of(client), is_asked)
    text = client.get(PAGE).text
    assert "Fassung 1 &lt;b&gt;" in text
    assert "Kleister 1 &lt;b&gt;" in text
    assert "<b>41</b> Aufrufe" in text
    assert "about 41 calls" not in text
    assert 'value="start"' not in text
    text = press(client, "replay", text="leiser\nund # langsamer").text
    assert run_of(client).state.sent == "replay leiser und # langsamer"
    assert "Fassung 2 &lt;b&gt;" in text
    assert 'class="takes several"' in text
    assert "answer to vera Was ist?" in press(client, "ask", agent="vera", text="Was\x0bist?").text
    assert "&lt;i&gt;another&lt;/i&gt;" in press(client, "call", **{"with-vera": "on", "with-tobi": "on"}).text
    press(client, "take", number="1")
    press(client, "quit")
    wait_until(run_of(client), is_over)
    text = client.get(PAGE).text
    assert 'name="decides" value="on" checked' in text


def test_what_is_being_written_stands_on_the_page_and_every_page_says_that_it_plays(client: TestClient) -> None:
    press(client, "start", model="endless")
    wait_until(run_of(client), lambda state: state.answered == (1, 3))
    text = client.get(PAGE).text
    assert "Ich sage &lt;b&gt;" in text
    assert re.search(r'<li data-writer="tobi" hidden>', text)
    assert '<div class="playing" id="playing"><p>' in client.get("/index.html").text
    assert press(client, "start").status_code == 423
    press(client, "stop")
    assert wait_until(run_of(client), is_over).kind == "stopped"
    assert '<div class="playing" id="playing"></div>' in client.get("/index.html").text


def test_of_the_scenes_of_a_day_the_newest_is_open_and_the_others_wait(played: Layout, browse: Browse) -> None:
    page = browse(played).get(PAGE).text
    number = len(records(played.day_log(played.logged_days()[-1]))) - 1
    folded = re.findall(r'<details class="earlier"( open)?><summary><span class="count">(\d+)', page)
    assert len(folded) == min(number, 5) > 1
    assert folded == [
        (" open" if shown == number else "", str(shown)) for shown in range(number, number - 5, -1) if shown
    ]


def test_a_run_that_has_just_begun_says_nothing_of_the_day_before(played: Layout, browse: Browse) -> None:
    client = browse(played, run=StageRun(played, FAKE))
    assert 'class="landed"' in client.get(PAGE).text
    press(client, "start", model="endless")
    wait_until(run_of(client), lambda state: state.answered == (1, 3))
    assert 'class="landed"' not in client.get(PAGE).text
    press(client, "stop")
    wait_until(run_of(client), is_over)
    assert 'class="landed"' in client.get(PAGE).text
    run_of(client).close()


def test_each_awaited_answer_has_a_link_to_its_letter(client: TestClient) -> None:
    press(client, "start", model="letters")
    assert wait_until(run_of(client), is_over).kind == "waiting"
    assert 'href="mailbox/1.html">Beantworten' in client.get(PAGE).text


def test_what_a_plugin_prints_is_a_notice(run: StageRun) -> None:
    run.start(RunRequest(model="chatty"))
    state = wait_until(run, is_over)
    assert (state.kind, state.notices) == ("finished", ("5", "hello"))


@pytest.mark.parametrize("step", ["start", "forecast", "stop", "continue"])
def test_nothing_runs_without_the_token_of_the_page(step: str, client: TestClient) -> None:
    for token in ({}, {"token": "strange"}):
        page = client.post(PAGE, data={"step": step, **token})
        assert page.status_code == 403
        assert STRANGE in page.text
    refused = client.post(PAGE, data={"step": step}, headers={"Origin": "http://example.org"})
    assert refused.status_code == 403
    assert run_of(client).state == RunState()


def test_read_only_pages_start_nothing(studio: Layout, browse: Browse) -> None:
    client = browse(studio, read_only=True)
    page = client.get(PAGE)
    assert page.status_code == 200
    assert 'method="post"' not in page.text
    assert client.post(PAGE, data={"step": "start", "token": ""}).status_code == 405


@pytest.mark.parametrize(
    "fields",
    [
        {"typed": "http://127.0.0.1:9/v1#m"},
        {"model": "https://example.org"},
        {"typed": "a\x1bb"},
        {"days": "0"},
        {"days": "101"},
        {"days": "two"},
        {"plays": "../vera"},
        {"plays": "vera", "decides": "on"},
    ],
)
def test_a_request_that_makes_no_sense_starts_nothing(fields: dict[str, str], client: TestClient) -> None:
    page = press(client, "start", **fields)
    assert page.status_code == 400
    assert 'role="alert"' in page.text
    assert run_of(client).state.kind == "idle"


@pytest.mark.parametrize(
    ("step", "fields"),
    [
        ("replay", {"text": " \n"}),
        ("ask", {"agent": "nobody", "text": "Was?"}),
        ("call", {"with-vera": "on"}),
        ("take", {"number": "x"}),
        ("pick", {"number": "0"}),
    ],
)
def test_a_command_that_makes_no_sense_is_not_sent(step: str, fields: dict[str, str], client: TestClient) -> None:
    press(client, "start", decides="on")
    wait_until(run_of(client), is_asked)
    assert press(client, step, **fields).status_code == 400
    assert run_of(client).state.sent == ""


@pytest.mark.parametrize("step", ["start", "forecast"])
def test_a_run_that_cannot_be_started_says_so(step: str, client: TestClient) -> None:
    page = press(client, step, typed="m" * 200_000)
    assert page.status_code == 409
    assert "Der Lauf ließ sich nicht starten" in page.text
    assert run_of(client).state == RunState()


def test_a_command_for_another_moment_is_refused(client: TestClient) -> None:
    press(client, "start", decides="on")
    wait_until(run_of(client), is_asked)
    assert press(client, "continue", turn="99").status_code == 409
    assert press(client, "dance").status_code == 409


def test_a_run_elsewhere_is_shown_and_not_offered_to_be_stopped(studio: Layout, client: TestClient) -> None:
    with locked(studio.lock, "gm advance-day <b>"):
        text = client.get(PAGE).text
        assert "<code>gm advance-day &lt;b&gt;</code>" in text
        assert 'method="post"' not in text
        assert "gm advance-day &lt;b&gt;" in client.get("/days/index.html").text
        answer = client.post(PAGE, data={"step": "start", "token": fields_of(client.get("/edit/brief.html"))["token"]})
        assert answer.status_code == 423
        assert "gm advance-day &lt;b&gt;" in answer.text


def test_a_forecast_of_a_model_without_a_price_says_that_it_is_unknown(client: TestClient) -> None:
    text = press(client, "forecast", typed="unpriced").text
    assert "<b>unbekannt</b> ohne unpriced" in text


def test_a_budget_is_unknown_while_the_settings_cannot_be_read(studio: Layout, client: TestClient) -> None:
    assert "keine Grenze in gm.yaml" in client.get(PAGE).text
    text = studio.settings.read_text(encoding="utf-8")
    studio.settings.write_text(f"{text}\nbudget: {{calls: 7}}\n", encoding="utf-8")
    assert "7 Aufrufe" in client.get(PAGE).text
    studio.settings.write_text(f"{text}\nbudget: {{calls: 7\n", encoding="utf-8")
    page = client.get(PAGE).text
    assert "unbekannt, solange gm.yaml nicht zu lesen ist" in page
    assert "keine Grenze" not in page


def test_a_forecast_is_shown_and_what_was_chosen_stays(client: TestClient) -> None:
    text = press(client, "forecast", typed="dear", days="4").text
    assert re.search(r"<b>41</b>", text)
    assert "<b>62</b> Min. im Tempo früherer Antworten" in text
    assert 'value="4"' in text
    assert 'name="typed" value="dear"' in text
    assert "live.js" not in text
