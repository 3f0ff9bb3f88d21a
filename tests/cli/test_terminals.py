"""What reports look like where a terminal is narrow, dumb, without colour, or cannot write umlauts."""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gm.cli.streams import NAME, tolerate
from gm.cli.terminal import columns_of, columns_taken, fitted
from gm.files.layout import Layout
from gm.layers.diary import DIARY
from gm.layers.soul import SOUL
from tests.cli.running import Run

STYLE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
NARROW = 40
SCRIPT = """
import json, sys
from gm.cli import gm
from gm.cli.boundary import guarded
from gm.cli.streams import tolerate
tolerate(sys.stdout, sys.stderr)
for words in json.loads(sys.argv[1]):
    print("$", *words, flush=True)
    assert guarded(gm, words) == 0
    sys.stdout.flush()
"""
WHOLE = (
    ["status"],
    ["due"],
    ["threads", "--all"],
    ["context", "vera"],
    ["recall", "vera", "Knochenturm", "Schwelle"],
    ["memory", "show", "vera"],
    ["memory", "show", "vera-005"],
    ["memory", "find", "Turm"],
    ["soul", "show"],
    ["relationships"],
    ["diary"],
    ["goals"],
    ["accumulators", "--recompute"],
    ["brief", "--list"],
    ["post", "--list"],
    ["event", "--list"],
    ["plan"],
    ["index", "status"],
    ["settings", "reflection"],
    ["check"],
)
"""Reports that say the same however wide a terminal is."""

ALL = (
    *WHOLE,
    ["log"],
    ["log", "vera"],
    ["stats"],
    ["cost"],
    ["cost", "--day", "1"],
    ["why", "vera-005"],
    ["diff", "day-000", "day-001"],
    ["diff", "day-000", "day-001", "--stat"],
    ["compare", "day-000", "day-001"],
    ["rewind", "day-000", "--dry-run"],
    ["settings"],
    ["gift", "--dry-run"],
    ["advance-day", "--dry-run"],
)


@pytest.fixture
def world(played: Layout, monkeypatch: pytest.MonkeyPatch) -> Layout:
    soul = "beliefs:\n  - Ein Ort erinnert sich an den, der ihn abgenutzt hat, und zwar länger als an den Erbauer.\n"
    played.layer_folder(SOUL).mkdir()
    played.layer(SOUL, "vera").write_text(soul, encoding="utf-8")
    played.layer_folder(DIARY).mkdir()
    entry = {"day": "day-001", "mood": "müde", "location": "flur", "text": "Heute »kein« Turm. " * 9, "tags": []}
    played.layer(DIARY, "vera").write_text(json.dumps(entry, ensure_ascii=False) + "\n", encoding="utf-8")
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "PYTHONIOENCODING"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(played.root)
    return played


def on_a_terminal(commands: Sequence[Sequence[str]], columns: int, **environment: str) -> str:
    """Run commands one after the other in a terminal of a width; return its output."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    done = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps(commands)],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=slave,
    )
    os.close(slave)
    got = b""
    while True:
        try:
            data = os.read(master, 65536)
        except OSError:  # the other side has closed
            break
        if not data:
            break
        got += data
    os.close(master)
    text = got.decode().replace("\r\n", "\n")
    assert done.wait() == 0, text[-2000:]
    return text


def in_a_pipe(commands: Sequence[Sequence[str]], **environment: str) -> bytes:
    """Run commands one after the other; returns what standard output got."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, json.dumps(commands)],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    return done.stdout


@pytest.mark.slow
def test_no_line_is_wider_than_a_narrow_terminal_unless_it_is_one_word(world: Layout) -> None:
    for line in STYLE.sub("", on_a_terminal(ALL, NARROW)).split("\n"):
        assert columns_taken(line) <= NARROW or " " not in line.strip() or line.startswith("$"), line


@pytest.mark.slow
def test_a_narrow_terminal_is_told_all_that_a_wide_one_is(world: Layout) -> None:
    narrow, wide = (STYLE.sub("", on_a_terminal(WHOLE, columns)).split() for columns in (NARROW, 400))
    assert narrow == wide


def test_nothing_is_broken_in_a_pipe(world: Layout) -> None:
    lines = in_a_pipe([["memory", "show", "vera"]], COLUMNS="40").decode().splitlines()
    assert len(lines) == 1 + len(world.stream("vera").read_text(encoding="utf-8").splitlines())


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"CLICOLOR": "0"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
    ids=str,
)
def test_a_terminal_is_coloured_as_its_environment_asks(
    world: Layout, environment: dict[str, str], coloured: bool
) -> None:
    commands = [["status"], ["log"], ["why", "vera-005"]]
    assert ("\x1b[" in on_a_terminal(commands, 100, **environment)) == coloured


