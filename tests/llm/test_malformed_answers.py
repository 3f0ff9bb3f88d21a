"""A server that sends nonsense stops no world: its bytes are kept, and with a good one the day ends well."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from gm.base.config import LlmSettings
from gm.base.errors import GmError
from gm.files.layout import Layout
from gm.llm.anthropic_api import AnthropicApi
from gm.model.scene import SUMMARY
from tests.cli.running import Run
from tests.crash.test_bad_replies import CASES
from tests.llm.malformed import Case, bad_replies, envelopes
from tests.llm.messages_api import Body, MessagesApi, Reply, answer_well, document, serving
from tests.stories.playing import play, records, set_sections

ENVELOPES = list(envelopes())
REPLIES = [*bad_replies(), *CASES[::4]]
QUICK = 4
PARTS = 6
SETTINGS = LlmSettings(max_retries=0, cache="5m", structured="schema", concurrency=4)
PAGE = b"<!DOCTYPE html><html><body>502 Bad Gateway</body></html>"
Item = TypeVar("Item")
Records = Callable[[str, object], None]


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[MessagesApi]:
    with serving(MessagesApi()) as served:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret")
        yield served


@pytest.fixture
def small(dinner: Layout) -> Layout:
    """A dinner of one scene a day, at which nobody reflects."""
    set_sections(
        dinner.settings,
        "day: {scenes: [1, 1]}\nreflection: {enabled: false}\nllm: {max_retries: 0, cache: 5m, structured: schema}",
    )
    return dinner


def part_of(cases: Sequence[Item], part: int) -> Sequence[Item]:
    """The first part is a few cases, the others share the rest."""
    return cases[:QUICK] if part == 0 else cases[QUICK + part - 1 :: PARTS - 1]


def kept_bytes(layout: Layout) -> set[bytes]:
    return {path.read_bytes() for path in layout.traces.rglob("*.raw-*.bin")}


def kept_texts(layout: Layout) -> set[str]:
    traces = (json.loads(path.read_bytes()) for path in layout.traces.rglob("*.json"))
    return {trace["answer"]["text"] for trace in traces if "answer" in trace}


def play_badly_then_well(api: MessagesApi, layout: Layout, bad: Callable[[Body, int], Reply]) -> str:
    """Play a day with a bad server, then with a good one; returns what the first failed with, or nothing.

    Any other exception than one for people is a traceback.
    """
    said = ""
    api.script = bad
    try:
        play(layout, backend=backend_at(api))
    except GmError as error:
        said = f"{error.message} {error.hint}"
        assert error.message
        assert error.hint
        assert len(said) < 20_000
    api.script = answer_well
    play(layout, backend=backend_at(api))
    assert records(layout.day_log(1))[-1]["type"] == SUMMARY
    return said


def backend_at(api: MessagesApi) -> AnthropicApi:
    return AnthropicApi("some-model", SETTINGS, {"ANTHROPIC_BASE_URL": api.url, "ANTHROPIC_API_KEY": "sk-secret"})


def test_the_command_says_what_came_and_where_it_lies_and_goes_on_later(
    small: Layout, run: Run, api: MessagesApi
) -> None:
    api.script = lambda _body, _number: Reply(raw=PAGE)
    outcome = run("advance-day", "-w", small.root, "--model", "some-model")
    assert outcome.code == 1
    (where,) = re.findall(r"its 56 bytes are kept in (\S+\.bin)", outcome.err)
    assert Path(where).read_bytes() == PAGE
    assert "some-model: the server sent an HTML page, which begins: '<!DOCTYPE html>" in outcome.err
    assert "ANTHROPIC_BASE_URL" in outcome.err
    api.script = answer_well
    outcome = run("advance-day", "-w", small.root, "--model", "some-model")
    assert outcome.code == 0, outcome.err
    assert records(small.day_log(1))[-1]["type"] == SUMMARY


def test_there_are_many_cases() -> None:
    assert len(ENVELOPES) >= 150
    assert len({case.name for case in ENVELOPES}) == len(ENVELOPES)
    assert len(REPLIES) >= 150


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_a_malformed_envelope_stops_no_world_and_its_bytes_are_kept(
    part: int, small: Layout, tmp_path: Path, api: MessagesApi, record_property: Records
) -> None:
    stopped = 0
    cases = part_of(ENVELOPES, part)
    for number, case in enumerate(cases):
        layout = Layout(tmp_path / f"world{number}")
        shutil.copytree(small.root, layout.root)
        sent: list[tuple[bytes, str]] = []
        said = play_badly_then_well(api, layout, partial(send, case, sent))
        kept, texts = kept_bytes(layout), kept_texts(layout)
        assert sent
        assert all(data in kept or any(text in other for other in texts) for data, text in sent), case.name
        stopped += bool(said)
        shutil.rmtree(layout.root)
    record_property("malformed envelopes", {"tried": len(cases), "stopped the command": stopped, "tracebacks": 0})


def say(text: str, _body: Body, _number: int) -> Reply:
    return Reply(text)


def send(case: Case, sent: list[tuple[bytes, str]], body: Body, _number: int) -> Reply:
    good = document(answer_well(body, 1), body)
    data = case.make(good)
    sent.append((data, good["content"][0]["text"]))
    return Reply(status=case.status, headers=case.headers, raw=data)


@pytest.mark.matrix
@pytest.mark.parametrize("part", range(PARTS))
def test_a_bad_reply_over_the_wire_stops_no_world(
    part: int, small: Layout, tmp_path: Path, api: MessagesApi, record_property: Records
) -> None:
    stopped = 0
    cases = part_of(REPLIES, part)
    for number, text in enumerate(cases):
        layout = Layout(tmp_path / f"world{number}")
        shutil.copytree(small.root, layout.root)
        said = play_badly_then_well(api, layout, partial(say, text))
        assert text in kept_texts(layout), text[:80]
        stopped += bool(said)
        shutil.rmtree(layout.root)
    record_property("bad replies over the wire", {"tried": len(cases), "stopped the command": stopped, "tracebacks": 0})
