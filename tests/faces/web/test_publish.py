"""Publishing: a static site from the same pages, and no other files are touched."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread

import html5lib
import pytest

from gm.base.errors import GmError, UsageError
from gm.faces.web.pages import KINDS
from gm.faces.web.publish import Published, publish
from gm.faces.web.rendering import has_page, render_template
from gm.faces.web.site import open_site
from gm.files.formats import disk
from gm.files.layout import Layout
from gm.files.uncommitted.sitefolder import MANIFEST, write_site
from tests.faces.web.links import check_links, read_page

NOTHING: frozenset[str] = frozenset()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def static_host(folder: Path) -> Iterator[str]:
    """Serve a folder the way any static host does."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def site(_one_day: Layout, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Published]:
    """The site of a studio after its first day. Shared: read it, do not write into it."""
    folder = tmp_path_factory.mktemp("published") / "site"
    return folder, publish(_one_day, folder, NOTHING)


@pytest.fixture
def own_site(site: tuple[Path, Published], tmp_path: Path) -> Path:
    """A copy of that site."""
    return shutil.copytree(site[0], tmp_path / "site")


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_every_link_of_a_published_day_leads_somewhere(site: tuple[Path, Published]) -> None:
    folder, done = site
    pages, faults = check_links(folder)
    assert faults == []
    assert len(pages) == sum(done.pages.values())
    assert {"today", "days", "day", "gallery", "piece"} <= done.pages.keys()


def test_no_published_page_has_anything_inline_or_a_form(site: tuple[Path, Published]) -> None:
    for path in site[0].rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert read_page(text).inline == [], path.name
        assert 'method="post"' not in text.lower()
        assert "Content-Security-Policy" in text


def test_a_page_has_one_first_heading_and_leaves_no_level_out(site: tuple[Path, Published]) -> None:
    for path in site[0].rglob("*.html"):
        levels = read_page(path.read_text(encoding="utf-8")).headings
        assert levels.count(1) == 1, path.name
        deeper = [after for before, after in pairwise(levels) if after > before + 1]
        assert not deeper, f"{path.name}: {levels}"


def test_the_same_world_is_published_as_the_same_bytes(
    played: Layout, site: tuple[Path, Published], tmp_path: Path
) -> None:
    publish(played, tmp_path / "again", NOTHING)
    assert files_of(tmp_path / "again") == files_of(site[0])


def test_publishing_again_writes_nothing_that_is_as_it_was(played: Layout, own_site: Path) -> None:
    again = publish(played, own_site, NOTHING)
    assert again.files.written == ()
    assert again.files.removed == ()


def test_a_piece_that_is_gone_is_gone_from_the_site_too(played: Layout, own_site: Path) -> None:
    next(path for path in played.gallery.rglob("*.md")).unlink()
    again = publish(played, own_site, NOTHING)
    assert len(again.files.removed) == 2  # its page, and its file
    assert check_links(own_site)[1] == []


def test_what_is_private_is_neither_written_nor_linked(played: Layout, tmp_path: Path) -> None:
    hidden = frozenset(kind.private for kind in KINDS if kind.private)
    publish(played, tmp_path / "site", hidden)
    assert check_links(tmp_path / "site")[1] == []
    assert not [path for path in (tmp_path / "site").rglob("*.html") if "toward" in path.read_text(encoding="utf-8")]
    site = open_site(played, live=False, hidden=hidden)
    for kind in KINDS:
        assert has_page(site, kind.name) == (not kind.private and not kind.is_live)


def test_files_that_gm_did_not_make_are_left_alone(studio: Layout, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "CNAME").write_text("world.example\n", encoding="utf-8")
    publish(studio, tmp_path / "site", NOTHING)
    publish(studio, tmp_path / "site", NOTHING)
    assert (tmp_path / "site" / "CNAME").read_text(encoding="utf-8") == "world.example\n"


def test_a_file_that_gm_did_not_make_is_not_overwritten(studio: Layout, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match=r"were not made by gm publish: index\.html"):
        publish(studio, site, NOTHING)
    assert files_of(site) == {"index.html": b"mine"}
    publish(studio, site, NOTHING, force=True)
    assert b"Studio Brandsohle" in (site / "index.html").read_bytes()


def test_a_page_that_was_changed_by_hand_is_not_written_over(played: Layout, own_site: Path) -> None:
    (own_site / "index.html").write_text("corrected by hand", encoding="utf-8")
    with pytest.raises(UsageError, match="changed by hand"):
        publish(played, own_site, NOTHING)
    assert (own_site / "index.html").read_text(encoding="utf-8") == "corrected by hand"


@pytest.mark.parametrize("inside", [".", "state", "state/site", "gallery/site", "prompts"])
def test_a_site_is_never_written_among_the_worlds_own_files(played: Layout, inside: str) -> None:
    before = files_of(played.root)
    with pytest.raises(UsageError, match="own files"):
        publish(played, played.root / inside, NOTHING)
    assert files_of(played.root) == before


def test_an_interrupted_run_is_mended_by_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "site"
    old = {"a.html": b"1", "b.html": b"1", "gone.html": b"1"}
    new = {"a.html": b"2", "b.html": b"2", "c.html": b"2"}
    write_site(site, old)
    real, left = disk.replace, [2]

    def dying(path: Path, data: bytes) -> None:
        if left[0] == 0:
            raise OSError(28, "No space left on device")
        left[0] -= 1
        real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(disk, "replace", dying)
        with pytest.raises(GmError, match="No space left"):
            write_site(site, new)
    write_site(site, new)
    found = files_of(site)
    found.pop(MANIFEST)
    assert found == new


def test_a_note_that_names_files_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("x", encoding="utf-8")
    site = tmp_path / "site"
    site.mkdir()
    (site / MANIFEST).write_text(json.dumps({"files": {"../victim": "0"}}), encoding="utf-8")
    with pytest.raises(GmError, match="outside"):
        write_site(site, {"a.html": b"1"})
    assert (tmp_path / "victim").exists()


def test_a_published_page_cannot_link_to_what_only_live_pages_have(played: Layout) -> None:
    site = open_site(played, live=False, hidden=frozenset({"cost"}))
    error = {"title": "x", "status": 404, "error": None}
    assert render_template(site, "error.html", "index.html", error)
    assert all(not has_page(site, kind.name) for kind in KINDS if kind.is_live)


@pytest.mark.slow
def test_a_foreign_link_checker_finds_nothing(site: tuple[Path, Published], tmp_path: Path) -> None:
    folder, done = site
    (tmp_path / "quick.ini").write_text("[checking]\nmaxrequestspersecond=1000\n", encoding="utf-8")
    options = ["--no-status", "--no-robots", "--config", str(tmp_path / "quick.ini")]
    with static_host(folder) as address:
        checker = [sys.executable, "-m", "linkcheck", *options, f"{address}/index.html"]
        found = subprocess.run(checker, capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 0, found.stdout + found.stderr
    checked = re.search(r"(\d+) links? in (\d+) URLs? checked\. 0 warnings found\. 0 errors found", found.stdout)
    assert checked, found.stdout
    assert int(checked[2]) >= sum(done.pages.values())


def test_every_published_page_is_parsed_without_an_error(site: tuple[Path, Published]) -> None:
    for path in site[0].rglob("*.html"):
        parser = html5lib.HTMLParser(strict=False)
        parser.parse(path.read_text(encoding="utf-8"))
        assert parser.errors == [], path.name
