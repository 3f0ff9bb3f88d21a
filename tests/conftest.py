"""Fresh worlds, and an environment in which no key, no server and no home of the developer is found."""

from __future__ import annotations

import gc
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.detection import is_hypothesis_test  # from the package itself in later versions alone

from gm.api.worlds.create import create_world
from gm.files.layout import Layout
from tests.cli.running import Run, runner
from tests.everything import everything_on
from tests.sharing import folder_of_all, once
from tests.stories.playing import play

MEMORY, ENOUGH = Path("/dev/shm"), 8 << 30
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))  # tests make thousands of worlds
FEWER_EXAMPLES = ("not slow", "not soak")
PATIENT = [HealthCheck.too_slow]
settings.register_profile("gm", deadline=None, max_examples=60, suppress_health_check=PATIENT)
settings.register_profile("quick", deadline=None, max_examples=15, suppress_health_check=PATIENT)
settings.load_profile("gm")

SOAK = {
    "browser/test_attacked.py": "every page is attacked",
    "browser/test_attacked_live.py": "every page and form is attacked",
    "browser/test_pages.py": "every page is opened in every way",
    "browser/test_worlds.py": "every page of several worlds is opened",
    "crash": "gm is killed at every step",
    "stories/test_line_ends.py": "days are played with every form of line ends",
    "stories/test_month.py": "weeks are played",
    "stories/test_month_in_git.py": "weeks are played",
    "stories/test_soak_year.py": "a year is played",
    "faces/web/test_attacked_routes.py": "every form is sent every attack",
    "faces/web/test_odd_worlds.py": "worlds of every odd shape are published whole",
    "faces/web/test_stage_server.py": "servers that play are ended by every signal, and started again",
    "faces/web/test_while_written.py": "pages are read for as long as days are written",
}
SLOW = {
    "browser": "a Chromium opens every page",
    "faces/book/test_formats.py": "pandoc, Java and poppler look at books",
    "faces/web/test_broken_files.py": "every page is opened with every file broken",
    "test_skips.py": "pytest runs in pytest",
    "test_wheel.py": "a wheel is built and played from",
}
"""Folders and files of which every test is for the soak or slow, and why. The rules stand in gm/README.md."""
PLAYING = {
    "api/experiments/evaluate/test_leaks.py": "days with planted leaks are played",
    "api/test_book.py": "books are made of days",
    "api/editing/test_board_and_events.py": "what is put up is played with",
    "api/history/test_compare.py": "runs are played and compared",
    "api/views/test_today.py": "days are committed",
    "api/reports/test_cost.py": "days are paid for",
    "api/history/test_difference.py": "days are committed",
    "api/experiments/test_experiment.py": "whole experiments are played",
    "api/playing/test_forecast.py": "days are rehearsed",
    "api/experiments/test_interview.py": "interviews are rehearsed",
    "api/experiments/test_judging.py": "worlds are played and judged",
    "api/experiments/test_provenance.py": "days are repeated",
    "api/experiments/test_sweep.py": "sweeps are played",
    "cli/history/test_branch.py": "worlds are branched with git",
    "cli/editing/test_care.py": "old worlds are played",
    "cli/history/test_commits.py": "days are committed",
    "cli/experiments/test_compare_and_sweep.py": "sweeps are played",
    "cli/inspecting/test_cost.py": "days are rehearsed and paid for",
    "cli/test_errors.py": "days are played with hostile texts",
    "cli/playing/test_events.py": "days are reported",
    "cli/history/test_git_setup.py": "worlds are merged with git",
    "cli/playing/test_interactive.py": "scenes are read before they land",
    "cli/playing/test_plan.py": "days are planned and played",
    "cli/inspecting/test_publish.py": "worlds are published whole",
    "cli/inspecting/test_view.py": "servers are started as processes",
    "cli/history/test_rewind.py": "days are taken back",
    "cli/test_streams.py": "gm is started as a process",
    "cli/test_terminals.py": "gm is started in a terminal",
    "faces/mcp/test_server.py": "gm is started as a process",
    "faces/web/test_beginning.py": "worlds are made and opened from pages",
    "faces/web/test_days.py": "worlds are played and published whole",
    "faces/web/test_forms.py": "every form is filled in",
    "faces/web/test_graphs.py": "long worlds are drawn and published whole",
    "faces/web/test_kept_back.py": "worlds are published whole",
    "faces/web/test_people.py": "long lives are drawn and published whole",
    "faces/web/test_publish.py": "worlds are published whole",
    "faces/web/test_stage.py": "days are played from pages",
    "faces/web/test_stories.py": "worlds are published whole",
    "faces/web/test_taking_part.py": "days are played with people",
    "files/test_check_never_crashes.py": "every command meets every broken file",
    "llm/test_anthropic_api.py": "days are played over loopback",
    "llm/test_batches.py": "days are played in batches",
    "llm/test_budget.py": "days are paid for",
    "llm/test_contract.py": "days are played over loopback",
    "llm/test_foreign_standin.py": "days are played over loopback",
    "llm/test_local.py": "days are begun over loopback",
    "llm/test_local_servers.py": "days are played over loopback",
    "llm/test_malformed_answers.py": "every answer is broken in every way",
    "llm/test_offers.py": "days are played over loopback",
    "llm/test_providers.py": "every provider is asked over loopback",
    "llm/test_real_server.py": "a small model answers",
    "llm/test_rehearsal.py": "days are played",
    "llm/test_rehearsal_arranges.py": "days are played",
    "llm/test_replay.py": "days are repeated",
    "llm/test_tool_use.py": "days are played over loopback",
    "play": "days are played",
    "plugin/test_conformance.py": "days are played with plugins",
    "plugin/test_package.py": "a package is made and played with",
    "stories": "days are played",
}
"""Folders and files whose tests play, start or publish: the first test of each file is quick, the others are slow."""
HERE = Path(__file__).parent
MINUTES, TURN = (int(os.environ.get(name, "0")) for name in ("SOAK_MINUTES", "SOAK_TURN"))
"""After how many minutes no further test begins (0: never), and a number by which their order turns."""
BEGUN = time.monotonic()
LEFT_OUT = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Try fewer examples of each property, but in the soak and where no part is chosen."""
    gc.disable()  # until all tests are collected: they stay until the end
    if config.option.markexpr in FEWER_EXAMPLES:
        settings.load_profile("quick")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what lies in a folder or file that is named, every case of a matrix but its first, and properties."""
    told: set[Path] = set()
    for item in items:
        inside = item.path.relative_to(HERE) if item.path.is_relative_to(HERE) else item.path
        names = {inside.parts[0], inside.as_posix()}
        case = getattr(item, "callspec", None)
        is_matrix = item.get_closest_marker("matrix") or inside.parts[0] == "browser"
        further = is_matrix and case is not None and any(case.indices.values())
        if further or SOAK.keys() & names:
            item.add_marker(pytest.mark.soak)
        if SLOW.keys() & names or item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.slow)
        if PLAYING.keys() & names and not item.get_closest_marker("slow"):
            if item.path in told:
                item.add_marker(pytest.mark.slow)
            told.add(item.path)
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker(pytest.mark.property)
    if MINUTES and items:
        files = sorted({item.path for item in items})
        turned = {
            path: number for number, path in enumerate((*files[TURN % len(files) :], *files[: TURN % len(files)]))
        }
        items.sort(key=lambda item: ("crash" not in item.path.parts, turned[item.path]))


