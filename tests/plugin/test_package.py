"""A package that adds one part of each kind, really installed, and played with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from gm.api.editing.gift import give_memories
from gm.base import plugins
from gm.files.layout import Layout
from tests.cli.running import Outcome, runner

PACKAGE = Path(__file__).parent / "package"
Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package is installed."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(build, cwd=PACKAGE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder)  # which is what installing a wheel of Python alone is
    return folder


@contextmanager
def installed(site: Path) -> Iterator[None]:
    """Let this process find the packages of a folder, as a new one does."""
    try:
        with pytest.MonkeyPatch.context() as patched:
            patched.syspath_prepend(str(site))
            plugins._entries.cache_clear()
            yield
    finally:
        plugins._entries.cache_clear()
        for name in ("gm_weather", "gm_wrong", "gm_wrong_import"):
            sys.modules.pop(name, None)


@pytest.fixture
def plain(dinner: Layout, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs gm in a new dinner world, without the package."""
    monkeypatch.chdir(dinner.root)
    called = runner(capsys)

    def call(*arguments: str, code: int = 0) -> Outcome:
        done = called(*arguments)
        assert done.code == code, done.out + done.err
        return done

    return call


@pytest.fixture
def run(plain: Run, site: Path) -> Run:
    """Runs gm in a new dinner world where the package is installed."""

    def call(*arguments: str, code: int = 0) -> Outcome:
        with installed(site):
            return plain(*arguments, code=code)

    return call


def add(folder: Path, settings: str) -> None:
    with (folder / "gm.yaml").open("a", encoding="utf-8") as file:
        file.write(settings)


def write_package(site: Path, entry_points: str) -> None:
    broken = site / "gm_broken-1.dist-info"
    broken.mkdir(exist_ok=True)
    (broken / "METADATA").write_text("Metadata-Version: 2.1\nName: gm-broken\nVersion: 1\n", encoding="utf-8")
    (broken / "entry_points.txt").write_text(entry_points, encoding="utf-8")


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_its_backend_plays_a_day_under_its_name(run: Run, site: Path, dinner: Layout) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(site), str(Path(__file__).parents[2])))}
    command = [sys.executable, "-m", "gm", "advance-day", "--model", "parrot:green"]
    done = subprocess.run(command, cwd=dinner.root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "model: green (asked for by --model)" in done.stderr
    traces = [json.loads(path.read_text(encoding="utf-8")) for path in dinner.root.glob("state/traces/**/*.json")]
    assert {(trace["backend"], trace["model"]) for trace in traces} == {("parrot", "green")}
    assert any("The rain has stopped." in node["description"] for node in records(dinner.stream("alex")))
    assert "0 errors, 0 warnings" in run("check").out


def test_its_strategy_ranks(run: Run) -> None:
    run("advance-day", "--model", "rehearsal")
    found = json.loads(run("recall", "alex", "anything", "--strategy", "first", "--json").out)
    assert found["strategy"] == "first"
    assert [memory["id"] for memory in found["memories"]][:2] == ["alex-001", "alex-002"]


def test_its_embedder_fills_the_index(run: Run, dinner: Layout) -> None:
    add(dinner.root, "index: {enabled: true, provider: letters, model: abc, dimensions: 26}\n")
    run("advance-day", "--model", "rehearsal")
    run("index", "build")
    found = json.loads(run("recall", "alex", "the lamp", "--strategy", "vector", "--json").out)
    assert found["strategy"] == "vector"
    assert found["memories"]


def test_its_source_offers_a_scene_that_is_played(run: Run, dinner: Layout) -> None:
    add(dinner.root, "weights: {added: {weather: 500}}\n")
    run("advance-day", "--model", "rehearsal")
    scenes = records(dinner.day_log(1))
    scene = next(scene for scene in scenes if "The sun has come out late." in scene.get("why", ""))
    assert scene["score"]["weather"] == 500
    assert scene["participants"] == ["alex", "casey"]


def test_its_director_chooses_and_is_named(run: Run, dinner: Layout) -> None:
    run("advance-day", "--model", "rehearsal", "--director", "last")
    scenes = records(dinner.day_log(1))
    assert "last" in {scene.get("director") for scene in scenes}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ("director: last", "expected one of rules, llm, script, or what an installed package adds to gm.directors"),
        ("retrieval: {strategy: first}", "or what an installed package adds to gm.strategies"),
        ("index: {provider: letters}", "or what an installed package adds to gm.embedders"),
        ("weights: {added: {weather: 4}}", "gm.sources to numbers, at least 0; no installed package adds 'weather'"),
        ("weights: {added: {weather: -4}}", "what installed packages add to gm.sources"),
    ],
)
def test_where_it_is_not_installed_a_world_that_names_it_says_so(
    run: Run, plain: Run, dinner: Layout, settings: str, expected: str
) -> None:
    add(dinner.root, settings + "\n")
    run("check") if "-4" not in settings else run("check", code=1)
    said = plain("check", code=1).out
    assert "gm.yaml:" in said
    assert expected in said


