"""What other people wrote and the pages carry: whole, with its licence, and exactly as it came."""

from __future__ import annotations

import hashlib
import json

import pytest

from gm.faces.web.staticfiles import STATIC, vendored_scripts
from gm.files.layout import Layout
from tests.faces.web.conftest import Browse


@pytest.mark.parametrize("folder", ["vendor", "fonts"])
def test_every_file_is_the_one_that_was_published(folder: str) -> None:
    for library in json.loads((STATIC / folder / "VENDORED.json").read_text(encoding="utf-8")):
        assert {"name", "version", "licence", "source", "why"} <= library.keys()
        for path, digest in library["files"].items():
            assert hashlib.sha256((STATIC / folder / path).read_bytes()).hexdigest() == digest, path


@pytest.mark.parametrize("folder", ["vendor", "fonts"])
def test_every_file_is_listed_and_every_library_has_its_licence(folder: str) -> None:
    libraries = json.loads((STATIC / folder / "VENDORED.json").read_text(encoding="utf-8"))
    listed = {path for library in libraries for path in library["files"]}
    there = {path.relative_to(STATIC / folder).as_posix() for path in (STATIC / folder).rglob("*") if path.is_file()}
    assert there - {"VENDORED.json"} == listed
    assert all(any("LICENSE" in path for path in library["files"]) for library in libraries)


def test_every_font_that_is_carried_is_used() -> None:
    styles = (STATIC / "site.css").read_text(encoding="utf-8")
    fonts = {path.name for path in (STATIC / "fonts").glob("*.woff2")}
    assert fonts == {name for name in fonts if f'"fonts/{name}"' in styles}


@pytest.mark.parametrize("name", sorted(vendored_scripts()))
def test_scripts_that_a_wheel_packs_are_served_as_files_are(name: str, studio: Layout, browse: Browse) -> None:
    client = browse(studio)
    script = client.get(f"/static/{name}")
    assert script.content == (STATIC / name).read_bytes()
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
    again = client.get(f"/static/{name}", headers={"If-None-Match": script.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.post(f"/static/{name}").status_code == 405
    assert client.get(f"/static/{name}.map").status_code == 404
