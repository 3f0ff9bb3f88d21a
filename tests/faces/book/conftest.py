"""Books to bind: of a day that was played, of ten days, and of a world that is hostile."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gm.api.worlds.create import create_world
from gm.faces.book.build import build_book
from gm.faces.book.sources import ExportOptions
from gm.faces.book.values import Manuscript
from gm.files.layout import Layout
from tests.faces.book.hostile import make_hostile


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The studio with its recorded day. Shared: read it, do not write into it."""
    return create_world(tmp_path_factory.mktemp("recorded") / "studio", "studio", days=1)


@pytest.fixture(scope="session")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """The studio with its three recorded days. Shared: read it, do not write into it."""
    return create_world(tmp_path_factory.mktemp("three") / "studio", "studio", days=3)


@pytest.fixture(scope="session")
def day_book(recorded: Layout) -> Manuscript:
    """The book of the recorded day."""
    return build_book(recorded, ExportOptions())[0]


@pytest.fixture(scope="session")
def hostile_world(_one_day: Layout, tmp_path_factory: pytest.TempPathFactory) -> Layout:
    """A world full of attacks. Shared: read it, do not write into it."""
    root = tmp_path_factory.mktemp("hostile") / "world"
    shutil.copytree(_one_day.root, root)
    return make_hostile(Layout(root))


@pytest.fixture(scope="session")
def hostile_book(hostile_world: Layout) -> Manuscript:
    """The book of days and of a mind in which every text is an attack."""
    title = "<b>Titel</b> #x *y* `z`"
    return build_book(
        hostile_world, ExportOptions(("1", "vera"), title=title, author="<i>N</i> \\n", least_importance=1)
    )[0]


@pytest.fixture
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with nothing in it."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder
