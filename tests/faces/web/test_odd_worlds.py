"""Worlds that are not as they usually are: every page answers, and a published site has no link that leads nowhere."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gm.faces.web.publish import publish
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse
from tests.faces.web.links import check_links
from tests.faces.web.odd import addresses
from tests.handmade import make_handmade

NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def lively(two_full_days: Layout, tmp_path: Path) -> Layout:
    shutil.copytree(two_full_days.root, tmp_path / "world")
    return Layout(tmp_path / "world")


NOT_ALWAYS = ("/edit/", "/changes/", "/mailbox/", "/ask/nobody", "/agents/nobody/interview")
"""Beginnings of addresses of what a world may not have."""


def stands(layout: Layout, browse: Browse, site: Path) -> None:
    """Ask for every page of a world, and follow every link of its site."""
    for page in addresses(layout, each=20):
        allowed = (200, 404) if page.startswith(NOT_ALWAYS) or "/memory/" in page else (200,)
        assert browse(layout).get(page).status_code in allowed, page
    done = publish(layout, site, NOTHING)
    pages, faults = check_links(site)
    assert faults == []
    assert len(pages) == sum(done.pages.values())


def only(layout: Layout, *names: str) -> None:
    for name in set(layout.agent_names()) - set(names):
        for path in (layout.agent(name), layout.persona(name), layout.stream(name)):
            path.unlink(missing_ok=True)


def rename(layout: Layout, old: str, new: str) -> None:
    for path in [path for path in layout.state.rglob(f"{old}.*") if path.is_file()]:
        path.rename(path.with_name(path.name.replace(old, new, 1)))
    for path in layout.state.rglob("*"):
        if path.suffix in (".json", ".jsonl", ".md", ".yaml") and layout.traces not in path.parents:
            path.write_text(path.read_text(encoding="utf-8").replace(f'"{old}', f'"{new}'), encoding="utf-8")


def _fourteen(layout: Layout) -> None:
    for number in range(11):
        shutil.copy(layout.agent("alex"), layout.agents / f"guest-{number}.json")


def _names_by_case(layout: Layout) -> None:
    for name in ("Öle", "Zed", "zoe", "ZOE-2", "a b#c%25'\"&?"):
        shutil.copy(layout.agent("alex"), layout.agents / f"{name}.json")


def _other_language(layout: Layout) -> None:
    text = layout.settings.read_text(encoding="utf-8")
    layout.settings.write_text(text.replace("language: en", "language: fr"), encoding="utf-8")


def _empty_logbook(layout: Layout) -> None:
    for path in layout.logbook.iterdir():
        path.write_bytes(b"")


def _odd_logbooks(layout: Layout) -> None:
    for name in ("day-²", "day-" + "9" * 200, "day-7", "day-0002", "day-x", "day-000", "day-"):
        (layout.logbook / f"{name}.jsonl").write_bytes(b"")


ODD: dict[str, Callable[[Layout], object]] = {
    "one character": lambda layout: only(layout, "casey"),
    "nobody": only,
    "fourteen characters": _fourteen,
    "somebody called index": lambda layout: rename(layout, "alex", "index"),
    "names that differ in case, and with every sign": _names_by_case,
    "no personas": lambda layout: shutil.rmtree(layout.personas),
    "no gallery": lambda layout: shutil.rmtree(layout.gallery),
    "no logbook": lambda layout: shutil.rmtree(layout.logbook),
    "empty logbooks": _empty_logbook,
    "files beside the logbooks": _odd_logbooks,
    "a logbook beside the state": lambda layout: layout.logbook.rename(layout.root / "logbook"),
    "no state": lambda layout: shutil.rmtree(layout.state),
    "nothing of its own record": lambda layout: shutil.rmtree(layout.derived),
    "a language that the interface does not speak": _other_language,
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD)
def test_an_odd_world_is_shown_and_published_whole(
    lively: Layout, browse: Browse, tmp_path: Path, change: Callable[[Layout], object]
) -> None:
    change(lively)
    stands(lively, browse, tmp_path / "site")


@pytest.mark.parametrize("template", ["studio", "dinner"])
def test_a_world_in_which_nothing_was_played_is_shown_and_published_whole(
    template: str, browse: Browse, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    stands(request.getfixturevalue(template), browse, tmp_path / "site")


def test_a_world_of_the_older_shape_is_shown_and_published_whole(browse: Browse, tmp_path: Path) -> None:
    stands(make_handmade(tmp_path / "old"), browse, tmp_path / "site")


def test_a_folder_with_empty_settings_and_nothing_else_is_shown(browse: Browse, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "gm.yaml").write_bytes(b"")
    stands(Layout(tmp_path / "empty"), browse, tmp_path / "site")


@pytest.mark.parametrize("name", ["mit ö und #1 50%25", "'q\" ?&<x>", "a\nb"])
def test_a_world_in_a_folder_with_any_name_is_shown(lively: Layout, browse: Browse, tmp_path: Path, name: str) -> None:
    stands(Layout(lively.root.rename(tmp_path / name)), browse, tmp_path / "site")


def test_a_world_behind_a_link_is_shown(lively: Layout, browse: Browse, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(lively.root)
    stands(Layout(tmp_path / "link"), browse, tmp_path / "site")


def test_a_character_called_index_and_the_cast_have_pages_of_their_own(lively: Layout, browse: Browse) -> None:
    rename(lively, "alex", "index")
    browser = browse(lively)
    assert "Casey" in browser.get("/agents/index.html").text
    assert "<h1" in browser.get("/agents/_69_ndex.html").text
    assert browser.get("/agents/_69_ndex/diary.html").status_code == 200
