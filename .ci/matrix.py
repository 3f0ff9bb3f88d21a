"""Run the quick tests at both ends of what is supported.

    python .ci/matrix.py oldest     the lowest version of each dependency, as declared, on the lowest Python
    python .ci/matrix.py newest     the newest version of each, on the newest Python that is found here

Each end gets a virtual environment of its own, made from nothing: ``.venv-oldest``, ``.venv-newest``. What is left
out is printed before the tests run; nothing is skipped (with CI set, a skipped test fails the run).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = ("book", "data", "index", "markup", "mcp", "parquet", "ray", "test", "web")
WORKERS = str((os.cpu_count() or 1) + 1)  # one more than there are cores: some wait for the disk
CHOSEN = "not slow"
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", WORKERS, "--dist", "worksteal", "-m", CHOSEN)
NOT_HERE = {
    "tests/browser": "looks at the pages in Chromium; `make test` does",
    "tests/stories": "plays on for days with what the other tests here use too; `make test` does",
    "tests/llm/test_foreign_standin.py": "the stand-ins hold other libraries at one version; `make test` runs it",
}
SPARE = {
    "index": (
        "tests/llm/vectors",
        "tests/cli/worlds/test_index.py",
        "tests/play/test_vector_search.py",
        "tests/api/worlds/test_index.py",
        "tests/api/playing/test_recall_by_vectors.py",
    ),
    "parquet": ("tests/api/experiments/test_sweep.py",),
    "ray": (),  # only slow tests start it
}
"""Extras that a new Python may have to wait for, since their wheels are made for one Python each: the tests of each."""

Version = tuple[int, int]


def declared() -> dict[str, list[str]]:
    """Read the requirements: under "" those of gm itself, then those of each extra."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {"": project["dependencies"], **project["optional-dependencies"]}


def lowest(requirements: Iterable[str]) -> list[str]:
    """Turn each lower bound into the version itself; extras of gm that an extra contains are left out."""
    bounded = [one for one in requirements if not one.startswith("gm-worlds[")]
    return [one.replace(">=", "==") for one in bounded]


def lowest_python() -> Version:
    """Read which Python is the lowest that is declared."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(r'^requires-python = ">=(\d+)\.(\d+)"', text, re.MULTILINE)
    assert found is not None
    return int(found[1]), int(found[2])


def pythons() -> dict[Version, str]:
    """Find the Pythons of this machine: this one, those on the path, those of pyenv; the newest first."""
    found: dict[Version, str] = {}
    for path in (sys.executable, *_candidates()):
        # a shim of pyenv may stand for a Python that is unavailable
        asked = subprocess.run(
            [path, "-c", "import sys; print(*sys.version_info[:2], sys.version_info.releaselevel)"],
            capture_output=True,
            text=True,
            check=False,
        )
        if asked.returncode == 0 and asked.stdout.split()[2] == "final":
            major, minor, _level = asked.stdout.split()
            found.setdefault((int(major), int(minor)), path)
    return {one: found[one] for one in sorted(found, reverse=True) if one >= lowest_python()}


def _candidates() -> Iterator[str]:
    for minor in range(lowest_python()[1], 30):
        if path := shutil.which(f"python3.{minor}"):
            yield path
    folder = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    yield from map(str, sorted(folder.glob("3.*/bin/python3"), reverse=True))


def say(*lines: str) -> None:
    """Print a prominent notice."""
    bar = "*" * 76
    print(bar, *lines, bar, sep="\n", flush=True)


def uv(*arguments: str | Path) -> bool:
    """Run uv; when that fails say how."""
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        say("This failed: uv " + " ".join(map(str, arguments)), *done.stderr.strip().splitlines()[-12:])
    return done.returncode == 0


def make_venv(name: str, python: str) -> Path | None:
    """Make an environment from nothing; gives its Python, or None when that cannot be done."""
    folder = ROOT / f".venv-{name}"
    return folder / "bin/python" if uv("venv", "--quiet", "--clear", "--python", python, folder) else None


def install(python: Path, extras: Sequence[str], *options: str | Path) -> bool:
    """Install gm with extras; when that cannot be done say why."""
    into = ["pip", "install", "--quiet", "--python", python, *options]
    return uv(*into, "--editable", f"{ROOT}[{','.join(extras)}]")


def install_newest(python: Path) -> list[str] | None:
    """Install the newest of everything; gives the extras that are unavailable, or None when others are missing."""
    if install(python, EXTRAS):
        return []
    if not install(python, [extra for extra in EXTRAS if extra not in SPARE]):
        return None
    return [extra for extra in SPARE if not install(python, [extra])]


def run_tests(python: Path, without: Sequence[str] = ()) -> int:
    """Say what is tested and what is left out, and run the tests; gives the exit code."""
    left_out = {**NOT_HERE, **{path: f"{extra} is unavailable" for extra in without for path in SPARE[extra]}}
    names = {re.split(r"[<>=]", one)[0].lower() for extra in ("", *EXTRAS) for one in declared()[extra]}
    listing = ["pip", "list", "--python", str(python), "--format=freeze"]
    listed = subprocess.run(
        [sys.executable, "-m", "uv", *listing], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    has = [line.replace("==", " ") for line in listed if line.partition("==")[0].lower() in names]
    print(f"With {', '.join(has)}, and the newest of what these need.")
    print(*(f"Left out: {path} ({why})" for path, why in left_out.items()), sep="\n", flush=True)
    avoided = [f"--{'deselect' if '::' in path else 'ignore'}={path}" for path in left_out]
    return subprocess.run([python, *PYTEST, *avoided], cwd=ROOT, check=False).returncode


def oldest() -> int:
    """Test the lowest of everything."""
    lowest_one, found = lowest_python(), pythons()
    number = lowest_one if lowest_one in found else min(found)
    if number != lowest_one:
        say("Python {}.{}, the lowest that is declared, IS NOT HERE: tested is {}.{}.".format(*lowest_one, *number))
    python = make_venv("oldest", found[number])
    if python is None:
        return 1
    print("Oldest: Python {}.{}, all lower bounds".format(*number), flush=True)
    bounds = ROOT / ".venv-oldest/bounds.txt"
    bounds.write_text("\n".join(lowest(one for extra in ("", *EXTRAS) for one in declared()[extra])), encoding="utf-8")
    return run_tests(python) if install(python, EXTRAS, "--constraint", bounds) else 1


def newest() -> int:
    """Test the newest of everything."""
    for number, path in pythons().items():
        python = make_venv("newest", path)
        without = None if python is None else install_newest(python)
        if python is None or without is None:
            say("Python {}.{} IS LEFT OUT: gm cannot be installed there.".format(*number))
            continue
        say(
            "Newest: Python {}.{}".format(*number),
            *(["NO NEWER PYTHON than the default one is here."] if number == sys.version_info[:2] else []),
            *(f"NOT TESTED there: gm-worlds[{extra}], which cannot be installed" for extra in without),
        )
        return run_tests(python, without)
    return 1


if __name__ == "__main__":
    if sys.argv[1:] not in (["oldest"], ["newest"]):
        sys.exit(__doc__)
    sys.exit(oldest() if sys.argv[1] == "oldest" else newest())
