"""What is loaded and read ahead of the first request."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from importlib.util import cache_from_source
from pathlib import Path
from threading import Event, Thread

import pytest
from jinja2 import Environment
from starlette.types import Receive, Scope, Send

from gm.faces.web import rendering, serve
from gm.faces.web.serve import RequestsFirst
from gm.files.layout import Layout
from gm.files.streams.memories import Memories

TIMEOUT_S = 20
SMALL = "error.html"
START = {"type": "http.response.start", "status": 200, "headers": []}


def ask(app: RequestsFirst) -> None:
    async def receive() -> dict[str, str]:
        return {"type": "http.request"}

    async def send(_message: object) -> None:
        pass

    asyncio.run(app({"type": "http"}, receive, send))


def test_what_is_read_ahead_waits_until_a_request_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    waits, done = Event(), list[str]()
    monkeypatch.setattr(serve, "QUIET_S", 0)
    monkeypatch.setattr(serve, "sleep", lambda _seconds: waits.set())

    def read_ahead() -> None:
        gate.wait()
        done.append("read ahead")

    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        reader.start()
        assert await asyncio.to_thread(waits.wait, TIMEOUT_S)
        done.append("answered")
        await send(START)
        await asyncio.to_thread(reader.join, TIMEOUT_S)  # what is open for long holds nothing up
        done.append("left")

    gate, reader = RequestsFirst(answer), Thread(target=read_ahead, daemon=True)
    ask(gate)
    assert done == ["answered", "read ahead", "left"]


def test_a_request_that_failed_holds_nothing_up(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(serve, "QUIET_S", 0)
    gate = RequestsFirst(fail)
    with pytest.raises(ValueError, match="broken"):
        ask(gate)
    gate.wait()


def test_what_cannot_be_read_ahead_is_left_to_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(serve, "make_ready", lambda _pause: None)
    monkeypatch.setattr(serve, "set_aside", lambda: done.append("set aside"))

    def read_ahead(_pause: object) -> None:
        done.append("read")
        raise OSError(24, "Too many open files")

    serve._make_ready(lambda: None, read_ahead)
    assert done == ["read", "set aside"]


def test_reading_ahead_pauses_between_its_steps(played: Layout) -> None:
    steps: list[None] = []
    Memories(played).warm(lambda: steps.append(None))
    assert len(steps) >= 4 * len(played.agent_names())  # reading, finding, citing, searching


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of byte code."""
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    folder = Path(cache_from_source(rendering.__file__)).parent
    folder.mkdir(parents=True)
    rendering._environment.cache_clear()
    yield folder
    rendering._environment.cache_clear()


def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Load a template as a new process does; return the names of those that were compiled."""
    rendering._environment.cache_clear()
    names: list[str] = []
    compile_ = Environment.compile

    def count(self: Environment, source: str, name: str, filename: str) -> object:
        names.append(name)
        return compile_(self, source, name, filename)

    with monkeypatch.context() as patch:
        patch.setattr(Environment, "compile", count)
        rendering._environment().get_template(SMALL)
    return names


def test_templates_are_compiled_once_for_all_servers(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(monkeypatch) == [SMALL]
    assert len(list(kept.glob("template-*.cache"))) == 1
    assert compiled(monkeypatch) == []


def test_byte_code_of_another_text_or_another_environment_is_not_taken(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert compiled(monkeypatch) == [SMALL]
    source = rendering._ByteCode.get_source_checksum
    monkeypatch.setattr(rendering._ByteCode, "get_source_checksum", lambda self, text: source(self, text + " "))
    assert compiled(monkeypatch) == [SMALL]
    assert source(rendering._ByteCode(), "a") != source(rendering._ByteCode(), "b")


def test_no_byte_code_is_kept_where_python_keeps_none(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert compiled(monkeypatch) == [SMALL] == compiled(monkeypatch)
    assert not list(kept.iterdir())