@pytest.mark.parametrize("environment", [{"FORCE_COLOR": "1"}, {"CLICOLOR_FORCE": "1"}], ids=str)
def test_colour_may_be_forced_into_a_pipe_and_never_into_a_document(world: Layout, environment: dict[str, str]) -> None:
    assert b"\x1b[" not in in_a_pipe([["status"]])
    assert b"\x1b[" in in_a_pipe([["status"]], **environment)
    assert b"\x1b[" not in in_a_pipe([["status", "--json"], ["why", "vera-005", "--json"]], **environment)


@pytest.mark.slow
def test_a_day_is_played_without_colour_and_in_ascii(world: Layout) -> None:
    # a dumb terminal knows no control at all; without colour the line that says what is awaited may still move
    for none_of, environment in (
        (r"\x1b", {"TERM": "dumb"}),
        (r"\x1b\[[0-9;]*m", {"NO_COLOR": "1", "PYTHONIOENCODING": "ascii"}),
    ):
        text = on_a_terminal([["advance-day"]], NARROW, **environment)
        assert not re.search(none_of, text)
        assert "ARRIVAL" in text
    assert text.isascii()


@pytest.mark.slow
def test_where_umlauts_cannot_be_written_the_nearest_letters_are(world: Layout) -> None:
    text = in_a_pipe(ALL, PYTHONIOENCODING="ascii").decode("ascii")
    assert 'Heute "kein" Turm.' in text
    assert "(muede, flur)" in text
    assert "laenger" in text


@pytest.mark.slow
def test_a_document_is_the_same_in_any_encoding(world: Layout) -> None:
    commands = [["diary", "--json"], ["memory", "show", "vera", "--json"], ["settings", "--json"]]

    def documents(encoding: str) -> list[Any]:
        _, *said = re.split(r"^\$ .*\n", in_a_pipe(commands, PYTHONIOENCODING=encoding).decode(encoding), flags=re.M)
        return [json.loads(document) for document in said]

    written = documents("utf-8")
    assert len(written) == len(commands)
    assert all(written)
    assert documents("ascii") == documents("latin-1") == written


def test_a_memory_with_half_a_character_is_named_and_left_out(run: Run, world: Layout) -> None:
    world.layer(SOUL, "vera").unlink()
    line = '{"id": "vera-900", "created": "day-001/scene-01", "type": "observation", "depth": 0, "description": '
    line += '"kalt \\ud83d warm", "importance": 3, "tags": [], "evidence": [], "metadata": {}}\n'
    number = len(world.stream("vera").read_bytes().splitlines()) + 1
    with world.stream("vera").open("a", encoding="utf-8") as file:
        file.write(line)
    place = f"state/memories/vera.jsonl:{number}:{line.index('ud83d')}: error: "
    assert place + "\\ud83d is half a character" in run("check").out
    outcome = run("recall", "vera", "warm", "--json")
    assert outcome.code == 0
    assert "vera-900" not in outcome.out


words = st.lists(st.text("ab💡ä\u0301\u4e2d", min_size=1, max_size=9), max_size=12)


@given(words, st.integers(0, 30), st.integers(20, 60), st.booleans())
def test_what_is_broken_keeps_its_words_and_its_colours(
    parts: list[str], indent: int, columns: int, coloured: bool
) -> None:
    painted = [f"\x1b[31m{part}\x1b[0m" if coloured else part for part in parts]
    line = " " * indent + "  ".join(painted)
    broken = fitted(line, columns)
    assert broken.split() == line.split()
    for part in broken.split("\n"):
        assert columns_taken(part) <= columns or len(part.split()) <= 1
    if columns_taken(line) <= columns:
        assert broken == line


def test_what_goes_on_stands_below_and_a_step_to_the_right() -> None:
    assert fitted("  vera  wartet auf den Aufzug und zählt\nkurz", 20) == (
        "  vera  wartet auf\n    den Aufzug und\n    zählt\nkurz"
    )


def test_colours_take_no_columns_and_wide_signs_take_two() -> None:
    assert columns_taken("\x1b[1;31mab\x1b[0m") == 2
    assert columns_taken("中ä\u0301") == 3


def test_what_is_no_terminal_has_no_columns(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w", encoding="utf-8") as file:
        assert columns_of(file) == 0
    assert columns_of(io.StringIO()) == 0


@pytest.mark.parametrize(
    ("encoding", "text", "expected"),
    [
        ("ascii", "»Büro« – „so“ … Größe ≠ 3 €", '"Buero" - "so" ... Groesse ! 3 EUR'),
        ("latin-1", "»Büro« … völuspá", "»Büro« ... völuspá"),
        ("ascii", "e\u0301te\u0301 ﬁ 中 ▁█", "ete fi ? _#"),
        ("utf-8", "a\ud800b »ä«", "a?b »ä«"),
    ],
)
def test_the_nearest_thing_is_written(encoding: str, text: str, expected: str) -> None:
    buffer = io.BytesIO()
    stream = io.TextIOWrapper(buffer, encoding=encoding)
    tolerate(stream, None)
    assert stream.errors == NAME
    stream.write(text)
    stream.flush()
    assert buffer.getvalue().decode(encoding) == expected