def pytest_collection_finish() -> None:
    """Let the garbage collector look through the tests themselves, half a million objects, less often."""
    gc.set_threshold(10_000, 10, 10)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Leave a test out when the time is over; how many were is said at the end."""
    if not MINUTES or time.monotonic() - BEGUN < 60 * MINUTES:
        return None
    left_out = item.config.stash[LEFT_OUT] = item.config.stash.get(LEFT_OUT, 0) + 1
    if hasattr(item.config, "workeroutput"):
        item.config.workeroutput["left out"] = left_out
    return True


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add up what the workers left out."""
    config = node.config
    config.stash[LEFT_OUT] = config.stash.get(LEFT_OUT, 0) + getattr(node, "workeroutput", {}).get("left out", 0)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """In continuous integration a test that was skipped is a test that failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("tests were skipped that must run here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what crash suites and soaks found: of several workers only the one that reports reads this file."""
    if left_out := terminalreporter.config.stash.get(LEFT_OUT, 0):
        terminalreporter.write_line(
            f"{left_out} tests were left out: {MINUTES} minutes were over (SOAK_MINUTES)", yellow=True
        )
    totals: dict[str, dict[str, int]] = {}
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in report.user_properties:
            if isinstance(value, str):
                terminalreporter.write_line(f"{name}: {value}")
            if isinstance(value, dict):
                total = totals.setdefault(name, {})
                for key, count in value.items():
                    total[key] = total.get(key, 0) + int(count)
    for name, total in sorted(totals.items()):
        figures = ", ".join(f"{count} {key}" for key, count in total.items())
        terminalreporter.write_line(f"{name}: {figures}")


