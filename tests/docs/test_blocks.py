"""What the documentation has a reader type works: each page in an empty folder, from top to bottom.

A ``console`` block holds commands behind ``$ ``. The line before it may say ``<!-- exit 3 -->``, of its last command,
or ``<!-- not run: why -->``. Everything runs offline: no key, no network, the rehearsal. What a block shows of the
output is not compared, since it is shortened for people; what commands say is tested beside the commands.

Commands of gm run in this process, everything else in a shell, in which ``gm`` is the one of these tests.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.docs.pages import DOCS, ROOT, Block, blocks_of, doc_pages

LIMIT_S = 300
PLAIN = re.compile(r"gm(?: [^|&;<>$`*?~\n#\\(){}]*)?\Z")
"""A command of gm that needs no shell."""
PAGES = [path for path in doc_pages() if any(not block.not_run for block in blocks_of(path.read_text("utf-8")))]


OFFLINE = {
    **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), "http://127.0.0.1:9"),  # nothing answers there
    "no_proxy": "127.0.0.1,localhost",
    "PIP_NO_INDEX": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "NO_COLOR": "1",
}
"""Variables of every command: no network, and a name for git."""


class Typist:
    """Types commands into a folder; ``cd`` holds for those that follow."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self._run = run
        tools = folder.parent / "tools"
        tools.mkdir()
        for name in ("gm", "gm-worlds"):
            (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m gm "$@"\n')
            (tools / name).chmod(0o755)
        self._environment = {
            **os.environ,
            "PATH": f"{tools}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }

    def type(self, command: str) -> tuple[int, str]:
        """Return the exit code, and what was said on standard error."""
        if PLAIN.match(command):
            os.chdir(self.folder)
            done = self._run(*shlex.split(command)[1:])
            return done.code, done.err
        note = self.folder.parent / "where"
        # the folder is noted whatever the command ends with
        text = f"{command}\ncode=$?\npwd > {shlex.quote(str(note))}\nexit $code\n"
        shell = subprocess.run(
            ["bash", "-c", text],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        self.folder = Path(note.read_text().strip())
        return shell.returncode, shell.stderr


def follow(blocks: list[Block], typist: Typist) -> list[str]:
    """Type all blocks; return what ended otherwise than is said."""
    for block in blocks:
        for number, command in enumerate(block.commands, 1):
            expected = block.code if number == len(block.commands) else 0
            code, said = typist.type(command)
            if code != expected:
                return [f"line {block.line}: $ {command}\nexit code {code}, expected {expected}\n{said[-2000:]}"]
    return []


@pytest.fixture
def typist(tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> Typist:
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, value in OFFLINE.items():
        monkeypatch.setenv(name, value)
    return Typist(folder, run)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_a_page_has_typed_works(page: Path, typist: Typist) -> None:
    assert follow([block for block in blocks_of(page.read_text("utf-8")) if not block.not_run], typist) == []


@pytest.mark.slow
def test_what_the_page_about_python_prints_is_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"(?<!-->\n)```python\n(.*?)```", (DOCS / "how-to/python.md").read_text("utf-8"), re.DOTALL)
    said = re.findall(r"  # (.+)", code)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        exec(compile(code, "python.md", "exec"), {})
    printed = shown.getvalue().splitlines()
    assert len(said) == len(printed) - 1 == 3
    assert [line for line in printed if line in said] == said


def test_blocks_are_read_with_what_is_said_of_them() -> None:
    text = (
        "# A\n\n```console\n$ gm status\nDay 1\n$ cat > a \\\n> b <<'END'\ntext\nEND\nshown\n```\n\n"
        "<!-- exit 3 -->\n```console\n$ gm none\n```\n\n<!-- not run: needs a key -->\n\n```console\n$ gm x\n```\n"
        "```text\n$ gm y\n```\n"
    )
    first, second, third = blocks_of(text)
    assert first.commands == ("gm status", "cat > a \\\nb <<'END'\ntext\nEND")
    assert (second.code, second.not_run) == (3, "")
    assert (third.not_run, third.commands) == ("needs a key", ("gm x",))


def test_what_fails_is_found_and_a_folder_stays_changed(typist: Typist) -> None:
    blocks = [
        Block(1, ("gm new orbit --language en", "cd orbit", "test -f gm.yaml && gm status > ../said", "gm check"))
    ]
    assert follow(blocks, typist) == []
    assert typist.folder.name == "orbit"
    assert "Orbit: day 0" in (typist.folder.parent / "said").read_text()
    assert follow([Block(2, ("gm why none-001",), code=1)], typist) == []
    assert (
        "line 3: $ gm why none-001\nexit code 1, expected 0\nerror:"
        in follow([Block(3, ("gm why none-001",))], typist)[0]
    )


def test_every_block_that_is_not_run_says_why() -> None:
    for page in doc_pages():
        text = page.read_text("utf-8")
        marks = re.findall(r"<!-- not run.*?-->(?!\n```python)", text)
        assert len(marks) == sum(bool(block.not_run) for block in blocks_of(text)), page.name
