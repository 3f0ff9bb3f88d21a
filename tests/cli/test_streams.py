"""Standard streams that are full, closed, or read by a program that has ended: no traceback, nothing lost."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from gm.files.story.now import load_clock

pytestmark = pytest.mark.matrix

TIMEOUT_S = 120
"""A guard against waiting for ever; nothing here takes a tenth of it."""


@dataclass(frozen=True)
class Ended:
    code: int
    messages: str


def ended(layout: Layout, command: str, redirection: str) -> Ended:
    """Run a command in a shell, with its streams led elsewhere; what is told is what arrives on standard error."""
    line = f"'{sys.executable}' -m gm {command} {redirection}"
    done = subprocess.run(["sh", "-c", line], cwd=layout.root, capture_output=True, timeout=TIMEOUT_S, check=False)
    return Ended(done.returncode, done.stderr.decode())


COMMANDS = pytest.mark.parametrize(
    "command",
    [
        "status",
        "status --json",
        "log",
        "log --json",
        "context vera --prompt",
        "stats",
        "settings --json",
        "--help",
        "recall --help",
        "completion bash",
        "check --json",
        "memory show vera-001",
        "advance-day",
        "advance-day --json",
    ],
)


@COMMANDS
def test_a_full_standard_output_is_told_once_and_can_be_put_right(played: Layout, command: str) -> None:
    outcome = ended(played, command, ">/dev/full")
    assert outcome.code == 1
    assert outcome.messages.count("standard output cannot be written: No space left on device") == 1
    assert "Traceback" not in outcome.messages
    assert "bug" not in outcome.messages
    assert "Exception ignored" not in outcome.messages


@COMMANDS
def test_a_closed_standard_output_is_no_error(played: Layout, command: str) -> None:
    outcome = ended(played, command, ">&-")
    assert outcome.code == 0
    assert "Traceback" not in outcome.messages


@COMMANDS
def test_a_reader_that_ends_early_ends_the_command_quietly(played: Layout, command: str) -> None:
    # the reader has ended before the command begins
    outcome = ended(played, command, "2>told | :; cat told >&2; ! grep -E 'Traceback|bug|Exception ignored|error' told")
    assert outcome.code == 0, outcome.messages


@pytest.mark.parametrize("redirection", [">&- 2>&- <&-", "2>/dev/full"])
@COMMANDS
def test_messages_without_a_reader_change_nothing(played: Layout, command: str, redirection: str) -> None:
    assert ended(played, command, redirection) == Ended(0, "")


@pytest.mark.slow
def test_a_day_whose_reader_ends_is_said_to_stand_open(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "dinner", "dinner")
    outcome = ended(layout, "advance-day --model rehearsal", "| grep --max-count 1 '+ alex'")
    assert "The output was closed: day 1 is open after " in outcome.messages
    assert "The same command goes on." in outcome.messages
    assert load_clock(layout)[0].day_open


def test_where_the_reader_ends_before_the_first_scene_no_day_is_open(tmp_path: Path) -> None:
    layout = create_world(tmp_path / "dinner", "dinner")
    # the reader has ended before the command begins
    outcome = ended(layout, "advance-day --model rehearsal", "2>told | :; cat told >&2")
    assert "The output was closed: no day is open. The same command begins day 1." in outcome.messages
    assert load_clock(layout)[0].day == 0


def test_what_is_printed_to_a_closed_stream_lands_in_no_file(played: Layout) -> None:
    """The first file that a process opens gets the lowest free number: that of the closed standard output."""
    before = {path: path.read_bytes() for path in played.memories.iterdir()}
    assert ended(played, "status --json", ">&- 2>&- <&-").code == 0
    assert {path: path.read_bytes() for path in played.memories.iterdir()} == before


@pytest.mark.slow
def test_a_day_whose_output_is_full_goes_on_with_the_same_command(played: Layout) -> None:
    assert ended(played, "advance-day --json", ">/dev/full").code == 1
    assert ended(played, "advance-day --json", ">/dev/null").code == 0
    assert ended(played, "check --quiet", ">/dev/null").code == 0
