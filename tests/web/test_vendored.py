"""What other people wrote and the pages carry: whole, with its licence, and exactly as it came."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

VENDOR = Path(str(files("gm.web") / "static" / "vendor"))


def test_every_file_is_the_one_that_was_published() -> None:
    for library in json.loads((VENDOR / "VENDORED.json").read_text(encoding="utf-8")):
        assert {"name", "version", "licence", "source", "why"} <= library.keys()
        for path, digest in library["files"].items():
            assert hashlib.sha256((VENDOR / path).read_bytes()).hexdigest() == digest, path


def test_every_file_is_listed_and_every_library_has_its_licence() -> None:
    libraries = json.loads((VENDOR / "VENDORED.json").read_text(encoding="utf-8"))
    listed = {path for library in libraries for path in library["files"]}
    there = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    assert there - {"VENDORED.json"} == listed
    assert all(any("LICENSE" in path for path in library["files"]) for library in libraries)
