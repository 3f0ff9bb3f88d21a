"""``gm view`` as a process: where it listens, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from gm.base.installed import pip_install
from gm.files.layout import Layout
from tests.cli.running import Run

TIMEOUT_S = 30


@contextmanager
def viewing(layout: Layout, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run ``gm view`` at a free port; the process and the port."""
    command = [sys.executable, "-m", "gm", "view", "-w", str(layout.root), "--port", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stderr.readline())
            assert found is not None
            yield process, int(found[1])
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGHUP, -signal.SIGTERM)]
)
def test_it_ends_at_once_while_a_page_listens(studio: Layout, number: signal.Signals, code: int) -> None:
    with viewing(studio) as (process, port), socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as page:
        page.sendall(f"GET /events HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
        heard = b""
        while b"event: here" not in heard:
            heard += page.recv(4096)
        process.send_signal(number)
        out, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == code
        assert out == ""
        assert "Traceback" not in err
        while page.recv(4096):
            pass  # the stream has an end


def test_pages_are_answered_at_the_address_that_it_says(studio: Layout) -> None:
    with viewing(studio, "--read-only") as (_, port):
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=TIMEOUT_S) as answer:
            assert b"Studio Brandsohle" in answer.read()
        with socket.socket() as other, pytest.raises(OSError, match=r".*"):
            other.bind(("127.0.0.1", port))


@pytest.mark.parametrize("head", ["GET /{} HTTP/1.1\r\n", "GET / HTTP/1.1\r\nX: {}\r\n"])
def test_a_head_without_end_is_refused(studio: Layout, head: str) -> None:
    with viewing(studio) as (_, port), socket.create_connection(("127.0.0.1", port), TIMEOUT_S) as page:
        with suppress(OSError):
            page.sendall(head.format("a" * 5_000_000).encode())
        heard = b""
        with suppress(ConnectionResetError):
            while more := page.recv(4096):
                heard += more
        assert heard.startswith(b"HTTP/1.1 400 ") or not heard


def test_a_port_that_is_in_use_is_named(studio: Layout, run: Run) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        outcome = run("view", "-w", studio.root, "--port", port)
    assert outcome.code == 2
    assert f"port {port}" in outcome.err
    assert "--port 0" in outcome.err


@pytest.mark.parametrize(("folder", "more"), [(".", ["--read-only"]), ("nowhere", [])])
def test_who_may_only_look_or_mistypes_a_folder_is_told_that_it_is_no_world(
    tmp_path: Path, run: Run, folder: str, more: list[str]
) -> None:
    outcome = run("view", "-w", tmp_path / folder, *more)
    assert outcome.code == 1
    assert "is not a world" in outcome.err


def test_a_folder_without_a_world_has_a_first_page_that_makes_one(tmp_path: Path) -> None:
    folder = tmp_path / "place"
    folder.mkdir()
    with viewing(Layout(folder)) as (process, port):
        address = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{address}/", timeout=TIMEOUT_S) as answer:
            assert b"There is no world here yet" in answer.read()
        with httpx2.Client(base_url=address, headers={"Origin": address}, timeout=TIMEOUT_S) as client:
            form = "/begin/template.html"
            fields = {"token": TOKEN.findall(client.get(form).text)[0], "template": "dinner-0", "folder": ""}
            seal = SEAL.findall(client.post(form, data={**fields, "step": "look"}).text)[0]
            assert list(folder.iterdir()) == []
            assert client.post(form, data={**fields, "step": "write", "seal": seal}).status_code == 303
            assert "Dinner for Noor" in client.get("/index.html").text
            with client.stream("GET", "/events") as page:
                assert page.status_code == 200
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=TIMEOUT_S)
        assert process.returncode == 130
        assert f"The pages show {folder}" in err
        assert "Traceback" not in err
    assert (folder / "gm.yaml").is_file()


TOKEN, SEAL = re.compile('name="token" value="([^"]+)"'), re.compile('name="seal" value="([^"]+)"')


def test_without_the_packages_it_says_what_to_install(
    studio: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gm.faces.web.serve", None)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "gm.faces.web.serve")
    outcome = run("view", "-w", studio.root)
    assert outcome.code == 1
    assert pip_install("web") in outcome.err


def test_an_address_is_opened_in_the_browser_only_when_asked(
    studio: Layout, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def end(*arguments: object, tell: object, **others: object) -> None:
        assert callable(tell)
        tell("http://127.0.0.1:1/")
        raise KeyboardInterrupt

    monkeypatch.setattr("gm.faces.web.serve.serve", end)
    monkeypatch.setattr("gm.cli.inspecting.faces.webbrowser.open", opened.append)
    monkeypatch.setattr("gm.cli.inspecting.faces.Thread", Now)
    assert run("view", "-w", studio.root).code == 130
    assert opened == []
    assert run("view", "-w", studio.root, "--open").code == 130
    assert opened == ["http://127.0.0.1:1/"]


class Now:
    """A thread that runs when it is started."""

    def __init__(self, target: object, args: tuple[str, ...], daemon: bool) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        assert callable(self._target)
        self._target(*self._args)
