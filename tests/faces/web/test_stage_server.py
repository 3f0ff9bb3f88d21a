"""A server that ends while it plays: its run ends too, in order, and the next server goes on."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import httpx
import pytest

from gm.files.layout import Layout
from tests.browser.serving import ADDRESS, gm

SOON_S = 60.0


@contextmanager
def serving(layout: Layout) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Serve a world with the real ``gm view``; give the process and a client of its own pages."""
    line = gm("view", "-w", layout.root, "--port", "0")
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert process.stdout is not None
    late = Timer(SOON_S, process.kill)
    late.start()
    try:
        found = next(match for text in process.stdout if (match := ADDRESS.search(text)))
        address = found[0].rstrip("/")
        with httpx.Client(base_url=address, headers={"Origin": address}, timeout=SOON_S) as client:
            yield process, client
    finally:
        late.cancel()
        process.kill()
        process.communicate()


def press(client: httpx.Client, step: str, **fields: str) -> httpx.Response:
    """Press a button of the page."""
    text = client.get("/play.html").text
    sent = dict(re.findall(r'<input type="hidden" name="(token|turn)" value="([^"]*)"', text))
    return client.post("/play.html", data={**sent, **fields, "step": step})


def wait_for_letters(client: httpx.Client) -> str:
    """Look at the page until the run waits for answers."""
    text = client.get("/play.html").text
    with client.stream("GET", "/events?since=0&version=0") as stream:
        for line in stream.iter_lines():
            if line.startswith("event: played"):
                text = client.get("/play.html").text
                if "state/mailbox/" in text:
                    break
    return text


def child_of(process: subprocess.Popen[str]) -> int:
    """Open the only child of a process, so that its end can be waited for."""
    found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True, check=True)
    (child,) = found.stdout.split()
    return os.pidfd_open(int(child))


def has_ended(opened: int) -> bool:
    """Wait for the end of a process that ``child_of`` has opened."""
    try:
        return bool(select.select([opened], [], [], SOON_S)[0])
    finally:
        os.close(opened)


def letters(layout: Layout) -> set[str]:
    return {path.name for path in layout.mailbox.iterdir()}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_server_that_ends_takes_its_run_along_and_nothing_is_asked_twice(
    number: signal.Signals, studio: Layout
) -> None:
    with serving(studio) as (process, client):
        assert press(client, "start", model="mailbox").status_code == 303
        assert "state/mailbox/" in wait_for_letters(client)
        run = child_of(process)
        before = letters(studio)
        process.send_signal(number)
        process.wait(SOON_S)
        assert has_ended(run)
    assert letters(studio) == before
    with serving(studio) as (process, client):
        text = client.get("/play.html").text
        assert "Weiterspielen" in text
        assert "Tag 1 ist offen" in text
        assert press(client, "start", model="mailbox").status_code == 303
        wait_for_letters(client)
        assert letters(studio) == before
