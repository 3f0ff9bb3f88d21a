"""One address of each kind of page, and what can happen to a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from gm.faces.web.actions import ACTIONS
from gm.faces.web.pages import KINDS
from gm.faces.web.paths import fill_path
from gm.faces.web.rendering import page_path
from gm.faces.web.site import open_site
from gm.files.layout import Layout


def addresses(layout: Layout, each: int = 1) -> list[str]:
    """Name the first pages of each kind, and a form of each kind.

    Args:
        layout: The world.
        each: How many pages of a kind.
    """
    site = open_site(layout)
    found = ["/" + page_path(kind.name, **params) for kind in KINDS for params in list(kind.every(site))[:each]]
    agent = site.frame.cast[0].id if site.frame.cast else "nobody"
    values = {
        "agent": agent,
        "node": f"{agent}-001",
        "moment": "day-000",
        "thread": "thread-001",
        "day": 1,
        "page": 2,
        "number": 1,
        "piece": "x",
        "key": "gm.yaml",
        "part": "diary",
        "section": "reference",
        "topic": "index",
        "letter": f"day-001-scene-01-{agent}",
    }
    patterns = [kind.pattern for kind in KINDS if kind.is_live and kind.first == 1] + [
        action.pattern for action in ACTIONS
    ]
    return found + ["/" + fill_path(pattern, values) for pattern in patterns]


def break_line(data: bytes) -> bytes:
    """Cut a line in the middle of a file off."""
    lines = data.split(b"\n")
    lines[len(lines) // 2] = b'{"broken": [1, 2'
    return b"\n".join(lines)


def garble(data: bytes) -> bytes:
    """Put bytes that are not UTF-8 into the middle of a file."""
    return data[: len(data) // 2] + b"\xff\xfe\x00" + data[len(data) // 2 :]


def halve_letters(data: bytes) -> bytes:
    r"""Begin every value with half a character, as JSON can say it: ``\ud83d``."""
    return data.replace(b'": "', b'": "\\ud83d')


def unbound_numbers(data: bytes) -> bytes:
    """Make every number endless."""
    return re.sub(rb": [0-9]+", b": 1e999", data)


def _replaced(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(change(path.read_bytes()))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _way_out(path: Path) -> None:
    path.unlink()
    path.symlink_to(__file__)


MISHAPS: dict[str, Callable[[Path], object]] = {
    "a broken line": _replaced(break_line),
    "bytes that are no text": _replaced(garble),
    "half characters": _replaced(halve_letters),
    "endless numbers": _replaced(unbound_numbers),
    "something else in it": _replaced(lambda _: b"[[5, null]]\n"),
    "a folder in its place": _folder,
    "a pipe in its place": _pipe,
    "a link out of the world in its place": _way_out,
}
