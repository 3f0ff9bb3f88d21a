"""Ctrl-C: once, nothing new is begun and what is answered is kept; twice, it stops at once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gm.api.worlds.create import create_world
from gm.files.layout import Layout

ROOT = Path(__file__).parents[2]
AT_ONCE = 2
INTERRUPTED = 130


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = create_world(tmp_path / "world", "dinner")
    with layout.settings.open("a") as file:
        file.write(f"llm: {{concurrency: {AT_ONCE}}}\n")
    return layout


@pytest.fixture
def run(layout: Layout) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.crash.interrupted", str(layout.root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout
        for _ in range(AT_ONCE):
            assert process.stdout.readline().startswith("asked")
        yield process
        process.kill()


def answer(run: subprocess.Popen[str], times: int) -> None:
    assert run.stdin
    run.stdin.write("\n" * times)
    run.stdin.flush()


def wait_until_stopping(run: subprocess.Popen[str]) -> None:
    """Wait until the signal is heeded: an answer that comes before it lets one more question begin."""
    assert run.stdout
    assert run.stdout.readline() == "stopping\n"


def traces(layout: Layout) -> list[Path]:
    return list(layout.traces.rglob("*.json"))


def test_once_it_waits_for_what_is_under_way_keeps_it_and_begins_nothing_new(
    layout: Layout, run: subprocess.Popen[str]
) -> None:
    run.send_signal(signal.SIGINT)
    wait_until_stopping(run)
    answer(run, AT_ONCE)
    out, error = run.communicate()
    assert run.returncode == INTERRUPTED
    assert "asked" not in out
    assert "Traceback" not in error
    assert len(traces(layout)) == AT_ONCE


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_and_a_closed_terminal_stop_it_in_the_same_order(
    layout: Layout, run: subprocess.Popen[str], number: signal.Signals
) -> None:
    run.send_signal(number)
    if number == signal.SIGHUP:
        run.send_signal(number)  # the shell and the system both send it
    wait_until_stopping(run)
    answer(run, AT_ONCE)
    out, error = run.communicate()
    assert run.returncode == -signal.SIGTERM
    assert "asked" not in out
    assert "Interrupted. What was answered is kept" in error
    assert "Traceback" not in error
    assert len(traces(layout)) == AT_ONCE
    assert not layout.journal.exists() or layout.journal.stat().st_size == 0


def test_what_nohup_started_goes_on_when_the_terminal_is_closed(layout: Layout) -> None:
    command = ["nohup", sys.executable, "-m", "tests.crash.interrupted", str(layout.root)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as process:
        assert process.stdout
        for _ in range(AT_ONCE):
            assert process.stdout.readline().startswith("asked")
        process.send_signal(signal.SIGHUP)
        answer(process, AT_ONCE)
        assert process.stdout.readline().startswith("asked")
        process.kill()


def test_twice_it_stops_at_once(layout: Layout, run: subprocess.Popen[str]) -> None:
    run.send_signal(signal.SIGINT)
    run.send_signal(signal.SIGINT)
    # the two signals may arrive as one: then a third is the second
    while run.poll() is None:
        run.send_signal(signal.SIGINT)
    assert run.returncode == INTERRUPTED
    assert traces(layout) == []