@pytest.fixture(autouse=True, scope="session")
def _bare_environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    home = str(tmp_path_factory.mktemp("home"))
    with pytest.MonkeyPatch.context() as patched:
        for name in list(os.environ):
            if name.startswith(("ANTHROPIC_", "OPENAI_", "OLLAMA_")) or name.endswith("_API_KEY"):
                patched.delenv(name)
        patched.setenv("HOME", home)
        patched.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patched.setenv("SSL_CERT_DIR", home)  # reading all certificates costs an HTTP client 60 ms
        patched.delenv("SSL_CERT_FILE", raising=False)  # comes first where it is set
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """Files survive a killed process without being synced: only a power cut takes them, and no test makes one."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("fsync", "fdatasync"):
            if hasattr(os, name):  # not everywhere
                patched.setattr(os, name, lambda _handle: None)
        yield


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line."""
    return runner(capsys)


@pytest.fixture(scope="session")
def _fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fresh")
    for template in ("studio", "dinner"):
        create_world(folder / template, template)
    return folder


def _copy(source: Path, target: Path) -> Layout:
    shutil.copytree(source, target)
    return Layout(target)


@pytest.fixture
def studio(_fresh: Path, tmp_path: Path) -> Layout:
    """A fresh studio at day 0."""
    return _copy(_fresh / "studio", tmp_path / "studio")


@pytest.fixture
def dinner(_fresh: Path, tmp_path: Path) -> Layout:
    """A fresh dinner at day 0."""
    return _copy(_fresh / "dinner", tmp_path / "dinner")


def _played(factory: pytest.TempPathFactory, template: str, days: int, begun: Layout | None = None) -> Layout:
    """Play once for all workers, on from a world of fewer days if one is given; each gets a copy of its own."""

    def make(folder: Path) -> Layout:
        layout = _copy(begun.root, folder / template) if begun else create_world(folder / template, template)
        play(layout, days=days - len(layout.logged_days()))
        return layout

    name = f"{template}-{days}"
    return _copy(once(folder_of_all(factory) / name, make).root, factory.mktemp(name) / template)


@pytest.fixture(scope="session")
def _one_day(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    return _played(tmp_path_factory, "studio", 1)


@pytest.fixture
def played(_one_day: Layout, tmp_path: Path) -> Layout:
    """A copy of a studio after its first day."""
    return _copy(_one_day.root, tmp_path / "played")


@pytest.fixture(scope="session")
def two_days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A dinner after two days. Shared: read it, do not write into it."""
    return _played(tmp_path_factory, "dinner", 2)


@pytest.fixture(scope="session")
def two_full_days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A dinner after two days with everything switched on. Shared: read it, do not write into it."""

    def make(folder: Path) -> Layout:
        layout = everything_on(create_world(folder / "Löwen dinner", "dinner"), more="day: {scenes: [2, 3]}\n")
        play(layout, days=2)
        return layout

    made = once(folder_of_all(tmp_path_factory) / "two-full-days", make)
    return _copy(made.root, tmp_path_factory.mktemp("two-full-days") / made.root.name)


@pytest.fixture(scope="session")
def five_days(tmp_path_factory: pytest.TempPathFactory, _one_day: Layout) -> Layout:
    """A studio after five days. Shared: read it, do not write into it."""
    return _played(tmp_path_factory, "studio", 5, _one_day)


@pytest.fixture(scope="session")
def fifteen_days(tmp_path_factory: pytest.TempPathFactory, five_days: Layout) -> Layout:
    """A studio after fifteen days. Shared: read it, do not write into it."""
    return _played(tmp_path_factory, "studio", 15, five_days)
