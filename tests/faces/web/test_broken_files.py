"""Every page answers with any broken file of a world, and says where something is wrong."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from gm.faces.web.publish import publish
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.odd import MISHAPS, addresses
from tests.stories.playing import copied

NAMED = {
    "gm.yaml": "/index.html",
    "state/world.json": "/index.html",
    "state/bulletin.json": "/index.html",
    "state/threads.jsonl": "/threads.html",
    "state/agents/alex.json": "/agents/alex.html",
    "state/personas/alex.md": "/agents/alex.html",
    "state/memories/alex.jsonl": "/agents/alex/memories-1.html",
    "state/archive/alex.jsonl": "/agents/alex/memories-1.html",
    "state/summaries/alex.jsonl": "/agents/alex/memories-1.html",
    "state/gifted/alex.jsonl": "/agents/alex/memories-1.html",
    "state/souls/alex.yaml": "/agents/alex/soul.html",
    "state/working/alex.yaml": "/agents/alex.html",
    "state/goals/alex.jsonl": "/agents/alex.html",
    "state/diary/alex.jsonl": "/agents/alex/diary.html",
    "state/relationships/alex.json": "/agents/alex/relationships.html",
    "state/relationships/alex.history.jsonl": "/agents/alex/relationships.html",
    "state/logbook/day-001.jsonl": "/days/001.html",
}
"""Files, each with a page that shows it."""
UNNAMED = (
    "state/links.json",
    "state/gifted/_world.jsonl",
    "state/.gm/journal.jsonl",
    "state/.gm/changes/day-001.jsonl",
    "state/.gm/lexical.sqlite",
)
"""Files that pages show as far as they can be read, or that gm makes anew by itself."""


@pytest.fixture(scope="module")
def _lively(two_full_days: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    layout = copied(two_full_days, tmp_path_factory.mktemp("lively") / "world")
    for folder in (layout.archive, layout.summaries):
        folder.mkdir(exist_ok=True)
    first, *_ = layout.stream("alex").read_text(encoding="utf-8").splitlines()
    layout.archived("alex").write_text(first.replace("alex-001", "alex-901") + "\n" + first + "\n", encoding="utf-8")
    layout.summarised("alex").write_text(first.replace("alex-001", "alex-902") + "\n" + first + "\n", encoding="utf-8")
    return layout


@pytest.fixture
def lively(_lively: Layout, tmp_path: Path) -> Layout:
    shutil.copytree(_lively.root, tmp_path / "world")
    return Layout(tmp_path / "world")


def _first(layout: Layout, pattern: str) -> str:
    return min(path for path in layout.root.glob(pattern) if path.is_file()).relative_to(layout.root).as_posix()


@pytest.mark.matrix
@pytest.mark.parametrize("name", [*NAMED, *UNNAMED, "gallery/*/*.md", "state/traces/day-001/*/*.json"])
def test_every_page_answers_with_any_broken_file(lively: Layout, browse: Browse, name: str) -> None:
    pages, browser = addresses(lively), browse(lively)
    path = lively.root / _first(lively, name)
    before = path.read_bytes()
    for mishap, happen in MISHAPS.items():
        happen(path)
        answers = {page: browser.get(page).status_code for page in pages}
        odd = {page: status for page, status in answers.items() if status not in (200, 400, 404, 409)}
        assert not odd, mishap
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(before)


@pytest.mark.parametrize("name", NAMED)
def test_a_page_names_the_line_and_column_that_cannot_be_read(lively: Layout, browse: Browse, name: str) -> None:
    MISHAPS["a broken line"](lively.root / name)
    page = browse(lively).get(NAMED[name])
    assert page.status_code == 200
    assert re.search(rf"{re.escape(name)}:[0-9]+:[0-9]+[: ]", page.text)


def test_a_world_with_every_file_broken_is_still_shown(lively: Layout, browse: Browse, tmp_path: Path) -> None:
    for name in NAMED:
        MISHAPS["a broken line"](lively.root / name)
    for page in addresses(lively):
        assert browse(lively).get(page).status_code in (200, 400, 404, 409), page
    assert publish(lively, tmp_path / "site", frozenset()).pages["today"] == 1


@pytest.mark.matrix
@pytest.mark.parametrize("name", ["state", "gallery", "state/logbook", "state/memories", "state/agents", "state/.gm"])
def test_pages_answer_when_a_folder_is_gone_or_a_file(lively: Layout, browse: Browse, name: str) -> None:
    pages = addresses(lively)
    shutil.rmtree(lively.root / name)
    for page in pages:
        assert browse(lively).get(page).status_code in (200, 400, 404, 409), page
    shutil.rmtree(lively.root / name, ignore_errors=True)  # what is derived may have been made anew
    (lively.root / name).write_bytes(b"a file")
    for page in pages:
        assert browse(lively).get(page).status_code in (200, 400, 404, 409), page