WRONG = """
import sys

def raises(*_): raise ValueError("no\\x1b[2J")
def leaves(*_): sys.exit(7)
def old(_one): return None
def nothing(*_): return None
def number(*_): return 99
def listed(*_): return [1]

class Asking:
    name, model, reads_facts, batch, where = "b", "m", False, 1, "here"
    def __init__(self, *_): pass
    def ask(self, _request): raise RuntimeError("away")
    def embed(self, _texts): raise RuntimeError("away")

class Mute(Asking):
    def ask(self, _request): return None
"""
INDEX = "index: {{enabled: true, provider: {}, model: abc, dimensions: 26}}\n"
CALLED: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    plugins.BACKENDS: (("advance-day", "--model", "{}"), "", ("nothing", "number", "Asking", "Mute")),
    plugins.STRATEGIES: (("recall", "alex", "lamp", "--strategy", "{}"), "", ("number", "listed")),
    plugins.EMBEDDERS: (("index", "build"), INDEX, ("nothing", "number", "Asking")),
    plugins.SOURCES: (("plan",), "weights: {{added: {{{}: 4}}}}\n", ("nothing", "number", "listed")),
    plugins.DIRECTORS: (
        ("advance-day", "--model", "rehearsal", "--director", "{}"),
        "",
        ("nothing", "number", "listed"),
    ),
}
CASES = [(group, part) for group, one in CALLED.items() for part in ("raises", "leaves", "old", *one[2])]


@pytest.mark.parametrize(("group", "part"), [*CASES, *((group, "exits") for group in CALLED)])
def test_a_part_that_fails_is_named_with_what_to_do(
    run: Run, site: Path, dinner: Layout, group: str, part: str
) -> None:
    write_package(site, f"[{group}]\n{part} = gm_wrong{'_import' if part == 'exits' else ''}:{part}\n")
    (site / "gm_wrong.py").write_text(WRONG, encoding="utf-8")
    (site / "gm_wrong_import.py").write_text("raise SystemExit(5)", encoding="utf-8")
    command, settings, _ = CALLED[group]
    give_memories(dinner)
    add(dinner.root, settings.format(part))
    done = run(*(word.format(part) for word in command), code=1)
    assert "Traceback" not in done.err
    assert "\x1b[2J" not in done.err
    assert f"{part!r}, which gm-broken adds to {group}, " in done.err or f"the Director {part!r}" in done.err
    assert "pip uninstall gm-broken" in done.err or "--director rules" in done.err


def test_a_part_that_cannot_be_loaded_is_one_clear_line(run: Run, site: Path) -> None:
    write_package(site, "[gm.backends]\nowl = gm_owl:make\n")
    said = run("advance-day", "--model", "owl", code=1).err
    assert "'owl', which gm-broken adds to gm.backends, cannot be loaded: ModuleNotFoundError: No module " in said
    assert "pip uninstall gm-broken" in said
    assert "Traceback" not in said
