"""In continuous integration nothing is left out quietly: a test that is skipped there fails the run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
INSIDE = "import pytest\ndef test_it(): pytest.skip('no browser')\ndef test_other(): pass\n"
WHOLE = "import pytest\npytest.importorskip('no_such_module')\ndef test_it(): pass\n"
NONE = "def test_it(): pass\n"


def run(folder: Path, text: str, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    plain = {name: value for name, value in os.environ.items() if name != "CI" and not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "tests.conftest", "--rootdir", str(folder)]
    return subprocess.run(
        [*command, *more, str(folder / "test_it.py")],
        cwd=ROOT,
        env={**plain, **environment},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(("text", "more"), [(INSIDE, ["-n", "1"]), (WHOLE, ["-p", "no:xdist"])], ids=["test", "module"])
def test_a_skip_fails_in_continuous_integration(text: str, more: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, text, *more, CI="true")
    assert done.returncode != 0
    assert "tests were skipped that must run here" in done.stdout


def test_elsewhere_a_skip_is_named_and_fails_nothing(tmp_path: Path) -> None:
    done = run(tmp_path, INSIDE, "-p", "no:xdist", "-ra")
    assert done.returncode == 0
    assert "no browser" in done.stdout


def test_what_was_not_skipped_passes_there(tmp_path: Path) -> None:
    assert run(tmp_path, NONE, CI="true").returncode == 0


def test_continuous_integration_runs_the_suite_as_one_where_skips_fail() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert 'export CI="${CI:-true}"' in text
    assert "\nmake test\nmake oldest\nmake newest\n" in text
    assert text.endswith("\nmake soak\n")


def programs(folder: Path, *names: str) -> Path:
    """Make a folder in which only some programs are: what scripts need, and what is named."""
    folder.mkdir()
    for name in ("env", "bash", "id", "true"):
        (folder / name).symlink_to(f"/usr/bin/{name}")
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def packages(path: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / ".ci" / "packages"], env={"PATH": str(path), **environment}, capture_output=True, text=True
    )


def test_where_all_programs_are_there_nothing_is_installed_nor_said(tmp_path: Path) -> None:
    done = packages(programs(tmp_path / "bin", "google-chrome", "java", "pdfinfo"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_browser_can_be_named(tmp_path: Path) -> None:
    folder = programs(tmp_path / "bin", "java", "pdfinfo")
    (tmp_path / "mine").write_text("#!/bin/sh\n")
    (tmp_path / "mine").chmod(0o755)
    assert packages(folder, GM_BROWSER=str(tmp_path / "mine")).stderr == ""


def test_what_cannot_be_had_is_said_loudly(tmp_path: Path) -> None:
    done = packages(programs(tmp_path / "bin", "java"))
    assert done.returncode == 0
    assert "SKIPPED" in done.stderr
    assert "chromium-headless-shell poppler-utils" in done.stderr.replace("\n", " ")
    assert "jre" not in done.stderr
